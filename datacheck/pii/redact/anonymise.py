"""Replace identifiers in strings by pseudonyms, through presidio-anonymizer. Import it only where it is needed."""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import polars as pl

from datacheck.pii.analyzer import FOUND, find
from datacheck.pii.hidden import lean
from datacheck.pii.normalise import Folded, as_read, fold_url
from datacheck.pii.pseudonyms import Pseudonyms
from datacheck.pii.recognizers import email_address
from datacheck.pii.redact.addressed import Addressed, addressed
from datacheck.pii.redact.doubtful import is_seen, passed, plain, rough_values, stand_near
from datacheck.pii.redact.leaves import Kind, Leaf, inner_spans, inner_texts
from datacheck.pii.redact.likely_names import gathered
from datacheck.pii.redact.owners import owners, users
from datacheck.pii.redact.related import related
from datacheck.pii.redact.row_names import row_names, surnames_of_people
from datacheck.pii.redact.traces import Original, Trace, Traces
from datacheck.pii.redact.unsure import likely_people
from datacheck.pii.rules import Rules, identified
from datacheck.pii.split import Split
from datacheck.text.chinese import simplified

with lean():
    from presidio_anonymizer import AnonymizerEngine
    from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

_SURNAMES = ("person.surname", "person.titled")
_AT_ONCE = 100  # the engine compares each with each
logging.getLogger("presidio-anonymizer").setLevel(logging.CRITICAL)


class Replacement(NamedTuple):
    """A span of a string, what it is and what comes in its place; not `sure`: a tagger took it for a name."""

    start: int
    end: int
    entity: str
    pseudonym: str
    sure: bool = True

    def with_bracket(self, text: str) -> "Replacement":
        """With the bracket that opens before it and closes in it: of (021)62345678 no bracket stays."""
        before, value = text[max(0, self.start - 1) : self.start], text[self.start : self.end]
        closes = {"(": ")", "（": "）"}.get(before)
        return self._replace(start=self.start - 1) if closes and closes in value and before not in value else self


