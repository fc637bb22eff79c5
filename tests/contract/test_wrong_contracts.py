"""Contracts as people get them wrong: a line for each fault, with its line and what was meant, in both languages."""

import re

import pytest

TOP = "name: x\ndatasets:\n  train:\n    source: {path: data.jsonl}\n    checks:\n"
PLAIN = TOP + "      - pii\n"
WRONG = {  # the contract, and (line, what it says) of each fault
    "a check": (TOP + "      - near_duplicate\n", [(6, "near_duplicates")]),
    "a metric": (TOP + "      - {check: pii, limits: {blocking_hit: {max: 1}}}\n", [(6, "blocking_hits")]),
    "a setting": (TOP + "      - {check: overlong_samples, max_char: 9}\n", [(6, "max_chars")]),
    "the header": ("name: x\ndataset: {}\n", [(2, "datasets")]),
    "a name": (PLAIN.replace("name: x", "name: my contract"), [(1, "80")]),
    "a full-width colon": (PLAIN.replace("name: x", "name： x"), [(1, "`: `")]),
    "a full-width colon below": (PLAIN.replace("source: {", "source：{"), [(4, "`: `")]),
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
    "itself": (TOP + "      - {check: leakage, against: [train]}\n", [(6, "'train'")]),
    "least above most": (
        PLAIN.replace("    checks", "    schema: {a: {type: number, min: 5, max: 3}}\n    checks"),
        [(5, "5")],
    ),
    "nothing": ("", [(1, "`datasets:`")]),
    "a name that no check may have": (TOP + "      - {check: pii, id: a b}\n", [(6, "100")]),
    "no data": (PLAIN.replace("data.jsonl", "dta.jsonl"), [(4, "'data.jsonl'")]),
    "a star in a path": (PLAIN.replace("data.jsonl", "some/*.jsonl"), [(4, "glob:")]),
    "a glob of nothing": (PLAIN.replace("data.jsonl", "some, glob: '*.csv'"), [(4, "a.jsonl")]),
    "quotes of Word": (PLAIN.replace("data.jsonl", "“data.jsonl”"), [(4, "'data.jsonl'")]),
    "quotes around a name": (PLAIN.replace("name: x", "name: “x”"), [(1, '`"`')]),
    "quotes around a check": (TOP + "      - ‘pii’\n", [(6, "'pii'")]),
    "a full-width comma": (PLAIN.replace("jsonl}", "jsonl，format: qa}"), [(4, "`, `")]),
    "full-width brackets": (PLAIN.replace("{path: data.jsonl}", "｛path: data.jsonl｝"), [(4, "`{`")]),
    "a full-width space": (PLAIN.replace("name: x", "name:　x"), [(1, "U+3000")]),
    "full-width spaces as indent": (PLAIN.replace("    checks", "　　checks"), [(5, "U+3000")]),
    "a no-break space": (PLAIN.replace("name: x", "name:\u00a0x"), [(1, "U+00A0")]),
    "full-width digits": (TOP + "      - {check: overlong_samples, max_chars: １００}\n", [(6, "'100'")]),
    "a tab behind the colon": (PLAIN.replace("name: x", "name:\tx"), [(1, ("tab", "制表符"))]),
    "yes": (PLAIN.replace("    source", "    optional: yes\n    source"), [(4, "'true'")]),
    "off": (PLAIN.replace("jsonl}", "jsonl, quotes: off}"), [(4, "'false'")]),
    "TRUE": (PLAIN.replace("    source", "    optional: TRUE\n    source"), [(4, "'true'")]),
    "true as a number": (TOP + "      - {check: overlong_samples, max_chars: true}\n", [(6, ("number", "数字"))]),
    "a decimal comma": (TOP + "      - {check: near_duplicates, limits: {rate: {max: '0,03'}}}\n", [(6, "'0.03'")]),
    "thousands": (TOP + "      - {check: overlong_samples, max_chars: '60,000'}\n", [(6, "'60000'")]),
    "a comma that ends a value": (TOP + "      - {check: overlong_samples, max_chars: 60,000}\n", [(6, "[ ]")]),
    "60k": (TOP + "      - {check: overlong_samples, max_chars: 60k}\n", [(6, "'60000'")]),
    "a huge number": (TOP + f"      - {{check: overlong_samples, max_chars: {'9' * 30}}}\n", [(6, ("whole", "整数"))]),
    "a negative share": (TOP + "      - {check: near_duplicates, limits: {rate: {max: -1}}}\n", [(6, "0")]),
    "a threshold in percent": (TOP + "      - {check: near_duplicates, threshold: 80}\n", [(6, "'0.8'")]),
    "a count in percent": (
        TOP + "      - {check: pii, limits: {blocking_hits: {max: 3%}}}\n",
        [(6, ("number", "数字"))],
    ),
    "bounds without a metric": (
        TOP + "      - {check: near_duplicates, limits: {max: 0.1}}\n",
        [(6, "rate: {max: 0.1}")],
    ),
    "a number for limits": (TOP + "      - {check: near_duplicates, limits: 0.1}\n", [(6, "{rate: {max: 0.1}}")]),
    "a metric beside limits": (TOP + "      - {check: near_duplicates, rate: 0.1}\n", [(6, "limits:")]),
    "a number for coverage": (TOP + "      - {check: pii, coverage: 0.9}\n", [(6, "{min: 0.95}")]),
    "a severity": (TOP + "      - {check: pii, severity: wran}\n", [(6, "'warn'")]),
    "a check in capitals": (TOP + "      - PII\n", [(6, "'pii'")]),
    "no such check": (TOP + "      - toxicity\n", [(6, "`datacheck checks`")]),
    "a check with a colon": (TOP + "      - pii:\n", [(6, "`- pii`")]),
    "settings below a check": (
        TOP + "      - near_duplicates: {threshold: 0.8}\n",
        [(6, "{check: near_duplicates, …}")],
    ),
    "no list": (TOP + "      -pii\n", [(5, "`- ")]),
    "a list with stars": (TOP + "      * pii\n", [(6, "`- `")]),
    "no checks": (TOP.replace("    checks:\n", ""), [(3, ("no checks", "没有检查"))]),
    "a trainer": ("run: {trainer: trl.sftt}\n" + PLAIN, [(1, "'trl.sft'")]),
    "a version as a number": ("run: {trainer: trl.sft, version: 1.16}\n" + PLAIN, [(1, '"1.16"')]),
    "a list of one version": ("version: [1]\n" + PLAIN, [(1, '"text"')]),
    "no tokenizer": ("run: {tokenizer: smoe}\n" + PLAIN, [(1, "'some'")]),
    "settings in settings": ("run: {settings: {a: [1]}}\n" + PLAIN, [(1, '"text"')]),
    "a type of Python": (PLAIN.replace("    checks", "    schema: {id: {type: str}}\n    checks"), [(5, "'string'")]),
    "the type text": (PLAIN.replace("    checks", "    schema: {id: {type: text}}\n    checks"), [(5, "'string'")]),
    "the type float": (PLAIN.replace("    checks", "    schema: {id: {type: float}}\n    checks"), [(5, "'number'")]),
    "the type dict": (PLAIN.replace("    checks", "    schema: {id: {type: dict}}\n    checks"), [(5, "'object'")]),
    "the type list": (PLAIN.replace("    checks", "    schema: {id: {type: list}}\n    checks"), [(5, "'array'")]),
    "a date as a type": (PLAIN.replace("    checks", "    schema: {id: {type: date}}\n    checks"), [(5, "'integer'")]),
    "a list for a schema": (PLAIN.replace("    checks", "    schema: [id]\n    checks"), [(5, "key: value")]),
    "no such base": ("extends: contrct.yaml\n" + PLAIN, [(1, "'contract.yaml'")]),
    "a base of itself": ("extends: c.yaml\n" + PLAIN, [(1, "extends")]),
    "include": ("include: other.yaml\n" + PLAIN, [(1, "extends")]),
    "checks at the top": ("name: x\ndatasets:\n  a:\n    source: data.jsonl\nchecks: [pii]\n", [(5, "datasets: ")]),
    "a path beside source": (PLAIN.replace("source: {path: data.jsonl}", "path: data.jsonl"), [(4, "source:")]),
    "no name of a dataset": ("name: x\ndatasets:\n  source: data.jsonl\n  checks: [pii]\n", [(3, "`train:`")]),
    "no indent": ("name: x\ndatasets:\n  a:\n  source: data.jsonl\n  checks: [pii]\n", [(4, "`train:`")]),
    "too deep": (PLAIN.replace("    checks", "     checks"), [(5, ("indented", "缩进"))]),
    "too flat": (TOP + "      - check: pii\n      severity: warn\n", [(7, ("indented", "缩进"))]),
    "a key twice in one line": (PLAIN.replace("jsonl}", "jsonl, path: b}"), [(4, "'path'")]),
    "a merge key": (PLAIN.replace("    source", "    <<: {optional: true}\n    source"), [(4, "`extends:`")]),
    "an equals sign": (PLAIN.replace("name: x", "name = x"), [(1, "`key: value`")]),
    "two colons": (PLAIN.replace("name: x", "name: a: b"), [(1, ("quotes", "引号"))]),
    "a percent sign first": (PLAIN.replace("name: x", "name: %x"), [(1, ("quotes", "引号"))]),
    "backticks": (PLAIN.replace("- pii", "- `pii`"), [(6, ("quotes", "引号"))]),
    "a template": (PLAIN.replace("data.jsonl", "${DATA}/x.jsonl"), [(4, "--data")]),
    "JSON with a comma missing": ('{"name": "x" "datasets": {}}', [(1, ("comma", "逗号"))]),
    "a list at the top": ("- name: x\n- datasets: {}\n", [(1, "`datasets:`")]),
    "rows": ('{"prompt": "a"}\n{"prompt": "b"}\n', [(1, "datacheck c.yaml")]),
    "a comment only": ("# nothing yet\n", [(1, "`datasets:`")]),
    "a byte order mark": ("\ufeff" + PLAIN.replace("name", "nmae"), [(1, "'name'")]),
    "ends of Windows": (PLAIN.replace("pii", "pi").replace("\n", "\r\n"), [(6, "'pii'")]),
    "a bell": (PLAIN.replace("name: x", "name: x\a"), [(1, "U+0007")]),
    "GBK": (PLAIN.replace("name: x", "name: 数据").encode("gbk"), [(1, "UTF-8")]),
    "UTF-16": (PLAIN.encode("utf-16"), [(1, "UTF-8")]),
    "several": (
        "name: x\nversoin: 2\n" + TOP[8:].replace("path", "pth") + "      - piii\n      - {check: leakage, ta: 1}\n",
        [(2, "version"), (5, "path"), (7, "pii"), (8, "by")],
    ),
}
LIBRARIES = re.compile(
    r"pydantic|ValidationError|Traceback|https?://|mapping values|input should|block end|\btoken\b|stream|type=|input_value"
)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("fault", WRONG)
def test_a_line_for_each_fault(tmp_path, command, monkeypatch, fault, lang):
    monkeypatch.chdir(tmp_path)
    text, expected = WRONG[fault]
    (tmp_path / "data.jsonl").write_text('{"prompt": "a", "response": "b"}\n')
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "a.jsonl").write_text('{"prompt": "a", "response": "b"}\n')
    (tmp_path / "contract.yaml").write_text(PLAIN)
    (tmp_path / "c.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    code, _, error = command("run", "c.yaml", "--lang", lang)
    assert code == 2
    lines = error.splitlines()
    assert len(lines) == len(expected), error
    for said, (line, words) in zip(lines, expected, strict=True):
        assert said.startswith(f"c.yaml:{line}: "), said
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
