"""What changed between two drops: counted by hand and by brute force over the records."""

import io
import json
import random
import re
from collections import Counter

import polars as pl
import pytest
from core_helpers import GOOD, contract, jsonl
from rich.cells import cell_len
from rich.console import Console

from datacheck.compare.diff import compare
from datacheck.compare.terminal import Diff, print_diff
from datacheck.errors import UsageError

LONG = "一只黑猫在院子里追着落叶跑来跑去，老人坐在藤椅上看着它，慢慢喝完了一杯茶。"
PHONE = "13951873264"


def chat(question, answer="好的", **labels):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}], **labels}


def printed(diff, lang="en"):
    stream = io.StringIO()
    print_diff(diff, Console(file=stream, width=80), lang, folder="out")
    return stream.getvalue()


@pytest.fixture
def changed(tmp_path, here):
    def call(before, after, **options):
        for name, files in (("one", before), ("two", after)):
            for file, records in (files if isinstance(files, dict) else {"a.jsonl": files}).items():
                jsonl(tmp_path / name / file, *records)
        return compare(str(tmp_path / "one"), str(tmp_path / "two"), **options)

    return call


def test_nothing_changed(changed):
    diff = changed([chat("甲"), chat("乙")], {"b.jsonl": [chat("乙"), chat("甲")]})
    assert (diff.rows.identical, diff.rows.new, diff.rows.gone) == (2, 0, 0)
    assert (diff.files.same, diff.files.came.first, diff.files.went.first) == (0, ("b.jsonl",), ("a.jsonl",))
    assert diff.examples == ()
    assert [mix.distance for mix in diff.shares] == [0.0, 0.0, 0.0]


def test_files_of_one_name_are_the_same_or_changed_by_their_bytes(changed):
    diff = changed(
        {"a.jsonl": [chat("甲")], "b.jsonl": [chat("乙")]}, {"a.jsonl": [chat("甲")], "b.jsonl": [chat("丙")]}
    )
    assert (diff.files.same, diff.files.changed.first, diff.files.came.count, diff.files.went.count) == (
        1, ("b.jsonl",), 0, 0,
    )  # fmt: skip


def test_what_only_one_side_has_is_told(changed):
    lengths = {each.side: each.rows for each in changed([chat("甲")], [{"text": "plain words"}]).lengths}
    assert (lengths["prompt"], lengths["text"]) == ((1, 0), (0, 1))
    lengths = {each.side: each.rows for each in changed([{"text": "plain words"}], [chat("甲")]).lengths}
    assert (lengths["prompt"], lengths["text"]) == ((0, 1), (1, 0))


def test_every_kind_of_row(changed):
    before = [chat(LONG, id=1), chat("甲", id=2), chat("乙", id=3), chat("丙", id=4), chat("丙", id=4)]
    after = [
        chat("乙", id=3), chat("乙", id=3),  # the same, and once more
        chat("甲", id=9),  # only the label is new
        chat(LONG.replace("黑猫", "白猫"), id=1),  # edited
        chat("完全不同的一句话，与院子里的一切都没有任何关系", id=5),
        chat("丙", id=4),
    ]  # fmt: skip
    rows = changed(before, after).rows
    assert (rows.identical, rows.copies_more, rows.same_text, rows.near_copies, rows.new) == (2, 1, 1, 1, 1)
    assert (rows.copies_fewer, rows.same_text_before, rows.gone) == (1, 1, 1)


def test_near_copies_name_their_source_and_similarity(changed):
    diff = changed([chat("别的"), chat(LONG)], [chat(LONG.replace("黑猫", "白猫"))])
    example = next(e for e in diff.examples if e.kind == "near_copy")
    words = [re.sub(r"\W", "", LONG + "好的"), re.sub(r"\W", "", LONG.replace("黑猫", "白猫") + "好的")]
    grams = [{text[i : i + 3] for i in range(len(text) - 2)} for text in words]
    assert example.score == pytest.approx(len(grams[0] & grams[1]) / len(grams[0] | grams[1]))
    assert (example.at, example.other) == ("B/a.jsonl:1", "A/a.jsonl:2")


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_against_a_count_of_the_records(changed, seed):
    chance = random.Random(seed)
    before, after = (
        [chat(chance.choice("甲乙丙丁戊己庚辛"), id=chance.randint(1, 4)) for _ in range(chance.randint(20, 40))]
        for _ in range(2)
    )
    rows = changed(before, after).rows
    a, b = (Counter(json.dumps(r, sort_keys=True) for r in side) for side in (before, after))
    texts = [{r["messages"][0]["content"] for r in side} for side in (before, after)]
    assert rows.identical == (a & b).total()
    assert rows.copies_more == sum(n - a[r] for r, n in b.items() if r in a and n > a[r])
    assert rows.same_text == sum(
        n for r, n in b.items() if r not in a and json.loads(r)["messages"][0]["content"] in texts[0]
    )
    assert rows.identical + rows.copies_more + rows.same_text + rows.near_copies + rows.new == len(after)
    assert rows.identical + rows.copies_fewer + rows.same_text_before + rows.gone == len(before)


