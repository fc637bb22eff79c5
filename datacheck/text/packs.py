"""A pack: an evaluation set as hashes of its n-grams in one file, without its texts.

The file is a line that names the form, a line of JSON (the header), the columns of the items one after the other
(little-endian, no compression), and the SHA-256 of all before. The same items give the same bytes. `read` takes files
from anybody: sizes are bounded, every number is checked, nothing in it is code.
"""

import json
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from datacheck.text.arrays import UInt64s
from datacheck.text.codes import from_lengths

MAGIC = b"datacheck pack 1\n"
ANY = b"datacheck pack "
MOST = 256 * 1024 * 1024  # bytes of a pack
_HEAD = 64 * 1024  # bytes of the header
_DIGEST = 32
_WORDS = 200  # characters of a name
KINDS = ("answer", "question", "question_and_options", "question_and_options_relabelled")
FLAGS = ("several", "short", "brief", "whole", "canary", "keyed")

# What a pack holds of an item; `canary`: made up, and the same in every pack; `key`: of a question too short for
# n-grams; `options`: of a brief question, see `features.leaks`.
PACKED: dict[str, pl.DataType | type[pl.DataType]] = {
    "canary": pl.Boolean, "row": pl.UInt32, "kind": pl.String, "n": pl.UInt8, "length": pl.UInt32,
    "several": pl.Boolean, "short": pl.Boolean, "brief": pl.Boolean, "whole": pl.Boolean, "key": pl.UInt64,
    "options": pl.List(pl.UInt64), "shingles": pl.List(pl.UInt32),
}  # fmt: skip
_COLUMNS = {"row": "<u4", "kind": "u1", "n": "u1", "flags": "u1", "length": "<u4", "key": "<u8",
            "options": "<u4", "grams": "<u4"}  # fmt: skip


class PackError(ValueError):
    """A file that is no pack, or no whole one; `newer`: one of another form than this version reads."""

    def __init__(self, *, newer: bool = False) -> None:
        super().__init__("not a whole pack")
        self.newer = newer


class Pack(NamedTuple):
    """What a pack holds; header: name, version, rows, rules, library, questions, files; items: PACKED, sorted.

    ends: per row (u64) the hashes of how its prompt opens and closes: 0 without a prompt, 1 of one that few rows share.
    """

    header: dict[str, Any]
    items: pl.DataFrame
    ends: tuple[UInt64s, UInt64s]


