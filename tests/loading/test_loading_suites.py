"""Public suites and real files; the truth comes from json, csv and pyarrow's own metadata."""

import csv
import gzip
import io
import json
import random

import pyarrow.parquet as pq
import pytest
from core_helpers import mostly_slow
from loading_helpers import load_file

from datacheck.loading.reading import Reading


@pytest.mark.slow
def test_json_test_suite_as_json_lines(realdata, load):
    """0 wrong accepts and 0 wrong rejects, apart from duplicate keys; every i_ file only must not crash."""
    folder = realdata / "bad" / "json-test-suite" / "test_parsing"
    files = sorted(folder.glob("[yn]_*.json"))
    assert len(files) == 283
    wrong = []
    for file in files:
        body = file.read_bytes().replace(b"\r", b" ")
        if b"\n" in body.strip(b"\n") or not body.strip():
            continue  # not one line
        loaded = load(b'{"v": ' + body.strip(b"\n") + b"}\n")
        accepted = loaded.counts[3] == 1
        duplicate = "duplicated_key" in file.name
        if accepted != (file.name.startswith("y_") and not duplicate):
            wrong.append(file.name)
    assert wrong == []


def test_undecided_cases_of_the_suite_do_not_crash(realdata, load):
    for file in sorted((realdata / "bad" / "json-test-suite" / "test_parsing").glob("i_*.json")):
        load(b'{"v": ' + file.read_bytes() + b"}\n")


def test_csv_spectrum(realdata):
    folder = realdata / "bad" / "csv-spectrum"
    files = sorted((folder / "csvs").glob("*.csv"))
    assert len(files) == 11
    for file in files:
        expected = json.loads((folder / "json" / file.with_suffix(".json").name).read_text())
        loaded = load_file(file, Reading(format="rows"))
        rows = [
            dict(part.select("path", "text").iter_rows())
            for part in loaded.cells.partition_by("row", maintain_order=True)
        ]
        # Both sides keep the line ends inside quotes as they are in the file.
        assert rows == expected, file.name


def _expected_rows(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        return pq.ParquetFile(path).metadata.num_rows
    text = data.decode("utf-8-sig")
    if name.endswith((".csv", ".tsv")):
        return len(list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if name.endswith("tsv") else ","))) - 1
    try:
        value = json.loads(text)
        return len(value) if isinstance(value, list) else 1
    except ValueError:
        return sum(json.loads(line) is not None for line in text.split("\n") if line.strip())


@pytest.mark.slow
def test_every_real_file_has_the_rows_that_another_parser_counts(realdata):
    suffixes = (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".jsonl.gz")
    files = [
        path
        for path in sorted(realdata.rglob("*"))
        if path.is_file()
        and path.name.endswith(suffixes)
        and path.relative_to(realdata).parts[0] not in {"bad", "MANIFEST.json"}
        and not path.relative_to(realdata).parts[0].startswith("tok_")
    ]
    assert len(files) > 100
    for path in files:
        loaded = load_file(path)
        assert loaded.counts[2] + loaded.counts[3] == _expected_rows(path), path
        bad = set(loaded.lines.filter(loaded.lines["code"] != "blank")["code"]) if loaded.lines.height else set()
        assert bad <= {"not_an_object", "too_many_keys", "lists_inside"}, path


@pytest.mark.slow
def test_parquet_fuzz_files_never_raise(realdata):
    files = sorted((realdata / "bad" / "parquet-testing" / "bad_data").glob("*.parquet"))
    files += sorted((realdata / "bad" / "parquet-testing" / "data").glob("*.parquet"))
    assert len(files) > 50
    good = 0
    for path in files:
        loaded = load_file(path)
        good += loaded.counts[3] > 0
    assert good > 30


