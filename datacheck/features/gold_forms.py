"""Golds that are written otherwise than nearly all others of their set: a unit, a box, a small letter."""

import unicodedata
from collections.abc import Iterator

import polars as pl

from datacheck.check import Feature, View, saying
from datacheck.features.golds import Of
from datacheck.text.graders import choice, number

_ENOUGH = 50  # golds of a set, from which on there is a form that is usual
_MIXED = 0.02  # share of numbers with a unit, of golds with blanks or other marks, above which that is a way of the set
_SLIPS = 0.05  # the same for letters, labels, and commas of the numbers that could have one
_PART = 0.5  # of golds that a program or a sentence wrapped: nobody writes half of them so
_LABELS = 20  # different golds at most, so that they are labels, and rows of one spelling at least
_WHOLE = r"^-?[0-9]+$"  # no \d: it takes digits of other scripts
_TENTHS = r"^-?[0-9]*\.[0-9]+$"
_ZEROS = r"^-?[0-9]+\.0+$"
_COMMAS = r"^-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
_LONG = r"^-?[0-9]{4,}$"
_RATIO = r"[0-9}]\s*/|\\[dt]?frac|[0-9][eE][-+]?[0-9]"  # values of their own: 3/4, and 1e-05 as Python writes it
# Python's list of one text, a sentence, a box or signs of money around the whole.
_WRAPPED = (
    r"^\s*(?:\[(?:'[^']*'|\"[^\"]*\")\]|(?i:(?:so,? )?the (?:final |correct )?answer is:? ).*"
    r"|(?:正确)?答案[是为：:].+|答[：:].+|\\boxed\{.*\}|\$ ?-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)? ?\$)\s*$"
)
_LETTER = r"^\W{0,2}[A-Za-z]\W{0,2}$"


class GoldMarks(Feature):
    """`row`, `mark`, `ends`: by what each gold is marked (hash, boxed, whole), and whether blanks stand at its ends."""

    columns = {"row": pl.UInt32, "mark": pl.String, "ends": pl.Boolean}

    of: Of

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the last turn of the part."""
        text = pl.col("text").fill_null("")
        boxed = pl.when(text.str.contains("boxed{", literal=True)).then(pl.lit("boxed")).otherwise(pl.lit("whole"))
        mark = pl.when(text.str.contains("####", literal=True)).then(pl.lit("hash")).otherwise(boxed)
        turns = part.turns.filter(pl.col("part") == self.of).group_by("row", maintain_order=True).last()
        return turns.select("row", mark=mark, ends=text.str.contains(r"^\s|\s$")).collect()


def other_forms(golds: pl.DataFrame, marks: pl.LazyFrame, options: pl.LazyFrame) -> pl.DataFrame:
    r"""`row`, `where`, `text`, `said`: golds in another form than nearly all.

    golds: `row`, `where`, `gold`, those that are in order; marks: lines of `GoldMarks`; options: `row`, those that have
    options to choose from. Where 98 % of at least 50 golds are bare numbers the others are
    those with a unit, a sign, a comma, a box, digits of full width; where 95 % are one letter (`A`, `(a)`), those in
    another form than most, and the text or number of an option; where there are at most 20 labels, another spelling of
    one of them. A gold of several letters, and a fraction among whole numbers, are no other form.
    """
    empty = pl.DataFrame(schema={"row": pl.UInt64, "where": pl.String, "text": pl.String, "said": pl.String})
    if golds.height < _ENOUGH:
        return empty
    counts = golds.group_by("gold", maintain_order=True).len()
    named = golds.join(options.collect(), on="row", how="semi")["gold"].unique()
    spelt = _numbers(counts) if _are_numbers(counts) else _letters(counts, named)
    spelt = _labels(counts) if spelt is None else spelt
    rows = golds.join(marks.collect(), on="row", how="left", maintain_order="left")
    found = [empty, *_marked(rows, short=spelt is not None)]
    if spelt is not None:
        odd = rows.join(spelt, on="gold", how="inner", maintain_order="left")
        found.append(odd.select("row", "where", "said", text="gold"))
    found.append(_wrapped(rows))
    every = pl.concat(found, how="diagonal_relaxed").unique("row", keep="first", maintain_order=True)
    return every.select(empty.columns).sort("row", maintain_order=True)


def other_kinds(golds: pl.DataFrame, options: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `where`, `text`, `said`: golds that name their option in another way than most: letter, place, its text.

    golds: `row`, `where`, `gold`; options: `row`, `text` of each. However many there are, up to a half: a reward
    compares in one way. A digit that is an option's text may be a place as well.
    """
    empty = pl.DataFrame(schema={"row": pl.UInt64, "where": pl.String, "text": pl.String, "said": pl.String})
    texts = options.group_by("row").agg(texts=pl.col("text").str.strip_chars()).collect()
    rows = golds.join(texts.cast({"row": golds["row"].dtype}), on="row", maintain_order="left")
    gold = pl.col("gold").str.strip_chars()
    kind = (
        pl.when(pl.col("texts").list.contains(gold))
        .then(pl.lit("text"))
        .when(gold.str.contains(_LETTER))
        .then(pl.lit("letter"))
        .when(gold.str.contains(r"^\d$"))
        .then(pl.lit("place"))
    )
    rows = rows.with_columns(kind=kind).drop_nulls("kind")
    counts = rows.group_by("kind").len().sort("len", descending=True)
    if rows.height < _ENOUGH or counts.height < 2 or counts["len"][1] < _MIXED * rows.height:
        return empty
    usual = counts["kind"][0]
    both = (pl.col("kind") == "text") & gold.str.contains(r"^\w$")
    odd = rows.filter(pl.col("kind") != usual, ~both)
    return odd.select(pl.col("row").cast(pl.UInt64), "where", text="gold", said=_SAID_OF_MOST[usual])


