"""From training examples to labelled tokens, with what is wrong in them: what the checks count and preview shows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from tokenizers import Encoding

from datacheck.chat.apart import WHOLE, Joined, answer_requests, answer_text, joined
from datacheck.chat.child import Renderer, RenderRequest, Reply
from datacheck.chat.conversations import Conversation
from datacheck.chat.cut_out import CUT_OUT, cut_labels, cut_requests, cut_texts, is_aligned, is_left_out, put_together
from datacheck.chat.located import located_labels, located_requests, located_stretches
from datacheck.chat.mask import by_spans, common_start, concatenation, kept, runs
from datacheck.chat.shared import shared_prompt, shared_requests, shared_tokens
from datacheck.chat.template import Spans, TemplateFault
from datacheck.chat.tokenizer import Tokenizer
from datacheck.chat.turns import Turned, of_turns, turn_requests, turn_texts
from datacheck.i18n.message import Message

_FIRST = {"chosen": "rejected", "chosen_messages": "rejected_messages", "chosen_response": "rejected_response"}
_EACH_ALONE = ("turns", "turns_alone")
_AFTER_PROMPT = ("completion", "assistant_of_completion")
_BATCH = 64  # rows whose texts are tokenized together, on all cores
_NO_END = Message("the tokenizer has no end token")
_NO_ANSWER = Message("nothing is left of the prompt or of the answer")
_NOT_SHARED = Message(
    "the tokens of the prompt are others before each answer of the pair, or the answer takes some away"
)
_NOT_CONTINUED = Message("the template does not show the end of the prompt's last answer")
_NO_SUCH_TOKEN = Message("the trainer's template names a token that the vocabulary lacks")
NO_TEMPLATE = Message("the tokenizer has no chat template")
Side = Literal["right", "left"]
Boundary = Literal["prompt", "parting", "parting_of_pair"]


class Fault(NamedTuple):
    """Something wrong with one example: a slug, the JSON path, and a sentence on it (or None)."""

    problem: str
    where: str | None = None
    said: Message | None = None


class Sample(NamedTuple):
    """One training example as tokens.

    text, ids, labels (1: TRAIN, 0: skip), encoding: before truncation; kept: what is left after it.
    by: how the mask was found: generation, prefix, concatenation, turns, located, apart, own (the trainer's
    template), all, sampled;
    None: nothing could be rendered.
    taught: places whose label is another token than the one that stands there.
    error: a limit of ours that was hit: nothing is known of this example.
    """

    conversation: Conversation
    text: str = ""
    ids: Sequence[int] = ()
    labels: Sequence[int] = ()
    encoding: Encoding | Turned | Joined | None = None
    kept: range | frozenset[int] = range(0)
    by: str | None = None
    faults: tuple[Fault, ...] = ()
    error: Message | None = None
    taught: Mapping[int, int] = MappingProxyType({})

    @property
    def turns(self) -> list[int]:
        """Tokens that are skipped, trained, skipped, …: an even number of them."""
        return _turns(self.labels)


@dataclass(frozen=True)
class SampleRun:
    """How the run reads its data.

    truncation: the side that is cut beyond `max_length`; keep: a trainer's own rule instead, from (prompt, answer)
    tokens turn by turn to those that are kept of each (the first ones), or None where the row is lost.
    boundary: where a completion begins: behind as many tokens as the prompt alone has; where the tokens of the prompt
    and of both part (TRL), of a pair where those of any of the two part.
    pieces: answers are tokenized apart from what is around them. last_first: turns are encoded from the last one on.
    spare: a row whose prompt leaves no more tokens than so many is left out ("cut_out", "answer_alone").
    least: a row of fewer tokens is left out. as_text: answers that are rendered alone are first cut as text.
    """

    tokenizer: Tokenizer
    max_length: int | None = None
    truncation: Side = "right"
    keep: Callable[[list[tuple[int, int]]], list[tuple[int, int]] | None] | None = None
    boundary: Boundary = "prompt"
    pieces: bool = False
    last_first: bool = False
    spare: int | None = None
    least: int = 0
    as_text: bool = False

    @property
    def boundary_of_pair(self) -> bool:
        """Whether the other answer of a pair decides too."""
        return self.keep is not None or self.boundary == "parting_of_pair"

    def kept(self, turns: Sequence[int], length: int, beside: int = 0) -> range | frozenset[int]:
        """The tokens that are left of a row.

        Args:
            turns: tokens of prompt, answer, prompt, …; looked at for a rule of `keep` only.
            length: tokens of the row.
            beside: of the other answer of a pair: shares are made for the longer one.

        """
        if length < self.least:
            return range(0)
        if self.keep is None or self.max_length is None:
            return kept(length, self.max_length, self.truncation)
        counted = [*turns[:-1], max(turns[-1], beside)] if turns else []
        counts = self.keep(list(zip(counted[::2], counted[1::2], strict=True)))
        left: set[int] = set()
        at = 0
        for of, count in zip(turns, (each for pair in counts or () for each in pair), strict=False):
            left.update(range(at, at + min(of, count)))
            at += of
        return range(length) if len(left) == length else frozenset(left)


class _Work(NamedTuple):
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


def samples(conversations: Iterable[Conversation], run: SampleRun, renderer: Renderer | None) -> Iterator[Sample]:
    """One sample per conversation, in order.

    Args:
        conversations: what to render; they are read ahead by some hundreds.
        run: the tokenizer and the limits of the run.
        renderer: for conversations of messages; None: the tokenizer has no template, so these cannot be rendered.

    """
    source = iter(conversations)
    work = _rendered(source, run.tokenizer, renderer)
    while batch := list(islice(work, _BATCH)):
        if batch[-1].conversation.part in _FIRST:
            batch += islice(work, 1)
        yield from _tokenized(batch, run)


def _rendered(source: Iterator[Conversation], tokenizer: Tokenizer, renderer: Renderer | None) -> Iterator[_Work]:
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


def _own(conversation: Conversation, tokenizer: Tokenizer) -> _Work:
    """What a trainer with templates of its own makes of it, piece by piece."""
    special = {name: tokenizer.special.get(f"{name}_token", "") for name in ("bos", "eos")}
    written = conversation.written
    named = {text for turn in written.turns for part in turn for kind, text in part if kind == "token"}
    if any(tokenizer.backend.token_to_id(name) is None for name in named):
        return _Work(conversation, "", fault=Fault("not_encodable", None, _NO_SUCH_TOKEN))
    parts = [[special.get(kind, text) for kind, text in part] for turn in written.turns for part in turn]
    parts += [[special["eos"]]] if written.late_end else []
    texts = ["".join(part) for part in parts]
    ends = list(accumulate(map(len, texts)))
    answers = [(ends[at - 1], ends[at]) for at in range(1, len(texts), 2)]
    pieces = tuple(piece for part in parts for piece in part if piece)
    counts = tuple(sum(map(bool, part)) for part in parts)
    spans = [(0, ends[-1])] if conversation.loss == "all" else _spans(conversation, answers)
    return _Work(conversation, "".join(texts), spans=spans, by="own", pieces=pieces, counts=counts)


def _prompted(conversation: Conversation) -> bool:
    return conversation.loss in _AFTER_PROMPT


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


def _no_template(conversation: Conversation, eos: str) -> _Work:
    if conversation.messages is None:
        return _plain(conversation, eos)
    return _Work(conversation, "", fault=Fault("no_template", None, NO_TEMPLATE))


def _plain(conversation: Conversation, eos: str) -> _Work:
    """Prompt and answer put together; the end token follows an answer (as TRL adds it), and what is to be ended."""
    told, called = conversation.text, conversation.called
    if conversation.loss == "apart":
        return _Work(conversation, "".join(text for text, _ in conversation.pieces), by="apart")
    if conversation.loss in CUT_OUT:
        return _cut_out(conversation, conversation.prompt, told, (), eos)
    if conversation.loss == "answer_alone":
        return _answered_alone(conversation, eos, conversation.prompt, told)
    if conversation.loss == "shared":
        return _Work(conversation, conversation.prompt + told, prompt=conversation.prompt, by="concatenation")
    answered = not called and conversation.ended and conversation.loss == "completion"
    if (called == "ended" or answered) and not told.endswith(eos):
        told += eos
    if conversation.loss != "completion":
        by = "sampled" if conversation.loss == "sampled" else "all"
        return _Work(conversation, conversation.prompt + told, by=by)
    return _Work(conversation, conversation.prompt + told, prompt=conversation.prompt, by="concatenation")


def _cut_out(conversation: Conversation, prompt: str, answer: str, turns: tuple[str, ...], eos: str) -> _Work:
    if not eos:
        return _Work(conversation, "", fault=Fault("not_encodable", None, _NO_END))
    by = {"cut_outs": "prefix", "cut_whole": "all"}.get(conversation.loss, "concatenation")
    left_out = is_left_out(conversation, prompt, answer)
    text = put_together(prompt, answer, eos)
    return _Work(conversation, text, prompt=prompt, by=by, turns=turns, left_out=left_out)


def _from_replies(conversation: Conversation, eos: str, reply: Reply, *more: Reply) -> _Work:
    alone = conversation.loss in _EACH_ALONE
    for each in (reply, *more):
        if each.fault == "limit":
            return _Work(conversation, "", error=each.message)
        if each.fault is not None and (each is reply or not alone):
            return _Work(conversation, "", fault=_refused(conversation, each))
    if alone:
        return _turned(conversation, reply, more)
    if conversation.loss in CUT_OUT:
        prompted, answer, turns = cut_texts(reply, more)
        made = _cut_out(conversation, prompted, answer, turns, eos)
        return made._replace(parted=not reply.text.startswith(prompted))
    if conversation.loss == "located":
        return _Work(
            conversation, reply.text, by="located", stretches=located_stretches(conversation, reply.text, more)
        )
    if conversation.loss == "answer_alone":
        return _answered_alone(conversation, eos, reply.text, answer_text(conversation, more[0].text))
    if conversation.loss == "shared":
        shared = shared_prompt(conversation, reply.text, *(each.text for each in more))
        if shared is None:
            return _Work(conversation, "", fault=Fault("template_refused", "prompt", _NOT_CONTINUED))
        return _Work(conversation, reply.text, prompt=shared, by="concatenation")
    prompt = more[0] if more else None
    by = None if _prompted(conversation) else reply.by
    by = by or ("concatenation" if _prompted(conversation) else "sampled" if conversation.loss == "sampled" else "all")
    answers = [(start, end) for start, end in reply.spans]
    spans = _spans(conversation, answers)
    return _Work(conversation, reply.text, prompt.text if prompt else None, spans, answers, by)


def _answered_alone(conversation: Conversation, eos: str, prompt: str, answer: str) -> _Work:
    if not prompt or not answer:
        return _Work(conversation, "", fault=Fault("template_refused", _answer_place(conversation), _NO_ANSWER))
    ended = answer if answer.endswith(eos) else answer + eos
    return _Work(conversation, prompt + ended, prompt=prompt, by="concatenation", answer=answer)


def _turned(conversation: Conversation, reply: Reply, more: Sequence[Reply]) -> _Work:
    match turn_texts(more):
        case (int(number), Reply(message=said)):
            where = conversation.places[number] if number >= 0 else None
            return _Work(conversation, "", fault=Fault("turn_refused", where, said))
        case texts:
            return _Work(conversation, reply.text, by="turns", turns=tuple(map(str, texts)))


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


class _Tokens(NamedTuple):
    """The tokens of a work's text, of its prompt, and of its turns; how many each piece of the text has."""

    whole: Encoding
    prompt: Encoding | None
    turns: Sequence[Encoding]
    lengths: list[int]

    def of_parts(self, work: _Work) -> list[int]:
        """How many tokens question and answer of each turn have, in a trainer's own template."""
        left = iter(self.lengths)
        return [sum(islice(left, count)) for count in work.counts]


