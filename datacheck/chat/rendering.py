"""From conversations to the texts that a trainer tokenizes, and what of them is trained."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from types import MappingProxyType
from typing import Any, NamedTuple

from datacheck.chat.apart import answer_requests, answer_text
from datacheck.chat.child import Renderer, RenderRequest, Reply
from datacheck.chat.conversations import Conversation
from datacheck.chat.cut_out import CUT_OUT, cut_requests, cut_texts, is_left_out, put_together
from datacheck.chat.found_markers import found_markers, has_marks
from datacheck.chat.located import located_requests, located_stretches
from datacheck.chat.sample import Fault, answer_place
from datacheck.chat.shared import shared_prompt, shared_requests
from datacheck.chat.template import Spans
from datacheck.chat.tokenizer import Tokenizer
from datacheck.chat.turns import turn_requests, turn_texts
from datacheck.i18n.message import Message

_EACH_ALONE = ("turns", "turns_alone")
AFTER_PROMPT = ("completion", "assistant_of_completion")
_UNMARKED: Mapping[str, Any] = {"assistant": "all", "assistant_of_completion": "completion"}
_NO_END = Message("the tokenizer has no end token")
_NO_ANSWER = Message("nothing is left of the prompt or of the answer")
_NOT_CONTINUED = Message("the template does not show the end of the prompt's last answer")
_NO_SUCH_TOKEN = Message("the trainer's template names a token that the vocabulary lacks")
NO_TEMPLATE = Message("the tokenizer has no chat template")


class Work(NamedTuple):
    """A conversation, its rendered text, and the text of its prompt (or of its turns) where the mask needs it."""

    conversation: Conversation
    text: str
    prompt: str | None = None
    spans: Spans | tuple[()] = ()
    answers: Spans | tuple[()] = ()  # trained or not
    by: str | None = None
    fault: Fault | None = None
    error: Message | None = None
    turns: tuple[str, ...] = ()  # see `turn_texts`
    pieces: tuple[str, ...] = ()  # of a trainer's own template: what is tokenized apart
    counts: tuple[int, ...] = ()  # how many of them are a question, an answer, a question, …
    left_out: bool = False  # see `is_left_out`
    parted: bool = False  # what was cut off as the prompt does not begin the whole
    stretches: Mapping[int, tuple[int, int]] = MappingProxyType({})  # see `located_stretches`
    answer: str = ""  # of one that is rendered alone: without the end token
    called: bool = False  # a call of the tokenizer adds what it adds to any text


def rendered(source: Iterator[Conversation], tokenizer: Tokenizer, renderer: Renderer | None) -> Iterator[Work]:
    """Yield the texts of each conversation, in order; without a renderer those of messages have a fault instead."""
    template = renderer.source if renderer is not None else ""
    for work in _rendered(_with_markers(source, tokenizer, renderer), tokenizer, renderer):
        yield work._replace(called=_is_called(work, tokenizer.special.get("bos_token", ""), template))


def _with_markers(
    source: Iterator[Conversation], tokenizer: Tokenizer, renderer: Renderer | None
) -> Iterator[Conversation]:
    """Conversations with the markers that their trainer finds where nobody names them."""
    for conversation in source:
        markers = conversation.markers
        if markers is None or (markers.asked and not markers.instead):
            yield conversation
        elif renderer is not None and markers.instead and has_marks(renderer.source):
            yield conversation._replace(markers=None)
        else:
            asked, answer = _found(tokenizer, renderer, instead=markers.instead)
            loss = _UNMARKED.get(conversation.loss, conversation.loss) if markers.instead else conversation.loss
            yield conversation._replace(loss=loss, markers=markers._replace(asked=asked, answer=answer))


def _found(tokenizer: Tokenizer, renderer: Renderer | None, *, instead: bool) -> tuple[str, str]:
    """Two markers; empty ones, which have no tokens, where none are found."""
    key = (renderer and renderer.source, instead)
    if key not in tokenizer.markers:
        found = None
        if renderer is not None:
            probe = Renderer(renderer.sources, renderer.special, renderer.name, now=renderer.now)
            with probe:

                def render(messages: Sequence[dict[str, Any]], opened: bool) -> str | None:
                    (reply,) = probe.render([RenderRequest(messages, prompt=opened, spans=False)])
                    return None if reply.fault else reply.text

                found = found_markers(tokenizer, renderer.source, render, harmony=instead)
        tokenizer.markers[key] = found or ("", "")
    asked, answer = tokenizer.markers[key]
    return asked, answer


def _is_called(work: Work, bos: str, template: str) -> bool:
    """Whether the text gets what a call of the tokenizer adds."""
    conversation = work.conversation
    if conversation.called != "once":
        return bool(conversation.called) and conversation.messages is None
    opening = work.text if conversation.opening is None else conversation.opening
    return not (bos and (opening.startswith(bos) or bos in template))


def _rendered(source: Iterator[Conversation], tokenizer: Tokenizer, renderer: Renderer | None) -> Iterator[Work]:
    waiting: list[Conversation] = []  # those whose replies have not come yet

    def requests() -> Iterator[RenderRequest]:
        for conversation in source:
            waiting.append(conversation)
            yield from _requests(conversation)

    replies = iter(renderer.render(requests())) if renderer else iter(())
    # Requests are drawn batch by batch; plain texts between them wait for the next reply or the end.
    eos = tokenizer.special.get("eos_token", "")
    if renderer is None:
        for conversation in source:
            own = conversation.written is not None
            yield _own(conversation, tokenizer) if own else _no_template(conversation, eos)
        return
    for reply in replies:
        while not _to_render(waiting[0]):
            yield _plain(waiting.pop(0), eos)
        conversation = waiting.pop(0)
        more = len(list(_requests(conversation))) - 1
        yield _from_replies(conversation, eos, reply, *islice(replies, more))
    for conversation in waiting:
        yield _plain(conversation, eos)


def _to_render(conversation: Conversation) -> bool:
    return conversation.messages is not None


def _own(conversation: Conversation, tokenizer: Tokenizer) -> Work:
    """What a trainer with templates of its own makes of it, piece by piece."""
    special = {name: tokenizer.special.get(f"{name}_token", "") for name in ("bos", "eos")}
    written = conversation.written
    named = {text for turn in written.turns for part in turn for kind, text in part if kind == "token"}
    if any(tokenizer.backend.token_to_id(name) is None for name in named):
        return Work(conversation, "", fault=Fault("not_encodable", None, _NO_SUCH_TOKEN))
    parts = [[special.get(kind, text) for kind, text in part] for turn in written.turns for part in turn]
    parts += [[special["eos"]]] if written.late_end else []
    texts = ["".join(part) for part in parts]
    ends = list(accumulate(map(len, texts)))
    answers = [(ends[at - 1], ends[at]) for at in range(1, len(texts), 2)]
    pieces = tuple(piece for part in parts for piece in part if piece)
    counts = tuple(sum(map(bool, part)) for part in parts)
    spans = [(0, ends[-1])] if conversation.loss == "all" else _spans(conversation, answers)
    return Work(conversation, "".join(texts), spans=spans, by="own", pieces=pieces, counts=counts)


def _prompted(conversation: Conversation) -> bool:
    return conversation.loss in AFTER_PROMPT


def _requests(conversation: Conversation) -> Iterator[RenderRequest]:
    """What to render: the whole; for the loss on completions the prompt, too."""
    if conversation.messages is None:
        return
    messages, tools, extra = conversation.messages, conversation.tools, conversation.extra
    if conversation.loss in CUT_OUT:
        yield from cut_requests(conversation)
        return
    if conversation.loss == "located":
        yield from located_requests(conversation)
        return
    if conversation.loss == "answer_alone":
        yield from answer_requests(conversation)
        return
    if conversation.loss == "shared":
        yield from shared_requests(conversation)
        return
    if conversation.loss in ("assistant", "weights", "last_turn"):
        yield RenderRequest(messages, tools, extra, prompt=conversation.open_end)
        return
    spans = conversation.loss == "assistant_of_completion"
    yield RenderRequest(
        messages, tools, extra, prompt=conversation.open_end or conversation.loss == "sampled", spans=spans
    )
    if conversation.loss in _EACH_ALONE:
        yield from turn_requests(messages, tools, extra)
    if _prompted(conversation):
        asked = messages[: conversation.answers]
        yield RenderRequest(asked, tools, extra, prompt=not conversation.unopened, spans=False)


def _no_template(conversation: Conversation, eos: str) -> Work:
    if conversation.messages is None:
        return _plain(conversation, eos)
    return Work(conversation, "", fault=Fault("no_template", None, NO_TEMPLATE))


def _plain(conversation: Conversation, eos: str) -> Work:
    """Prompt and answer put together; the end token follows an answer (as TRL adds it), and what is to be ended."""
    told, called = conversation.text, conversation.called
    if conversation.loss == "apart":
        return Work(conversation, "".join(text for text, _ in conversation.pieces), by="apart")
    if conversation.loss in CUT_OUT:
        return _cut_out(conversation, conversation.prompt, told, (), eos)
    if conversation.loss == "answer_alone":
        return answered_alone(conversation, eos, conversation.prompt, told)
    if conversation.loss == "shared":
        return Work(conversation, conversation.prompt + told, prompt=conversation.prompt, by="concatenation")
    ends = conversation.ended and (called == "once" or (not called and conversation.loss == "completion"))
    if (called == "ended" or ends) and not told.endswith(eos):
        told += eos
    if conversation.loss != "completion":
        by = "sampled" if conversation.loss == "sampled" else "all"
        return Work(conversation, conversation.prompt + told, by=by)
    return Work(conversation, conversation.prompt + told, prompt=conversation.prompt, by="concatenation")


def _cut_out(conversation: Conversation, prompt: str, answer: str, turns: tuple[str, ...], eos: str) -> Work:
    if not eos:
        return Work(conversation, "", fault=Fault("not_encodable", None, _NO_END))
    by = {"cut_outs": "prefix", "cut_whole": "all"}.get(conversation.loss, "concatenation")
    left_out = is_left_out(conversation, prompt, answer)
    text = put_together(prompt, answer, eos)
    return Work(conversation, text, prompt=prompt, by=by, turns=turns, left_out=left_out)


def _from_replies(conversation: Conversation, eos: str, reply: Reply, *more: Reply) -> Work:
    alone = conversation.loss in _EACH_ALONE
    for each in (reply, *more):
        if each.fault == "limit":
            return Work(conversation, "", error=each.message)
        if each.fault is not None and (each is reply or not alone):
            return Work(conversation, "", fault=_refused(conversation, each))
    if alone:
        return _turned(conversation, reply, more)
    if conversation.loss in CUT_OUT:
        prompted, answer, turns = cut_texts(reply, more)
        made = _cut_out(conversation, prompted, answer, turns, eos)
        return made._replace(parted=not reply.text.startswith(prompted))
    if conversation.loss == "located":
        return Work(conversation, reply.text, by="located", stretches=located_stretches(conversation, reply.text, more))
    if conversation.loss == "answer_alone":
        return answered_alone(conversation, eos, reply.text, answer_text(conversation, more[0].text))
    if conversation.loss == "shared":
        shared = shared_prompt(conversation, reply.text, *(each.text for each in more))
        if shared is None:
            return Work(conversation, "", fault=Fault("template_refused", "prompt", _NOT_CONTINUED))
        return Work(conversation, reply.text, prompt=shared, by="concatenation")
    prompt = more[0] if more else None
    by = None if _prompted(conversation) else reply.by
    by = by or ("concatenation" if _prompted(conversation) else "sampled" if conversation.loss == "sampled" else "all")
    answers = [(start, end) for start, end in reply.spans]
    spans = _spans(conversation, answers)
    return Work(conversation, reply.text, prompt.text if prompt else None, spans, answers, by)


def answered_alone(conversation: Conversation, eos: str, prompt: str, answer: str) -> Work:
    """Prompt and answer of a pair that are rendered apart, the end token behind the answer; a fault if one is empty."""
    if not prompt or not answer:
        return Work(conversation, "", fault=Fault("template_refused", answer_place(conversation), _NO_ANSWER))
    ended = answer if answer.endswith(eos) else answer + eos
    return Work(conversation, prompt + ended, prompt=prompt, by="concatenation", answer=answer)


def _turned(conversation: Conversation, reply: Reply, more: Sequence[Reply]) -> Work:
    match turn_texts(more):
        case (int(number), Reply(message=said)):
            where = conversation.places[number] if number >= 0 else None
            return Work(conversation, "", fault=Fault("turn_refused", where, said))
        case texts:
            return Work(conversation, reply.text, by="turns", turns=tuple(map(str, texts)))


def _refused(conversation: Conversation, reply: Reply) -> Fault:
    where = conversation.places[0].split("[")[0] if conversation.places else None
    return Fault("prefix_not_stable" if reply.fault == "unstable" else "template_refused", where, reply.message)


def _spans(conversation: Conversation, spans: Spans) -> Spans:
    """The spans to train: of all answers, of the last one, or of those with a weight."""
    if conversation.loss == "last_turn":
        return spans[-1:]
    answers = [n for n, m in enumerate(conversation.messages or ()) if m.get("role") == "assistant"]
    if conversation.loss == "weights" and conversation.weights and len(answers) == len(spans):
        return [span for number, span in zip(answers, spans, strict=True) if conversation.weights[number] > 0]
    return spans
