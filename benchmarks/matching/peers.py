"""Other tools for near-duplicates, called as their documentation tells a user, with character 5-grams where they can.

    <python of the tool's environment> peers.py RUNNER CORPUS.parquet FOLDER

Runs in the tool's own environment: the standard library, pyarrow and the tool. Writes FOLDER/result.json: seconds
(wall and CPU, with children) from the texts in memory (or, for the tools that read files themselves, from the
Parquet file) to the rows reported; imports and a first call on 200 texts are outside. `rows` are those that the tool
calls duplicates: mode "later" = that repeat an earlier row, "any" = that have a partner; `pairs` where it names them.
"""

from __future__ import annotations

import array
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

N = 5  # characters per n-gram
THRESHOLD = 0.8
PERMUTATIONS = 128
BANDS = 16  # of 8, for the tools that leave the bands to the caller
Pair = tuple[int, int]
Result = dict[str, Any]


def main() -> None:
    """Run one tool and write what it found."""
    runner, corpus, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    prepare = RUNNERS[runner]
    work = prepare(corpus, folder)
    start, cpu = time.perf_counter(), cpu_seconds()
    result = work()
    result.update(wall=time.perf_counter() - start, cpu=cpu_seconds() - cpu, peak=peak())
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


def cpu_seconds() -> float:
    """Return user and system seconds of this process and of the children that it has waited for."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def peak() -> int:
    """Return the largest resident set that this process has had, in bytes."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM"))


def texts(corpus: Path) -> list[str]:
    import pyarrow.parquet as pq

    return pq.read_table(corpus, columns=["text"])["text"].to_pylist()


def grams(text: str) -> list[str]:
    return [text[i : i + N] for i in range(max(1, len(text) - N + 1))]


def in_memory(work: Callable[[list[str]], Result]) -> Callable[[Path, Path], Callable[[], Result]]:
    """Make a runner of a function of texts: read them, call it once on a few, and hand back the real call."""

    def prepare(corpus: Path, _folder: Path) -> Callable[[], Result]:
        documents = texts(corpus)
        work(documents[:200])
        return lambda: work(documents)

    return prepare


def from_pairs(pairs: Iterable[Pair]) -> Result:
    distinct = sorted(set(pairs))
    return {"mode": "later", "rows": sorted({right for _, right in distinct}), "pairs": distinct}


def from_groups(groups: Iterable[Iterable[int]]) -> Result:
    """All pairs of each group of candidates."""
    return from_pairs(pair for group in groups for pair in itertools.combinations(sorted(set(group)), 2))


def from_flags(flags: Iterable[bool]) -> Result:
    return {"mode": "any", "rows": [row for row, flag in enumerate(flags) if flag]}


def from_clusters(clusters: Iterable[Iterable[int]]) -> Result:
    """All but the first of each."""
    return {"mode": "later", "rows": sorted(row for cluster in clusters for row in sorted(cluster)[1:])}


def from_kept(kept: Iterable[int], rows: int) -> Result:
    return {"mode": "later", "rows": sorted(set(range(rows)) - set(kept))}


# ── datasketch ────────────────────────────────────────────────────────────────────────────────────────
def datasketch(documents: list[str], **hashing: Any) -> Result:
    from datasketch import MinHash, MinHashLSH

    sets = ({gram.encode() for gram in grams(text)} for text in documents)
    signatures = MinHash.bulk(sets, num_perm=PERMUTATIONS, **hashing)
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    for row, signature in enumerate(signatures):
        index.insert(row, signature, check_duplication=False)
    found = ((row, other) for row, signature in enumerate(signatures) for other in index.query(signature))
    return from_pairs((row, other) for row, other in found if row < other)


def datasketch_xxhash(documents: list[str]) -> Result:
    from xxhash import xxh32_intdigest

    return datasketch(documents, hashfunc=xxh32_intdigest)


# ── gaoya ─────────────────────────────────────────────────────────────────────────────────────────────
def gaoya(documents: list[str]) -> Result:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32, jaccard_threshold=THRESHOLD, num_bands=25, band_size=5, analyzer="char", ngram_range=(N, N)
    )
    index.par_bulk_insert_docs(list(range(len(documents))), documents)
    found = enumerate(index.par_bulk_query(documents))
    return from_pairs((row, int(other)) for row, others in found for other in others if row < other)


# ── rensa ─────────────────────────────────────────────────────────────────────────────────────────────
def rensa_deduplicator(documents: list[str]) -> Result:
    from rensa import RMinHashDeduplicator

    index = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=PERMUTATIONS, use_lsh=True)
    kept = index.add_pairs((str(row), grams(text)) for row, text in enumerate(documents))
    return {"mode": "later", "rows": [row for row, keep in enumerate(kept) if not keep]}


def rensa_rho(documents: list[str]) -> Result:
    from rensa import RMinHash, RMinHashLSH

    matrix = RMinHash.digest_matrix_from_token_sets_rho((grams(text) for text in documents), PERMUTATIONS, 42)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=8)
    return from_flags(index.query_duplicate_flags_matrix_one_shot(matrix))


def rensa_flat(_corpus: Path, folder: Path) -> Callable[[], Result]:
    """n-gram hashes computed by datacheck (FOLDER/hashes.bin, offsets.bin): only sketching and LSH are rensa's."""
    from rensa import RMinHash, RMinHashLSH

    hashes, offsets = (array.array("Q", (folder / f"{name}.bin").read_bytes()) for name in ("hashes", "offsets"))

    def work() -> Result:
        matrix = RMinHash.digest_matrix_from_flat_token_hashes(hashes, offsets, PERMUTATIONS, 42)
        index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
        return from_flags(index.query_duplicate_flags_matrix_one_shot(matrix))

    return work