class Anonymiser:
    """Finds what the rules want replaced, and says by what. Equal values get equal pseudonyms, in all calls."""

    def __init__(self, rules: Rules, pseudonyms: Pseudonyms) -> None:
        self.rules = rules
        self._pseudonyms = pseudonyms
        self._engine = AnonymizerEngine()  # type: ignore[no-untyped-call]

    def replacements(
        self, texts: Sequence[str], before: Sequence[str] | None = None, *, surnames: bool = True
    ) -> list[list[Replacement]]:
        """Return for each text what to replace, in order, never overlapping; `before`: what was said before each.

        surnames: without them a surname beside a title (王先生) waits for the full name that it may be a part of.
        """
        series = pl.Series(texts, dtype=pl.String)
        said = dict(enumerate(before or ()))
        hits = find(series, self.rules.looked_for, names=self.rules.searched, before=said)
        wanted = self.rules.judged(identified(hits, series)).filter(self.rules.to_replace())
        if not surnames:
            wanted = wanted.filter(~(pl.col("rule").is_in(_SURNAMES) & (pl.col("state") == "suspect")))
        found: list[list[Replacement]] = [[] for _ in texts]
        for (number,), own in wanted.group_by("index", maintain_order=True):
            text = texts[int(str(number))]
            hits_of_text = own.select("entity", "start", "end").rows()
            sure = (own["level"] != "profile").to_list()
            known = [Original(entity, as_read(text, start, end)) for entity, start, end in hits_of_text]
            spans = [(start, end) for _, start, end in hits_of_text]
            inside = inner_spans(text, spans)
            found[int(str(number))] = [
                self._named(known[at], span, kind)._replace(sure=sure[at])
                for at, span, kind in inside
                if not self._pseudonyms.is_made(known[at].written)
            ]
        return found

    def names_in_rows(self, texts: Sequence[str], records: Sequence[int]) -> list[list[Replacement]]:
        """Return for each text the names to replace because its record holds somebody's identifier or name.

        records: the number of the record of each text. None where the contract says what a name counts as.
        """
        found: list[list[Replacement]] = [[] for _ in texts]
        if self._leaves_names:
            return found
        units = [
            (number, leaf, gathered(fold_url(leaf.text))) for number, t in enumerate(texts) for leaf in _readings(t)
        ]
        read = [folded.text for *_, folded in units]
        whole: dict[int, list[str]] = {}
        for (number, *_), text in zip(units, read, strict=True):
            whole.setdefault(records[number], []).append(text)
        called = {record: addressed(own) for record, own in whole.items()}
        named = _unlabelled(read, [called[records[number]] for number, *_ in units])
        hits = pl.DataFrame(list(named), schema=FOUND, orient="row")
        wanted = self.rules.judged(identified(hits, pl.Series(read, dtype=pl.String))).filter(self.rules.to_replace())
        for at, start, end in wanted.select("index", "start", "end").iter_rows():
            (number, leaf, folded), value = units[at], Original("PERSON", read[at][start:end])
            if not self._pseudonyms.is_made(value.written):
                places = inner_spans(leaf.text, [folded.span(start, end)])
                sure = " " in value.written or not value.written.isascii()  # Zuri may be a part of a name
                found[number] += [
                    self._named(as_called(value), leaf.written(span), kind)._replace(sure=sure)
                    for _, span, kind in places
                ]
        return [_apart(own) for own in found]

    def surnames_in_rows(
        self, texts: Sequence[str], records: Sequence[int], found: Sequence[Sequence[Replacement]]
    ) -> list[list[Replacement]]:
        """Return for each text where somebody is called by a surname alone of whom the record has no full name.

        found: what is replaced in each text anyway. Who has a full name there is called by a part of it (`traces`).
        """
        whole: dict[int, list[str]] = {}
        full: dict[int, set[str]] = {}
        for text, record, own in zip(texts, records, found, strict=True):
            whole.setdefault(record, []).append(text)
            names = (text[each.start : each.end] for each in own if each.entity == "PERSON")
            full.setdefault(record, set()).update(names)
        called = {record: addressed(own) for record, own in whole.items()}
        result: list[list[Replacement]] = []
        for text, record, own in zip(texts, records, found, strict=True):
            places = surnames_of_people(text, called[record])
            free = [
                place
                for place in places
                if not any(place.start < each.end and each.start < place.end for each in own)
                and not any(_is_part_of(text[place.start : place.end], name) for name in full[record])
            ]
            named = [self._named(Original("PERSON", text[p.start : p.end]), (p.start, p.end), "string") for p in free]
            result.append(_apart(named))
        return result

    def likely_in_record(self, texts: Sequence[str]) -> list[list[Replacement]]:
        """Return for each text of one record, in which names are replaced, who else is named (see `likely_people`)."""
        found: list[list[Replacement]] = [[] for _ in texts]
        if self._leaves_names:
            return found
        for number, start, end, written in likely_people(texts, self._pseudonyms.is_made):
            value = as_called(Original("PERSON", written))
            places = inner_spans(texts[number], [(start, end)])
            found[number] += [self._named(value, span, kind) for _, span, kind in places if kind != "number"]
        return [_apart(own) for own in found]

    @property
    def _leaves_names(self) -> bool:
        """Whether the contract says what a name counts as: then it stays as it says."""
        rules = self.rules
        return "PERSON" in rules.entities or "PERSON" not in rules.looked_for or rules.person == "labelled"

    def tell_of_somebody(self, texts: Sequence[str]) -> list[bool]:
        """Return which texts are somebody's though no recognizer finds an identifier in them.

        They hold a name and what has the form of an identifier, or name one of the writer's own (see `related`).
        """
        beside = self._named_beside_numbers(texts)
        if self._leaves_names:
            return beside
        own = related([gathered(fold_url(text)).text for text in texts])
        return [one or other for one, other in zip(beside, own, strict=True)]

    def _named_beside_numbers(self, texts: Sequence[str]) -> list[bool]:
        """Return which texts hold a name and what has the form of an identifier, which no recognizer lets pass."""
        rough = self.rough(texts, [[] for _ in texts])
        units = [gathered(fold_url(text)) if own else Folded("", None) for text, own in zip(texts, rough, strict=True)]
        names = row_names([unit.text for unit in units])
        places = [[units[number].span(*name[:2]) for name in names.get(number, ())] for number in range(len(texts))]
        return [stand_near([each[:2] for each in own], at) for own, at in zip(rough, places, strict=True)]

    def rough(self, texts: Sequence[str], taken: Sequence[Sequence[Replacement]]) -> list[list[Replacement]]:
        """Return for each text of somebody's record what only has the form of an identifier, beside what is taken."""
        wanted = [
            rough_values(t, [(each.start, each.end) for each in own]) for t, own in zip(texts, taken, strict=True)
        ]
        some = [number for number, own in enumerate(wanted) if own]
        seen = passed([texts[number] for number in some], self.rules.looked_for)
        found: list[list[Replacement]] = [[] for _ in texts]
        for at, number in enumerate(some):
            text = texts[number]
            for start, end, entity in wanted[number]:
                value = Original(entity, as_read(text, start, end))
                is_passed = is_seen(plain(value.written), seen.get(at, ())) and not _is_short_mailbox(value)
                if not (is_passed or self._pseudonyms.is_made(value.written)) and entity in self.rules.looked_for:
                    places = inner_spans(text, [(start, end)])
                    found[number] += [self._named(value, span, kind) for _, span, kind in places]
        return found

    def in_parts(self, split: Split) -> list[Replacement]:
        """Return what comes in the place of the parts of a number: the pseudonym each time, of a surrogate its part."""
        name = self._pseudonyms.of(split.entity, split.value)
        names = [name[slice(*part.digits)] if len(name) == len(split.value) else name for part in split.parts]
        return [
            Replacement(part.start, part.end, split.entity, name) for part, name in zip(split.parts, names, strict=True)
        ]

    @staticmethod
    def without_parts(texts: Sequence[str], wanted: Sequence[Sequence[Replacement]]) -> list[list[Replacement]]:
        """Leave out guesses that are a part of a sure value of a record: 刘梅 where 刘梅立 stands elsewhere."""
        pairs = list(zip(texts, wanted, strict=True))
        sure = {
            Original(each.entity, as_read(t, each.start, each.end)) for t, own in pairs for each in own if each.sure
        }
        traces = Traces(sorted(sure))
        return [[each for each in own if each.sure or not _inside(each, traces.find(text))] for text, own in pairs]

    def as_number(self, text: str, wanted: Sequence[Replacement]) -> list[Replacement]:
        """Return what comes in the place of a number in which something is to be replaced: a number."""
        whole = (0, len(text))
        return [self._named(Original(each.entity, text[each.start : each.end]), whole, "number") for each in wanted[:1]]

    def is_made(self, written: str) -> bool:
        """Whether a value is one that came in the place of another."""
        return self._pseudonyms.is_made(written)

    def _named(self, value: Original, span: tuple[int, int], kind: Kind) -> Replacement:
        name = self._pseudonyms.number if kind == "number" else self._pseudonyms.of
        return Replacement(*span, value.entity, name(*value))

    def told_by_mailboxes(self, texts: Sequence[str], values: Sequence[Original]) -> list[Original]:
        """Return what else a record tells of whom it has values: names of users, and who mailboxes are called after.

        texts: of the record as it was.
        """
        told = [Original("PERSON", name) for name in owners(texts, values)]
        if "SOCIAL_HANDLE" in self.rules.looked_for:
            told += [Original("SOCIAL_HANDLE", user) for user in users(texts, [*values, *told])]
        return [each for each in told if each not in values and not self._pseudonyms.is_made(each.written)]

    def elsewhere(
        self, texts: Sequence[str], values: Sequence[Original], others: Sequence[Original] = ()
    ) -> list[list[Replacement]]:
        """Return for each text the places of values that have their pseudonyms already: later turns, glued forms.

        others: of other records; who is called by a part of such a name is somebody else.
        """
        traces, values = Traces(values, others), [*values, *others]
        return [[self._named(values[number], span, kind) for number, span, kind in traces.inside(t)] for t in texts]

    def replaced(self, text: str, wanted: Sequence[Replacement]) -> str:
        """Return `text` with its replacements made."""
        pieces: list[str] = []
        at = 0
        for some in _batches(text, wanted):
            moved = [each._replace(start=each.start - at, end=each.end - at) for each in some]
            pieces.append(self._made(text[at : some[-1].end], moved))
            at = some[-1].end
        return "".join([*pieces, text[at:]])

    def _made(self, text: str, wanted: Sequence[Replacement]) -> str:
        known = {(each.entity, text[each.start : each.end]): each.pseudonym for each in wanted}
        operators = {
            entity: OperatorConfig("custom", {"lambda": partial(_looked_up, known, entity)})
            for entity in {each.entity for each in wanted}
        }
        results = [RecognizerResult(each.entity, each.start, each.end, 1.0) for each in wanted]
        # Merging would make one of two telephones side by side.
        made = self._engine.anonymize(text, results, operators, merge_entities_with_spaces=False)
        return made.text or ""


