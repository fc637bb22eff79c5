"""What a twin of a trainer's loader is made of.

A twin is a pure function of one record. It says what the trainer's own code does with it: the fates of the row, each
by a rule with the place in the trainer's source, and what is trained of it. It never raises, whatever the record is.
"""

from __future__ import annotations

import ast
import datetime as dt
import json
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import ValidationError

from datacheck.i18n.message import Message, ids
from datacheck.trainers.settings import Settings, SettingsError, flat
from datacheck.trainers.truncation import Cut

if TYPE_CHECKING:
    from datacheck.trainers.json_columns import JsonColumns, Typing

# From the best to the worst; what becomes of a row is the worst of its fates.
FATES = ids("kept", "changed", "masked", "truncated", "dropped", "fails")
Kind = Literal["kept", "changed", "masked", "truncated", "dropped", "fails"]
LOST = ("dropped", "fails")

# Which tokens are trained: all, the assistant's, the completion's (all but the prompt), the assistant's of these, the
# last turn's answer, by `weights` (one per message); turns: the assistant's, each message rendered alone (verl);
# cut_out, cut_outs, cut_whole: the last answer, each one, all of a text that is cut behind its prompt (OpenRLHF);
# located: turns with a weight, found by replacing them; answer_alone: an answer that is rendered behind a placeholder;
# shared: behind the text that a prompt and both answers of a pair begin with (TRL's ORPO);
# apart: pieces of text that are tokenized one by one (axolotl); sampled: answers come from the model (GRPO, PPO).
Loss = Literal[
    "all",
    "assistant",
    "completion",
    "assistant_of_completion",
    "last_turn",
    "weights",
    "turns",
    "turns_alone",
    "cut_out",
    "cut_outs",
    "cut_whole",
    "located",
    "answer_alone",
    "shared",
    "apart",
    "sampled",
]


class Rule(NamedTuple):
    """A rule of a trainer. `source` is `path:line` in the repository at the commit of the mode.

    says: what happens, hint: what to do about it, in English (ids of sentences). fate: what it does to a row; "fails":
    the whole run stops there (an exception that nobody catches).
    silent: nothing is printed or raised, so that nobody notices.
    """

    fate: Kind
    says: str
    source: str
    hint: str
    silent: bool = False


class Fate(NamedTuple):
    """One rule that applied to a row: its slug, the JSON path, and safe words (types and counts) or a safe name."""

    reason: str
    where: str | None = None
    detail: Message | str | None = None


Messages = list[dict[str, Any]]
# Of the day on which a prompt of tools is written. A fixed one, so that equal inputs give equal reports; a comparison
# with an installed package sets its own.
TODAY: ContextVar[dt.date] = ContextVar("today", default=dt.date(2026, 1, 1))
Piece = tuple[str, str]  # ("text" or "token", what it says); ("bos" or "eos", "")


class WrittenTurns(NamedTuple):
    """What a trainer tokenizes of an example, piece by piece: (question, answer) of each turn.

    late_end: an end token comes behind the whole; where a turn is not the first that is encoded, it is the label of the
    first token of the question.
    """

    turns: tuple[tuple[tuple[Piece, ...], tuple[Piece, ...]], ...]
    late_end: bool = False


class TurnEnds(NamedTuple):
    """Which end tokens are trained ("located"): all, those of trained turns, the last one, none.

    turns, ends: of the tokens that end a turn, and of the end token. tokens: what ends a turn; None: the end token.
    """

    turns: str = "turn"
    ends: str = "turn"
    tokens: tuple[str, ...] | None = None

    @property
    def every(self) -> bool:
        """Whether turns that are not trained have to be found as well."""
        return "all" in (self.turns, self.ends)