def write(pack: Pack) -> bytes:
    """The bytes of a pack."""
    items = pack.items.sort("canary", "row", "kind").with_columns(keyed=pl.col("key").is_not_null())
    flat = {name: items[name].explode(empty_as_null=False).to_numpy() for name in ("options", "shingles")}
    flags = [pl.col(flag).cast(pl.UInt8) * 2**at for at, flag in enumerate(FLAGS)]
    columns = {
        "row": items["row"],
        "kind": items["kind"].replace_strict({kind: at for at, kind in enumerate(KINDS)}, return_dtype=pl.UInt8),
        "n": items["n"],
        "flags": items.select(pl.sum_horizontal(flags)).to_series(),
        "length": items["length"],
        "key": items["key"].fill_null(0),
        "options": items["options"].list.len(),
        "grams": items["shingles"].list.len(),
    }
    header = {**pack.header, "items": items.height, "options": len(flat["options"]), "grams": len(flat["shingles"])}
    line = json.dumps(header, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()
    body = [columns[name].to_numpy().astype(form).tobytes() for name, form in _COLUMNS.items()]
    body += [flat["options"].astype("<u8").tobytes(), flat["shingles"].astype("<u4").tobytes()]
    body += [end.astype("<u8").tobytes() for end in pack.ends]
    whole = b"".join([MAGIC, line, b"\n", *body])
    if len(line) > _HEAD or len(whole) > MOST - _DIGEST:
        raise PackError
    return whole + sha256(whole).digest()


def read(data: bytes) -> Pack:
    """The pack that these bytes are. Raises PackError."""
    if not data.startswith(MAGIC):
        raise PackError(newer=data.startswith(ANY))
    start = data.find(b"\n", len(MAGIC), len(MAGIC) + _HEAD + 1) + 1
    if not start or len(data) > MOST or sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise PackError
    try:
        header = json.loads(data[len(MAGIC) : start])
        _check_header(header)
        columns, ends = _columns(header, data[start:-_DIGEST])
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        raise PackError from None
    return Pack(header, _items(header, columns), ends)


def _check_header(header: Any) -> None:
    counts = [header[name] for name in ("rows", "items", "options", "grams")]
    words = [header[name] for name in ("name", "version", "library", "questions")]
    sound = (
        all(type(count) is int and 0 <= count <= MOST for count in counts)
        and all(type(each) is str and len(each) <= _WORDS for each in (*words, *header["files"]))
        and type(header["rules"]) is dict
        and header["rows"] > 0
    )
    if not sound:
        raise PackError


def _columns(header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], tuple[UInt64s, UInt64s]]:
    """The flat columns; raises PackError where there are fewer bytes, or more."""
    forms = [(name, form, header["items"]) for name, form in _COLUMNS.items()]
    forms += [("option", "<u8", header["options"]), ("gram", "<u4", header["grams"])]
    forms += [(name, "<u8", header["rows"]) for name in ("opening", "closing")]
    if sum(np.dtype(form).itemsize * count for _, form, count in forms) != len(body):
        raise PackError
    found, at = {}, 0
    for name, form, count in forms:
        found[name] = np.frombuffer(body, form, count, at)
        at += found[name].nbytes
    return found, (found.pop("opening"), found.pop("closing"))


def _items(header: dict[str, Any], columns: dict[str, Any]) -> pl.DataFrame:
    """The items as a table; raises PackError where a number cannot be."""
    flags = {name: (columns["flags"] >> at & 1).astype(np.bool_) for at, name in enumerate(FLAGS)}
    canary, kind = flags["canary"], columns["kind"]
    order = (canary.astype(np.uint64) << 34) | (columns["row"].astype(np.uint64) << 2) | (kind & 3)
    offsets = {name: from_lengths(columns[name].astype(np.int64)) for name in ("options", "grams")}
    grams, sizes = columns["gram"], columns["grams"]
    if [offsets[name][-1] for name in ("options", "grams")] != [header[name] for name in ("options", "grams")]:
        raise PackError
    inner = np.ones(len(grams), np.bool_)  # whether an n-gram follows another one of its item
    inner[offsets["grams"][:-1][sizes > 0]] = False
    sound = (
        bool((columns["flags"] < 2 ** len(FLAGS)).all() and (kind < len(KINDS)).all())
        and bool((columns["row"][~canary] < header["rows"]).all() and (np.diff(order.astype(np.int64)) > 0).all())
        and bool((np.diff(grams.astype(np.int64))[inner[1:]] > 0).all())
        and bool(((sizes > 0) == ~flags["short"]).all() and (sizes <= columns["length"]).all())
        and bool((columns["length"] < 2**31).all() and (columns["n"] > 0).all())
    )
    if not sound:
        raise PackError
    lists = {
        name: pl.Series(name, [flat[a:b] for a, b in pairwise(ends)], dtype=PACKED[name])
        for name, flat, ends in (
            ("options", columns["option"], offsets["options"].tolist()),
            ("shingles", grams, offsets["grams"].tolist()),
        )
    }
    table = pl.DataFrame(
        {
            **{name: columns[name] for name in ("row", "n", "length", "key")},
            **{name: flags[name] for name in FLAGS},
            "kind": np.array(KINDS)[kind],
        }
    )
    keyed = pl.when("keyed").then("key").cast(pl.UInt64).alias("key")
    return table.with_columns(keyed, *lists.values()).select(pl.col(name).cast(kind) for name, kind in PACKED.items())
