"""Find identifiers in many texts: prefilter, folding, Presidio on the candidates only, overlaps settled."""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from datacheck.pii.errors import PiiTimeout
from datacheck.pii.free_names import FreeName, free_names
from datacheck.pii.hidden import lean
from datacheck.pii.matching.kept import any_of
from datacheck.pii.normalise import Folded, fold
from datacheck.pii.policy import LINK
from datacheck.pii.prefilter import Names, candidates, uncovered
from datacheck.pii.publicity import are_of_one, is_public, says_itself
from datacheck.pii.recognizers import RECOGNIZERS, State

if TYPE_CHECKING:
    from presidio_analyzer import RecognizerResult

    from datacheck.pii.engine import PresidioEngine

__all__ = ["FOUND", "PiiTimeout", "analyze", "find", "load_engine"]

FOUND = {
    "index": pl.UInt32, "entity": pl.String, "start": pl.UInt32, "end": pl.UInt32, "score": pl.Float64,
    "state": pl.String, "rule": pl.String, "masked": pl.String, "linked": pl.Boolean, "group": pl.UInt32,
}  # fmt: skip
FEW = 200  # texts; for fewer, the expressions cost more than they save
_STATE_RANK = {"valid": 0, "specimen": 0, "public": 0, "suspect": 1}
_NOBODYS = ("specimen", "public")
_TELEPHONES = ("CN_LANDLINE", "CN_MOBILE")


class _Hit(NamedTuple):
    """One finding, as in `FOUND`. `canonical` is the raw value: it never leaves this module."""

    entity: str
    start: int
    end: int
    score: float
    state: State
    rule: str
    masked: str
    canonical: str


def find(
    texts: pl.Series,
    entities: tuple[str, ...] | None = None,
    *,
    names: Names = "linked",
    before: Mapping[int, str] | None = None,
) -> pl.DataFrame:
    """Return the identifiers in `texts` (String, nulls allowed), one row each, columns as in `FOUND`.

    before: by the number of a text what was said before it in its conversation.

    `index` counts texts from 0; `start` and `end` are code points of the text as given, in this order.
    `state` is valid, suspect (a wrong check digit, an unusual form), specimen (known from documentation) or public
    (an institution's).
    `group` numbers equal values of one entity within this call: a digest of an enumerable value would be
    the value.
    Raises KeyError for an unknown entity, PiiTimeout where a pattern would not end.
    """
    return analyze(texts, candidates(texts, entities, names=names), names=names, before=before)


def load_engine(entities: tuple[str, ...]) -> "PresidioEngine":
    """The engine of this process for some entities, made where there is none."""
    with lean():
        from datacheck.pii.engine import engine  # Presidio is heavy, see there
    return engine(entities)


def analyze(
    texts: pl.Series, flags: pl.DataFrame, *, names: Names = "linked", before: Mapping[int, str] | None = None
) -> pl.DataFrame:
    """Run on each text the recognizers whose flag is set; `flags` as `candidates` gives them, `before` as in `find`."""
    free = free_names(texts) if names == "model" and "PERSON" in flags.columns and flags.height else {}
    some = pl.any_horizontal(flags.columns) | pl.col("index").is_in(list(free))
    rows = flags.with_row_index("index").filter(some)
    if rows.is_empty():
        return pl.DataFrame(schema=FOUND)
    known = flags.columns
    presidio = load_engine(tuple(known))
    groups: dict[tuple[str, str], int] = {}
    found: list[tuple[object, ...]] = []
    views = _views_of(texts.gather(rows["index"]))
    fired = [list(compress(known, each)) for _, *each in rows.iter_rows()]
    idle = iter(_idle([(view.text, own) for seen, own in zip(views, fired, strict=True) for view in seen]))
    for index, seen, entities in zip(rows["index"], views, fired, strict=True):
        text = texts[index]
        hits = _settle([hit for view in seen for hit in _read(presidio, view, entities, next(idle))])
        if not (hits or free or names == "full"):
            continue
        hits = _told_public_as_read(text or "", hits, (before or {}).get(index, ""))
        if "PERSON" in known and text is not None:
            hits = _with_names(presidio, text, hits, names, free.get(index, ()))
        for hit, linked in _linked(hits):
            group = groups.setdefault((hit.entity, hit.canonical), len(groups))
            found.append((index, *hit[:-1], linked, group))
    return pl.DataFrame(found, schema=FOUND, orient="row")


