"""Write a contract that fits given data: `datacheck init PATH`."""

import contextlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from datacheck.check import UNREAD
from datacheck.contract.load import load_contract
from datacheck.engine.plan import make_plan
from datacheck.engine.unread import LIST, nearest, not_rows, unread_of
from datacheck.errors import ContractError, UsageError
from datacheck.files.inventory import inventory
from datacheck.files.shown_names import shown_name
from datacheck.i18n.message import Message
from datacheck.loading.formats import known_names
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.propose.checks import check_lines, item
from datacheck.propose.columns import Texts
from datacheck.propose.sample import FirstPart, first_records, sample_of
from datacheck.propose.schema import NEARLY_ALL, labels_in, scale_lines, schema_lines, scored
from datacheck.propose.splits import TRAIN, DataSplit, splits_of
from datacheck.propose.unnest import grouping, unnesting
from datacheck.text.prose import is_prose

_EVAL = "eval"
_ROLES = ("system", "user", "assistant", "tool")
_NAMED = 5  # keys that are listed by name
_FEW = 0.01  # of the rows: beside those that are read, so few are no reason for an error
_ANSWERED = (
    r"(?i)solution|rational|explanat|analysis|referenc|reason|thought|answer|response|output|解析|解答|答案|推理"
)
_MOST = 0.9  # of the rows have a key that may belong to the question
_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}  # that YAML does not take for text


def contract_for(path: Path, against: Path | None = None, folder: Path | None = None) -> str:
    """The YAML of a contract for the file or folder at `path`, from the first part of its first files.

    `against`: an evaluation set, which becomes a second dataset whose questions must not be trained on, as the other
    splits of the data do; `folder`: where the contract will lie, by default beside the data, to which its paths are
    relative.

    Raises UsageError where there is no such file, nothing was read, or `run` would refuse what fits it.
    """
    own, *others = splits_of(path) or (DataSplit(TRAIN),)
    sample = sample_of(path, own.glob, own.records)
    beside = [*((path, other) for other in others), *([(against, DataSplit(_EVAL))] if against else [])]
    text = _contract(sample, path, own, beside, folder)
    try:
        _planned(text, path, against)
    except ContractError:  # a guess that makes no contract: without guesses
        text = _contract(sample._replace(texts=Texts({}, {})), path, own, beside, folder, guess=False)
        try:
            _planned(text, path, against)
        except ContractError as error:
            why = error.problems[0].message
            raise UsageError(
                "{path}: what fits it makes no contract ({why}); write one by hand", path=path, why=why
            ) from None
    return text


def places(path: Path, against: Path | None) -> dict[str, Path]:
    """Where the data of each dataset of `contract_for` lie."""
    return {split.name: path for split in splits_of(path) or (DataSplit(TRAIN),)} | (
        {_EVAL: against} if against else {}
    )


def _planned(text: str, path: Path, against: Path | None) -> None:
    """Load a contract for the data, and plan its run. Raises ContractError as `run` would."""
    bound = {name: str(place) for name, place in places(path, against).items()}
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "contract.yaml"
        written.write_text(text, encoding="utf-8")
        contract = load_contract(written, bound)
        inventory(contract)
        make_plan(contract)


def _contract(
    sample: FirstPart,
    path: Path,
    split: DataSplit,
    beside: Sequence[tuple[Path, DataSplit]],
    folder: Path | None,
    *,
    guess: bool = True,
) -> str:
    tables, texts = sample.tables, sample.texts
    formats = tables.rows["format"].value_counts(sort=True)
    known = formats.filter(pl.col("format") != "unknown")["format"]
    chosen = known[0] if len(known) else "rows"
    kind = known_names()[chosen].kind if chosen in known_names() else "rows"
    strange = _strange_roles(tables.turns) if kind == "chat" else []
    if kind == "chat" and not strange and not tables.turns["part"].is_in(["response", "chosen"]).any():
        chosen, kind = "prompt_only", "prompt"  # no row has an answer: prompts for GRPO, or an evaluation
    labels = labels_in(tables)
    mixed = formats.height > 1
    one = not mixed or formats["count"][0] >= NEARLY_ALL * tables.rows.height  # the rest is to be found, not allowed
    lines = [
        f"name: {_name(path.resolve())}",
        "version: 1",
        "datasets:",
        "  train:",
        "    source:",
        f"      path: {_path(path, folder)}",
        *_files(split),
        f"      format: {chosen if one and guess else 'auto'}" + (f"  # found: {_mix(formats)}" if mixed else ""),
        *_without_reader(tables),
        *_became(tables),
        *_how_to_read(sample.reading),
        *_named_texts(texts),
        *_to_map(strange),
        *([f"      columns: {_map(labels)}"] if labels else []),
        *scale_lines(tables, labels),
        "    schema:",
        *schema_lines(tables, labels, whole=sample.whole),
        "    checks:",
        *(
            f"      {line}"
            for line in check_lines(
                kind,
                tables,
                partial(first_records, path, split.glob, sample.reading),
                scored=scored(tables, labels),
                elsewhere=sum(other.records is not None for _, other in beside),
            )
        ),
        *_compared(beside, folder),
    ]
    return "\n".join(lines) + "\n"


