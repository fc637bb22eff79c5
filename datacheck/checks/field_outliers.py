"""The check field_outliers."""

from collections.abc import Iterator
from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Need, View, rates, saying, word
from datacheck.features.languages import Languages, words
from datacheck.features.record_fields import RecordFields
from datacheck.features.turn_texts import of_rows, per_kind
from datacheck.loading.tables import BINARY
from datacheck.text.chinese import each_in_both_scripts, in_both_scripts
from datacheck.trainers.verl import SCORED

_LEAST = 20  # rows of a file, or values of a field, from which on there is something that is usual
_FEW = 0.05  # share of them that may do otherwise, and be taken for a slip
_RARE_KEYS = 20  # where more keys than these are rare, keys are data
# Keys of single messages that chat formats know: a row in twenty may have one by right.
_KNOWN = r"\]\.(?:name|id|tool_call_id|tool_calls|function_call|reasoning\w*|thinking|images?|videos?|audios?)$"
_YEARS = 10  # before or after nearly all dates
# Upper end of a usual scale → how many bounds (RecordFields) its values exceed at most, and those between it and five
# times as much, where there must be nothing: a long tail has no gap.
_SCALES = {1: (0, (1,)), 5: (1, (2, 3)), 10: (2, (3, 4))}
_NOTHING = r"(?i)^(?:unknown|null|undefined|nan|n/?a|#n/a|tbd|todo|未知|待定)$"
_SPLIT = r"(?i)(?:^|_)(?:split|fold|partition)$"
_TRAIN = in_both_scripts(r"(?i)^(?:train|training|训练集?)$")
_HELD_OUT = in_both_scripts(r"(?i)^(?:test|testing|eval|evaluation|dev|valid|validation|val|测试集?|验证集?)$")
_LANGUAGE = r"(?i)^(?:lang|language|locale|prompt_lang(?:uage)?)$"
_LANGUAGES = each_in_both_scripts(
    {
        "han": r"(?i)^(?:zh|zho|cmn|zh[-_].*|chinese|mandarin|中文|汉语|简体中文)$",
        "latin": r"(?i)^(?:en|eng|en[-_].*|english|英文|英语)$",
        "cyrillic": r"(?i)^(?:ru|rus|russian|俄语)$",
        "hangul": r"(?i)^(?:ko|kor|korean|韩语)$",
    }
)
_WORDS = 10  # of a row, from which on its texts show a language
_HARDLY = 0.05  # of these in the script of the label: the texts are in another language
_MEANT = 0.2  # where more of the rows contradict their label, it speaks of something else
# Keys that name one row. Those of questions, prompts and tasks may come again, with another answer.
_ID = r"(?i)^(?:_?id|uid|uuid|guid|idx|(?:row|sample|example|record|item|data|instance)_?id)$"
_VALUE = ("key", "type", "form", "year", "size", "label")


class FieldOutliers(Check):
    """Share of rows with a field unlike that of nearly all others: a key too few or too many, another form of date.

    Fields are those of a record, or of its messages, beside the texts. What 95 % of at least 20 do is usual; the others
    are of these kinds: `missing_key` and `extra_key` (within a file), `repeated_header` (a value that is the name of
    its key), `other_type` (text among numbers, which `datasets` cannot load), `other_date` (another form of date),
    `far_date` (ten years from nearly all others), `other_scale` (nearly all numbers are at most 1, 5 or 10, this one is
    five times as much, and none is between), `no_label` ("unknown" among names), `held_out` (`split: test` among rows
    to train), `wrong_label` (`lang: en` beside Chinese texts), `unknown_source` (a `data_source` that verl's own
    rewards do not know, where they know nearly all others), `repeated_id` (an id of an earlier row of the file which
    says something else, where nearly all ids stand once).
    """

    metrics = {
        "rate": Metric(
            "rows with a field unlike that of nearly all others",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="it may be meant so, and a trainer that does not read the field does not mind",
        )
    }

    check: Literal["field_outliers"] = "field_outliers"

    def needs(self) -> tuple[Need, ...]:
        """The fields, and what the texts are written in."""
        return (Need(RecordFields()), Need(Languages()))

    def measure(self, data: View) -> Measured:
        """Count what fields hold, see what is unusual, and find its rows."""
        fields = data[Need(RecordFields())]
        kinds = (*_keys(data, fields), *_values(fields), _types(data, fields), _languages(data, fields), _ids(data))
        found = pl.concat(kinds, how="diagonal_relaxed").collect().lazy()
        return Measured(
            rates("rate", found, data.rows, by=self.by, rows=data.rows),
            evidence=found,
            figures={"kinds": per_kind(found)},
        )


