"""Texts that end with another text of their set: two cells, two rows or two fields became one."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, looks_like_code, messages, of_rows, piecewise
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_LEAST = 60  # bytes (20 Han, 60 letters) of the text that stands at the end; shorter ones are phrases
_BEFORE = 15  # characters in front of it: less is a label, a greeting
_TAILS = {
    f"tail_{length}": length for length in (20, 32, 48, 80, 160, 320)
}  # characters at the end that are compared first
_ENDS = list(_TAILS)
_FORMULA = 50  # lengths that texts with one end have, from which on it is how they close
_MOST = 0.05  # of the rows; where more are so, the set is built of parts
_BUILT = 0.2  # likewise, of those that end with another text at all, whatever stands in front
_AT_A_TIME = 250_000  # texts that are compared at once
_SAMPLE = 2_000  # rows that tell so of a large set
# Who corrects a text may get it back, who draws from one, a part of it.
_FROM_IT = ascii_edges(
    r"(?i)correct|grammar|proofread|punctuat|\berrors?\b|mistake|typo|\bfix|\bedit|revis|rewrite|repeat|verbatim|quote"
    r"|extract|which|choose|select|identify|\bfind\b|highlight|option|copy|complete"
    r"|改|纠|语病|病句|语法|错|校对|润色|重复|复述|抄|原文|提取|抽取|找出|选|哪|摘|补全|续写"
)
# What programs put between two cells. A text may say more than another row's, and end with the same sentence.
_SEAM = r"(?:[\n\t|]|\",\"?)\s*$"
_ANNOUNCED = r"[:：]\s*$"  # "Here is the corrected version:", and then the program that other rows have as well
_HALF = (1 << 32) - 1
_KEYS = {"size": pl.UInt32, "whole": pl.UInt64, **dict.fromkeys(_ENDS, pl.UInt32)}
_EDGE, _TWICE = 8, 30  # characters that are looked for again, and of a prompt in which they are
_PLACE = ["row", "part", "role", "turn", "path"]


def joined_texts(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem`, `other_row`, `seam` of texts that another one ends.

    Behind a line feed, a tab or a sign between cells: `joined_answer`, an answer that ends with the answer or the
    prompt of another row and does not announce it with a colon, and `joined_prompt`, a prompt that ends with the
    prompt of another row. Whatever stands between: `answer_behind_prompt`, a prompt with its own answer;
    `rejected_behind`, a chosen answer that ends with the rejected one. seam: the characters in front. None where more
    than 5 % of the rows are so, or where 20 % end with another text at all: such a set is built of parts. TextEnds is
    a declared need.
    """
    likely, rows = _likely(data), data[Need(TextEnds())].select(pl.col("row").unique()).collect()["row"]
    every = max(1, len(rows) // _SAMPLE)
    # Of a set that is built of parts, rows from all over it tell.
    for nth in dict.fromkeys((every, 1)):
        of = int((rows % nth == 0).sum())
        matched = _all_matched(data, likely, nth)
        if matched["row"].n_unique() > max(1, _BUILT * of):
            return _NONE.lazy()
    known = piecewise(data, lambda turns: _judged(turns, matched)).collect().sort("row", "turn")
    return (known if known["row"].n_unique() <= max(1, _MOST * len(rows)) else known.clear()).lazy()


def _likely(data: View) -> pl.DataFrame:
    """The lines of `TextEnds` of texts that share an end and are not of one length; all of them never are in memory."""
    ends = data[Need(TextEnds())].select(_ENDS[0], "size").collect()
    few = pl.col("size").n_unique().is_between(2, _FORMULA)
    shared = ends.group_by(_ENDS[0]).agg(few=few).filter("few").lazy()
    parts = (part.join(shared, on=_ENDS[0], how="semi") for part in data.buckets(Need(TextEnds())))
    return pl.concat(
        [pl.DataFrame(schema={"row": pl.UInt64, "part": pl.String, **_KEYS}), *(part.collect() for part in parts)]
    )


def _all_matched(data: View, likely: pl.DataFrame, nth: int) -> pl.DataFrame:
    """What `_matched` finds in every `nth` row of a set, of texts of which some share an end."""
    of = 1 + likely.height // _AT_A_TIME
    found = [_may_match(likely.filter(pl.col(_ENDS[0]) % of == n), nth) for n in range(of)]
    rows, ends = (pl.concat(each) for each in zip(*found, strict=True))
    rows = rows.unique()
    return piecewise(data, lambda turns: _matched(turns, rows, ends)).collect()


def _may_match(texts: pl.DataFrame, nth: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`row` of texts that may end with shorter ones, and what `_ends` says of these: of all that share an end."""
    inner = texts.select("row", "part", "size", "whole", key=pl.coalesce(*_ENDS[::-1]))
    least = inner.group_by("key").agg(least=pl.col("size").min())
    outer = texts.lazy().filter(pl.col("row") % nth == 0)
    longer = pl.concat([_longer(outer, name, least) for name in _ENDS])
    return longer.select(pl.col("row").unique()), _ends(inner, longer)


def _longer(texts: pl.LazyFrame, name: str, least: pl.DataFrame) -> pl.DataFrame:
    """`row`, `key` of texts that may end with a shorter one of which `key` is the longest tail."""
    longer = texts.select("row", "size", key=name).drop_nulls("key").join(least.lazy(), on="key")
    return longer.filter(pl.col("size") >= pl.col("least") + _BEFORE).select("row", "key").collect()


def _ends(inner: pl.DataFrame, longer: pl.DataFrame) -> pl.DataFrame:
    """`key`, `size_other`, `whole`, `other`, `other_row`: texts that may stand at the end of longer ones.

    Of equal texts the first and the last, and those of the longer one's own row.
    """
    same = ["key", "size", "whole", "part"]
    some = inner.join(longer, on="key", how="semi")
    twice = some.group_by(same).agg(first=pl.col("row").min(), last=pl.col("row").max())
    twice = twice.unpivot(["first", "last"], index=same, value_name="row").drop("variable")
    own = some.join(longer, on=["row", "key"], how="semi").select(twice.columns)
    return pl.concat([twice, own]).unique().select("key", "whole", size_other="size", other="part", other_row="row")


def _matched(turns: pl.LazyFrame, rows: pl.DataFrame, ends: pl.DataFrame) -> pl.LazyFrame:
    """Of a part the texts that another one ends, and which; `seam`: the characters in front. No text is kept.

    rows: `row` of those with such an end; ends: of the whole set. Each length is compared once.
    """
    texts = of_rows(_bare(turns), rows.lazy()).with_columns(*_tails(), size=pl.col("text").str.len_chars())
    keyed = texts.with_columns(key=pl.concat_list(_ENDS)).drop(*_ENDS).explode("key").drop_nulls("key")
    lengths = ends.select("key", "size_other").unique().lazy()
    both = keyed.join(lengths, on="key").filter(pl.col("size") >= pl.col("size_other") + _BEFORE)
    both = both.with_columns(whole=pl.col("text").str.tail(pl.col("size_other")).hash()).drop("text")
    seam = (pl.col("size") - pl.col("size_other")).cast(pl.Int64)
    return both.join(ends.lazy(), on=["key", "size_other", "whole"]).select(*_PLACE, "other_row", "other", seam=seam)


def _judged(turns: pl.LazyFrame, matched: pl.DataFrame) -> pl.LazyFrame:
    """Of a part what `joined_texts` gives."""
    texts = of_rows(_bare(turns), matched.lazy()).select("row", "path", "text")
    both = matched.lazy().join(texts, on=["row", "path"])
    head = pl.col("text").str.head(pl.col("seam"))
    apart = ~head.str.contains(r"[\p{L}\p{N}]$") & head.str.contains(r"[\p{L}\p{N}]") & ~looks_like_code(head)
    found = both.filter(apart).with_columns(problem=_problem(head)).drop_nulls("problem")
    found = found.sort("row", "turn", "seam", pl.col("row") != pl.col("other_row"), "other_row")
    first = found.unique(_PLACE, keep="first", maintain_order=True)
    return first.select(pl.col(name).cast(kind) for name, kind in _NONE.schema.items())


_NONE = pl.DataFrame(
    schema={
        "row": pl.UInt64,
        "part": pl.String,
        "role": pl.String,
        "turn": pl.UInt16,
        "path": pl.String,
        "problem": pl.String,
        "other_row": pl.UInt64,
        "seam": pl.Int64,
    }
)


def pasted_questions(data: View) -> pl.LazyFrame:
    """As `joined_texts`: prompts into the middle of which the whole of them was pasted (`pasted_question`)."""
    found = data[Need(PastedTexts())].with_columns(other_row=pl.lit(None, pl.UInt64))
    return found.select(pl.col(name).cast(kind) for name, kind in _NONE.schema.items())


class PastedTexts(Feature):
    """The prompts that begin once more inside of themselves, as `pasted_questions` gives them."""

    columns = {
        **PLACE, "seam": pl.Int64, "problem": pl.String,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look for the first and the last characters of each inside of it."""
        return alone(_pasted(part.turns).select(*self.columns))


def _pasted(turns: pl.LazyFrame) -> pl.DataFrame:
    text = pl.col("text")
    head, tail = text.str.head(_EDGE), text.str.tail(_EDGE)
    twice = text.str.slice(_EDGE).str.contains(head, literal=True)
    twice &= text.str.head(text.str.len_chars() - _EDGE).str.contains(tail, literal=True)
    users = _bare(turns).filter(pl.col("role") == "user", text.str.len_chars() >= _TWICE).filter(twice).collect()
    seams = pl.Series([_seam(each) for each in users["text"]], dtype=pl.Int64)
    return users.with_columns(seam=seams, problem=pl.lit("pasted_question")).drop_nulls("seam").drop("text")


def _seam(text: str) -> int | None:
    """Where a text begins again whose beginning and end stand around it, None where none does."""
    start, end = text.find(text[:_EDGE], _EDGE), text.find(text[-_EDGE:]) + _EDGE
    whole, rest = text[start:end], text[end:].strip()
    before = whole[: len(whole) - len(rest)].strip()
    pasted = start < end < len(text) and rest and before and whole.endswith(rest) and text[:start].startswith(before)
    return start if pasted else None


def _tails() -> list[pl.Expr]:
    """Hashes of the last characters of `text`, of ever more of them: what ends with a text shares all that it has."""
    text, size = pl.col("text"), pl.col("text").str.len_chars()
    # Half of a hash is enough: what shares one is compared by the whole text.
    halves = {name: text.str.tail(length).hash() & _HALF for name, length in _TAILS.items()}
    return [pl.when(size >= _TAILS[name]).then(half).cast(pl.UInt32).alias(name) for name, half in halves.items()]


def _bare(turns: pl.LazyFrame) -> pl.LazyFrame:
    """The messages of users and assistants without white space around them."""
    said = messages(turns).filter(pl.col("role").is_in(["user", "assistant"]))
    return said.with_columns(pl.col("text").str.strip_chars())


class TextEnds(Feature):
    """`row`, `part`, `size` (characters), hashes of the last ones and of the `whole`, of texts that are long enough."""

    columns = {
        "row": pl.UInt32, "part": pl.String, **_KEYS,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Measure them."""
        text = pl.col("text")
        long = _bare(part.turns).filter(text.str.len_bytes() >= _LEAST)
        side = pl.when(pl.col("role") == "user").then(pl.lit("prompt")).otherwise("part")
        known = long.select("row", *_tails(), part=side, size=text.str.len_chars(), whole=text.hash())
        return alone(known.select(*self.columns).collect())


def _problem(head: pl.Expr) -> pl.Expr:
    """What a text and the one at its end are to each other."""
    own, mine = pl.col("row") == pl.col("other_row"), pl.col("role") == "assistant"
    given, parted = pl.col("other") == "prompt", head.str.contains(_SEAM)
    asks_for_it = head.str.contains(_FROM_IT)
    both_sides = (pl.col("part") == "chosen") & (pl.col("other") == "rejected")
    return (
        pl.when(own & mine)
        .then(pl.when(both_sides).then(pl.lit("rejected_behind")))
        .when(own)
        .then(pl.when(~given & (pl.col("other") != "rejected") & ~asks_for_it).then(pl.lit("answer_behind_prompt")))
        .when(mine & (pl.col("part") != "rejected") & parted & ~head.str.contains(_ANNOUNCED))
        .then(pl.lit("joined_answer"))
        .when(~mine & given & parted)  # an answer is often the input of the next task
        .then(pl.lit("joined_prompt"))
    )
