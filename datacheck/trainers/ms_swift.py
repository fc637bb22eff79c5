"""ms-swift: what its encoder needs of a row that the preprocessor has made (`ms_swift_preprocessor`), and trains of it.

The loader deletes every row at which anything goes wrong and prints the first ten; `strict: true` stops the run.
"""

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise
from typing import Any, ClassVar, Literal

from datacheck.trainers.base import (
    Fate,
    Loss,
    Mode,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    fate_if,
    role_said,
    type_of,
    without_marks,
)
from datacheck.trainers.json_columns import as_written
from datacheck.trainers.json_numbers import whole, written
from datacheck.trainers.ms_swift_draws import drawn_for_kl
from datacheck.trainers.ms_swift_encoder import demand, given, has_ids, json_or_text, parsed, text_of_content
from datacheck.trainers.ms_swift_preprocessor import MEDIA, RENAMED_COLUMNS, Row, loaded_row
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("modelscope/ms-swift", "3602360a562313afbf2ef6065fdf61f271a2c5b9", "swift/")
_TWINS = Twins.of("ms_swift", UPSTREAM)
_END = re.compile(r"(<\|[^|<>]+\|>|</s>|<eos>|<end_of_turn>)$")  # what may end a turn
_TOOL_RESULT_ROLES = frozenset({"tool", "tool_response"})
_HERMES = frozenset({"qwen", "qwen2_5"})  # templates of ChatML whose calls are written as hermes.py does
_NEXT_QUESTION = "<|im_end|>\n<|im_start|>user\n"  # between a question and a result that no call precedes
_EARLIEST, _LATEST = dt.datetime(1677, 9, 21, 0, 12, 44), dt.datetime(2262, 4, 11, 23, 47, 16)  # noqa: DTZ001
_PAIRS = ("dpo", "orpo", "simpo", "cpo")  # rows take one way, in which only the default of loss_scale differs
_ANSWERING = ("assistant", "tool_call")
_OF_EMBEDDINGS = ("positive_messages", "negative_messages")
_UNASKED = "{{QUERY}}"
_OF_JSON = ("messages", "rejected_messages")  # columns that its loader keeps as JSON, beside tools
_BATCH = 1000  # rows that its loader takes at once (core.py:361)
_STANDARD = {"tool_call": "assistant", "tool_response": "tool"}


class MsSwift(Settings):
    """The arguments of `swift sft` and `swift rlhf` that decide what becomes of a row.

    `loss_scale` is by default that of the mode: `default` for sft and orpo, `last_round` for the others.
    `truncation_strategy` is by default `left` for grpo, and `delete` for the others.
    """

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = None
    truncation_strategy: Literal["delete", "left", "right", "split"] | None = None
    strict: bool = False
    disable_auto_column_mapping: bool = False
    loss_scale: str | None = None
    template: str | None = None
    data_seed: int = 42


def read(record: Any, settings: MsSwift, seen: Seen, mode: str) -> RowOutcome:
    """The fates of a record: first the loader's, then the encoder's."""
    if not isinstance(record, dict):
        return RowOutcome((Fate("not_an_object", None, type_of(record)),))
    try:
        row, notes = loaded_row(record, seen, renaming=not settings.disable_auto_column_mapping)
    except StopRow as stop:
        return RowOutcome((_deleted(stop.fate, settings),))
    except Exception as error:  # noqa: BLE001 - the loader, too, deletes a row whatever goes wrong with it
        return RowOutcome((_deleted(Fate("not_loadable", None, type(error).__name__), settings),))
    if row is None:
        return RowOutcome((*notes, Fate("no_messages", "messages")))
    try:
        notes += _answer_notes(row) if mode == "kto" else ()
        return _encoded(row, notes, settings, mode)
    except StopRow as stop:
        return RowOutcome((*notes, stop.fate))
    except Exception as error:  # noqa: BLE001 - the encoder, too, passes over a row whatever goes wrong with it
        return RowOutcome((*notes, Fate("not_encodable", None, type(error).__name__)))


def _deleted(fate: Fate, settings: MsSwift) -> Fate:
    return Fate("strict_stop", fate.where, fate.reason) if settings.strict else fate