def _keys(data: View, fields: pl.LazyFrame) -> Iterator[pl.LazyFrame]:
    """Rows that lack a key which nearly all rows of their file have, and rows with one that hardly any has."""
    file_of = data.rows.select(pl.col("row").cast(pl.UInt32), "file")
    rows = file_of.group_by("file").agg(rows=pl.len())
    held = fields.select("row", "key").unique().join(file_of, on="row")
    counts = held.group_by("file", "key").agg(n=pl.len()).join(rows, on="file").filter(pl.col("rows") >= _LEAST)
    counts = counts.collect().lazy()
    share = pl.col("n") / pl.col("rows")
    rare = counts.filter(share <= _FEW, ~pl.col("key").str.contains(_KNOWN))
    rare = rare.filter(pl.col("key").n_unique().over("file") <= _RARE_KEYS)
    told = saying("{n} of {rows} rows of the file have this key", n="n", rows="rows")
    some = fields.join(rare.select("key").unique(), on="key", how="semi").join(file_of, on="row")
    yield some.join(rare, on=["file", "key"]).select("row", "where", problem=pl.lit("extra_key"), said=told)

    apart = data.files.filter(~pl.col("container").is_in(BINARY)).select("file")  # else null may be missing
    usual = counts.filter(share < 1, share >= 1 - _FEW, ~pl.col("key").str.contains(r"\[")).join(apart, on="file")
    lacking = file_of.join(usual, on="file").join(held, on=["row", "key"], how="anti")
    yield lacking.select("row", where="key", problem=pl.lit("missing_key"), said=told)


def _types(data: View, fields: pl.LazyFrame) -> pl.LazyFrame:
    """Rows where a field, or what a message says, is of another JSON type than nearly all others of its key."""
    key = pl.col("path").str.replace_all(r"\[\d+\]", "[]")
    turns = data.turns.select("row", "part", where="path", key=key, type="content_type")
    # A gold is a text in any column, and the other values of its key are golds as well.
    said = turns.filter(pl.col("key").str.contains(r"\[") | (pl.col("part") == "answer")).drop("part")
    every = pl.concat([fields.select("row", "where", "key", "type"), said])
    every = every.filter(~pl.col("type").is_in(["null", "missing"]))
    counts = every.group_by("key", "type").agg(n=pl.len()).with_columns(of=pl.col("n").sum().over("key")).collect()
    counts = counts.filter(pl.col("of") >= _LEAST)
    usual = counts.filter(pl.col("n") >= (1 - _FEW) * pl.col("of")).select("key", usual="type")
    odd = counts.join(usual, on="key").filter(pl.col("type") != pl.col("usual"))
    told = saying("{type}, where nearly all others are {usual}", type=word("type"), usual=word("usual"))
    found = every.join(odd.lazy(), on=["key", "type"]).unique(["row", "where"], maintain_order=True)
    return found.select("row", "where", problem=pl.lit("other_type"), said=told)


