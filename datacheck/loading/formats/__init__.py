"""Which formats a record may have, judged by its keys; the readers then check the types.

The order is that of the reference notes on detection: the most specific key sets come first. A record
that no reader accepts is "unknown", never a guess.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from datacheck.loading.formats import answers, chat, instruct, preference
from datacheck.loading.formats.turns import Extract, Styles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Candidate", "Extract", "Styles", "candidates"]

# Keys that say that the record holds answers to choose from or tokens: no other format may claim it.
_OTHER = (
    frozenset({"input_ids"}),
    frozenset({"segments"}),
    frozenset({"prompt", "completions", "labels"}),
    frozenset({"output_1", "output_2"}),
    frozenset({"response1", "response2"}),
    frozenset({"answer1", "answer2"}),
    frozenset({"completion_a", "completion_b"}),
)
# A record with one of these is more than a prompt.
_ANSWERED = frozenset(
    {"completion", "completions", "response", "responses", "output", "outputs", "answer", "answers", "chosen",
     "rejected", "expected_text", "label", "labels", "target", "ground_truth"}
)  # fmt: skip
_PROMPTS = ("prompt", "conversations", "messages", "instruction", "question", "query", "input")


class Candidate(NamedTuple):
    """A format and the function that reads a record in it; the function returns None if the types do not fit."""

    format: str
    read: Callable[[dict[str, Any], Styles], Extract | None]


def candidates(keys: frozenset[str], wanted: str) -> tuple[Candidate, ...]:
    """Return the formats to try for records with these keys, in order; `wanted` is "auto" or one format."""
    if wanted == "auto" and any(other <= keys for other in _OTHER):
        return ()
    found = (*_preference(keys), *_chat(keys), *_completion(keys), *_choices(keys), *_instruct(keys), *_answers(keys),
             *_prompts(keys))  # fmt: skip
    if wanted == "auto":
        return tuple(found)
    return tuple(one for one in (*found, *_on_request(keys)) if one.format == wanted)


def _preference(keys: frozenset[str]) -> Iterator[Candidate]:
    for chosen, rejected in (
        ("preferred_output", "non_preferred_output"),
        ("preferred_completion", "non_preferred_completion"),
    ):
        if {"input", chosen, rejected} <= keys:
            yield Candidate("preference", partial(preference.read_openai, chosen=chosen, rejected=rejected))
    asked = next((key for key in ("prompt", "question") if key in keys), None)
    reward = next((key for key in ("reward_model", "reward_spec") if key in keys), None)
    if asked and reward:
        yield Candidate("rlvr", partial(answers.read_reward_model, prompt=asked, reward=reward))
    for chosen, rejected in (
        ("chosen_messages", "rejected_messages"),
        ("chosen", "rejected"),
        ("chosen_response", "rejected_response"),
    ):
        if {chosen, rejected} <= keys:
            prompt = next((key for key in _PROMPTS if key in keys), None)
            yield Candidate(
                "preference", partial(preference.read_pair, chosen=chosen, rejected=rejected, prompt=prompt)
            )
    if key := chat.conversation_key(keys):
        if "rejected_response" in keys:
            yield Candidate("preference", partial(preference.read_rejected_response, key=key))
        if "rejected_messages" in keys:  # ms-swift's
            pair = partial(preference.read_pair, chosen=key, rejected="rejected_messages", prompt=None)
            yield Candidate("preference", pair)
    if {"query", "response", "rejected_response"} <= keys:
        yield Candidate("preference", preference.read_rejected_query)


def _chat(keys: frozenset[str]) -> Iterator[Candidate]:
    key = chat.conversation_key(keys)
    if key is None:
        return
    if "ground_truth" in keys:
        yield Candidate("rlvr", partial(answers.read_verifiable, key=key, answer="ground_truth"))
    for gold in ("solution", "answer"):  # ms-swift's GRPO: columns beside a conversation that waits for its answer
        if gold in keys:
            yield Candidate("rlvr", partial(answers.read_verifiable, key=key, answer=gold, open_end=True))
    for label in ("label", "kto_tag"):
        if label in keys:
            yield Candidate("kto", partial(instruct.read_kto_messages, key=key, label=label))
    yield Candidate("messages", partial(chat.read_messages, key=key))
    yield Candidate("sharegpt", partial(chat.read_sharegpt, key=key))
    yield Candidate("messages" if key == "messages" else "sharegpt", partial(chat.read_empty, key=key))


def _completion(keys: frozenset[str]) -> Iterator[Candidate]:
    if {"prompt", "completion"} <= keys:
        for label in ("label", "kto_tag"):
            if label in keys:
                yield Candidate("kto", partial(instruct.read_kto, label=label))
        yield Candidate("prompt_completion", instruct.read_completion)
    elif {"prompt", "response"} <= keys:  # verl's and OpenRLHF's SFT data
        yield Candidate("prompt_completion", partial(instruct.read_completion, answer="response"))


def _choices(keys: frozenset[str]) -> Iterator[Candidate]:
    question = next((key for key in answers.QUESTIONS if key in keys), None)
    if question is None:
        return
    told = ("label", "answer", "Answer", "answerKey", "answer_key", "target", "output", "gold")
    for options in ("options", "choices"):
        if options in keys:
            yield Candidate(
                "multiple_choice",
                partial(answers.read_choices, question=question, options=options, answers=told),
            )
    if {"A", "B"} <= keys:
        yield Candidate("multiple_choice", partial(answers.read_choices, question=question, options=None, answers=told))


def _instruct(keys: frozenset[str]) -> Iterator[Candidate]:
    if {"question", "function"} <= keys:
        yield Candidate("prompt_only", instruct.read_bfcl)
    if "turns" in keys:
        yield Candidate("prompt_only", instruct.read_asked_turns)
    if {"instruction", "output"} <= keys:
        for label in ("label", "kto_tag"):
            if label in keys:
                yield Candidate("kto", partial(instruct.read_kto_alpaca, label=label))
        yield Candidate("alpaca", instruct.read_alpaca)
        yield Candidate("preference", preference.read_ranked_outputs)
    elif {"instruction", "response"} <= keys:  # GPTeacher's
        yield Candidate("alpaca", partial(instruct.read_alpaca, answer="response"))
    if {"query", "response"} <= keys:
        yield Candidate("prompt_completion", instruct.read_query)
    if keys == {"input", "output"}:
        yield Candidate("prompt_completion", instruct.read_rounds)
    if "text" in keys:
        yield Candidate("text", partial(instruct.read_text, key="text"))
    for key in ("response", "content"):
        if keys == {key}:
            yield Candidate("text", partial(instruct.read_text, key=key))


def _answers(keys: frozenset[str]) -> Iterator[Candidate]:
    if {"query", "tools", "answers"} <= keys:
        yield Candidate("prompt_completion", answers.read_calls)
    question = next((key for key in answers.QUESTIONS if key in keys), None)
    answer = next((key for key in answers.ANSWERS if key in keys), None)
    if question is None or answer is None:
        return
    yield Candidate("qa", partial(answers.read_qa, question=question, answer=answer))
    yield Candidate("rlvr", partial(answers.read_verifiable, key=question, answer=answer))


def _prompts(keys: frozenset[str]) -> Iterator[Candidate]:
    if "prompt" in keys and not keys & _ANSWERED:
        yield Candidate("prompt_only", instruct.read_prompt)
    if {"query", "api_list"} <= keys:
        yield Candidate("prompt_only", partial(instruct.read_prompt, key="query"))


def _on_request(keys: frozenset[str]) -> Iterator[Candidate]:
    """Formats that keys alone do not show, but that a contract may name."""
    for key in ("prompt", "query", "question", "problem", "instruction"):
        if key in keys:
            yield Candidate("prompt_only", partial(instruct.read_prompt, key=key))
            break
    if conversation := chat.conversation_key(keys):
        yield Candidate("prompt_only", partial(chat.read_prompt_messages, key=conversation))
    for key in ("content", "response"):
        if key in keys:
            yield Candidate("text", partial(instruct.read_text, key=key))