def _without_reader(tables: Tables) -> Iterator[str]:
    """A word on the keys whose texts no reader knows: checks of texts are an error until the contract names them."""
    if tables.rows.filter(pl.col("format").is_in(list(UNREAD))).height < _FEW * tables.rows.height:
        return  # some rows of another shape, each of which is a finding: the keys are those of the others
    unread = unread_of(tables.rows, tables.cells)
    keys = {key for found in unread.values() for key in found if key}
    if set(unread) == {"one_message"}:
        yield "      # each row is one message: write those of a conversation as one row; until then checks of"
        yield "      # texts are an error, not a pass"
        command = grouping(tables.cells["path"].unique(maintain_order=True))
        if command is not None:
            yield f"      # as this does: jq -cs '{command}' FILE > rows.jsonl"
    elif keys == {LIST}:
        yield '      # the rows are lists: write each as {"messages": […]}; until then checks of texts are an error'
    elif keys:
        plain = sorted({key.removesuffix(LIST) for key in keys})
        shape = not_rows(keys, tables.rows.height)
        if shape is not None:
            yield f"      # {shape}; until then checks of texts are an error, not a pass"
            command = unnesting(tables.cells["path"].unique(maintain_order=True))
            if command is not None:
                yield f"      # as this does: jq -c '{command}' FILE > rows.jsonl"
            return
        named = ", ".join(_quoted(shown_name(key)) for key in plain[:_NAMED])
        yield f"      # no reader knows the texts under {named}: name their keys, as"
        yield f"      # fields: {nearest(keys)}, with format: auto; until then checks of texts are an error, not a pass"


def _strange_roles(turns: pl.DataFrame) -> list[str]:
    """The roles that are none of ours, the most frequent first; none where one speaks alone: that is a prompt."""
    strange = turns.drop_nulls("role").filter(~pl.col("role").is_in(list(_ROLES)))
    named = strange.filter(pl.col("role") != "")["role"].value_counts(sort=True)["role"].to_list()
    return named if len(named) > 1 else []


def _to_map(strange: list[str]) -> Iterator[str]:
    """How to say who speaks, where the data have names of their own for it."""
    if strange:
        sides = (
            f"{_quoted(shown_name(role))}: {side}" for role, side in zip(strange, ("user", "assistant"), strict=False)
        )
        yield f"      # no trainer knows the roles {_listed(pl.Series(strange))}: say who is who, as"
        yield f"      # roles: {{{', '.join(sides)}}}; until then role_errors fails"


def _became(tables: Tables) -> Iterator[str]:
    """What each key became, and which keys hold prose that no check of texts reads."""
    key = pl.col("path").str.extract(r"^([^.\[]*)").alias("key")
    said = tables.turns.filter(pl.col("text").is_not_null() | pl.col("tool_calls").is_not_null())
    keys = said.select("part", key).unique(maintain_order=True)
    places = _inside_of_one(said, keys)
    parts = [f"{part} = {_listed(own['key'])}" for (part,), own in places.group_by("part", maintain_order=True)]
    flat = tables.cells.filter((pl.col("path") != "") & ~pl.col("path").str.contains(r"[.\[]"))
    used = flat.group_by("path", maintain_order=True).agg(pl.col("text").is_null().all(), pl.col("json_type").first())
    joined = used.filter("text", pl.col("json_type") == "string")["path"]
    beside = joined.filter(~joined.is_in(keys["key"].to_list()))
    if parts:
        more = f"; joined to the prompt: {_listed(beside)}" if len(beside) else ""
        yield f"      # texts: {'; '.join(parts)}{more}"
        silent = tables.cells.filter(is_prose()).select(key).to_series().unique(maintain_order=True)
        silent = silent.filter(~silent.is_in(keys["key"].to_list()))  # read, but in rows that no reader knows
        if len(silent):
            yield f"      # not judged as texts (pii and the schema read them): {_listed(silent)}"
            # what is joined already would be displaced; beside a prompt alone stand its title and what was generated
            if beside.is_empty() and keys["part"].n_unique() > 1:
                yield from _beside_the_question(tables, dict(keys.iter_rows()), silent)
            ignored = ", ".join(_quoted(shown_name(str(each))) for each in silent[:_NAMED])
            yield f"      # if training does not see them: add - {{check: unjudged_text, ignore: [{ignored}]}}"


