"""Which row's answer ms-swift 4.6.0 draws for which, in KTO's step before the encoder (pipelines/train/kto.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

_BATCH = 2  # per_device_train_batch_size x gradient_accumulation_steps of the probe, on one device


def drawn_for_kl(rows: Sequence[int], seed: int) -> Iterator[list[tuple[int, int]]]:
    """Batches of pairs: a row and the one whose answer it gets.

    Rows are shuffled twice: as every set is loaded, with the second number of the seed's stream (dataset/loader.py:418;
    the first one is for decision_augment), and for KTO with the seed itself. Then each batch is turned by one.

    Args:
        rows: those that the loader keeps, in the order of the file.
        seed: `data_seed`.

    """
    stream = np.random.RandomState(seed)
    most = np.iinfo(np.int32).max
    stream.randint(0, most)
    order = [rows[at] for at in np.random.default_rng(stream.randint(0, most)).permutation(len(rows))]
    order = [order[at] for at in np.random.default_rng(seed).permutation(len(order))]
    for first in range(0, len(order), _BATCH):
        batch = order[first : first + _BATCH]
        yield list(zip(batch, [batch[-1], *batch[:-1]], strict=True))