class Markers(NamedTuple):
    """Texts before what is asked and before an answer: what stands behind an answer's is trained (Unsloth).

    Empty ones are found by what the template writes. last: the last answer alone; masked: texts that are not trained
    within an answer either. instead: only where the template marks nothing itself, and before a row is cut.
    """

    asked: str = ""
    answer: str = ""
    last: bool = False
    masked: tuple[str, ...] = ()
    instead: bool = False


class TokenizerChange(NamedTuple):
    """What a trainer does to the tokenizer: its end token (None: as it is), further special tokens.

    default_eos: the end token of a tokenizer that has none.
    """

    eos: str | None = None
    special: tuple[str, ...] = ()
    default_eos: str | None = None


class Trained(NamedTuple):
    """What the trainer renders and trains of a row, with standard roles (system, user, assistant, tool).

    One of: `messages` (a conversation), `text`, `prompt` with `response`, or `chosen` and `rejected` (with `prompt`
    where it is apart). Prompt and answers are messages or text, as the trainer has them. `label` is KTO's.
    called: text gets what a call of the tokenizer adds (a BOS), and where it is "ended" the end token behind it.
    "once": also what a template wrote, but nothing where `opening` begins with the BOS (None: the text itself), or the
    template names it.
    ended: the trainer puts the end token behind an answer that is text, where it is not called.
    written: what it tokenizes of each example, where it has templates of its own; then the rest is for people.
    open_end: the conversation ends without an answer, and as for sampling. unopened: nothing is written behind the
    prompt, not even what comes before an answer.
    asked: the messages that are cut off as the prompt, where that is not `prompt` (cut_out).
    weights: one for each of `messages`, or of those of `prompt`.
    ends: which end tokens are trained (located). pieces: texts and whether each is trained (apart).
    markers: of what is trained that alone which they say.
    """

    loss: Loss
    messages: Messages | None = None
    text: str | None = None
    prompt: Messages | str | None = None
    response: Messages | str | None = None
    chosen: Messages | str | None = None
    rejected: Messages | str | None = None
    label: bool | None = None
    tools: list[Any] | None = None
    weights: tuple[float, ...] | None = None
    template_arguments: Mapping[str, Any] | None = None
    called: Literal["", "bare", "ended", "once"] = ""
    opening: str | None = None
    ended: bool = True
    written: tuple[WrittenTurns, ...] = ()
    open_end: bool = False
    unopened: bool = False
    asked: Messages | None = None
    ends: TurnEnds | None = None
    pieces: tuple[tuple[str, bool], ...] = ()
    markers: Markers | None = None


class RowOutcome(NamedTuple):
    """What a twin says of a row: the rules that applied, and what is trained (None: the row is lost)."""

    fates: tuple[Fate, ...] = ()
    trained: Trained | None = None


class StopRow(Exception):
    """Ends the reading of a row inside a twin; `guarded` catches it."""

    def __init__(self, reason: str, where: str | None = None, detail: Message | str | None = None) -> None:
        super().__init__(reason)
        self.fate = Fate(reason, where, detail)


class Seen(NamedTuple):
    """What loaders know of the whole dataset before they look at a row.

    columns: the top-level keys of all records (the `datasets` library fills those that a record lacks with null);
    none: not known, each record has its own keys only. first: the first record, by which some decide the format.
    typed: how `datasets` types them, where the twin wants to know (`Mode.typed`); not_loadable: why it raises.
    rows: how many there are, where the twin wants to know (`Mode.counted`).
    """

    columns: frozenset[str] = frozenset()
    first: Any = None
    typed: JsonColumns | None = None
    not_loadable: str | None = None
    rows: int | None = None

    @classmethod
    def of(cls, records: Sequence[Any], *, typed: Typing | None = None) -> Seen:
        """What a loader sees of these records, where they are all."""
        objects = [record for record in records if isinstance(record, dict)]
        columns = frozenset(key for record in objects for key in record)
        seen = cls(columns, records[0] if records else None, rows=len(records))
        return seen.with_types([json.dumps(record) for record in objects], typed) if typed else seen

    def with_types(self, lines: Sequence[str], by: Typing) -> Seen:
        """With the types of a file of these records."""
        from datacheck.trainers.json_columns import NotLoadableError, json_columns  # loads Arrow

        try:
            return self._replace(typed=json_columns(lines, by) if lines else None)
        except NotLoadableError as error:
            return self._replace(not_loadable=str(error))


