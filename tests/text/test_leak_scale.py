"""Many items and many texts: memory stays within bounds, and what was planted is found."""

import subprocess
import sys

import pytest

CODE = """
import random, resource
import polars as pl
from datacheck.text.eval_index import EvalIndex, Items
from datacheck.text.scan import Scanner, Sought

draw = random.Random(1)
han = [chr(c) for c in range(0x4E00, 0x5E00)]
def text(length):
    return "".join(draw.choices(han, k=length))
asked = [text(60) for _ in range(100_000)]
long = ["".join(asked[at:at + 500]) for at in range(0, 5_000, 500)]  # texts that hold hundreds of items
texts = pl.Series([*long, *(text(200) for _ in range(20_000))])
items = Items.of(pl.Series(asked), 5)
index = EvalIndex.of(items.sets, 0.4)
found = Scanner(Sought(index, items, 5)).find(texts)[0]
assert sorted(set(found.items.tolist())) == list(range(5_000)), len(set(found.items.tolist()))
assert set(found.rows.tolist()) == set(range(10))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_a_hundred_thousand_items():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 3 * 1024**2  # KiB; the items' n-grams are 22 MB, sorting them takes ten times that
