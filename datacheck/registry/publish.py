"""Publish a drop: is its manifest true, does it keep the contract, sign, record, and move it; or answer what is known.

The order makes a crash harmless. The drop is moved to staged/, validated and signed there; one transaction records the
verdict and what becomes of the version; only then it is moved. What a dead call leaves, the next one finishes or takes
back. A question that the ledger has answered (same data, contract, other datasets, code, strictness, day) is not asked
again; an `error` is never an answer.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from datacheck.contract import discover
from datacheck.contract.load import load_contract
from datacheck.contract.model import Contract, Dataset
from datacheck.engine.store import code_digest
from datacheck.errors import DatacheckError, LoadError, RefusedError, TamperedError, UsageError, WaiverError
from datacheck.files import strictjson, versions
from datacheck.files.versions import MANIFEST, REPORT, VERDICT, shown
from datacheck.gate.cosign import cosign
from datacheck.gate.keys import PrivateKey
from datacheck.gate.ledger import Draft, Entry, Ledger, LedgerError
from datacheck.gate.outcomes import Scope, ScopeState, answer_of, before, fates, free
from datacheck.gate.standing import hexed
from datacheck.gate.trust import Trust, today
from datacheck.gate.verdict import Verdict
from datacheck.gate.verify import Signed, read_signed, same_data, same_report, verdict_id
from datacheck.gate.waivers import read_waivers, unwaived
from datacheck.i18n.message import Message, joined
from datacheck.registry.claims import LEASE, Claim, beating, claim, default_owner, release, state, still_held
from datacheck.registry.erasure import require_not_forgotten
from datacheck.registry.registry import Registry, carry_waivers, check_channel, sha256_of, sync_tree
from datacheck.session.options import Options

if TYPE_CHECKING:  # only what is not known is run, and only that needs the libraries of data
    from datacheck.session.session import Session
    from datacheck.verdict.model import Report

EARLIER = "published:"  # instead of a path: what a channel, by default this one, had before this version
_TOLD = 5  # findings that are named in a line
_LOOK = 0.2  # seconds between two looks at a claim of somebody else

Status = Literal["published", "quarantined", "revoked", "undecided", "interrupted"]
Hashed = Callable[[int, int], None]  # (bytes that have just been hashed, bytes of the drop)
Execute = Callable[["Session"], str | None]  # runs the plan; returns the name of the signal that stopped it, or None


class BusyError(LedgerError):
    """Another worker has this version now."""


@dataclass(frozen=True)
class PublishRules:
    """By what a drop is judged, and who answers for it.

    Args:
        contract: the YAML file.
        key: signs the verdict.
        cosigners: sign it too, where the trust file asks for several.
        trust: whose keys count: the validator's own, and those of approvers.
        data: dataset name → path, as `--data`; a path in the drop follows it. `published:` or `published:CHANNEL`: what
            the channel had before this version; the dataset must be optional, for at first there is nothing.
        channel: which pointer moves to the version; by default the contract's name.
        options: how to run; `out`, `sign` and `version` are set here.

    """

    contract: Path
    key: PrivateKey
    trust: Trust
    data: Mapping[str, str] = field(default_factory=dict)
    channel: str | None = None
    options: Options = field(default_factory=Options)
    cosigners: tuple[PrivateKey, ...] = ()

    @property
    def keys(self) -> tuple[PrivateKey, ...]:
        """All that sign."""
        return (self.key, *self.cosigners)


class Outcome(NamedTuple):
    """What became of a drop. `known`: the ledger had the answer; `waived`, `reason` and `idle` are for people.

    `idle`: decisions that were given and do not apply, and why.
    """

    status: Status
    version: str
    path: Path
    verdict: str
    channel: str
    known: bool
    seq: int
    waived: tuple[str, ...] = ()
    reason: str = ""
    idle: tuple[Message, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 published, 1 the contract is violated, 3 could not decide."""
        return {"published": 0, "quarantined": 1, "revoked": 1}.get(self.status, 3)


