"""What `apply` promises: nothing is lost, nothing that stays is changed, and the source is not touched.

Reports are written by hand, so that rows, bad and blank lines are known by construction and not by the loader. The
halves are put together again by `reassembled`, which knows only changes.jsonl.
"""

import csv
import errno
import gzip
import hashlib
import io
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from core_helpers import GOOD, contract, jsonl
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from datacheck.check import EVIDENCE, Status
from datacheck.cli.main import app
from datacheck.derive.apply import derive
from datacheck.derive.terminal import print_manifest
from datacheck.engine import cut
from datacheck.errors import LoadError, UsageError
from datacheck.session.session import Options, Session, validate
from datacheck.verdict.model import ContractEntry, DatasetEntry, Evidence, FileEntry, Finding, Report


def entry(path, name, rows, unreadable=0, blank=0):
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    return FileEntry(path=name, bytes=len(data), sha256=sha256, rows=rows, unreadable=unreadable, blank=blank)


def report(folder, files, findings, bad=0, source=None):
    """Write a report on the dataset `train`. `findings`: name → dataset-wide row numbers; `bad`: unreadable places."""
    (folder / "evidence").mkdir(parents=True)
    made = []
    for name, rows in findings.items():
        if rows:
            table = pl.DataFrame({"row": sorted(rows), "problem": [name] * len(rows)})
            table = table.with_columns(pl.lit(None, t).alias(c) for c, t in EVIDENCE.items() if c not in table.columns)
            table.cast(dict(EVIDENCE)).write_parquet(folder / "evidence" / f"train.{name}.parquet")
        evidence = Evidence(lines=len(rows), rows=len(rows))
        made.append(Finding(id=f"train.{name}", check=name, dataset="train", status=Status.FAIL, evidence=evidence))
    if bad:
        made.append(
            Finding(
                id="train.unreadable_lines",
                check="unreadable_lines",
                dataset="train",
                status=Status.FAIL,
                evidence=Evidence(lines=bad),
            )
        )
    dataset = DatasetEntry(rows=sum(f.rows for f in files), version="sha256:0", source=source or {}, files=tuple(files))
    whole = Report(
        schema="datacheck/report/2",
        verdict=Status.FAIL,
        datacheck="0.1.0",
        contract=ContractEntry(name="by-hand", version=1),
        inputs={},
        datasets={"train": dataset},
        findings=tuple(made),
    )
    (folder / "report.json").write_text(whole.to_json(), encoding="utf-8")
    return folder


def changes(out):
    return [json.loads(line) for line in (out / "changes.jsonl").read_text("utf-8").splitlines()]


def reassembled(out, name, unpack=bytes):
    """Merge both halves of a file by the ledger alone."""
    kept, dropped = out / "kept/train" / name, out / "dropped/train" / name
    if not kept.exists():
        return unpack(dropped.read_bytes())
    left = unpack(kept.read_bytes())
    right = unpack(dropped.read_bytes()) if dropped.exists() else b""
    whole = b""
    for change in (c for c in changes(out) if c["file"] == name):
        gap = change["byte"] - len(whole)
        whole, left = whole + left[:gap], left[gap:]
        piece, right = right[: change["length"]], right[change["length"] :]
        assert hashlib.sha256(piece).hexdigest() == change["sha256"]
        whole += piece
    assert right == b""
    return whole + left


def good(number):
    return json.dumps({"text": f"第 {number} 条 \u2028 row"}, ensure_ascii=False).encode()


@pytest.fixture
def simple(tmp_path):
    """Four rows, of which the second is to go; the folder of the data and that of the report."""
    data = tmp_path / "数据 a"
    data.mkdir()
    file = data / "a b 文.jsonl"
    file.write_bytes(b"".join(good(n) + b"\n" for n in range(4)))
    return data, report(tmp_path / "rep", [entry(file, file.name, 4)], {"dups": [1]}), tmp_path / "out"


# --- nothing is lost ---

