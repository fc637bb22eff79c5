"""Ahead of the first run: expressions, canaries, tables of code points, templates of pages, the list of checks."""

from pathlib import Path

from datacheck.pii import canaries
from datacheck.pii.excerpts import CORES, HIDDEN
from datacheck.pii.matching.compiled import write
from datacheck.pii.prefilter import tried, tried_on_context
from datacheck.pii.recognizers import RECOGNIZERS, of_regions
from datacheck.report import listing, pages
from datacheck.text import built_tables
from datacheck.text.classes import make_flags
from datacheck.text.rules import usual_tables
from datacheck.text.scripts import make_scripts


def compile_expressions() -> Path:
    """Compile all that the recognizers look for and what `excerpt` hides; returns the file that keeps it.

    Their canaries are made beside it, the tables of code points, the pages' templates and the list of
    checks in folders of their own.
    """
    found = {*HIDDEN, *CORES.values()}
    for each in RECOGNIZERS.values():
        found |= {*each.patterns.values(), each.positive, each.negative_left, each.negative_right}
    canaries.write()
    built_tables.write(usual_tables(), {"classes": make_flags(), **make_scripts()})
    pages.write()
    listing.write()
    every = list(RECOGNIZERS.values())
    for_rust = tried(every) | tried([RECOGNIZERS[entity] for entity in of_regions()]) | tried_on_context(every)
    return write(sorted(found - {""}), sorted(for_rust))
