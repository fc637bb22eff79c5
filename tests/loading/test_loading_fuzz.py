"""Mutants of real files: no exception, every byte accounted for, and rows exactly where a strict parser reads them.

DATACHECK_FUZZ sets how many mutants are made (20,000 by default), DATACHECK_FUZZ_SEED which ones.
"""

import csv
import gzip
import io
import itertools
import json
import os
import random
import re
import zlib
from functools import partial
from typing import NamedTuple

import pytest
import zstandard

from datacheck.engine import cut
from datacheck.loading import files
from datacheck.loading.codes import CODES
from datacheck.loading.parse import parse
from datacheck.loading.reading import Limits, Reading

MUTANTS = int(os.environ.get("DATACHECK_FUZZ") or 20_000)
SEED = os.environ.get("DATACHECK_FUZZ_SEED") or "0"
NAMES = ("a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.json", "a.csv")
SHARE = {"a.jsonl": 8, "a.jsonl.gz": 3, "a.jsonl.zst": 3, "a.json": 3, "a.csv": 3}  # of 20 mutants
PIECES = [b"\n", b"\r\n", b"\r", b"{", b"}", b"[", b"]", b'"', b'""', b"\\", b",", b":", b"\x00", b"\xff",
          b"\xef\xbb\xbf", b"NaN", b"1e999", b"-0", b"1" * 25, b"\\ud800", b"\xe4\xb8", "　".encode(), b'"role":',
          b"null", b"-", b"0", b" ", b"\t", b"\x0b", b"\xe2\x80\xa8", b'"a":1,"a":2,', b"},\n{", b"\x1f\x8b"]  # fmt: skip
SURROGATE = re.compile("[\ud800-\udfff]")
BOM = b"\xef\xbb\xbf"
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # RFC 1952, RFC 8878
SPACE = b" \t\r\n"
# What may stand between two records that are not next to each other, by kind of file.
BETWEEN = {"jsonl": b"\r\n", "csv": b"\r\n", "array": SPACE + b",[]", "sequence": SPACE, "document": SPACE}
FORM = {"array_in_jsonl", "pretty_printed"}  # wrong as a file, but every record is read
CUT_SHORT = {"truncated_compression", "bad_compression", "bomb_ratio"}


# ── the judge: what Python's own parsers say ──────────────────────────────────────────────────────────
def strict(text):
    """What json.loads makes of bytes when it takes nothing on trust; None where they must be refused."""

    def unique(pairs):
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("a key is given twice")
        return dict(pairs)

    def finite(number):
        if float(number) in (float("inf"), float("-inf")):
            raise ValueError("beyond a double")
        return float(number)

    def refuse(name):
        raise ValueError(name)

    try:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError):
        return None
    return None if SURROGATE.search(json.dumps(value, ensure_ascii=False)) else value


def kind_of(value):
    return {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}.get(
        type(value)
    )


def numbers_only(value):
    return isinstance(value, list) and all(isinstance(item, int | float) for item in value)


def leaves(path, value):
    """(path, type, text) of all that stands below a value; a list of numbers is one leaf."""
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items() for leaf in leaves(f"{path}.{key}", item)]
    if isinstance(value, list) and not numbers_only(value):
        return [leaf for at, item in enumerate(value) for leaf in leaves(f"{path}[{at}]", item)]
    return [(path, kind_of(value), scalar(value))]


def scalar(value):
    """The text of a leaf: strings as they are, JSON for the rest, none for containers but short lists of numbers."""
    if value is None or (isinstance(value, list | dict) and not (numbers_only(value) and len(value) <= 64)):
        return None
    return value if isinstance(value, str) else json.dumps(value)


def cells_of(record):
    """The cells of a record that is read as plain rows: one per key, and the leaves inside containers."""
    found = []
    for key, value in record.items():
        found.append((key, kind_of(value), scalar(value)))
        inside = leaves(key, value)
        if isinstance(value, list | dict) and inside != found[-1:]:
            found += inside
    return found


