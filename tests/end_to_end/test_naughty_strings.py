"""The Big List of Naughty Strings through a run and out of every report: unchanged in meaning, and inert.

Each line is the content of a message, a role, a source, an id and the name of a file, all of them with a fault, so
that the line stands in evidence. Beside it runs the same drop with a harmless word for each line: whatever a report
holds besides text must be equal in both.
"""

import html.parser
import io
import json
import re
import unicodedata
import urllib.parse
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
import yaml
from core_helpers import jsonl, spawn
from markdown_it import MarkdownIt
from rich.console import Console

from datacheck.pii.excerpts import excerpt
from datacheck.report.faces import html as html_face
from datacheck.report.faces.html import render as render_html
from datacheck.report.faces.junit import render as render_junit
from datacheck.report.faces.markdown import render as render_markdown
from datacheck.report.github import github_lines
from datacheck.report.terminal import print_report
from datacheck.verdict.model import Evidence, Place, Report

pytestmark = pytest.mark.slow

EACH = 86  # lines per dataset: two problems each stay below the 200 places that are shown in words
PLACES = 3  # as many as the terminal and GitHub show of a finding
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
FILLERS = "\u115f\u1160\u3164\uffa0"


class Drop(NamedTuple):
    """What was said, where the report of it is, and the report widened to all places of the evidence."""

    lines: list[str]
    folder: Path
    lang: str
    mode: str
    stdout: str
    report: Report
    wide: Report


def file_name(number, line):
    """The line as a name (a slash makes folders), or only a number where no file below the folder can have it."""
    name = f"{number:03} {line}.jsonl"
    parts = name.split("/")
    fits = all(len(part.encode()) < 256 for part in parts) and not {"", ".", ".."} & set(parts) and "\0" not in name
    return name if fits else f"{number:03}.jsonl"


def write_drop(folder, lines):
    datasets = {}
    for start in range(0, len(lines), EACH):
        name = f"part{start // EACH}"
        for number, line in enumerate(lines[start : start + EACH], start):
            row = {
                "messages": [{"role": line, "content": line}, {"role": "assistant", "content": "x"}],
                "src": line,
                "uid": line,
            }
            jsonl(folder / name / file_name(number, line), row, b"{broken")
        datasets[name] = {
            "source": {"path": name, "format": "messages", "columns": {"id": "uid", "source": "src"}},
            "schema": {field: {"enum": ["only this"]} for field in ("uid", "messages[0].content")},
            "checks": [{"check": "role_errors", "by": "source"}],
        }
    (folder / "contract.yaml").write_text(yaml.safe_dump({"name": "naughty", "datasets": datasets}), encoding="utf-8")
    return folder / "contract.yaml"


def run(folder, lines, lang, form, mode):
    done = spawn("run", write_drop(folder, lines), "--out", folder / "out", "--lang", lang, "--format", form,
                 "--excerpts", mode)  # fmt: skip
    assert done.returncode == 1, done.stderr[-500:]
    report = Report.model_validate_json((folder / "out" / "report.json").read_bytes())
    return Drop(lines, folder, lang, mode, done.stdout.decode(), report, widened(report, folder / "out"))


def widened(report, out):
    """The report with all places of the evidence and not only the first: findings of three places and numbers each."""
    findings = []
    for finding in report.findings:
        table = pl.read_parquet(out / finding.evidence.file) if finding.evidence.file else pl.DataFrame()
        assert table.height <= 200
        places = [
            Place(
                at=f"{finding.dataset}/{line['file']}:{line['line']}",
                where=line["where"],
                problem=line["problem"],
                detail=line["detail"],
            )
            for line in table.iter_rows(named=True)
        ]
        for start in range(0, max(len(places), len(finding.values)), PLACES):
            evidence = Evidence(lines=PLACES, rows=PLACES, first=tuple(places[start : start + PLACES]))
            part = {"evidence": evidence, "values": finding.values[start : start + PLACES]}
            findings.append(finding.model_copy(update=part))
    return report.model_copy(update={"findings": tuple(findings)})


@pytest.fixture(scope="module")
def lines(realdata):
    found = json.loads((realdata / "bad" / "blns" / "blns.json").read_text(encoding="utf-8"))
    found = list(dict.fromkeys(found))  # four are given twice
    assert len(found) == 511
    return found


@pytest.fixture(scope="module")
def calm(lines, tmp_path_factory):
    return run(tmp_path_factory.mktemp("calm"), [f"wort{n:03}" for n in range(len(lines))], "en", "json", "full")


