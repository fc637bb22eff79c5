import csv

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.broken_references import BrokenReferences
from datacheck.testing import finding, measure

CHECK = BrokenReferences(column="items", of="catalogue", key="id")
CATALOGUE = {"catalogue": [{"id": n, "title": f"t{n}"} for n in range(5)]}
ROWS = {"format": "rows"}


def test_ids_lists_and_written_lists():
    records = [
        {"items": 1},
        {"items": [0, 9]},
        {"items": "['2', '3']"},
        {"items": "[2, 7, 8]"},
        {"items": " "},
        {"other": 1},
    ]
    result = measure(CHECK, records, source=ROWS, others=CATALOGUE)
    assert result.value("rate") == Ratio(2, 6)
    assert result.places == [(1, "items", "unknown_id"), (3, "items", "unknown_id")]
    assert result.evidence["detail"].to_list() == ["1 unknown", "2 unknown"]
    assert result.value("unused") == Ratio(1, 5)
    assert result.not_checked == ("2 rows have no items",)


@pytest.mark.parametrize("text", ["[__import__('os').system('x')]", "[1, ", "[" * 5000 + "]", "[x]"])
def test_written_lists_are_never_run(text):
    result = measure(CHECK, [{"items": text}], source=ROWS, others=CATALOGUE)
    assert result.value("rate") == Ratio(1, 1)


def test_lists_of_numbers_are_not_passed_unread():
    result = measure(CHECK, [{"items": [0] * 65}, {"items": 1}, {"items": []}], source=ROWS, others=CATALOGUE)
    assert result.value("rate") is None
    assert result.not_checked[0].startswith("1 row holds long lists of numbers")


def test_without_ids_there_it_is_an_error():
    other = {"catalogue": [{"name": "x"}]}
    assert finding(CHECK, [{"items": 1}], source=ROWS, others=other).status == Status.ERROR
    result = measure(CHECK, [{"items": 1}], source=ROWS, others=other)
    assert result.not_checked == ("dataset catalogue has no column id with values",)


def test_histories_of_office_products(realdata):
    """Every item of a history, and every target, against the items that the rows themselves have as targets."""
    path = next((realdata / "minionerec").rglob("valid/Office*.csv"))
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    targets = {row["item_id"] for row in rows}
    missing = [
        n for n, row in enumerate(rows)
        if any(i.strip() not in targets for i in row["history_item_id"].strip("[]").split(",") if i.strip())
    ]  # fmt: skip
    check = BrokenReferences(column="history_item_id", of="catalogue", key="item_id")
    result = measure(
        check,
        path.read_bytes(),
        source=ROWS,
        others={"catalogue": [{"item_id": i} for i in sorted(targets)]},
        name="v.csv",
    )
    assert [row for row, _ in result.problems] == missing
    assert 0 < len(missing) < len(rows)