def _ids(data: View) -> pl.LazyFrame:
    """Rows whose id an earlier row of their file has that says something else, where nearly all ids stand once."""
    row = pl.col("row").cast(pl.UInt64)
    named = data.cells.filter(pl.col("path").str.contains(_ID), pl.col("text").str.len_bytes() > 0)
    file_of = data.rows.select(row, "file")
    ids = named.select(row, where="path", id=pl.col("text").str.strip_chars()).join(file_of, on="row").collect()
    once = ids.with_columns(n=pl.len().over("file", "where", "id"))
    counts = once.group_by("file", "where").agg(of=pl.len(), again=(pl.col("n") > 1).sum())
    usual = counts.filter(pl.col("of") >= _LEAST, pl.col("again") <= 2 * _FEW * pl.col("of"))
    twice = once.filter(pl.col("n") > 1).join(usual, on=["file", "where"], how="semi")
    said = of_rows(data.turns.select(row, "text"), twice.lazy()).drop_nulls("text")
    texts = said.group_by("row").agg(says=pl.col("text").hash().sort().hash()).collect()
    known = twice.join(texts, on="row", how="left", maintain_order="left").sort("row")
    same = ["file", "where", "id"]
    first = known.group_by(same).agg(pl.col("row", "says").first().name.suffix("_first"))
    later = known.join(first, on=same).filter(
        pl.col("row") > pl.col("row_first"), pl.col("says").ne_missing(pl.col("says_first"))
    )
    told = saying("row {n} of the dataset has this id, too", n=pl.col("row_first") + 1)
    return later.lazy().select(
        pl.col("row").cast(pl.UInt32), "where", text="id", problem=pl.lit("repeated_id"), said=told
    )


def _values(fields: pl.LazyFrame) -> Iterator[pl.LazyFrame]:
    """Rows with a value that is unlike nearly all others of its key."""
    facts = fields.filter(pl.col("form").is_not_null()).group_by(_VALUE).agg(n=pl.len()).collect()
    facts = facts.with_columns(of=pl.col("n").sum().over("key")).filter(pl.col("of") >= _LEAST)
    for odd in (
        _header(facts),
        _other_date(facts),
        _far_date(facts),
        _off_scale(facts),
        _no_label(facts),
        _held_out(facts),
        _unscored(facts),
    ):
        found = fields.join(odd.lazy(), on=_VALUE, nulls_equal=True)
        yield found.select("row", "where", "problem", "said", text="label")


def _header(facts: pl.DataFrame) -> pl.DataFrame:
    rare = facts.filter(pl.col("form") == "key", pl.col("n") <= _FEW * pl.col("of"))
    return _odd(rare, "repeated_header", pl.lit(None, pl.String))


def _other_date(facts: pl.DataFrame) -> pl.DataFrame:
    odd = facts.join(_dates(facts), on="key").filter(pl.col("form") != pl.col("usual"))
    return _odd(odd, "other_date", saying("nearly all others are written {form}", form="usual"))


def _far_date(facts: pl.DataFrame) -> pl.DataFrame:
    dates = facts.drop_nulls("year").join(_dates(facts), on="key").sort("key", "year")
    until = pl.col("n").cum_sum().over("key")
    middle = (until > _FEW * pl.col("of")) & (until - pl.col("n") < (1 - _FEW) * pl.col("of"))
    span = dates.filter(middle).group_by("key").agg(first=pl.min("year"), last=pl.max("year"))
    near = pl.col("year").is_between(pl.col("first") - _YEARS, pl.col("last") + _YEARS)
    far = dates.join(span, on="key").filter(~near)
    return _odd(far, "far_date", saying("nearly all others are of {first} to {last}", first="first", last="last"))


def _dates(facts: pl.DataFrame) -> pl.DataFrame:
    """`key`, `usual`: the form of date of each key whose values nearly all have it."""
    forms = facts.filter(pl.col("form").str.contains("#", literal=True)).group_by("key", "form", "of").agg(pl.sum("n"))
    return forms.filter(pl.col("n") >= (1 - _FEW) * pl.col("of")).select("key", usual="form")


