"""Every line of secrets.toml: found in any surrounding, hidden by `excerpt`; specimens and tutorials do not block."""

import random
import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
from core_helpers import mostly_slow

from datacheck.pii.analyzer import find
from datacheck.pii.excerpts import excerpt
from datacheck.pii.recognizers import RECOGNIZERS, secret

LIST = tomllib.loads(Path(secret.__file__).with_name("secrets.toml").read_text("utf-8"))
PREFIXED, NEAR = [*LIST["prefixed"], *LIST["unnamed"]], LIST["near"]
FRAMES = [
    "{}",
    "the one I use is {} now.",
    "先用{}顶一下，明天换掉",
    '{{"a": "{}"}}',
    "```python\nf('{}')\n```",
    "A={};",
]
ASSIGNMENTS = [
    '{}Token = "{}"', "{}_api_key: {}", "{} api key：{}", '{{"{}_secret": "{}"}}', "我的 {} key 是 {} 。",
]  # fmt: skip
JOHN_DOE = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"  # the head of the token that jwt.io shows
C = re._constants


def sample(expression: str, rng: random.Random) -> str:
    """A random text that the expression matches."""
    return "".join(_sample(re._parser.parse(expression), rng))


def _sample(sequence, rng):
    for code, value in sequence:
        if code is C.LITERAL:
            yield chr(value)
        elif code is C.IN:
            spans = [(at, at) if kind is C.LITERAL else at for kind, at in value if kind is not C.CATEGORY]
            yield chr(rng.choice([each for first, last in spans for each in range(first, last + 1)])) if spans else " "
        elif code is C.SUBPATTERN:
            yield from _sample(value[-1], rng)
        elif code is C.BRANCH:
            yield from _sample(rng.choice(value[1]), rng)
        elif code in (C.MAX_REPEAT, C.MIN_REPEAT):
            for _ in range(rng.randint(value[0], min(value[1], value[0] + 4))):
                yield from _sample(value[2], rng)
        else:
            raise NotImplementedError(code)


def samples(expression: str, name: str, count: int = 3) -> list[str]:
    """Values with digits among them that do not end in a hyphen, which may belong to the text behind them."""
    rng = random.Random(name)
    drawn = [value for value in (sample(expression, rng) for _ in range(8 * count)) if value[-1] not in "-_."]
    return sorted(drawn, key=lambda value: sum(map(str.isdigit, value)) < 3)[:count]


def all_hits(texts: list[str]) -> list[list[tuple[str, str, str]]]:
    found = [[] for _ in texts]
    for row in find(pl.Series(texts), ("SECRET", "CREDENTIAL")).iter_rows(named=True):
        value = texts[row["index"]][row["start"] : row["end"]]
        found[row["index"]].append((row["entity"], row["state"], value))
    return found


def hits(text: str) -> list[tuple[str, str, str]]:
    return all_hits([text])[0]


@pytest.mark.parametrize("row", PREFIXED, ids=lambda row: row["id"])
def test_a_vendors_token_blocks_in_any_surrounding_and_is_hidden(row):
    expression = re.compile(row["expression"])
    cases = [(value, frame.format(value)) for value in samples(row["expression"], row["id"]) for frame in FRAMES]
    for (value, text), found in zip(cases, all_hits([text for _, text in cases]), strict=True):
        body = expression.fullmatch(value)["value" if "value" in expression.groupindex else 0]
        assert any(each[:2] == ("SECRET", "valid") and body in each[2] for each in found), text
        assert body[8:] not in excerpt(text, limit=9000)


@pytest.mark.parametrize("row", mostly_slow(PREFIXED, PREFIXED[::8]), ids=lambda row: row["id"])
def test_each_match_has_one_of_its_words(row):
    """The gate, the prefilter and the excerpt look for nothing else."""
    for value in samples(row["expression"], row["id"], 30):
        assert any(word in value if "inside" in row else value.startswith(word) for word in row["words"])


