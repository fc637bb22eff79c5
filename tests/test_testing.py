"""The helpers for authors go through the real loader, runner and judge, and let nothing pass silently."""

from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from datacheck.check import Check, Limit, Measured, Metric, Ratio, Status, Value, View, rates
from datacheck.errors import CheckAuthorError, ContractError
from datacheck.testing import dataset, example, finding, jsonl, measure


class Shouting(Check):
    """Rows that shout.

    ## Example

    ```yaml
    - {check: too_few_rows, limits: {rows: {min: 5}}}
    ```
    """

    ZH = ""
    metrics = {"rate": Metric("rows that shout", "share", of="rows", limit=Limit(max=0))}
    check: Literal["shouting"] = "shouting"
    word: str = "!!"

    def measure(self, data: View) -> Measured:
        loud = data.turns.filter(pl.col("text").str.contains(self.word, literal=True))
        evidence = loud.select("row", "text", where="path", problem=pl.lit("shouts"))
        return Measured(rates("rate", loud, data.rows, by=self.by, rows=data.rows), evidence)


class Lying(Shouting):
    """Promises what it does not give."""

    def measure(self, data: View) -> Measured:
        return Measured((Value("other", 1),))


class Breaking(Shouting):
    """Raises."""

    def measure(self, data: View) -> Measured:
        raise ZeroDivisionError


def test_literal_samples():
    assert dataset("system: 你是客服 | user: a")[0]["messages"][0] == {"role": "system", "content": "你是客服"}
    assert dataset("user: a: b | assistant: ") == [
        {"messages": [{"role": "user", "content": "a: b"}, {"role": "assistant", "content": ""}]}
    ]
    assert dataset("user: 问 | chosen: 甲 | rejected: 乙") == [
        {
            "prompt": [{"role": "user", "content": "问"}],
            "chosen": [{"role": "assistant", "content": "甲"}],
            "rejected": [{"role": "assistant", "content": "乙"}],
        }
    ]
    with pytest.raises(ValueError, match="role: words"):
        dataset("user: a | just words")


def test_jsonl_is_utf8_one_record_per_line():
    assert jsonl([{"a": "好\n"}, [1]]) == '{"a": "好\\n"}\n[1]\n'.encode()
    assert jsonl(b"\xff") == b"\xff"


def test_measure_and_finding():
    records = dataset("user: 你好 | assistant: 好!!", "user: 你好 | assistant: 好")
    result = measure(Shouting(), records)
    assert result.value("rate") == Ratio(1, 2)
    assert result.places == [(0, "messages[1].content", "shouts")]
    assert result.first[0]["detail"] == "“好!!”"
    found = finding(Shouting(), records)
    assert (found.id, found.status) == ("train.shouting", Status.FAIL)
    assert finding(Shouting(word="??"), records).status is Status.PASS


@pytest.mark.parametrize("among", [[0, 1, 2, 5], [5, 0, 2, 1], [0, 1, 1, 2, 5, 5]])
def test_a_share_counts_a_row_once_in_whatever_order_it_stands(among):
    rows, labels = pl.LazyFrame({"row": among}), pl.LazyFrame({"row": [0, 1, 2, 5], "by": ["a", "a", None, "b"]})
    whole, *sliced = rates("rate", pl.LazyFrame({"row": [5, 1, 1, 7, None]}), rows, by="by", rows=labels)
    assert whole.value == Ratio(2, 4)
    assert sorted(whole.flagged.collect()["row"]) == [1, 5]
    by_label = {value.slice["by"]: value.value for value in sliced}
    assert by_label == {"a": Ratio(1, 2), "b": Ratio(1, 1), "(none)": Ratio(0, 1)}


def test_source_settings_and_file_names():
    rows = b"q,a,src\n1+1,2!!,web\n1+2,3,forum\n"
    source = {"columns": {"source": "src"}, "format": "text"}
    result = measure(Shouting(by="source"), rows.replace(b"q,a,", b"id,text,"), source=source, name="data.csv")
    assert result.value("rate", source="web") == Ratio(1, 1)
    with pytest.raises(KeyError):
        result.value("rate", source="nowhere")


def test_a_check_that_breaks_its_promise_or_raises_is_seen():
    with pytest.raises(CheckAuthorError, match="promises"):
        measure(Lying(), dataset("user: a | assistant: b"))
    with pytest.raises(ZeroDivisionError):
        measure(Breaking(), dataset("user: a | assistant: b"))


def test_examples():
    contract = example(Shouting)
    assert contract.datasets["train"].checks[0].check == "too_few_rows"
    assert contract.datasets["train"].checks[0].limit("rows") == Limit(min=5)
    with pytest.raises(CheckAuthorError, match="Example"):
        example(Lying)

    class Typo(Shouting):
        """Shouts.

        ## Example

        ```yaml
        - {check: too_few_rows, limit: {}}
        ```
        """

    with pytest.raises(ContractError, match="did you mean 'limits'"):
        example(Typo)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    measure(Shouting(), dataset("user: a | assistant: b"))
    assert list(Path(tmp_path).iterdir()) == []