_SAID_OF_MOST = {
    "text": saying("most others are the text of an option"),
    "letter": saying("most others are the letter of an option"),
    "place": saying("most others are the number of an option"),
}


def _marked(rows: pl.DataFrame, *, short: bool) -> Iterator[pl.DataFrame]:
    """Golds that are marked otherwise, and, of short golds that stand alone, those with blanks at their ends."""
    counts = rows.group_by("mark").len().sort("len", descending=True)
    usual, most = counts.row(0)
    if most < (1 - _MIXED) * rows.height:
        return
    if usual != "whole" or short:
        said = pl.lit(None, pl.String)
        if usual != "whole":
            mark = pl.lit("####" if usual == "hash" else r"\boxed{…}")
            said = saying("nearly all others are marked by {mark}", mark=mark)
        else:
            said = saying("nearly all others stand alone")
        yield rows.filter(pl.col("mark") != usual).select("row", "where", text="gold", said=said)
    if usual == "whole" and short:
        odd = rows.filter(pl.col("mark") == usual, pl.col("ends"))
        if odd.height <= _MIXED * rows.height:
            said = saying("blanks or line breaks at its ends, which nearly all others do not have")
            yield odd.select("row", "where", text="gold", said=said)


def _wrapped(rows: pl.DataFrame) -> pl.DataFrame:
    """Golds that a program or a sentence wrapped, whatever the others are, where fewer than half are so."""
    odd = rows.filter(pl.col("gold").str.contains(_WRAPPED))
    odd = odd if odd.height <= _PART * rows.height else odd.clear()
    return odd.select("row", "where", text="gold", said=saying("most others stand alone"))


def _are_numbers(counts: pl.DataFrame) -> bool:
    """Whether nearly all golds are bare numbers, with or without commas."""
    bare = counts.filter(pl.any_horizontal(pl.col("gold").str.contains(like) for like in (_WHOLE, _TENTHS, _COMMAS)))
    return int(bare["len"].sum()) >= (1 - _MIXED) * int(counts["len"].sum())


