"""Tokens of semantic ids: by hand on small sets, and the published numbers of MiniOneRec's index."""

import json

from chat_helpers import make_tokenizer, token_run

from datacheck.check import Ratio, Status
from datacheck.checks.unknown_sid_tokens import UnknownSidTokens
from datacheck.testing import finding, measure

ROWS = {"format": "rows"}
CHECK = UnknownSidTokens(columns=("item_sid", "history_item_sid"), of="index", key="value")
INDEX = {
    "index": [{"key": "1", "value": ["<a_1>", "<b_2>", "<c_3>"]}, {"key": "2", "value": ["<a_1>", "<b_5>", "<c_3>"]}]
}


def row(target, *history):
    return {"item_sid": target, "history_item_sid": str(list(history))}


GOOD = row("<a_1><b_2><c_3>", "<a_1><b_5><c_3>")


def test_tokens_that_the_index_has():
    result = measure(CHECK, [GOOD, GOOD], source=ROWS, others=INDEX)
    assert result.value("rate") == Ratio(0, 2)
    assert (result.value("vocabulary"), result.value("to_add")) == (4, 4)
    assert any("no tokenizer is named" in str(said) for said in result.not_checked)


def test_tokens_that_nobody_knows():
    rows = [
        GOOD,
        row("<a_1><b_9><c_3>"),
        row("<a_1><b_2><c_3>", "<a_7><b_2><c_3>", "<a_7><b_9><c_3>"),
        {"item_sid": "x"},
    ]
    result = measure(CHECK, rows, source=ROWS, others=INDEX)
    assert result.value("rate") == Ratio(2, 4)
    details = result.evidence.select("row", "detail").rows()
    assert details == [
        (1, "<b_9> is not in the index"), (2, "<a_7> is not in the index"), (2, "<b_9> is not in the index")
    ]  # fmt: skip
    assert "1 row has no token of a semantic id" in result.not_checked


def test_lists_count_item_by_item():
    rows = [{"item_sid": "<a_1>", "history_item_sid": ["<b_2><c_4>"]}]
    assert measure(CHECK, rows, source=ROWS, others=INDEX).evidence["detail"].to_list() == ["<c_4> is not in the index"]


def test_the_vocabulary_of_the_tokenizer_counts(tmp_path):
    """Two of the index's four tokens were added to the tokenizer, and one that the index does not have."""
    folder = make_tokenizer(tmp_path / "tok", additional_special_tokens=["<a_1>", "<b_2>", "<d_0>"])
    asking = CHECK.model_copy(update={"run": token_run(folder)})
    result = measure(asking, [row("<a_1><b_2><c_3><d_0>"), row("<a_1><b_9><c_3>")], source=ROWS, others=INDEX)
    assert (result.value("vocabulary"), result.value("to_add")) == (4, 2)
    assert result.value("rate") == Ratio(1, 2)
    (detail,) = result.evidence["detail"].to_list()
    assert detail.startswith("<b_9> is not in the index; the tokenizer splits it into ")


def test_an_index_without_tokens_fails():
    assert finding(CHECK, [GOOD], source=ROWS, others={"index": [{"key": "1", "value": ["x"]}]}).status is Status.FAIL
    assert finding(CHECK, [GOOD], source=ROWS, others=INDEX).status is Status.PASS


def test_office_products_has_600_tokens(realdata):
    """As published: 3,459 items, 600 tokens; counted here by a walk over the JSON, too."""
    root = realdata / "minionerec/data/Amazon"
    given = json.loads((root / "index/Office_Products.index.json").read_text(encoding="utf-8"))
    index = {"index": [{"key": key, "value": value} for key, value in given.items()]}
    valid = (root / "valid/Office_Products_5_2016-10-2018-11.csv").read_bytes()
    result = measure(CHECK, valid, source=ROWS, others=index, name="valid.csv")
    assert len({token for value in given.values() for token in value}) == 600
    assert (result.value("vocabulary"), result.value("to_add")) == (600, 600)
    assert result.value("rate") == Ratio(0, 4866)
    without = {key: value for key, value in given.items() if "<a_0>" not in value}
    lost = {"index": [{"key": key, "value": value} for key, value in without.items()]}
    assert measure(CHECK, valid, source=ROWS, others=lost, name="valid.csv").value("rate").n > 0