def _linked(hits: list[_Hit]) -> Iterator[tuple[_Hit, bool]]:
    """Each hit, and whether it is one that counts more beside others, and has such a one near."""
    hard, named = _Neighbours(_hard(hits)), _Neighbours(_of_somebody(hits))
    for hit in hits:
        beside = named if hit.entity == "PERSON" else hard
        yield hit, RECOGNIZERS[hit.entity].policy.linked is not None and beside.near(hit)


def _views_of(texts: pl.Series) -> list[list[Folded]]:
    """Of each text the folded one, and the one as written: folding ①13800138000 would glue two numbers."""
    changed, escaped = uncovered(texts)
    return [_views(text, folds) for text, folds in zip(texts, changed | escaped, strict=True)]


def _views(text: str | None, folds: bool) -> list[Folded]:
    if text is None:
        return []
    written = Folded(text, None)
    folded = fold(text) if folds else written
    return [written] if folded.text == text else [folded, written]


def _idle(texts: list[tuple[str, list[str]]]) -> list[set[str]]:
    """For each text, beside which stands what fired in it, the rules that cannot match there.

    None where the texts are too few to ask.
    """
    found: list[set[str]] = [set() for _ in texts]
    if len(texts) < FEW:
        return found
    by_entity: dict[str, list[int]] = {}
    for place, (_, fired) in enumerate(texts):
        for entity in fired:
            by_entity.setdefault(entity, []).append(place)
    asked: list[tuple[str, list[int], pl.Series, Sequence[str]]] = []
    for entity, places in by_entity.items():
        if tries_of := RECOGNIZERS[entity].tries:
            some = pl.Series([texts[place][0] for place in places], dtype=pl.String)
            asked += [(rule, places, some, tries) for rule, tries in tries_of.items()]
    for (rule, places, *_), likely in zip(asked, any_of((some, tries) for *_, some, tries in asked), strict=True):
        for place in compress(places, ~likely):
            found[place].add(rule)
    return found


def _read(presidio: "PresidioEngine", folded: Folded, entities: list[str], idle: Collection[str]) -> Iterator[_Hit]:
    for result in presidio.results(folded.text, entities, idle) if entities else ():
        yield _hit(result, folded)


def _hit(result: "RecognizerResult", folded: Folded) -> _Hit:
    value = folded.text[result.start : result.end]
    spec = RECOGNIZERS[result.entity_type]
    start, end = folded.span(result.start, result.end)
    metadata = result.recognition_metadata
    return _Hit(
        result.entity_type,
        start,
        end,
        round(result.score, 2),
        metadata["state"],
        metadata["rule"],
        spec.mask(value),
        spec.canonical(value),
    )


def _hard(hits: list[_Hit]) -> list[_Hit]:
    """Identifiers of one person: neither known from documentation nor an institution's."""
    return [hit for hit in hits if RECOGNIZERS[hit.entity].policy.hard and hit.state not in _NOBODYS]


def _of_somebody(hits: list[_Hit]) -> list[_Hit]:
    """What a name is looked for beside: the identifiers of one person, and the door behind which somebody lives."""
    return sorted(
        [*_hard(hits), *(hit for hit in hits if hit.entity == "ADDRESS" and hit.state == "valid")], key=_start
    )


def _start(hit: _Hit) -> int:
    return hit.start


def _told_public_as_read(text: str, hits: list[_Hit], before: str) -> list[_Hit]:
    """As `_told_public`; words in escapes, as JSON in a call has them, are read first."""
    read = fold(text) if hits and "\\u" in text else Folded(text, None)
    if read.offsets is None:
        return _told_public(text, hits, before)
    starts = read.offsets[0]
    moved = [hit._replace(start=bisect_left(starts, hit.start), end=bisect_left(starts, hit.end)) for hit in hits]
    told = _told_public(read.text, moved, before)
    return [hit._replace(state=other.state) for hit, other in zip(hits, told, strict=True)]


