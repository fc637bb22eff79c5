"""Contracts as people get them wrong: a line for each fault, with its line and what was meant, in both languages."""

import re

import pytest

TOP = "name: x\ndatasets:\n  train:\n    source: {path: data.jsonl}\n    checks:\n"
PLAIN = TOP + "      - pii\n"
WRONG = {  # the contract, and (line, what it says) of each fault; 0: the file as a whole
    "a check": (TOP + "      - near_duplicate\n", [(6, "near_duplicates")]),
    "a metric": (TOP + "      - {check: pii, limits: {blocking_hit: {max: 1}}}\n", [(6, "blocking_hits")]),
    "a setting": (TOP + "      - {check: overlong_samples, max_char: 9}\n", [(6, "max_chars")]),
    "the header": ("name: x\ndataset: {}\n", [(1, "datasets"), (2, "datasets")]),
    "a name": (PLAIN.replace("name: x", "name: my contract"), [(1, "80")]),
    "a full-width colon": (PLAIN.replace("name: x", "name： x"), [(1, "`: `")]),
    "a full-width colon below": (PLAIN.replace("source: {", "source：{"), [(4, "'source'")]),
    "no space": (PLAIN.replace("name: x", "name:x"), [(1, "`key: value`")]),
    "tabs": (PLAIN.replace("    source", "\tsource"), [(4, ("tab", "制表符"))]),
    "a quote": ('name: "x\n' + PLAIN[8:], [(1, ("quote", "引号"))]),
    "a bracket": (PLAIN.replace("jsonl}", "jsonl"), [(4, ("bracket", "括号"))]),
    "a key twice": ("name: y\n" + PLAIN, [(2, "'name'")]),
    "two documents": (PLAIN + "---\n" + PLAIN, [(7, "YAML")]),
    "an anchor": (PLAIN.replace("{path", "&a {path"), [(4, "`extends:`")]),
    "a format": (PLAIN.replace("jsonl}", "jsonl, format: message}"), [(4, "messages")]),
    "a key of source": (PLAIN.replace("path:", "pth:"), [(4, "path")]),
    "a column": (PLAIN.replace("jsonl}", "jsonl, columns: {sorce: a}}"), [(4, "source")]),
    "a share above 1": (TOP + "      - {check: near_duplicates, limits: {rate: {max: 3}}}\n", [(6, "0.03")]),
    "a number for bounds": (TOP + "      - {check: near_duplicates, limits: {rate: 0.3}}\n", [(6, "{max: 0.1}")]),
    "a text for bounds": (TOP + "      - {check: near_duplicates, limits: {rate: <0.3}}\n", [(6, "{max: 0.1}")]),
    "a text for a number": (TOP + "      - {check: overlong_samples, max_chars: many}\n", [(6, ("number", "整数"))]),
    "a maybe": (
        PLAIN.replace("    source", "    optional: maybe\n    source"),
        [(4, ("true or false", "true 或 false"))],
    ),
    "a map of checks": (TOP + "      near_duplicates: {threshold: 0.8}\n", [(5, "`- ")]),
    "a list of datasets": ("name: x\ndatasets:\n  - train\n", [(2, "key: value")]),
    "another dataset": (TOP + "      - {check: leakage, against: [evl]}\n", [(6, "'evl'")]),
    "nothing": ("", [(1, "`datasets:`")]),
    "a name that no check may have": (TOP + "      - {check: pii, id: a b}\n", [(6, "100")]),
    "no data": (PLAIN.replace("data.jsonl", "dta.jsonl"), [(0, "'data.jsonl'")]),
    "several": (
        "name: x\nversoin: 2\n" + TOP[8:].replace("path", "pth") + "      - piii\n      - {check: leakage, ta: 1}\n",
        [(2, "version"), (5, "path"), (7, "pii"), (8, "by")],
    ),
}
LIBRARIES = re.compile(r"pydantic|ValidationError|Traceback|https?://|mapping values|token|stream|type=|input_value")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("fault", WRONG)
def test_a_line_for_each_fault(tmp_path, command, monkeypatch, fault, lang):
    monkeypatch.chdir(tmp_path)
    text, expected = WRONG[fault]
    (tmp_path / "data.jsonl").write_text('{"prompt": "a", "response": "b"}\n')
    (tmp_path / "c.yaml").write_text(text)
    code, _, error = command("run", "c.yaml", "--lang", lang)
    assert code == 2
    lines = error.splitlines()
    assert len(lines) == len(expected), error
    for said, (line, words) in zip(lines, expected, strict=True):
        assert said.startswith(f"c.yaml:{line}: " if line else "dta.jsonl: "), said
        assert (words if isinstance(words, str) else words[lang == "zh"]) in said
        assert not LIBRARIES.search(said)
        assert (re.search(r"[\u4e00-\u9fff]", said) is not None) == (lang == "zh")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("run", "data.jsonl"), "datacheck init data.jsonl"),
        (("run", "contrct.yaml"), "'contract.yaml'"),
        (("run", "contract.yaml", "--data", "trian=data.jsonl"), "'train'"),
        (("run", "contract.yaml", "--data", "data.jsonl"), "NAME=PATH"),
        (("run", "contract.yaml", "--data", "train=dta.jsonl"), "'data.jsonl'"),
    ],
)
def test_what_was_meant_on_the_command_line(tmp_path, command, monkeypatch, given, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text('{"prompt": "a", "response": "b"}\n')
    (tmp_path / "contract.yaml").write_text(PLAIN)
    code, _, error = command(*given)
    assert (code, len(error.splitlines())) == (2, 1)
    assert words in error