def publish(
    drop: Path,
    rules: PublishRules,
    registry: Registry,
    *,
    wait: bool = True,
    lease: float = LEASE,
    execute: Execute | None = None,
    hashed: Hashed | None = None,
) -> Outcome:
    """Take a drop in, once, whoever else tries; publish it, or put it into quarantine with its report.

    Args:
        drop: a folder with a _MANIFEST.json.
        rules: by what it is judged.
        registry: where it goes.
        wait: for another worker that has this version, and answer what that one found; else BusyError.
        lease: seconds after which a worker that does not answer counts as dead.
        execute: runs the plan, as a flow does; by default on this machine.
        hashed: hears how many bytes of the drop have just been hashed, of how many.

    Raises:
        UsageError: no drop, no manifest, a wrong contract, a key that is not trusted as a validator's.
        LoadError: the manifest is not true, or a file changed. LedgerError: the ledger is full, cut or changed.

    """
    job = Job(drop, rules, registry, hashed)
    with (
        LoadError.instead(
            OSError,
            "{drop}: nothing was published ({reason}); free space, or mend the disk or the rights, and run again",
            drop=shown(drop),
        ),
        registry.ledger() as ledger,
    ):
        require_not_forgotten(ledger.verified(), job.manifest.id)
        job.find_earlier(ledger)
        while True:
            found = _once(job, ledger, lease, execute or _plainly)
            if found is not None:
                return found._replace(idle=job.idle)
            if not wait:
                raise BusyError("{drop}: another worker validates this version now; look again later", drop=shown(drop))
            time.sleep(_LOOK)


def _once(job: Job, ledger: Ledger, lease: float, execute: Execute) -> Outcome | None:
    """The answer, or None while somebody else works on it."""
    if job.present(ledger):
        found = job.answer(ledger)
        if found is not None:
            return found
        job.require_readable()
    held = claim(ledger, job.manifest.id, default_owner(), lease, key=job.claim)
    if held is None:
        return None
    try:
        with beating(ledger, held):
            return job.work(ledger, held, execute)
    finally:
        _let_go(ledger, held)


def _plainly(session: Session) -> str | None:
    session.run()
    return None


def _let_go(ledger: Ledger, held: Claim) -> None:
    try:
        release(ledger, held)
    except LedgerError:  # it ran out, or nothing can be written: it ends with its lease
        return


def require_validator(key: PrivateKey, trust: Trust) -> None:
    """Raises UsageError for a key whose signatures do not count."""
    if trust.why_not(key.key_id, "validator") is not None:
        raise UsageError(
            "--sign: nobody would accept this key; "
            "expected it among the validators of {file}: datacheck keys trust KEY.pub",
            file=shown(trust.file),
        )