@pytest.fixture(scope="module")
def english(lines, tmp_path_factory):
    return run(tmp_path_factory.mktemp("english"), lines, "en", "text", "full")


@pytest.fixture(scope="module")
def chinese(lines, tmp_path_factory):
    return run(tmp_path_factory.mktemp("chinese"), lines, "zh", "github", "redacted")


@pytest.fixture(params=["english", "chinese"])
def naughty(request):
    return request.getfixturevalue(request.param)


# ── unchanged in meaning ──────────────────────────────────────────────────────────────────────────────
def invisible(text):
    return {char for char in text if unicodedata.category(char) in INVISIBLE or char in FILLERS} - {"\n"}


def harmless(line):
    """Nothing in it is invisible, long, or could be an identifier: it must be shown as it is."""
    numerals = sum(unicodedata.numeric(char, None) is not None for char in line)
    secret = re.search(r"@|＠|\w{32}|(?i:passw|secret|token|api_?key)|密|\b(?:Mr|Mrs|Ms|Dr|Prof)\. [A-Z]", line)
    return len(line) < 190 and not invisible(line) and numerals < 5 and not secret


def shown(line, mode="redacted"):
    """What DESIGN.md says of a line in a report; for harmless ones the code under test is not asked."""
    return line if harmless(line) else excerpt(line, mode)


def drawn(line):
    """How a face writes a line: the fourth combining mark in a row and any further one as a number; cut at 400."""
    marks = [unicodedata.category(char) in {"Mn", "Me"} for char in line]
    return "".join(
        f"\\u{{{ord(char):x}}}" if all(marks[n - 3 : n + 1]) and n > 2 else char for n, char in enumerate(line)
    )[:390]


def told_in(text, line):
    return not harmless(line) or drawn(f"“{line}") in text


def details(drop, problem, where):
    """The details of all places with a problem, by the number of the line that the file is named after."""
    places = [place for finding in drop.wide.findings for place in finding.evidence.first]
    found = [place for place in places if (place.problem, place.where) == (problem, where)]
    return {number_of(place.at): str(place.detail) for place in found}


def number_of(at):
    return int(re.match(r"part\d/(\d{3})", at)[1])


def test_most_lines_are_harmless(lines):
    assert sum(map(harmless, lines)) >= 399


@pytest.mark.parametrize("where", ["messages[0].content", "uid"])
def test_contents_and_ids(naughty, where):
    told = details(naughty, "not_in_enum", where)
    assert told == {number: f"“{shown(line, naughty.mode)}”" for number, line in enumerate(naughty.lines)}


def test_roles(naughty):
    told = details(naughty, "unknown_role", "messages[0].content")
    assert told == {
        n: f"role {line}" if harmless(line) else f"role {excerpt(line)}" for n, line in enumerate(naughty.lines)
    }


def test_sources(naughty):
    told = [value.slice["source"] for f in naughty.report.findings for value in f.values if value.slice]
    assert Counter(told) == Counter(map(shown, naughty.lines))


def test_file_names(naughty):
    """Names are read back to find the file, so digits stay; no line of the list holds an identifier."""
    names = {f"{part}/{file.path}" for part, entry in naughty.report.datasets.items() for file in entry.files}
    wanted = [f"part{n // EACH}/{file_name(n, line)}" for n, line in enumerate(naughty.lines)]
    assert names == {"".join(written_out(char) for char in name) for name in wanted}
    assert sum(len(name) > len("part0/000.jsonl") for name in wanted) > 480
    assert set(details(naughty, "json_syntax", None)) == set(range(len(naughty.lines)))


def written_out(char):
    return f"\\u{{{ord(char):x}}}" if invisible(char) else char


