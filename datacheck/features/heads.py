"""Texts that begin in the middle: what stood before was cut off."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, messages, of_rows
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_LEAST = 20  # texts of a part from which on there is a usual way to begin
_MOST = 0.4  # share of them up to which beginning with a mark is not how the set is written
_SOME = 0.1  # share that may begin in lower case, whatever with
_CONTINUES = 0.1  # where more do: share of these on a word that begins no sentence; of words elsewhere 10 to 20 in 100
_LONG = 40  # characters: a shorter one is a label, a title, a name
# One mark that ends or parts a clause, also behind a closing one, and the rest of a sentence behind it; "……", "！！"
# and ":)" are no such thing.
_MARK = (
    r"^\s*(?:[）】」』》”’]?[，。、；）】」』》”]\s?[\p{Han}“《「\w]|[）】」』》”’][。！？，][”’」』）]\s?[\p{Han}“《「\w]"
    r"|[)\]”]{0,2}[,;)]\s[a-z]|\.\s[A-Z][a-z]+ |[)\]”]{1,2}[.,;]\s[\p{L}\p{N}])"
)
_LOWER = ascii_edges(r"^\s*[a-z]+(?:['’][a-z]+)?,? [a-z]+[ ,.]")
_CAPITALS = r"[a-z][.!?]\s+[A-Z][a-z]"  # its other sentences begin with capitals
_CASED = r"^\s*[A-Za-z]"
# First words that go on; "and", "that" and "to" may begin one.
_GOES_ON = ascii_edges(
    r"^\s*(?:of|than|been|be|was|were|has|had|into|onto|which|whose|and|or|by|with|from|to|that|as|also|used|its|their)\b"
)
_CODE = ascii_edges(
    r"^[^\n]*(?:[={}<>;\\_]|\(\)|://|\$)|^\s*(?:select|import|from|def|class|print|npm|pip|git|sudo|docker|apt)\b"
)
_WANTED = (
    r"(?i)续写|接着|接下去|补全|填空|完成(?:下面|这)|后半|下一句|小写"
    r"|continu|complete|fill in|finish|next (?:line|sentence)|infill|lower ?case"
)


def headless(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem` of prompts and last answers that begin in the middle.

    `headless_answer`, `headless_prompt`: with a mark that ends a clause, where at most four in ten texts of the part
    do; or in lower case, where at most three in a hundred do, or where their first words show that they go on.
    Answers to a prompt that asks to go on with a text are fine. Beginnings is a declared need.
    """
    shapes = data[Need(Beginnings())].collect()
    found = [shapes.filter(side=kind).pipe(_odd) for kind in ("answer", "prompt")]
    odd = pl.concat(found).sort("row", "turn")
    if odd.is_empty():
        return odd.lazy()
    explained = (pl.col("problem") == "headless_answer") & pl.col("wanted")
    return odd.filter(~explained).drop("wanted").lazy()


class Beginnings(Feature):
    """How the first prompt and the last answer of each row begin: `mark`, `lower`, `cased`, `goes_on`.

    wanted: whether the row asks to go on with a text, where `mark` or `lower`.
    """

    columns = {
        **PLACE, "side": pl.String, **dict.fromkeys(("mark", "lower", "cased", "goes_on", "wanted"), pl.Boolean),
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the first 100 characters, and where they are odd at what was asked."""
        texts = messages(part.turns)
        shapes = alone(_beginnings(texts).collect())
        heard = of_rows(texts, shapes.lazy().filter(pl.col("mark") | pl.col("lower")))
        heard = heard.filter(pl.col("role").ne_missing("assistant"), pl.col("text").str.contains(_WANTED))
        wanted = heard.select("row").unique().collect()["row"]
        return shapes.with_columns(wanted=pl.col("row").is_in(wanted.implode()))


def _beginnings(texts: pl.LazyFrame) -> pl.LazyFrame:
    answer = pl.col("part").is_in(["response", "chosen"]) & (pl.col("role") == "assistant")
    asked = (pl.col("part") == "prompt") | pl.col("role").eq_missing("user")
    last = texts.filter(answer).filter(pl.col("turn") == pl.col("turn").max().over("row"))
    first = texts.filter(asked & (pl.col("role") == "user")).filter(pl.col("turn") == pl.col("turn").min().over("row"))
    sides = [last.with_columns(side=pl.lit("answer")), first.with_columns(side=pl.lit("prompt"))]
    whole = pl.col("text")
    thought = (pl.col("side") == "answer") & whole.str.contains("</think>", literal=True)
    shown = pl.when(thought).then(whole.str.split("</think>").list.last())
    head = shown.otherwise(whole).str.strip_chars_start().str.head(100)
    text, prose = pl.col("head"), ~pl.col("head").str.contains(_CODE)
    long, capitals = whole.str.len_bytes() >= _LONG, whole.str.contains(_CAPITALS)
    return pl.concat(sides).with_columns(head=head, long=long, capitals=capitals).select(
        "row", "part", "role", "turn", "path", "side",
        mark=text.str.contains(_MARK) & prose,
        lower=pl.col("long") & text.str.contains(_LOWER) & prose & pl.col("capitals"),
        cased=pl.col("long") & text.str.contains(_CASED) & prose,
        goes_on=pl.col("long") & text.str.contains(_GOES_ON) & prose,
    )  # fmt: skip


def _odd(shapes: pl.DataFrame) -> pl.DataFrame:
    """Those of one side that begin otherwise than the set."""
    marked, lower, cased = (int(shapes[name].sum()) for name in ("mark", "lower", "cased"))
    going = shapes.filter(pl.col("lower") & pl.col("goes_on")).height
    marks = marked <= _MOST * shapes.height
    small = cased >= _LEAST and (lower <= _SOME * cased or (lower <= _MOST * cased and going >= _CONTINUES * lower))
    sure = pl.col("goes_on") | (pl.col("side") == "answer")
    odd = (pl.col("mark") & marks) | (pl.col("lower") & sure & small)
    found = shapes.filter(odd) if shapes.height >= _LEAST else shapes.clear()
    return found.select("row", "part", "role", "turn", "path", "wanted", problem=pl.format("headless_{}", "side"))