@pytest.mark.parametrize("row", NEAR, ids=lambda row: row["id"])
def test_a_plain_value_behind_its_vendors_name_blocks_and_is_hidden(row):
    cases = [
        (value, frame.format(case, value))
        for value in samples(row["value"], row["id"], 2)
        for frame in ASSIGNMENTS
        for name in row["names"]
        for case in (name, name.upper())
    ]
    for (value, text), found in zip(cases, all_hits([text for _, text in cases]), strict=True):
        assert ("SECRET", "valid", value) in found, text
        assert value[4:] not in excerpt(text)
    words = hits(f"{row['names'][0]} key: {'a' * len(cases[0][0])}")
    assert all(each[:2] != ("SECRET", "valid") for each in words)


@pytest.mark.parametrize(
    "value",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "sk-your_api_key_0123abcdefgh",
        "glpat-" + "0" * 20,
        "AIza" + "SyAnLA7NfeLquW1tJFpx_eQCxoX-oo6YyIs",  # of gitleaks' allow list
        f"{JOHN_DOE}.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.dozjgNryP4J3jVmN",
    ],
)
def test_specimens_are_named_as_such_in_prose_and_code(value):
    assert hits(f"use {value} here") == [("SECRET", "specimen", value)]


def test_the_key_that_every_storage_emulator_has_is_a_specimen():
    """Azurite's, which its documentation shows; another one in its place is somebody's."""
    known = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr" + "/KBHBeksoGMGw=="
    assert hits(f'"account_key": "{known}"') == [("SECRET", "specimen", known)]
    other = known[40:86] + known[:40] + "=="
    assert ("SECRET", "valid", other) in hits(f'{{ "AccountKey", "{other}" }}')


@pytest.mark.parametrize(
    "text", ["hf_servingcellpriorityparametersdescription_h_prio", "video_box.ico-7a388b69018576d24b59331fd60aab0c.png",
             "xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere", "sk-learn-compatible-estimators-and-transformers",
             "portainer ptr_to_the_first_element_of_the_list", "pri_01gsz8x8sawmvhz1pv30nge1ke",
             "ATATTGCATGCAATATTGCATGCAATATTGCATGCAATATTGCATGCAATATTGCATGCA"]
)  # fmt: skip
def test_names_in_code_are_no_secrets(text):
    assert hits(text) == []


PASSWORD = "kT7#vQ2m" + "Xp9z"


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        (f"postgres://svc:{PASSWORD}@10.2.3.4:5432/app", "SECRET"),
        (f"postgresql+asyncpg://svc:{PASSWORD}@db.corp.cn/app", "SECRET"),
        (f"连接串mongodb+srv://svc:{PASSWORD}@c0.ab1cd.mongodb.net/x", "SECRET"),
        (f"redis://:{PASSWORD}@cache.corp.cn:6379/0", "SECRET"),
        (f"jdbc:mysql://10.2.3.4:3306/app?user=svc&password={PASSWORD}", "SECRET"),
        (f"curl -X POST -u svc:{PASSWORD} https://api.corp.cn/v1", "SECRET"),
        (f"postgres://svc:{PASSWORD}@localhost:5432/app", "CREDENTIAL"),
        ("mysql://root:letmein12@10.2.3.4/app", "CREDENTIAL"),
        (f"https://svc:{PASSWORD}@git.corp.cn/a.git", "CREDENTIAL"),
    ],
)
def test_logins_block_unless_a_tutorial_would_have_them(text, entity):
    assert [found for found, state, _ in hits(text) if state == "valid"][:1] == [entity]
    assert PASSWORD not in excerpt(text)


@pytest.mark.parametrize(
    "text",
    ["postgres://user:password@localhost/db", "curl -u user:$PASSWORD https://a.cn", "curl -u admin:admin1234 x"],
)
def test_logins_of_tutorials_do_not_block(text):
    assert not [each for each in hits(text) if each[:2] == ("SECRET", "valid")]


def test_a_mask_keeps_the_vendors_prefix_only():
    masks = {row["id"]: RECOGNIZERS["SECRET"].mask(samples(row["expression"], "mask", 1)[0]) for row in PREFIXED}
    words = {word for row in PREFIXED for word in row["words"]}
    assert {mask.removesuffix("****") for mask in masks.values()} <= words | {""}
    assert masks["gitlab-pat"] == "glpat-****"
    assert RECOGNIZERS["SECRET"].mask(PASSWORD) == "****"


def test_entropy_is_shannons():
    assert [secret.entropy(value) for value in ("aaaa", "abab", "abcd")] == [0, 1, 2]
