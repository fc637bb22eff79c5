"""What was written is looked at again: as an audit does, and for all that was replaced.

By two readings that share nothing, so that what replaced the values does not vouch for itself (`pii.traces`,
`pii.remains`), and for forms that only a stricter look sees (`pii.doubtful`). What is left is said, by place.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from datacheck.derive.manifest import LEFT, DerivedDataset, LeftValue, Redaction
from datacheck.derive.records import written_rows
from datacheck.derive.redact import BLOCKS, Plan, Redactor, digits_of_values, mended
from datacheck.derive.split_files import new_file
from datacheck.engine.contain import tables_in
from datacheck.errors import LoadError
from datacheck.i18n.message import Message
from datacheck.loading.reading import Reading
from datacheck.pii.excerpts import excerpt
from datacheck.pii.pseudonyms import key_id
from datacheck.pii.redact.doubtful import doubtful
from datacheck.pii.redact.leaves import Scalar
from datacheck.pii.redact.remains import Remains
from datacheck.pii.redact.traces import Traces
from datacheck.pii.redact.unsure import unsure
from datacheck.pii.redact.users import folders
from datacheck.pii.split import Utterance, splits

_AT_ONCE = 10_000  # written rows that are searched again: a file may not fit in memory


def read_as_audited(redactor: Redactor, path: Path, reading: Reading) -> tuple[int, Counter[str]]:
    """Count the blocking hits of a file, as an audit does, and by entity what is public and was left on purpose."""
    blocking, public = 0, Counter[str]()
    for _, tables in tables_in(path, reading):
        hits = redactor.hits(tables)
        blocking += hits.filter(BLOCKS).height
        public.update(hits.filter((pl.col("state") == "public") & (pl.col("level") != "off"))["entity"].to_list())
    return blocking, public


def left(redactor: Redactor, path: Path, reading: Reading, plan: Plan) -> Iterator[tuple[int, int, str, str, bool]]:
    """Yield row, line, place and entity of what still stands in a written file, whatever a recognizer says.

    And whether it was replaced elsewhere; else it has a form that only a stricter look sees (see `doubtful`).
    """
    rough: list[tuple[int, int, Scalar]] = []
    written = ((row, line, list(own)) for row, line, own in written_rows(path, reading, plan.looked_at))
    while rows := list(islice(written, _AT_ONCE)):
        standing = plan.everywhere.in_texts([json.dumps([own.text for own in each]) for *_, each in rows])
        for (row, line, scalars), others in zip(rows, standing, strict=True):
            values = [*plan.originals.get(row, ()), *others]
            traces, remains = Traces(plan.originals.get(row, ()), others), Remains(plan.originals.get(row, ()))
            for scalar in scalars:
                standing_here = [value for value, _, _ in traces.inside(scalar.text)]
                # by two readings, which share nothing: what replaced the values cannot vouch for itself
                missed = [value for value in remains.inside(scalar.text) if value not in standing_here]
                found = [values[value].entity for value in (*standing_here, *missed)]
                yield from ((row, line, scalar.path, entity, True) for entity in found)
                if row in plan.originals and not found:
                    rough.append((row, line, scalar))
                    if "SOCIAL_HANDLE" in redactor.check.looked_for and any(folders(scalar.text)):
                        yield row, line, scalar.path, "SOCIAL_HANDLE", False
            if plan.originals.get(row) and "PERSON" in redactor.check.looked_for:
                doubts = unsure([scalar.text for scalar in scalars], redactor.is_made)
                yield from ((row, line, scalars[number].path, "PERSON", False) for number in doubts)
            spoken = [scalar for scalar in scalars if any(map(str.isdigit, scalar.text))]
            split = splits(
                [Utterance(None, scalar.text) for scalar in spoken], digits_of_values(values), known_only=True
            )
            yield from ((row, line, spoken[each.parts[0].turn].path, each.entity, True) for each in split)
    for number, entity in doubtful(
        [scalar.text for _, _, scalar in rough], redactor.check.looked_for, redactor.is_made
    ):
        row, line, scalar = rough[number]
        yield row, line, scalar.path, entity, False


def looked_at_again(
    made: Mapping[str, tuple[DerivedDataset, Sequence[Plan]]],
    menders: Mapping[str, Redactor],
    readings: Mapping[str, Reading],
    folder: Path,
    tell: Callable[[str], None],
) -> Redaction:
    """Look at all that was kept as an audit does, and for what was replaced: the facts, and left.jsonl.

    Raises LoadError if something still blocks.
    """
    listed: list[LeftValue] = []
    public = Counter[str]()
    for name, (dataset, plans) in made.items():
        for file, plan in zip(dataset.files, plans, strict=True):
            tell(f"verify {name}/{file.path}")
            if file.kept is not None:
                written, reading = folder / file.kept.path, readings[name]
                hits, institutions = read_as_audited(menders[name], written, reading)
                _refuse_what_blocks(f"{name}/{file.path}", hits)
                public.update(institutions)
                listed += _left_values(name, file.path, left(menders[name], written, reading, plan))
    if listed:
        with new_file(folder / LEFT) as lines:
            lines.writelines(each.model_dump_json().encode() + b"\n" for each in listed)
    return _facts(made, menders, len(listed), public)


def _refuse_what_blocks(file: str, hits: int) -> None:
    if hits:
        what = Message.plural(
            "{n} blocking hit is left in the redacted copy", "{n} blocking hits are left in the redacted copy", hits
        )
        raise LoadError("{path}: {what}", path=file, what=what)


def _left_values(dataset: str, file: str, found: Iterable[tuple[int, int, str, str, bool]]) -> Iterator[LeftValue]:
    for row, line, where, entity, known in found:
        yield LeftValue(
            dataset=dataset,
            file=file,
            line=line,
            row=row,
            where=excerpt(where),
            entity=entity,
            replaced_elsewhere=known,
        )


def _facts(
    made: Mapping[str, tuple[DerivedDataset, Sequence[Plan]]],
    menders: Mapping[str, Redactor],
    left: int,
    public: Mapping[str, int],
) -> Redaction:
    plans = [plan for _, plans in made.values() for plan in plans]
    entities = Counter(entity for plan in plans for string in plan.told for entity, _ in string.replaced)
    keys = {mender.check.key: mender.check.secret() for mender in menders.values()}
    key, secret = next(iter(keys.items())) if len(keys) == 1 else (None, None)
    return Redaction(
        findings=tuple(sorted(mended({name: mender.check for name, mender in menders.items()}))),
        strings=sum(file.redacted for dataset, _ in made.values() for file in dataset.files),
        values=dict(sorted(entities.items())),
        not_redactable=sum(len(plan.stuck) for plan in plans),
        key=key,
        key_id=key_id(secret) if secret else None,
        blocking_hits=0,
        left=left,
        public=dict(sorted(public.items())),
    )