def test_lengths_and_mix(changed):
    before = [chat("字" * n, src="书", lang="x") for n in range(1, 101)]
    after = [chat("字" * n, src="网") for n in range(201, 301)] + [
        {"source": "书", "text": "plain english words here"}
    ] * 100
    for side in (before, after):
        for record in side:
            record["source"] = record.pop("src", "书")
    diff = changed(before, after)
    prompt = next(lengths for lengths in diff.lengths if lengths.side == "prompt")
    numbers = {step.name: (step.a, step.b) for step in prompt.quantiles}
    assert numbers["max"] == (100, 300)
    assert numbers["mean"] == (50.5, 250.5)
    assert numbers["p50"] in {(50, 250), (51, 251)}
    assert prompt.rows == (100, 100)
    assert {low: (a, b) for low, a, b in prompt.sizes}[64] == (37, 0)
    mix = {shares.name: shares for shares in diff.shares}
    assert mix["formats"].distance == 0.5
    source = mix["label source"]
    assert ({line.name: (line.a, line.b) for line in source.lines}, source.distance) == (
        {"书": (100, 100), "网": (0, 100)},
        0.5,
    )
    assert {line.name for line in mix["languages"].lines} >= {"latin"}
    assert {line.name: line.b for line in mix["roles"].lines} == {"user": 100, "assistant": 100}


def test_numbers_of_checks_with_their_status(changed, tmp_path):
    bad = {"messages": [*GOOD["messages"], {"role": "user", "content": "在吗"}]}
    own = contract(tmp_path, ["role_errors"], eval=({"path": "nowhere"}, ["role_errors"]))
    diff = changed([GOOD], [GOOD, bad], contract=own, dataset="train")
    line = next(m for m in diff.metrics if m.finding == "role_errors" and m.a.name == "rate")
    assert ((line.a.count, line.a.of, line.a.status), (line.b.count, line.b.of, line.b.status)) == (
        (0, 1, "pass"),
        (1, 2, "fail"),
    )
    assert diff.contract.name == "test"
    assert list(diff.inputs) == ["contract.yaml"]
    only_in_b = diff.model_copy(update={"metrics": (line.model_copy(update={"a": None}),)})
    assert re.search(r"role_errors rate\s+– → 50\s%", printed(only_in_b))
    with pytest.raises(UsageError, match="has several; name one of: eval, train"):
        changed([GOOD], [GOOD], contract=own)


def test_checks_may_look_at_other_datasets(changed, tmp_path):
    jsonl(tmp_path / "eval.jsonl", chat(LONG))
    leak = {"check": "leakage", "against": ["eval"]}
    own = contract(tmp_path, [leak], eval=({"path": "eval.jsonl"}, ["role_errors"]))
    diff = changed([chat("另外一个问题，和测试集没有关系的很长的一句话")], [chat(LONG)], contract=own, dataset="train")
    line = next(m for m in diff.metrics if m.a and m.a.name == "rate")
    assert (line.a.count, line.b.count) == (0, 1)


def test_a_broken_line_is_counted_and_a_folder_of_nothing_told(changed, tmp_path, command):
    diff = changed([GOOD], [GOOD, b'{"cut'])
    assert (diff.a.unreadable, diff.b.unreadable) == (0, 1)
    (tmp_path / "empty").mkdir()
    empty = compare(str(tmp_path / "empty"), str(tmp_path / "two"))
    assert (empty.a.rows, empty.rows.new, empty.shares[0].distance) == (0, 1, None)
    code, _, err = command("diff", tmp_path / "nothing", tmp_path / "two")
    assert (code, "no such file or folder" in err) == (2, True)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_identifier_and_no_line_too_wide(changed, tmp_path, lang, monkeypatch):
    after = [chat(f"打给 {PHONE} 号，{LONG}", source=PHONE)]
    diff = changed([chat(LONG, source="书")], after, out=tmp_path / "out", lang=lang)
    told = printed(diff, lang)
    faces = [told, *((tmp_path / "out" / name).read_text("utf-8") for name in ("diff.json", "diff.html"))]
    assert all(PHONE not in face for face in faces)
    assert max(cell_len(line) for line in told.splitlines()) <= 80
    assert {"en": "What changed from A to B", "zh": "从 A 到 B 的变化"}[lang] in told
    assert "B/a.jsonl:1" in told  # an example
    assert not list((tmp_path / "out").glob(".*"))


def test_what_is_written_is_the_same_each_time(changed, tmp_path):
    before, after = [chat(str(n)) for n in range(50)], [chat(str(n)) for n in range(25, 80)]
    changed(before, after, out=tmp_path / "out")
    one = [(tmp_path / "out" / name).read_bytes() for name in ("diff.json", "diff.html")]
    diff = changed(before, after, out=tmp_path / "out")
    assert [(tmp_path / "out" / name).read_bytes() for name in ("diff.json", "diff.html")] == one
    assert Diff.model_validate_json(one[0]) == diff
    only = pl.read_parquet(tmp_path / "out" / "rows" / "only_in_b.parquet")
    assert only["line"].to_list() == list(range(26, 56))
    assert only["problem"].unique().to_list() == ["new"]
    assert "text" not in only.columns


def test_of_many_candidates_a_sample_is_compared(changed, monkeypatch):
    """A sample of 5 out of 40 near-copies: the estimate is scaled, and said to be one."""
    monkeypatch.setattr("datacheck.compare.drift.VERIFIED", 5)
    texts = ["".join(chr(0x4E00 + 40 * n + i) for i in range(40)) for n in range(40)]
    diff = changed([chat(text) for text in texts], [chat(text, "好吧") for text in texts])
    assert (diff.rows.near_candidates, diff.rows.near_compared, diff.rows.near_copies) == (40, 5, 40)
    assert any("are an estimate" in str(note) for note in diff.not_checked)


def test_the_folder_of_something_else_is_left_alone(changed, tmp_path, command):
    changed([GOOD], [GOOD])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    code, _, err = command("diff", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "mine")
    assert (code, "is no result of datacheck diff" in err) == (2, True)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_json_on_the_command_line(changed, tmp_path, command):
    changed([GOOD], [GOOD, chat("乙")])
    code, out, err = command("diff", tmp_path / "one", tmp_path / "two", "--format", "json")
    assert (code, err, json.loads(out)["rows"]["new"]) == (0, "", 1)