BAD = [b'{"text": "cut', b"nonsense", b'{"a": 1} {"b": 2}', b'{"a": 1, "a": 2}', b'{"text": "\xb0\xa1"}', b'{"a": NaN}']
LINES = st.lists(
    st.one_of(
        st.tuples(st.just("good"), st.integers(0, 99).map(good)),
        st.tuples(st.just("bad"), st.sampled_from(BAD)),
        st.tuples(st.just("blank"), st.sampled_from([b"", b"  ", b"\t"])),
    ),
    min_size=1,
    max_size=12,
)


def packers(name):
    if name.endswith(".gz"):
        return gzip.compress, gzip.decompress
    if name.endswith(".zst"):
        return zstandard.compress, lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return bytes, bytes


@settings(max_examples=120)
@given(
    lines=LINES,
    ends=st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=12, max_size=12),
    bom=st.booleans(),
    final=st.booleans(),
    name=st.sampled_from(["x.jsonl", "名 字.jsonl.gz", "x.jsonl.zst"]),
    mask=st.integers(0, 2**12 - 1),
    other=st.integers(0, 2**12 - 1),
    drop_bad=st.booleans(),
)
def test_both_halves_are_the_input_and_kept_lines_are_the_others(lines, ends, bom, final, name, mask, other, drop_bad):
    pieces = [(kind, body, body + end) for (kind, body), end in zip(lines, ends, strict=False)]
    if not final:
        kind, body, _ = pieces.pop()
        pieces += [(kind, body, body)] if body else []
    kinds = [kind for kind, _, _ in pieces]
    rows, bad = kinds.count("good"), kinds.count("bad")
    first, second = ({n for n in range(rows) if m >> n & 1} for m in (mask, other))
    drop_bad = drop_bad and bad > 0
    plain = b"\xef\xbb\xbf" * bom + b"".join(whole for _, _, whole in pieces)
    if not (plain.strip(b"\xef\xbb\xbf") and rows + bad):
        return
    number = iter(range(rows))
    goes = [(next(number) in first | second) if kind == "good" else kind == "bad" and drop_bad for kind, _, _ in pieces]
    pack, unpack = packers(name)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "in").mkdir()
        file = folder / "in" / name
        file.write_bytes(pack(plain))
        before = file.read_bytes()
        findings = {"one": first, "two": second}
        told = report(folder / "rep", [entry(file, name, rows, bad, kinds.count("blank"))], findings, bad)
        drop = [f"train.{k}" for k, v in findings.items() if v] + ["train.unreadable_lines"] * drop_bad
        if not drop:
            return
        manifest = derive(told, {"train": str(folder / "in")}, folder / "out", drop=drop)
        out = folder / "out"
        assert file.read_bytes() == before
        derived = manifest.datasets["train"]
        assert derived.rows_dropped == len(first | second)
        assert derived.rows_kept == rows - len(first | second)
        assert derived.unreadable_dropped == bad * drop_bad
        whole = reassembled(out, name, unpack)
        assert whole == plain
        ledger = [c for c in changes(out) if not c.get("whole")]
        assert len(ledger) == sum(goes)
        assert all(hashlib.sha256(plain[c["byte"] :][: c["length"]]).hexdigest() == c["sha256"] for c in ledger)
        assert [c["line"] for c in ledger] == [n for n, gone in enumerate(goes, start=1) if gone]
        kept = out / "kept/train" / name
        stay = [piece for piece, gone in zip(pieces, goes, strict=True) if not gone]
        assert kept.exists() == any(kind != "blank" for kind, _, _ in stay)
        if kept.exists():
            text = unpack(kept.read_bytes()).removeprefix(b"\xef\xbb\xbf")
            assert text == b"".join(whole for _, _, whole in stay)
            readable = [json.loads(body) for kind, body, _ in stay if kind == "good"]
            assert len(readable) == derived.rows_kept


RECORD = st.dictionaries(st.sampled_from(["text", "b"]), st.text(max_size=5) | st.integers(-9, 9), min_size=1)