def _records(realdata):
    rows = []
    for name in ("ms_swift/tests/llm/data/chatml.jsonl", "ms_swift/tests/llm/data/alpaca.jsonl"):
        rows += (realdata / name).read_bytes().splitlines()
    rows += (realdata / "gsm8k/grade_school_math/data/test.jsonl").read_bytes().split(b"\n")[:3]
    rows += (realdata / "medicalgpt/data/sft/medical_sft_1K_format.jsonl").read_bytes().split(b"\n")[:2]
    return rows


def _strict(line):
    """Parse as RFC 8259 with one meaning per text: json.loads plus what it lets through."""

    def pairs(items):
        keys = [key for key, _ in items]
        if len(set(keys)) < len(keys):
            raise ValueError
        return dict(items)

    def refuse(_):
        raise ValueError

    value = json.loads(line.decode("utf-8"), object_pairs_hook=pairs, parse_constant=refuse)
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")
    return value


def _mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(7)
        at = rng.randrange(len(data) + 1)
        if kind == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[at : at + rng.randint(1, 8)]
        elif kind == 2:
            data[at:at] = rng.choice(
                [
                    b'"',
                    b"{",
                    b"}",
                    b"[",
                    b"]",
                    b",",
                    b"\n",
                    b"\r",
                    b"\\",
                    b"\0",
                    b"NaN",
                    b"\xff",
                    b"1e999",
                    b"\xe2\x80\xa8",
                    b"\\ud800",
                    b"\xef\xbb\xbf",
                ]
            )
        elif kind == 3:
            data[at:at] = data[max(0, at - 20) : at]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            data = data.replace(b"\n", b"\r\n", rng.randint(0, 3))
        else:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + 30]
    return bytes(data)


@pytest.mark.parametrize("seed", mostly_slow(range(4), {0}))
def test_mutated_json_lines(realdata, load, seed):
    """No exception, all bytes accounted for, accepted rows equal to a strict json.loads, none wrongly refused."""
    rng = random.Random(seed)
    records = _records(realdata)
    for _ in range(250):
        data = _mutate(b"\n".join(rng.sample(records, 4)) + b"\n", rng)
        loaded = load(data)
        if not loaded.chunks or loaded.chunks[0].kind != "jsonl":
            continue
        lines = data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        assert loaded.counts[0] == len(lines)
        assert loaded.counts[4] == len(data) == loaded.seen.decoded
        accepted = set(loaded.rows["line"].to_list())
        for number, line in enumerate(lines):
            try:
                value = _strict(line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line)
                good = isinstance(value, dict)
                unclear = isinstance(value, list)
            except ValueError:
                good = unclear = False
            assert unclear or (number in accepted) == good, (data, number)


@pytest.mark.parametrize("name", mostly_slow(["a.json", "a.csv", "a.jsonl.gz", "a.tsv"], {"a.json", "a.csv"}))
def test_mutated_files_of_other_kinds_never_raise(realdata, load, name):
    rng = random.Random(name)
    records = _records(realdata)
    for _ in range(200):
        body = b"[\n  " + b",\n  ".join(rng.sample(records, 4)) + b"\n]\n"
        if name == "a.csv":
            body = b'text,n\n"a ""b"" c",1\n"d\ne",2\nf,3\n' * 2
        elif name == "a.tsv":
            body = b"text\tn\na\t1\nb\t2\n"
        data = _mutate(gzip.compress(body) if name.endswith("gz") else body, rng)
        loaded = load(data, name)
        assert loaded.seen.bytes == len(data)
        assert sum(chunk.size for chunk in loaded.chunks) <= loaded.seen.decoded or loaded.seen.container == "parquet"