class Job:
    """One drop and its question."""

    def __init__(self, drop: Path, rules: PublishRules, registry: Registry, hashed: Hashed | None = None) -> None:
        discover.use_folder(rules.options.checks)
        self.given = drop
        self.rules = rules
        self.registry = registry
        self.hashed = hashed
        self.drop = drop.resolve()
        if not self.drop.is_dir():
            raise UsageError(
                "{drop}: no such folder; expected a drop "
                "(a drop that was published or put into quarantine has moved: see datacheck history)",
                drop=shown(drop),
            )
        for key in rules.keys:
            require_validator(key, rules.trust)
        manifest = versions.read_manifest(self.drop)
        if manifest is None:
            raise UsageError(
                "{manifest}: not there, so the drop is not complete; "
                "when all files are there: datacheck manifest {drop}",
                manifest=shown(drop / MANIFEST),
                drop=shown(drop),
            )
        self.manifest = manifest
        self.claim = f"publish:{manifest.id}"
        self.asked = ""
        self.idle: tuple[Message, ...] = ()
        self.within = self._bind()
        self.channel = check_channel(rules.channel or self._name)
        self.scope = Scope(manifest.id, self.channel, self._name)

    def _bind(self) -> dict[str, str | None]:
        """By dataset that `--data` names: its path within the drop, None for one elsewhere."""
        contract = load_contract(self.rules.contract, run=self.rules.options.run, located=False)
        self._name = contract.name
        given = dict(self.rules.data)
        if not given:
            open_ones = [name for name, entry in contract.datasets.items() if entry.source.path is None]
            mine = open_ones or list(contract.datasets)
            if len(mine) != 1:
                raise UsageError(
                    "{given}: which dataset of the contract is it? add --data NAME={given}, with one of: {known}",
                    given=shown(self.given),
                    known=", ".join(contract.datasets),
                )
            given = {mine[0]: str(self.drop)}
        self.elsewhere = given
        self.nothing_yet: tuple[str, ...] = ()
        within: dict[str, str | None] = {}
        for name, path in given.items():
            place = Path(path).resolve()
            inside = place.is_relative_to(self.drop) and not path.startswith(EARLIER)
            within[name] = place.relative_to(self.drop).as_posix() if inside else None
        if all(place is None for place in within.values()):
            raise UsageError(
                "--data: no path lies in {given}; expected at least one dataset there", given=shown(self.given)
            )
        return within

    def find_earlier(self, ledger: Ledger) -> None:
        """Look up the versions that stand for `published:`; of a channel without one the dataset is left out."""
        for name, path in self.elsewhere.items():
            if path.startswith(EARLIER):
                channel = check_channel(path.removeprefix(EARLIER) or self.channel)
                fate = before(fates(ledger.verified()), self.scope, channel)
                if fate is None:
                    del self.within[name]
                    self.nothing_yet += (name,)
                else:
                    self.elsewhere[name] = str(self.registry.root / fate.place)

    def data(self, folder: Path) -> dict[str, str]:
        """The bindings, with the drop at `folder`."""
        return {
            name: self.elsewhere[name] if place is None else str(folder / place) for name, place in self.within.items()
        }

    def _contract(self) -> Contract:
        """The contract, with the drop where it is now."""
        options = self.rules.options
        contract = load_contract(
            self.rules.contract,
            self.data(self.drop),
            run=options.run,
            as_of=options.as_of,
            nothing_yet=self.nothing_yet,
            python=options.trainer_python,
            graders=options.graders,
            graders_in=options.graders_in,
            run_tests=options.run_tests,
        )
        if options.decisions is None:
            return contract
        from datacheck.session.decided import decide

        decided = decide(contract, options.decisions, options.as_of or today())
        self.idle = decided.idle()
        return decided.contract

    def require_readable(self) -> None:
        """Whatever the run would refuse to list is refused before anything is claimed or moved."""
        from datacheck.files.inventory import inventory

        try:
            inventory(self._contract())
        except (DatacheckError, OSError):
            if self.drop.exists():  # else another worker has just moved it
                raise

    def question(self) -> str:
        """A digest of everything that the verdict depends on, but for the day."""
        options = self.rules.options
        contract = self._contract()
        elsewhere = [dataset for dataset in contract.datasets.values() if self.within.get(dataset.name) is None]
        outside = {dataset.name: _digests(dataset) for dataset in elsewhere}
        inside = {name: place for name, place in self.within.items() if place is not None}
        baseline = sha256_of(options.baseline / "report.json") if options.baseline else None
        as_of = options.as_of.isoformat() if options.as_of else None
        how = [code_digest(), options.strict, dict(options.run), baseline, as_of]
        parts = [self.manifest.id, dict(contract.inputs), inside, outside, how]
        return hashlib.sha256(strictjson.canonical(parts)).hexdigest()

    # --- what is known ---

    def present(self, ledger: Ledger) -> bool:
        """Whether the drop can be asked about: where it was given, or where another worker has put it meanwhile."""
        registry = self.registry
        for _ in range(3):  # it may be moved on between two looks
            for folder in (self.drop, *registry.places(self.manifest.id)):
                if folder.exists():
                    self.drop = folder
                    return True
            if state(ledger, self.claim) != "free" or registry.left(self.manifest.id):
                return False
        raise UsageError(
            "{given}: was taken away meanwhile; expected a drop that nobody moves", given=shown(self.given)
        )

    def _require_true(self) -> None:
        hashed, of = self.hashed, self.manifest.bytes
        found = versions.scan(self.drop, tell=(lambda read: hashed(read, of)) if hashed else None)
        told = versions.differences(self.manifest, found)
        if told:
            root = shown(self.given.name)
            lines = [Message("{root}/{what}", root=root, what=line) for line in told[:10]]
            hint = Message(
                "the drop is not what its {manifest} says; deliver it again, or write a new manifest", manifest=MANIFEST
            )
            raise LoadError(joined([*lines, hint], "\n"))

    def answer(self, ledger: Ledger) -> Outcome | None:
        """The answer that the ledger has; None if the drop must be validated, or is being moved just now.

        Raises LoadError where the manifest is not true.
        """
        try:
            if not self.asked:
                self._require_true()
                self.asked = self.question()
        except (DatacheckError, OSError):
            if self.drop.exists():
                raise
            return None  # another worker has moved it between two looks
        _, fate = self._fates(ledger)
        if fate is None or fate.verdict is None or fate.entry.kind == "revoke" or not self._same(fate.verdict):
            return None
        folder = self.registry.root / fate.place
        equal = [e for e in ledger.entries(self.manifest.id, ("verdict",)) if answer_of(e) == fate.answer]
        known = {entry.fact("envelope") for entry in equal}
        if verdict_id(folder / VERDICT) not in known:
            return None
        try:
            signed = read_signed(folder, self.rules.trust, enough=False)
        except TamperedError:  # somebody has added what is no signature
            return None
        allowed = _allowed(folder, signed.verdict, signed.signers, self.rules.trust)
        if allowed.yes != fate.stands and not allowed.unsigned:
            return None
        status: Status = "published" if allowed.yes else "undecided" if fate.stands else "quarantined"
        seq, judged = fate.entry.seq, signed.verdict.verdict
        return Outcome(
            status, self.manifest.id, folder, judged, self.channel, True, seq, allowed.waived, allowed.reason
        )

    def _fates(self, ledger: Ledger) -> tuple[dict[Scope, ScopeState], ScopeState | None]:
        """What became of this version in every scope, and in this one."""
        found = {scope: fate for scope, fate in fates(ledger.verified()).items() if scope.version == self.manifest.id}
        return found, found.get(self.scope)

    def _same(self, entry: Entry) -> bool:
        facts = entry.facts
        day = self.rules.options.as_of or dt.datetime.now(tz=dt.UTC).astimezone().date()
        return (
            facts["question"] == self.asked
            and facts["verdict"] in ("pass", "warn", "fail")
            and facts["day"] in (None, day.isoformat())
        )

    # --- what is not ---

    def work(self, ledger: Ledger, held: Claim, execute: Execute) -> Outcome | None:
        """Validate, sign, record and move; the claim is ours."""
        self.registry.recover(ledger)
        if not self.present(ledger):
            return None
        known = self.answer(ledger)
        if known is not None:
            return known
        box, (_, fate) = self.registry.box(held), self._fates(ledger)
        own = self.registry.root / fate.place if fate is not None and fate.published is not None else None
        try:
            if own is not None and own.exists() and self.registry.is_published(own):
                folder = self.registry.stage_again(held, own)
            elif self.registry.is_published(self.drop):  # published by another contract, or in another channel
                folder = self.registry.stage_again(held, self.drop, waivers=False)
            else:
                folder = self.registry.stage(ledger, held, self.drop, self.manifest)
                carry_waivers(self.registry.quarantine(self.manifest.id), folder)
                signed = self._signed_since(folder, fate)
                if signed is not None:
                    return self._publish_signed(ledger, held, folder, signed)
            report, verdict = self.validate(folder, box, execute)
            if verdict is None:
                return self._stopped(ledger, held, report)
            return self._decided(ledger, held, folder, report, verdict)
        finally:
            self._mend(ledger, box)

    def _mend(self, ledger: Ledger, box: Path) -> None:
        """After a failure on the way: finish or take back. After a success nothing is left of the box."""
        if box.exists():
            with self.registry.moving(ledger):
                self.registry.finish(ledger, box)

    def validate(self, folder: Path, box: Path, execute: Execute) -> tuple[Report, Verdict | None]:
        """Run the contract on the drop at `folder`. Without a verdict: the run was stopped, nothing is signed."""
        from datacheck.session.session import Session

        options = replace(
            self.rules.options, out=box / REPORT, sign=self.rules.key, version=folder, nothing_yet=self.nothing_yet
        )
        with Session(self.rules.contract, self.data(folder), options) as session:
            stopped = execute(session)
            report = session.finish(stopped)
            if stopped is not None:
                return report, None
            if session.signed is None:
                raise LoadError("{given}: was not signed; nothing was published", given=shown(self.given))
            for key in self.rules.cosigners:
                cosign(folder, key, self.rules.trust)
            return report, session.signed[0]

    def _stopped(self, ledger: Ledger, held: Claim, report: Report) -> Outcome:
        reason = str(report.reason or "interrupted")
        facts = {"verdict": report.verdict.value, "reason": reason}
        with ledger.writing() as store:
            still_held(store, held)
            (entry,) = ledger.add([Draft("interrupted", self.manifest.id, report.contract.name, facts)])
            back = self.registry.put_back(ledger, self.registry.box(held), report=True)
        ledger.write_anchors()
        path = back or self.drop
        return Outcome(
            "interrupted", self.manifest.id, path, "error", self.channel, known=False, seq=entry.seq, reason=reason
        )

    def _decided(self, ledger: Ledger, held: Claim, folder: Path, report: Report, verdict: Verdict) -> Outcome:
        """Record the verdict with what becomes of the version, then move it there."""
        allowed = _allowed(folder, verdict, [key.key_id for key in self.rules.keys], self.rules.trust)
        from datacheck.verdict.judge import day_of

        name, box = verdict.contract[0], self.registry.box(held)
        facts = verdict_facts(verdict, folder, self.asked, day_of(report))
        kind, place = self._fate(ledger, allowed, report, facts, box)
        drafts = self._drafts(kind, place, name, box, allowed)
        if kind != "undecided":  # a published version stays what it was if nobody can say otherwise
            drafts = [Draft("verdict", self.manifest.id, name, facts), *drafts]
        moved, seq = self._recorded(ledger, held, folder, drafts, place)
        nobody = kind == "undecided" or report.exit_code == 3
        failed: Status = "undecided" if nobody else "revoked" if kind == "revoke" else "quarantined"
        status, told = "published" if allowed.yes else failed, (seq, allowed.waived, allowed.reason)
        return Outcome(status, self.manifest.id, moved, verdict.verdict, self.channel, False, *told)

    def _drafts(self, kind: str, place: str, contract: str, box: Path, allowed: Permission) -> list[Draft]:
        """The entries that say what becomes of the version, and by whose waivers."""
        fate = {"staged": box.name, "channel": self.channel, "reason": allowed.reason, "within": self.within}
        fate |= {"place": place, "scope": "channel and contract"}
        waivers = [Draft("waiver", self.manifest.id, contract, {"waived": text}) for text in allowed.waived]
        return [*waivers, Draft(kind, self.manifest.id, contract, fate)]

    def _recorded(
        self, ledger: Ledger, held: Claim, folder: Path, drafts: Sequence[Draft], place: str
    ) -> tuple[Path, int]:
        """Record entries, then move the version: where it is now, and the number of the last entry."""
        box = self.registry.box(held)
        sync_tree(folder)  # between the entry and the pointer little must be left to do: the guard compares them
        with ledger.writing() as store:
            still_held(store, held)
            entry = ledger.add(drafts)[-1]
        ledger.write_anchors()
        with self.registry.moving(ledger):
            moved = self.registry.finish(ledger, box) or self.registry.root / place
            self.registry.point(ledger)
        self.registry.renew_checkpoint(ledger, self.rules.keys, self.rules.trust)
        return moved, entry.seq

    # --- what was in quarantine until enough validators had signed it ---

    def _signed_since(self, folder: Path, fate: ScopeState | None) -> Signed | None:
        """The verdict that came with the drop, if it answers this question and enough validators have signed it.

        To validate again would make another verdict, which they have not signed.
        """
        trust, verdict = self.rules.trust, fate.verdict if fate is not None else None
        if trust.threshold == 1 or verdict is None or not self._same(verdict):
            return None
        try:
            signed = read_signed(folder, trust)
            same_data(folder, signed.verdict)
            same_report(folder / REPORT, signed, needed=True)
        except RefusedError:
            return None
        known = signed.sha256 == verdict.fact("envelope")
        return signed if known and _allowed(folder, signed.verdict, signed.signers, trust).yes else None

    def _publish_signed(self, ledger: Ledger, held: Claim, folder: Path, signed: Signed) -> Outcome:
        """Record that a verdict of the ledger counts now, and move its version to where it belongs."""
        verdict, box = signed.verdict, self.registry.box(held)
        allowed = _allowed(folder, verdict, signed.signers, self.rules.trust)
        _, mine = self._fates(ledger)
        place = next(iter(self._places(ledger, mine.answer if mine else ())), f"versions/{box.name}")
        drafts = self._drafts("publish", place, verdict.contract[0], box, allowed)
        moved, seq = self._recorded(ledger, held, folder, drafts, place)
        told = (seq, allowed.waived, allowed.reason)
        return Outcome("published", self.manifest.id, moved, verdict.verdict, self.channel, False, *told)

    def _fate(
        self, ledger: Ledger, allowed: Permission, report: Report, facts: Mapping[str, Any], box: Path
    ) -> tuple[str, str]:
        """The kind of entry that says what becomes of the version in this scope, and the folder where it goes.

        Where it stands in another scope, by another answer, its folder stays what it is.
        """
        _, mine = self._fates(ledger)
        places = self._places(ledger, tuple(str(facts[name]) for name in ("question", "day", "result")))
        if allowed.yes:
            kind = "rescan" if mine is not None and mine.stands else "publish"
            return kind, next(iter(places), f"versions/{box.name}")
        if mine is not None and mine.stands and (report.exit_code == 3 or allowed.unsigned):
            return "undecided", mine.place
        kept = f"quarantine/{hexed(self.manifest.id)}"
        if mine is None or mine.published is None or allowed.unsigned:  # where it can be signed
            return "quarantine", kept
        return "revoke", mine.place if mine.place in places else kept

    def _places(self, ledger: Ledger, answer: tuple[str, ...]) -> list[str]:
        """The folders of versions/ that a verdict may be put in, that of this scope first."""
        found, mine = self._fates(ledger)
        own = [mine.place] if mine is not None and mine.published is not None else []
        places = [place for place in (*own, f"versions/{hexed(self.manifest.id)}") if place.startswith("versions/")]
        return [place for place in places if free(found, self.scope, place, answer)]