@settings(max_examples=80)
@given(
    records=st.lists(RECORD, min_size=2, max_size=8),
    indent=st.sampled_from([None, 0, 1, 4]),
    separators=st.sampled_from([(",", ":"), (" , ", " : ")]),
    mask=st.integers(1, 255),
)
def test_an_array_stays_an_array(records, indent, separators, mask):
    gone = {n for n in range(len(records)) if mask >> n & 1}
    if not gone:
        return
    data = json.dumps(records, indent=indent, separators=separators, ensure_ascii=False).encode() + b"\n"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        file = folder / "x.json"
        file.write_bytes(data)
        told = report(folder / "rep", [entry(file, "x.json", len(records))], {"dups": gone})
        derive(told, {"train": str(file)}, folder / "out")
        assert reassembled(folder / "out", "x.json") == data
        kept = folder / "out/kept/train/x.json"
        stay = [record for n, record in enumerate(records) if n not in gone]
        assert kept.exists() == bool(stay)
        if stay:
            assert json.loads(kept.read_bytes()) == stay


def test_records_inside_a_document_are_cut_with_their_commas(tmp_path):
    data = b'{"version": 1, "data": [\n {"text": "a"},\n {"text": "b"},\n {"text": "c"}\n], "end": []}\n'
    file = tmp_path / "x.json"
    file.write_bytes(data)
    told = report(tmp_path / "rep", [entry(file, "x.json", 3)], {"dups": [2]}, source={"records": "data"})
    derive(told, {"train": str(file)}, tmp_path / "out")
    kept = json.loads((tmp_path / "out/kept/train/x.json").read_bytes())
    assert kept == {"version": 1, "data": [{"text": "a"}, {"text": "b"}], "end": []}
    assert reassembled(tmp_path / "out", "x.json") == data


@settings(max_examples=60)
@given(
    rows=st.lists(st.lists(st.text('ab"\n\r,文 ', max_size=6), min_size=2, max_size=2), min_size=1, max_size=8),
    end=st.sampled_from(["\n", "\r\n"]),
    mask=st.integers(1, 255),
)
def test_csv_keeps_its_header_and_quoted_line_feeds(rows, end, mask):
    gone = {n for n in range(len(rows)) if mask >> n & 1}
    if not gone:
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([["prompt", "completion"], *rows])
    data = text.getvalue().encode()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        file = folder / "x.csv"
        file.write_bytes(data)
        told = report(folder / "rep", [entry(file, "x.csv", len(rows))], {"dups": gone})
        derive(told, {"train": str(file)}, folder / "out")
        assert reassembled(folder / "out", "x.csv") == data
        kept = folder / "out/kept/train/x.csv"
        stay = [row for n, row in enumerate(rows) if n not in gone]
        assert kept.exists() == bool(stay)
        if stay:
            read = list(csv.reader(io.StringIO(kept.read_bytes().decode(), newline="")))
            assert read == [["prompt", "completion"], *stay]


def test_wide_encodings_are_cut_between_characters(tmp_path):
    lines = ['{"text": "\u0a0a\u0a00 one"}\n', '{"text": "\u000a0two"}\n'.replace("\n0", "\u0a30"), '{"text": "c"}\n']
    data = "".join(lines).encode("utf-16-le")
    file = tmp_path / "x.jsonl"
    file.write_bytes(data)
    told = report(tmp_path / "rep", [entry(file, "x.jsonl", 3)], {"dups": [1]}, source={"encoding": "utf-16-le"})
    derive(told, {"train": str(file)}, tmp_path / "out")
    assert (tmp_path / "out/kept/train/x.jsonl").read_bytes().decode("utf-16-le") == lines[0] + lines[2]
    assert reassembled(tmp_path / "out", "x.jsonl") == data


def test_a_file_of_many_chunks(tmp_path):
    data = b"".join(good(n) + b"\n" for n in range(400))
    file = tmp_path / "x.jsonl"
    file.write_bytes(data)
    gone = {n for n in range(400) if n % 7 == 0 or n > 390}
    limits = {"limits": {"chunk_bytes": 500, "line_bytes": 400}}
    told = report(tmp_path / "rep", [entry(file, "x.jsonl", 400)], {"dups": gone}, source=limits)
    derive(told, {"train": str(file)}, tmp_path / "out")
    kept = (tmp_path / "out/kept/train/x.jsonl").read_bytes()
    assert kept == b"".join(good(n) + b"\n" for n in range(400) if n not in gone)
    assert reassembled(tmp_path / "out", "x.jsonl") == data


