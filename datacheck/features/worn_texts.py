r"""Answers that lost on their way what the others of their set have: capitals, signs, line feeds, or whole characters.

Two sorts of signs. Some show by themselves that a program was at work (`""quoted""`, `/n` between sentences, each word
twice). Others are a way to write, and odd only beside answers that are written otherwise (no capital, no comma).
"""

import polars as pl

from datacheck.check import Feature, Need, View, learnt
from datacheck.features.turn_texts import (
    PLACE,
    asked,
    holds,
    holds_each,
    looks_like_code,
    messages,
    of_rows,
    texts_of,
    without_code,
)
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.gated import one_of
from datacheck.text.misspelt import LEAST, MISPRINT
from datacheck.text.views import alone

_LONG = 60  # bytes; a shorter answer may well be a label or a name
_HEAD = 240  # characters in which signs are looked for that stand all over a text
_LEAST = 50  # answers that are written as usual, from which on there is a usual way
_MOST = 0.05  # share of those that may be otherwise; where more are, it is a way to write
_OF_CASE = 0.4  # sets write in capitals or do not: none of 60 public ones has both ways in more than 1 answer in 20
_OF_LISTS = 0.1  # lists are in few answers, so that damage to a few of these is a larger share of them
_SIGN = r"[^\p{L}\p{N}\p{M}\s]"
_HALF = r"\p{Han}[,.!?;:] ?\p{Han}"
_FULL = "[，。！？；：、]"
_LISTED = one_of(f"{feed}{number}{sign}" for feed in ("\n", "\n ") for number in (2, 3) for sign in ".、)")
# "food.2. Sleep well.3. …": a number touches the end of the item before it, at the beginning or behind a colon.
_ONE_LINE = (
    r"(?:^|[:：]) ?1[.、] ?[^\d\s][^\n]{2,400}?[\p{L})）][.。!！?？]?2[.、] ?[^\d\s][^\n]{2,400}?"
    r"[\p{L})）][.。!！?？]?3[.、] ?[^\d\s]"
)
_ITEM = r"(?m)^ {0,3}(\d{1,2})[.、)]"
_TABLE = r"\|[^|\n]+\|[^\n]*\|\s*:?-{3,}:?\s*\|[^\n]*\|"
_FENCE = r"```[a-z]+ [^\n]{60,}```"
_WORDS = r"(?:[A-Za-z][a-z01]*[ ,.]+){6}"
_SPACED_SIGNS = one_of([" , ", " . "])
_BEFORE_SIGNS = r"[a-z] [.,](?: |$)"
_ONE_BREATH = r"\p{Han}{40}|(?:[^\s]+[ \t]+){20}"  # more than a line of a poem
_SENTENCES, _THRICE, _PARTS, _ITEMS = 2, 3, 6, 4
_PARTED = r"(?:[\p{Han}，。、：；]{1,4} ){10}"
_DIGITS = ascii_edges(r"\b[A-Za-z]?[a-z]+[01]+[a-z]+\b")
_JOINED = r"^[^ ]*?(?:[A-Za-z',.]+[+_]){8}"
_ENGLISH = " (?:the|and|to|of|is) "
_DOUBLED = ascii_edges(
    r"\b(?:the the|of of|to to|and and|a a|in in|for for|is is|are are|with with|on on|it it|as as|be be)\b"
)
_DOUBLED_ZH = in_both_scripts(r"的的[^确士话]|和和|在在|是是[^非]|有有|可可以以|我我们们|一一个个|为为|与与")
_N_ITEM = r"[a-z\p{{Han}}.:;。：；!！?？)）]n{}[.、)] ?[A-Z\p{{Han}}*]"
# What is looked for by its literal beginning, in all of a text: kind → what it must look like.
_MARKS = {
    "doubled_quotes": (
        ['""'],
        r"(?:^|[\s（(，。：、\p{Han}])\"\"[\p{L}\p{N}][^\"\n]{0,120}\"\"(?:[\s.,;:!?)，。；：！？）、\p{Han}]|$)",
    ),
    "slash_n": (["/n"], r"(?s)/n(?:/n|[A-Z\p{Han}•*-]|\d{1,2}[.、)]).*/n(?:/n|[A-Z\p{Han}•*-]|\d{1,2}[.、)])"),
    "bare_n": (
        ["n2.", "n2、", "n2)", *(f"{sign}n- " for sign in ".:;。：；")],
        f"(?s){_N_ITEM.format(2)}.*{_N_ITEM.format(3)}|(?s)[.:;。：；]n- .*[.:;。：；]n- ",
    ),
    "word_pieces": ([" ##", "@@ "], r"(?:[a-z] ##[a-z]+[^#]{0,80}){3}|(?:[A-Za-z]@@ [a-z][^@]{0,120}){3}"),
    "masked": (["[MASK]", "[UNK]"], r"(?:\[(?:MASK|UNK)\][^\[]{0,120}){2}"),
    "lost_digits": (["\n. ", "\n、", "\n."], r"(?:^|\n)[.、] ?[A-Z\p{Han}][^\n]*\n+[.、] ?[A-Z\p{Han}]"),
    "spreadsheet": (["E+"], r"(?:^|[^A-Za-z0-9.])[1-9]\.\d{1,14}E\+\d{2}(?:[^A-Za-z0-9]|$)"),
    "lost_value": (
        [f"{stop}{value}" for stop in (". ", "。") for value in ("None", "nan", "NaN", "null")],
        r"\. (?:None|nan|NaN|null) [A-Z][a-z]+ |。(?:None|nan|NaN|null)\p{Han}",
    ),
    "doubled_words": (
        # behind a blank: breathe the, hand and, this is
        [
            " the the",
            " of of",
            " to to",
            " and and",
            " a a ",
            " in in",
            " is is",
            "的的",
            "和和",
            "在在",
            "是是",
            "有有",
        ],
        rf"(?s)(?:{_DOUBLED}).*(?:{_DOUBLED}).*(?:{_DOUBLED})|(?s)(?:{_DOUBLED_ZH}).*(?:{_DOUBLED_ZH}).*(?:{_DOUBLED_ZH})",
    ),
}
_GATE = one_of(word for words, _ in _MARKS.values() for word in words)
_STOP, _ALIKE = "[。.!?！？]", 12  # bytes
_HAN_BYTES = 3
_FIRST = r"^\s*([^。.!?！？\n]{8,200}[。.!?！？])"
_LAST = r"([^。.!?！？\n]{8,200}[。.!?！？])\s*$"
# Who speaks of such things may be answered with one.
WANTED = ascii_edges(
    r"(?i)lower ?case|capital|punctuat|comma|one line|single line|line break|newline|\bcsv\b|spreadsheet"
    r"|excel|scientific"
    r"|\bocr\b|token|\bmask|\bblank|regex|typo|spell|misprint|correct|grammar|proofread|edit|segment|separat|delimit"
    r"|underscore|snake|slug|\burl|hashtag|\border|\bsort|\brank|arrange|sequence|repeat|duplicate|twice|double|stutter|lyric|\bsong|\bpoem|haiku|cummings"
    r"|\bcode\b|python|\bsql\b|script|program|function|format|encod|leet|cipher|subword|\bbert\b"
    r"|小写|大写|排序|排列|顺序|排名|匹配|标点|逗号|一行|换行|表格|科学计数|分词|掩码|填空|错别字|纠|改错|语法|校对|重复|口吃|歌|诗|词|空格|分隔|代码|程序|格式|编码|加密|断句"
)
WORN = [
    *_MARKS,
    *("lowered", "unpunctuated", "half_width", "split_words", "one_line"),
    *("doubled_sentences", "digits_in_words", "misspelt", "joined_words", "list_order"),
]
_PLACE = ["row", "part", "role", "turn", "path"]


