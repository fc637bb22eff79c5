"""What a check was asked and cannot answer: texts that no reader knows, and keys that the contract names in vain.

Rows of format `rows` and `unknown` have no messages, so a check of texts finds nothing in them: "0 of 1,600" would be
a pass on data that nobody read. They are counted while the data is loaded (see `coverage`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from datacheck.check import UNREAD, Check, Measured, Message, Value
from datacheck.engine.view import KEY_SHOWN, Lack, StoreView
from datacheck.i18n.message import joined
from datacheck.text.prose import in_list, is_prose, top_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from datacheck.loading.reading import Reading

NAMED = 3  # keys that a sentence names
# Keys of the lists in which sets for reading keep the questions on one text: SQuAD, DROP, RACE, QuALITY, CoQA
_LISTS = r"(?i)(?:^|\.)(?:paragraphs|questions|qas|qa_?pairs|instances)(?:\[\])?$"
_ABOUT = r"(?i)(?:^|\.)(?:article|passage|story|context|document)$"  # what their questions are on
_WORDS = 8  # blanks of a name that is none
_VALUES = 20  # keys of an object of records
_NESTED = 50  # more keys of objects are no names but ids
LIST = "[]"  # behind a key whose texts stand in the objects of a list
# Words of a key's name that say what its text is, tried in this order.
_MEANS = {
    "chosen": r"chosen|prefer|better|good|positive|^pos_|^win|优",
    "rejected": r"reject|worse|bad|negative|^neg_|^los|劣|负",
    "response": r"answer|respon|output|complet|repl(?:y|ies)|target|summar|caption|solution|bot$|答|输出|回复",
    "prompt": r"question|prompt|query|instruct|problem|input|goal|post|source|user|human|^content$|问|指令|题|输入",
}
_TURNS = r"messag|convers|dialog|turn|chat|histor|round|utteran|对话|轮"  # of the key of a list of turns
_PAIR = ("chosen", "rejected")
SAID = ("text", "value", "content", "output")  # keys of the part of a message that holds its words


def unread_of(rows: pl.DataFrame, cells: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Format → key → rows that hold prose there; `""` counts the rows themselves. Empty for data that is read.

    A key of a list of objects, which is how conversations are written, ends with `LIST`.
    """
    strange = rows.filter(pl.col("format").is_in(list(UNREAD))).select("row", "format")
    if strange.is_empty():
        return {}
    # Token ids are texts that only their tokenizer could show.
    ids = (pl.col("path") == "input_ids") & (pl.col("format") == "tokens")
    prose = cells.join(strange, on="row").filter(is_prose() | ids)
    listed = pl.when(in_list()).then(pl.lit(LIST)).otherwise(pl.lit(""))
    outer = _inner_key() if prose.select(_inner_key().n_unique()).item() <= _NESTED else top_key()
    found = prose.select("row", "format", key=pl.concat_str(outer, listed))
    whole = found.with_columns(key=pl.lit(""))
    counts = pl.concat([whole, found]).unique().group_by("format", "key").len().sort("format", "key")
    told: dict[str, dict[str, int]] = {}
    for form, key, count in counts.iter_rows():
        told.setdefault(form, {})[key] = count
    return told


def _inner_key() -> pl.Expr:
    """The path of a text up to the first list, as `source.fields` takes it: `question.stem`."""
    return pl.col("path").str.extract(r"^([^\[]*)")


def named_in(reading: Reading) -> dict[str, str]:
    """Setting → key that the contract names; the keys inside a message are left to its reader."""
    columns = {f"source.columns.{name}": key for name, key in reading.columns.named() if key}
    inside = {"role", "content"}
    return columns | {f"source.fields.{n}": key for n, key in reading.fields.named().items() if n not in inside}


def given_in(rows: pl.DataFrame, cells: pl.DataFrame, reading: Reading) -> dict[str, int]:
    """Setting → rows that have a value under the key that it names."""
    given: dict[str, int] = {}
    for setting, key in named_in(reading).items():
        label = setting.removeprefix("source.columns.")
        if label != setting:
            given[setting] = rows.height - rows[label].null_count()
        else:
            given[setting] = cells.filter((pl.col("path") == key) & pl.col("json_type").is_not_null()).height
    return given


def unanswered(check: Check, measured: Any, view: StoreView, unseen: tuple[Message, ...]) -> Any:
    """`measured` without values where the check cannot say them, with the reason; else as it is."""
    if not isinstance(measured, Measured):
        return measured
    # `by:` a label whose column no row has would make one slice of everything.
    why = [lack.note() for lack in view.loaded.lacking if lack.setting == f"source.columns.{check.by}"]
    why += [*_without_keys(check, view), *unseen]
    if not why:
        return measured
    values = tuple(
        value if check.metrics[value.name].self_test else Value(value.name, None, value.slice)
        for value in measured.values
        if value.name in check.metrics
    )
    return replace(measured, values=values, not_checked=(*why, *measured.not_checked))


def _without_keys(check: Check, view: StoreView) -> list[Message]:
    """Keys that the check's own settings name and no row has."""
    keys = check.keys_named()
    if not keys or not any(file.rows for file in view.loaded.files):
        return []
    given = pl.concat(
        [
            view.cells.filter(pl.col("json_type").is_not_null()).select("path"),
            view.turns.filter(pl.col("text").is_not_null()).select("path"),
        ]
    )
    paths = set(given.unique().collect()["path"])
    there = paths | {path.partition("[")[0] for path in paths}
    names = tuple(sorted(path for path in there if path and "." not in path))
    return [Lack(check.name, key, names).note() for key in keys if key not in there]


