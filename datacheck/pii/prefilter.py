r"""A cheap, vectorised superset: the rows on which a recognizer could fire (Rust regex, linear).

Three savings, none of which may change a result (tests/pii/test_equality.py):
1. only rows that folding could change are folded (in Python); escapes like ``\\n`` are undone in Rust;
2. recognizers that share a gate (any long run of digits, a word that is a label) are tried on the rows that it lets
   through, and those that rarely find anything are tried as one expression first;
3. Presidio then runs, per row, only those recognizers whose expression fired.
"""

from collections.abc import Collection, Sequence
from typing import Literal

import polars as pl

from datacheck.pii.expressions import GATE_DIGITS, GATE_FIVE_DIGITS, HAN
from datacheck.pii.kept import any_of
from datacheck.pii.normalise import NEEDS_FOLDING, SHORT_ESCAPE, fold
from datacheck.pii.recognizers import RECOGNIZERS, Recognizer, of_regions

Names = Literal["linked", "full", "model"]
"""Where unlabelled names are looked for: within LINK characters of a hard identifier, or in every text: by jieba's tags
(slow), or by a network and a list (`free_names`, which `analyze` asks, and no expression)."""

# These have no gate of their own, but few rows have any of them: one expression for each group is tried first. As one
# group they would be an automaton that is too large to be kept, and take twenty times as long.
_TOGETHER = (
    ("EMAIL_ADDRESS", "MAC_ADDRESS", "IP_ADDRESS", "IBAN", "GPS", "CRYPTO", "CN_PLATE"),
    ("QQ", "WECHAT", "ADDRESS"),
)
_WITHIN = {GATE_DIGITS: GATE_FIVE_DIGITS}
"""Gates that are tried behind a wider one, if that is tried."""
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


def _at(rows: pl.Series, length: int) -> pl.Series:
    return pl.repeat(False, length, dtype=pl.Boolean, eager=True).scatter(rows, True)


def _other_views(written: pl.Series) -> list[tuple[pl.Series, pl.Series]]:
    """Row numbers and texts, folded where folding does more than to undo short escapes."""
    folded, short = any_of([(written, [NEEDS_FOLDING]), (written, [SHORT_ESCAPE])])
    disguised, escaped = folded.arg_true(), (short & ~folded).arg_true()
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
    gates = {each: _gate(each, chosen, names) for each in chosen}
    let_in = _let_in(texts, set(gates.values()))
    behind = {gate: texts.gather(rows) for gate, rows in let_in.items()}
    tried = [each for each in chosen if len(behind[gates[each]])]  # saves compiling the expressions of the others
    found = any_of((behind[gates[each]], _expressions(each, names)) for each in tried)
    fired = {each: let_in[gates[each]].filter(flags) for each, flags in zip(tried, found, strict=True)}
    for each in (each for each in tried if each.weak):
        rest = let_in[gates[each]].filter(~let_in[gates[each]].is_in(fired[each].implode()))
        rest = _narrowed(texts, _narrowed(texts, rest, each.weak), each.needs_of_weak)
        fired[each] = pl.concat([fired[each], rest])
    needing = [each for each in tried if each.needs and len(fired[each])]
    needed = any_of((texts.gather(fired[each]), _lines(each.needs)) for each in needing)
    fired |= {each: fired[each].filter(flags) for each, flags in zip(needing, needed, strict=True)}
    none = _at(pl.Series([], dtype=pl.UInt32), len(texts))
    columns = {each: _at(rows, len(texts)) for each, rows in fired.items() if len(rows)}
    return pl.DataFrame({each.entity: columns.get(each, none) for each in chosen})


def _let_in(texts: pl.Series, gates: Collection[str]) -> dict[str, pl.Series]:
    """The rows that each gate lets through, those without one all of them."""
    outer = {gate: _WITHIN[gate] if _WITHIN.get(gate) in gates else gate for gate in sorted(gates)}
    first = sorted({wider for wider in outer.values() if wider})
    open_rows = {"": pl.int_range(len(texts), dtype=pl.UInt32, eager=True)}
    flags = any_of((texts, _lines(gate)) for gate in first)
    open_rows |= {gate: each.arg_true() for gate, each in zip(first, flags, strict=True)}
    return {
        gate: open_rows[gate] if gate == wider else _narrowed(texts, open_rows[wider], gate)
        for gate, wider in outer.items()
    }


def _narrowed(texts: pl.Series, rows: pl.Series, expressions: str) -> pl.Series:
    """Those of some rows in which one of the expressions matches, a line each."""
    if rows.is_empty():
        return rows
    (flags,) = any_of([(texts.gather(rows), _lines(expressions))])
    return rows.filter(flags)


def _lines(expressions: str) -> list[str]:
    """Expressions, a line each: words alone are looked for much faster."""
    return expressions.split("\n")


def _gate(recognizer: Recognizer, chosen: Sequence[Recognizer], names: Names) -> str:
    """The expression that is tried before that of a recognizer; none where a name may be anything."""
    if names == "full" and recognizer.entity == "PERSON":
        return ""
    for group in _TOGETHER:
        together = [each for each in chosen if each.entity in group]
        if recognizer in together and len(together) > 1:
            return "|".join(each.prefilter for each in together)
    return recognizer.gate


def _expressions(recognizer: Recognizer, names: Names) -> list[str]:
    every_name = names == "full" and recognizer.entity == "PERSON"
    expression = f"{recognizer.prefilter}|{_ANY_NAME}" if every_name else recognizer.prefilter
    return [line for each in (expression, *recognizer.prefilters) for line in _lines(each)]
