"""Texts that begin in the middle: what stood before was cut off."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, holds_each, last_answers, messages, of_rows
from datacheck.text.chinese import in_both_scripts
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
# What begins no word: letters from the middle of an English one, and Chinese particles.
_BROKEN = in_both_scripts(
    r"^(?:bb|ck|ct|dd|ff|ft|gg|gh?t|ld|lf|lk|lm|lp|ls|lt|lv|mb|mm|mp|nc|nd|nf|ng|nk|nn|ns|nt|nv|pp|rb|rc|rd|rf|rg|rk|rl|rm"
    r"|rn|rp|rr|rs|rt|rv|ss|tt|xt)[a-z]*[aeiou][a-z]+[ ,.][^\n]*[a-z] [a-z]"
    r"|^(?:[bdfghjlmpqstvwz],?|[ae]nts|a?tions?|[cst]ion|[nt]?ing|[ae]nce|ments?|nces?|ble|[ae]?tic|a?l?ly|ity|ness|ous|ical"
    r"|ie[ds]|ded|tive|ers|o?uld|hich|ple|tor|tain|ther) [a-z]{2,}[ ,.]"
    r"|^(?:的[^确士哥卢黎话]|们|吗[^啡丁]|呢[^喃称绒帽]|了[^解结却断然得不事悟无账])[^\n]*\p{Han}"
)
_BRANDS = ascii_edges(r"^(?:lmao|mbti|ffmpeg|mmorpg|ngo|nvidia|nginx|mbappe|nfts?|rtos|ssis|ctrl|nfo)\b")
# How a later sentence of an answer begins: of 49,000 public answers ten do, two of them asked for.
_LINK = in_both_scripts(
    r"^(?:In (?:conclusion|summary|addition)|To sum up|Lastly|Finally|Overall|Additionally|Furthermore|Moreover"
    r"|Similarly|Nevertheless|However|Therefore|Consequently|As a result|Secondly|Thirdly|Meanwhile"
    r"|On the other hand), "
    r"|^(?:综上所述|综上，|总之，|总而言之|此外|另外，|其次，|再次，|再者，|因此|然而|与此同时|同时，|最后，|接着，|但是，)"
)
_TORN = 2  # texts of a part that begin inside a word; one may be a name
_LINKS, _FEW_LINKS = 2, 0.05  # answers that begin so: one may, and where many do they are meant to
_CODE = ascii_edges(
    r"^[^\n]*(?:[={}<>;\\_]|\(\)|://|\$)|^\s*(?:select|import|from|def|class|print|npm|pip|git|sudo|docker|apt)\b"
)
_WANTED = in_both_scripts(
    r"(?i)续写|接着|接下去|补全|填空|完成(?:下面|这)|后半|下一句|小写"
    r"|continu|complete|fill in|finish|next (?:line|sentence)|infill|lower ?case"
)
_LEFT_OPEN = r"\n[^\n]*[\p{L}\p{N}]\s*$"
_TO_LINK = in_both_scripts(
    r"(?i)conclu|transition|connect|closing|ending|outro|summar|paragraph|sentence|counter|opposing|contrast"
    r"|过渡|连接|衔接|结论|结尾|结束|总结|段落|[一两三二]段|句|反驳|转折"
)


def headless(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem` of prompts and last answers that begin in the middle.

    `headless_answer`, `headless_prompt`: with a mark that ends a clause, where at most four in ten texts of the part
    do; or, two and more, inside a word (ntial, 的方法); or in lower case, where at most three in a hundred do, or where
    their first words show that they go on; or, two answers and more, with a word that leads on from another sentence
    (Furthermore, 此外), as where sentences are out of order. Answers to a prompt that asks for such a text are fine.
    Beginnings is a declared need.
    """
    shapes = data[Need(Beginnings())]
    found = [_odd(shapes.filter(side=kind)) for kind in ("answer", "prompt")]
    odd = pl.concat(found).sort("row", "turn")
    if odd.is_empty():
        return odd.lazy()
    explained = (pl.col("problem") == "headless_answer") & pl.col("wanted")
    return odd.filter(~explained).drop("wanted").lazy()