def _trimmed(work: _Work, run: SampleRun) -> _Work:
    """The answer as the text of as many of its tokens as the prompt leaves (axolotl, utils/data/rl.py:246)."""
    limit = run.max_length
    # a token has at least one byte, so that a short text need not be tokenized
    if work.prompt is None or limit is None or len((work.prompt + work.answer).encode(errors="replace")) <= limit:
        return work
    asked, told = (run.tokenizer.encode([text])[0].ids for text in (work.prompt, work.answer))
    left = limit - len(asked)
    if left <= 0 or len(told) <= left:
        return work
    answer = run.tokenizer.backend.decode(told[:left], skip_special_tokens=False)
    return _answered_alone(work.conversation, run.tokenizer.special.get("eos_token", ""), work.prompt, answer)


def _tokenized(batch: Sequence[_Work], run: SampleRun) -> Iterator[Sample]:
    try:
        if run.as_text:
            batch = [_trimmed(work, run) if work.conversation.loss == "answer_alone" else work for work in batch]
        encodings = iter(_encoded([text for work in batch for text in _texts(work, run)], run))
    except TemplateFault:  # one text among them holds a lone surrogate: one by one
        yield from (_alone(work, run) for work in batch)
        return
    found = [_tokens(work, encodings) for work in batch]
    for at, (work, tokens) in enumerate(zip(batch, found, strict=True)):
        after = tokens.prompt is not None or bool(work.counts)
        beside = _beside(batch, at) if run.boundary_of_pair and after else None
        yield _sample(work, tokens, run, None if beside is None else found[beside].whole)


