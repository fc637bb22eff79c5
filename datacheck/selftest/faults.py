"""What a fault is, and the faults that are no text: lines, roles, fields, copies, pairs, identifiers, leaks, calls."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

from datacheck.check import Check
from datacheck.checks.banned_terms import BannedTerms
from datacheck.checks.conflicting_answers import ConflictingAnswers, as_one_likes
from datacheck.checks.overlong_samples import OverlongSamples
from datacheck.checks.pii import Pii
from datacheck.checks.schema_violations import SchemaViolations
from datacheck.checks.wrong_language import WrongLanguage
from datacheck.loading.reading import Columns
from datacheck.pii.canaries import canary
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.selftest.rows import Sampled, at, put, to_line
from datacheck.text.leak_plants import LEAKS, Item
from datacheck.text.plants import plant as edited

_LONG = 200  # characters of a text in which few edits leave most of it alone
_MOST = 2_000_000  # characters of a text that is made too long
_OVERLONG = 240_000  # of one where the data say what is too long: above four times 60,000 half of the rows would be


class PlantedLine(NamedTuple):
    """The line that takes the row's place; `where` the finding must point, "" for the row as a whole."""

    line: bytes
    where: str = ""


@dataclass(frozen=True)
class Ground:
    """What a fault may use. `check`: as the contract sets it; `donors`: rows before this one that stay as they are.

    `items`: of the evaluation sets that the check compares with.
    """

    check: Check | None
    donors: Sequence[Sampled]
    random: Random
    columns: Columns
    items: Sequence[Item]


Change = Callable[[Sampled, Ground], PlantedLine | None]


class FaultKind(NamedTuple):
    """A kind of fault: the check that looks for it, the problem as which it is named, and how a row gets it.

    `change` gives None for a row that cannot have it. `how`: of several ways that have one name.
    """

    check: str
    problem: str
    change: Change
    how: str = ""
    also: tuple[str, ...] = ()  # names that do as well
    unlike: Callable[[Sampled], bool] = lambda _: False  # rows to take last: their words let the check leave it alone

    @property
    def name(self) -> str:
        """As people read it: `leaked, 5 % edits`."""
        return f"{self.problem}, {self.how}" if self.how else self.problem


def faults() -> Iterator[FaultKind]:
    """All but those of texts."""
    yield from (
        FaultKind("unreadable_lines", problem, partial(_line, change=change)) for problem, change in LINES.items()
    )
    yield from (FaultKind("role_errors", problem, partial(_roles, change=change)) for problem, change in _ROLES.items())
    yield from (FaultKind("empty_turns", problem, partial(_answer, text=text)) for problem, text in _NO_TEXTS.items())
    yield from (FaultKind("schema_violations", name, partial(_field, kind=name)) for name in _FIELDS)
    yield FaultKind("schema_violations", "unknown_format", _shapeless)
    yield FaultKind("field_outliers", "extra_key", _extra_key)
    yield FaultKind("field_outliers", "other_type", partial(_answer, text=["a list"]))
    yield FaultKind("exact_duplicates", "exact_duplicate", lambda _, ground: _copy(ground, None))
    for kind in ("1 % edits", "punctuation", "suffix"):
        yield FaultKind("near_duplicates", "near_copy", partial(_near, kind=kind), kind, ("exact_copy",))
    yield FaultKind("conflicting_answers", "conflicting_answer", partial(_conflicting, of="answer"))
    yield FaultKind("conflicting_answers", "unlike_response", partial(_conflicting, of="response"))
    yield FaultKind("contradictory_pairs", "opposite_pair", _opposite)
    yield FaultKind("identical_pairs", "identical", partial(_rejected, more=""))
    yield FaultKind("identical_pairs", "near_identical", partial(_rejected, more="!"))
    yield FaultKind("small_gap", "wrong_sign", _scores_swapped)
    yield FaultKind("small_gap", "missing_score", _score_lost)
    yield FaultKind("overlong_samples", "overlong_row", _overlong)
    yield FaultKind("wrong_language", "wrong_language", _foreign)
    yield FaultKind("banned_terms", "banned_term", _banned)
    yield from (FaultKind("pii", entity.lower(), partial(_identifier, entity=entity)) for entity in RECOGNIZERS)
    yield from (FaultKind("leakage", "leaked", partial(_leak, kind=kind), kind) for kind in _LEAKED)
    yield from (
        FaultKind("tool_call_errors", problem, partial(_call, change=change)) for problem, change in _CALLS.items()
    )
    yield FaultKind("tool_call_errors", "tools_not_json", _tools_cut)