def _numbers(counts: pl.DataFrame) -> pl.DataFrame:
    """`gold`, `said`: numbers with something about them, with commas, with zeros behind the point."""
    gold = pl.col("gold")
    is_ = {name: gold.str.contains(like) for name, like in _FORMS.items()}
    sums = counts.select(**{name: pl.col("len").filter(form).sum() for name, form in is_.items()}).row(0, named=True)
    every = int(counts["len"].sum())
    dressed = counts.filter(~(is_["whole"] | is_["tenths"] | is_["commas"] | gold.str.contains(_RATIO)))
    found = [[each for each in dressed["gold"] if number(each) is not None]]
    if 0 < sums["commas"] <= _SLIPS * (sums["commas"] + sums["long"]):
        found.append(counts.filter(is_["commas"])["gold"].to_list())
    if sums["tenths"] == sums["zeros"] <= _MIXED * every:  # 2.0 beside 2.5 is rounded to one place
        found.append(counts.filter(is_["zeros"])["gold"].to_list())
    if sums["whole"] <= _MIXED * every and sums["zeros"] >= (1 - _SLIPS) * every:
        found.append(counts.filter(is_["whole"])["gold"].to_list())
    return _odd([each for some in found for each in some], saying("nearly all others are bare numbers of one form"))


_FORMS = {"whole": _WHOLE, "tenths": _TENTHS, "zeros": _ZEROS, "commas": _COMMAS, "long": _LONG}


def _letters(counts: pl.DataFrame, named: pl.Series) -> pl.DataFrame | None:
    """`gold`, `said`: what is no letter in the usual form; None where golds are not letters in one form.

    named: the golds of rows with options, one of which they are in any form.
    """
    shape = pl.col("gold").str.replace("[A-Z]", "A").str.replace("[a-z]", "a")
    single = counts.filter(pl.col("gold").str.contains(_LETTER)).with_columns(shape=shape)
    shapes = single.group_by("shape").agg(pl.sum("len")).sort("len")
    usual = shapes["shape"][-1] if shapes.height else ""
    if int(single["len"].sum()) < (1 - _SLIPS) * int(counts["len"].sum()):
        return None
    chosen = set(named)
    others = counts.join(single.filter(pl.col("shape") == usual), on="gold", how="anti")["gold"]
    odd = [each for each in others if _is_one(choice(each), of_options=each in chosen)]
    return _odd(odd, saying("nearly all others are a letter as in {form}", form=pl.lit(usual)))


def _is_one(letters: str | None, *, of_options: bool) -> bool:
    """Whether a gold is one option: a letter, or what is none beside options."""
    return len(letters) == 1 if letters else of_options


def _labels(counts: pl.DataFrame) -> pl.DataFrame | None:
    """`gold`, `said`: labels in another spelling than nearly always; None where golds are no labels."""
    if counts.height > 2 * _LABELS:
        return None
    table = counts.with_columns(key=pl.Series([_key(gold) for gold in counts["gold"]], dtype=pl.String))
    if table["key"].n_unique() > _LABELS:
        return None
    most = (
        table.sort("len").group_by("key").agg(usual=pl.col("gold").last(), top=pl.col("len").last(), of=pl.sum("len"))
    )
    sure = most.filter(pl.col("top") >= _LABELS, pl.col("top") >= (1 - _SLIPS) * pl.col("of"))
    odd = table.join(sure, on="key").filter(pl.col("gold") != pl.col("usual")).sort("gold")
    return odd.select("gold", said=saying("nearly all others are written {usual}", usual="usual"))


def _key(gold: str) -> str:
    return unicodedata.normalize("NFKC", gold).casefold().strip(" .。()\"'")


def _odd(golds: list[str], said: pl.Expr) -> pl.DataFrame:
    return pl.DataFrame({"gold": golds}, schema={"gold": pl.String}).with_columns(said=said)
