import io
import json
import subprocess
import unicodedata

import pytest
from rich.console import Console

from datacheck.report.terminal import print_report
from datacheck.session.session import validate


def printed(report, lang="en", encoding="utf-8", width=80, **options):
    """The bytes that a strict console of that encoding got, decoded."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="")
    console = Console(file=stream, width=width, **options.pop("console", {}))
    print_report(report, console, lang, **options)
    stream.flush()
    return raw.getvalue().decode(encoding)


def cells(line):
    """Columns by the Unicode tables, not by rich."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in line)
    none = sum(unicodedata.category(char) in ("Mn", "Me") for char in line)
    return len(line) + wide - none


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_everything_fits_80_columns(build, lang, user_check):
    text = printed(build(), lang, folder="runs/1")
    assert max(map(cells, text.split("\n"))) <= 80


def test_the_block_of_a_finding_in_rustc_style(build, user_check):
    lines = printed(build("forum")).split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("fail[forum]"))
    assert lines[start] == "fail[forum] train: rate 12 % (144 of 1,200), limit 3 %"
    block = lines[start : lines.index("", start)]
    assert block[1] == "  | rate[forum=forum] 12 % (144 of 1,200), limit 3 %"
    assert [line for line in block if line.startswith(" --> ")] == [" --> train/forum:17  forum  forum"] * 3
    assert "   | the first 3 of 144; forum 144" in block
    assert "   | incomplete: only the readable rows were seen" in block
    assert block[-3:] == [
        "  = why: A model repeats what it sees often.",
        "  = fix: Keep one row with datacheck apply.",
        "  = more: datacheck explain repeats",
    ]


def test_the_header_the_table_the_funnel_and_the_end(build, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "1").mkdir(parents=True)
    (tmp_path / "runs" / "1" / "report.html").touch()
    text = printed(build("forum"), folder="runs/1")
    assert "Contract forum version forum, datacheck 0.1.0" in text
    assert "exit code 3" in " ".join(text.split())
    assert "6 checks: 2 undecided, 1 failed, 1 warned, 1 info, 1 passed" in text
    assert "rate 0.12 > 0.03 (144 of 1,200)" in text
    assert "rows 1,200, files 1, 4.3 MiB, unreadable lines 3; forum 1,200" in text
    assert [line.split()[-1] for line in text.split("\n") if line.startswith("    forum")] == ["-144"]
    assert "  - forum\n" in text
    end = text.partition("\nReports\n")[2]
    assert "runs/1/  report.html, report.json" in end  # what is there
    assert "? ERROR  no verdict" in end  # again: the first lines have left the screen
    order = [
        text.index(mark)
        for mark in ("Datasets", "Findings", "error[leakage]", "fail[", "warn[exact]", "Rows in", "Not checked")
    ]
    assert order == sorted(order)


def test_chinese_words(build, user_check):
    text = printed(build("论坛"), "zh")
    assert "失败[论坛] train：rate 12%（144/1,200），上限 3%" in text
    assert "  = 现象：模型复读训练样本。" in text
    assert "没能检查" in text


def test_a_check_without_a_card_still_says_where_to_read_on(make):
    text = printed(make.report(make.finding(values=(make.value(),))))
    assert "= why" not in text
    assert "  = more: datacheck explain repeats" in text


def test_quiet_says_the_verdict_and_what_is_wrong(build):
    text = printed(build("forum"), quiet=True)
    assert "exit code 3" in " ".join(text.split())
    assert "train.forum" in text
    assert "train.roles" not in text
    assert "-->" not in text


def test_colours_only_where_the_console_has_them(build):
    assert "\x1b" not in printed(build())
    assert "\x1b[" in printed(build(), console={"force_terminal": True, "color_system": "standard"})


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_console_that_cannot_show_everything_gets_escapes(build, encoding, lang):
    text = printed(build("论坛 😀 \xe9"), lang, encoding)
    assert max(map(cells, text.split("\n"))) <= 80
    assert "\\U0001f600" in text
    assert ("论坛" in text) == (encoding == "gbk")
    assert "█" not in text


def control_free(text):
    return not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in text.replace("\n", ""))


def commands(text):
    """What GitHub's runner would take for a command: `::` at the start of a line, `##[` anywhere."""
    return [line for line in text.split("\n") if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_payloads_are_inert(build, payload, lang):
    text = printed(build(payload), lang, folder="out")
    assert control_free(text)
    assert commands(text) == []
    assert max(map(cells, text.split("\n"))) <= 80
    narrow = printed(build(payload), lang, width=40)
    assert max(map(cells, narrow.split("\n"))) <= 40
    assert commands(narrow) == []


def test_all_known_payloads_are_inert(build_all, payloads):
    text = printed(build_all(payloads))
    assert control_free(text)
    assert commands(text) == []
    assert max(map(cells, text.split("\n"))) <= 80


def test_an_empty_report(make):
    assert "no check was planned" in printed(make.report())


def test_the_same_report_prints_the_same(build):
    assert printed(build()) == printed(build())


def test_what_was_not_measured_for_want_of_rows_stands_in_the_table_alone(tmp_path):
    """The first block is the cause."""
    (tmp_path / "a.jsonl").write_bytes('{"text": "你好"}\n'.encode("gbk"))
    (tmp_path / "c.yaml").write_text(
        "name: c\ndatasets:\n  train: {source: a.jsonl, checks: [exact_duplicates, empty_turns]}\n", encoding="utf-8"
    )
    report = validate(tmp_path / "c.yaml")
    text = printed(report)
    assert "error  train.empty_turns" in text
    assert "error[" not in text
    assert "fail[unreadable_lines]" in text
    without = report.model_copy(update={"findings": [f for f in report.findings if f.status != "fail"]})
    assert "error[" in printed(without)


def test_what_to_type_next_can_be_pasted(build, tmp_path):
    typed = {"out": "runs/it's", "contract": "c.yaml", "paths": {"train": f"drops/{'long' * 12}/a b"}}
    (tmp_path / "run.json").write_text(json.dumps({"typed": typed}), encoding="utf-8")
    lines = printed(build("forum"), folder=str(tmp_path)).split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("  datacheck apply"))
    pasted = "\n".join(lines[at : next(n for n in range(at, len(lines)) if not lines[n].endswith("\\")) + 1])
    asked = subprocess.run(
        ["sh", "-c", f"set -- {pasted}; printf '%s\\n' \"$@\""], capture_output=True, check=True, text=True
    )
    assert asked.stdout.splitlines() == [
        *("datacheck", "apply", "runs/it's", "--data", f"train=drops/{'long' * 12}/a b", "--out", "runs/it's-mended")
    ]
    assert lines[at - 2] == "What to type next"


def test_of_what_no_row_can_be_blamed_nothing_is_to_be_typed(build, tmp_path):
    assert "What to type next" not in printed(build("forum"), folder=str(tmp_path))