def why_unread(unread: list[Mapping[str, Mapping[str, int]]], formats: tuple[str, ...], rows: int) -> Message | None:
    """Which rows of these formats no reader knows, and by which keys; None where there are none."""
    keys: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for of_file in unread:
        for form in formats:
            named.update({form: of_file.get(form, {}).get("", 0)})
            keys.update({key: count for key, count in of_file.get(form, {}).items() if key})
    named = +named
    count = named.total()
    if not count:
        return None
    some = Message.plural("{n:,} row", "{n:,} rows", count)
    if count != rows:
        some = Message("{count:,} of {rows:,} rows", count=count, rows=rows)
    if set(named) == {"tokens"}:
        return Message(
            "{some} of format `tokens`: without the tokenizer that made them, token ids are no texts; "
            "judge the data that they were made of",
            some=some,
        )
    if set(named) == {"one_message"}:
        return Message(
            "{some} are one message each, and no row holds a conversation; write the messages of each conversation as "
            "one row, as `{shape}`",
            some=some,
            shape='{"messages": [{"role": …, "content": …}, …]}',
        )
    if set(keys) == {LIST}:  # the rows themselves
        return Message(
            "{some} are lists, not objects; write each conversation as `{shape}`, with `role` and `content` in every "
            "message, and each record of a list of records as a row of its own",
            some=some,
            shape='{"messages": […]}',
        )
    shape = not_rows(keys, rows)
    if shape is not None:
        return Message("{some}: {why}", some=some, why=shape)
    return Message(
        "{some} of format {forms}: {why}; name the keys of their texts under source.fields, as `fields: {fields}`",
        some=some,
        forms=joined(tuple(Message("`{form}`", form=form) for form in named), " and "),
        why=_unknown(keys),
        fields=nearest(keys),
    )


def not_rows(keys: Iterable[str], rows: int) -> Message | None:
    """What to do where the records are not the rows.

    They stand in lists inside them, or in one object of all, or the first one was taken for the names of the columns.
    """
    whole = {key.removesuffix(LIST) for key in keys}
    if any(len(re.findall(r"\S \S", key)) >= _WORDS for key in whole):
        return Message(
            "the first line of the table reads like a row, not like names of columns; name them under source, as "
            "`{header}`",
            header="header: [prompt, response]",
        )
    beside = any(re.search(_ABOUT, key) for key in whole)
    lists = sorted(key.removesuffix(LIST) for key in keys if re.search(_LISTS, key) and (key.endswith(LIST) or beside))
    if lists:
        return Message(
            "the records stand in the list `{key}` inside each row; write each of them as a row of its own, with what "
            "stands beside the list said again in it: `{shape}`",
            key=lists[0][:KEY_SHOWN],
            shape='{"context": …, "question": …, "answer": …}',
        )
    if rows == 1 and len(whole) >= _VALUES:
        return Message(
            "the file is one object, whose {n:,} keys look like those of records; write each value as a row, as "
            "`{command}` does",
            n=len(whole),
            command="jq -c '.[]'",
        )
    return None


def nearest(keys: Iterable[str]) -> str:
    """What to write under `source.fields`, by the names of the keys (as `unread_of` gives them), as YAML."""
    named = sorted(keys)
    listed = [key for key in named if key.endswith(LIST)]
    plain = [key for key in named if not key.endswith(LIST)]
    meant = _meant(plain)
    lone = not meant and not plain
    turns = [key.removesuffix(LIST) for key in listed if lone or re.search(_TURNS, key, re.IGNORECASE)]
    if turns:
        fields = {"messages": turns[0], "role": "…", "content": "…"}
    elif len(plain) == 1 and not meant:
        fields = {"text": plain[0]}
    else:
        sides = _PAIR if meant.keys() >= {*_PAIR} else ("response",)
        fields = {field: meant.get(field, "…") for field in ("prompt", *sides)}
    return f"{{{', '.join(f'{field}: {_yaml(key)}' for field, key in fields.items())}}}"


def _meant(named: list[str]) -> dict[str, str]:
    """Field → the first key whose name says that it holds it."""
    meant: dict[str, str] = {}
    for key in named:
        field = next((field for field, words in _MEANS.items() if re.search(words, key, re.IGNORECASE)), None)
        if field:
            meant.setdefault(field, key)
    return meant


def _yaml(key: str) -> str:
    return key if re.fullmatch(r"\w+|…", key) else json.dumps(key[:KEY_SHOWN], ensure_ascii=False)


def _unknown(keys: Mapping[str, int]) -> Message:
    """The keys that no reader knows, the most frequent first."""
    whole = Counter[str]()
    for key, count in keys.items():
        whole[key.removesuffix(LIST)] = max(count, whole[key.removesuffix(LIST)])
    first = sorted(whole, key=lambda key: (-whole[key], key))[:NAMED]
    if not first:
        return Message("no reader knows their texts")
    listed = joined(tuple(Message("`{key}`", key=key[:KEY_SHOWN]) for key in first), ", ")
    more = len(whole) - len(first)
    if more:
        return Message("no reader knows the keys {keys} and {more:,} more", keys=listed, more=more)
    return Message.plural("no reader knows the key {keys}", "no reader knows the keys {keys}", len(whole), keys=listed)
