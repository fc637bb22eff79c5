"""Thinking in tags that is not as that of nearly all other answers of its set.

Which tag is the set's own, the set says itself: the one that most of its last answers have. Earlier answers of a
dialogue are left out, for templates drop their thinking (Qwen3, DeepSeek-R1) and so do many sets.
"""

import polars as pl

from datacheck.check import View
from datacheck.features.turn_texts import last_answers, messages, of_rows, piecewise, turn_texts
from datacheck.text.chinese import in_both_scripts

# name → how its block opens and closes
_PAIRS = {
    **{
        name: (f"<{name}>", f"</{name}>")
        for name in ("think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "cot", "reason")
    },
    "begin_of_thought": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "◁think▷": ("◁think▷", "◁/think▷"),
    "[THINK]": ("[THINK]", "[/THINK]"),
}
# A block at the head of an answer, in any of these tags, or in one that is nearly one of them.
_HEAD = (
    r"^\s*([<＜]\s?(?i:think(?:ing|s)?|thoughts?|reason(?:ing|s)?|scratch_?pad|cot|chain_of_thought|analysis)\s?/?[>＞]"
    r"|<\|begin_of_thought\|>|◁think▷|\[(?i:think)\])"
)
_LEAST = 20  # answers with thinking from which on a set has a form
_NEARLY_ALL = 0.9  # share of them, or of all answers, that makes it the usual form
_PART = 0.5  # share of empty blocks up to which they are not the usual form; where other answers have none, nor above
_LONG = 20  # characters of a thinking that is no chance copy
_SILENT = in_both_scripts(r"^[\s.…·\-—]*(?i:none|n/?a|null|nan|无|空)?[\s.。…]*$")
_OFF = in_both_scripts(
    r"(?i)/?no[_ ]?think|thinking[\"']?\s?[:=]\s?[\"']?(?:off|false|disabled)|without (?:thinking|reasoning)"
    r"|(?:不要|无需|不用|关闭|不需要)[^。\n]{0,6}(?:思考|推理)"
)


def unlike_blocks(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem`, `detail` of last answers.

    `other_tag` (`<thinking>` where all others have `<think>`), `empty_block`, `no_block` (nine in ten answers have
    one, or most have and its prompt names the tag), `several_blocks`, also where one thinking stands twice,
    `late_block` (text before it) and `copied_block` (it says what the answer says). Answers whose prompt switches
    thinking off, or speaks of the other tag, are fine.
    """
    shapes = piecewise(data, _shapes).collect()
    counts = {name: int(shapes[name].sum()) for name in _PAIRS}
    own = max(counts, key=lambda name: counts[name])
    thinking = counts[own]
    opens, closes = _PAIRS[own]
    other = pl.any_horizontal(name for name in _PAIRS if name != own) | (pl.col("head") != opens).fill_null(value=False)
    foreign = ~pl.col(own) & other  # its own tag, not closed, is control_tokens' to report
    others = shapes.filter(foreign).height
    if thinking < _LEAST or thinking <= others:
        return _NONE.lazy()
    blocks = piecewise(data, lambda turns: _blocks(turns, opens, closes)).collect()
    usual = blocks.select(
        late=pl.col("late").mean() <= 1 - _NEARLY_ALL,
        several=pl.col("several").mean() <= 1 - _NEARLY_ALL,
        empty=(pl.col("empty").mean() < _PART) | (thinking + others < _NEARLY_ALL * shapes.height),
    ).row(0, named=True)
    problem = [
        pl.when(pl.lit(usual[kind]) & pl.col(kind)).then(pl.lit(name))
        for kind, name in (("empty", "empty_block"), ("several", "several_blocks"), ("late", "late_block"))
    ]
    always = {"doubled": "several_blocks", "copied": "copied_block"}  # nobody writes so, however many are
    problem += [pl.when(kind).then(pl.lit(name)) for kind, name in always.items()]
    odd = blocks.with_columns(problem=pl.coalesce(*problem)).select(*_PLACE, "problem")
    without = shapes.filter(~pl.col(own))
    bare = without.filter(~foreign, pl.col("head").is_null())
    if thinking + others < _NEARLY_ALL * shapes.height:
        bare = _told_to_think(data, bare, opens) if thinking > bare.height else bare.clear()
    without = without.with_columns(
        problem=pl.when(foreign)
        .then(pl.lit("other_tag"))
        .when(pl.col("row").is_in(bare["row"].implode()))
        .then(pl.lit("no_block"))
    )
    named = pl.coalesce("head", *(pl.when(pl.col(name)).then(pl.lit(_PAIRS[name][0])) for name in _PAIRS))
    lacking = without.select(*_PLACE, "problem", detail=pl.when(pl.col("problem") == "other_tag").then(named))
    found = pl.concat([odd, lacking], how="diagonal").drop_nulls("problem").sort("row", maintain_order=True)
    return _unasked(data, found).lazy()


_PLACE = ("row", "part", "role", "turn", "path")
_NONE = pl.DataFrame(
    schema={
        "row": pl.UInt64, "part": pl.String, "role": pl.String, "turn": pl.UInt16, "path": pl.String,
        "problem": pl.String, "detail": pl.String,
    }
)  # fmt: skip


def _shapes(turns: pl.LazyFrame) -> pl.LazyFrame:
    """Where each last answer stands, which tags close in it, and with which one it begins."""
    text = pl.col("text")
    closing = {name: text.str.contains(pair[1], literal=True) for name, pair in _PAIRS.items()}
    return last_answers(messages(turns)).select(*_PLACE, head=text.str.extract(_HEAD), **closing)


def _blocks(turns: pl.LazyFrame, opens: str, closes: str) -> pl.LazyFrame:
    """What is to be said of the answers with the set's own tag."""
    text = pl.col("text")
    some = last_answers(messages(turns)).filter(text.str.contains(closes, literal=True))
    # The opening one may stand in the prompt.
    inside, again = (
        text.str.split(closes).list.get(at, null_on_oob=True).str.split(opens).list.last().str.strip_chars()
        for at in (0, 1)
    )
    behind = text.str.split(closes).list.last().str.strip_chars()
    return some.select(
        *_PLACE,
        empty=inside.str.contains(_SILENT),
        several=text.str.count_matches(closes, literal=True) > 1,
        late=text.str.contains(opens, literal=True) & text.str.split(opens).list.first().str.contains(r"\S"),
        doubled=(inside == again)
        & (inside.str.len_chars() >= _LONG)
        & (text.str.count_matches(opens, literal=True) > 1),
        copied=(inside == behind) & (inside.str.len_chars() >= _LONG),
    )


def _told_to_think(data: View, answers: pl.DataFrame, tag: str) -> pl.DataFrame:
    """The answers whose prompt names the tag that thinking is to stand in."""
    heard = of_rows(turn_texts(data, plain=False).filter(pl.col("role").ne_missing("assistant")), answers.lazy())
    told = heard.filter(pl.col("text").str.contains(tag, literal=True)).select(pl.col("row").cast(answers["row"].dtype))
    return answers.join(told.unique().collect(), on="row", how="semi", maintain_order="left")


def _unasked(data: View, found: pl.DataFrame) -> pl.DataFrame:
    """Those of which the prompt neither switches thinking off nor speaks of the other tag."""
    if found.is_empty():
        return _NONE
    texts = turn_texts(data, plain=False).filter(pl.col("role").ne_missing("assistant"))
    place = found.with_columns(pl.col("row").cast(pl.UInt64)).with_row_index("at").lazy()
    heard = of_rows(texts, place).select(pl.col("row").cast(pl.UInt64), "text")
    off = pl.col("problem").is_in(["empty_block", "no_block"]) & pl.col("text").str.contains(_OFF)
    told = pl.col("text").str.contains(pl.col("detail"), literal=True).fill_null(value=False)
    explained = place.join(heard, on="row").filter(off | told).select("at").unique()
    return place.join(explained, on="at", how="anti", maintain_order="left").drop("at").collect()
