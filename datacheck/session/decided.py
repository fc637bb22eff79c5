"""Decisions of people, as they are written down to be signed, and as a run goes by them.

Nothing here hides a secret or an item of a red line: a check that counts such (`Metric.unwaivable`) speaks of every
row, whoever suppresses it, and a secret is never an allowed value.
"""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from datacheck.check import Check, Model
from datacheck.contract.discover import check_class, check_names
from datacheck.contract.model import Contract, Dataset
from datacheck.contract.reader import SettingsReader
from datacheck.contract.yaml import load_yaml
from datacheck.engine.measure import Measurement
from datacheck.errors import ContractError, DatacheckError, WrongValueError, unknown
from datacheck.files import strictjson
from datacheck.files.versions import DECISIONS
from datacheck.gate.decisions import (
    MOST_ROWS,
    ROW,
    Allowance,
    GivenDecisions,
    HumanDecision,
    Suppression,
    Waiver,
    day_of,
    require_signable,
)
from datacheck.gate.trust import Trust, today
from datacheck.gate.verify import read_signed
from datacheck.gate.waivers import draft
from datacheck.i18n.message import Message
from datacheck.pii.policy import SECRETS
from datacheck.pii.rules import Allowed
from datacheck.verdict.judge import Outcomes
from datacheck.verdict.model import DecisionEntry, DecisionsEntry, Sentence

_GUARDS = Message(
    "this check guards secrets or a red line, which no decision hides; take the rows out of the data (datacheck apply)"
)
_SECRET = Message("a secret or a credential never stays; take it out of the data")


# --- what is written down to be signed ---


class _AllowedValue(Model):
    entity: str | None = None
    value: str | None = None
    domain: str | None = None


class _Written(Model):
    """One decision of the file: one of `suppress`, `allow` and `waive` (the path of a version that failed)."""

    suppress: tuple[Annotated[str, Field(pattern=f"^{ROW.pattern}$")], ...] | None = None
    allow: _AllowedValue | None = None
    waive: str | None = None
    check: str | None = None
    dataset: str | None = None
    finding: str | None = None
    owner: str
    reason: str
    until: str


class _WrittenFile(Model):
    decisions: list[Any]


class Unsigned(NamedTuple):
    """Decisions to be signed; the versions of which something is waived, and who signed the verdicts of these."""

    decisions: tuple[HumanDecision, ...]
    versions: tuple[Path, ...]
    signers: tuple[str, ...]


def read_written(path: Path, trust: Trust) -> Unsigned:
    """Read a file of decisions that somebody is to sign. Raises ContractError with every mistake and its line."""
    document = load_yaml(path, str(path))
    reader = SettingsReader(str(path), document)
    file = reader.model(_WrittenFile, document.value, ())
    decisions: list[HumanDecision] = []
    versions: dict[Path, tuple[str, ...]] = {}
    for number, raw in enumerate(file.decisions if file else ()):
        written = reader.model(_Written, raw, ("decisions", number))
        if written is None:
            continue
        try:
            decisions.append(_decision(written, path.absolute().parent, trust, versions))
        except (DatacheckError, WrongValueError) as error:
            reader.complain(("decisions", number), error.message)
    if file and not file.decisions:
        reader.complain(("decisions",), "no decisions; write at least one")
    if reader.problems:
        raise ContractError(dict.fromkeys(reader.problems))
    return Unsigned(tuple(decisions), tuple(versions), tuple({key for keys in versions.values() for key in keys}))


def _decision(written: _Written, folder: Path, trust: Trust, versions: dict[Path, tuple[str, ...]]) -> HumanDecision:
    if [written.suppress, written.allow, written.waive].count(None) != 2:
        raise WrongValueError("expected one of suppress, allow and waive")
    if written.waive is not None:
        return _waiver(written, (folder / written.waive).resolve(), trust, versions)
    if written.check not in check_names():
        raise WrongValueError("check: {what}", what=unknown("check", written.check or "", check_names()))
    if written.dataset is None:
        raise WrongValueError("expected the dataset beside the check")
    told = written.model_dump(include={"check", "dataset", "finding", "owner", "reason"})
    told |= {"created": today(), "expires": day_of(written.until)}
    if written.suppress is not None:
        if not 0 < len(written.suppress) <= MOST_ROWS:
            raise WrongValueError("suppress: expected 1 to {most:,} ids of rows", most=MOST_ROWS)
        made: HumanDecision = Suppression(**told, rows=tuple(dict.fromkeys(written.suppress)))
    else:
        made = Allowance(**told, **(written.allow.model_dump() if written.allow else {}))
    require_signable(made)
    why = _why_not(made, check_class(made.check))
    if why is not None:
        raise WrongValueError("{why}", why=why)
    return made


def _waiver(written: _Written, path: Path, trust: Trust, versions: dict[Path, tuple[str, ...]]) -> Waiver:
    if (written.check is None) != (written.dataset is None) or (written.check is None) == (written.finding is None):
        raise WrongValueError("waive: expected a finding, or a check and its dataset")
    signed = read_signed(path, trust)
    versions[path] = signed.signers
    scope = {"finding": written.finding, "check": written.check, "dataset": written.dataset}
    return draft(signed.verdict, **scope, owner=written.owner, reason=written.reason, until=written.until)


def _why_not(decision: HumanDecision, kind: type[Check]) -> Message | None:
    """Why nobody may decide that of a check; None where they may."""
    if isinstance(decision, Suppression):
        guards = any(metric.unwaivable is not None for metric in kind.metrics.values())
        return _GUARDS if guards else None
    if not isinstance(decision, Allowance):
        return None
    if "allow" not in kind.model_fields:
        return Message("{check} has no allow-list; suppress rows by their ids", check=decision.check)
    if decision.entity in SECRETS:
        return _SECRET
    try:
        _allowed(decision)
    except ValidationError as errors:
        return Message("{what}", what=str(errors.errors(include_input=False)[0]["msg"]))
    return None


