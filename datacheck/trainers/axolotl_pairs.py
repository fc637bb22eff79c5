"""axolotl's DPO and KTO: pairs with a chat template, and the ways that it has by name."""

from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.axolotl_named import pair_of, scored_of
from datacheck.trainers.axolotl_settings import AxolotlDpo, AxolotlKto
from datacheck.trainers.axolotl_turns import check_no_date
from datacheck.trainers.base import (
    Fate,
    Messages,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    column,
    fate_if,
    objects_of,
    role_said,
    type_of,
)

DPO_ROLES = ("user", "assistant", "system", "tool")
OF_TEMPLATE = "chat_template"


def read_dpo(example: dict[str, Any], to: AxolotlDpo, seen: Seen) -> RowOutcome:
    """What `rl: dpo` makes of a row, by the way that `datasets.type` names."""
    if to.type is None:
        return RowOutcome()
    if not to.type.startswith(OF_TEMPLATE):
        return _read_named(example, to, seen)
    if to.type.endswith(".argilla_chat"):
        return _read_whole(example, to, seen)
    asked = column(example, to.field_messages, "missing_key")
    messages = _said(asked, to.field_messages) if not isinstance(asked, str) else [{"role": "user", "content": asked}]
    if not messages:
        raise StopRow("messages_malformed", to.field_messages, Message("no message"))
    answers = {
        name: _answer(column(example, name, "missing_key"), name) for name in (to.field_chosen, to.field_rejected)
    }
    return _pair(example, to, messages, answers, seen)


def _read_whole(example: dict[str, Any], to: AxolotlDpo, seen: Seen) -> RowOutcome:
    """Both sides are whole conversations; the prompt is that of the chosen one (chat_template.argilla_chat)."""
    answers = {}
    for name in dict.fromkeys((to.field_chosen, to.field_rejected)):
        told = column(example, name, "missing_key")
        if not isinstance(told, list) or not told:
            raise StopRow("messages_malformed", name, type_of(told))
        answers[name] = _answer(told, name)
    messages = _said(example[to.field_chosen][:-1], to.field_chosen)
    if not messages:
        raise StopRow("messages_malformed", to.field_chosen, Message("no message"))
    return _pair(example, to, messages, answers, seen)


def _read_named(example: dict[str, Any], to: AxolotlDpo, seen: Seen) -> RowOutcome:
    way = str(to.type)
    pair = pair_of(example, way if "." in way else f"{way}.default")
    _no_letters(seen, "prompt", "chosen", "rejected")
    lost = _not_told(to)
    if lost:
        return RowOutcome((*pair.notes, lost))
    chosen, rejected = pair.answers
    return RowOutcome(pair.notes, Trained("answer_alone", prompt=pair.prompt, chosen=chosen, rejected=rejected))


def read_kto(example: dict[str, Any], to: AxolotlKto, seen: Seen) -> RowOutcome:
    """What `rl: kto` makes of a row: one answer and its label, by the way that `datasets.type` names."""
    if to.type is None:
        return RowOutcome()
    told = scored_of(example, to.type)
    _no_letters(seen, "prompt", "completion")
    label = example.get("label")
    counted = isinstance(label, bool | int | float)
    notes = fate_if(not counted, "no_label", "label", type_of(label))
    notes = (*told.notes, *notes, *fate_if(counted and not isinstance(label, bool), "label_not_bool", "label"))
    lost = _not_told(to)
    if lost:
        return RowOutcome((*notes, lost))
    (answer,) = told.answers
    return RowOutcome(notes, Trained("answer_alone", prompt=told.prompt, response=answer, label=bool(label)))


def _no_letters(seen: Seen, *written: str) -> None:
    """A column of lists of several types keeps that type when text is written into it: a list of its letters."""
    for name in written:
        if seen.typed is not None and (name, 0) in seen.typed.mixed:
            raise StopRow("column_of_letters", name)


def _not_told(to: "AxolotlDpo | AxolotlKto") -> Fate | None:
    """Why tokens of rows that are kept are not told."""
    return Fate("tokenizer_changed") if to.other_tokens else None


def _pair(
    example: dict[str, Any], to: AxolotlDpo, messages: Messages, answers: dict[str, Any], seen: Seen
) -> RowOutcome:
    """A pair whose sides are rendered with a template."""
    _no_letters(seen, "prompt", "chosen", "rejected")
    for message in messages:
        check_no_date(message, to.field_messages)
    chosen, rejected = answers.values() if len(answers) == 2 else list(answers.values()) * 2
    notes = fate_if(chosen == rejected, "same_answers", to.field_rejected)
    notes += fate_if(example.get("tools"), "tools_ignored", "tools")
    for name, answer in answers.items():
        content = answer["content"]
        notes += fate_if(content != content.strip() or len(content) < _SHORT, "answer_not_found", name)
    lost = _not_told(to)
    if lost:
        return RowOutcome((*notes, lost))
    return RowOutcome(notes, Trained("answer_alone", prompt=messages, chosen=[chosen], rejected=[rejected]))


_SHORT = 4  # characters of an answer that a template may well have itself


def _answer(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, str):
        return {"role": "assistant", "content": value}
    if isinstance(value, list):
        if not value:
            raise StopRow("messages_malformed", where, Message("no message"))
        value = value[-1]
    (answer,) = _said([value], where)
    if not isinstance(answer["content"], str):
        raise StopRow("content_malformed", where, type_of(answer["content"]))
    return answer


def _said(messages: Any, where: str) -> Messages:
    """Role and content of messages; all else is left out."""
    made = []
    for number, message in enumerate(objects_of(messages, "messages_malformed", where)):
        at = f"{where}[{number}]"
        if "content" not in message:
            raise StopRow("content_malformed", at, type_of(None))
        role = message.get("role")
        if role not in DPO_ROLES:
            raise StopRow("role_unknown", f"{at}.role", role_said(role))
        made.append({"role": role, "content": message["content"]})
    return made