def test_an_array_of_many_chunks(tmp_path):
    records = [{"text": f"number {n}"} for n in range(300)]
    file = tmp_path / "x.json"
    file.write_text(json.dumps(records, indent=2), "utf-8")
    gone = {0, *range(20, 60), 150, 298, 299}
    limits = {"limits": {"chunk_bytes": 500, "line_bytes": 400}}
    told = report(tmp_path / "rep", [entry(file, "x.json", 300)], {"dups": gone}, source=limits)
    derive(told, {"train": str(file)}, tmp_path / "out")
    kept = json.loads((tmp_path / "out/kept/train/x.json").read_bytes())
    assert kept == [record for n, record in enumerate(records) if n not in gone]
    assert reassembled(tmp_path / "out", "x.json") == file.read_bytes()


# --- whole runs: damage, Parquet, validation ---

CONTRACT = """
name: small
version: 1
datasets:
  train:
    source: {path: nowhere}
    checks:
      - {check: exact_duplicates, severity: fail, limits: {rate: {max: 0, warn_max: null}}}
"""


@pytest.fixture
def audited(tmp_path, here):
    """Write files, run the contract on them; the data's folder and that of the report."""
    (tmp_path / "small.yaml").write_text(CONTRACT, encoding="utf-8")
    source = tmp_path / "in"
    source.mkdir()

    def audit(**files):
        for name, data in files.items():
            (source / name.replace("__", ".")).write_bytes(data)
        validate(tmp_path / "small.yaml", {"train": source}, out=tmp_path / "rep")
        return source, tmp_path / "rep"

    return audit


def test_damage_that_cannot_be_cut_out_puts_the_file_aside_as_it_is(audited, tmp_path):
    files = {
        "gzip__jsonl.gz": gzip.compress(b"".join(good(n) + b"\n" for n in range(3000)))[:-2000],
        "array__json": b'[\n {"text": "a"},\n {"text": "b"},\n {"te',
        "pointer__jsonl": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
        "empty__jsonl": b"",
        "ok__jsonl": good(1) + b"\n{broken\n",
    }
    source, told = audited(**files)
    manifest = derive(told, {"train": str(source)}, tmp_path / "out", drop=["train.unreadable_lines"])
    derived = {file.path: file for file in manifest.datasets["train"].files}
    assert {name: file.why for name, file in derived.items()} == {
        "array.json": ("cannot_be_cut",),
        "empty.jsonl": ("empty_file",),
        "gzip.jsonl.gz": ("truncated_compression",),
        "ok.jsonl": (),
        "pointer.jsonl": ("lfs_pointer",),
    }
    for name, file in derived.items():
        data = (source / name).read_bytes()
        if name != "ok.jsonl":
            assert file.kept is None
            assert (tmp_path / "out/dropped/train" / name).read_bytes() == data
    assert (tmp_path / "out/kept/train/ok.jsonl").read_bytes() == good(1) + b"\n"
    assert reassembled(tmp_path / "out", "ok.jsonl") == files["ok__jsonl"]
    whole = {c["file"]: c["sha256"] for c in changes(tmp_path / "out") if c.get("whole")}
    assert whole == {name: file.source.sha256 for name, file in derived.items() if file.why}


def test_a_broken_element_goes_and_the_array_stays_one(audited, tmp_path):
    data = b'[\n  {"text": "a"},\n  {"text": "b", },\n  {"text": "c"},\n  {"text": d}\n]\n'
    source, told = audited(x__json=data)
    derive(told, {"train": str(source)}, tmp_path / "out")
    kept = tmp_path / "out/kept/train/x.json"
    assert json.loads(kept.read_bytes()) == [{"text": "a"}, {"text": "c"}]
    assert reassembled(tmp_path / "out", "x.json") == data


