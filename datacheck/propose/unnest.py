"""The command that writes the rows: of questions in lists (SQuAD, CMRC, DRCD, DROP, RACE), of single messages."""

import re
from collections.abc import Iterable
from typing import Any

from datacheck.loading.formats.one_message import SAID, WHO

_ASKED = re.compile(r"(?i)(?:question|query|query_text|input_text|problem)")
_ON = re.compile(r"(?i)(?:context|context_text|passage|article|story|document)")
_TOLD = re.compile(r"(?i)(?:answers?|answer_text|gold(?:_label)?)")
_OPTIONS = re.compile(r"(?i)(?:options|choices?)")
_OF_ONE = re.compile(r"(?i)(?:conv(?:ersation)?|dialog(?:ue)?|session|thread|chat)_?(?:id|no)?")
_BEFORE = re.compile(r"(?i)(?:parent|reply_to|in_reply_to)(?:_?(?:message_)?id)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARTS = {"question": _ASKED, "options": _OPTIONS, "answer": _TOLD}
_PARALLEL = "questions"  # RACE: a list of questions, one of options, one of answers


def unnesting(paths: Iterable[str]) -> str | None:
    """A program of jq that gives a row a question, by the paths of the cells; None where they name no question."""
    known = {re.sub(r"\[\d+\]", "[]", path) for path in paths}
    if any(not _NAME.fullmatch(word) for path in known for word in path.replace("[]", "").split(".")):
        return None
    asked = next((path for path in sorted(known) if "[]." in path and _ASKED.fullmatch(_last(path))), None)
    if asked is None:
        return _side_by_side(known)
    inside, _, question = asked.rpartition("[].")
    above, _, rows = inside.rpartition("[].")
    beside = f"{above}[]." if above else ""
    context = next((path for path in sorted(known) if _is_in(path, beside) and _ON.fullmatch(_last(path))), None)
    own = [path.removeprefix(f"{inside}[].") for path in sorted(known) if path.startswith(f"{inside}[].")]
    row = ["context: $on"] if context else []
    row += [f"question: .{question}", *_options_and_answer(own)]
    before = f".{_last(context)} as $on | " if context else ""
    return f'.. | objects | select(has("{_last(rows)}")) | {before}.{_last(rows)}[] | {{{", ".join(row)}}}'


def _options_and_answer(own: list[str]) -> list[str]:
    """What of a row stands at paths beside its question."""
    told = min((path for path in own if _TOLD.fullmatch(path.split("[")[0].split(".")[0])), key=_as_words, default=None)
    options = next((path for path in own if path.endswith("[]") and _OPTIONS.fullmatch(path[:-2])), None)
    row = [f"options: .{options[:-2]}"] if options else []
    return [*row, f"answer: .{told.replace('[]', '[0]')}"] if told else row


def grouping(paths: Iterable[str]) -> str | None:
    """A program of jq that puts the messages of a conversation into one row, in the order in which they stand.

    None where no key says which conversation a message is of, or where one may have several answers (a tree).
    """
    known = set(paths)
    of = next((path for path in sorted(known) if _OF_ONE.fullmatch(path)), None)
    if of is None or any(map(_BEFORE.fullmatch, known)):
        return None
    who, said = (next((key for key in keys if key in known), None) for keys in (WHO, SAID))
    return f"group_by(.{of})[] | {{messages: map({{role: .{who}, content: .{said}}})}}"


def of_lists(rows: list[Any], *, array: bool) -> str | None:
    """The same for rows that are lists with a passage and its questions in them: C3, DREAM.

    rows: the first ones. array: they stand in one array, not a line each.
    """
    row = rows[0] if rows and rows[0].__class__ is list else []
    asked = next((n for n, value in enumerate(row) if _first_key(value, _ASKED)), None)
    if asked is None:
        return None
    keys = {name: _first_key(row[asked], form) for name, form in _PARTS.items()}
    if any(key and not _NAME.fullmatch(key) for key in keys.values()):
        return None
    said = next((n for n, value in enumerate(row) if n != asked and _is_text(value)), None)
    before = "" if said is None else f'([.[{said}]] | flatten | join("\\n")) as $on | '
    parts = ["context: $on"] if before else []
    parts += [f"{name}: .{key}" for name, key in keys.items() if key]
    return f"{'.[] | ' if array else ''}{before}.[{asked}][] | {{{', '.join(parts)}}}"


def _first_key(value: Any, form: re.Pattern[str]) -> str | None:
    """The first key of such a name in the first object of a list."""
    first = value[0] if value.__class__ is list and value else None
    return next((key for key in first if form.fullmatch(key)), None) if first.__class__ is dict else None


def _is_text(value: Any) -> bool:
    return value.__class__ is str or (value.__class__ is list and all(each.__class__ is str for each in value))


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _as_words(path: str) -> tuple[bool, str]:
    """Of an answer in parts its words first: answers[].text before answers[].answer_start."""
    return not path.endswith(("text", "spans[]")), path


def _is_in(path: str, beside: str) -> bool:
    """Whether a text stands in the object that holds the list, and in no list of its own."""
    return path.startswith(beside) and "[]" not in path.removeprefix(beside)


def _side_by_side(known: set[str]) -> str | None:
    """The same for lists of one length beside each other; a row has what stands at one place of each."""
    context = next((path for path in sorted(known) if _ON.fullmatch(path)), None)
    if f"{_PARALLEL}[]" not in known or context is None:
        return None
    row = [f"context: .{context}", f"question: .{_PARALLEL}[$n]"]
    row += ["options: .options[$n]"] if "options[][]" in known else []
    row += ["answer: .answers[$n]"] if "answers[]" in known else []
    return f"range(.{_PARALLEL} | length) as $n | {{{', '.join(row)}}}"