def _off_scale(facts: pl.DataFrame) -> pl.DataFrame:
    numbers = facts.filter(pl.col("form") == "digits")
    found = [facts.clear().with_columns(top=pl.lit(0))]
    for top, (most, between) in _SCALES.items():
        own = pl.col("size") <= most
        within = pl.col("n").filter(own).sum().over("key") >= (1 - _FEW) * pl.col("of")
        gap = ~pl.col("size").is_in(between).any().over("key")
        beyond = (pl.col("size") > most).any().over("key")
        found.append(numbers.filter(within, gap, beyond).filter(~own).with_columns(top=pl.lit(top)))
    odd = pl.concat(found).unique(_VALUE, keep="first", maintain_order=True)
    return _odd(odd, "other_scale", saying("nearly all others are at most {top}", top="top"))


def _no_label(facts: pl.DataFrame) -> pl.DataFrame:
    nothing = pl.col("label").str.contains(_NOTHING).fill_null(value=False)
    few = pl.col("n").filter(nothing).sum().over("key") <= _FEW * pl.col("of")
    named = facts.filter(_labelled(), few).filter(nothing)
    return _odd(named, "no_label", pl.lit(None, pl.String))


def _held_out(facts: pl.DataFrame) -> pl.DataFrame:
    trained = pl.col("n").filter(pl.col("label").str.contains(_TRAIN)).sum().over("key")
    splits = facts.filter(pl.col("key").str.contains(_SPLIT), trained >= (1 - _FEW) * pl.col("of"))
    odd = splits.filter(pl.col("label").str.contains(_HELD_OUT))
    return _odd(odd, "held_out", saying("{n} of {of} rows are to train", n=trained, of="of"))


def _unscored(facts: pl.DataFrame) -> pl.DataFrame:
    """Rows that verl's default rewards do not know, where nearly all others of the set are named as they know them.

    A run with a reward function of its own takes any name: where all are unknown, nothing is said.
    """
    scored = pl.col("label").is_in(SCORED) | pl.col("label").str.starts_with("aime")
    known = pl.col("n").filter(scored).sum().over("key") >= (1 - _FEW) * pl.col("of")
    odd = facts.filter(pl.col("key") == "data_source", known).filter(~scored.fill_null(value=False))
    return _odd(odd, "unknown_source", saying("verl has no reward of this name (NotImplementedError)"))


def _labelled() -> pl.Expr:
    """Whether the values of a key are labels, in every part."""
    return (pl.col("label").is_not_null() | (pl.col("type") != "string")).all().over("key")


def _odd(facts: pl.DataFrame, problem: str, said: pl.Expr) -> pl.DataFrame:
    return facts.select(*_VALUE, problem=pl.lit(problem), said=said)


def _languages(data: View, fields: pl.LazyFrame) -> pl.LazyFrame:
    """Rows whose texts have next to no word in the script of the language that a label of theirs names."""
    scripts = [pl.when(pl.col("label").str.contains(like)).then(pl.lit(script)) for script, like in _LANGUAGES.items()]
    labels = fields.filter(pl.col("key").str.contains(_LANGUAGE)).with_columns(script=pl.coalesce(scripts))
    labels = labels.drop_nulls("script").select("row", "where", "key", "label", "script").collect().lazy()
    counted = data[Need(Languages())].join(labels, on="row", how="semi")
    counted = counted.group_by("row").agg(*(pl.sum(script) for script in _LANGUAGES), words=words().sum())
    own = pl.coalesce([pl.when(pl.col("script") == script).then(pl.col(script)) for script in _LANGUAGES])
    judged = labels.join(counted, on="row").filter(pl.col("words") >= _WORDS)
    judged = judged.with_columns(wrong=own < _HARDLY * pl.col("words"))
    wrong = judged.filter(pl.col("wrong"), pl.col("wrong").mean().over("key") <= _MEANT)
    return wrong.select("row", "where", text="label", problem=pl.lit("wrong_label"))