def test_damaged_array_keeps_nearly_all_rows(realdata, load):
    """One mutation inside one element of a pretty-printed array costs at most that element and its neighbour."""
    rng = random.Random(7)
    for trial in range(100):
        elements = [json.dumps({"text": f"row {n}", "meta": {"n": [n, {"x": n}]}}, indent=2) for n in range(30)]
        indented = [("\n".join("  " + line for line in element.split("\n"))).encode() for element in elements]
        victim = rng.randrange(30)
        at = rng.randrange(2, len(indented[victim]))
        indented[victim] = indented[victim][:at] + indented[victim][at + 1 :]
        loaded = load(b"[\n" + b",\n".join(indented) + b"\n]\n", "a.json")
        kept = set(loaded.turns["text"].to_list())
        assert len([n for n in range(30) if f"row {n}" in kept]) >= 28, (trial, indented[victim])


def test_chunks_cut_at_record_ends_and_give_the_same_tables(realdata, load):
    sources = [
        (realdata / "medicalgpt/data/sft/medical_sft_1K_format.jsonl", "a.jsonl"),
        (realdata / "llama_factory/data/glaive_toolcall_zh_demo.json", "a.json"),
        (realdata / "disc_law/eval/datasets/objective/mcq_sing_cpa.csv", "a.csv"),
        (realdata / "ms_swift/tests/llm/data/swift_multi.json", "a.json"),
    ]
    for path, name in sources:
        data = path.read_bytes()
        whole = load(data, name)
        cut = load(data, name, limits={"chunk_bytes": max(len(data) // 7, 100)})
        assert len(whole.chunks) == 1
        assert len(cut.chunks) > 1
        assert b"".join(chunk.data for chunk in cut.chunks) == data
        for table in ("rows", "turns", "cells", "lines"):
            assert getattr(whole, table).equals(getattr(cut, table)), (name, table)
        assert whole.counts == cut.counts


@pytest.mark.parametrize("text", ["a }] b", "{{{{", "]]]]", "x } \\\\ } y"])
def test_a_chunk_that_ends_inside_a_string_does_not_take_its_brackets_for_structure(load, text):
    data = json.dumps([{"text": f"{text} {n} {text}"} for n in range(9)], indent=1).encode()
    for size in range(60, 120, 3):
        loaded = load(data, "a.json", limits={"chunk_bytes": size, "line_bytes": 70})
        assert loaded.turns["text"].to_list() == [f"{text} {n} {text}" for n in range(9)], size
        assert loaded.counts[2] == 0


def test_a_string_that_its_line_ends_on_a_backslash_is_over_there(load):
    """The brackets in it are text; the element behind it is read."""
    data = b'[\n  {"text": "}]}\\\n"},\n  {"text": "good"}\n]\n'
    loaded = load(data, "a.json")
    assert (loaded.counts[2], loaded.turns["text"].to_list()) == (1, ["good"])


def test_an_array_of_damaged_elements_takes_linear_time(load):
    """Each element has lost its closing bracket; a scan to the end for each of them would take minutes."""
    count = 40_000
    element = b'  {\n    "text": "' + b"x" * 40 + b'"\n'
    loaded = load(b"[\n" + b",\n".join([element] * count) + b"]\n", "a.json")
    assert loaded.counts[2] >= count - 1


@pytest.mark.slow
@pytest.mark.parametrize("indent", [None, 0, 2, "\t"])
def test_parts_of_a_damaged_element_never_become_rows(load, indent):
    """Whatever is lost, a message inside a damaged record is no record of its own."""
    rng = random.Random(11)
    records = [
        {"messages": [{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": "a"}]} for n in range(9)
    ]
    text = json.dumps(records, indent=indent).encode()
    for trial in range(150):
        at = rng.randrange(1, len(text) - 1)
        limits = {"chunk_bytes": 300, "line_bytes": 200} if trial % 2 else {}
        loaded = load(text[:at] + text[at + 1 :], "a.json", limits=limits)
        assert "role" not in set(loaded.cells["path"].to_list())
        try:
            expected = len(json.loads(text[:at] + text[at + 1 :]))
        except ValueError:
            assert loaded.codes, at
        else:
            assert loaded.counts[3] + loaded.counts[2] == expected
