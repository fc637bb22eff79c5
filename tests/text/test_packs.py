"""Packs as bytes from strangers: what is not whole, or cannot be, is refused; nothing else is ever raised."""

import json
import random
from hashlib import sha256

import numpy as np
import polars as pl
import pytest

from datacheck.text.packs import ANY, MAGIC, PACKED, Pack, PackError, read, write


def small() -> Pack:
    items = pl.DataFrame(
        [
            (False, 0, "question", 8, 30, False, False, True, False, None, [5, 7], [3, 9, 4_294_967_295]),
            (False, 2, "answer", 5, 3, False, True, False, False, None, [], []),
            (False, 2, "question", 5, 3, False, True, False, False, 17, [], []),
            (True, 0, "question", 8, 40, True, False, False, True, None, [], [1, 2]),
        ],
        schema=PACKED,
        orient="row",
    )
    header = {
        "name": "x",
        "version": "",
        "rows": 3,
        "rules": {"n": 8},
        "files": ["ab"],
        "questions": "cd",
        "library": "d",
    }
    return Pack(header, items, (np.array([0, 1, 2**63], np.uint64), np.array([0, 1, 5], np.uint64)))


def sealed(data: bytes) -> bytes:
    """A pack with a digest that fits."""
    return data[:-32] + sha256(data[:-32]).digest()


def test_what_is_written_is_read():
    pack = small()
    again = read(write(pack))
    assert again.items.equals(pack.items.sort("canary", "row", "kind"))
    assert [end.tolist() for end in again.ends] == [end.tolist() for end in pack.ends]
    assert again.header.items() >= pack.header.items()
    assert write(again) == write(pack)


def test_every_cut_and_every_changed_byte_is_seen():
    data = write(small())
    for at in range(len(data)):
        with pytest.raises(PackError):
            read(data[:at])
        with pytest.raises(PackError):
            read(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


def test_what_has_the_right_digest_is_checked_all_the_same():
    """A thousand small changes, sealed anew: each is refused, or a table whose numbers can be."""
    data, rng = write(small()), random.Random(5)
    refused = 0
    for _ in range(1_000):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            changed[rng.randrange(len(MAGIC), len(data) - 32)] = rng.choice(
                (0, 1, 7, 34, 57, 127, 255, rng.randrange(256))
            )
        try:
            pack = read(sealed(bytes(changed)))
        except PackError:
            refused += 1
            continue
        own = pack.items.filter(~pl.col("canary"))
        assert own.filter(pl.col("row") >= pack.header["rows"]).is_empty()
        assert all(each.is_sorted() and each.n_unique() == len(each) for each in pack.items["shingles"])
        assert (pack.items["shingles"].list.len() <= pack.items["length"]).all()
        assert dict(pack.items.schema) == PACKED
    assert refused > 300


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", -1), ("rows", 0), ("rows", 10**12), ("items", 10**12), ("grams", True), ("options", 2.0), ("rows", "3"),
        ("rules", []), ("name", "x" * 201), ("name", None), ("files", [1]), ("files", None), ("questions", {}),
    ],
)  # fmt: skip
def test_a_header_that_cannot_be_is_refused(name, value):
    data = write(small())
    end = data.index(b"\n", len(MAGIC))
    header = {**json.loads(data[len(MAGIC) : end]), name: value}
    with pytest.raises(PackError):
        read(sealed(MAGIC + json.dumps(header).encode() + data[end:]))


@pytest.mark.parametrize(
    "data", [b"", ANY, MAGIC, MAGIC + b"{" * 70_000, MAGIC + b"[" * 60_000 + b"\n" + bytes(32), b"PAR1"]
)
def test_what_is_no_pack_is_refused(data):
    with pytest.raises(PackError):
        read(data)
    with pytest.raises(PackError):
        read(sealed(data + bytes(32)))


def test_a_name_may_be_long_but_not_without_end():
    whole = small()
    for name, refused in (("x" * 200, False), ("x" * 201, True)):
        data = write(whole._replace(header={**whole.header, "name": name}))
        if refused:
            with pytest.raises(PackError):
                read(data)
        else:
            assert read(data).header["name"] == name


def test_another_form_says_so():
    with pytest.raises(PackError) as found:
        read(write(small()).replace(b"pack 1", b"pack 2", 1))
    assert found.value.newer