def _texts(work: _Work, run: SampleRun) -> list[tuple[list[str], bool]]:
    """What of a work becomes tokens, in pieces, and whether a trainer hands it to a call of the tokenizer."""
    if work.counts:
        return [(list(work.pieces) or [""], False)]
    loss = work.conversation.loss
    called = bool(work.conversation.called) and work.conversation.messages is None
    if loss == "apart":
        return [([text for text, _ in work.conversation.pieces if text] or [""], called)]
    if loss == "answer_alone" and work.prompt is not None:
        return [([work.text], True), ([work.prompt], True), ([work.prompt], False), ([work.answer], False)]
    prompt = [] if work.prompt is None else [([work.prompt], called)]
    return [(_apart(work) if run.pieces else [work.text], called), *prompt, *(([turn], False) for turn in work.turns)]


def _apart(work: _Work) -> list[str]:
    """The text in pieces: the answers, and what is around them."""
    if work.prompt is not None:
        cuts = [len(work.prompt)] if work.text.startswith(work.prompt) else []
    else:
        cuts = [at for span in work.answers for at in span]
    ends = sorted({0, *cuts, len(work.text)})
    return [work.text[start:end] for start, end in pairwise(ends)] or [""]


def _encoded(texts: Sequence[tuple[list[str], bool]], run: SampleRun) -> list[list[Encoding]]:
    """The tokens of texts, piece by piece; of those that are handed to a call of the tokenizer with what that adds."""
    found = {
        flag: iter(
            run.tokenizer.encode(
                [piece for pieces, called in texts if called is flag for piece in pieces], special=flag
            )
        )
        for flag in (True, False)
    }
    return [[next(found[called]) for _ in pieces] for pieces, called in texts]


