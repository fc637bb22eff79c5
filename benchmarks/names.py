"""How well and how fast names are found in free text (`datacheck.pii.free_names`, `person: model`).

    python benchmarks/names.py FOLDER [--texts FOLDER]

FOLDER holds sets of named entities, one token and its tag a line (the tag last, the token first or, behind a number,
second), sentences parted by empty lines; tags are BIO or BMES, a person is PER, PER.NAM or NAME:

    msra.zh people_daily.zh weibo.zh     OYE93/Chinese-NLP-Corpus, NER/
    resume.zh                            jiesutd/LatticeLSTM, ResumeNER/test.char.bmes
    conll.en wikigold.en wikineural.en   Babelscape/wikineural, data/*/en/test.conllu

A name counts if both its ends are right. --texts: a folder of JSON or JSONL, whose strings say how fast: MB of UTF-8
a second of CPU, all threads counted.
"""

import argparse
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

from datacheck.pii.free_names import free_names, model

HAN = re.compile("[\u4e00-\u9fff]")
Sentence = tuple[str, set[tuple[int, int]]]


def sentences(path: Path) -> Iterator[Sentence]:
    """Yield text and places of its persons; English tokens are set apart by a space."""
    between = " " if path.suffix == ".en" else ""
    for block in re.split(r"\n\s*\n", path.read_text("utf-8")):
        text, places = "", []
        for cells in (line.split() for line in block.split("\n")):
            if len(cells) < 2 or cells[0].startswith("#"):
                continue
            text += between if text else ""
            token = cells[1] if len(cells) > 2 else cells[0][:1] if not between else cells[0]
            kind, _, entity = cells[-1].partition("-")
            if entity in {"PER", "PER.NAM", "NAME"}:
                if kind in {"B", "S"} or not places:
                    places.append([len(text), 0])
                places[-1][1] = len(text) + len(token)
            text += token
        if text:
            yield text, {(start, end) for start, end in places}


def measure(path: Path) -> str:
    read = list(sentences(path))
    found = free_names([text for text, _ in read])
    got = [{(name.start, name.end) for name in found.get(number, ())} for number in range(len(read))]
    right = sum(len(own & gold) for own, (_, gold) in zip(got, read, strict=True))
    all_found, all_gold = sum(map(len, got)), sum(len(gold) for _, gold in read)
    free = [bool(own) for own, (_, gold) in zip(got, read, strict=True) if not gold]
    precision, recall = right / max(1, all_found), right / max(1, all_gold)
    f1 = 2 * right / max(1, all_found + all_gold)
    return (
        f"| {path.stem} | {len(read):,} | {all_gold:,} | {precision:.3f} | {recall:.3f} | {f1:.3f} "
        f"| {sum(free)}/{len(free)} = {sum(free) / max(1, len(free)):.4f} |"
    )


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def texts(folder: Path) -> list[str]:
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text("utf-8")
        try:
            records = [json.loads(text)]
        except ValueError:
            records = [json.loads(line) for line in text.split("\n") if line.strip()]
        found |= dict.fromkeys(strings(records))
    return list(found)


def speed(name: str, some: list[str]) -> str:
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in some) / 1e6
    clock, cpu = time.perf_counter(), time.process_time()
    found = free_names(some)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    names = sum(map(len, found.values()))
    return (
        f"| {name} | {len(some):,} | {size:.2f} | {size / cpu:.2f} | {size / clock:.2f} | {len(found):,} | {names:,} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=Path)
    given = parser.parse_args()
    if model() is None:
        parser.exit(2, "cutword 0.1.1 is not installed: pip install 'datacheck-llm[names]'\n")
    print(
        "| set | sentences | names | precision | recall | F1 | name-free sentences with a name |\n" + "|---" * 7 + "|"
    )
    for path in sorted([*given.folder.glob("*.zh"), *given.folder.glob("*.en")]):
        print(measure(path), flush=True)
    if given.texts:
        print("\n| texts | strings | MB | MB/s of CPU | MB/s by the clock | with a name | names |\n" + "|---" * 7 + "|")
        for folder in sorted(path for path in given.texts.iterdir() if path.is_dir()):
            if some := texts(folder):
                print(speed(folder.name, some), flush=True)


if __name__ == "__main__":
    main()
