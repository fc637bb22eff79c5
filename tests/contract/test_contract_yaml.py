"""What a contract's YAML may hold. The truth is the YAML 1.2 core schema, and PyYAML's own composer for lines."""

import re
import time

import pytest
import yaml

from datacheck.contract.yaml import MAX_BYTES, MAX_DEPTH, load_yaml, parse_yaml
from datacheck.errors import ContractError


def value(text: str):
    return parse_yaml(text.encode(), "c.yaml").value


def refusal(text: str | bytes) -> str:
    with pytest.raises(ContractError) as caught:
        parse_yaml(text if isinstance(text, bytes) else text.encode(), "c.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: &x 1\nb: *x\n", 1, "anchors"),
        ("a: 1\nb: *nowhere\n", 2, "anchors"),
        ("a:\n  <<: {b: 1}\n", 2, "merge keys"),
        ("a: 1\nb: 2\na: 3\n", 3, "'a' is given twice"),
        ("a: !!python/object/apply:os.system [id]\n", 1, "tags"),
        ("a: !!str 1\n", 1, "tags"),
        ("a: !own 1\n", 1, "tags"),
        ("a: 1\n---\nb: 2\n", 2, "second YAML document"),
        ("? [a, b]\n: 1\n", 1, "plain word"),
        ("a: [1, 2\n", 1, "bracket that opens here"),
        ("a: 1\n\tb: 2\n", 2, "not valid YAML: a tab"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text, line, words):
    message = refusal(text)
    assert message.startswith(f"c.yaml:{line}: ")
    assert words in message


def test_a_billion_laughs_is_refused_before_it_laughs():
    laughs = "a: &a [lol, lol]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    start = time.process_time()
    assert "anchors" in refusal(laughs)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("deep", ["[" * 100_000, "a: " * 1 + "{a: " * 50_000, "- " * 60_000])
def test_depth_never_reaches_the_stack(deep):
    start = time.process_time()
    assert refusal(deep)
    assert time.process_time() - start < 5


def test_depth_has_a_limit_of_its_own():
    fits = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert value(fits) is not None
    assert "nested deeper" in refusal("[" + fits + "]")


def test_many_values_and_large_files_are_refused(tmp_path):
    assert "more than" in refusal("[" + "1," * 30_000 + "]")
    path = tmp_path / "c.yaml"
    path.write_bytes(b"a: " + b"x" * MAX_BYTES)
    with pytest.raises(ContractError, match="larger than 256 KiB"):
        load_yaml(path, "c.yaml")


@pytest.mark.parametrize("name", ["drop", "train.jsonl", "train.Parquet", "train.json.gz"])
def test_who_names_data_instead_of_a_contract_is_told_how_to_get_one(tmp_path, name):
    (tmp_path / "drop").mkdir()
    with pytest.raises(ContractError, match=f"this is data.*datacheck init {name} --to contract.yaml"):
        load_yaml(tmp_path / name, name)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"), ("off", "off"), ("Yes", "Yes"), ("12:30:45", "12:30:45"), ("2026-11-20", "2026-11-20"),
        ("0x10", "0x10"), ("1_000", "1_000"), (".inf", ".inf"), ("nan", "nan"), ("1e999", "1e999"), ("=", "="),
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None),
        ("3", 3), ("-7", -7), ("0.03", 0.03), (".5", 0.5), ("1e3", 1000.0), ("'3'", "3"), ('"true"', "true"),
        ("|\n  7\n", "7\n"),
    ],
)  # fmt: skip
def test_scalars_follow_the_core_schema_and_nothing_more(written, meant):
    found = value(f"lang: {written}")["lang"]
    assert found == meant
    assert type(found) is type(meant)


def test_a_full_width_colon_is_no_map():
    assert value("最大值：3") == "最大值：3"


def test_encodings_other_than_utf8_are_named_with_the_line():
    assert refusal("a: 1\nb: 你\n".encode("gbk")).startswith("c.yaml:2: the contract is not UTF-8")
    assert parse_yaml("\ufeffa: 1".encode(), "c.yaml").value == {"a": 1}
    assert refusal(b"a: \x00")


def test_lines_are_those_of_another_parser():
    text = "a:\n  - b: 1\n    c: [x,\n      y]\n  - d\n'e f':\n  g: {h: 1,\n    i: 2}\n"
    document = parse_yaml(text.encode(), "c.yaml")
    expected = {}

    def walk(node, path):
        if isinstance(node, yaml.MappingNode):
            for key, child in node.value:
                expected[(*path, key.value)] = key.start_mark.line + 1
                walk(child, (*path, key.value))
        elif isinstance(node, yaml.SequenceNode):
            for index, child in enumerate(node.value):
                expected[(*path, index)] = child.start_mark.line + 1
                walk(child, (*path, index))

    walk(yaml.compose(text, Loader=yaml.SafeLoader), ())
    assert {path: line for path, line in document.lines.items() if path} == expected
    assert document.line(("a", 0, "nowhere", "at all")) == 2  # the nearest parent


@pytest.mark.slow
def test_real_world_yaml_never_crashes_it(realdata):
    """Every text of the yaml-test-suite gives a value or a ContractError, quickly; plain ones as PyYAML reads them."""
    cases = 0
    accepted = 0
    for path in sorted((realdata / "bad" / "yaml-test-suite").rglob("*.yaml")):
        for text in [path.read_text(encoding="utf-8"), *_cases(path)]:
            cases += 1
            try:
                found = parse_yaml(text.encode(), path.name).value
            except ContractError:
                continue
            accepted += 1
            assert _words(found) == _words(yaml.load(text, Loader=yaml.BaseLoader)), path.name
    assert cases > 400
    assert accepted > 50


def _cases(path):
    """The suite writes its texts inside YAML, with visible signs for what editors would lose."""
    signs = {"␣": " ", "∎\n": "", "↵": "", "⇔": "\ufeff", "←": "\r"}
    for case in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader):
        text = case.get("yaml", "")
        for sign, meant in signs.items():
            text = text.replace(sign, meant)
        yield re.sub("—*»", "\t", text)


def _words(value):
    """The value without the types of its scalars: how those are resolved is held by another test."""
    if isinstance(value, dict):
        return {key: _words(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_words(child) for child in value]
    return value if isinstance(value, str) and not _SPECIAL.fullmatch(value) else "(special)"


_SPECIAL = re.compile(r"|~|null|[Tt]rue|[Ff]alse|[-+.0-9eE]+")