def at(record, path):
    """The value under a path such as messages[0].content; LookupError where a key holds such signs itself."""
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        record = record[int(index)] if index else record[key]
    return record


class Unzipped(NamedTuple):
    """What the compression libraries make of a file, fed byte by byte, until they refuse.

    Fed so, they give the most: a block that is cut or broken gives nothing, and a larger meal is lost as a whole. A
    reader that feeds more at once may thus give less of a broken frame, never something else and never less than
    `sure`: the frames before the broken one, or all there is where the file only ends too early.
    """

    text: bytes
    sure: int
    complete: bool


def unzipped(data):
    begin = (
        (lambda: zlib.decompressobj(wbits=31)) if data.startswith(GZIP) else zstandard.ZstdDecompressor().decompressobj
    )
    text, whole, rest = bytearray(), 0, data
    while rest and (rest.strip(b"\0") or not data.startswith(GZIP)):  # gzip(1) allows zeros behind the last member
        frame = begin()
        for number in range(len(rest)):
            try:
                text += frame.decompress(rest[number : number + 1])
            except (zlib.error, zstandard.ZstdError):
                return Unzipped(bytes(text), whole, complete=False)
            if frame.eof:
                break
        if not frame.eof:
            return Unzipped(bytes(text), len(text), complete=False)
        whole, rest = len(text), rest[number + 1 :]
    return Unzipped(bytes(text), whole, complete=True)