# ── inert ─────────────────────────────────────────────────────────────────────────────────────────────
class Page(html.parser.HTMLParser):
    """What a browser makes of a page: elements, names and values of attributes, text."""

    def __init__(self, text):
        super().__init__()
        self.names, self.values, self.text = Counter(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.names.update([tag, *(f"{tag} {name}" for name, _ in attrs)])
        self.values += [value or "" for _, value in attrs]

    def handle_data(self, data):
        self.text.append(data)


def test_html(naughty, calm, monkeypatch):
    every = replace(html_face._CAPS[0], findings=10_000, details=10_000)
    monkeypatch.setattr(html_face, "LIMIT", 1 << 30)  # all of it on one page
    monkeypatch.setattr(html_face, "_CAPS", (every,))
    text, other = (render_html(drop.wide, naughty.lang) for drop in (naughty, calm))
    page, other = Page(text), Page(other)
    assert page.names == other.names
    assert page.names["script"] == 1  # the page's own, which is the same in both
    assert not any(re.search(r"javascript|vbscript|expression|alert", value, re.IGNORECASE) for value in page.values)
    assert not invisible(text)
    told = "\n".join(page.text)
    assert [line for line in naughty.lines if not told_in(told, line)] == []


def test_the_page_that_was_written_is_the_one_that_is_tested(naughty):
    run = json.loads((naughty.folder / "out" / "run.json").read_bytes())
    assert (naughty.folder / "out" / "report.html").read_text(encoding="utf-8") == render_html(
        naughty.report, naughty.lang, run | {"folder": naughty.folder / "out"}
    )
    assert (naughty.folder / "out" / "report.md").read_text(encoding="utf-8") == render_markdown(
        naughty.report, naughty.lang
    )
    assert (naughty.folder / "out" / "junit.xml").read_text(encoding="utf-8") == render_junit(naughty.report)
    assert not invisible((naughty.folder / "out" / "report.json").read_text(encoding="utf-8"))


def tokens(markdown):
    """What a renderer makes of Markdown, without what stands in code; text only outside of code."""
    every = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    flat = [child for token in every for child in (token, *(token.children or ()))]
    return [(t.type, t.tag, t.content if t.type == "text" else "") for t in flat], [
        t.content for t in flat if t.type == "code_inline"
    ]


def slices(report, size):
    """Markdown is cut at 64 KiB, so a long report is shown in pieces."""
    for start in range(0, len(report.findings), size):
        yield report.model_copy(update={"findings": report.findings[start : start + size]})


def test_markdown(naughty, calm):
    told = []
    for part, other in zip(slices(naughty.wide, 40), slices(calm.wide, 40), strict=True):
        text = render_markdown(part, naughty.lang)
        marks, code = tokens(text)
        assert marks == tokens(render_markdown(other, naughty.lang))[0]
        assert not {"html_block", "html_inline", "link_open", "image", "s_open"} & {mark[0] for mark in marks}
        assert not invisible(text)
        told += code
    told = "\n".join(told)
    assert [line for line in naughty.lines if not set("`|") & set(line) and not told_in(told, line)] == []


def test_junit(naughty, calm):
    text, other = (render_junit(drop.wide) for drop in (naughty, calm))
    found, wanted = ([(e.tag, sorted(e.attrib)) for e in ET.fromstring(xml).iter()] for xml in (text, other))
    assert found == wanted
    assert not invisible(text)
    told = "".join(ET.fromstring(text).itertext())
    assert [line for line in naughty.lines if not told_in(told, line)] == []


STYLES = {"0", "1", "1;31", "31", "32", "33", "34", "35", "36", "1;35"}  # bold and the eight colours


def test_terminal(naughty):
    """A terminal with colours: no escape but those of our own styles, and no command to a CI system."""
    out = io.StringIO()
    print_report(
        naughty.wide, Console(file=out, width=100, force_terminal=True, color_system="truecolor"), naughty.lang
    )
    assert set(re.findall(r"\x1b\[([0-9;]*)m", out.getvalue())) <= STYLES
    text = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert not invisible(text)
    assert not re.search(r"^\s*::|##\[", text, re.MULTILINE)


def commands(text):
    """Workflow commands as the runner reads them: (name, properties, message) of each line."""
    for line in text.splitlines():
        name, rest, message = re.fullmatch(r"::([a-z]+) ([^:]*)::(.*)", line).groups()
        yield name, dict(pair.split("=", 1) for pair in rest.split(",")), message


def test_github(naughty, calm):
    roots = {name: f"data/{name}" for name in naughty.report.datasets}
    text, other = ("\n".join(github_lines(drop.wide, naughty.lang, roots)) for drop in (naughty, calm))
    assert not invisible(text)
    found, wanted = ([(name, sorted(properties)) for name, properties, _ in commands(told)] for told in (text, other))
    assert found == wanted
    assert {name for name, _ in found} == {"error"}
    files = {urllib.parse.unquote(properties["file"]) for _, properties, _ in commands(text) if "file" in properties}
    names = {f"data/{part}/{file.path}" for part, entry in naughty.report.datasets.items() for file in entry.files}
    assert {file[:300] for file in files} == {drawn(name)[:300] for name in names}


def test_what_the_command_printed(english, chinese, calm):
    assert not invisible(english.stdout + chinese.stdout)
    assert len(list(commands(chinese.stdout))) > 20
    assert not re.search(r"^\s*::|##\[", english.stdout, re.MULTILINE)
    assert json.loads(calm.stdout) == json.loads((calm.folder / "out" / "report.json").read_bytes())
