"""Presidio without the machine-learning frameworks that happen to be installed."""

import subprocess
import sys

import pytest

from datacheck.pii.hidden import hidden


def test_modules_are_hidden_inside_the_block_only():
    with hidden("wave", "sys"):
        assert sys.modules["wave"] is None
        assert sys.modules["sys"] is sys
    assert "wave" not in sys.modules
    import wave

    assert wave


# transformers is installed in the test environment, and Presidio would import it.
OWN = """
import sys, polars as pl
from datacheck.pii.hidden import own_process
if {own}:
    own_process()
from datacheck.pii.analyzer import find
found = find(pl.Series(['张三，电话13912345679', 'a@corp.cn', '11010519491231002X', 'Mr. John Smith +86 138 0013 8000']))
print(found.write_json())
print(sorted({{'spacy', 'transformers', 'torch', 'stanza'}} & set(sys.modules)), file=sys.stderr)
import spacy
assert spacy.__file__  # whoever asks for it afterwards gets the real one
"""


@pytest.mark.slow
def test_a_hit_imports_no_framework_and_in_a_process_of_ours_no_spacy():
    """What is found is the same."""
    runs = [
        subprocess.run([sys.executable, "-c", OWN.format(own=own)], capture_output=True, text=True, check=True)
        for own in (True, False)
    ]
    assert [done.stderr.strip() for done in runs] == ["[]", "['spacy']"]
    assert runs[0].stdout == runs[1].stdout
    assert "CN_MOBILE" in runs[0].stdout