# ── the mutants ───────────────────────────────────────────────────────────────────────────────────────
def mutate(rng, data, other):
    """Flip a bit, cut, insert, splice from another file, repeat or swap, one to four times."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, to = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        kind = rng.randrange(6)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + data[min(to, at + rng.choice((1, 3, 40, len(data)))) :]
        elif kind == 2:
            data = data[:at] + rng.choice(PIECES) + data[at:]
        elif kind == 3:
            data = data[:at] + other[rng.randrange(len(other)) :][:60] + data[at:]
        elif kind == 4:
            data = data[:to] + data[at:to][:30] + data[to:]
        else:
            size = min(rng.choice((1, 10, 60)), to - at, len(data) - to)
            data = data[:at] + data[to : to + size] + data[at + size : to] + data[at : at + size] + data[to + size :]
    return data or b"{"


JSONL = (
    "medicalgpt/data/grpo/sample.jsonl", "ms_swift/tests/llm/data/chatml.jsonl",
    "data_juicer/demos/data/demo-dataset-chatml.jsonl", "chinese_vicuna/sample/instruct/data_sample.jsonl",
    "medicalgpt/data/sft/medical_sft_1K_format.jsonl",
)  # fmt: skip
ARRAYS = ("followbench/data_zh/format_constraints.json", "toolbench/data_example/instruction/G1_query.json",
          "llama_factory/data/identity.json", "llama_factory/data/mllm_demo.json",
          "alpaca_hikariming/history/其他中文问题补充/glm问题数据.json")  # fmt: skip
TABLES = ("disc_law/eval/datasets/objective/mcq_sing_cpa.csv", "data_juicer/tests/format/data/structured/demo-dataset.csv",
          "ms_swift/tests/llm/data/alpaca.csv", "bad/csv-spectrum/csvs/newlines.csv",
          "bad/csv-spectrum/csvs/escaped_quotes.csv", "bad/arrow-testing/data/csv/aggregate_test_100.csv")  # fmt: skip


def array_starts(data):
    """Files with the first one to four elements of a JSON array, as they are written there."""
    text, decoder = data.decode("utf-8-sig"), json.JSONDecoder()
    position, found = text.index("[") + 1, []
    while len(found) < 4:
        position += len(re.match(r"[\s,]*", text[position:])[0])
        if text[position] == "]":
            break
        position = decoder.raw_decode(text, position)[1]
        found.append((text[:position] + "\n]\n").encode())
    return [file for file in found if len(file) < 4000]


@pytest.fixture(scope="module")
def pool(realdata):
    """Real files: lines to put together, starts of arrays, starts of tables."""
    lines = []
    for name in JSONL:
        lines += (realdata / name).read_bytes().splitlines(keepends=True)[:40]
    for line in lines[:]:
        record = json.loads(line)
        if "conversations" in record:
            names = {"human": "user", "gpt": "assistant", "system": "system"}
            messages = [{"role": names[m["from"]], "content": m["value"]} for m in record["conversations"]]
            lines.append(json.dumps({"messages": messages}, ensure_ascii=False).encode() + b"\n")
    lines = [line for line in lines if len(line) < 1500]
    arrays = [file for name in ARRAYS for file in array_starts((realdata / name).read_bytes())]
    arrays += [json.dumps([json.loads(line) for line in lines[:3]], indent=indent).encode() for indent in (None, 0, 2)]
    tables = [b"".join((realdata / name).read_bytes().splitlines(keepends=True)[:6]) for name in TABLES]
    assert min(len(lines), len(arrays), len(tables)) > 5
    return {"lines": lines, "a.json": arrays, "a.csv": tables}


ZSTD_COMPRESSOR = zstandard.ZstdCompressor(write_checksum=True)


def mutant(rng, name, pool):
    if name in pool:
        return mutate(rng, rng.choice(pool[name]), rng.choice(pool[name]))
    text = b"".join(rng.sample(pool["lines"], 3))
    inside = name == "a.jsonl" or rng.random() < 0.5  # else what was compressed is damaged
    text = mutate(rng, text, rng.choice(pool["lines"])) if inside else text
    if name == "a.jsonl":
        return text
    pack = partial(gzip.compress, mtime=0) if name.endswith(".gz") else ZSTD_COMPRESSOR.compress
    return pack(text) if inside else mutate(rng, pack(text), pack(text[:300]))


# ── one pass over a mutant ────────────────────────────────────────────────────────────────────────────
class Pass(NamedTuple):
    """What a survey that drops `rows` (and bad lines) found, and the tables that it was made of."""

    survey: cut.Survey
    chunks: list
    tables: list


def survey(path, reading, rows, bad, monkeypatch):
    chunks, tables = [], []

    def noted(chunk, reading):
        chunks.append(chunk)
        tables.append(list(parse(chunk, reading)))
        yield from tables[-1]

    with monkeypatch.context() as patch:
        patch.setattr(cut, "tables_of", noted)
        return Pass(cut.survey(path, reading, rows, bad=bad), chunks, tables)


class Entry(NamedTuple):
    """A record (`code` is None), a bad or a blank line: bytes [byte, end) of the decoded file."""

    byte: int
    end: int
    line: int
    code: str | None
    cells: list
    turns: list


def entries(found):
    """All records and bad and blank lines, in file order, with the events that have a place."""
    every = []
    for chunk, parts in zip(found.chunks, found.tables, strict=True):
        for tables in parts:
            cells = grouped(columns(tables.cells, "row", "path", "json_type", "text"))
            turns = grouped(columns(tables.turns, "row", "path", "content_type", "text"))
            for row, line, byte, length in columns(tables.rows, "row", "line", "byte", "length"):
                start = chunk.first_byte + byte
                place = (start, start + length, chunk.first_line + line)
                every.append(Entry(*place, None, cells.get(row, []), turns.get(row, [])))
            for line, byte, length, code in columns(tables.lines, "line", "byte", "length", "code"):
                start = chunk.first_byte + byte
                if CODES[code].level != "note":
                    every.append(Entry(start, start + length, chunk.first_line + line, code, [], []))
    every += [
        Entry(event.byte, event.byte + event.length, event.line, event.code, [], [])
        for event in found.survey.seen.events
        if event.length and CODES[event.code].level != "note"
    ]
    return sorted(every, key=lambda entry: (entry.byte, entry.end, entry.line))


def columns(table, *names):
    return zip(*(table[name].to_list() for name in names), strict=True)


def grouped(lines):
    found = {}
    for row, *rest in lines:
        found.setdefault(row, []).append(tuple(rest))
    return found


def unplaced(found):
    events = found.survey.seen.events
    return {e.code for e in events if CODES[e.code].level in ("error", "limit") and not e.length} - FORM


# ── what must hold ────────────────────────────────────────────────────────────────────────────────────
def check_tiling(kind, text, every, found):
    """Records, bad lines and blank lines lie side by side; between them only what parts records of this kind."""
    position, allowed, header = 0, BETWEEN[kind], kind == "csv"
    for entry in every:
        assert position <= entry.byte <= entry.end, entry
        gap = text[position : entry.byte]
        gap = gap.removeprefix(BOM) if position == 0 else gap
        if header and gap.strip(allowed):
            header, gap = False, b""
        assert not gap.strip(allowed), (gap, entry)
        assert entry.line == text.count(b"\n", 0, entry.byte) + 1, entry
        position = entry.end
    last = text[position:].removeprefix(BOM) if position == 0 else text[position:]
    assert header or not last.strip(allowed), last
    seen = found.survey
    assert sum(chunk.size for chunk in found.chunks) <= seen.seen.decoded == len(text)
    of_lines = [entry.code for entry in every if entry.code is None or entry.code == "blank"]
    assert (of_lines.count(None), of_lines.count("blank")) == (seen.rows, seen.blank)


def named(header):
    """The names of columns as pandas reads them: one without a name is called by its place."""
    return [name if name.strip() else f"Unnamed: {place}" for place, name in enumerate(header)]


def check_values(kind, text, every, *, plain):
    """What is in the tables is what a strict parser finds in the bytes of the record, and in no others."""
    header = None
    for number, entry in enumerate(every):
        raw = text[entry.byte : entry.end]
        if kind == "csv":
            header = header or named(next(row for row in csv.reader(lines_of(text)) if row))
            rows = csv_rows(raw, "utf-8")  # a byte order mark further on in the file is text
            if entry.code is None:
                value = dict(zip(header, rows[0], strict=True))
                assert len(rows) == 1, raw
        else:
            value = strict(raw.removeprefix(BOM) if number == 0 else raw)
        if entry.code is not None:
            if kind == "jsonl" and entry.code != "blank":
                assert value is None or not isinstance(value, dict), (entry, raw)
            continue
        assert isinstance(value, dict | list), (entry, raw)
        if plain and isinstance(value, dict):
            assert entry.cells == cells_of(value), raw
        for path, content_type, told in entry.turns:
            if content_type == "string" and told is not None:
                try:
                    inside = at(value, path)
                    # Alpaca: instruction and input, or the one that is not empty.
                    joined = isinstance(inside, str) and told.startswith(f"{inside}\n")
                    joined = joined or (inside == "" and told == value.get("input"))
                    assert joined or inside in (told, strict(told.encode())), raw
                except (LookupError, TypeError):
                    assert re.search(r'[.\[\]][^"]*"\s*:', raw.decode()), path


def lines_of(text, encoding="utf-8-sig"):
    return io.StringIO(text.decode(encoding, errors="replace"), newline="")


def csv_rows(raw, encoding="utf-8-sig"):
    try:
        return list(csv.reader(lines_of(raw, encoding), strict=True))
    except csv.Error:
        return None


def check_whole(kind, text, every, *, plain):
    """A file that Python's own parser reads as a whole has all its records, and no other has none of its damage told."""
    damage = [entry for entry in every if entry.code not in (None, "blank")]
    rows = [entry for entry in every if entry.code is None]
    if kind == "jsonl":
        lines = [line.removesuffix(b"\r") for line in text.removeprefix(BOM).split(b"\n")]
        values = [strict(line) for line in lines if line.strip(SPACE)]
        assert len(rows) >= sum(isinstance(value, dict) for value in values)
        assert len(rows) + len(damage) == len(values)
    elif kind == "array":
        whole = strict(text.removeprefix(BOM))
        if isinstance(whole, list):
            assert len(rows) == sum(isinstance(item, dict) for item in whole)
            assert len(rows) + len(damage) == len(whole)
        else:
            assert damage
    elif kind == "csv":
        whole = csv_rows(text)
        if whole and decodes(text) and not re.search(rb"\r(?!\n)", text):  # CR alone: no line end here, one for csv
            header, *body = [row for row in whole if row]
            good = [row for row in body if len(row) == len(header)]
            assert len(rows) == len(good)
            assert not plain or [[text for _, _, text in entry.cells] for entry in rows] == good
            assert len(rows) + len(damage) == len(body)