def _joined(encodings: list[Encoding]) -> Encoding:
    return encodings[0] if len(encodings) == 1 else Encoding.merge(encodings, growing_offsets=True)


def _tokens(work: _Work, encodings: Iterator[list[Encoding]]) -> _Tokens:
    """What `_encoded` made of `_texts`."""
    pieces, prompt = next(encodings), None if work.prompt is None else _joined(next(encodings))
    alone = work.conversation.loss == "answer_alone" and work.prompt is not None
    more = 2 if alone else len(work.turns)
    turns = pieces if work.by == "apart" else [_joined(each) for each in islice(encodings, more)]
    return _Tokens(_joined(pieces), prompt, turns, [len(each.ids) for each in pieces])


def _beside(batch: Sequence[_Work], at: int) -> int | None:
    """Where the other answer of a pair stands."""
    part = batch[at].conversation.part
    other = at + 1 if part in _FIRST else at - 1
    if not 0 <= other < len(batch):
        return None
    one, two = sorted((at, other))
    return other if _FIRST.get(batch[one].conversation.part) == batch[two].conversation.part else None


def _alone(work: _Work, run: SampleRun) -> Sample:
    try:
        work = _trimmed(work, run) if run.as_text and work.conversation.loss == "answer_alone" else work
        encodings = iter(_encoded(_texts(work, run), run))
    except TemplateFault as fault:
        where = work.conversation.places[0] if work.conversation.places else None
        return Sample(work.conversation, faults=(Fault("not_encodable", where, fault.message),))
    return _sample(work, _tokens(work, encodings), run)


