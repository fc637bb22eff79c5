"""The review sheet: who is drawn, what it shows, and what verdicts come to (rates against statsmodels)."""

import csv
import json
import stat

import pytest
from core_helpers import contract, jsonl
from statsmodels.stats.proportion import proportion_confint

CHECKS = ("role_errors", {"check": "placeholder_text", "severity": "warn"})
PHONE = "13951873264"


def good(number, **labels):
    return {
        "messages": [{"role": "user", "content": f"第 {number} 题"}, {"role": "assistant", "content": "好的"}],
        **labels,
    }


def bad(number, **labels):
    return {"messages": [*good(number)["messages"], {"role": "user", "content": "在吗"}], **labels}


@pytest.fixture
def drawn(tmp_path, here, command):
    """`drawn(records, *options)`: run, draw a sheet, give its lines."""

    def call(records, *options, name="review.csv", checks=CHECKS, columns=None):
        files = records if isinstance(records, dict) else {"a.jsonl": records}
        for file in (tmp_path / "data").glob("*"):
            file.unlink()
        for file, lines in files.items():
            jsonl(tmp_path / "data" / file, *lines)
        source = {"path": "data", "columns": columns or {}}
        command("run", contract(tmp_path, checks, source=source), "--out", tmp_path / "out", "--quiet")
        data = f"train={tmp_path / 'data'}"
        code, _, err = command("sample", tmp_path / "out", "--data", data, "--out", tmp_path / name, *options)
        assert (code, err) == (0, "")
        return sheet(tmp_path / name)

    return call