def _encoded(row: Row, notes: tuple[Fate, ...], to: MsSwift, mode: str) -> RowOutcome:
    """What the encoder demands, and what is trained."""
    row, changed = _through_json(row)
    messages, lost = _without_numbers(row["messages"], mode)
    notes += changed + lost + _beside_text(row, messages)
    _demand_encodable(row, messages, mode)
    tools = given(row.get("tools")) or None
    if mode == "grpo" and messages[-1]["role"] == "assistant":  # it is taken away before the encoder sees the row
        messages = messages[:-1]
    demand(messages, row.get("tools"))
    said = ((number, message["content"]) for number, message in enumerate(messages) if message["role"] == "assistant")
    ready = next((number for number, content in said if has_ids(content)), None)
    if ready is not None:
        return RowOutcome((*notes, Fate("tokens_given", f"messages[{ready}].content")))
    messages, respelt = _system_as_text(messages, with_tools=bool(tools))
    last = f"messages[{len(messages) - 1}]"
    notes += respelt + _ended(_last_text(messages[-1]), last)
    notes += () if to.template in _HERMES else _result_alone(messages)
    shown, weights = _joined(_shown_all(messages, to), _weights(messages))
    answered = messages[-1]["role"] in _ANSWERING
    if mode == "grpo":
        return RowOutcome(notes + fate_if(answered, "two_answers", last), Trained("sampled", prompt=shown, tools=tools))
    notes += fate_if(not answered, "no_answer", "messages") + _masked(messages) + _joined_unlike(messages)
    notes += () if to.template in _HERMES else _called_in_words(messages)
    loss = _loss(to, mode)
    if mode in _PAIRS:
        notes += _rejected_notes(row, messages, loss)
        return RowOutcome(notes, _pair(row, shown, tools, to, loss, weights))
    label = bool(row.get("label")) if mode == "kto" else None
    if mode == "kto" and loss == "last_turn":
        trained = Trained("completion", prompt=shown[:-1], response=shown[-1:], label=label, tools=tools)
    else:
        trained = _trained(shown, weights, loss, answered=answered)
        trained = trained._replace(tools=tools, open_end=not answered, label=label)
    return RowOutcome(notes, trained)


def _beside_text(row: Row, messages: list[Row]) -> tuple[Fate, ...]:
    """What the row holds that is no text of a conversation."""
    other = next((name for name in _OF_EMBEDDINGS if row.get(name) not in (None, [])), None)
    return fate_if(_has_media(row, messages), "media_of_row") + fate_if(other, "messages_of_embeddings", other)