def _allowed(decision: Allowance) -> Allowed:
    return Allowed(
        entity=decision.entity,
        value=decision.value,
        domain=decision.domain,
        owner=decision.owner,
        reason=decision.reason,
        expires=decision.expires,
    )


# --- how a run goes by them ---


class DecidedContract(NamedTuple):
    """A contract with what was decided of its findings; `why_not`: by decision, why it does not apply."""

    contract: Contract
    given: GivenDecisions
    why_not: Mapping[HumanDecision, Message]

    def entry(self, outcomes: Outcomes) -> DecisionsEntry:
        """What the report says of them, with the rows that each has suppressed."""
        rows = self._rows(outcomes)
        told = tuple(_entry(each, self.why_not.get(each), rows[each]) for each in self._for_runs())
        given = self.given
        refused = Sentence.of(given.refused) if given.refused else None
        return DecisionsEntry(
            file=given.file, sha256=given.sha256, signer=given.signer, refused=refused, decisions=told
        )

    def idle(self) -> tuple[Message, ...]:
        """What was given and does not apply, and why."""
        if self.given.refused is not None:
            return (Message("NOT APPLIED: {file}: {why}", file=self.given.file, why=self.given.refused),)
        return tuple(_idle(decision, why) for decision, why in self.why_not.items())

    def _for_runs(self) -> Iterator[Suppression | Allowance]:
        return (each for each in self.given.decisions if isinstance(each, Suppression | Allowance))

    def _rows(self, outcomes: Outcomes) -> Counter[HumanDecision]:
        """By suppression how many rows it took out; a row that two name counts for the first."""
        found: Counter[HumanDecision] = Counter()
        for dataset in self.contract.datasets.values():
            for check in dataset.checks:
                outcome = outcomes.get(dataset.finding(check))
                gone = dict(outcome.facts.get("suppressed", {})) if isinstance(outcome, Measurement) else {}
                for each in self._for_runs():
                    if isinstance(each, Suppression) and _names(each, dataset, check) and each not in self.why_not:
                        found[each] += sum(gone.pop(row, 0) for row in each.rows)
        return found


def decide(contract: Contract, given: GivenDecisions, day: dt.date) -> DecidedContract:
    """The contract as it is with decisions. What applies is an input of it: with others it is another question."""
    datasets = dict(contract.datasets)
    applied: list[HumanDecision] = []
    why_not: dict[HumanDecision, Message] = {}
    for each in given.decisions:
        if isinstance(each, Waiver):
            continue
        own = [(d, check) for d in datasets.values() for check in d.checks if _names(each, d, check)]
        why = _why_idle(each, [check for _, check in own], day)
        if why is not None:
            why_not[each] = why
            continue
        applied.append(each)
        for dataset, check in own:
            datasets[dataset.name] = _with(datasets[dataset.name], check, each, day)
    if not applied:
        return DecidedContract(contract, given, why_not)
    digest = hashlib.sha256(strictjson.canonical([each.facts() for each in applied])).hexdigest()
    inputs = {**contract.inputs, DECISIONS: digest}
    return DecidedContract(replace(contract, datasets=datasets, inputs=inputs), given, why_not)


def with_decisions(contract: Contract, given: GivenDecisions | None, day: dt.date | None) -> Contract:
    """The contract as it is with what was decided, if anything was; `day`: of an earlier run, else today."""
    return contract if given is None else decide(contract, given, day or today()).contract


def _names(decision: HumanDecision, dataset: Dataset, check: Check) -> bool:
    return decision.names(dataset.finding(check), check.check, dataset.name)


def _why_idle(decision: HumanDecision, checks: Sequence[Check], day: dt.date) -> Message | None:
    if decision.expired(day):
        return Message("expired on {day}", day=str(decision.expires))
    if not checks:
        return Message("the contract has no such check")
    return _why_not(decision, type(checks[0]))


def _with(dataset: Dataset, check: Check, decision: HumanDecision, day: dt.date) -> Dataset:
    finding = dataset.finding(check)
    if isinstance(decision, Suppression):
        rows = dataset.suppressed.get(finding, frozenset()) | set(decision.rows)
        return replace(dataset, suppressed={**dataset.suppressed, finding: rows})
    settings: Any = next(each for each in dataset.checks if dataset.finding(each) == finding)
    allow = (*settings.allow, _allowed(decision)) if isinstance(decision, Allowance) else settings.allow
    changed = settings.model_copy(update={"allow": allow, "as_of": settings.as_of or day})
    return replace(dataset, checks=tuple(changed if each is settings else each for each in dataset.checks))


def _idle(decision: HumanDecision, why: Message) -> Message:
    return Message("NOT APPLIED: {decision}: {why}", decision=decision.line(), why=why)


def _entry(decision: Suppression | Allowance, why: Message | None, rows: int) -> DecisionEntry:
    if why is not None:
        said = _idle(decision, why)
    elif isinstance(decision, Suppression):
        said = Message.plural(
            "{n:,} row suppressed of {decision}", "{n:,} rows suppressed of {decision}", rows, decision=decision.line()
        )
    else:
        said = Message("one more allowed value of {decision}", decision=decision.line())
    kind: Literal["suppress", "allow"] = "suppress" if isinstance(decision, Suppression) else "allow"
    counted = rows if isinstance(decision, Suppression) else None
    return DecisionEntry(kind=kind, applied=why is None, rows=counted, said=Sentence.of(said))
