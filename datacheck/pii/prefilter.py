r"""A cheap, vectorised superset: the rows on which a recognizer could fire (Rust regex, linear).

Three savings, none of which may change a result (tests/pii/test_equality.py):
1. only rows that folding could change are folded (in Python); escapes like ``\\n`` are undone in Rust;
2. recognizers that share a gate (any long run of digits) are tried on the rows that it lets through;
3. Presidio then runs, per row, only those recognizers whose expression fired.
"""

from collections.abc import Sequence
from typing import Literal

import polars as pl

from datacheck.pii.normalise import NEEDS_FOLDING, SHORT_ESCAPE, fold
from datacheck.pii.recognizers import RECOGNIZERS, Recognizer
from datacheck.pii.recognizers.base import HAN

Names = Literal["linked", "full"]
"""Where unlabelled names are looked for: within LINK characters of a hard identifier, or in every text (slow)."""

_ANY_NAME = rf"[{HAN}]{{2}}|(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?[ ][A-Z]"


def candidates(texts: pl.Series, entities: Sequence[str] | None = None, *, names: Names = "linked") -> pl.DataFrame:
    """Return one Boolean column per entity (default: all), one row per text; null texts are false.

    A row counts if the text as written or the folded text fires, so nothing that `find` reports is lost.
    KeyError for an unknown entity.
    """
    chosen = [RECOGNIZERS[entity] for entity in entities or tuple(RECOGNIZERS)]
    written = texts.cast(pl.String).alias("text")
    others = _other_views(written)
    flags = _fired(pl.concat([written, *(text for _, text in others)]), chosen, names)
    out = {name: flags[name].head(len(written)) for name in flags.columns}
    at = len(written)
    for rows, text in others:
        extra = flags.slice(at, len(text))
        at += len(text)
        out = {name: flag | _at(rows.filter(extra[name]), len(written)) for name, flag in out.items()}
    return pl.DataFrame(out)


def _at(rows: pl.Series, length: int) -> pl.Series:
    return pl.repeat(False, length, dtype=pl.Boolean, eager=True).scatter(rows, True)


def _other_views(written: pl.Series) -> list[tuple[pl.Series, pl.Series]]:
    """Row numbers and texts, folded where folding does more than to undo short escapes."""
    tests = pl.DataFrame(written).select(
        disguised=pl.col("text").str.contains(NEEDS_FOLDING).fill_null(value=False),
        escaped=pl.col("text").str.contains(SHORT_ESCAPE).fill_null(value=False),
    )
    disguised = tests["disguised"].arg_true()
    escaped = (tests["escaped"] & ~tests["disguised"]).arg_true()
    return [
        (disguised, pl.Series("text", [fold(text).text for text in written.gather(disguised)], dtype=pl.String)),
        (escaped, _unescaped(written.gather(escaped))),
    ]


def _unescaped(texts: pl.Series) -> pl.Series:
    """What `fold` makes of short escapes."""
    for escapes, char in ((r"\\[nr]", "\n"), (r"\\t", "\t"), (r"\\[bf]", " ")):
        texts = texts.str.replace_all(escapes, char)
    return texts


def _fired(texts: pl.Series, chosen: Sequence[Recognizer], names: Names) -> pl.DataFrame:
    """Return the flags of each text as it stands, recognizers behind a gate on the rows that it lets through."""
    whole = pl.DataFrame(texts)
    gates = sorted({each.gate for each in chosen if each.gate})
    free = [each for each in chosen if not each.gate]
    first = whole.select(
        *(_test(each, names) for each in free), *(_contains(gate).alias(f"gate {n}") for n, gate in enumerate(gates))
    )
    columns = {each.entity: first[each.entity] for each in free}
    for number, gate in enumerate(gates):
        rows = first[f"gate {number}"].arg_true()
        behind = [each for each in chosen if each.gate == gate]
        flags = whole.select(pl.col("text").gather(rows)).select(_test(each, names) for each in behind)
        columns |= {each.entity: _at(rows.filter(flags[each.entity]), len(texts)) for each in behind}
    return pl.DataFrame({each.entity: columns[each.entity] for each in chosen})


def _test(recognizer: Recognizer, names: Names) -> pl.Expr:
    every_name = names == "full" and recognizer.entity == "PERSON"
    expression = f"{recognizer.prefilter}|{_ANY_NAME}" if every_name else recognizer.prefilter
    found = pl.any_horizontal(map(_contains, (expression, *recognizer.prefilters)))
    return (found & _contains(recognizer.needs) if recognizer.needs else found).alias(recognizer.entity)


def _contains(expression: str) -> pl.Expr:
    return pl.col("text").str.contains(expression).fill_null(value=False)