def _demand_encodable(row: Row, messages: list[Row], mode: str) -> None:
    """Raise StopRow where the encoder raises before it looks at what was said."""
    if mode == "kto":
        _demand_labelled(row, messages)
    for number, message in enumerate(messages[1:], 1):
        if message["role"] == "system":
            raise StopRow("system_in_middle", f"messages[{number}].role")
    arguments = row.get("chat_template_kwargs")
    if arguments and not isinstance(arguments, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", type_of(arguments))


def _system_as_text(messages: list[Row], *, with_tools: bool) -> tuple[list[Row], tuple[Fate, ...]]:
    """The messages with a system prompt that is a text, and what was made one: nothing, or an object beside tools."""
    role, content = messages[0]["role"], messages[0]["content"]
    if role != "system" or (content and (isinstance(content, str) or not with_tools)):
        return messages, ()
    spelt = with_tools and content and not isinstance(content, str)
    note = Fate("system_spelt" if spelt else "system_empty", "messages[0].content")
    return [{**messages[0], "content": str(content) if content else ""}, *messages[1:]], (note,)


def _trained(shown: list[Row], weights: list[bool | None], loss: Loss, *, answered: bool) -> Trained:
    """Which messages are trained, and with which weights where the row gives some."""
    weighted = any(weight is not None for weight in weights)
    by_row = (loss == "last_turn" and not answered) or (loss in ("assistant", "last_turn") and weighted)
    if not by_row:
        return Trained(loss, shown)
    first = len(shown) - 1 if loss == "last_turn" else 0
    answers = (message["role"] == "assistant" and number >= first for number, message in enumerate(shown))
    by_message = tuple(float(by if said is None else said) for said, by in zip(weights, answers, strict=True))
    return Trained("weights", shown, weights=by_message)


def _through_json(row: Row) -> tuple[Row, tuple[Fate, ...]]:
    """The row as it comes out of the columns that the loader keeps as JSON, and what that changed."""
    stored = {**row, "tools": _stored_tools(row.get("tools"))}
    stored |= {name: _stored(row[name]) for name in _OF_JSON if name in row}
    if any(_too_big(stored.get(name)) for name in _OF_JSON):
        raise StopRow("number_too_big", "messages")
    unlike = (name for name in (*_OF_JSON, "tools") if _unlike(row.get(name)) or _unlike(stored.get(name)))
    return stored, tuple(Fate("fraction_changed", name) for name in islice(unlike, 1))


def _loss(to: MsSwift, mode: str) -> Loss:
    """Which answers are trained: of a pair by default the last, but by ORPO all (arguments/rlhf_args.py:302)."""
    scale = to.loss_scale or ("default" if mode in ("sft", "orpo") else "last_round")
    strategy = scale.partition("+")[0]
    return "all" if strategy == "all" else "last_turn" if strategy == "last_round" else "assistant"


def _rejected_notes(row: Row, messages: list[Row], loss: Loss) -> tuple[Fate, ...]:
    """What stands out in the rejected side of a pair. Raises StopRow where the encoder raises."""
    _demand_rejected(row, messages)
    other = row.get("rejected_messages")
    nothing = "rejected_messages" in row and other is None and row.get("rejected_response") is None
    notes = fate_if(nothing, "rejected_is_chosen", "rejected_messages")
    apart = isinstance(other, list) and other[:-1] != messages[:-1]
    notes += fate_if(apart, "two_prompts", "rejected_messages")
    notes += fate_if(_replaces_more(row, messages), "two_prompts", "rejected_response")
    without = isinstance(other, list) and given(row.get("tools"))
    notes += fate_if(without, "rejected_without_tools", "tools")
    last = other[-1] if isinstance(other, list) else {"role": "assistant", "content": ""}
    unanswered = last.get("role") not in _ANSWERING or last.get("content") is None
    notes += fate_if(unanswered, "no_answer", "rejected_messages")
    notes += fate_if(row.get("rejected_response") == [], "no_answer", "rejected_response")
    notes += _also_trained(messages[:-1], other[:-1] if isinstance(other, list) else messages[:-1], loss)
    told = row.get("rejected_response")
    notes += _ended(told[-1].get("content") if isinstance(told, list) and told else told, "rejected_response")
    return notes + (_ended(other[-1].get("content"), "rejected_messages") if isinstance(other, list) else ())


def _has_media(row: Row, messages: list[Row]) -> bool:
    """Whether columns or parts of contents say that there is more than text."""
    contents = (message["content"] for message in messages if isinstance(message["content"], list))
    kinds = {part.get("type") for content in contents for part in content if isinstance(part, dict)}
    return any(row.get(key) not in (None, []) for key in MEDIA.values()) or bool(kinds - {"text", None})


def _stored(value: Any) -> Any:
    """As it comes out of the JSON columns that the loader keeps: a date is its milliseconds, 0.3 is no longer 0.3.

    Written and read twice: -1e-11 is -0.0 the first time, and 0.0 the second.
    """
    if isinstance(value, int | float):
        return as_written(as_written(value))
    if isinstance(value, dt.datetime):
        if not _EARLIEST <= value.replace(tzinfo=None) <= _LATEST:
            raise StopRow("date_out_of_range")
        return int(value.replace(tzinfo=dt.UTC).timestamp() * 1000)
    if isinstance(value, list):
        return [_stored(each) for each in value]
    return {key: _stored(each) for key, each in value.items()} if isinstance(value, dict) else value


def _too_big(value: Any) -> bool:
    """Whether a whole number is one that the columns' reader refuses: then it gives the texts of the whole batch."""
    if isinstance(value, dict | list):
        return any(map(_too_big, value.values() if isinstance(value, dict) else value))
    try:
        return isinstance(value, int) and not isinstance(value, bool) and whole(str(value)) is None
    except ValueError:
        return True


def _unlike(value: Any) -> bool:
    """Whether a number is, or comes out as, another one than what is written of it."""
    if isinstance(value, dict | list):
        return any(map(_unlike, value.values() if isinstance(value, dict) else value))
    if isinstance(value, int):
        return bool(as_written(value) != value)
    return isinstance(value, float) and not value == as_written(value) == json.loads(written(value))


def _stored_tools(tools: Any) -> list[Any] | None:
    """Tools as a list of such columns' values, from text that is JSON as well (`_normalize_tools`)."""
    if tools is None:
        return None
    listed = json_or_text(tools) if isinstance(tools, str) else tools
    stored: list[Any] = _stored(listed if isinstance(listed, list) else [listed])
    return stored


def _without_numbers(messages: list[Row], mode: str) -> tuple[list[Row], tuple[Fate, ...]]:
    """What is asked where a content was NaN or Infinity, which the columns of JSON keep as null.

    Only GRPO gets there: before the others encode, the preprocessor looks at the contents again (core.py:102). Its
    template puts a question in the place of {{QUERY}} only where there is one (base.py:964).
    """
    nulls = [number for number, message in enumerate(messages) if message["content"] is None]
    if not nulls:
        return messages, ()
    where = f"messages[{nulls[0]}].content"
    asked = [message["role"] == "user" for message in messages]
    beside = any(messages[n]["content"] is None or messages[n + 1]["content"] is None
                 for n, both in enumerate(pairwise(asked)) if all(both))  # fmt: skip
    if mode != "grpo" or beside:
        raise StopRow("content_null", where)
    made = [{**message, "content": _UNASKED} if said and message["content"] is None else message
            for message, said in zip(messages, asked, strict=True)]  # fmt: skip
    first = int(made[0]["role"] == "system" and made[0]["content"] is None)
    return made[first:], (Fate("number_lost", where),)


def _weights(messages: list[Row]) -> list[bool | None]:
    """Whether each message is trained, where that is said of it (loss_scale/base.py) or it is an empty answer."""
    last = len(messages) - 1
    said: list[bool | None] = []
    for number, message in enumerate(messages):
        empty = message["role"] == "assistant" and text_of_content(message["content"]) == "" and number < last
        known = empty or message.get("loss") is not None or message.get("loss_scale") is not None
        said.append(message["role"] in _ANSWERING and not _muted(message) and not empty if known else None)
    return said


def _muted(message: Row) -> bool:
    """Whether a message says that it is not to be trained: by its loss, or by a weight of 0."""
    loss, weight = message.get("loss"), message.get("loss_scale")
    return (loss is not None and not loss) or (isinstance(weight, int | float) and weight == 0)


def _joined(messages: list[Row], weights: list[bool | None]) -> tuple[list[Row], list[bool | None]]:
    """Neighbours of one side put together, as `_swift_prepare_inputs` does (base.py:1316); the first weight counts."""
    made: list[Row] = []
    kept: list[bool | None] = []
    for message, weight in zip(messages, weights, strict=True):
        before = made[-1] if made else {}
        texts = [before.get("content"), message["content"]]
        together = message["role"] == before.get("role") and message["role"] in ("user", "assistant")
        if not together or not all(isinstance(text, str) for text in texts):
            made.append(message)
            kept.append(weight)
            continue
        calls = [*before.get("tool_calls", ()), *message.get("tool_calls", ())]
        made[-1] = {**before, "content": "".join(texts), **({"tool_calls": calls} if calls else {})}
    first = int(bool(made) and made[0]["role"] == "system")
    if first < len(made) and made[first]["role"] == "assistant":  # an empty question is put before it
        made.insert(first, {"role": "user", "content": ""})
        kept.insert(first, None)
    return made, kept


def _masked(messages: list[Row]) -> tuple[Fate, ...]:
    return tuple(
        Fate("message_masked", f"messages[{number}].loss")
        for number, message in enumerate(messages)
        if _muted(message) and message["role"] in _ANSWERING
    )


def _joined_unlike(messages: list[Row]) -> tuple[Fate, ...]:
    """The first of two neighbouring answers of which one is not to be trained."""
    for number, (message, after) in enumerate(pairwise(messages)):
        both = all(each["role"] in _ANSWERING for each in (message, after))
        if both and _muted(message) != _muted(after):
            return (Fate("joined_unlike", f"messages[{number}].loss"),)
    return ()


def _last_text(message: Row) -> Any:
    """The text of a message; of a tool's result, whose lists are no parts, none."""
    return "" if message["role"] in _TOOL_RESULT_ROLES else text_of_content(message["content"])


def _ended(text: Any, where: str) -> tuple[Fate, ...]:
    return fate_if(isinstance(text, str) and _END.search(text), "end_in_answer", where)


def _also_trained(earlier: list[Row], others: list[Row], loss: Loss) -> tuple[Fate, ...]:
    """The first of a pair's earlier answers that says whether it is to be trained, in a way that is not told here.

    Where all answers are trained: on one side of the pair otherwise than on the other.
    """
    answers = [(n, each) for n, each in enumerate(others) if each.get("role") in _ANSWERING]
    if loss == "assistant":
        ours = [_muted(each) for each in earlier]
        said = (n for n, each in answers if ours[n : n + 1] != [_muted(each)])
    else:
        said = (n for n, each in answers if each.get("loss") or (n < len(earlier) and earlier[n].get("loss")))
    return tuple(Fate("earlier_trained", f"messages[{n}].loss") for n in islice(said, 1))


def _result_alone(messages: list[Row]) -> tuple[Fate, ...]:
    """The first result of a tool that stands behind a question: it is put into the question."""
    for number, (message, after) in enumerate(pairwise(messages), 1):
        if message["role"] == "user" and after["role"] in _TOOL_RESULT_ROLES:
            return (Fate("result_behind_question", f"messages[{number}].role"),)
    return ()


def _called_in_words(messages: list[Row]) -> tuple[Fate, ...]:
    """The first answer of words that a call follows at once."""
    for number, (message, after) in enumerate(pairwise(messages)):
        if message["role"] == "assistant" and message["content"] and after["role"] == "tool_call":
            return (Fate("call_behind_words", f"messages[{number}]"),)
    return ()


def _answer_notes(row: Row) -> tuple[Fate, ...]:
    """KTO's own step writes each answer into a row drawn beside this one, also those that the encoder refuses."""
    messages = row["messages"]
    answer = _stored(messages[-1]["content"])
    odd = messages[-1]["role"] == "assistant" and not isinstance(answer, str)
    return fate_if(odd, "answer_no_text", f"messages[{len(messages) - 1}].content", type_of(answer))


def _demand_labelled(row: Row, messages: list[Row]) -> None:
    """What KTO's own step looks at before the encoder."""
    label, last = row.get("label"), messages[-1]
    if last["role"] != "assistant":
        raise StopRow("last_not_answer", f"messages[{len(messages) - 1}].role", role_said(last["role"]))
    if not isinstance(label, bool | int | float):
        raise StopRow("label_missing", "label", type_of(label))


def _demand_rejected(row: Row, messages: list[Row]) -> None:
    """What the encoder demands of the rejected side (`_compat_rejected_response`, template_inputs.py:220)."""
    rejected = row.get("rejected_response")
    if not isinstance(rejected, str | list | None):
        raise StopRow("no_rejected", "rejected_response", type_of(rejected))
    if isinstance(rejected, list):
        for message in rejected:
            if not isinstance(message, dict) or message.get("role") in (None, "user") or "content" not in message:
                raise StopRow("no_rejected", "rejected_response", type_of(message))
        last = max((n for n, message in enumerate(messages) if message["role"] == "user"), default=-1) + 1
        answers = [message["content"] for message in messages[last:]]
        if len(answers) == 1 and answers == [message["content"] for message in rejected]:
            raise StopRow("rejected_equal", "rejected_response")
        demand([*messages[:last], *rejected], row.get("tools"))
    elif isinstance(row.get("rejected_messages"), list) and row["rejected_messages"]:
        demand(_spoken(row["rejected_messages"]), row.get("tools"))


def _spoken(messages: list[Row]) -> list[Row]:
    """Messages without a last answer of null, which only the chosen side may not have; without the key it stays."""
    last = messages[-1]
    silent = len(messages) > 1 and last.get("role") == "assistant" and last.get("content", "") is None
    return messages[:-1] if silent else messages


def _lost_beside(records: Sequence[Any], to: MsSwift, seen: Seen, mode: str) -> set[int]:
    """Rows that are left out for what other rows are: of a batch with a number that is too big, or for the KL term."""
    lost = _lost_for_kl(records, to, seen) if mode == "kto" else set()
    for start in range(0, len(records), _BATCH):
        batch = range(start, min(start + _BATCH, len(records)))
        if any(read(records[n], to, seen, mode).fates[-1:] == (Fate("number_too_big", "messages"),) for n in batch):
            lost |= set(batch)
    return lost


def _lost_for_kl(records: Sequence[Any], to: MsSwift, seen: Seen) -> set[int]:
    """KTO: rows whose answer for the KL term, that of another row, is their own or cannot be encoded with them.

    Answers are drawn from all rows that the loader keeps, also those that the encoder refuses (pipelines/train/kto.py).
    """
    loaded: dict[int, Row] = {}
    for number, record in enumerate(records):
        with suppress(Exception):  # whatever goes wrong with it, the loader deletes it
            row, _ = loaded_row(record, seen, renaming=not to.disable_auto_column_mapping)
            if row is not None:
                loaded[number] = {**row, "messages": _stored(row["messages"])}
    answers = {number: row["messages"][-1]["content"] for number, row in loaded.items()}
    batches = [*drawn_for_kl(list(loaded), to.data_seed)]
    of_texts = bool(batches) and _kinds(batches[0], answers) == {str}
    lost: set[int] = set()
    for batch in batches:
        mixed = of_texts and len(_kinds(batch, answers)) > 1
        for number, other in batch:
            drawn = answers[other]
            if mixed and not isinstance(drawn, str | None):
                drawn = json.dumps(drawn, ensure_ascii=False)
            lost |= {number} if _kl_refused(loaded[number], drawn) else set()
    return lost


def _kinds(batch: Sequence[tuple[int, int]], answers: Mapping[int, Any]) -> set[type]:
    """Of what kinds the answers are that a batch draws, null aside.

    The first batch types the column (datasets' arrow_writer.py:698): in one of texts, what is none and stands beside
    texts in its batch becomes JSON.
    """
    return {type(answers[other]) for _, other in batch} - {type(None)}


def _kl_refused(row: Row, drawn: Any) -> bool:
    messages = row["messages"]
    if isinstance(drawn, str):
        return bool(drawn == messages[-1]["content"])
    try:
        _demand_rejected({**row, "rejected_response": drawn}, messages)
    except Exception:  # noqa: BLE001 - the encoder, too, passes over a row whatever goes wrong with it
        return True
    return False


def _replaces_more(row: Row, messages: list[Row]) -> bool:
    """Whether rejected_response stands for more than the last answer: all behind the last question, or the system."""
    roles = [message["role"] for message in messages]
    behind = roles[len(roles) - roles[::-1].index("user") :] if "user" in roles else roles
    return row.get("rejected_response") is not None and bool({*_TOOL_RESULT_ROLES, "system"} & set(behind))


def _pair(
    row: Row, messages: list[Row], tools: list[Any] | None, to: MsSwift, loss: Loss, weights: list[bool | None]
) -> Trained:
    """Chosen and rejected from the last question on; `rejected_response` takes the place of the last answer."""
    of: Loss = "completion" if loss == "last_turn" else loss
    last = max((n for n, message in enumerate(messages) if message["role"] in ("user", "tool")), default=-1) + 1
    other = row.get("rejected_messages")
    if isinstance(other, list):
        other = _spoken(other)
        rejected = _joined(_shown_all(other, to), [None] * len(other))[0][last:]
    elif isinstance(row.get("rejected_response"), str):
        rejected = [{"role": "assistant", "content": row["rejected_response"]}]
    elif isinstance(row.get("rejected_response"), list):
        rejected = row["rejected_response"]
    elif "rejected_messages" in row:  # a column with nothing in it: what is missing comes from the chosen side
        rejected = messages[last:]
    else:
        raise StopRow("no_rejected", "rejected_response")
    trained = Trained(of, prompt=messages[:last], chosen=messages[last:], rejected=rejected, tools=tools)
    if loss == "assistant" and any(weight is not None for weight in weights[:last]):
        told = tuple(
            float(each["role"] == "assistant" if weight is None else weight)
            for each, weight in zip(messages[:last], weights, strict=False)
        )
        return trained._replace(loss="weights", weights=told)
    return trained


def _shown_all(messages: list[Row], to: MsSwift) -> list[Row]:
    """Messages in standard roles; calls, and results behind a question, as the template writes them where it is known.

    `_joined` puts neighbours together: nothing stands between words and a call, a line break between calls.
    """
    made = [_shown(message) for message in messages]
    if to.template not in _HERMES:
        return made
    for at, message in enumerate(messages):
        before, shown_as = messages[at - 1]["role"] if at else None, made[at]
        if "tool_calls" in shown_as:
            line = "\n" if before == "tool_call" else ""
            made[at] = {"role": "assistant", "content": line + _called(shown_as["tool_calls"][0]["function"])}
        elif message["role"] in _TOOL_RESULT_ROLES and at and made[at - 1]["role"] == "user":
            start = _NEXT_QUESTION if before == "user" else "\n"
            result = f"{start}<tool_response>\n{shown_as['content']}\n</tool_response>"
            made[at] = {"role": "user", "content": result}
    return made


def _called(function: Row) -> str:
    return f"<tool_call>\n{json.dumps(function, ensure_ascii=False)}\n</tool_call>"


def _shown(message: Row) -> Row:
    """A message in standard roles; calls that can be read as calls."""
    role, content = message["role"], message["content"]
    call = parsed(content) if role == "tool_call" else None
    if isinstance(call, dict) and "name" in call:
        given_to = call.get("arguments")
        function = {"name": call["name"], "arguments": parsed(call.get("parameters") if given_to is None else given_to)}
        return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}
    if role in ("tool", "tool_response") and not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    return {"role": _STANDARD.get(role, role), "content": text_of_content(content)}


