"""The file of channels: read strictly, with the line of each mistake, and the rules of `publish` and `rescan`."""

import os

import pytest
from core_helpers import contract
from registry_helpers import rows

from datacheck.errors import ContractError, UsageError
from datacheck.gate.decisions import given
from datacheck.gate.trust import read_trust
from datacheck.gate.verify import read_signed
from datacheck.registry.channels import channel_of, read_channels

pytestmark = pytest.mark.usefixtures("here")
GOOD = """
channels:
  sft:
    contract: rules/contract.yaml
    sign: validator.pem
    trust: trust.json
    interval: 300
  strict:
    contract: rules/strict.yaml
    sign: env:VALIDATOR_KEY
    strict: true
    run: {max_length: 4096, packing: true}
    data: {before: "published:", eval: eval, far: s3://bucket/eval}
"""


@pytest.fixture
def written(site):
    """A file of channels beside a registry: its path; called with another text, it is written anew."""
    contract(site.root / "rules", ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}],
             source={}, name="strict.yaml")  # fmt: skip
    file = site.root / "channels.yaml"

    def write(text=GOOD):
        file.write_text(text, "utf-8")
        return file

    write()
    return write


def test_paths_are_those_beside_the_file_and_settings_as_typed(site, written):
    found = read_channels(written())
    assert list(found) == ["sft", "strict"]
    assert found["sft"].contract == site.root / "rules" / "contract.yaml"
    assert found["sft"].sign == str(site.root / "validator.pem")
    assert (found["sft"].interval, found["strict"].interval) == (300, 60)
    assert found["strict"].sign == "env:VALIDATOR_KEY"
    assert found["strict"].run == {"max_length": "4096", "packing": "true"}
    assert found["strict"].data == {
        "before": "published:", "eval": str(site.root / "eval"), "far": "s3://bucket/eval",
    }  # fmt: skip


