r"""A cheap, vectorised superset: the rows on which a recognizer could fire (Rust regex, linear).

Four savings, none of which may change a result (tests/pii/test_equality.py):
1. only rows that folding could change are folded (in Python); escapes like ``\\n`` are undone in Rust;
2. a kernel tells in one pass which expressions each row may match at all (`sieve`), and only on these they are tried;
3. recognizers that share a gate (any long run of digits, a word that is a label) are tried on the rows that it lets
   through, and those that no word tells and that rarely find anything are tried as one expression first;
4. Presidio then runs, per row, only those recognizers whose expression fired.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Literal

import numpy as np
import polars as pl

from datacheck.pii.dictated import DICTATED, is_dictated
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.matching.kept import any_of
from datacheck.pii.matching.sieve import build, possible
from datacheck.pii.normalise import NEEDS_FOLDING, SHORT_ESCAPE, folded_text
from datacheck.pii.recognizers import RECOGNIZERS, Recognizer, of_regions
from datacheck.text.arrays import Bools

Names = Literal["linked", "full", "model"]
"""Where unlabelled names are looked for: within LINK characters of a hard identifier, or in every text: by jieba's tags
(slow), or by a network and a list (`free_names`, which `analyze` asks, and no expression)."""

# These have no gate of their own, and no word that they need, but few rows have any of them: one expression for all is
# tried first. With more of them it would be an automaton that is too large to be kept, and take twenty times as long.
# Each of them has a digit (see their `judge`): texts without one are not read for them.
_TOGETHER = ("MAC_ADDRESS", "IP_ADDRESS", "IBAN", "GPS", "CRYPTO", "CN_PLATE")
_DIGIT = "[0-9]"
_WHITE = r"[\s\x1c-\x1f]+"  # as Python and `regex` have it
_ANY_NAME = rf"[{HAN}]{{2}}|(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?[ ][A-Z]"


def candidates(texts: pl.Series, entities: Sequence[str] | None = None, *, names: Names = "linked") -> pl.DataFrame:
    """Return one Boolean column per entity (default: `of_regions`), one row per text; null texts are false.

    A row counts if the text as written or the folded text fires, so nothing that `find` reports is lost.
    KeyError for an unknown entity.
    """
    chosen = [RECOGNIZERS[entity] for entity in entities or of_regions()]
    written = texts.cast(pl.String).alias("text")
    others = _other_views(written)
    flags = _fired(pl.concat([written, *(text for _, text in others)]), chosen, names)
    out = {name: flags[name].head(len(written)) for name in flags.columns}
    at = len(written)
    for rows, text in others:
        extra = flags.slice(at, len(text))
        at += len(text)
        for name in (name for name in out if extra[name].any()):
            out[name] |= _at(rows.filter(extra[name]), len(written))
    return pl.DataFrame(out)


def prepare(entities: Sequence[str], names: Names = "linked") -> None:
    """Have in memory what `candidates` needs before its first text. No thread begins in it."""
    build(tried([RECOGNIZERS[entity] for entity in entities], names))


def _at(rows: pl.Series, length: int) -> pl.Series:
    return pl.repeat(False, length, dtype=pl.Boolean, eager=True).scatter(rows, True)


def _other_views(written: pl.Series) -> list[tuple[pl.Series, pl.Series]]:
    """Row numbers and texts, folded where folding does more than to undo short escapes."""
    folded, short = uncovered(written)
    disguised, escaped = folded.arg_true(), short.arg_true()
    return [
        (disguised, pl.Series("text", [folded_text(text) for text in written.gather(disguised)], dtype=pl.String)),
        (escaped, _unescaped(written.gather(escaped))),
    ]


def uncovered(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Of each text whether folding may uncover something in it, and whether it does no more than to undo escapes."""
    folded, told, short = any_of([(texts, [each]) for each in (NEEDS_FOLDING, DICTATED, SHORT_ESCAPE)])
    asked = (told & ~folded).arg_true()
    dictated = pl.Series([is_dictated(text) for text in texts.gather(asked)], dtype=pl.Boolean)
    folded |= _at(asked.filter(dictated), len(texts))
    return folded, short & ~folded


def _unescaped(texts: pl.Series) -> pl.Series:
    """What `fold` makes of short escapes."""
    for escapes, char in ((r"\\[nr]", "\n"), (r"\\t", "\t"), (r"\\[bf]", " ")):
        texts = texts.str.replace_all(escapes, char)
    return texts


def tried(chosen: Sequence[Recognizer], names: Names = "linked") -> set[str]:
    """All expressions that are tried first for some recognizers."""
    gates = {_gate(each, chosen, names) for each in chosen} - {""}
    return {
        *chain.from_iterable(map(_lines, gates)),
        *chain.from_iterable(_expressions(each, names) for each in chosen),
        *(each.weak for each in chosen if each.weak),
        _DIGIT,
    }


