"""Reports built by hand, with one string of data in every place that data can reach."""

import json
import os
from pathlib import Path

import pytest

from datacheck.check import Status
from datacheck.contract import discover
from datacheck.verdict.model import (
    Compared,
    ContractEntry,
    DatasetEntry,
    Evidence,
    FileEntry,
    Finding,
    Place,
    Report,
    ValueEntry,
)

ROOT = Path(__file__).parents[2]
REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
HARMLESS = "wort 论坛"

CARD_CHECK = '''"""Share of rows that repeat an earlier row.

## Why it matters
A model repeats what it sees often. The rest is <b>detail</b>.

## Example
```
a <script> & "b"
```

## How to fix
1. Keep **one** row with `datacheck apply`.
2. Look at the source.

## How to verify
Run it again.
"""

from typing import ClassVar, Literal

from datacheck.check import Check, Limit, Measured, Metric, View


class Repeats(Check):
    __doc__ = __doc__
    metrics: ClassVar = {"rate": Metric("rows that repeat, of all rows", "share", "rows", Limit(max=0.03))}
    ZH: ClassVar = """与前面某一行重复的行所占的比例。

## 现象
模型复读训练样本。其余略。

## 修复
- 每簇**只留一行**。
"""
    check: Literal["repeats"] = "repeats"

    def measure(self, data: View) -> Measured:
        raise NotImplementedError
'''


@pytest.fixture
def user_check(tmp_path):
    """A folder with the check `repeats`, in use for one test."""
    (tmp_path / "repeats.py").write_text(CARD_CHECK, encoding="utf-8")
    discover.use_folder(tmp_path)
    yield tmp_path
    discover.use_folder(None)


def value(name="rate", **fields):
    return ValueEntry(
        **{"name": name, "value": 0.12, "count": 144, "of": 1200, "limit": {"max": 0.03}, "status": "fail"} | fields
    )


def finding(status="fail", check="repeats", dataset="train", **fields):
    return Finding(**{"id": f"{dataset}.{check}", "check": check, "dataset": dataset, "status": status} | fields)


def report_of(*findings, **fields):
    base = {
        "schema": "datacheck/report/2",
        "verdict": Status.worst([f.status for f in findings]),
        "datacheck": "0.1.0",
        "contract": ContractEntry(name="sft", version=1),
        "inputs": {},
        "datasets": {},
        "findings": findings,
    }
    return Report(**base | fields)


def full_report(data=HARMLESS, status="fail"):
    """Every kind of finding, and `data` in every field that can carry data."""
    place = Place(at=f"train/{data}:17", where=data, problem=data, detail=data, score=0.91, other=data)
    compared = Compared(said=data, pieces=(("both", data), ("other", data), ("here", data), ("both", data)))
    places = (place, place.model_copy(update={"compared": compared})) * 2
    evidence = Evidence(lines=144, rows=144, file=f"evidence/{data}.parquet", problems={data: 144}, first=places)
    figures = {
        data: {data: [data, data + "2", None], f"{data}y": [1, 2.5, None]},
        data + "b": {data: [1, 2, 3], f"{data}y": [3, 0, 9]},
        data + "c": {data: list(range(100)), f"{data}y": list(range(100)), f"{data}z": [50] * 100},
        data + "d": {data: [data], f"{data}y": [data]},
        data + "e": {"place": [data] * 2, "text": [data] * 2, "label": ["train", data], "tokens": [2, 1]},
    }
    findings = (
        finding(
            status,
            id=f"train.{data}",
            incomplete=True,
            settings={data: data},
            values=(value(), value(slice={data: data}), value(data, value=0.5, count=None, of=None, status="warn")),
            evidence=evidence,
            figures=figures,
            not_checked=(data,),
        ),
        finding("warn", "exact", values=(value(status="warn"),), evidence=evidence),
        finding("error", "leakage", error=data, values=(value(value=None, count=None, of=None, status="error"),)),
        finding("error", data, dataset=data + "2", error=data),
        finding("info", "spread", values=(value("d", value=0.4178, count=None, of=None, limit={}, status="info"),)),
        finding("pass", "roles", values=(value(value=0.0, count=0, limit={"max": 0}, status="pass"),)),
    )
    file = FileEntry(path=data, bytes=4_500_000, sha256="ab" * 32, rows=1200, unreadable=3, formats={data: 1200})
    return report_of(
        *findings,
        contract=ContractEntry(name=data, version=data),
        reason=data,
        inputs={data: "sha256:" + "0" * 64},
        datasets={"train": DatasetEntry(rows=1200, version="sha256:" + "1" * 64, files=(file,))},
        funnel={"train": (("in", 1203), ("readable", 1200), (data, 1056), ("kept", 1056))},
        not_checked=(data,),
    )


@pytest.fixture
def build():
    return full_report


@pytest.fixture(scope="session")
def payloads():
    """Hostile strings: the naughty strings, and the injection lists."""
    bad = REALDATA / "bad"
    if not (bad / "blns" / "blns.json").exists():
        pytest.skip("realdata is absent")
    found = json.loads((bad / "blns" / "blns.json").read_text(encoding="utf-8"))
    for path in sorted((bad / "payloads").rglob("Intruder*/*")):
        if path.is_file():
            found += path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [text for text in dict.fromkeys(found) if text.strip()]


OWN_PAYLOADS = (
    "<script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "{{7*7}}{% raw %}",
    "</title></style></svg><style>*{display:none}</style>",
    "a|b`c``d\\",
    "\\|",
    "| x |\n|---|\n# y",
    "[/INST] [bold red]x[/]",
    "\x1b[31mred\x1b]8;;http://x\x07\r\n::error::x",
    "::set-output name=x::y",
    "##[add-matcher]x",
    "\u202eevil\u2066 \u200b\ufeff\u3164",
    "\ud800 lone",
    "\x00\x08\x0b\ufffe\uffff",
    "@everyone https://example.org www.example.org a@example.org #1",
    "$`x`$ <!-- --> &lt;b&gt; ]]>",
    "Z" + "\u0335\u0336" * 50,
    "长" * 500,
    "a" * 500,
    "100% %0A,:;=",
)


@pytest.fixture(params=OWN_PAYLOADS, ids=lambda text: ascii(text[:12]))
def payload(request):
    return request.param


def _told(one, two):
    return Compared(pieces=(("both", one), ("here", two), ("other", one)))


def payload_report(payloads, fill=None):
    """All payloads in places, 100 to a finding; or `fill` instead of each."""
    found = []
    for start in range(0, len(payloads), 100):
        texts = [text if fill is None else fill for text in payloads[start : start + 100]]
        places = [
            Place(at=f"train/{a}:1", where=b, problem=c, detail=d, other=e, compared=_told(d, e))
            for a, b, c, d, e in zip(*[iter(texts + [HARMLESS] * (-len(texts) % 5))] * 5, strict=True)
        ]
        found.append(
            finding(id=f"train.f{start}", evidence=Evidence(lines=len(places), first=tuple(places)), error=texts[0])
        )
    return report_of(*found)


@pytest.fixture
def build_all():
    return payload_report


@pytest.fixture
def make():
    """Access to the small builders: make.report(make.finding(...))."""

    class Make:
        report = staticmethod(report_of)
        finding = staticmethod(finding)
        value = staticmethod(value)

    return Make
