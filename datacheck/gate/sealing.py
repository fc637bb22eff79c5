"""Sign a run: a finished report and the very bytes that it judged become one verdict beside the data.

The version is hashed again after the run and must be what its manifest says and what the run has read, so a file that
changes meanwhile leaves no verdict. Needs the rest of datacheck; reading a verdict does not.
"""

import datetime as dt
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from datacheck.contract.artifacts import FILES
from datacheck.contract.discover import check_class
from datacheck.contract.model import Contract
from datacheck.engine.store import code_digest
from datacheck.errors import LoadError, UsageError
from datacheck.files import versions
from datacheck.files.hf_saved import is_metadata, promises
from datacheck.files.inventory import Inventory, is_data_name
from datacheck.files.shown_names import distinct, shown_name
from datacheck.files.versions import MANIFEST, VERDICT, Tell, Version, shown, sidecar
from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.keys import PrivateKey
from datacheck.gate.verdict import DatasetFacts, Judged, Verdict, result_of
from datacheck.i18n.message import Message, joined
from datacheck.verdict.model import FileEntry, Finding, Report


def version_path(data: Mapping[str, str], contract: Contract, given: Path | None) -> Path:
    """The version that a run is about: `given`, or the only place that `--data` names, or the only dataset's."""
    places = set(data.values()) or {str(dataset.path) for dataset in contract.datasets.values()}
    if given is None and len(places) != 1:
        raise UsageError("--sign: several datasets are named; say which folder is to be signed with --version PATH")
    path = given or Path(min(places))
    if "://" in str(path) or not path.exists():
        raise UsageError(
            "{path}: no such file or folder here; --sign expects a version of data on disk", path=shown(path)
        )
    return path.resolve()


def _judged(finding: Finding) -> Judged:
    """What the verdict says of a finding; what counts secrets or a red line may not be waived."""
    metrics = check_class(finding.check).metrics
    unwaivable = any(value.value and metrics[value.name].unwaivable == value.slice for value in finding.values)
    return Judged(finding.id, finding.check, finding.dataset, finding.status.value, finding.incomplete, unwaivable)