UNSEEN = Seen()


def as_loaded(record: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The record as `datasets` gives it: keys that only other records have are null, values have its types."""
    record = seen.typed.read(record) if seen.typed is not None else record
    missing = seen.columns - record.keys()
    return {**record, **dict.fromkeys(missing)} if missing else record


def guarded(
    read: Callable[[Any, Any, Seen], RowOutcome], *, loaded: bool = True, objects: bool = True
) -> Callable[[Any, Any, Seen], RowOutcome]:
    """A `read` that may raise StopRow as one that never does.

    loaded: it gets the record as `datasets` gives it, otherwise with its own keys only; objects: it gets objects only.
    """

    def guarded_read(record: Any, settings: Any, seen: Seen) -> RowOutcome:
        if objects and not isinstance(record, dict):
            return RowOutcome((Fate("not_an_object", None, type_of(record)),))
        try:
            return read(as_loaded(record, seen) if loaded else record, settings, seen)
        except StopRow as stop:
            return RowOutcome((stop.fate,))

    return guarded_read


def column(example: Mapping[str, Any], name: str | None, reason: str = "missing_column") -> Any:
    """The value of a column. Raises StopRow where the record has none of that name."""
    if name is None or name not in example:
        raise StopRow(reason, name)
    return example[name]


def text_of(value: Any, reason: str, where: str | None) -> str:
    """A value that must be text. Raises StopRow for another one."""
    if not isinstance(value, str):
        raise StopRow(reason, where, type_of(value))
    return value


def json_of(text: str, reason: str, where: str | None = None) -> Any:
    """What stands in a JSON text. Raises StopRow where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise StopRow(reason, where, Message("not JSON")) from None


def objects_of(messages: Any, reason: str, where: str) -> Messages:
    """A list that must hold objects only. Raises StopRow where it does not, or is none."""
    if not isinstance(messages, list):
        raise StopRow(reason, where, type_of(messages))
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise StopRow(reason, f"{where}[{number}]", type_of(message))
    return messages


def conversation_of(messages: Any, reason: str, where: str) -> Messages:
    """Messages as transformers' chat template takes them: a list of such lists is taken as a batch."""
    if not (isinstance(messages, list) and messages and isinstance(messages[0], list)):
        return objects_of(messages, reason, where)
    filled = [inner for inner in messages if inner not in ([], {}, "")]  # a loop over these gives nothing
    return [message for inner in filled for message in objects_of(inner, reason, where)]


STANDARD_ROLES = ("system", "user", "assistant", "tool", "developer")
"""Roles that the chat templates of models know."""


def foreign_role(messages: Messages, where: str) -> tuple[Fate, ...]:
    """The rule foreign_role, of the first message with a role that templates do not know."""
    for number, message in enumerate(messages):
        if message.get("role") not in STANDARD_ROLES:
            return (Fate("foreign_role", f"{where}[{number}].role", role_said(message.get("role"))),)
    return ()


def without_text(messages: Messages) -> int | None:
    """The number of the first message whose content templates put together with text, and which is none."""
    for number, message in enumerate(messages):
        content = message.get("content")
        if not isinstance(content, str | list) and not (content is None and message.get("tool_calls")):
            return number
    return None


def weighted(messages: Messages, tools: Any) -> RowOutcome:
    """Answers are trained but those of weight 0, which the services mask; tools that are no list are left out."""
    weights = tuple(float(message["role"] == "assistant" and message.get("weight") != 0) for message in messages)
    masked = tuple(
        Fate("message_masked", f"messages[{number}].weight")
        for number, message in enumerate(messages)
        if message["role"] == "assistant" and not weights[number]
    )
    listed = tools if isinstance(tools, list) else None
    return RowOutcome(masked, Trained("weights", messages=messages, tools=listed, weights=weights))


def fate_if(
    holds: object, reason: str, where: str | None = None, detail: Message | str | None = None
) -> tuple[Fate, ...]:
    """The fate of a rule, where it applies."""
    return (Fate(reason, where, detail),) if holds else ()


def not_loadable(_to: Settings, seen: Seen) -> tuple[Fate, ...]:
    """The fate of every row where the `datasets` library cannot read the files together."""
    return fate_if(seen.not_loadable is not None, "not_loadable", None, seen.not_loadable)


class Upstream(NamedTuple):
    """Where the rules were read: `commit` is a commit or a release, or of documents the day.

    folder: what their sources have in common, with a slash at the end. said: how it was read, for the docs.
    """

    repository: str
    commit: str
    folder: str = ""
    said: str = ""

    @property
    def documents(self) -> bool:
        """Whether it is what a service writes of itself; then `commit` is a day."""
        return self.commit.count("-") == 2


@dataclass(frozen=True)
class Mode:
    """One way to train with one trainer, and the twin of its loader.

    name: `trainer.mode`; read: (record, settings, seen) → Reading, pure; rules: every slug that `read`, `cut` or
    `before` can give; cut: (settings) → what is done to long rows; before: (settings, seen) → why the run fails
    before any row; first: (settings) → how many rows it takes from the front (None: all).
    run_here: benchmarks/trainers.py compares it with the trainer's own code; else it was only read.
    roles: names that the loader takes for each standard role; empty: it does not look. role_rules: slugs of the rules
    that are about roles and their order; tolerates: problems of the check role_errors that this trainer mends itself.
    tool_arguments: what a call's arguments must be for the loader to train them as calls; template: it hands
    them to the tokenizer's chat template as they stand.
    typed: what gives types to the columns of JSON files, where that decides: a version of the `datasets` library, or
    pyarrow, where they are written as Parquet.
    counted: whether a file may have too few rows or too many.
    boundary: where a completion begins: behind as many tokens as the prompt alone has, where these and those of both
    part, or (for a pair) where any of the two parts. pieces: answers are tokenized apart from what is around them.
    rendered_with: (settings, template) → the one that it trains with. tokenizer: (settings) → what it changes of the
    tokenizer, with a template of its own; None: it uses the tokenizer's.
    handed: (settings) → the column of the messages, and keys of theirs that are handed to the template besides those
    that it is said to read; None: all are.
    untrained: the rule by which the run stops at a row whose template marks no token of the assistant's.
    lost_beside: (all records of a file, settings, seen) → numbers of those that are left out for what is drawn for them
    from other rows, with the seed and the batches of the probe; it is asked beside the installed package only, since
    the draw of a run hangs on its machines.
    probe: the script under `probes/` that asks the installed package, "" for none.
    not_covered: sentences for the docs.
    """

    name: str
    upstream: Upstream
    settings: type[Settings]
    read: Callable[[Any, Any, Seen], RowOutcome]
    rules: Mapping[str, Rule]
    cut: Callable[[Any], Cut] = lambda _settings: Cut()
    before: Callable[[Any, Seen], tuple[Fate, ...]] = lambda _settings, _seen: ()
    first: Callable[[Any], int | None] = lambda _settings: None
    run_here: bool = False
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    role_rules: frozenset[str] = frozenset()
    tolerates: frozenset[str] = frozenset()
    tool_arguments: Literal["string", "object", "any", "template"] = "template"
    typed: Typing | None = None
    counted: bool = False
    boundary: Literal["prompt", "parting", "parting_of_pair"] = "prompt"
    pieces: bool = False
    rendered_with: Callable[[Any, str], str] = lambda _settings, template: template
    tokenizer: Callable[[Any], TokenizerChange | None] = lambda _settings: None
    handed: Callable[[Any], tuple[str, tuple[str, ...]] | None] = lambda _settings: None
    untrained: str | None = None
    lost_beside: Callable[[Sequence[Any], Any, Seen], AbstractSet[int]] = lambda _records, _settings, _seen: frozenset()
    probe: str = ""
    not_covered: tuple[str, ...] = ()

    def configured(
        self, config: Mapping[str, Any] | None, given: Mapping[str, Any], max_length: int | None = None
    ) -> Settings:
        """The settings of a run: the trainer's defaults, its config file, `run.settings`, `run.max_length` on top.

        Raises SettingsError for a value of a wrong type.
        """
        values = {**flat(config or {}), **given}
        if max_length is not None and self.settings.MAX_LENGTH:
            values[self.settings.MAX_LENGTH] = max_length
        try:
            return self.settings.model_validate(self.settings.prepared(values))
        except ValidationError as errors:
            raise SettingsError.of(self.name, errors) from None

    def fate_of(self, fates: Iterable[Fate]) -> Kind:
        """What becomes of a row with these fates: the worst of them."""
        worst: Kind = "kept"
        for fate in fates:
            kind = self.rules[fate.reason].fate
            worst = kind if FATES.index(kind) > FATES.index(worst) else worst
        return worst


_MARK = re.compile(r"(\{%[-+]?\s*)(end)?generation(\s*[-+]?%\})")


def without_marks(_settings: Any, template: str) -> str:
    """A template whose marks of what is generated nobody looks at (`Mode.rendered_with`)."""
    return _MARK.sub(lambda found: f"{found[1]}{'endif' if found[2] else 'if true'}{found[3]}", template)


def literal(text: str) -> Any:
    """A value that stands as text in Python's spelling, as `ast.literal_eval`; odd escapes in it warn nobody."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def kind_of(value: Any) -> str:
    """The JSON type of a value, for `detail`."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    names[dt.datetime] = "date"
    return names.get(type(value), type(value).__name__)


def dated(value: Any) -> bool:
    """Whether it holds a date: where all texts of a column are dates, `datasets` makes them such."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, dt.datetime) or any(dated(each) for each in inner)


def type_of(value: Any) -> Message:
    """The JSON type of a value, in the language of who reads it."""
    return Message(kind_of(value))


def role_said(role: Any) -> Message:
    """A role that the data has, for `detail`."""
    return Message("role {role}", role=shown(role))


def shown(value: Any) -> str:
    """A name out of the data (a role, a key) for `detail`: at most 40 characters; other values by their type."""
    return value[:40] if isinstance(value, str) else kind_of(value)


class Twins(NamedTuple):
    """The twins of a trainer, and what `name.toml` beside this file says of it: rules by table, what is left out."""

    name: str
    upstream: Upstream
    rules: Mapping[str, Mapping[str, Rule]]
    left_out: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, name: str, upstream: Upstream) -> Twins:
        """Read the file; its sources are named from the folder of `upstream` on."""
        said = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
        left_out = said.pop("not_covered")
        for rule in (rule for table in said.values() for rule in table.values()):
            rule["source"] = rule["source"] if "://" in rule["source"] else upstream.folder + rule["source"]
        rules = {table: {slug: Rule(**rule) for slug, rule in own.items()} for table, own in said.items()}
        return cls(name, upstream, rules, left_out)

    def mode(self, name: str, *tables: str, **more: Any) -> Mode:
        """A mode with the rules of some tables; `more`: the other fields of `Mode`."""
        rules = {slug: rule for table in tables for slug, rule in self.rules[table].items()}
        left_out = (*self.left_out.get(name, ()), *self.left_out.get("all", ()))
        return Mode(name=f"{self.name}.{name}", upstream=self.upstream, rules=rules, not_covered=left_out, **more)
