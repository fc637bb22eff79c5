"""Keys of a record that say what their value is: under 住院号, QQ or patient_name a value needs no other label.

Which keys do is tried, with a made-up value of each kind behind them, so that no list of keys stands beside the
recognizers' own words.
"""

import re
from collections.abc import Collection, Container
from functools import cache
from random import Random

import polars as pl

from datacheck.pii.matching.compiled import compiled
from datacheck.pii.prefilter import candidates
from datacheck.pii.recognizers import RECOGNIZERS, of_regions

LONGEST = 64
"""Code points of a value that its key may tell; a longer one is prose, and speaks for itself."""

_NAME = "name"  # of a tool, a film, a person
_OF_ANYTHING = frozenset("text line call cell card id number account name contact master bank mac".split())
_OF_A_PERSON = frozenset(
    """
    gender sex age birthday phone mobile tel email id_card address 性别 年龄 生日 电话 手机 邮箱 身份证号 住址 地址
    """.split()
)


def fronts(paths: Collection[str]) -> dict[str, str]:
    """What is written in front of the values at some paths to read each with its key, as a form has it: `QQ: `.

    Only of keys that are labels; of `name` only beside a key that only a person has.
    """
    keys = {path: key_of(path) for path in paths}
    context = {key for key in keys.values() if not key.isascii() and _is_context(key)}  # 车架号, 台湾身份证
    labels, known = telling(keys.values()) | context, {path.casefold() for path in keys}
    return {path: beside(key) for path, key in keys.items() if key in labels and _may_tell(path, key, known)}


def telling_heads(tables: Collection[tuple[str, ...]]) -> dict[tuple[str, ...], frozenset[str]]:
    """By the heads of a table those that are labels; `name` only beside one that only a person has."""
    every = {head for heads in tables for head in heads if head}
    labels = telling(every) | {head for head in every if _is_context(head)}
    return {
        heads: frozenset(
            head
            for head in heads
            if head in labels and (head.casefold() != _NAME or any(other.casefold() in _OF_A_PERSON for other in heads))
        )
        for heads in tables
    }


@cache
def _is_context(head: str) -> bool:
    """Whether it holds a word that makes values certain (身分證, phone), and does not head columns of other tables."""
    if head.casefold() in _OF_ANYTHING:
        return False
    words = (RECOGNIZERS[name].positive for name in of_regions())
    return any(compiled(word).search(head) for word in words if word)


def beside(key: str) -> str:
    """A key as it stands before its value."""
    return f"{key}: "


def _may_tell(path: str, key: str, known: Container[str]) -> bool:
    parent = path.rpartition(".")[0].casefold()
    beside_it = (f"{parent}.{other}".removeprefix(".") for other in _OF_A_PERSON)
    return key.casefold() != _NAME or any(other in known for other in beside_it)


def key_of(path: str) -> str:
    """The key of a value at a path: name for people[0].name, and for people[0].name[1]."""
    return re.sub(r"(?:\[[0-9]+\])+$", "", path).rpartition(".")[2]


def telling(keys: Collection[str]) -> frozenset[str]:
    """Those of some keys that are labels of a recognizer."""
    return _telling(frozenset(keys))


@cache
def _telling(keys: frozenset[str]) -> frozenset[str]:
    if not keys:
        return frozenset()
    made, some = _made(), sorted(keys)
    values, kinds = list(made.values()), list(made)  # the expressions of other kinds are not compiled for it
    tried = candidates(pl.Series([beside(key) + value for key in some for value in values], dtype=pl.String), kinds)
    alone = candidates(pl.Series(values, dtype=pl.String), kinds)
    more = tried.with_columns(key=pl.Series([key for key in some for _ in values]))
    fired = pl.concat([alone] * len(some))
    labels = pl.any_horizontal(pl.col(name) & ~fired[name] for name in alone.columns)
    return frozenset(more.filter(labels)["key"])


@cache
def _made() -> dict[str, str]:
    """By entity a value without the label that must stand before it, of those that need one."""
    some = {name: RECOGNIZERS[name] for name in of_regions()}
    made = {name: (each.label, each.canary(Random(0))) for name, each in some.items() if each.label}
    return {name: value.removeprefix(label).strip() for name, (label, value) in made.items() if value.startswith(label)}