class Sealer:
    """Signs one run. The constructor refuses, before anything is read, what could not be signed at the end."""

    def __init__(self, path: Path, key: PrivateKey, files: Inventory, out: Path) -> None:
        """Raises UsageError or LoadError: no manifest, a data file that no dataset reads, a report inside the data."""
        self.path = path
        self.key = key
        self.files = files
        self.root = path if path.is_dir() else path.parent
        manifest = versions.read_manifest(path)
        if manifest is None:
            raise UsageError(
                "{manifest}: not there, so the drop may be incomplete; "
                "when all files are there: datacheck manifest {path}",
                manifest=shown(sidecar(path, MANIFEST)),
                path=shown(path),
            )
        versions.require_listed(path, manifest)
        if out.resolve().is_relative_to(self.root) and path.is_dir():
            raise UsageError(
                "{out}: lies in the data, so it would change it; choose a folder with --out", out=shown(out)
            )
        if not os.access(self.root, os.W_OK):
            raise UsageError("{root}: not writable; the verdict goes beside the data", root=shown(self.root))
        self._read = {self._name(entry.path) for found in files.values() for entry in found.read}
        self.tell: Tell | None = None  # hears of the hashing before the signature, which takes a while
        self.unread = tuple(file.path for file in manifest.files if file.path not in self._read)
        self._account_for(manifest)

    def _name(self, path: Path) -> str | None:
        """The name of a file within the version, None for one elsewhere."""
        if not path.is_relative_to(self.root) or self.path not in (self.root, path):
            return None
        return path.relative_to(self.root).as_posix()

    def _account_for(self, manifest: Version) -> None:
        if self._read <= {None}:
            raise UsageError(
                "{path}: no dataset of this run lies in it; name its data with --data", path=shown(self.path)
            )
        every = [file.path for file in manifest.files]
        saved = promises(self.root, every) if self.root == self.path else []
        for name in self.unread:
            if is_data_name(name) and not is_metadata(name, saved):
                raise UsageError(
                    "{root}/{name}: looks like data, but no dataset reads it, so nobody validated it; "
                    "move it away and write a new manifest, or let a dataset read it",
                    root=shown(self.path.name),
                    name=shown(name),
                )

    def seal(
        self,
        report: Report,
        planned: int,
        folder: Path,
        *,
        run: Mapping[str, str],
        as_of: dt.date | None,
        trainers: tuple[tuple[str, str], ...],
    ) -> tuple[Verdict, bytes]:
        """Sign a finished run.

        Args:
            report: what the run came to.
            planned: number of checks that the contract has.
            folder: where all files of the report lie, complete.
            run: settings of the training run by which it was judged, besides the contract.
            as_of: the day with which dates of expiry were compared, if it was named.
            trainers: packages and versions that the contract names.

        Returns:
            The verdict and its envelope. Raises LoadError where the data is not, or no longer, what was read.

        """
        now = self._unchanged(report)
        names = distinct([shown_name(file.path) for file in now.files])
        masked = dict(zip((file.path for file in now.files), names, strict=True))
        draft = Verdict(
            result="FAILED",
            version=now.id,
            files=tuple((masked[file.path], file.sha256) for file in now.files),
            size=now.bytes,
            unread=tuple(masked[name] for name in self.unread),
            verdict=report.verdict.value,
            exit_code=report.exit_code,
            strict=report.strict,
            planned=planned,
            findings=tuple(_judged(finding) for finding in report.findings),
            datasets={name: self._facts(report, name) for name in report.datasets},
            contract=(report.contract.name, str(report.contract.version)),
            inputs=report.inputs,
            baseline=report.baseline.sha256 if report.baseline else None,
            report_json=hashlib.sha256((folder / "report.json").read_bytes()).hexdigest(),
            report=versions.report_id(folder),
            datacheck=report.datacheck,
            source=code_digest(),
            time=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            run={name: value for name, value in run.items() if name not in FILES},
            as_of=as_of.isoformat() if as_of else None,
            trainers=trainers,
        )
        verdict = Verdict(**{**vars(draft), "result": result_of(draft)})
        with LoadError.instead(EnvelopeError, "{path}: the verdict cannot be signed: {reason}", path=shown(self.path)):
            return verdict, dsse.seal(verdict.payload(), self.key)

    def _facts(self, report: Report, name: str) -> DatasetFacts:
        entry = report.datasets[name]
        inside = any(self._name(file.path) for file in self.files[name].read)
        return DatasetFacts(entry.version, entry.rows, len(entry.files), sum(f.bytes for f in entry.files), inside)

    def _unchanged(self, report: Report) -> Version:
        """The version as it is now, if that is what was listed and what was read."""
        found = versions.scan(self.path, tell=self.tell)
        manifest = versions.read_manifest(self.path)
        told = [Message("its manifest is gone")] if manifest is None else versions.differences(manifest, found)
        known = {file.path: (file.bytes, file.sha256) for file in found.files}
        for name, files in self.files.items():
            entries: tuple[FileEntry, ...] = report.datasets[name].files if name in report.datasets else ()
            for place, entry in zip(files.read, entries, strict=bool(entries)):  # none if it could not be loaded
                inside = self._name(place.path)
                if inside is not None and known.get(inside) != (entry.bytes, entry.sha256):
                    told.append(Message("{name}: is not what the run has read", name=shown(inside)))
        if told:
            where = shown(self.path.name)
            lines = [Message("{root}/{what}", root=where, what=line) for line in told[:10]]
            hint = Message("not signed: the data was changed meanwhile, or is not that of its manifest")
            raise LoadError(joined([*lines, hint], "\n"))
        return found

    def publish(self, envelope: bytes) -> Path:
        """Put the verdict beside the data, in place of an earlier one; returns where it is."""
        place = sidecar(self.path, VERDICT)
        versions.write_atomic(place, envelope)
        return place
