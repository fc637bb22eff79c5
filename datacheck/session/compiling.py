"""Ahead of the first run: expressions of the recognizers, and canaries, for the package."""

from pathlib import Path

from datacheck.pii import canaries
from datacheck.pii.compiled import write
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.redaction import HIDDEN


def compile_expressions() -> Path:
    """Compile all that the recognizers look for and what `excerpt` hides; returns the file that keeps it.

    Their canaries are made beside it.
    """
    found = set(HIDDEN)
    for each in RECOGNIZERS.values():
        found |= {*each.patterns.values(), each.positive, each.negative_left, each.negative_right}
    canaries.write()
    return write(sorted(found - {""}))
