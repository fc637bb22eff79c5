"""How fast texts are searched for identifiers, beside Presidio run document by document.

    python benchmarks/pii.py [--peer-bytes 60000]

One run, same texts, corpora of realdata (their commits are in its MANIFEST.json), versions printed:

* ours: `datacheck.pii.analyzer.find` over all texts of a corpus;
* stock: AnalyzerEngine as installed, with its own recognizers for Chinese and a blank spaCy pipeline (the models that
  it asks for are on no package index), one call per document;
* same recognizers: AnalyzerEngine with the same pipeline and *our* recognizers and context enhancer, per document.

The peers get an even sample of every corpus of at most --peer-bytes, ours everything; the figure is MB of UTF-8 per
second of CPU, all threads counted (the prefilter uses every core, so that its wall time is shorter). All are warmed up
first (imports, dictionaries, compiled expressions: 3 s for ours, paid once per process and only where a candidate
exists). Then canaries are appended to 1 % and 10 % of the texts, and the prefiltered path is compared with our plain
path (every recognizer on every text), whose results it must equal.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import logging
import os
import platform
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
CORPORA = {
    "zh": ["alpaca_hikariming", "belle", "gaokao_bench", "huatuo", "medicalgpt", "agieval"],
    "en": ["gsm8k", "bbh", "bfcl", "ifeval", "open_instruct"],
    "zh+en": ["llama_factory", "followbench"],
}
PACKAGES = ("presidio-analyzer", "spacy", "polars", "regex", "jieba", "phonenumbers", "python-stdnum")


def megabytes(texts: pl.Series) -> float:
    return float(texts.str.len_bytes().sum()) / 1e6


def sample(texts: pl.Series, limit: int) -> pl.Series:
    """Return every n-th text, so that about `limit` bytes remain."""
    return texts.gather_every(max(1, round(megabytes(texts) * 1e6 / limit)))


def timed(call: Callable[[], object]) -> float:
    """Return the seconds of CPU of all threads: a fair measure beside other processes, and against two threads."""
    start = time.process_time()
    call()
    return time.process_time() - start


def pipeline() -> Any:
    """Return Presidio's spaCy engine around a blank Chinese pipeline."""
    import spacy
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    engine = SpacyNlpEngine(models=[{"lang_code": "zh", "model_name": "blank"}])
    engine.nlp = {"zh": spacy.blank("zh")}
    return engine


def stock() -> Callable[[pl.Series], None]:
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry

    registry = RecognizerRegistry(supported_languages=["zh"])
    registry.load_predefined_recognizers(languages=["zh"])
    return per_document(AnalyzerEngine(registry=registry, nlp_engine=pipeline(), supported_languages=["zh"]))


def same_recognizers() -> Callable[[pl.Series], None]:
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry

    from datacheck.pii.engine import CharacterWindowEnhancer, SpecRecognizer, StandingRules
    from datacheck.pii.recognizers import RECOGNIZERS

    every = StandingRules()
    every.rules = {entity: list(each.patterns) for entity, each in RECOGNIZERS.items()}
    own = [SpecRecognizer(each, every) for each in RECOGNIZERS.values()]
    registry = RecognizerRegistry(own, supported_languages=["zh"])
    enhancer = CharacterWindowEnhancer()
    return per_document(
        AnalyzerEngine(registry, pipeline(), supported_languages=["zh"], context_aware_enhancer=enhancer)
    )


def per_document(engine: Any) -> Callable[[pl.Series], None]:
    def run(texts: pl.Series) -> None:
        for text in texts:
            engine.analyze(text, "zh")

    return run


def injected(texts: pl.Series, share: float) -> pl.Series:
    from datacheck.pii.canaries import canary
    from datacheck.pii.recognizers import RECOGNIZERS

    rng = random.Random(20261121)
    kinds = list(RECOGNIZERS)
    return pl.Series(
        [f"{text}。{canary(rng.choice(kinds), n)}" if rng.random() < share else text for n, text in enumerate(texts)]
    )


def compare(corpora: dict[str, pl.Series], limit: int) -> None:
    from datacheck.pii.analyzer import find

    peers = {"stock": stock(), "same recognizers": same_recognizers()}
    warm = injected(pl.Series(["我的手机13912348765，姓名：张伟"] * 200), 1.0)  # every import, table and expression
    for run in (find, *peers.values()):
        run(warm)
    total = dict.fromkeys(("MB", "ours", "sample", *peers), 0.0)
    print("| corpus | MB | ours MB/s | stock MB/s | ratio | same recognizers | ratio |\n|---|---|---|---|---|---|---|")
    for name, texts in corpora.items():
        own = timed(lambda texts=texts: find(texts))
        part = sample(texts, limit)
        seconds = {peer: timed(lambda run=run, part=part: run(part)) for peer, run in peers.items()}
        row(name, megabytes(texts), own, megabytes(part), seconds)
        for key, value in {"MB": megabytes(texts), "ours": own, "sample": megabytes(part), **seconds}.items():
            total[key] += value
    row("all", total["MB"], total["ours"], total["sample"], {peer: total[peer] for peer in peers})
    everything = pl.concat(list(corpora.values()))
    wall = time.perf_counter()
    own = timed(lambda: find(everything))
    wall = time.perf_counter() - wall
    row("all in one call", total["MB"], own, total["sample"], {peer: total[peer] for peer in peers})
    print(f"\nall in one call, by the clock: {total['MB'] / wall:.1f} MB/s")


def row(name: str, size: float, own: float, part: float, seconds: dict[str, float]) -> None:
    ours = size / own
    cells = [f"{part / each:.3f} | x{ours / (part / each):.0f}" for each in seconds.values()]
    print(f"| {name} | {size:.2f} | {ours:.1f} | {' | '.join(cells)} |", flush=True)


def inject(texts: pl.Series) -> None:
    from datacheck.pii.analyzer import analyze, find
    from datacheck.pii.recognizers import of_regions

    print("\n| injected hits | prefiltered s | plain s | ratio | equal |\n|---|---|---|---|---|")
    for share in (0.0, 0.01, 0.1):
        planted = injected(texts, share)
        flags = pl.DataFrame({entity: [True] * len(planted) for entity in of_regions()})
        found: list[pl.DataFrame] = []
        ours = timed(lambda planted=planted, found=found: found.append(find(planted)))
        plain = timed(lambda planted=planted, flags=flags, found=found: found.append(analyze(planted, flags)))
        print(
            f"| {share:.0%} | {ours:.3f} | {plain:.2f} | x{plain / ours:.1f} | {found[0].equals(found[1])} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-bytes", type=int, default=60_000)
    limit = parser.parse_args().peer_bytes
    logging.disable(logging.CRITICAL)  # stock tries to fetch the list of public suffixes, and tells
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "pii")]
    from pii_helpers import REALDATA, realdata

    if not REALDATA.is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    print(f"Python {platform.python_version()},", ", ".join(f"{p} {importlib.metadata.version(p)}" for p in PACKAGES))
    print(f"{os.cpu_count()} cores, polars with {pl.thread_pool_size()} threads\n")
    corpora = {
        f"{source} ({language})": realdata(source).unique(maintain_order=True)
        for language, sources in CORPORA.items()
        for source in sources
        if (REALDATA / source).is_dir()
    }
    compare(corpora, limit)
    inject(sample(pl.concat(list(corpora.values())), 700_000))


if __name__ == "__main__":
    main()