def tried_on_context(chosen: Sequence[Recognizer]) -> set[str]:
    """All expressions for what stands beside their values."""
    return {line for each in chosen for line in _lines(each.needs) + _lines(each.needs_of_weak) if line}


def _fired(texts: pl.Series, chosen: Sequence[Recognizer], names: Names) -> pl.DataFrame:
    """Return the flags of each text as it stands, recognizers behind a gate on the rows that it lets through."""
    gates = {each: _gate(each, chosen, names) for each in chosen}
    may = possible(texts, tried(chosen, names))
    if together := _gate_together(chosen):
        may[together] &= may[_DIGIT]
    rows = _Rows(texts, may)
    lines = {gate: _lines(gate) for gate in {*gates.values()} - {""}}
    everywhere = np.ones(len(texts), np.bool_)
    let_in = dict(zip(lines, rows.matched((everywhere, each) for each in lines.values()), strict=True))
    let_in[""] = everywhere
    behind = rows.matched((let_in[gates[each]], _expressions(each, names)) for each in chosen)
    fired = dict(zip(chosen, behind, strict=True))
    weak = [each for each in chosen if each.weak]
    left = rows.matched((let_in[gates[each]] & ~fired[each], [each.weak]) for each in weak)
    needing = [each for each in chosen if each.needs]
    searches = [(fired[each], each.needs) for each in needing]
    searches += [(some, each.needs_of_weak) for each, some in zip(weak, left, strict=True)]
    found = _with_context(texts, searches)
    fired |= zip(needing, found, strict=False)
    for each, some in zip(weak, found[len(needing) :], strict=True):
        fired[each] |= some
    return pl.DataFrame({each.entity: fired[each] for each in chosen}, {each.entity: pl.Boolean for each in chosen})


def _with_context(texts: pl.Series, searches: Sequence[tuple[Bools, str]]) -> list[Bools]:
    """Return for each search in which of some texts its expression matches without white space, as context is read."""
    read = reduce(np.logical_or, (some for some, _ in searches), np.zeros(len(texts), np.bool_))
    closed = texts.filter(pl.Series(read)).str.replace_all(_WHITE, "")
    rows = _Rows(closed, possible(closed, {line for _, expression in searches for line in _lines(expression)}))
    found = rows.matched((some[read], _lines(expression)) for some, expression in searches)
    out = [np.zeros(len(texts), np.bool_) for _ in searches]
    for each, matched in zip(out, found, strict=True):
        each[read] = matched
    return out


class _Rows:
    """Texts, and by expression in which of them it may match; those of which nothing is known may everywhere."""

    def __init__(self, texts: pl.Series, possible: Mapping[str, Bools]) -> None:
        self._texts, self._possible = texts, possible

    def matched(self, searches: Iterable[tuple[Bools, Sequence[str]]]) -> list[Bools]:
        """Return for each search, some of the texts and expressions, in which of them one of these matches."""
        found: list[Bools] = []
        asked: list[tuple[Bools, Bools, str]] = []
        for some, expressions in searches:
            found.append(np.zeros_like(some))
            likely = ((some & self._possible.get(each, np.True_), each) for each in expressions)
            asked += ((found[-1], rows, each) for rows, each in likely if rows.any())  # of others nothing is compiled
        flags = any_of((self._texts.filter(pl.Series(rows)), [each]) for _, rows, each in asked)
        for (out, rows, _), matched in zip(asked, flags, strict=True):
            out[rows] |= matched.to_numpy()
        return found


def _lines(expressions: str) -> list[str]:
    """Expressions, a line each: words alone are looked for much faster."""
    return expressions.split("\n")


def _gate(recognizer: Recognizer, chosen: Sequence[Recognizer], names: Names) -> str:
    """The expression that is tried before that of a recognizer; none where a name may be anything."""
    if names == "full" and recognizer.entity == "PERSON":
        return ""
    return (recognizer.entity in _TOGETHER and _gate_together(chosen)) or recognizer.gate


def _gate_together(chosen: Sequence[Recognizer]) -> str:
    """One expression for those that share it; none where there is but one."""
    together = [each.prefilter for each in chosen if each.entity in _TOGETHER]
    return "|".join(together) if len(together) > 1 else ""


def _expressions(recognizer: Recognizer, names: Names) -> list[str]:
    every_name = names == "full" and recognizer.entity == "PERSON"
    expression = f"{recognizer.prefilter}|{_ANY_NAME}" if every_name else recognizer.prefilter
    return [line for each in (expression, *recognizer.prefilters) for line in _lines(each)]