def test_the_decisions_of_a_channel_count_for_its_drops(site, written):
    file = site.root / "d.dsse.json"
    file.write_text("{}", encoding="utf-8")
    text = GOOD.replace("interval: 300", "interval: 300\n    decisions: d.dsse.json")
    rules = read_channels(written(text))["sft"].rules("sft")
    assert rules.options.decisions == given(file, rules.trust, [rules.key.key_id])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    interval: 300", "    intervall: 300", "channels.yaml:7: channels.sft.intervall: unknown setting"),
        ("    interval: 300", "    intervall: 300", "did you mean 'interval'?"),
        ("interval: 300", "interval: 0", "channels.yaml:7: channels.sft.interval: expected more than 0"),
        ("rules/strict.yaml", "rules/strikt.yaml", "channels.yaml:9: channels.strict.contract: no such file; did you mean"),
        ("trust.json", "nobody.json", "channels.yaml:6: channels.sft.trust: no such file"),
        ("    sign: validator.pem\n", "", "channels.sft.sign: this setting is required and missing"),
        ("  sft:", "  ../sft:", "channels.yaml:3: channels.../sft: expected letters"),
        ("  sft:", '  "":', "expected letters"),
        ("strict: true", "strict: maybe", "channels.strict.strict: expected true or false"),
        ("run: {max_length: 4096, packing: true}", "run: 7", "channels.strict.run: expected a map"),
        ("    strict: true", "    webhooks: [{kind: slack, url: https://x}]", "expected a text of the form"),
        (GOOD, "channels: {}", "no channels; name at least one"),
        (GOOD, "channels: [sft]", "channels: expected a map"),
        (GOOD, "sft: {contract: c.yaml}", "unknown setting"),
        (GOOD, "- sft", "expected a map"),
        (GOOD, "channels: {sft: {sign: &a b}}", "anchors and aliases are not allowed"),
        (GOOD, "channels: {sft: {sign: a, sign: b}}", "is given twice"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line_and_what_was_meant(written, old, new, told):
    with pytest.raises(ContractError) as error:
        read_channels(written(GOOD.replace(old, new)))
    assert told in str(error.value)


def test_all_mistakes_at_once(written):
    with pytest.raises(ContractError) as error:
        read_channels(written(GOOD.replace("interval: 300", "interval: 0").replace("strict: true", "strict: maybe")))
    assert len(error.value.problems) == 2


def test_a_file_that_is_not_there_or_that_others_may_write_decides_nothing(site, written):
    file = written()
    with pytest.raises(UsageError, match=r"did you mean 'channels\.yaml'"):
        read_channels(site.root / "chanels.yaml")
    file.chmod(0o666)
    with pytest.raises(UsageError, match=r"others may write it; chmod go-w .* says by what data is judged"):
        read_channels(file)
    file.chmod(0o644)
    site.root.chmod(0o777)
    with pytest.raises(UsageError, match="others may write it"):
        read_channels(file)
    site.root.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
        with pytest.raises(UsageError, match="belongs to another user"):
            read_channels(file)


def test_a_channel_by_its_name(written):
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        channel_of(written(), "strickt")
    with pytest.raises(UsageError, match=r"which one of .* sft, strict"):
        channel_of(written(), None)
    one = written(GOOD.partition("  strict:")[0])
    assert channel_of(one, None)[0] == "sft"


# --- through the commands ---


@pytest.fixture
def call(site, written, command, monkeypatch):
    monkeypatch.setenv("VALIDATOR_KEY", (site.root / "validator.pem").read_text())
    monkeypatch.setenv("DATACHECK_TRUST", str(site.trust_file))
    own = ["--registry", site.reg, "--channels", written(GOOD.replace("run: {max", "# {max").replace("data: {", "# {"))]
    return lambda name, *more: command(name, *more, *own)


def test_each_channel_judges_by_its_own_rules(site, call):
    drop = site.drop("a", *rows("a", 3))
    assert call("publish", drop, "--channel", "sft")[0] == 0
    code, out, _ = call("publish", site.drop("a", *rows("a", 3)), "--channel", "strict")
    assert (code, "too_few_rows" in out) == (1, True), out
    assert site.tree()["published"] == ["sft"]
    assert call("publish", site.drop("b", *rows("b", 9)), "--channel", "strict")[0] == 0
    assert site.tree()["published"] == ["sft", "strict"]
    contract(site.root / "rules", ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}], source={})
    assert call("rescan", "--channel", "strict")[0] == 0
    assert call("rescan", "--channel", "sft")[0] == 1
    assert site.tree()["published"] == ["strict"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--channel", "sft", "--contract", "weak.yaml"], "--contract: stands in the file of --channels"),
        (["--channel", "sft", "--sign", "own.pem"], "--sign: stands in the file of --channels"),
        (["--channel", "sft", "--run", "max_length=9"], "--run: stands in the file of --channels"),
        (["--channel", "sft", "--strict"], "--strict: stands in the file of --channels"),
        (["--channel", "other"], "not in"),
        ([], "sft, strict"),
    ],
)
def test_what_the_file_says_no_option_says_otherwise(site, call, more, told):
    drop = site.drop()
    code, _, err = call("publish", drop, *more)
    assert (code, told in " ".join(err.split()), drop.exists()) == (2, True, True), err


def test_without_either_it_says_what_is_wanted(site, command):
    code, _, err = command("publish", site.drop(), "--registry", site.reg)
    assert (code, "--contract FILE and --sign KEY, or --channels FILE" in " ".join(err.split())) == (2, True), err


# --- code that the operator of a channel lets run ---

REWARDS = "def accuracy(completions, answer, **kwargs): return [float(c == a) for c, a in zip(completions, answer)]\n"
WITH_CODE = """
channels:
  rl:
    contract: rules/rl.yaml
    sign: validator.pem
    graders: ["my_rewards.py:accuracy"]
    run_tests: true
"""
TASK = {"code": "def f(x):\n    return 2 * x", "test_list": ["assert f(2) == 4"]}