def _sample(work: _Work, tokens: _Tokens, run: SampleRun, other: Encoding | None = None) -> Sample:
    """`other`: the tokens of the other answer of a pair, with the prompt."""
    if work.error is not None or work.fault is not None:
        return Sample(work.conversation, error=work.error, faults=(work.fault,) if work.fault else ())
    if work.counts:
        return _own_sample(work, tokens.whole, tokens.of_parts(work), run, other)
    if work.conversation.loss in CUT_OUT:
        return _cut_sample(work, tokens, run)
    if work.conversation.loss == "shared":
        return _shared_sample(work, tokens, run, other)
    made = {"located": _located_sample, "answer_alone": _sample_alone, "apart": _apart_sample}.get(
        work.conversation.loss
    )
    if made is not None:
        return made(work, tokens, run)
    faults: list[Fault] = []
    if work.by == "turns":
        return _turned_sample(work, tokens, run)
    encoding, prompt = tokens.whole, tokens.prompt
    ids = encoding.ids
    if prompt is not None:
        labels, aligned = concatenation(prompt.ids, ids, _boundary(prompt.ids, ids, run, other))
        if work.conversation.loss == "assistant_of_completion":
            labels = [one & both for one, both in zip(labels, by_spans(encoding, list(work.spans)), strict=True)]
        if not aligned and run.boundary == "prompt":
            faults.append(Fault("prompt_not_prefix", _answer_place(work.conversation), None))
    elif work.by in ("all", "sampled"):
        labels = [int(work.by == "all")] * len(ids)
    else:
        labels = by_spans(encoding, list(work.spans))
    turns = _turns(by_spans(encoding, list(work.answers)) if work.answers else labels) if run.keep else ()
    left = run.kept(turns, len(ids), 0 if other is None or prompt is None else len(other.ids) - len(prompt.ids))
    if work.by != "sampled":
        faults += _faults(work, ids, labels, left, run)
    return Sample(work.conversation, work.text, ids, labels, encoding, left, work.by, tuple(faults))


def _turned_sample(work: _Work, tokens: _Tokens, run: SampleRun) -> Sample:
    """Of messages that are rendered one by one."""
    conversation = work.conversation
    made = of_turns(work.turns, tokens.turns, conversation.messages or ())
    differs = made.differs(tokens.whole.ids) if conversation.loss == "turns" else None
    if differs is not None:
        said = Message("rendered alone, the messages up to here are other tokens than rendered together")
        fault = Fault("turns_differ", conversation.places[differs], said)
        return Sample(conversation, made.text, made.ids, [0] * len(made.ids), made, range(0), "turns", (fault,))
    work = work._replace(text=made.text, spans=made.spans)
    left = run.kept(_turns(made.labels) if run.keep else (), len(made.ids))
    faults = tuple(_faults(work, made.ids, made.labels, left, run))
    return Sample(conversation, made.text, made.ids, made.labels, made, left, "turns", faults)


def _cut_sample(work: _Work, tokens: _Tokens, run: SampleRun) -> Sample:
    """Of an answer that is cut out of the text; the last token that is left becomes the end token."""
    conversation, whole, asked = work.conversation, tokens.whole, tokens.prompt.ids if tokens.prompt else []
    ids = list(whole.ids)
    labels = cut_labels(conversation.loss, len(asked), tokens.turns, len(ids))
    left = kept(len(ids), run.max_length, "right")
    end = run.tokenizer.id_of("eos_token")
    if end is not None and left:
        ids[left.stop - 1] = end
    full = run.spare is not None and run.max_length is not None and run.max_length - len(asked) <= run.spare
    befores = [(work.prompt or "", asked), *zip(work.turns[::2], (each.ids for each in tokens.turns[::2]), strict=True)]
    parted = work.parted or not all(is_aligned(work.text, whole.ids, text, each) for text, each in befores)
    faults = [Fault("prompt_not_prefix", _answer_place(conversation))] if parted else []
    if work.left_out or full:
        left = range(0)
    spans = [(whole.offsets[first][0], whole.offsets[stop - 1][1]) for first, stop in runs(labels)]
    work = work._replace(spans=spans, prompt=None)
    faults += _faults(work, ids, labels, left, run)
    return Sample(conversation, work.text, ids, labels, whole, left, work.by, tuple(faults))


def _located_sample(work: _Work, tokens: _Tokens, run: SampleRun) -> Sample:
    """Of turns that were found by replacing them."""
    conversation, whole = work.conversation, tokens.whole
    eos = run.tokenizer.id_of("eos_token")
    named = conversation.ends.tokens
    words = [run.tokenizer.encode([word])[0].ids for word in named or ()]
    turn_ends = frozenset({eos} - {None}) if named is None else frozenset(ids[0] for ids in words if len(ids) == 1)
    labels = located_labels(conversation, whole.ids, whole.offsets, work.stretches, eos, turn_ends)
    spans = [(whole.offsets[first][0], whole.offsets[stop - 1][1]) for first, stop in runs(labels)]
    left = run.kept(_turns(labels) if run.keep else (), len(whole.ids))
    faults = _faults(work._replace(spans=spans), whole.ids, labels, left, run)
    return Sample(conversation, work.text, whole.ids, labels, whole, left, work.by, tuple(faults))


