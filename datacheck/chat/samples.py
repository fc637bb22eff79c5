"""From training examples to labelled tokens, with what is wrong in them: what the checks count and preview shows."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from tokenizers import Encoding

from datacheck.chat.apart import WHOLE, Joined, joined
from datacheck.chat.child import Renderer
from datacheck.chat.conversations import Conversation
from datacheck.chat.cut_out import CUT_OUT, cut_labels, is_aligned
from datacheck.chat.encodings import Encodings, encoded, texts_of, tokens_of, trimmed
from datacheck.chat.located import located_labels
from datacheck.chat.markers import MarkerTokens, marked, marker_tokens
from datacheck.chat.mask import by_spans, common_start, concatenation, kept, runs
from datacheck.chat.mask_faults import mask_faults
from datacheck.chat.rendering import Work, rendered
from datacheck.chat.sample import Fault, Sample, SampleRun, answer_place, turn_lengths
from datacheck.chat.shared import shared_tokens
from datacheck.chat.template import TemplateFault
from datacheck.chat.turns import of_turns
from datacheck.i18n.message import Message

_FIRST = {"chosen": "rejected", "chosen_messages": "rejected_messages", "chosen_response": "rejected_response"}
_BATCH = 64  # rows whose texts are tokenized together, on all cores
_NO_MARKER = Message("a marker of questions or answers has no token")
_NOT_SHARED = Message(
    "the tokens of the prompt are others before each answer of the pair, or the answer takes some away"
)


def samples(conversations: Iterable[Conversation], run: SampleRun, renderer: Renderer | None) -> Iterator[Sample]:
    """One sample per conversation, in order.

    Args:
        conversations: what to render; they are read ahead by some hundreds.
        run: the tokenizer and the limits of the run.
        renderer: for conversations of messages; None: the tokenizer has no template, so these cannot be rendered.

    """
    source = iter(conversations)
    work = rendered(source, run.tokenizer, renderer)
    while batch := list(islice(work, _BATCH)):
        if batch[-1].conversation.part in _FIRST:
            batch += islice(work, 1)
        yield from _tokenized(batch, run)


def _tokenized(batch: Sequence[Work], run: SampleRun) -> Iterator[Sample]:
    try:
        if run.as_text:
            batch = [trimmed(work, run) if work.conversation.loss == "answer_alone" else work for work in batch]
        encodings = iter(encoded([text for work in batch for text in texts_of(work, run)], run))
    except TemplateFault:  # one text among them holds a lone surrogate: one by one
        yield from (_alone(work, run) for work in batch)
        return
    found = [tokens_of(work, encodings) for work in batch]
    for at, (work, tokens) in enumerate(zip(batch, found, strict=True)):
        after = tokens.prompt is not None or bool(work.counts)
        beside = _beside(batch, at) if run.boundary_of_pair and after else None
        yield _sample(work, tokens, run, None if beside is None else found[beside].whole)


def _beside(batch: Sequence[Work], at: int) -> int | None:
    """Where the other answer of a pair stands."""
    part = batch[at].conversation.part
    other = at + 1 if part in _FIRST else at - 1
    if not 0 <= other < len(batch):
        return None
    one, two = sorted((at, other))
    return other if _FIRST.get(batch[one].conversation.part) == batch[two].conversation.part else None


def _alone(work: Work, run: SampleRun) -> Sample:
    try:
        work = trimmed(work, run) if run.as_text and work.conversation.loss == "answer_alone" else work
        encodings = iter(encoded(texts_of(work, run), run))
    except TemplateFault as fault:
        where = work.conversation.places[0] if work.conversation.places else None
        return Sample(work.conversation, faults=(Fault("not_encodable", where, fault.message),))
    return _sample(work, tokens_of(work, encodings), run)


def _sample(work: Work, tokens: Encodings, run: SampleRun, other: Encoding | None = None) -> Sample:
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
    labels, aligned = _labels(work, tokens, run, other)
    if not aligned and run.boundary == "prompt":
        faults.append(Fault("prompt_not_prefix", answer_place(work.conversation), None))
    encoding, prompt = tokens.whole, tokens.prompt
    ids = encoding.ids
    turns = turn_lengths(by_spans(encoding, list(work.answers)) if work.answers else labels) if run.keep else ()
    left = run.kept(turns, len(ids), 0 if other is None or prompt is None else len(other.ids) - len(prompt.ids))
    if work.conversation.markers is not None:
        found = marker_tokens(run.tokenizer, work.conversation.markers)
        if found is None:
            return Sample(work.conversation, faults=(Fault("not_encodable", None, _NO_MARKER),))
        labels = _marked(ids, labels, range(len(ids)) if work.conversation.markers.instead else left, found)
        spans = [(encoding.offsets[first][0], encoding.offsets[stop - 1][1]) for first, stop in runs(labels)]
        work = work._replace(by="markers", prompt=None, spans=spans)
    if work.by != "sampled":
        faults += mask_faults(work, ids, labels, left, run)
    return Sample(work.conversation, work.text, ids, labels, encoding, left, work.by, tuple(faults))


def _labels(work: Work, tokens: Encodings, run: SampleRun, other: Encoding | None) -> tuple[list[int], bool]:
    """The labels of a text, and whether the tokens of its prompt begin those of the whole."""
    encoding, prompt = tokens.whole, tokens.prompt
    if prompt is not None:
        boundary = _boundary(prompt.ids, encoding.ids, run, other)
        labels, aligned = concatenation(prompt.ids, encoding.ids, boundary)
        if work.conversation.loss == "assistant_of_completion":
            labels = [one & both for one, both in zip(labels, by_spans(encoding, list(work.spans)), strict=True)]
        return labels, aligned
    if work.by in ("all", "sampled"):
        return [int(work.by == "all")] * len(encoding.ids), True
    return by_spans(encoding, list(work.spans)), True


def _turned_sample(work: Work, tokens: Encodings, run: SampleRun) -> Sample:
    """Of messages that are rendered one by one."""
    conversation = work.conversation
    made = of_turns(work.turns, tokens.turns, conversation.messages or ())
    differs = made.differs(tokens.whole.ids) if conversation.loss == "turns" else None
    if differs is not None:
        said = Message("rendered alone, the messages up to here are other tokens than rendered together")
        fault = Fault("turns_differ", conversation.places[differs], said)
        return Sample(conversation, made.text, made.ids, [0] * len(made.ids), made, range(0), "turns", (fault,))
    work = work._replace(text=made.text, spans=made.spans)
    left = run.kept(turn_lengths(made.labels) if run.keep else (), len(made.ids))
    faults = tuple(mask_faults(work, made.ids, made.labels, left, run))
    return Sample(conversation, made.text, made.ids, made.labels, made, left, "turns", faults)


def _cut_sample(work: Work, tokens: Encodings, run: SampleRun) -> Sample:
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
    faults = [Fault("prompt_not_prefix", answer_place(conversation))] if parted else []
    if work.left_out or full:
        left = range(0)
    spans = [(whole.offsets[first][0], whole.offsets[stop - 1][1]) for first, stop in runs(labels)]
    work = work._replace(spans=spans, prompt=None)
    faults += mask_faults(work, ids, labels, left, run)
    return Sample(conversation, work.text, ids, labels, whole, left, work.by, tuple(faults))


def _located_sample(work: Work, tokens: Encodings, run: SampleRun) -> Sample:
    """Of turns that were found by replacing them."""
    conversation, whole = work.conversation, tokens.whole
    eos = run.tokenizer.id_of("eos_token")
    named = conversation.ends.tokens
    words = [run.tokenizer.encode([word])[0].ids for word in named or ()]
    turn_ends = frozenset({eos} - {None}) if named is None else frozenset(ids[0] for ids in words if len(ids) == 1)
    labels = located_labels(conversation, whole.ids, whole.offsets, work.stretches, eos, turn_ends)
    spans = [(whole.offsets[first][0], whole.offsets[stop - 1][1]) for first, stop in runs(labels)]
    left = run.kept(turn_lengths(labels) if run.keep else (), len(whole.ids))
    faults = mask_faults(work._replace(spans=spans), whole.ids, labels, left, run)
    return Sample(conversation, work.text, whole.ids, labels, whole, left, work.by, tuple(faults))


def _sample_alone(work: Work, tokens: Encodings, run: SampleRun) -> Sample:
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
    faults = [] if aligned else [Fault("prompt_not_prefix", answer_place(conversation))]
    encoding = whole if len(whole.ids) == len(ids) else Joined(work.text, ids, [(0, 0)] * len(ids), labels)
    faults += mask_faults(work._replace(spans=()), ids, labels, left, run)
    return Sample(conversation, work.text, ids, labels, encoding, left, work.by, tuple(faults))


def _shared_sample(work: Work, tokens: Encodings, run: SampleRun, other: Encoding | None) -> Sample:
    """Of an answer of a pair behind the text that is the prompt of both."""
    conversation, asked = work.conversation, tokens.prompt.ids if tokens.prompt else []
    made = shared_tokens(asked, tokens.whole, other, work.text, run.tokenizer)
    if made is None:
        return Sample(conversation, faults=(Fault("not_encodable", answer_place(conversation), _NOT_SHARED),))
    limit, before = run.max_length, made.labels.index(1)
    left = range(len(made.ids) if limit is None else min(len(made.ids), max(limit, before)))
    aligned = list(tokens.whole.ids[: len(asked) - 1]) == list(asked[:-1])
    faults = [] if aligned else [Fault("prompt_not_prefix", answer_place(conversation))]
    faults += mask_faults(work, made.ids, made.labels, left, run)
    return Sample(conversation, made.text, made.ids, made.labels, made, left, work.by, tuple(faults))


def _apart_sample(work: Work, tokens: Encodings, run: SampleRun) -> Sample:
    """Of pieces that are tokenized one by one."""
    conversation = work.conversation
    limit = run.max_length if conversation.called else None
    whole = conversation.called == "ended"
    limit = limit * WHOLE if limit is not None and whole else limit
    made = joined(conversation.pieces, tokens.turns, limit, run.tokenizer, whole=whole)
    left = run.kept(turn_lengths(made.labels) if run.keep else (), len(made.ids))
    faults = mask_faults(work, made.ids, made.labels, left, run)
    return Sample(conversation, made.text, made.ids, made.labels, made, left, work.by, tuple(faults))


def _own_sample(work: Work, whole: Encoding, counts: list[int], run: SampleRun, other: Encoding | None) -> Sample:
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
    faults = list(mask_faults(work, ids, labels, left, run))
    if taught:  # the label says what ends the turn
        faults = [fault for fault in faults if fault.problem not in ("end_not_trained", "end_missing")]
    return made._replace(faults=tuple(faults))


def _marked(ids: Sequence[int], labels: Sequence[int], left: range | frozenset[int], found: MarkerTokens) -> list[int]:
    """What is trained by markers, which are looked for in what is left of a row, and by its labels before.

    Of what is cut off it is told what would have been trained.
    """
    places = sorted(left)
    whole = marked(ids, found) if len(places) < len(ids) else [0] * len(ids)
    made = [one & both for one, both in zip(whole, labels, strict=True)]
    for at, label in zip(places, marked([ids[at] for at in places], found), strict=True):
        made[at] = label & labels[at]
    return made


def _boundary(prompt: Sequence[int], ids: Sequence[int], run: SampleRun, other: Encoding | None) -> int | None:
    """Where the completion begins, where that is not behind the tokens of the prompt alone."""
    if run.boundary == "prompt":
        return None
    wholes = [ids] if other is None else [ids, other.ids]
    return min(common_start(prompt, whole) for whole in wholes)