def decodes(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_halves(path, found, reading):
    """Return what goes and what stays, put together again by the ranges alone."""
    ranges = found.survey.ranges
    assert all(left.end <= right.byte for left, right in itertools.pairwise(ranges))
    kept, dropped = bytearray(), [bytearray() for _ in ranges]
    with path.open("rb") as file:
        for number, piece in cut.split(cut.decoded(files.Hashed(file), reading.limits)[1], ranges):
            target = kept if number is None else dropped[number]
            target += piece
    again, taken = bytearray(), 0
    for place, piece in zip(ranges, dropped, strict=True):
        stays = place.byte - len(again)
        again += kept[taken : taken + stays] + piece
        taken += stays
    return bytes(again + kept[taken:])


def check(path, data, rng, monkeypatch, *, elsewhere):
    """Hold one mutant against the judges; `elsewhere`: once more, cut into chunks at other places."""
    packed = data.startswith((GZIP, ZSTD))
    text, sure, complete = unzipped(data) if packed else Unzipped(data, len(data), complete=True)
    plain = rng.random() < 0.5
    reading = Reading(format="rows" if plain else "auto")
    drop, bad = {row for row in range(9) if rng.random() < 0.4}, rng.random() < 0.5
    found = survey(path, reading, drop, bad, monkeypatch)
    seen, other = found.survey.seen, unplaced(found)
    assert seen.bytes == len(data)
    assert bool(seen.compression) == packed
    if packed:
        assert (other & CUT_SHORT == set()) == complete
        assert sure <= seen.decoded <= len(text)
        text = text[: seen.decoded]
    if seen.container is None:
        assert seen.events
        assert not found.chunks
        return
    if other - CUT_SHORT:
        assert other & {"csv_header", "cr_line_ends", "document_too_large", "not_utf8"}, other
        return
    kind, every = seen.container, entries(found)
    check_tiling(kind, text, every, found)
    check_values(kind, text, every, plain=plain)
    if not other:
        check_whole(kind, text, every, plain=plain)
    assert check_halves(path, found, reading) == text
    if not elsewhere:
        return
    small = Limits(chunk_bytes=rng.randrange(len(text) // 3 + 20, len(text) + 21))
    parts = survey(path, reading.model_copy(update={"limits": small}), drop, bad, monkeypatch)
    check_tiling(kind, text, entries(parts), parts)
    check_values(kind, text, entries(parts), plain=plain)
    if parts.survey != found.survey or entries(parts) != every:
        assert kind in {"array", "sequence", "csv"}  # damage reaches as far as its chunk
        assert found.survey.bad


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_mutants(tmp_path, pool, name, monkeypatch):
    rng = random.Random(f"{name} {SEED}")
    path = tmp_path / name
    for number in range(MUTANTS * SHARE[name] // 20):
        data = mutant(rng, name, pool)
        path.write_bytes(data)
        state = rng.getstate()
        try:
            check(path, data, rng, monkeypatch, elsewhere=number % 3 == 0)
        except BaseException:
            print(f"{name}: {data!r}")  # shown by pytest beside the failure
            raise
        rng.setstate(state)
