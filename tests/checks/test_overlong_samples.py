import math

import pytest
from chat_helpers import token_run

from datacheck.check import Ratio, Status
from datacheck.checks.overlong_samples import OverlongSamples
from datacheck.testing import dataset, finding, measure


def texts(*sizes):
    return [{"text": "字" * size} for size in sizes]


def test_the_limit_itself_is_fine():
    result = measure(OverlongSamples(max_chars=10), texts(10, 11))
    assert result.value("rate") == Ratio(1, 2)
    assert sorted(result.problems) == [(1, "overlong_message"), (1, "overlong_row")]


def test_default_is_60000_characters_and_none_may_be_longer():
    assert finding(OverlongSamples(), texts(60_000)).status is Status.PASS
    assert finding(OverlongSamples(), texts(60_001)).status is Status.FAIL


def test_a_row_is_the_sum_of_its_messages():
    check = OverlongSamples(max_chars=5)
    assert measure(check, dataset("user: abc | assistant: def")).places == [(0, None, "overlong_row")]
    assert measure(check, dataset("user: abc | assistant: de")).problems == []


def test_messages_may_have_a_limit_of_their_own():
    result = measure(OverlongSamples(max_turn_chars=3), dataset("user: abcd | assistant: abc"))
    assert result.places == [(0, "messages[0].content", "overlong_message")]


def test_of_a_pair_the_longer_side_counts():
    assert measure(OverlongSamples(), dataset("user: abc | chosen: de | rejected: fghi")).value("max") == 7


def test_calls_count():
    record = dataset("user: ab | assistant: c")[0]
    record["messages"][1]["tool_calls"] = [{"function": {"name": "f", "arguments": "{}"}}]
    assert measure(OverlongSamples(), [record]).value("max") > 20


@pytest.mark.parametrize("sizes", [[1], [1, 2], [1, 2, 3], list(range(1, 101)), list(range(1, 102)), [7] * 50 + [9]])
def test_percentiles_are_nearest_ranks(sizes):
    result = measure(OverlongSamples(), texts(*reversed(sizes)))
    for name, part in (("p50", 0.5), ("p99", 0.99)):
        assert result.value(name) == sizes[math.ceil(round(part * len(sizes), 9)) - 1]
    assert result.value("max") == max(sizes)


def test_figure_has_powers_of_two():
    result = measure(OverlongSamples(), texts(1, 2, 3, 4, 7, 8, 1023, 1024))
    assert result.figures["lengths"] == {"characters": [1, 2, 4, 8, 512, 1024], "rows": [1, 2, 2, 1, 1, 1]}


def test_characters_are_not_bytes():
    assert measure(OverlongSamples(), [{"text": "你好😀"}]).value("max") == 3


def test_rows_without_text():
    result = measure(OverlongSamples(), [{"a": 1}])
    assert result.value("rate") == Ratio(0, 1)
    assert result.value("p50") is None
    assert result.not_checked == ("1 row has no text to measure",)


def test_tokens_where_the_run_has_a_tokenizer(tokenizer_folder):
    from transformers import AutoTokenizer

    rows = dataset("user: xqxq | assistant: zj", "user: " + "xq" * 40 + " | assistant: zj")
    reference = AutoTokenizer.from_pretrained(tokenizer_folder)
    lengths = [len(reference.apply_chat_template(row["messages"], return_dict=True)["input_ids"]) for row in rows]
    check = OverlongSamples(run=token_run(tokenizer_folder), max_tokens=lengths[1] - 1)
    result = measure(check, rows)
    assert result.problems == [(1, "overlong_tokens")]
    assert (result.value("p50"), result.value("max")) == tuple(lengths)
    assert measure(check.model_copy(update={"max_tokens": lengths[1]}), rows).problems == []
    by_run = measure(OverlongSamples(run=token_run(tokenizer_folder)), rows)
    assert (by_run.problems, by_run.value("max")) == ([], lengths[1])  # truncated_samples tells what a run cuts


def test_characters_still_count_beside_tokens(tokenizer_folder):
    check = OverlongSamples(run=token_run(tokenizer_folder), max_tokens=10_000, max_chars=5)
    assert measure(check, texts(5, 6)).problems == [(1, "overlong_message"), (1, "overlong_row")]


def test_tokens_without_a_tokenizer_are_an_error():
    assert finding(OverlongSamples(max_tokens=10), texts(5)).status is Status.ERROR


def test_where_most_rows_are_long_only_what_stands_out_is_too_long():
    contracts = [70_000] * 20
    assert measure(OverlongSamples(), texts(*contracts)).value("rate") == Ratio(0, 20)
    assert measure(OverlongSamples(), texts(*contracts, 280_001)).places[0][0] == 20
    assert measure(OverlongSamples(), texts(*contracts[1:])).value("rate") == Ratio(19, 19)  # few rows have no middle
    assert measure(OverlongSamples(max_chars=60_000), texts(*contracts)).value("rate") == Ratio(20, 20)
    assert measure(OverlongSamples(), texts(*[100] * 20, 60_001)).places[0][0] == 20
    book_in_the_middle = [*[100] * 10, 70_000, *[100] * 10]
    assert measure(OverlongSamples(), texts(*book_in_the_middle)).places[0][0] == 10