def _sample_alone(work: _Work, tokens: _Tokens, run: SampleRun) -> Sample:
    """Of an answer of a pair that was rendered alone: the prompt's tokens, and those of both behind as many."""
    conversation, whole, prompt = work.conversation, tokens.whole, tokens.prompt
    asked = list(prompt.ids) if prompt is not None else []
    ids = [*asked, *whole.ids[len(asked) :]]
    labels = [0] * len(asked) + [1] * (len(ids) - len(asked))
    limit = run.max_length
    left = kept(len(ids), limit, "right")
    counted = sum(len(each.ids) for each in tokens.turns)
    if limit is not None and (counted > limit or limit - len(asked) <= (run.spare or 0)):
        left = range(0)
    aligned = is_aligned(work.text, whole.ids, work.prompt or "", asked)
    faults = [] if aligned else [Fault("prompt_not_prefix", _answer_place(conversation))]
    encoding = whole if len(whole.ids) == len(ids) else Joined(work.text, ids, [(0, 0)] * len(ids), labels)
    faults += _faults(work._replace(spans=()), ids, labels, left, run)
    return Sample(conversation, work.text, ids, labels, encoding, left, work.by, tuple(faults))


def _shared_sample(work: _Work, tokens: _Tokens, run: SampleRun, other: Encoding | None) -> Sample:
    """Of an answer of a pair behind the text that is the prompt of both."""
    conversation, asked = work.conversation, tokens.prompt.ids if tokens.prompt else []
    made = shared_tokens(asked, tokens.whole, other, work.text, run.tokenizer)
    if made is None:
        return Sample(conversation, faults=(Fault("not_encodable", _answer_place(conversation), _NOT_SHARED),))
    limit, before = run.max_length, made.labels.index(1)
    left = range(len(made.ids) if limit is None else min(len(made.ids), max(limit, before)))
    aligned = list(tokens.whole.ids[: len(asked) - 1]) == list(asked[:-1])
    faults = [] if aligned else [Fault("prompt_not_prefix", _answer_place(conversation))]
    faults += _faults(work, made.ids, made.labels, left, run)
    return Sample(conversation, made.text, made.ids, made.labels, made, left, work.by, tuple(faults))


def _apart_sample(work: _Work, tokens: _Tokens, run: SampleRun) -> Sample:
    """Of pieces that are tokenized one by one."""
    conversation = work.conversation
    limit = run.max_length if conversation.called else None
    whole = conversation.called == "ended"
    limit = limit * WHOLE if limit is not None and whole else limit
    made = joined(conversation.pieces, tokens.turns, limit, run.tokenizer, whole=whole)
    left = run.kept(_turns(made.labels) if run.keep else (), len(made.ids))
    faults = _faults(work, made.ids, made.labels, left, run)
    return Sample(conversation, made.text, made.ids, made.labels, made, left, work.by, tuple(faults))


def _own_sample(work: _Work, whole: Encoding, counts: list[int], run: SampleRun, other: Encoding | None) -> Sample:
    """A trainer's own template: questions and answers apart; behind all, the end token that was not counted."""
    conversation, ids = work.conversation, whole.ids
    late = [counts.pop()] if conversation.written.late_end else []
    answers = range(1, len(counts), 2)
    wanted = {"all": range(len(counts)), "last_turn": answers[-1:]}.get(conversation.loss, answers)
    labels = [int(at in wanted) for at, count in enumerate(counts) for _ in range(count)] + [1] * sum(late)
    beside = 0 if other is None or len(counts) != 2 else len(other.ids) - counts[0]
    left = run.kept(counts, sum(counts), beside)
    left = frozenset(left) | set(range(sum(counts), len(ids))) if late else left
    taught: dict[int, int] = {}
    eos = run.tokenizer.id_of("eos_token")
    if late and eos is not None:
        first = len(counts) - 2 if run.last_first else 0  # of the questions: the one that is encoded first
        begin = list(accumulate(counts, initial=0))
        taught = {begin[at]: eos for at in range(0, len(counts), 2) if at != first and begin[at] in left}
        labels = [int(label or at in taught) for at, label in enumerate(labels)]
    made = Sample(conversation, work.text, ids, labels, whole, left, "own", taught=taught)
    faults = list(_faults(work, ids, labels, left, run))
    if taught:  # the label says what ends the turn
        faults = [fault for fault in faults if fault.problem not in ("end_not_trained", "end_missing")]
    return made._replace(faults=tuple(faults))