# ── lines ───────────────────────────────────────────────────────────────────────────────────────────
def _with_key(text: bytes) -> Callable[[bytes, Random], bytes]:
    return lambda line, _: line[:-1] + b", " + text + b"}"


def _in_text(what: bytes) -> Callable[[bytes, Random], bytes]:
    """Bytes at the beginning of the first text that is a value."""

    def change(line: bytes, _: Random) -> bytes:
        start = line.index(b'": "') + 4
        return line[:start] + what + line[start:]

    return change


def _cut(line: bytes, random: Random) -> bytes:
    """The line ends somewhere behind its first half, never inside a character."""
    return line[: random.randrange(len(line) // 2, len(line) - 2)].decode(errors="ignore").encode()


LINES: Mapping[str, Callable[[bytes, Random], bytes]] = {
    "truncated_line": _cut,
    "two_objects": lambda line, _: line + line,
    "json_syntax": lambda line, _: line[:-1] + b",}",
    "python_repr": _with_key(b'"ok": True'),
    "not_finite": _with_key(b'"x": NaN'),
    "duplicate_key": _with_key(b'"x": 1, "x": 2'),
    "lone_surrogate": _in_text(b"\\ud83d"),
    "control_character": _in_text(b"\x01"),
    "nul_bytes": _in_text(b"\0" * 8),
    "not_utf8": _in_text(b"caf\xe9"),
    "merge_conflict": lambda *_: b"<<<<<<< HEAD",
    "not_an_object": lambda *_: b'"text"',
    "too_deep": _with_key(b'"x": ' + b"[" * 80 + b"]" * 80),
}


def _line(row: Sampled, ground: Ground, *, change: Callable[[bytes, Random], bytes]) -> PlantedLine | None:
    return PlantedLine(change(row.line, ground.random)) if b'": "' in row.line else None


# ── conversations ───────────────────────────────────────────────────────────────────────────────────
def _role_key(message: Any) -> str | None:
    return next((key for key in ("role", "from") if isinstance(message, dict) and key in message), None)


def _unknown(messages: list[Any]) -> list[Any]:
    return [{**messages[0], str(_role_key(messages[0])): "narrator"}, *messages[1:]]


def _late_system(messages: list[Any]) -> list[Any]:
    return [messages[0], {**messages[0], str(_role_key(messages[0])): "system"}, *messages[1:]]


_ROLES: Mapping[str, Callable[[list[Any]], list[Any]]] = {
    "unknown_role": _unknown,
    "wrong_order": lambda messages: [*messages, messages[-1]],
    "no_answer": lambda messages: messages[:-1],
    "system_not_first": _late_system,
    "empty_conversation": lambda _: [],
}


def _roles(row: Sampled, _ground: Ground, *, change: Callable[[list[Any]], list[Any]]) -> PlantedLine | None:
    """Of a conversation that begins with the user and ends with the answer."""
    found, answer = row.messages(), row.last("response")
    if found is None or answer is None or row.turns[0].role != "user":
        return None
    path, messages = found
    if change is _ROLES["empty_conversation"] and "label" in row.record:
        return None  # what is left is no record of a known shape, which schema_violations says
    if not answer.path.startswith(f"{path}[{len(messages) - 1}]") or not all(map(_role_key, messages)):
        return None
    return PlantedLine(to_line(put(row.record, path, change(messages))))


_NO_TEXTS: Mapping[str, Any] = {"null_content": None, "not_text": 42}


def _answer(row: Sampled, _ground: Ground, *, text: Any) -> PlantedLine | None:
    """An answer in a conversation that is no text; in a flat record, it would make the row another shape."""
    own = row.answered
    return PlantedLine(row.told(own, text).line, own.path) if own and "[" in own.path else None


# ── fields ──────────────────────────────────────────────────────────────────────────────────────────
_EXTRA = "datacheck_extra"
_FIELDS = ("missing_field", "null_value", "wrong_type", "not_in_enum", "out_of_range")


def _field(row: Sampled, ground: Ground, *, kind: str) -> PlantedLine | None:
    """A field that the schema has a rule for, broken; at best one that holds no text."""
    rules = ground.check.fields if isinstance(ground.check, SchemaViolations) else {}
    texts = {turn.path.split("[")[0].split(".")[0] for turn in row.turns}
    for path in sorted(rules, key=lambda path: path in texts):
        rule, value = rules[path], at(row.record, path)
        types = (rule.type,) if isinstance(rule.type, str) else rule.type or ()
        wrong: dict[str, Any] = {
            "null_value": None if not rule.nullable and "null" not in types else ...,
            "wrong_type": 7 if types and not {*types} & {"integer", "number"} else "seven" if types else ...,
            "not_in_enum": "no such value" if rule.enum else ...,
            "out_of_range": rule.max + 1 if rule.max is not None else ...,
        }
        if value is None:
            continue
        if kind == "missing_field" and rule.required and "." not in path:
            return PlantedLine(to_line({key: each for key, each in row.record.items() if key != path}), path)
        if wrong.get(kind, ...) is not ...:
            return PlantedLine(to_line(put(row.record, path, wrong[kind])), path)
    return None


def _shapeless(row: Sampled, _ground: Ground) -> PlantedLine | None:
    """None of the keys is one that a reader knows."""
    return PlantedLine(to_line({f"x_{key}": value for key, value in row.record.items()})) if row.turns else None


def _extra_key(row: Sampled, _ground: Ground) -> PlantedLine | None:
    """A key that no other row has."""
    return PlantedLine(to_line({**row.record, _EXTRA: True}), _EXTRA)


# ── copies of another row ───────────────────────────────────────────────────────────────────────────
def _copy(ground: Ground, change: Callable[[Sampled], Sampled | None] | None) -> PlantedLine | None:
    """A row like an earlier one, of those that can be changed so."""
    for donor in ground.random.sample(ground.donors, len(ground.donors)):
        new = change(donor) if change else donor
        if new is not None:
            return PlantedLine(new.line)
    return None


def _near(_row: Sampled, ground: Ground, *, kind: str) -> PlantedLine | None:
    def change(donor: Sampled) -> Sampled | None:
        long = max(donor.turns, key=lambda turn: len(turn.text) * (turn.part != "tools"), default=None)
        new = edited(long.text, kind) if long and len(long.text) >= _LONG else None
        return donor.told(long, new) if long and new and new != long.text else None

    return _copy(ground, change)


def _conflicting(row: Sampled, ground: Ground, of: str) -> PlantedLine | None:
    """The question of another row with the answer of this one, where the check compares answers of that part."""
    own = row.last(of)
    if isinstance(ground.check, ConflictingAnswers) and ground.check.of != of:
        return None

    def change(donor: Sampled) -> Sampled | None:
        other = donor.last(of)
        free = of == "response" and (donor.asked is None or as_one_likes(donor.asked.text))
        same = own is None or other is None or own.text.strip() == other.text.strip()
        return None if own is None or other is None or same or free else donor.told(other, own.text)

    return _copy(ground, change)


def _sides(row: Sampled) -> tuple[str, str] | None:
    """The keys of the chosen and of the rejected answer."""
    chosen, rejected = row.last("chosen"), row.last("rejected")
    if chosen is None or rejected is None or chosen.text == rejected.text:
        return None
    a, b = (turn.path.split(".")[0].split("[")[0] for turn in (chosen, rejected))
    return (a, b) if a != b else None


def _swapped(row: Sampled, keys: tuple[str, str] | None) -> Sampled | None:
    if keys is None or at(row.record, keys[0]) == at(row.record, keys[1]):
        return None
    a, b = at(row.record, keys[0]), at(row.record, keys[1])
    return replace(row, record=put(put(row.record, keys[0], b), keys[1], a))


def _opposite(_row: Sampled, ground: Ground) -> PlantedLine | None:
    return _copy(ground, lambda donor: _swapped(donor, _sides(donor)))


# ── pairs ───────────────────────────────────────────────────────────────────────────────────────────
def _rejected(row: Sampled, _ground: Ground, *, more: str) -> PlantedLine | None:
    chosen, rejected = row.last("chosen"), row.last("rejected")
    if chosen is None or rejected is None or (more and len(chosen.text) < _LONG):
        return None
    return PlantedLine(row.told(rejected, chosen.text + more).line)


def _scored(row: Sampled, ground: Ground) -> tuple[str, str] | None:
    keys = ground.columns.score_chosen, ground.columns.score_rejected
    if keys[0] is None or keys[1] is None or not all(isinstance(at(row.record, str(key)), int | float) for key in keys):
        return None
    return keys[0], keys[1]


def _scores_swapped(row: Sampled, ground: Ground) -> PlantedLine | None:
    new = _swapped(row, _scored(row, ground))
    return PlantedLine(new.line) if new else None


def _score_lost(row: Sampled, ground: Ground) -> PlantedLine | None:
    keys = _scored(row, ground)
    return PlantedLine(to_line(put(row.record, keys[1], None))) if keys else None


# ── texts that the settings of a check decide ───────────────────────────────────────────────────────
def _overlong(row: Sampled, ground: Ground) -> PlantedLine | None:
    most = getattr(ground.check, "max_chars", _MOST) or _OVERLONG
    turn = row.answered or row.last("text", "prompt")
    if not isinstance(ground.check, OverlongSamples) or turn is None or not turn.text or most >= _MOST:
        return None
    return PlantedLine(row.told(turn, turn.text * (most // len(turn.text) + 2)).line)


_SENTENCES = (
    (("en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "vi", "id"),
     "I am sorry, but I can only answer this question in English for now, because nobody has translated it yet."),
    (("zh", "zh-Hans", "zh-Hant", "ja"), "首先选择阳光充足的阳台，准备疏松肥沃的土壤，每天早晚各浇一次水。"),
    (("ru", "uk", "bg"), "Извините, я могу ответить на этот вопрос только на русском языке, спасибо вам за терпение."),
)  # fmt: skip


def _foreign(row: Sampled, ground: Ground) -> PlantedLine | None:
    own = row.answered or row.last("text")
    expected = ground.check.languages if isinstance(ground.check, WrongLanguage) else ()
    other = next((text for codes, text in _SENTENCES if not {*codes} & {*expected}), None)
    return PlantedLine(row.told(own, other).line, own.path) if own and other and expected else None


def _banned(row: Sampled, ground: Ground) -> PlantedLine | None:
    terms = ground.check.terms if isinstance(ground.check, BannedTerms) else {}
    own, named = row.answered or row.last("text"), [term for each in terms.values() for term in each]
    return (
        PlantedLine(row.told(own, f"{own.text}\n{ground.random.choice(named)}").line, own.path)
        if own and named
        else None
    )


def _identifier(row: Sampled, ground: Ground, *, entity: str) -> PlantedLine | None:
    """A made-up value below what the user asks, where the contract lists such values."""
    own, check = row.asked or row.last("text"), ground.check
    if own is None or not isinstance(check, Pii) or entity not in check.looked_for:
        return None
    if check.level(entity, "valid", linked=False) not in ("block", "warn"):
        return None
    return PlantedLine(row.told(own, f"{own.text}\n{canary(entity, ground.random.randrange(10**6))}\n").line, own.path)


# ── leaks ───────────────────────────────────────────────────────────────────────────────────────────
_LEAKED = ("verbatim", "embedded", "2 % edits", "letter case", "punctuation")


def _leak(row: Sampled, ground: Ground, *, kind: str) -> PlantedLine | None:
    own = row.asked or row.last("text")
    if own is None or not ground.items:
        return None
    leaked = LEAKS[kind](ground.random.choice(ground.items), own.text)
    return PlantedLine(row.told(own, leaked).line, own.path)


# ── tool calls ──────────────────────────────────────────────────────────────────────────────────────
def _renamed(call: dict[str, Any]) -> dict[str, Any]:
    return {**call, "name": "no_such_tool"}


def _malformed(call: dict[str, Any]) -> dict[str, Any]:
    return {**call, "arguments": str(call.get("arguments"))[:-1] + ","}


_CALLS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "unknown_function": _renamed,
    "arguments_not_json": _malformed,
}


def _call(row: Sampled, _ground: Ground, *, change: Callable[[dict[str, Any]], dict[str, Any]]) -> PlantedLine | None:
    """The first call of a conversation, as OpenAI writes it or as text in a ShareGPT turn."""
    new = copy.deepcopy(row.record)
    lists = [value for value in new.values() if isinstance(value, list)] if isinstance(new, dict) else []
    for message in (each for value in lists for each in value if isinstance(each, dict)):
        if isinstance(made := message.get("tool_calls"), list) and made and isinstance(made[0], dict):
            made[0]["function"] = change(made[0].get("function") or {})
            return PlantedLine(to_line(new))
        if message.get("from") == "function_call":
            try:
                said = json.loads(str(message.get("value")))
            except ValueError:
                return None
            if isinstance(said, dict):
                message["value"] = json.dumps(change(said), ensure_ascii=False)
                return PlantedLine(to_line(new))
    return None


def _tools_cut(row: Sampled, _ground: Ground) -> PlantedLine | None:
    own = row.last("tools")
    return PlantedLine(row.told(own, own.text[:-2]).line, own.path) if own and len(own.text) > 2 else None