def _told_public(text: str, hits: list[_Hit], before: str) -> list[_Hit]:
    """Mark what is an institution's, unless a private identifier stands beside it and it does not say so itself."""
    somebodys = [hit for hit in hits if hit.state not in _NOBODYS]
    itself = {hit for hit in somebodys if says_itself(hit.entity, text, hit.start, hit.end)}
    mail = [hit for hit in somebodys if hit.entity == "EMAIL_ADDRESS"]
    roles = [hit.start for hit in mail if hit in itself or is_public(hit.entity, text, hit.start, hit.end)]
    public = {hit for hit in somebodys if is_public(hit.entity, text, hit.start, hit.end, before, roles)}
    public |= _listed(text, somebodys, public)
    private = _Neighbours([hit for hit in _hard(hits) if hit not in public])
    freed = {hit for hit in public if hit in itself or not private.near(hit)}
    return [hit._replace(state="public") if hit in freed else hit for hit in hits]


def _listed(text: str, hits: list[_Hit], public: set[_Hit]) -> set[_Hit]:
    """The telephones in a list with an institution's: 010-69016673;13716225663."""
    found: set[_Hit] = set()
    pairs = list(pairwise(hit for hit in hits if hit.entity in _TELEPHONES))
    for known, other in [*pairs, *((after, before) for before, after in reversed(pairs))]:
        first, last = sorted((known, other), key=lambda hit: hit.start)
        if known in public | found and are_of_one(text[first.end : last.start], text[last.end :]):
            found.add(other)
    return found


def _with_names(
    presidio: "PresidioEngine", text: str, hits: list[_Hit], names: Names, free: Sequence[FreeName]
) -> list[_Hit]:
    """Add the names that the tagger finds around hard identifiers or in all of the text, or those found without it."""
    from datacheck.pii.names import judged

    spans = [(0, len(text))] if names == "full" else [(hit.start, hit.end) for hit in _of_somebody(hits)]
    unlabelled = [result for name in free if (result := judged(text, *name))]
    found = [*unlabelled, *(presidio.names(text, spans, tagged=names != "model") if spans else ())]
    return _settle([*hits, *(_hit(result, Folded(text, None)) for result in found)]) if found else hits


def _settle(hits: list[_Hit]) -> list[_Hit]:
    """Where hits overlap keep one: sure before suspect, then the entity's priority, then the longer.

    Linear in practice: accepted spans do not overlap, so a binary search tells whether a new one does.
    """
    kept: list[_Hit] = []
    taken: list[tuple[int, int]] = []
    for hit in sorted(hits, key=_rank):
        if not _overlaps(taken, hit):
            kept.append(hit)
            insort(taken, (hit.start, hit.end))
    return sorted(kept, key=lambda hit: hit.start)


class _Neighbours:
    """Settled hits (in their order, without overlaps), asked which other hits are near: a text may have 100,000."""

    def __init__(self, hits: list[_Hit]) -> None:
        self._starts, self._ends = [hit.start for hit in hits], [hit.end for hit in hits]

    def near(self, hit: _Hit) -> bool:
        """Whether at most LINK code points lie between the hit and one of these."""
        at = bisect_left(self._ends, hit.start - LINK)
        return at < len(self._ends) and self._starts[at] <= hit.end + LINK


def _overlaps(taken: list[tuple[int, int]], hit: _Hit) -> bool:
    at = bisect_left(taken, (hit.end, 0))  # the last span that starts before the hit ends
    return at > 0 and taken[at - 1][1] > hit.start


def _rank(hit: _Hit) -> tuple[int, float, int, float, int, str]:
    spec = RECOGNIZERS[hit.entity]
    return _STATE_RANK[hit.state], spec.priority, hit.start - hit.end, -hit.score, hit.start, hit.rule
