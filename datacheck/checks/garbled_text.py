"""The check garbled_text."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Need, Value, View, rates
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.turn_texts import (
    asked,
    evidence,
    first_at,
    flagged,
    from_first,
    looks_like_code,
    of_rows,
    per_kind,
    texts_of,
    without_code,
)
from datacheck.features.worn_texts import WORN, WornSigns, worn_texts
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.escapes import ESCAPE, left_escaped
from datacheck.text.mojibake import mojibake

_CONTROL = r"[\x01-\x08\x0B\x0C\x0E-\x1F\x7F-\x{84}\x{86}-\x{9F}\x{FDD0}-\x{FDEF}\x{FFFE}\x{FFFF}]"
_BIDI = r"[\x{202A}-\x{202E}\x{2066}-\x{2069}]"
_PRIVATE = r"\p{Co}"
_LOST = r"[?？□]{2,}"  # what a database writes for characters that its encoding lacks
_LOST_SIGN = r"[A-Za-z]\?(?i:t|s|m|re|ll|ve)(?:[\s.,;!]|$)"  # don?t: an apostrophe that the encoding lacks
_CONTRACTED = ascii_edges(
    r"(?i)\b(?:(?:do|does|did|is|are|was|were|ca|wo|could|would|should|has|have|had)n\?t|(?:i|you|we|they)\?(?:ve|ll|re|m)"
    r"|(?:it|that|there|what|he|she|who|let)\?s)(?:[\s.,;!]|$)"
)
# Commas that the encoding lacks: "一是水?二是光?" and "first water? then light? and". Questions have their own words.
_LOST_COMMA = r"\p{Han}\?\p{Han}|[a-z]\? [a-z]"
_QUESTION = in_both_scripts(r"(?:吗|呢|吧|么|啊|嘛|谁|哪|怎|几|多|何|是否|不|没)[^？?。！!\n，,]{0,12}\?")
_COMMA = r"[，,、]\s?[\p{L}\p{N}]"
_COMMAS = 2
_IN_SMALL = r"^[\s\W]*[a-z]"
_NO_VALUE = r"^\s*(?:nan|NaN|<NA>|NaT|undefined|\[object Object\])\s*$|[.。!！?？”][ \n]?nan\s*$"
# Tags are invisible copies of ASCII: a model reads the words that they spell. In the flags of regions they belong.
_TAG = r"[\x{E0000}-\x{E007F}]"
_FLAG = r"\x{1F3F4}[\x{E0020}-\x{E007E}]{2,7}\x{E007F}"
_INVISIBLE = r"[\x{200B}\x{2060}\x{FEFF}\x{AD}]"
# Scripts without spaces between words write U+200B where a line may break.
_UNSPACED = r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}]"
_WRITTEN = r"[\p{L}\p{N}]"
# Characters or words of a tokenizer: three words in a row, so that a sentence about such marks is none.
_PIECES = r"[Ġ▁][A-Za-z]+[Ġ▁][A-Za-z]+[Ġ▁][A-Za-z]"
# "t h e   o a k   i s": a blank, or a line, behind each; or a whole text so, with numbers and signs: "查 1 下 “ 北".
_SPACED = r"(?:(?:[A-Za-z] ){2,12}  ){4}|(?:\p{Han}[ \n]){20}|^(?:\p{P} )?(?:\p{Han} ){2}(?:\S ){12,}\S? ?$"
# Whole texts without a small letter, and runs of words without a space between them.
_CAPITALS = r"^[^a-z\p{Han}]+$"
_MAYBE_WORN = (r"^\W?[A-Z][^a-z\p{Han}]{40}", "[a-z]{24}")  # what is tried first, for it is cheap
_GLUED = r"(?:^|[\s\"“(])[A-Za-z][a-z]{2}(?:[a-z,.'’!?]|[.!?,][A-Z]){47,}(?:\s|$)"
_OF_CAPITALS = ascii_edges(r"(?i:capital|upper ?-?case|\bcaps\b|大写|acronym|缩写|morse|cipher)|^[^a-z\p{Han}]+$")
_FEWEST, _WORDY = 60, 0.75  # capitals of such a text, and their share
_LETTERS = 12  # different letters of such a run
_VARIED = 8  # different characters of a text that is `spaced`
_WORN = ["broken_formula", "capitals", "full_width", "glued", *WORN]  # a habit of some writers, too
_PASTED = "escaped_input"
_BROKEN_FORMULA = (  # LaTeX without its backslashes, or without what stood in its braces
    r"(?:^|[^\\A-Za-z_.\"'`“])(?:[dt]?frac ?\{[^{}\n]{0,40}\} ?\{|(?:sqrt|boxed|mathrm|mathbb|mathbf|overline)\{"
    r"|begin\{(?:cases|array|align|equation|[pbvB]?matrix))"
    r"|\\[dt]?frac ?\{ *\} ?\{|\\sqrt ?\{ *\}"
)
_PATTERNS = {
    "replacement": "\ufffd",
    "nul": r"\x00",
    "control": _CONTROL,
    "bidi": _BIDI,
    "private_use": _PRIVATE,
    "lost": _LOST,
    "lost_sign": _LOST_SIGN,
    "lost_comma": _LOST_COMMA,
    "no_value": _NO_VALUE,
    "hidden_words": _TAG,
    "bytes": r"^\s*b['\"][^\\]{0,40}(?:\\x[0-9a-f]{2}){3}",  # str() of bytes
    "full_width": r"[ａ-ｚ]{3}",
    "look_alike": r"[аеорсух][A-Za-z]",  # Cyrillic letters
    "broken_formula": _BROKEN_FORMULA,
    "radical": r"[\x{2F00}-\x{2FD5}]",  # of PDF files: they look like the characters 人 and 日, and are others
    "pieces": _PIECES,
    "invisible": _INVISIBLE,
}
_FEW = 3  # a single private character may be a logo, a single "??" is a way to ask


class DamagedTexts(Suspects):
    """The rows with a text that may be damaged in one way or another."""

    thoughts = True

    def gate(self) -> pl.Expr:
        """All patterns as one."""
        return pl.col("text").str.contains("|".join((*_patterns().values(), ESCAPE, *_MAYBE_WORN)))


def _patterns() -> dict[str, str]:
    return {"mojibake": mojibake(), **_PATTERNS, "spaced": _SPACED}


class GarbledText(Check):
    r"""Share of rows with text that was damaged on its way: wrong encodings, lost, control or steering characters.

    The kinds: `mojibake` (UTF-8 read as Latin-1, Windows-1252 or GBK, GBK read as Latin-1, 锟斤拷), `replacement`
    (U+FFFD), `control` (C0 and C1 without tab and line ends, noncharacters), `nul`, `bidi` (marks that turn the
    direction of writing), `private_use` (characters without a meaning), `lost` (mostly runs of question marks),
    `lost_sign` (don?t, it?s), `lost_comma` (question marks in the place of all commas), `no_value` (the whole text is
    nan or [object Object], or nan
    stands behind its last sentence), `escaped` (`\n`, `\"`, `\u4f60` in
    prose: JSON that was encoded twice), `bytes` (Python's `b'\xe4…'`),
    `look_alike` (Cyrillic letters inside Latin words), `radical` (Kangxi radicals where characters belong), `pieces`
    (words of a tokenizer: `ĠtheĠoak`), `spaced` (a blank or a line break behind each character), `capitals` (a whole
    answer, unasked), `glued` (words without spaces), `broken_formula` (LaTeX that lost its backslashes or numbers:
    frac{1}{2}, \frac{}{2}) and `full_width` (English in ｆｕｌｌ width, which some who write
    Chinese type), these with a rate of their own (`worn`), `hidden_words` (tag
    characters, U+E0000 and on), and, with a rate of its own, `invisible` (U+200B, U+2060, U+FEFF, soft hyphens). People
    and tools paste escapes too: in what they say these are `escaped_input`, with a rate of their own. Emoji, symbols,
    rare characters and all scripts are fine, and so are joiners (U+200D) and escapes in code, LaTeX, regular
    expressions and JSON.

    `worn` also counts answers with marks of a program: `doubled_quotes` (of CSV), `slash_n` and `bare_n` (/n or n for
    line feeds), `word_pieces` (`##`, `@@`), `masked` ([MASK]), `lost_digits` (of a list), `spreadsheet` (1.38E+10),
    `lost_value` (None between sentences), `doubled_words`, `doubled_sentences`, `digits_in_words` (he11o), `misspelt`
    (two common English words and more with a letter lost, swapped or misread: importnt, tbe), `joined_words` (one+two),
    `list_order` (3, 1, 2), `one_line` (a table, a fence or a list without line feeds); and, where of 50 answers and
    more at most 5 % are written so, `lowered` (no capital; 40 %), `unpunctuated`, `half_width` (signs in Chinese) and
    `split_words` (words and signs parted by blanks). None counts where somebody asked for such a thing.
    """

    metrics = {
        "rate": Metric(
            "rows with damaged text",
            "share",
            of="rows",
            limit=Limit(max=0.001),
            why="single damaged characters are in most crawls; above 1 row in 1,000 an export did it",
        ),
        "invisible": Metric(
            "rows with invisible characters",
            "share",
            of="rows",
            limit=Limit(warn_max=0.001),
            why="web pages bring a few along; above 1 row in 1,000 words are cut by them",
        ),
        "worn": Metric(
            "rows with answers that lost capitals, signs, spaces or line ends, or say each word twice",
            "share",
            of="rows",
            limit=Limit(warn_max=0.001),
            why="a text may be written so; above 1 row in 1,000 an export or a scan did it",
        ),
        "escaped_input": Metric(
            "rows with escapes of JSON in what was said to the model",
            "share",
            of="rows",
            limit=Limit(warn_max=0.001),
            why="people paste escapes; above 1 row in 1,000 an export may have encoded its texts twice",
        ),
    }

    reads = "text"
    check: Literal["garbled_text"] = "garbled_text"

    def needs(self) -> tuple[Need, ...]:
        """What may be damaged, and how answers are written."""
        return Need(DamagedTexts()), Need(WornSigns())

    def measure(self, data: View) -> Measured:
        """Search every text for each kind of damage."""
        patterns, texts = _patterns(), suspects(data, DamagedTexts())
        suspect = texts.filter(DamagedTexts().gate()).collect().lazy()
        places = {kind: first_at(pattern) for kind, pattern in patterns.items()}
        damaged = flagged(suspect, {kind: _holds(kind, pattern) for kind, pattern in patterns.items()}, places)
        lost = worn_texts(data).with_columns(detail=pl.lit(None, pl.String))
        seen = pl.concat([damaged, _escaped(suspect), _worn(suspect, texts)]).sort("row", maintain_order=True)
        found = pl.concat([seen, lost], how="diagonal_relaxed")
        kind = pl.col("problem")
        apart = pl.when(kind.is_in(_WORN)).then(pl.lit("worn")).when(kind.is_in(["invisible", _PASTED])).then(kind)
        counted = found.with_columns(metric=apart.otherwise(pl.lit("rate")))
        values: list[Value] = []
        for name in self.metrics:
            values += rates(name, counted.filter(pl.col("metric") == name), data.rows, by=self.by, rows=data.rows)
        shown_at = [evidence(seen, texts), evidence(lost, texts_of(data, plain=False))]
        shown = from_first(pl.concat(shown_at, how="diagonal_relaxed"))
        return Measured(tuple(values), evidence=shown, figures={"kinds": per_kind(found)})


def _escaped(texts: pl.LazyFrame) -> pl.LazyFrame:
    """Texts with escapes of JSON in their prose."""
    prose = without_code(pl.col("text"))
    suspect = texts.filter(pl.col("text").str.contains(ESCAPE))
    left = left_escaped(prose) & ~looks_like_code(prose)
    heard = (pl.col("part") == "prompt") & pl.col("role").ne_missing("assistant")
    kinds = {"escaped": left & ~heard, _PASTED: left & heard}
    return flagged(suspect, kinds, dict.fromkeys(kinds, first_at(ESCAPE)))


def _worn(suspect: pl.LazyFrame, texts: pl.LazyFrame) -> pl.LazyFrame:
    """Of suspects among `texts`, answers all in capitals that nobody asked for, and words without spaces."""
    text = pl.col("text")
    capitals = text.str.count_matches("[A-Z]")
    shouted = (pl.col("role") == "assistant") & text.str.contains(_CAPITALS)
    shouted &= (capitals >= _FEWEST) & (capitals >= _WORDY * text.str.len_chars())
    likely = suspect.filter(shouted | text.str.contains(_GLUED)).collect().lazy()
    wanted = asked(of_rows(texts, likely), capitals=_OF_CAPITALS)
    prose = likely.join(wanted, on="row", how="left", maintain_order="left")
    prose = prose.with_columns(text=without_code(text)).filter(~looks_like_code(text))
    run = text.str.extract(f"({_GLUED})")
    kinds = {
        "capitals": (pl.col("role") == "assistant")
        & text.str.contains(_CAPITALS)
        & ~pl.col("capitals").fill_null(value=False),
        "glued": text.str.contains(_GLUED) & (run.str.split("").list.n_unique() >= _LETTERS),
    }
    return flagged(prose, kinds, {"glued": first_at(_GLUED)}).drop("capitals")


def _holds(kind: str, pattern: str) -> pl.Expr:
    text = pl.col("text")
    if kind == "private_use":
        return text.str.contains(f"{pattern}{{2}}") | (text.str.count_matches(pattern) >= _FEW)
    if kind == "hidden_words":
        return text.str.replace_all(_FLAG, "").str.contains(pattern)
    if kind == "invisible":
        explained = text.str.contains(f"{_UNSPACED}|{mojibake()}")  # soft hyphens are a byte of other characters, too
        return text.str.contains(pattern) & text.str.contains(_WRITTEN) & ~explained
    if kind == "radical":  # a dictionary writes one or two
        return text.str.count_matches(pattern) >= _FEW
    if kind in ("full_width", "look_alike"):  # a name may be written so, not three words
        return text.str.count_matches(r"[A-Za-z][аеорсух]+[A-Za-z]" if kind == "look_alike" else pattern) >= _FEW
    if kind == "lost":
        mostly = text.str.count_matches(r"[?？□]") * 2 > text.str.len_chars()
        return (text.str.count_matches(pattern) >= _FEW) & mostly
    if kind == "lost_comma":
        prose = without_code(text)
        inside = prose.str.replace_all(_QUESTION, "").str.count_matches(pattern)
        chat = prose.str.contains(_IN_SMALL)  # don't feel what? scared? it's not that easy
        return (inside >= _COMMAS) & ~chat & ~prose.str.contains(_COMMA) & ~looks_like_code(prose)
    if kind == "spaced":  # a table of draws (big even, small odd, …) has blanks too, and few different signs
        run = text.str.extract(f"({pattern})")
        return run.str.split("").list.n_unique().fill_null(0) > _VARIED
    return text.str.contains(_CONTRACTED if kind == "lost_sign" else pattern)
