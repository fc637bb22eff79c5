"""Ahead of the first run, for the package: expressions, canaries, tables of normalising, templates of pages."""

from pathlib import Path

from datacheck.pii import canaries
from datacheck.pii.compiled import write
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.redaction import HIDDEN
from datacheck.report import pages
from datacheck.text.rules import write_tables


def compile_expressions() -> Path:
    """Compile all that the recognizers look for and what `excerpt` hides; returns the file that keeps it.

    Their canaries are made beside it, the tables of normalising and the pages' templates in folders of their own.
    """
    found = set(HIDDEN)
    for each in RECOGNIZERS.values():
        found |= {*each.patterns.values(), each.positive, each.negative_left, each.negative_right}
    canaries.write()
    write_tables()
    pages.write()
    return write(sorted(found - {""}))
