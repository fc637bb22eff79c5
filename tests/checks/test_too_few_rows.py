from datacheck.check import Ratio, Status
from datacheck.checks.too_few_rows import TooFewRows
from datacheck.testing import dataset, finding, jsonl, measure

ROW = jsonl(dataset("user: 你好 | assistant: 你好！"))


def test_counts_rows_and_the_readable_share():
    result = measure(TooFewRows(), ROW * 98 + b"{bad\n" * 2)
    assert result.value("rows") == 98
    assert result.value("readable") == Ratio(98, 100)


def test_lines_that_only_warn_are_not_lost():
    assert measure(TooFewRows(), b"\xef\xbb\xbf" + ROW + b"\n" + ROW).value("readable") == Ratio(2, 2)


def test_the_readable_share_is_inclusive_at_its_limit():
    assert finding(TooFewRows(), ROW * 99 + b"{bad\n").status is Status.PASS
    assert finding(TooFewRows(), ROW * 98 + b"{bad\n" * 2).status is Status.FAIL


def test_nothing_delivered_fails_and_is_no_error():
    for nothing in (b"", b"\n\n"):
        found = finding(TooFewRows(), nothing)
        assert found.status is Status.FAIL
        assert {value.name: value.value for value in found.values} == {"rows": 0, "readable": 0}


def test_the_contract_sets_how_many_are_wanted():
    assert finding(TooFewRows(limits={"rows": {"min": 3}}), ROW * 2).status is Status.FAIL
    assert finding(TooFewRows(limits={"rows": {"min": 3}}), ROW * 3).status is Status.PASS


def test_by_source():
    records = [{"text": "a", "src": "web"}, {"text": "b", "src": "forum"}, {"text": "c", "src": "web"}, {"text": "d"}]
    check = TooFewRows(by="source", limits={"rows": {"slices": {"forum": {"min": 2}}}})
    result = measure(check, records, source={"columns": {"source": "src"}})
    assert [result.value("rows", source=s) for s in ("forum", "web", "(none)")] == [1, 2, 1]
    assert finding(check, records, source={"columns": {"source": "src"}}).status is Status.FAIL
