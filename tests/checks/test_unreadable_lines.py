import json

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.unreadable_lines import UnreadableLines
from datacheck.testing import dataset, finding, jsonl, measure

GOOD = jsonl(dataset("user: 你好 | assistant: 你好！"))


def test_names_file_line_and_byte_of_every_bad_line():
    result = measure(UnreadableLines(), GOOD + b'{"a": \n\n' + GOOD + '{"a": "中文"}'.encode("gbk") + b"\n")
    assert result.value("rate") == Ratio(2, 4)
    places = result.evidence.select("file", "line", "byte", "problem").rows()
    assert places == [("data.jsonl", 2, len(GOOD), "truncated_line"), ("data.jsonl", 5, 2 * len(GOOD) + 8, "not_utf8")]
    assert result.evidence["row"].to_list() == [None, None]
    codes = dict(zip(result.figures["codes"]["code"], result.figures["codes"]["places"], strict=True))
    assert codes == {"truncated_line": 1, "not_utf8": 1, "blank": 1}


def test_counts_what_json_loads_rejects():
    lines = [b'{"a": 1}', b'{"a": 1,}', b"{'a': 1}", b'{"a": NaN}', b"<<<<<<< HEAD", b'{"a": 1} {"a": 2}', b'{"a": 2}']

    def strict(line):
        json.loads(line, parse_constant=lambda _: 1 / 0)

    rejected = 0
    for line in lines:
        try:
            strict(line)
        except (ValueError, ZeroDivisionError):
            rejected += 1
    result = measure(UnreadableLines(), b"\n".join(lines) + b"\n")
    assert result.value("rate") == Ratio(rejected, len(lines)) == Ratio(5, 7)


def test_a_damaged_file_counts_as_a_place():
    result = measure(UnreadableLines(), b"")
    assert result.value("rate") == Ratio(1, 1)
    assert result.evidence["problem"].to_list() == ["empty_file"]
    assert finding(UnreadableLines(), b"").status is Status.FAIL


def test_notes_and_blank_lines_are_told_but_not_counted():
    result = measure(UnreadableLines(), GOOD + b"\n" + GOOD.rstrip(b"\n"))
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("noted, and not counted: no_final_newline (1)",)
    assert finding(UnreadableLines(), GOOD + b"\n").status is Status.PASS


def test_a_limit_of_our_own_is_an_error_and_not_the_datas_fault():
    deep = b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}\n"
    result = measure(UnreadableLines(), GOOD + deep)
    assert result.value("limits_hit") is None
    assert "too_deep (1)" in result.not_checked[0]
    found = finding(UnreadableLines(), GOOD + deep)
    assert found.status is Status.ERROR
    assert str(found.error).startswith("could not be measured: limits_hit; datacheck gave up at a limit of its own")


def test_messages_hold_no_data():
    secret = "13800138000"
    result = measure(UnreadableLines(), f'{{"phone": "{secret}", }}\n'.encode())
    assert result.value("rate") == Ratio(1, 1)
    assert all(secret not in str(line) for line in result.first)


@pytest.mark.parametrize("name", ["data.jsonl", "data.json"])
def test_good_files_pass(name):
    records = GOOD * 3 if name == "data.jsonl" else json.dumps(dataset("user: a | assistant: b") * 3).encode()
    assert measure(UnreadableLines(), records, name=name).value("rate") == Ratio(0, 3)


def test_a_column_of_the_contract_that_no_row_has_is_an_error():
    found = finding(UnreadableLines(), [{"text": "a", "origin": "web"}], source={"columns": {"source": "src"}})
    assert found.status == "error"
    assert any("src" in str(note) for note in found.not_checked)
    there = finding(UnreadableLines(), [{"text": "a", "src": "web"}], source={"columns": {"source": "src"}})
    assert there.status == "pass"