def _batches(text: str, wanted: Sequence[Replacement]) -> Iterator[list[Replacement]]:
    """Cut replacements into calls of the engine, which tells places by entity and value alone.

    So a number and a string of the same digits, whose pseudonyms differ (47 and "<CN_RESIDENT_ID_v47>"), take two.
    """
    batch: list[Replacement] = []
    known: dict[tuple[str, str], str] = {}
    for each in wanted:
        value = (each.entity, text[each.start : each.end])
        if len(batch) == _AT_ONCE or known.get(value, each.pseudonym) != each.pseudonym:
            yield batch
            batch, known = [], {}
        known[value] = each.pseudonym
        batch.append(each)
    if batch:
        yield batch


def _unlabelled(texts: Sequence[str], called: Sequence[Addressed]) -> Iterator[tuple[object, ...]]:
    """The names of `row_names` as hits beside somebody's identifier, the first of those that overlap."""
    with lean():
        from datacheck.pii.names import judged  # Presidio is heavy, see there
    for number, names in sorted(row_names(texts, called).items()):
        last = 0
        for name in sorted(names, key=lambda name: (name.start, -name.end)):
            if name.start >= last and (result := judged(texts[number], *name)):
                last = name.end
                state = result.recognition_metadata["state"]
                yield number, "PERSON", name.start, name.end, result.score, state, name.rule, "", True, 0


