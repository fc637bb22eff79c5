"""Write every face of a report into one folder."""

import json
from collections.abc import Mapping
from pathlib import Path

from datacheck.i18n.words import Lang
from datacheck.report.html import render_html
from datacheck.report.junit import render_junit
from datacheck.report.markdown import render_markdown
from datacheck.verdict.model import Report


def write_faces(report: Report, folder: Path, lang: Lang, run: Mapping[str, object]) -> None:
    """report.json, report.html, report.md, junit.xml, and run.json for what differs from run to run."""
    faces = {
        "report.html": render_html(report, lang, dict(run)),
        "report.md": render_markdown(report, lang),
        "junit.xml": render_junit(report),
        "run.json": json.dumps(run, ensure_ascii=False, indent=1) + "\n",
        "report.json": report.to_json(),
    }
    for name, text in faces.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
