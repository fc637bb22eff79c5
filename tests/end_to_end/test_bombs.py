"""Small files that unfold to much: refused at a limit that the report names, in bounded time and memory.

Memory is the sum of PSS over the process tree. The limit is stated in bytes by the acceptance, the time by the test's
own clock: start-up of three processes on a loaded machine included, hence generous.
"""

import gzip
import os
import subprocess
import sys
import time

import psutil
import pytest
import yaml
import zstandard
from core_helpers import ROOT
from core_helpers import report as report_of

MIB = 1024**2
PEAK = 512 * MIB  # of a parent and two workers, each with what is imported and a part of the file
SECONDS = 60  # beside other tests on a slow machine; a bomb that is not refused takes far longer
GOOD = b'{"messages":[{"role":"user","content":"hi there"},{"role":"assistant","content":"hello you"}]}\n'


def tree_bytes(process: psutil.Process) -> int:
    """PSS of a process and all below it; one that ends meanwhile counts nothing."""
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    for one in family:
        try:
            total += one.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def check(folder, name, capsys, checks=("empty_turns",)):
    """Run datacheck on one file; return (exit code, report, peak bytes), and print what it took."""
    value = {"name": "bomb", "datasets": {"train": {"source": {"path": f"data/{name}"}, "checks": list(checks)}}}
    (folder / "contract.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")
    start = time.monotonic()
    process = psutil.Popen(
        [sys.executable, "-m", "datacheck", "run", "contract.yaml", "--out", "out", "--quiet"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    peak = 0
    try:
        while process.poll() is None:
            peak = max(peak, tree_bytes(process))
            assert time.monotonic() - start < SECONDS, f"not refused after {SECONDS} s; peak {peak / MIB:.0f} MiB"
            assert peak < PEAK, f"{peak / MIB:.0f} MiB after {time.monotonic() - start:.1f} s"
            time.sleep(0.05)
    finally:
        if process.poll() is None:
            process.kill()  # its children end with it
        errors = process.communicate()[1]
    with capsys.disabled():
        print(f"\n{folder.name}: {time.monotonic() - start:.1f} s, {peak / MIB:.0f} MiB, exit {process.returncode}")
    assert errors == b""
    return process.returncode, report_of(folder / "out"), peak


def unreadable(report):
    return next(found for found in report["findings"] if found["check"] == "unreadable_lines")


def rows_read(report):
    few = next(found for found in report["findings"] if found["check"] == "too_few_rows")
    return next(value["value"] for value in few["values"] if value["name"] == "rows")


def repeated(block: bytes, times: int):
    for _ in range(times):
        yield block


def plain(path, *parts):
    with path.open("wb") as file:
        for part in parts:
            file.writelines([part] if isinstance(part, bytes) else part)


def gzipped(path, *parts):
    with gzip.open(path, "wb", compresslevel=1) as file:
        for part in parts:
            file.writelines([part] if isinstance(part, bytes) else part)


def zstd(path, *parts):
    with path.open("wb") as raw, zstandard.ZstdCompressor().stream_writer(raw) as file:
        for part in parts:
            for block in [part] if isinstance(part, bytes) else part:
                file.write(block)


def dictionary(path):
    """200,000 rows of 1 MiB each: one value, repeated by number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), pa.array(["x" * MIB]))
    pq.write_table(pa.table({"text": column}), path)


def keys():
    yield ("{" + ",".join(f'"{number:x}":1' for number in range(10**6)) + "}\n").encode()


LONG = (b'{"text":"', b'"}\n')
# name of the file, its writer and parts, the code of the limit, the line that the report names, rows still read
BOMBS = {
    "zstd_zeros": ("a.jsonl.zst", zstd, (lambda: repeated(bytes(MIB), 2048),), "bomb_ratio", 1, None),
    "zstd_one_line_repeated": ("a.jsonl.zst", zstd, (lambda: repeated(GOOD * 10_000, 2200),), "bomb_ratio", None, None),
    "gzip_one_line": (
        "a.jsonl.gz",
        gzipped,
        (GOOD, LONG[0], lambda: repeated(b"x" * MIB, 2048), LONG[1], GOOD),
        "line_too_long",
        2,
        1,
    ),
    "gzip_first_line": (
        "a.jsonl.gz",
        gzipped,
        (LONG[0], lambda: repeated(b"x" * MIB, 2048), LONG[1], GOOD),
        "line_too_long",
        1,
        None,
    ),
    "deep_objects": (
        "a.jsonl",
        plain,
        (GOOD, b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n", GOOD),
        "too_deep",
        2,
        2,
    ),
    "deep_lists_open": ("a.jsonl", plain, (GOOD, b"[" * 100_000 + b"\n", GOOD), "too_deep", 2, 2),
    "line_of_100_mb": (
        "a.jsonl",
        plain,
        (GOOD * 50, LONG[0], lambda: repeated(b"x" * MIB, 100), LONG[1], GOOD * 50),
        "line_too_long",
        51,
        100,
    ),
    "line_of_400_mb": (
        "a.jsonl",
        plain,
        (GOOD * 50, LONG[0], lambda: repeated(b"x" * MIB, 400), LONG[1], GOOD * 50),
        "line_too_long",
        51,
        50,
    ),
    "million_keys": ("a.jsonl", plain, (GOOD, keys, GOOD), "too_many_keys", 2, 2),
    "million_keys_first": ("a.jsonl", plain, (keys, GOOD), "too_many_keys", 1, 1),
    "lists_in_a_line": (
        "a.jsonl",
        plain,
        (GOOD, b'{"a":[' + b"[]," * (4 * MIB) + b"[]]}\n", GOOD),
        "too_many_keys",
        2,
        2,
    ),
    "array_of_lists": (
        "a.json.gz",
        gzipped,
        (b"[", lambda: repeated(b"[]," * 350_000, 2048), b"1]"),
        "line_too_long",
        1,
        None,
    ),
    "csv_line": (
        "a.csv",
        plain,
        (b"text,b\n" + b"hello,1\n" * 50, b'"', lambda: repeated(b"x" * MIB, 100)),
        "line_too_long",
        52,
        50,
    ),
    "parquet_dictionary": ("a.parquet", None, (), "bomb_ratio", None, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", list(BOMBS))
def test_a_bomb_is_refused_at_a_limit_that_the_report_names(tmp_path, capsys, bomb):
    name, write, parts, code, line, rows = BOMBS[bomb]
    folder = tmp_path / bomb
    (folder / "data").mkdir(parents=True)
    path = folder / "data" / name
    if write is None:
        dictionary(path)
    else:
        write(path, *(part if isinstance(part, bytes) else part() for part in parts))
    exit_code, report, _ = check(folder, name, capsys)
    path.unlink()
    found = unreadable(report)
    assert (exit_code, report["verdict"], found["status"]) == (3, "error", "error")
    assert f"{code} (1)" in found["error"] or code in found["error"]
    places = {(place["problem"], place["at"].partition("/")[2]) for place in found["evidence"]["first"]}
    assert code in {problem for problem, _ in places}
    if line is not None:
        assert (code, f"{name}:{line}") in places
    assert not any("*" in place["detail"] for place in found["evidence"]["first"]), "the limit itself is masked"
    if rows is not None:
        assert rows_read(report) == rows


@pytest.mark.slow
def test_a_quote_that_is_never_closed_costs_its_own_line(tmp_path, capsys):
    """40 MiB behind an open quote: damage, not a limit, so the verdict is fail; the lines behind it are rows."""
    (tmp_path / "data").mkdir()
    line = b"x" * 1000 + b",y\n"
    plain(tmp_path / "data" / "a.csv", b"text,b\nhello,1\n", b'"open,1\n', repeated(line, 40_000))
    code, report, _ = check(tmp_path, "a.csv", capsys)
    assert (code, report["verdict"]) == (1, "fail")
    assert [(p["problem"], p["at"]) for p in unreadable(report)["evidence"]["first"]] == [
        ("csv_quote", "train/a.csv:3")
    ]
    assert rows_read(report) == 40_001


@pytest.mark.parametrize(
    "text",
    [
        "name: &a x\ndatasets: *a\n",
        "name: x\ndatasets:\n  <<: {train: {}}\n",
        "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    ],
)
def test_aliases_and_merge_keys_in_a_contract_are_asked_wrongly(tmp_path, text):
    (tmp_path / "contract.yaml").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "datacheck", "run", "contract.yaml"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert b"contract.yaml" in done.stderr + done.stdout