class Permission(NamedTuple):
    """Whether a verdict lets its version be used."""

    yes: bool
    waived: tuple[str, ...] = ()
    reason: str = ""
    unsigned: bool = False  # nothing is against it but that too few validators have signed


def _allowed(folder: Path, verdict: Verdict, signers: Sequence[str], trust: Trust) -> Permission:
    """As the guard decides: passed or waived, and signed by as many as the trust file asks for."""
    found, missing = _judged(folder, verdict, signers, trust), trust.missing(signers)
    return Permission(yes=False, reason=str(missing), unsigned=True) if found.yes and missing else found


def _judged(folder: Path, verdict: Verdict, signers: Sequence[str], trust: Trust) -> Permission:
    """Passed, or every failed finding waived; never what could not be decided."""
    if verdict.result in ("PASSED", "WARNED"):
        return Permission(yes=True)
    told = ", ".join(f"{finding.id} ({finding.status})" for finding in verdict.blocking[:_TOLD]) or verdict.verdict
    told += f" (+{more})" if (more := len(verdict.blocking) - _TOLD) > 0 else ""
    try:
        waivers = read_waivers(folder, trust, verdict, signers)
    except WaiverError as error:
        return Permission(yes=False, reason=f"{told}; {error}")
    blocking, used, late = unwaived(verdict, waivers)
    if used and not blocking:
        return Permission(yes=True, waived=tuple(str(waiver.line()) for waiver in used), reason=told)
    expired = f"; expired: {late[0]}" if late else ""
    return Permission(yes=False, reason=shown(f"{told}{expired}"))


def verdict_facts(verdict: Verdict, folder: Path, question: str, day: dt.date | None) -> dict[str, Any]:
    """What the ledger keeps of a verdict: digests and numbers."""
    statuses = [finding.status for finding in verdict.findings]
    return {
        "envelope": verdict_id(folder / VERDICT),
        "question": question,
        "day": day.isoformat() if day else None,
        **{name: getattr(verdict, name) for name in ("result", "verdict", "strict", "given", "report", "datacheck")},
        "contract": verdict.contract_digest,
        "files": len(verdict.files),
        "bytes": verdict.size,
        "findings": {status: statuses.count(status) for status in sorted(set(statuses))},
    }


def _digests(dataset: Dataset) -> list[list[Any]]:
    """The files of a dataset that is no part of the drop: name, size, sha256."""
    from datacheck.files.inventory import dataset_files

    found = dataset_files(dataset.name, dataset.path, dataset.named, dataset.source.glob)
    return [[entry.name, entry.size, sha256_of(entry.path)] for entry in found.read]