def _cut(to: MsSwift, mode: str) -> Cut:
    strategy = to.truncation_strategy or ("left" if mode == "grpo" else "delete")
    if strategy == "split":
        return Cut()
    if strategy == "delete":
        return Cut(to.max_length, "drop")
    how: Literal["keep_end", "keep_start"] = "keep_end" if strategy == "left" else "keep_start"
    return Cut(to.max_length, how, reason="too_long_cut")


def _before(to: MsSwift, seen: Seen, mode: str) -> tuple[Fate, ...]:
    refused = ("split", "right") if mode == "grpo" else ("split",)
    wrong = fate_if(to.truncation_strategy in refused, "truncation_refused", "truncation_strategy")
    unread = fate_if(seen.not_loadable is not None, "file_not_loadable", None, seen.not_loadable)
    lower = Counter(column.lower() for column in seen.columns)
    twice = [name for name in sorted(lower) if lower[name] > 1 and name in RENAMED_COLUMNS]
    return (*wrong, *unread, *fate_if(twice and not to.disable_auto_column_mapping, "columns_by_case", *twice[:1]))


def _mode(name: str) -> Mode:
    return _TWINS.mode(
        name,
        "all",
        settings=MsSwift,
        read=partial(read, mode=name),
        cut=partial(_cut, mode=name),
        run_here=True,
        roles={
            "user": ("user", "human"),
            "assistant": ("assistant", "gpt", "bot", "tool_call", "function_call"),
            "tool": ("tool", "tool_response", "function_response", "observation", "observations"),
            "system": ("system",),
        },
        role_rules=frozenset({"unknown_role", "system_in_middle", "no_answer"}),
        tolerates=frozenset({"wrong_order"}),  # consecutive messages of one side are put together (base.py:1316)
        before=partial(_before, mode=name),
        pieces=True,
        rendered_with=without_marks,
        typed="datasets 4.8",
        probe="ms_swift",
        tool_arguments="any",  # text is loaded, and its own templates print calls
        lost_beside=partial(_lost_beside, mode=name),
    )


MODES = {name: _mode(name) for name in ("sft", *_PAIRS, "kto", "grpo")}