class Beginnings(Feature):
    """How the first prompt and the last answer of each row begin, in columns that are named as the sign is.

    wanted: whether the row asks for a text that begins so, where `mark`, `lower`, `broken` or `link`.
    """

    columns = {
        **PLACE, "side": pl.String,
        **dict.fromkeys(("mark", "lower", "cased", "goes_on", "broken", "link", "wanted"), pl.Boolean),
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the first 100 characters, and where they are odd at what was asked."""
        texts = messages(part.turns)
        shapes = alone(_beginnings(texts).collect())
        wanted = _asking(texts, shapes.filter(pl.col("mark") | pl.col("lower") | pl.col("broken")), _WANTED)
        linked = _asking(texts, shapes.filter("link"), f"{_WANTED}|{_TO_LINK}")
        rows = pl.col("row")
        going = _going_on(texts, shapes.filter("lower"))
        both = pl.when("link").then(rows.is_in(linked.implode())).otherwise(rows.is_in(wanted.implode()))
        both |= pl.col("lower").fill_null(value=False) & rows.is_in(going.implode())
        return shapes.with_columns(wanted=both)


def _asking(texts: pl.LazyFrame, of: pl.DataFrame, wanted: str) -> pl.Series:
    """The rows of some texts in which somebody asks for one like them."""
    heard = of_rows(texts, of.lazy()).filter(pl.col("role").ne_missing("assistant")).select("row", "text").collect()
    return heard.filter(pl.col("text").str.contains(wanted))["row"].unique()  # in one query all texts would be searched


def _going_on(texts: pl.LazyFrame, of: pl.DataFrame) -> pl.Series:
    """The rows whose question ends, below a first line, on words without a mark: its answer writes on from there."""
    heard = of_rows(texts, of.lazy()).filter(pl.col("role") == "user").select("row", "text").collect()
    return heard.filter(pl.col("text").str.contains(_LEFT_OPEN))["row"].unique()


def _beginnings(texts: pl.LazyFrame) -> pl.LazyFrame:
    asked = (pl.col("part") == "prompt") | pl.col("role").eq_missing("user")
    last = last_answers(texts)
    first = texts.filter(asked & (pl.col("role") == "user")).filter(pl.col("turn") == pl.col("turn").min().over("row"))
    sides = [last.with_columns(side=pl.lit("answer")), first.with_columns(side=pl.lit("prompt"))]
    whole = pl.col("text")
    thought = (pl.col("side") == "answer") & whole.str.contains("</think>", literal=True)
    shown = pl.when(thought).then(whole.str.split("</think>").list.last())
    head = shown.otherwise(whole).str.strip_chars_start().str.head(100)
    text, long = pl.col("head"), pl.col("long")
    prose, capitals = ~text.str.contains(_CODE), whole.str.contains(_CAPITALS)
    table = pl.concat(sides).with_columns(head=head, long=whole.str.len_bytes() >= _LONG).collect()
    shapes = {
        "mark": (text.str.contains(_MARK), prose),
        "lower": (long, text.str.contains(_LOWER), prose, capitals),
        "cased": (long, text.str.contains(_CASED), prose),
        "goes_on": (long, text.str.contains(_GOES_ON), prose),
        "broken": (long, text.str.contains(_BROKEN), ~text.str.contains(_BRANDS), prose),
        "link": (long, pl.col("side") == "answer", text.str.contains(_LINK), prose),
    }
    return table.lazy().select("row", "part", "role", "turn", "path", "side", **holds_each(table, shapes))


def _odd(shapes: pl.LazyFrame) -> pl.DataFrame:
    """Those of one side that begin otherwise than the set."""
    marked, lower, cased = (pl.col(name).sum() for name in ("mark", "lower", "cased"))
    going, links = (pl.col("lower") & pl.col("goes_on")).sum(), (pl.col("link") & ~pl.col("wanted")).sum()
    broken = (pl.col("broken") & ~pl.col("wanted")).sum()
    counted = (
        shapes.select(marked, lower, cased, going=going, broken=broken, links=links, all=pl.len())
        .collect()
        .row(0, named=True)
    )
    marks = counted["mark"] <= _MOST * counted["all"]
    few = counted["lower"] <= _SOME * counted["cased"]
    cut = counted["lower"] <= _MOST * counted["cased"] and counted["going"] >= _CONTINUES * counted["lower"]
    small = counted["cased"] >= _LEAST and (few or cut)
    linked = _LINKS <= counted["links"] <= _FEW_LINKS * counted["all"]
    torn = counted["broken"] >= _TORN
    sure = pl.col("goes_on") | (pl.col("side") == "answer") | torn
    odd = (pl.col("mark") & marks) | (pl.col("lower") & sure & small) | (pl.col("link") & linked)
    odd |= pl.col("broken") & torn
    found = shapes.filter(odd & (counted["all"] >= _LEAST)).with_columns(problem=pl.format("headless_{}", "side"))
    return found.select("row", "part", "role", "turn", "path", "wanted", "problem").collect()