def test_rows_of_tables_are_found_by_number_and_written_with_their_schema(audited, tmp_path):
    texts = [f"row {n}" for n in range(9000)]
    texts[8500], texts[4100] = texts[3], texts[4]
    table = pa.table({"text": texts, "n": pa.array(range(9000), pa.int32())}).replace_schema_metadata({"by": "hand"})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=3000, compression="zstd")
    stream = io.BytesIO()
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table.slice(0, 10))
    source, told = audited(x__parquet=sink.getvalue(), y__arrow=stream.getvalue())
    assert [place["at"] for place in first_places(told)][:2] == ["train/x.parquet:4101", "train/x.parquet:8501"]
    manifest = derive(told, {"train": str(source)}, tmp_path / "out")
    kept = pq.read_table(tmp_path / "out/kept/train/x.parquet")
    stay = [n for n in range(9000) if n not in (4100, 8500)]
    assert kept.equals(table.take(stay))
    assert kept.schema.equals(table.schema, check_metadata=True)
    assert pq.read_metadata(tmp_path / "out/kept/train/x.parquet").row_group(0).column(0).compression == "ZSTD"
    assert pq.read_table(tmp_path / "out/dropped/train/x.parquet")["n"].to_pylist() == [4100, 8500]
    assert [(c["line"], c["byte"]) for c in changes(tmp_path / "out") if c["file"] == "x.parquet"] == [
        (4101, None),
        (8501, None),
    ]
    parquet, arrow = manifest.datasets["train"].files
    assert (parquet.reassembles, arrow.why) == ("rows", ("nothing_left",))
    assert (tmp_path / "out/dropped/train/x.parquet").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "new", "read"),
    [("x.arrow", pa.ipc.new_file, pa.ipc.open_file), ("s.arrow", pa.ipc.new_stream, pa.ipc.open_stream)],
)
def test_arrow_keeps_schema_order_and_values(audited, tmp_path, name, new, read):
    schema = pa.schema({"text": pa.string(), "n": pa.int32()}, metadata={"by": "hand"})
    table = pa.table({"text": ["a", "b", "a", "c", "b"], "n": range(5)}, schema=schema)
    sink = io.BytesIO()
    with new(sink, schema) as writer:
        writer.write_table(table, max_chunksize=2)
    source, told = audited(**{name.replace(".", "__"): sink.getvalue()})
    derive(told, {"train": str(source)}, tmp_path / "out")
    kept, dropped = (read(tmp_path / f"out/{half}/train/{name}").read_all() for half in ("kept", "dropped"))
    assert kept.equals(table.take([0, 1, 3]))
    assert kept.schema.equals(schema, check_metadata=True)
    assert dropped.equals(table.take([2, 4]))
    assert (tmp_path / f"out/dropped/train/{name}").stat().st_mode & 0o777 == 0o600


def first_places(folder):
    findings = json.loads((folder / "report.json").read_text("utf-8"))["findings"]
    return [place for finding in findings for place in finding["evidence"].get("first", [])]


def test_what_was_kept_is_validated_and_its_version_is_that_of_the_new_report(audited, tmp_path):
    lines = [good(1), b"{broken", good(2), good(1), good(3)]
    source, told = audited(x__jsonl=b"\n".join(lines) + b"\n")
    contract = tmp_path / "small.yaml"
    manifest = derive(told, {"train": str(source)}, tmp_path / "out", contract=contract)
    assert (tmp_path / "out/kept/train/x.jsonl").read_bytes() == b"\n".join([good(1), good(2), good(3)]) + b"\n"
    assert (manifest.validation.verdict, manifest.validation.failed) == (Status.PASS, ())
    assert manifest.validation.same_contract
    old, new = (json.loads((folder / "report.json").read_text("utf-8")) for folder in (told, tmp_path / "out/report"))
    derived = manifest.datasets["train"]
    assert derived.derived_from == old["datasets"]["train"]["version"]
    assert derived.version == new["datasets"]["train"]["version"]
    assert derived.rows_kept == new["datasets"]["train"]["rows"] == old["funnel"]["train"][-1][1] == 3
    run = json.loads((tmp_path / "out/report/run.json").read_text("utf-8"))
    assert run["data"] == {"train": str(tmp_path / "out/kept/train")}
    again = derive(tmp_path / "out/report", {"train": str(tmp_path / "out/kept/train")}, tmp_path / "again")
    assert [file.reassembles for file in again.datasets["train"].files] == ["untouched"]
    assert (again.findings, again.changes.lines) == ((), 0)


