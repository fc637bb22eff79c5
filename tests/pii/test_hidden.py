"""Presidio without the machine-learning frameworks that happen to be installed."""

import subprocess
import sys

from datacheck.pii.hidden import hidden


def test_modules_are_hidden_inside_the_block_only():
    with hidden("wave", "sys"):
        assert sys.modules["wave"] is None
        assert sys.modules["sys"] is sys
    assert "wave" not in sys.modules
    import wave

    assert wave


def test_a_hit_imports_no_framework():
    """transformers is installed in the test environment, and Presidio would import it."""
    code = (
        "import sys, polars as pl\n"
        "from datacheck.pii.analyzer import find\n"
        "found = find(pl.Series(['我的电话13912345679']))\n"
        "assert found.height and 'presidio_analyzer' in sys.modules\n"
        "print(sorted({'transformers', 'torch', 'stanza'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
