"""Telephones and addresses of CrossWOZ: what share of the annotated ones is found, and what else is found.

    python benchmarks/pii_crosswoz.py

The texts are the 500 dialogues of the validation set (people talking about sights, restaurants and hotels in
Beijing); the labels are their authors' dialogue acts (system informs 电话 or 地址 = value) and the public database of
the same sights. A label counts where its value stands in the text literally. An address is "door-level" if it names a
number (…号, …室); the others (前门大街) are named as not covered.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
DOOR = re.compile(r"[0-9一二三四五六七八九十]+(?:号|室|栋|座|弄)")
PHONE = re.compile(r"0[0-9]{2,3}[ -]*[0-9]{7,8}|(?<![0-9])[0-9]{8}(?![0-9])|1[3-9][0-9]{9}")
PHONES, ADDRESSES = ("CN_LANDLINE", "CN_MOBILE"), ("ADDRESS",)


class Label(NamedTuple):
    """One annotated value: the message, its span and its text."""

    message: int
    start: int
    end: int
    value: str


class Scores(NamedTuple):
    """Counts of one entity."""

    labels: int
    found: int
    hits: int
    right: int


def validation(folder: Path) -> dict[str, dict[str, object]]:
    with zipfile.ZipFile(folder / "crosswoz/data/crosswoz/val.json.zip") as archive:
        dialogues: dict[str, dict[str, object]] = json.loads(archive.read(archive.namelist()[0]))
        return dialogues


def messages_and_labels(dialogues: dict[str, dict[str, object]]) -> tuple[list[str], list[Label], list[Label]]:
    """Return all messages, the labels of telephones and the labels of addresses."""
    texts: list[str] = []
    phones, addresses = set(), set()
    for dialogue in dialogues.values():
        for message in dialogue["messages"]:  # type: ignore[attr-defined]
            for kind, _, slot, value in message["dialog_act"]:
                if kind in ("Inform", "Recommend") and value and slot == "电话":
                    phones |= _places(len(texts), message["content"], [match[0] for match in PHONE.finditer(value)])
                elif kind in ("Inform", "Recommend") and value and slot == "地址":
                    addresses |= _places(len(texts), message["content"], [value])
            texts.append(message["content"])
    return texts, sorted(phones), sorted(addresses)


def _places(message: int, text: str, values: list[str]) -> set[Label]:
    return {
        Label(message, match.start(), match.end(), value)
        for value in values
        for match in re.finditer(re.escape(value), text)
    }


def score(hits: pl.DataFrame, labels: list[Label], texts: list[str]) -> Scores:
    """Count labels that a hit overlaps, and hits that overlap a label or show a form that the labels missed."""
    rows = hits.select("index", "start", "end").rows()
    spans: dict[int, list[tuple[int, int]]] = {}
    for index, start, end in rows:
        spans.setdefault(index, []).append((start, end))
    found = sum(
        any(start < label.end and label.start < end for start, end in spans.get(label.message, [])) for label in labels
    )
    by_message: dict[int, list[Label]] = {}
    for label in labels:
        by_message.setdefault(label.message, []).append(label)
    known = {label.value for label in labels}
    right = sum(
        any(start < label.end and label.start < end for label in by_message.get(index, []))
        or any(value in texts[index][start:end] or texts[index][start:end] in value for value in known)
        for index, start, end in rows
    )
    return Scores(len(labels), found, len(rows), right)


def measure(folder: Path) -> dict[str, Scores]:
    """Return the scores of telephones, addresses and door-level addresses."""
    from datacheck.pii.analyzer import find

    texts, phones, addresses = messages_and_labels(validation(folder))
    hits = find(pl.Series(texts), (*PHONES, *ADDRESSES))
    of_phones, of_addresses = (hits.filter(pl.col("entity").is_in(kinds)) for kinds in (PHONES, ADDRESSES))
    return {
        "telephone": score(of_phones, phones, texts),
        "address": score(of_addresses, addresses, texts),
        "address, door-level": score(of_addresses, [label for label in addresses if DOOR.search(label.value)], texts),
    }


def main() -> None:
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not (folder / "crosswoz").is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    print("| labels | recall | precision |\n|---|---|---|")
    for name, (labels, found, hits, right) in measure(folder).items():
        print(f"| {name} | {found}/{labels} = {found / labels:.3f} | {right}/{hits} = {right / hits:.3f} |")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