def test_all_was_dropped_is_no_pass(audited, tmp_path):
    source, told = audited(x__jsonl=b"{broken\n", y__jsonl=b"{\n")
    manifest = derive(told, {"train": str(source)}, tmp_path / "out", contract=tmp_path / "small.yaml")
    assert manifest.datasets["train"].rows_kept == 0
    assert manifest.validation.exit_code in (1, 3)
    found = json.loads((tmp_path / "out/report/report.json").read_text("utf-8"))["findings"]
    assert manifest.validation.failed == tuple(each["id"] for each in found) != ()
    assert list((tmp_path / "out/kept/train").iterdir()) == []


def test_quarantine_content_holds_the_bad_bytes_and_is_private(tmp_path):
    (tmp_path / "small.yaml").write_text(CONTRACT, encoding="utf-8")
    data = b"\xef\xbb\xbf{broken\r\n" + good(1) + b"\n\xff\xfe\n" + good(2) + b'\n{"a": 1'
    (tmp_path / "in").mkdir()
    (tmp_path / "in/b.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "in/a.jsonl").write_bytes(good(3) + b"\nbad\n")
    options = Options(out=tmp_path / "rep", quarantine_content=True)
    with Session(tmp_path / "small.yaml", {"train": str(tmp_path / "in")}, options) as session:
        session.run()
        session.finish()
    raw = tmp_path / "rep/quarantine/train.raw"
    assert raw.read_bytes() == b'bad\n{broken\n\xff\xfe\n{"a": 1\n'
    assert raw.stat().st_mode & 0o777 == 0o600
    listed = [json.loads(line) for line in (tmp_path / "rep/quarantine/train.jsonl").read_text("utf-8").splitlines()]
    assert [entry["raw"] for entry in listed] == [0, 4, 12, 15]
    for entry_ in listed:
        data = raw.read_bytes()[entry_["raw"] :][: entry_["length"]]
        assert hashlib.sha256(data).hexdigest() == entry_["sha256"]


# --- the source, and what is refused ---


def test_the_source_is_only_read(simple):
    data, told, out = simple
    (file,) = data.iterdir()
    file.chmod(0o444)
    data.chmod(0o555)
    before = (file.stat().st_mtime_ns, file.stat().st_ino, file.read_bytes(), data.stat().st_mtime_ns)
    derive(told, {"train": str(data)}, out)
    assert (file.stat().st_mtime_ns, file.stat().st_ino, file.read_bytes(), data.stat().st_mtime_ns) == before
    data.chmod(0o755)


def test_modes_come_from_the_umask_but_what_was_dropped_is_private(simple):
    data, told, out = simple
    old = os.umask(0o027)
    try:
        derive(told, {"train": str(data)}, out)
    finally:
        os.umask(old)
    (file,) = data.iterdir()
    modes = {name: (out / name).stat().st_mode & 0o777 for name in ("kept", "dropped", "manifest.json")}
    assert modes == {"kept": 0o750, "dropped": 0o700, "manifest.json": 0o640}
    assert (out / "kept/train" / file.name).stat().st_mode & 0o777 == 0o640
    assert (out / "dropped/train" / file.name).stat().st_mode & 0o777 == 0o600


def change(data):
    (file,) = data.iterdir()
    file.write_bytes(file.read_bytes().replace(b"row", b"cow", 1))


def add(data):
    (data / "new.jsonl").write_bytes(good(1))


def lose(data):
    (file,) = data.iterdir()
    file.rename(file.with_name("other.jsonl"))


@pytest.mark.parametrize(
    ("harm", "says"), [(change, "was changed"), (add, "new.jsonl: is not in the report"), (lose, "is missing")]
)
def test_other_data_than_that_of_the_report_is_refused(simple, harm, says):
    data, told, out = simple
    harm(data)
    with pytest.raises(LoadError, match=says):
        derive(told, {"train": str(data)}, out)
    assert not out.exists()


def test_a_file_that_changes_while_it_is_cut_is_refused(simple, monkeypatch):
    data, told, out = simple
    original = cut.decoded
    monkeypatch.setattr(cut, "decoded", lambda raw, limits: (change(data), original(raw, limits))[1])
    with pytest.raises(LoadError, match="was changed"):
        derive(told, {"train": str(data)}, out)
    assert not out.exists()
    assert [path.name for path in out.parent.iterdir() if path.name.startswith(".out")] == []


@pytest.mark.parametrize(
    ("lose_of", "says"),
    [
        (lambda found: replace(found, rows=found.rows - 1), "reads differently than in the report"),
        (lambda found: replace(found, blank=found.blank + 1), "reads differently than in the report"),
        (lambda found: replace(found, ranges=()), "names rows that were not found again"),
    ],
)
def test_a_file_that_reads_otherwise_than_it_was_judged_is_refused(simple, monkeypatch, lose_of, says):
    """As another version of datacheck may read the same bytes."""
    data, told, out = simple
    survey = cut.survey
    monkeypatch.setattr(cut, "survey", lambda *given, **named: lose_of(survey(*given, **named)))
    with pytest.raises(LoadError, match=says):
        derive(told, {"train": str(data)}, out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("数据 a", "holds or lies in the data"),
        ("数据 a/new", "holds or lies in the data"),
        (".", "holds or lies in the data"),
        ("rep/new", "holds or lies in the report"),
        ("foreign", "is no result of datacheck apply"),
    ],
)
def test_where_it_never_writes(simple, tmp_path, where, says):
    data, told, _ = simple
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/mine.txt").write_text("mine", "utf-8")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=says):
        derive(told, {"train": str(data)}, tmp_path / where)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_earlier_result_with_a_file_of_the_user_is_not_replaced(simple):
    data, told, out = simple
    derive(told, {"train": str(data)}, out)
    (out / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match=r"also holds 'notes\.txt'"):
        derive(told, {"train": str(data)}, out)
    assert (out / "notes.txt").read_text("utf-8") == "mine"