def sheet(path):
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def judge(path, verdict, *, to=None, encoding="utf-8-sig", delimiter=","):
    """Fill in verdicts: `verdict(line)`; and write the sheet as a spreadsheet may."""
    lines = [{**line, "verdict": verdict(line)} for line in sheet(path)]
    with (to or path).open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, lines[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(lines)


def test_every_group_is_drawn_and_counted(drawn):
    lines = drawn([bad(1), bad(2), bad(3), *(good(n) for n in range(4, 20))], "--n", 2)
    groups = {(line["group"], line["kind"], line["group_rows"], line["group_sample"]) for line in lines}
    assert groups == {("train.role_errors", "flagged", "3", "2"), ("train: unflagged", "unflagged", "16", "2")}
    assert [line["no"] for line in lines] == ["1", "2", "3", "4"]
    assert {line["place"] for line in lines if line["kind"] == "flagged"} < {f"train/a.jsonl:{n}" for n in (1, 2, 3)}
    assert lines[0]["text"].startswith("[user] 第 ")
    assert lines[0]["text"].endswith("题\n[assistant] 好的\n[user] 在吗")
    assert {line["verdict"] + line["note"] for line in lines} == {""}


def test_who_is_drawn_hangs_on_content_and_seed_alone(drawn):
    records = [good(n) for n in range(100)]
    one = drawn(records, "--n", 10)
    other_order = drawn({"z.jsonl": records[:30], "b.jsonl": records[:29:-1]}, "--n", 10, name="2.csv")
    assert {line["record"] for line in one} == {line["record"] for line in other_order}
    assert [line["text"] for line in one] == [line["text"] for line in other_order]
    seeds = [
        frozenset(line["record"] for line in drawn(records, "--n", 10, "--seed", s, name=f"s{s}.csv")) for s in (1, 2)
    ]
    assert len({frozenset(line["record"] for line in one), *seeds}) == 3


def test_copies_of_one_row_are_drawn_one_by_one(drawn):
    """Half of the rows are one text: about half of the sample is, not all or nothing of it."""
    lines = drawn([good(n) for n in range(200)] + [good(-1)] * 200, "--n", 100)
    assert 30 <= sum("第 -1 题" in line["text"] for line in lines) <= 70


def test_so_many_rows_for_each_value_of_a_label(drawn):
    records = (
        [bad(n, src="论坛") for n in range(5)] + [good(n, src="书") for n in range(5)] + [good(n) for n in range(5, 9)]
    )
    lines = drawn(records, "--n", 3, "--by", "source", columns={"source": "src"})
    counts = {(line["group"], line["slice"], line["group_rows"]) for line in lines}
    assert counts == {
        ("train.role_errors", "论坛", "5"), ("train: unflagged", "书", "5"), ("train: unflagged", "(none)", "4"),
    }  # fmt: skip
    assert len(lines) == 9


@pytest.mark.parametrize(("mode", "shown"), [("redacted", False), ("masked", False), ("full", True)])
def test_identifiers_are_hidden_unless_asked_for(drawn, mode, shown):
    lines = drawn([good(f"{PHONE} ")], "--excerpts", mode)
    assert (PHONE in lines[0]["text"]) == shown


def test_rows_with_personal_data_stay_redacted_in_full(drawn, tmp_path):
    lines = drawn([good(f"{PHONE} "), bad(2)], "--excerpts", "full", checks=("pii", "role_errors"))
    assert PHONE not in (tmp_path / "review.csv").read_text("utf-8-sig")
    assert "****" in next(line["text"] for line in lines if line["group"] == "train.pii")
    assert stat.S_IMODE((tmp_path / "review.csv").stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", '=HYPERLINK("http://x")'])
def test_no_cell_is_a_formula(drawn, text):
    lines = drawn([{"text": text, "src": text}], "--by", "source", columns={"source": "src"})
    assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for line in lines for value in line.values())


def test_rates_and_bounds(drawn, tmp_path, command):
    drawn([bad(n) for n in range(60)] + [good(n) for n in range(60, 360)], "--n", 40)
    path = tmp_path / "review.csv"
    judge(
        path,
        lambda line: "ok" if line["kind"] == "unflagged" else ("false_alarm", "bad", "bad", "OK")[int(line["no"]) % 4],
    )
    code, out, _ = command("sample", "--read", path, "--format", "json")
    flagged, unflagged = json.loads(out)["strata"]
    low, high = proportion_confint(20, 40, method="wilson")
    assert (flagged["found"], flagged["judged"], flagged["rows"]) == (20, 40, 60)
    assert (flagged["low"], flagged["high"]) == (pytest.approx(low), pytest.approx(high))
    assert (unflagged["found"], unflagged["low"]) == (0, 0)
    assert unflagged["high"] == pytest.approx(proportion_confint(0, 40, method="wilson")[1])
    assert code == 0
    _, zh, _ = command("sample", "--read", path, "--lang", "zh")
    assert "误杀率" in zh
    assert "抽检 40 行，发现 0 行，上限 8.76%" in zh
    _, wide, _ = command("sample", "--read", path, "--format", "json", "--confidence", "0.8")
    assert json.loads(wide)["strata"][1]["high"] == pytest.approx(proportion_confint(0, 40, 0.2, "wilson")[1])


def test_a_missed_row_is_counted(drawn, tmp_path, command):
    drawn([good(n) for n in range(100)], "--n", 10)
    judge(tmp_path / "review.csv", lambda line: "有问题" if line["no"] == "3" else "没问题")
    stratum = json.loads(command("sample", "--read", tmp_path / "review.csv", "--format", "json")[1])["strata"][0]
    assert (stratum["kind"], stratum["found"], stratum["rate"]) == ("unflagged", 1, 0.1)


def test_where_every_row_was_judged_there_is_nothing_to_estimate(drawn, tmp_path, command):
    drawn([good(n) for n in range(5)])
    judge(tmp_path / "review.csv", lambda line: "bad" if line["no"] == "1" else "ok")
    stratum = json.loads(command("sample", "--read", tmp_path / "review.csv", "--format", "json")[1])["strata"][0]
    assert (stratum["rate"], stratum["low"], stratum["high"]) == (0.2, 0.2, 0.2)
    assert "20 % (1 of 5, which is every row)" in command("sample", "--read", tmp_path / "review.csv")[1]


def test_rows_without_a_verdict_do_not_count_and_are_told(drawn, tmp_path, command):
    drawn([good(n) for n in range(50)], "--n", 10)
    judge(tmp_path / "review.csv", lambda line: "ok" if int(line["no"]) <= 4 else "")
    out = command("sample", "--read", tmp_path / "review.csv")[1]
    assert "none found in 4" in out
    assert "6 rows have no verdict yet" in out


@pytest.mark.parametrize(("encoding", "delimiter"), [("utf-8", ","), ("gb18030", ";"), ("utf-8-sig", "\t")])
def test_a_sheet_comes_back_as_a_spreadsheet_writes_it(drawn, tmp_path, command, encoding, delimiter):
    drawn([bad(1), good(2), good(3)])
    judge(tmp_path / "review.csv", lambda line: "ok", to=tmp_path / "2.csv", encoding=encoding, delimiter=delimiter)
    strata = json.loads(command("sample", "--read", tmp_path / "2.csv", "--format", "json")[1])["strata"]
    assert [(s["judged"], s["found"]) for s in strata] == [(1, 1), (2, 0)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], "1 row, 2 were drawn"),
        (lambda lines: [*lines, lines[0]], "stands there more than once"),
        (lambda lines: [{**line, "verdict": "maybe"} for line in lines], "unknown verdict"),
        (lambda lines: [{**line, "verdict": "false_alarm"} for line in lines], "expected ok, bad or nothing"),
        (lambda lines: [{**line, "group_rows": "many"} for line in lines], "must stay the numbers"),
        (lambda lines: [{"a": "b"}], "no review sheet"),
    ],
)
def test_a_sheet_that_cannot_be_right_is_refused(drawn, tmp_path, command, change, said):
    lines = change(drawn([good(1), good(2)]))
    with (tmp_path / "2.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    code, _, err = command("sample", "--read", tmp_path / "2.csv")
    assert (code, said in err) == (2, True)


def test_what_is_refused(drawn, tmp_path, command):
    drawn([good(1)])
    data = f"train={tmp_path / 'data'}"
    refused = {
        ("sample",): (2, "expected either"),
        ("sample", tmp_path / "out", "--data", data, "--out", tmp_path / "review.csv"): (2, "may hold verdicts"),
        ("sample", tmp_path / "out", "--data", data, "--by", "source", "--out", tmp_path / "x.csv"): (2, "no labels"),
        ("sample", "--read", tmp_path / "nothing.csv"): (2, "cannot be read"),
        ("sample", "--read", tmp_path / "review.csv", "--confidence", "95"): (2, "between 0 and 1"),
    }
    for arguments, expected in refused.items():
        code, _, err = command(*arguments)
        assert (code, expected[1] in err) == (expected[0], True), arguments
    jsonl(tmp_path / "data" / "a.jsonl", good(2))
    code, _, err = command("sample", tmp_path / "out", "--data", data, "--out", tmp_path / "x.csv")
    assert (code, "was changed since the report" in err) == (3, True)
    assert not (tmp_path / "x.csv").exists()


def test_without_data_it_is_looked_for_where_the_run_had_it(drawn, tmp_path, command):
    drawn([good(1), good(2)])
    code, _, err = command("sample", tmp_path / "out", "--out", tmp_path / "x.csv")
    assert code == 0, err
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "review.csv").read_bytes()
    jsonl(tmp_path / "data" / "a.jsonl", good(3))
    assert command("sample", tmp_path / "out", "--out", tmp_path / "y.csv")[0] == 3
