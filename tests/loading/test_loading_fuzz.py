"""Mutants of real lines: no exception, every byte accounted for, and rows exactly where a strict parser reads them.

DATACHECK_FUZZ sets how many mutants are made (20,000 by default).
"""

import json
import os
import random
import re

import pytest
from loading_helpers import load_file

SEEDS = 8
MUTANTS = int(os.environ.get("DATACHECK_FUZZ") or 20_000)
PIECES = [b"\n", b"\r\n", b"{", b"}", b"[", b'"', b"\\", b",", b":", b"\x00", b"\xff", b"\xef\xbb\xbf", b"NaN", b"1e999",
          b"\\ud800", b"\xe4\xb8", "　".encode(), b'"role":', b"null", b"-", b"0", b" ", b"\t", b"\x0b"]  # fmt: skip
SURROGATE = re.compile("[\ud800-\udfff]")


def strict(line):
    """What json.loads makes of a line when it takes nothing on trust; None where it must be refused."""

    def unique(pairs):
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("a key is given twice")
        return dict(pairs)

    def finite(text):
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise ValueError("beyond a double")
        return number

    def refuse(name):
        raise ValueError(name)

    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse, parse_float=finite)
    except ValueError:
        return None
    return None if SURROGATE.search(json.dumps(value, ensure_ascii=False)) else value


def mutate(rng, data, other):
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, to = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + data[min(to, at + rng.choice((1, 3, 40))) :]
        elif kind == 2:
            data = data[:at] + rng.choice(PIECES) + data[at:]
        elif kind == 3:
            data = data[:at] + other[rng.randrange(len(other)) :][:60] + data[at:]
        else:
            data = data[:to] + data[at:to][:30] + data[to:]
    return data or b"{"


@pytest.fixture(scope="module")
def lines(realdata):
    """Short real lines of several formats, and the same conversations as plain messages."""
    found = []
    for name in ("medicalgpt/data/grpo/sample.jsonl", "ms_swift/tests/llm/data/chatml.jsonl",
                 "data_juicer/demos/data/demo-dataset-chatml.jsonl", "chinese_vicuna/sample/instruct/data_sample.jsonl",
                 "medicalgpt/data/sft/medical_sft_1K_format.jsonl"):  # fmt: skip
        found += (realdata / name).read_bytes().splitlines(keepends=True)[:40]
    for line in found[:]:
        record = json.loads(line)
        if "conversations" in record:
            names = {"human": "user", "gpt": "assistant", "system": "system"}
            messages = [{"role": names[m["from"]], "content": m["value"]} for m in record["conversations"]]
            found.append(json.dumps({"messages": messages}, ensure_ascii=False).encode() + b"\n")
    return [line for line in found if len(line) < 1500]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_mutants(tmp_path, lines, seed):
    rng = random.Random(seed)
    path = tmp_path / "mutant.jsonl"
    for _ in range(MUTANTS // SEEDS):
        data = mutate(rng, b"".join(rng.sample(lines, 3)), rng.choice(lines))
        path.write_bytes(data)
        loaded = load_file(path)
        if loaded.seen.container != "jsonl":  # another kind of file by its first bytes; said, and not read as lines
            assert loaded.seen.container or loaded.seen.events, data
            continue
        check(data, loaded)


def check(data, loaded):
    count, blank, bad, rows, size = loaded.counts
    assert (rows + bad + blank, size) == (count, len(data)), data
    kept = dict(loaded.rows.select("line", "byte").iter_rows())
    position = 0
    for number, line in enumerate(data.split(b"\n")):
        body = line.removesuffix(b"\r")
        body = body.removeprefix(b"\xef\xbb\xbf") if number == 0 else body
        value = strict(body) if body.strip(b" \t\r\n") else None
        assert (number in kept) == isinstance(value, dict | list) or shallow(value), (number, data)
        if number in kept:
            assert kept[number] in (position, position + 3), (number, data)
        position += len(line) + 1


def shallow(value):
    """A list that is no list of messages is refused: it is no record."""
    return isinstance(value, list)