def test_what_a_killed_run_left_is_swept_away(simple):
    data, told, out = simple
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = out.with_name(f".{out.name}.{platform.node() or 'host'}.{ended.pid}.0")
    (left / "dropped").mkdir(parents=True)
    derive(told, {"train": str(data)}, out)
    assert not left.exists()


def test_a_link_to_the_data_does_not_hide_it(simple, tmp_path):
    data, told, _ = simple
    (tmp_path / "link").symlink_to(data)
    with pytest.raises(UsageError, match="lies in the data"):
        derive(told, {"train": str(data)}, tmp_path / "link/new")


def test_evidence_that_does_not_fit_is_refused(simple):
    data, told, out = simple
    path = told / "evidence/train.dups.parquet"
    table = pl.read_parquet(path)
    table.with_columns(pl.lit(9, pl.UInt64).alias("line")).write_parquet(path)
    with pytest.raises(LoadError, match="on another line"):
        derive(told, {"train": str(data)}, out)
    table.with_columns(pl.lit(4, pl.UInt64).alias("row")).write_parquet(path)
    with pytest.raises(LoadError, match="rows that the dataset does not have"):
        derive(told, {"train": str(data)}, out)
    pl.concat([table, table]).write_parquet(path)
    with pytest.raises(LoadError, match="other places than the report counts"):
        derive(told, {"train": str(data)}, out)
    path.unlink()
    with pytest.raises(LoadError, match="cannot be read"):
        derive(told, {"train": str(data)}, out)


def test_what_is_asked_wrongly(simple):
    data, told, out = simple
    bound = {"train": str(data)}
    with pytest.raises(UsageError, match=r"did you mean 'train\.dups'"):
        derive(told, bound, out, drop=["train.dup"])
    with pytest.raises(UsageError, match="unknown dataset; known: train"):
        derive(told, {"eval": str(data)}, out)
    with pytest.raises(UsageError, match="no data named"):
        derive(told, {}, out)
    with pytest.raises(UsageError, match="no such file or folder"):
        derive(told, {"train": str(data / "none")}, out)