# ── daft ──────────────────────────────────────────────────────────────────────────────────────────────
def daft(corpus: Path, _folder: Path) -> Callable[[], Result]:
    """minhash() splits at spaces only, so every character gets one behind it (and spaces become "_")."""
    import daft
    from daft import col
    from daft.functions import chunk, list_agg, minhash, regexp_replace

    def work() -> Result:
        frame = daft.read_parquet(str(corpus))
        apart = regexp_replace(regexp_replace(col("text"), r"\s", "_"), "(.)", "$1 ")
        sketch = minhash(apart, num_hashes=PERMUTATIONS, ngram_size=N, hash_function="xxhash")
        frame = frame.select("id", chunk(sketch, PERMUTATIONS // BANDS).alias("band"))
        frame = frame.with_column("number", daft.lit(list(range(BANDS)))).explode("band", "number")
        groups = frame.groupby("number", "band").agg(list_agg(col("id")).alias("ids")).select("ids").to_pydict()["ids"]
        return from_groups(group for group in groups if len(group) > 1)

    daft.from_pydict({"id": [1]}).select(col("id") + 1).collect()
    return work


# ── datatrove ─────────────────────────────────────────────────────────────────────────────────────────
def datatrove(corpus: Path, folder: Path) -> Callable[[], Result]:
    """Its three local stages with its default 14 bands of 8; characters as tokens through its WordTokenizer."""
    import struct

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.utils.word_tokenizers import WordTokenizer

    class Characters(WordTokenizer):
        def word_tokenize(self, text: str) -> list[str]:
            return list(text)

        def sent_tokenize(self, text: str) -> list[str]:
            return [text]

        def span_tokenize(self, text: str) -> list[tuple[int, int]]:
            return [(0, len(text))]

    def work() -> Result:
        config = MinhashConfig(n_grams=N)
        signatures, buckets, removed = (str(folder / name) for name in ("signatures", "buckets", "removed"))
        reader = ParquetReader(str(corpus.parent), glob_pattern=corpus.name)
        stages: list[tuple[list[Any], int]] = [
            ([reader, MinhashDedupSignature(signatures, config, language=Characters())], 1),
            ([MinhashDedupBuckets(signatures, buckets, config=config)], config.num_buckets),
            ([MinhashDedupCluster(buckets, removed, config=config, save_cluster_id=True)], 1),
        ]
        for number, (pipeline, tasks) in enumerate(stages):
            logs = str(folder / f"logs{number}")
            LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, skip_completed=False, logging_dir=logs).run()
        clusters: dict[int, list[int]] = {}
        for row, cluster in struct.iter_unpack("<2I", (folder / "removed" / "000000.clusters").read_bytes()):
            clusters.setdefault(cluster, []).append(row)
        return from_clusters(clusters.values())

    return work


# ── text-dedup ────────────────────────────────────────────────────────────────────────────────────────
def text_dedup(corpus: Path, folder: Path) -> Callable[[], Result]:
    r"""Its command; words are what stands between \W, so a Chinese clause is one word."""
    from text_dedup import minhash as tool

    arguments = {
        "path": "parquet", "data_files": corpus, "split": "train", "column": "text", "batch_size": 10_000,
        "cache_dir": folder / "cache", "output": folder / "output", "ngram": N, "min_length": 1,
        "num_perm": PERMUTATIONS, "threshold": THRESHOLD,
    }  # fmt: skip
    line = [part for name, value in arguments.items() for part in (f"--{name}", str(value))]

    def work() -> Result:
        tool.main.main(line, standalone_mode=False)
        clusters: dict[int, list[int]] = {}  # its own output keeps any member of a cluster, not the first
        for row in list(tool.uf.parent):
            clusters.setdefault(tool.uf.find(row), []).append(row)
        return from_clusters(clusters.values())

    return work


def text_dedup_spaced(corpus: Path, folder: Path) -> Callable[[], Result]:
    """The same on a copy with a space behind every character, so that its words are characters."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    spaced = folder / "spaced.parquet"
    pq.write_table(pa.table({"id": range(rows(corpus)), "text": [" ".join(t) for t in texts(corpus)]}), spaced)
    return text_dedup(spaced, folder)


def rows(corpus: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(corpus).metadata.num_rows)


# ── Data-Juicer ───────────────────────────────────────────────────────────────────────────────────────
def data_juicer(corpus: Path, folder: Path) -> Callable[[], Result]:
    """Its operator with the tokenization that its documentation recommends for Chinese, on two processes."""
    from data_juicer.core.data import NestedDataset
    from data_juicer.ops.deduplicator.document_minhash_deduplicator import DocumentMinhashDeduplicator
    from datasets import load_dataset

    loaded = load_dataset("parquet", data_files=str(corpus), split="train", cache_dir=str(folder / "cache"))

    def work() -> Result:
        operator = DocumentMinhashDeduplicator(
            tokenization="character", window_size=N, num_permutations=PERMUTATIONS, jaccard_threshold=THRESHOLD
        )
        kept, _ = operator.process(NestedDataset(loaded).map(operator.compute_hash, num_proc=2))
        return from_kept(kept["id"], len(loaded))

    return work


RUNNERS: dict[str, Callable[[Path, Path], Callable[[], Result]]] = {
    "datasketch_xxhash": in_memory(datasketch_xxhash),
    "datasketch_sha1": in_memory(datasketch),
    "gaoya": in_memory(gaoya),
    "rensa_deduplicator": in_memory(rensa_deduplicator),
    "rensa_rho": in_memory(rensa_rho),
    "rensa_flat": rensa_flat,
    "daft": daft,
    "datatrove": datatrove,
    "text_dedup": text_dedup,
    "text_dedup_spaced": text_dedup_spaced,
    "data_juicer": data_juicer,
}

if __name__ == "__main__":
    main()