def _boundary(prompt: Sequence[int], ids: Sequence[int], run: SampleRun, other: Encoding | None) -> int | None:
    """Where the completion begins, where that is not behind the tokens of the prompt alone."""
    if run.boundary == "prompt":
        return None
    wholes = [ids] if other is None else [ids, other.ids]
    return min(common_start(prompt, whole) for whole in wholes)


def _answer_place(conversation: Conversation) -> str | None:
    return conversation.places[-1] if conversation.places else None


def _turns(labels: Sequence[int]) -> list[int]:
    ends = [0, *(end for run in runs(labels) for end in run)]
    counts = [b - a for a, b in pairwise(ends)]
    rest = len(labels) - ends[-1]
    return [*counts, rest, 0] if rest else counts


def _faults(
    work: _Work, ids: Sequence[int], labels: Sequence[int], left: range | frozenset[int], run: SampleRun
) -> Iterator[Fault]:
    """What is wrong with a mask; the first of each kind."""
    conversation = work.conversation
    if 1 not in labels:
        yield Fault("no_trained_token", _answer_place(conversation))
        return
    if len(left) < len(ids) and not any(labels[at] for at in left):
        said = Message("{n} tokens, {kept} are kept", n=len(ids), kept=len(left))
        yield Fault("trained_lost", _answer_place(conversation), said)
    if conversation.messages is not None:
        yield from _said_faults(conversation, work)
    if conversation.messages is not None or not conversation.ended:
        yield from _end_faults(conversation, ids, labels, run.tokenizer)


def _said_faults(conversation: Conversation, work: _Work) -> Iterator[Fault]:
    """Whose words stand in what is trained, by looking for the words of each message."""
    train, skip = _pieces(work)
    seen: set[str] = set()
    for number, (message, where) in enumerate(zip(conversation.messages or (), conversation.places, strict=True)):
        trained = message.get("role") == "assistant" and _wanted(conversation, number)
        for words in _words(message):
            if words in (train if trained else skip):
                continue
            if words not in work.text:
                problem = "content_dropped"
            elif trained:
                problem = "assistant_not_trained"
            else:
                problem = "prompt_trained"
            if problem not in seen:
                seen.add(problem)
                yield Fault(problem, where, None)


def _wanted(conversation: Conversation, number: int) -> bool:
    """Whether the loss means this answer to be trained."""
    if conversation.loss in (*_AFTER_PROMPT, "cut_out", "answer_alone"):
        return number >= conversation.answers
    if conversation.loss in ("weights", "located") and conversation.weights:
        return conversation.weights[number] > 0
    if conversation.loss == "last_turn":
        return number == len(conversation.messages or ()) - 1
    return True


def _pieces(work: _Work) -> tuple[str, str]:
    """The trained and the skipped text, stretches set apart by a character that no text has."""
    if work.by == "all":
        return work.text, ""
    spans = list(work.spans)
    if work.prompt is not None:
        at = len(work.prompt) if work.text.startswith(work.prompt) else 0
        spans = [(at, len(work.text))]
    ends = [0, *(place for span in spans for place in span), len(work.text)]
    skip = [work.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return "\0".join(work.text[a:b] for a, b in spans), "\0".join(skip)


def _words(message: Mapping[str, Any]) -> Iterator[str]:
    """What a message says, as a template must show it: without the thoughts of an answer and outer white space."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    for text in texts:
        if message.get("role") == "assistant":
            text = text.rsplit("</think>", 1)[-1]  # noqa: PLW2901 - what is left of it
        if words := text.strip():
            yield words


def _end_faults(
    conversation: Conversation, ids: Sequence[int], labels: Sequence[int], tokenizer: Tokenizer
) -> Iterator[Fault]:
    """The last token of an answer that is no white space must end the turn, and be trained."""
    for first, end in runs(labels):
        last = end - 1
        while last > first and tokenizer.blank(ids[last]):
            last -= 1
        if ids[last] in tokenizer.ends:
            continue
        # transformers leaves out further tokens of a last character whose bytes are spread over several: up to three
        follows = not tokenizer.ends.isdisjoint(ids[end : end + 4])
        yield Fault("end_not_trained" if follows else "end_missing", _answer_place(conversation))
        return