def test_data_that_is_not_named_is_where_the_run_had_it(tmp_path, command, monkeypatch):
    rules = contract(tmp_path, ["role_errors"])
    jsonl(tmp_path / "data.jsonl", GOOD, {"messages": [{"role": "robot", "content": "x"}]})
    jsonl(tmp_path / "elsewhere" / "data.jsonl", GOOD)
    monkeypatch.chdir(tmp_path)
    assert command("run", rules, "--data", "train=data.jsonl", "--out", "report")[0] == 1
    assert command("apply", "report", "--out", "clean")[0] == 0
    assert (tmp_path / "clean/kept/train/data.jsonl").read_text().count("\n") == 1
    assert command("apply", "report", "--out", "again", "--drop", "train.role_error")[0] == 2
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert command("apply", "../report", "--out", "clean")[0] == 3  # other data: its bytes say so


def test_a_row_of_two_findings_is_dropped_once_and_both_are_told(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_bytes(b"".join(good(n) + b"\n" for n in range(4)))
    told = report(tmp_path / "rep", [entry(file, "x.jsonl", 4)], {"dups": [1, 2], "pii": [2, 3]})
    manifest = derive(told, {"train": str(file)}, tmp_path / "out")
    assert [c["findings"] for c in changes(tmp_path / "out")] == [
        ["train.dups"],
        ["train.dups", "train.pii"],
        ["train.pii"],
    ]
    assert manifest.datasets["train"].rows_dropped == 3


# --- crashes ---

KILL = """
import os, sys
from datacheck.cli import main
count, number, sign, real = 0, int(sys.argv[1]), int(sys.argv[2]), os.fsync
def fsync(descriptor):
    global count
    count += 1
    if count == number:
        os.kill(os.getpid(), sign)
    real(descriptor)
os.fsync = fsync
sys.argv = ["datacheck", *sys.argv[3:]]
main.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_a_kill_in_the_middle_leaves_no_half_result(simple, number, sign):
    data, told, out = simple
    derive(told, {"train": str(data)}, out)
    before = {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    command = ["apply", str(told), "--data", f"train={data}", "--out", str(out)]
    ended = subprocess.run(
        [sys.executable, "-c", KILL, str(number), str(int(sign)), *command],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()} == before
    if sign is signal.SIGTERM:
        assert ended.returncode == 128 + signal.SIGTERM
        assert [path.name for path in out.parent.iterdir() if path.name.startswith(".")] == []
    else:
        assert ended.returncode == -signal.SIGKILL


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_full_disk_leaves_nothing(simple, monkeypatch, number):
    data, told, out = simple
    calls = []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == number:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(LoadError, match="No space left"):
        derive(told, {"train": str(data)}, out)
    assert sorted(path.name for path in out.parent.iterdir()) == ["rep", data.name]


# --- what it says ---


def test_the_command_says_what_was_kept_dropped_and_where(simple):
    data, told, out = simple
    runner = CliRunner()
    result = runner.invoke(app, ["apply", str(told), "--data", f"train={data}", "--out", str(out), "--lang", "en"])
    assert result.exit_code == 0
    text = result.output
    assert "3 of 4 rows kept, 1 row put aside; 1 of 1 files changed" in text
    assert "train.dups  1 row" in text
    assert "not validated; name the contract with --contract" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_wider_than_the_screen(audited, tmp_path, lang, width):
    from rich.cells import cell_len

    name = "很长的文件名" * 10 + "\x1b[31m"
    source, told = audited(**{f"{name}__jsonl": b"{broken\n" + good(1) + b"\n" + good(1) + b"\n", "e__jsonl": b""})
    bound = {"train": str(source)}
    manifest = derive(told, bound, tmp_path / "out", contract=tmp_path / "small.yaml")
    target = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    print_manifest(manifest, Console(file=target, width=width), lang, folder=str(tmp_path / "out"))
    target.seek(0)
    lines = target.read().splitlines()
    assert len(lines) > 15
    assert max(map(cell_len, lines)) <= width
    assert "\x1b" not in "".join(lines)


def test_the_manifest_is_the_same_bytes_each_time(simple):
    data, told, out = simple
    derive(told, {"train": str(data)}, out)
    first = [(out / name).read_bytes() for name in ("manifest.json", "changes.jsonl")]
    derive(told, {"train": str(data)}, out)
    assert [(out / name).read_bytes() for name in ("manifest.json", "changes.jsonl")] == first
