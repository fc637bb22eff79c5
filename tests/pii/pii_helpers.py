"""Shared by the PII tests: real data, and strings made to be hard."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or Path(__file__).parents[2].parent / "shared" / "realdata")
if not REALDATA.is_dir():
    # a worktree lies one level deeper than the repository
    REALDATA = Path(__file__).parents[2].parent.parent / "shared" / "realdata"


def leaves(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)


def _records(path: Path) -> Iterator[object]:
    text = path.read_text("utf-8")
    try:
        yield json.loads(text)
    except ValueError:
        yield from map(json.loads, filter(None, text.split("\n")))


def realdata(source: str) -> pl.Series:
    """All string leaves of the JSON and JSONL files of one source; skips the test where it is absent."""
    if not (REALDATA / source).is_dir():
        pytest.skip("realdata is absent")
    paths = [path for path in sorted((REALDATA / source).rglob("*")) if path.suffix in (".json", ".jsonl")]
    texts = [text for path in paths for record in _records(path) for text in leaves(record)]
    assert texts
    return pl.Series(texts, dtype=pl.String)


ATOMS = [
    *"0123456789", *"0123456789", *"ABXxz .-_@:/\\=+*^，。：（）()", "１", "８", "Ｘ", "＠", "．", "٣", "१", "𝟙", "①", "⓪", "²", "½",
    "\u200b", "\u00ad", "\ufe0f\u20e3", "\u0301", "\u3164", "\u202e", "\u202c", "\x00", "\n", "\u3000", "\u00a0", "—",
    "一", "三", "八", "〇", "零", "壹", "幺", "十", "手机", "身份证", "账号", "元", "人", "\\u0031", "\\n", "&#49;", "\\ud83d", "&#x38;",
    "138", "13800138000", "13912348765", "+86", "0086-", "110105", "19491231", "002X", "110105194912310021", "440524188001010014",
    "4111111111111111", "6222020200112233", "4111-1111-", "zhang@qq.com", "a@b.co", "example.com", "sk-", "AKIA", "ghp_", "LTAI",
    "abcdEFGH1234abcdEFGH1234", "185.60.216.0", ".1.2.3", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
]  # fmt: skip


def hostile_texts(seed: int, count: int) -> list[str]:
    """Random concatenations of pieces of identifiers, separators and disguises."""
    rng = random.Random(seed)
    return ["".join(rng.choices(ATOMS, k=rng.randrange(1, 30))) for _ in range(count)]