def _inside_of_one(said: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """The parts with their keys; with their paths where several parts stand in one object: `question.stem`."""
    paths = said.select("part", key=pl.col("path").str.extract(r"^([^\[]*)")).unique(maintain_order=True)
    nested = keys["key"].n_unique() < keys.height and paths.height <= _NAMED
    return paths if nested else keys


def _beside_the_question(tables: Tables, parts: Mapping[str, str], silent: pl.Series) -> Iterator[str]:
    """The line to write where a text that nobody reads belongs to the question: its key as `input`."""
    texts = tables.cells.filter(pl.col("path").is_in(silent.implode()), pl.col("json_type") == "string")
    seen = texts.group_by("path", maintain_order=True).agg(pl.col("row").n_unique())
    usual = seen.filter(pl.col("row") >= _MOST * tables.rows.height)["path"]
    for key in usual.filter(~usual.str.contains(_ANSWERED))[:1]:
        fields = {**parts, "input": str(key)}
        with contextlib.suppress(ValidationError):
            Reading.model_validate({"fields": fields})
            named = _quoted(shown_name(str(key)))
            yield f"      # does the model see {named} with the question? then: fields: {_map(fields)}"


def _listed(keys: pl.Series) -> str:
    """The first keys, as data that stands in a comment; the others as a number."""
    named = [_quoted(shown_name(str(each))) for each in keys[:_NAMED]]
    return ", ".join(named) + (f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else "")


def next_step(contract: Path, path: Path, against: Path | None) -> Message:
    """What to say once the contract is written: where it is, and the command that uses it."""
    named = places(path, against)
    outside = {name: at for name, at in named.items() if _relative(at, contract.parent) is None}
    bound = [word for name, at in outside.items() for word in ("--data", f"{name}={at}")]
    return Message(
        "{contract}: written, as a first proposal. Read it and mend it, then run:\n  {command}",
        contract=contract,
        command=shlex.join(["datacheck", "run", str(contract), *bound]),
    )


def _relative(path: Path, folder: Path) -> str | None:
    """`path` as a contract in `folder` may name it: relative, and not outside of the folder."""
    named = Path(os.path.relpath(path.absolute(), folder.absolute()))
    inside = ".." not in named.parts and (folder / named).resolve().is_relative_to(folder.resolve())
    return named.as_posix() if inside else None


def _path(path: Path, folder: Path | None) -> str:
    """The value of `path:`, and a word where it only holds with `--data`."""
    name = path.resolve().name
    if folder is None:
        return _quoted(name)
    relative = _relative(path, folder)
    return _quoted(relative) if relative else f"{_quoted(name)}  # not below this file: give its place with --data"


def _files(split: DataSplit) -> Iterator[str]:
    if split.glob:
        yield f"      glob: {_quoted(split.glob)}  # the files of this split"


def _compared(beside: Sequence[tuple[Path, DataSplit]], folder: Path | None) -> Iterator[str]:
    """The line that ends the checks of the training data, and the datasets that they are compared with."""
    if not beside:
        yield "      # - {check: leakage, against: [eval]}   # init --eval PATH writes your evaluation set beside it"
        return
    names = ", ".join(split.name for _, split in beside)
    yield from (f"      {line}" for line in item("leakage", against=f"[{names}]"))
    for path, split in beside:
        yield from _evaluation(path, split, folder)


def _evaluation(path: Path, split: DataSplit, folder: Path | None) -> Iterator[str]:
    sample = sample_of(path, split.glob, split.records)
    formats = sample.tables.rows["format"].value_counts(sort=True)
    chosen = formats["format"][0] if formats["format"][0] != "unknown" else "rows"
    checks = ("too_few_rows",) if chosen == "pack" else ("too_few_rows", "exact_duplicates")
    yield f"  {split.name}:"
    yield "    source:"
    yield f"      path: {_path(path, folder)}"
    yield from _files(split)
    yield f"      format: {chosen if formats.height == 1 and chosen != 'pack' else 'auto'}"
    yield from _how_to_read(sample.reading)
    yield from _named_texts(sample.texts)
    yield "    checks:"
    yield from (f"      {line}" for check in checks for line in item(check))


def _name(path: Path) -> str:
    """A name made of the file's; in quotes where YAML would read a number or a word of its own (2026, on, null)."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in shown_name(path.stem))
    name = plain[:80].strip("-") or "data"
    return name if name[0].isalpha() and name.lower() not in _WORDS else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _map(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {_quoted(value)}" for key, value in values.items()) + "}"


def _mix(formats: pl.DataFrame) -> str:
    return ", ".join(f"{name} {count}" for name, count in formats.iter_rows())


def _how_to_read(reading: Reading) -> Iterator[str]:
    if "encoding" in reading.model_fields_set:
        yield f"      encoding: {reading.encoding}  # guessed from the first bytes, which are no UTF-8"
    if reading.delimiter:
        yield f"      delimiter: {_quoted(reading.delimiter)}  # the first line has it, and no comma"
    if reading.records:
        yield f"      records: {_quoted(reading.records)}  # the list in the document whose items are the rows"
    if reading.header:
        yield f"      header: {json.dumps(reading.header)}  # names for the values of each row, which have none"


def _named_texts(texts: Texts) -> Iterator[str]:
    if texts.fields:
        yield f"      fields: {_map(texts.fields)}  # guessed by their names: which keys hold the texts"
    if texts.roles:
        roles = {_quoted(name): role for name, role in texts.roles.items()}
        yield f"      roles: {_map(roles)}  # guessed: who asks, who answers"