@pytest.fixture
def coded(site, written, command, monkeypatch):
    """Publish drops of a channel whose operator lets a reward function and tests run."""
    checks = [{"check": "reward_errors", "grader": "my_rewards.py:accuracy", "seconds": 60}, "unit_test_errors"]
    contract(site.root / "rules", checks, source={}, name="rl.yaml")
    (site.root / "my_rewards.py").write_text(REWARDS)
    monkeypatch.setenv("DATACHECK_TRUST", str(site.trust_file))
    own = ["--registry", site.reg, "--channels", written(WITH_CODE), "--channel", "rl"]
    return lambda drop, *more: command("publish", drop, *more, *own)


def test_a_channel_names_the_reward_function_and_the_signed_verdict_says_which_it_was(site, coded):
    problems = [{"prompt": f"{n}?", "answer": str(n), **TASK} for n in range(3)]
    code, out, err = coded(site.drop("a", *problems))
    assert code == 0, out + err
    (version,) = (site.reg / "versions").iterdir()
    verdict = read_signed(version, read_trust(site.trust_file)).verdict
    digest = verdict.inputs["my_rewards.py:accuracy (--grader)"]
    assert f"--grader my_rewards.py:accuracy (sha256:{digest[:12]})" in verdict.given
    assert "--run-tests" in verdict.given
    # Another function is another question: what was answered is asked again.
    (site.root / "my_rewards.py").write_text(REWARDS.replace("c == a", "False"))
    code, out, _ = coded(site.drop("a", *problems))
    assert (code, "reward_errors" in out) == (1, True), out


def test_a_function_that_others_may_write_or_that_is_not_there_decides_nothing(site, coded):
    drop = site.drop("a")
    (site.root / "my_rewards.py").chmod(0o666)
    code, _, err = coded(drop)
    assert (code, "others may write it" in " ".join(err.split()), drop.exists()) == (2, True, True), err
    (site.root / "my_rewards.py").unlink()
    code, _, err = coded(drop)
    assert (code, "channels.yaml:6: channels.rl.graders" in err, drop.exists()) == (2, True, True), err


def test_without_channels_options_name_the_code_that_publish_may_run(site, command, coded, monkeypatch):
    monkeypatch.chdir(site.root)
    asked = ["--registry", site.reg, "--contract", "rules/rl.yaml", "--sign", "validator.pem", "--channel", "rl"]
    drop = site.drop("a", *({"prompt": f"{n}?", "answer": str(n), **TASK} for n in range(3)))
    code, out, err = command("publish", drop, *asked)
    assert (code, "reward_errors (error)" in out) == (3, True), out + err  # nobody has said what it may run
    drop = site.drop("a", *({"prompt": f"{n}?", "answer": str(n), **TASK} for n in range(3)))
    given = ["--grader", "my_rewards.py:accuracy", "--run-tests"]
    (site.root / "my_rewards.py").chmod(0o666)
    code, _, err = command("publish", drop, *asked, *given)
    assert (code, "others may write it" in " ".join(err.split()), drop.exists()) == (2, True, True), err
    (site.root / "my_rewards.py").chmod(0o600)
    code, out, err = command("publish", drop, *asked, *given)
    assert code == 0, out + err
    (version,) = (site.reg / "versions").iterdir()
    said = read_signed(version, read_trust(site.trust_file)).verdict.given
    assert "--grader my_rewards.py:accuracy (sha256:" in said
    assert "--run-tests" in said
    code, _, err = coded(site.drop("b"), *given)
    assert (code, "--grader: stands in the file of --channels" in err) == (2, True), err


def test_a_contract_lets_no_code_run(site, coded):
    path = contract(site.root / "rules", ["unit_test_errors"], source={}, name="rl.yaml")
    path.write_text(path.read_text() + "run: {graders: [x.py:f]}\n")
    code, _, err = coded(site.drop("a"))
    assert (code, "run.graders: unknown setting" in err) == (2, True), err
