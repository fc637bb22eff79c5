"""A report written by hand, whose places and rows are known by construction, and a browser's way into its pages."""

import hashlib
import json
import re

import polars as pl
from starlette.testclient import TestClient

from datacheck.check import EVIDENCE, Status
from datacheck.verdict.model import ContractEntry, DatasetEntry, Evidence, FileEntry, Finding, Report
from datacheck.view.access import Access
from datacheck.view.app import Pages

PHONE = "13800138000"
HOSTILE = "</dd><script>alert(1)</script><img src=x onerror=alert(2)>\u202e"
TEXTS = ["一句平常的话", f"我的电话是{PHONE}", HOSTILE, "另一句话\n第二行", *(f"第 {n} 句" for n in range(4, 12))]
BASE = "/below/"
PORT = 8000
ORIGIN = f"http://127.0.0.1:{PORT}"


def site(folder, *findings, texts=TEXTS):
    """`data/a.jsonl` and a report on it in `out`. findings: (name, status, columns of its evidence)."""
    (folder / "data").mkdir()
    path = folder / "data" / "a.jsonl"
    asked = {"role": "user", "content": "问"}
    rows = [{"messages": [asked, {"role": "assistant", "content": text}]} for text in texts]
    lines = [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]
    path.write_bytes(b"".join(lines))
    (folder / "out" / "evidence").mkdir(parents=True)
    made = []
    for name, status, columns in findings:
        table = (
            pl.DataFrame(columns).with_columns(problem=pl.lit(name))
            if "problem" not in columns
            else pl.DataFrame(columns)
        )
        table = table.with_columns(pl.lit(None, t).alias(c) for c, t in EVIDENCE.items() if c not in table.columns)
        table.cast(dict(EVIDENCE), strict=False).write_parquet(folder / "out" / "evidence" / f"train.{name}.parquet")
        evidence = Evidence(
            lines=table.height,
            rows=table["row"].drop_nulls().n_unique(),
            file=f"evidence/train.{name}.parquet",
            problems=dict(table["problem"].value_counts().iter_rows()),
        )
        made.append(Finding(id=f"train.{name}", check=name, dataset="train", status=Status(status), evidence=evidence))
    data = path.read_bytes()
    file = FileEntry(
        path="a.jsonl", bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), rows=len(rows), unreadable=0,
        container="jsonl",
    )  # fmt: skip
    report = Report(
        schema="datacheck/report/2",
        verdict=Status.worst([each.status for each in made]),
        datacheck="0",
        contract=ContractEntry(name="t", version=1),
        inputs={},
        datasets={"train": DatasetEntry(rows=len(rows), version="sha256:" + "0" * 64, files=(file,))},
        findings=tuple(made),
    )
    (folder / "out" / "report.json").write_text(report.to_json(), encoding="utf-8")
    typed = {"paths": {"train": str(folder / "data")}}
    (folder / "out" / "run.json").write_text(json.dumps({"typed": typed}), encoding="utf-8")
    return folder / "out"


def places(rows, **columns):
    """Evidence that names rows of a.jsonl by their lines."""
    return {"file": ["a.jsonl"] * len(rows), "line": [row + 1 for row in rows], "row": rows, **columns}


def many(count):
    """So many places with ascending scores, compared with one of ten."""
    rows = list(range(count))
    other = [f"train/a.jsonl:{n % 10 + 1}" for n in rows]
    detail = [f"needle {n}" if n % 1000 == 7 else None for n in rows]
    return places(rows, score=[n / count for n in rows], other=other, detail=detail)


class Browser:
    """One that has exchanged the token, or not yet."""

    def __init__(self, out, **options):
        self.access = Access(Pages(out, BASE, **options).app(), PORT, BASE)
        self.client = self.another()

    def another(self):
        """A browser without the cookie."""
        return TestClient(self.access, base_url=ORIGIN, raise_server_exceptions=True)

    def enter(self):
        assert self.client.get(self.access.first).status_code == 200
        return self

    def get(self, path="", **options):
        return self.client.get(BASE + path, **options)

    def mark(self, path, say, note="", origin=ORIGIN, **more):
        head = {"origin": origin} if origin else {}
        given = {"mark": say, "note": note, **more}
        return self.client.post(f"{BASE}mark/{path}", data=given, headers=head, follow_redirects=False)


def at_lines(page):
    """The lines of the places on a page, in its order."""
    return [
        int(line)
        for line in re.findall(r'<tr id="p\d+"><td><a [^>]*><code class="at">train/a\.jsonl:(\d+)<', page.text)
    ]