def worn_texts(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem` of answers that lost what the others of the set have.

    By themselves: those of `_MARKS`, `one_line` of a table or a fence, `doubled_words` and `doubled_sentences`,
    `digits_in_words` (he11o w0r1d), `misspelt` (common English words with a letter lost or misread), `joined_words`
    (one+two). Beside 50 answers and more that are written otherwise, if at most 5 % are so: `lowered` (40 %),
    `unpunctuated`, `half_width`, `split_words`, and `one_line` of lists (10 % of them).
    WornSigns is a declared need.
    """
    signs = data[Need(WornSigns())].collect()
    few = {kind: _usual(signs, kind, base) for kind, base in _BASES.items()}
    sure = [kind for kind in _kinds_of(signs) if few.get(kind, True)]
    likely = signs.filter(pl.any_horizontal(*sure)) if sure else signs.clear()
    if likely.is_empty():
        return likely.select(*_PLACE, problem=pl.lit(None, pl.String)).lazy()
    texts = of_rows(texts_of(data, plain=False), likely.lazy())
    wanted = asked(texts, wanted=WANTED).filter("wanted").select(pl.col("row").cast(pl.UInt64)).collect()
    named = pl.concat_list(*(pl.when(kind).then(pl.lit(kind)) for kind in sure)).list.drop_nulls()
    read = likely.lazy().with_columns(problem=named).join(texts.select("row", "path", "text"), on=["row", "path"])
    prose = read.filter(~pl.col("row").is_in(wanted["row"].implode()), ~looks_like_code(pl.col("text")))
    found = prose.explode("problem").filter(_still_so())
    return found.select(*_PLACE, pl.col("problem").str.replace("_(?:of_list|han|all)$", "")).collect().lazy()


# kind → the answers among which it is counted
_BASES = {
    "lowered": "latin",
    "unpunctuated": "long",
    "half_width": "han",
    "split_words": "latin",
    "split_words_han": "han",
    "one_line_of_list": "listed",
}


def _kinds_of(signs: pl.DataFrame) -> list[str]:
    return [name for name in signs.columns if name not in (*_PLACE, "latin", "han", "long", "listed")]


def _usual(signs: pl.DataFrame, kind: str, base: str) -> bool:
    """Whether enough answers are written otherwise, and few so."""
    found = int(signs[kind].sum())
    others = signs.filter(pl.col(base) & ~pl.col(kind)).height
    most = _OF_CASE if kind == "lowered" else _OF_LISTS if base == "listed" else _MOST
    return others >= _LEAST and found <= most * (others + found)


def _still_so() -> pl.Expr:
    """Whether a text has its sign outside of code, too."""
    text = without_code(pl.col("text"))
    marks = [pl.when(pl.col("problem") == kind).then(text.str.contains(look)) for kind, (_, look) in _MARKS.items()]
    digits = pl.when(pl.col("problem") == "digits_in_words")
    names = text.str.extract_all(_DIGITS).list.n_unique() < _THRICE  # one word again and again
    return pl.coalesce(*marks, digits.then(~names), pl.lit(value=True))


def _signs(turns: pl.LazyFrame) -> pl.LazyFrame:
    said = messages(turns).filter(learnt())
    text, head = pl.col("text"), pl.col("head")
    long = said.filter(text.str.len_bytes() >= _LONG)
    table = long.with_columns(head=text.str.head(_HEAD)).collect()
    table = table.with_columns(long=pl.lit(value=True), han=head.str.contains(r"\p{Han}{2}"))
    table = table.with_columns(
        latin=holds(table, ~pl.col("han"), head.str.contains(_WORDS)),
        listed=text.str.contains(_LISTED),
        marked=text.str.contains(_GATE),
    )
    return table.lazy().select(*_PLACE, "long", "han", "latin", "listed", **holds_each(table, _conditions()))


def _conditions() -> dict[str, tuple[pl.Expr, ...]]:
    """What must hold of an answer of each kind, the cheapest first."""
    text, head, han, latin = (pl.col(name) for name in ("text", "head", "han", "latin"))
    one = ~text.str.contains("\n", literal=True)
    small = text.str.count_matches(r"[a-z][.!?]\s+[a-z]{2}") >= _SENTENCES
    digits = text.str.count_matches(_DIGITS) >= _THRICE
    misspelt = text.str.extract_all(MISPRINT).list.n_unique() >= LEAST
    spaced = head.str.contains(_SPACED_SIGNS)
    apart = head.str.count_matches(_BEFORE_SIGNS) >= _SENTENCES
    return {
        "lowered": (latin, ~text.str.contains("[A-Z]"), small),
        "unpunctuated": (text.str.len_bytes() >= 2 * _LONG, ~text.str.contains(_SIGN), text.str.contains(_ONE_BREATH)),
        "half_width": (han, ~head.str.contains(_FULL), ~text.str.contains(_FULL), text.str.count_matches(_HALF) >= 3),
        "split_words": (latin, spaced, apart, ~head.str.contains(r"[a-z][.,] ")),
        "split_words_han": (han, head.str.count_matches(" ", literal=True) >= _PARTS, head.str.contains(_PARTED)),
        "list_order": (pl.col("listed"), ~text.str.extract(_ITEM).is_in(["0", "1"]), ~_in_order()),
        "one_line_of_list": (one, text.str.contains("2[.、]"), text.str.contains(_ONE_LINE)),
        "one_line": (one, text.str.contains(f"{_TABLE}|{_FENCE}")),
        "doubled_words_all": (_twice(), _each_twice()),
        "doubled_sentences": (_begins_alike(), _begins_twice(), _ends_twice()),
        "digits_in_words": (latin, head.str.contains("[a-z][01][a-z]"), digits),
        "misspelt": (latin, text.str.contains(MISPRINT), text.str.contains(_ENGLISH), misspelt),
        "joined_words": (latin.not_(), han.not_(), ~text.str.contains(" ", literal=True), text.str.contains(_JOINED)),
        **{
            kind: (pl.col("marked"), text.str.contains(one_of(words)), text.str.contains(look))
            for kind, (words, look) in _MARKS.items()
        },
    }


def _twice() -> pl.Expr:
    """Whether the first word, or the first character of Chinese, stands twice; by bytes, which is cheap."""
    head = pl.col("head").cast(pl.Binary).bin
    size = pl.when("han").then(_HAN_BYTES).otherwise(pl.col("head").str.find(" ", literal=True))
    behind = size + pl.when("han").then(0).otherwise(1)
    return head.slice(behind, size) == head.slice(0, size)


def _each_twice() -> pl.Expr:
    """Whether each of the first six words does, or each of the first six characters."""
    words = pl.col("head").str.strip_chars().str.split(" ")
    han = pl.col("head").str.replace_all(r"\P{Han}", "").str.split("")
    parts = pl.when("han").then(han).otherwise(words).list.head(2 * _PARTS)
    ahead, behind = parts.list.gather_every(2), parts.list.gather_every(2, 1)
    return (parts.list.len() == 2 * _PARTS) & (ahead == behind) & (ahead.list.n_unique() > 2)


def _in_order() -> pl.Expr:
    """Whether the numbers of a list are not 1 to n (four and more) in an order that is none."""
    numbers = pl.col("text").str.extract_all(_ITEM).list.eval(pl.element().str.extract(r"(\d+)").cast(pl.Int64))
    many, sizes = numbers.list.len(), numbers.list.len().cast(pl.Int64)
    each = (numbers.list.n_unique() == many) & (numbers.list.min() == 1) & (numbers.list.max() == sizes)
    steps = numbers.list.diff(null_behavior="drop")
    return ~((many >= _ITEMS) & each & (steps.list.max() > 0) & (steps.list.min() < 0))


def _begins_alike() -> pl.Expr:
    """Whether what stands behind the first sentence holds its beginning; by bytes."""
    head = pl.col("head").cast(pl.Binary).bin
    return head.slice(pl.col("head").str.find(_STOP)).bin.contains(head.slice(0, _ALIKE))


def _begins_twice() -> pl.Expr:
    """Whether the first sentence is said again, and not a third time, as a loop says it (repetitive_text)."""
    head = pl.col("head").str.strip_chars_start()
    first = head.str.extract(_FIRST)
    second = head.str.slice(first.str.len_chars()).str.strip_chars_start()
    third = second.str.slice(first.str.len_chars()).str.strip_chars_start()
    return second.str.starts_with(first) & ~third.str.starts_with(first)


def _ends_twice() -> pl.Expr:
    """Whether the last sentence is."""
    tail = pl.col("text").str.strip_chars_end().str.tail(2 * _HEAD)
    last = tail.str.extract(_LAST).str.strip_chars_start()
    before = tail.str.head(tail.str.len_chars() - last.str.len_chars())
    return before.str.strip_chars_end().str.ends_with(last)


class WornSigns(Feature):
    """A line per long answer: where it stands, what it is counted among, and its kinds."""

    columns = {
        **PLACE, **dict.fromkeys(("long", "han", "latin", "listed", *_conditions()), pl.Boolean),
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the cheapest signs first."""
        return alone(_signs(part.turns).collect())