def as_called(value: Original) -> Original:
    """A name as it would be written elsewhere: Philip Long of philip.long, which gets the same pseudonym."""
    is_small = value.written.isascii() and value.written.islower()
    return value._replace(written=value.written.replace(".", " ").title()) if is_small else value


def _is_part_of(part: str, name: str) -> bool:
    """Whether somebody of a full name may be called so: 小顾 and 顾 of 顾雪, 晨枫 of 王晨枫."""
    plain = simplified("".join(name.split()))
    part = simplified(part).lstrip("老小阿") or part
    return len(plain) > len(part) and (plain.startswith(part) or plain.endswith(part))


def _readings(text: str) -> Iterator[Leaf]:
    """A text as it is written and, if it is JSON, its strings."""
    yield Leaf("", text, 0, len(text))
    yield from (leaf for leaf in inner_texts(text) if leaf.kind != "number" and leaf.text != text)


def _apart(names: list[Replacement]) -> list[Replacement]:
    """Of names that overlap the first and longest one."""
    kept: list[Replacement] = []
    for name in sorted(names, key=lambda name: (name.start, -name.end)):
        if not kept or name.start >= kept[-1].end:
            kept.append(name)
    return kept


def _is_short_mailbox(value: Original) -> bool:
    """Whether only its length says that a mailbox is nobody's (dkhan@gmail.com): beside somebody it may be theirs."""
    return value.entity == "EMAIL_ADDRESS" and email_address.is_short(value.written)


def _inside(guess: Replacement, traces: Sequence[Trace]) -> bool:
    return any(trace.start < guess.end and guess.start < trace.end for trace in traces)


def _looked_up(known: dict[tuple[str, str], str], entity: str, value: str) -> str:
    return known[entity, value]
