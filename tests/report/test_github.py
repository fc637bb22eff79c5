import re

from datacheck.report.github import github_lines
from datacheck.verdict.model import DatasetEntry, Evidence, FileEntry, Place

LINE = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:\r\n]*)(?:,[a-z]+=[^,:\r\n]*)*)::([^\r\n]*)")


def unescape(text):
    """What the runner does (ActionCommand.cs): the mappings backwards, % last."""
    for coded, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(coded, char)
    return text


def parts(line):
    level, properties, message = LINE.fullmatch(line).groups()
    return level, {k: unescape(v) for k, v in (p.split("=", 1) for p in properties.split(","))}, unescape(message)


def test_one_annotation_per_place(make):
    places = tuple(
        Place(at=f"train/a,b:c.jsonl:{n}", problem="twice", where="m[1]", detail="SECRET TEXT") for n in range(5)
    )
    report = make.report(make.finding(values=(make.value(),), evidence=Evidence(lines=5, first=places)))
    *lines, last = [parts(line) for line in github_lines(report, roots={"train": "data/100%/"})]
    assert lines == [
        (
            "error",
            {"file": "data/100%/a,b:c.jsonl", "line": str(n), "title": "fail train.repeats"},
            "twice m[1]; rate 0.12 > 0.03 (144 of 1,200)",
        )
        for n in range(3)
    ]
    assert last == ("error", {"title": "datacheck sft"}, "fail: the data breaks its contract")


def test_levels(make):
    report = make.report(make.finding("warn", values=(make.value(status="warn"),)), make.finding("pass", "x"))
    assert [parts(line)[0] for line in github_lines(report)] == ["warning", "notice"]
    strict = report.model_copy(update={"strict": True})
    assert parts(github_lines(strict)[-1])[0] == "error"


def test_a_place_without_a_line_and_a_finding_without_a_place(make):
    place = Place(at="train/a.jsonl", problem="empty")
    report = make.report(
        make.finding(evidence=Evidence(lines=1, first=(place,))), make.finding("error", "b", error="died")
    )
    error, fail, _ = [parts(line) for line in github_lines(report)]
    assert error == ("error", {"title": "error train.b"}, "died")
    assert fail[1] == {"file": "train/a.jsonl", "title": "fail train.repeats"}


def test_payloads_stay_inside_their_annotation(build, payload):
    harmless, hostile = github_lines(build()), github_lines(build(payload))
    assert [(level, list(properties)) for level, properties, _ in map(parts, hostile)] == [
        (level, list(properties)) for level, properties, _ in map(parts, harmless)
    ]


def test_all_known_payloads_stay_inside(build_all, payloads):
    assert all(LINE.fullmatch(line) for line in github_lines(build_all(payloads)))


def test_a_dataset_that_is_one_file_and_a_file_on_one_line(make):
    """The file is not named twice, and the byte on the one line of an array is no line."""
    file = FileEntry(path="a.json", bytes=9, sha256="0" * 64, rows=2, unreadable=0)
    place = Place(at="train/a.json:1:118", problem="empty")
    report = make.report(
        make.finding(evidence=Evidence(lines=1, first=(place,))),
        datasets={"train": DatasetEntry(rows=2, version="sha256:0", files=(file,))},
    )
    fail, _ = [parts(line) for line in github_lines(report, roots={"train": "drops/a.json"})]
    assert fail[1] == {"file": "drops/a.json", "line": "1", "title": "fail train.repeats"}
