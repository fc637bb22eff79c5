"""Public suites of broken and hostile input, through the whole of datacheck.

JSON validity and csv-spectrum are held by loading/test_loading_suites.py; here are whole runs and the reports.
"""

import shutil

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from core_helpers import contract, jsonl, report, spawn

pytestmark = pytest.mark.slow


def cases(folder, prefix):
    """The cases of JSONTestSuite that are one line, each as the value of an object, and those that are not."""
    single, several = {}, {}
    for file in sorted(folder.glob(f"{prefix}_*.json")):
        body = file.read_bytes()
        (several if b"\n" in body.strip(b"\n") or b"\r" in body else single)[file.name] = body.strip(b"\n")
    return single, several


@pytest.mark.parametrize("prefix", ["y", "n"])
def test_all_cases_of_the_json_suite_in_one_file(realdata, tmp_path, prefix):
    """One line per case, so a case that swallowed its neighbour would be seen; a case of several lines has a file."""
    single, several = cases(realdata / "bad" / "json-test-suite" / "test_parsing", prefix)
    assert len(single) + len(several) == {"y": 95, "n": 188}[prefix]
    names = list(single)
    fine = b'{"text": "fine"}\n' * 3
    wrapped = [b'{"text": ' + body + b"}\n" for body in single.values()]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "all.jsonl").write_bytes(fine + b"".join(wrapped))
    for name, body in several.items():
        (tmp_path / "data" / name).write_bytes(b'{"text": ' + body + b"}\n")
    done = spawn("run", contract(tmp_path, ["unreadable_lines"], source={"path": "data", "format": "rows"}),
                 "--out", tmp_path / "out", "--quiet")  # fmt: skip
    assert done.returncode in (1, 3), done.stderr
    read = {
        file["path"]: (file["rows"], file["unreadable"])
        for file in report(tmp_path / "out")["datasets"]["train"]["files"]
    }
    wanted = {name: (1, 0) if prefix == "y" and "duplicated_key" not in name else (0, 1) for name in several}
    assert {name: min(read[name], (1, 1)) for name in several} == wanted
    refused = {n for n in names if prefix == "n" or "duplicated_key" in n}  # two equal keys: refused by choice
    assert read["all.jsonl"] == (3 + len(names) - len(refused), len(refused))
    places = table(tmp_path / "out", "unreadable_lines")
    lines = {line for file, line in places if file.endswith("all.jsonl")}
    assert lines == {4 + names.index(name) for name in refused}


def table(out, check):
    return list(pl.read_parquet(out / "evidence" / f"train.{check}.parquet").select("file", "line").iter_rows())


# ── Parquet and Arrow ─────────────────────────────────────────────────────────────────────────────────
def read_by_pyarrow(path):
    """Whether pyarrow reads all of a file and finds it valid: the judge of whether it is bad."""
    try:
        if path.suffix == ".parquet":
            pq.ParquetFile(path, page_checksum_verification=True).read().validate(full=True)
        else:
            opened = pa.ipc.open_file if path.read_bytes().startswith(b"ARROW1") else pa.ipc.open_stream
            opened(pa.BufferReader(path.read_bytes())).read_all().validate(full=True)
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, NotImplementedError):
        return False
    return True


def corpus(realdata, name):
    bad = realdata / "bad"
    if name == "bad_data":
        return sorted((bad / "parquet-testing" / "bad_data").glob("*.parquet"))
    if name == "parquet_fuzz":
        return sorted(path for path in (bad / "arrow-testing" / "data" / "parquet").rglob("*") if path.is_file())
    return sorted(path for path in (bad / "arrow-testing" / "data" / f"arrow-ipc-{name}").iterdir() if path.is_file())


@pytest.mark.parametrize(("name", "count", "suffix"), [
    ("bad_data", 8, ".parquet"), ("parquet_fuzz", 143, ".parquet"), ("file", 56, ".arrow"), ("stream", 81, ".arrow"),
])  # fmt: skip
def test_every_damaged_table_of_a_folder_is_named_and_the_run_ends(realdata, tmp_path, name, count, suffix):
    """The fuzzers' files carry no suffix, so each gets one: a data file by its name, whatever is in it."""
    found = corpus(realdata, name)
    (tmp_path / "data").mkdir()
    for number, path in enumerate(found):
        shutil.copyfile(path, tmp_path / "data" / f"f{number:03}{suffix}")
    assert abs(len(found) - count) <= 2, len(found)
    jsonl(tmp_path / "data" / "good.jsonl", {"text": "fine"})
    done = spawn("run", contract(tmp_path, ["unreadable_lines"]), "--out", tmp_path / "out", "--quiet")
    assert done.returncode in (1, 3), done.stderr[-500:]
    assert b"Traceback" not in done.stderr
    read = {file["path"]: file for file in report(tmp_path / "out")["datasets"]["train"]["files"]}
    assert read["good.jsonl"]["rows"] == 1
    named = {file for file, _ in table(tmp_path / "out", "unreadable_lines")}
    silent = [n for n in read if n != "good.jsonl" and not any(file.endswith(n) for file in named)]
    taken = [found[int(n[1:4])].name for n in silent]
    assert [name for name, n in zip(taken, silent, strict=True) if not read_by_pyarrow(tmp_path / "data" / n)] == []
    if name == "bad_data":
        assert taken == [FINE]


# It made a reader in Go crash. A dictionary of one value needs indices of 0 bits, which the format allows: nothing is
# wrong with the file (parquet-testing, pull request 57).
FINE = "ARROW-GH-43605.parquet"


def test_the_file_of_bad_data_that_is_fine_holds_the_same_for_two_readers(realdata):
    path = realdata / "bad" / "parquet-testing" / "bad_data" / FINE
    table = pq.read_table(path)
    assert table.num_rows == 21_186
    assert pl.read_parquet(path).to_dict(as_series=False) == table.to_pydict()
