"""The main job from end to end: contract → plan → run → judge → a published report folder.

The CLI, `datacheck.validate` and the Prefect flow all go through `Session`; they differ only in who executes steps.
"""

import hashlib
import os
import platform
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import polars as pl

from datacheck.check import Check, Message
from datacheck.contract import discover
from datacheck.contract.load import load_contract
from datacheck.contract.model import Contract, Dataset
from datacheck.engine.costs import Cost
from datacheck.engine.cut import Range, extract
from datacheck.engine.expected import OnProgress
from datacheck.engine.measure import Measurement
from datacheck.engine.plan import Step, make_plan
from datacheck.engine.run import Engine
from datacheck.engine.store import Store, shared_store
from datacheck.engine.view import Loaded, StoreView
from datacheck.engine.workers import Failure
from datacheck.errors import UsageError
from datacheck.files.inventory import Inventory, inventory
from datacheck.files.output_folder import REPORT, new_staging, publish, refuse_foreign
from datacheck.files.remote import localise
from datacheck.files.versions import VERDICT, sweep
from datacheck.gate.sealing import Sealer, version_path
from datacheck.gate.trust import today
from datacheck.gate.verdict import TRAINER_PYTHON, Verdict
from datacheck.loading.reading import Limits
from datacheck.report import notebook
from datacheck.report.faces import faces, write_faces
from datacheck.session.decided import decide
from datacheck.session.options import CONTRACT, DEFAULT_OUT, Options
from datacheck.session.tables import Data, as_paths
from datacheck.verdict.baseline import Baseline
from datacheck.verdict.judge import Outcomes, judge, judge_check
from datacheck.verdict.model import Finding, Report
from datacheck.version import __version__


class Session:
    """One run: prepared by the constructor, executed step by step, published by `finish`."""

    def __init__(self, contract: Path, data: Mapping[str, str], options: Options) -> None:
        discover.use_folder(options.checks)
        self.options = options
        self.out = Path(os.path.abspath(options.out))  # noqa: PTH100 - without following links, and without `..`
        refuse_foreign(self.out, REPORT._replace(names=REPORT.names | faces().keys()))
        if options.baseline is not None and options.baseline.resolve() == self.out.resolve():
            raise UsageError("{out}: is the baseline itself; choose another folder with --out", out=options.out)
        self.staging = new_staging(self.out)
        try:
            local, self.fetched = localise(data, options.allow_remote, self.staging / ".remote")
            self.contract = self._contract(contract, local)
            self.decided = None
            if options.decisions is not None:
                self.decided = decide(self.contract, options.decisions, options.as_of or today())
                self.contract = self.decided.contract
            signed = self._version(data)
            self.files: Inventory = inventory(self.contract)
            self.plan: tuple[Step, ...] = make_plan(self.contract)
            self.baseline = Baseline(options.baseline, self.contract) if options.baseline else None
            self.sealer = Sealer(signed, options.sign, self.files, self.out) if signed and options.sign else None
            own = self.staging / ".store"
            # What is signed is measured here and now: nobody's word for what a store of others found counts.
            self.store = Store(own) if options.sign else shared_store(options.store) or Store(own)
            self.engine = Engine(
                self.contract,
                self.files,
                self.store,
                workers=options.workers,
                engine=options.engine,
                alone=options.alone,
                reuse=options.sign is None and not options.whole,
                excerpts=options.excerpts,
                debug=options.debug,
            )
        except BaseException:
            if "store" in vars(self):
                self.store.forget()
            shutil.rmtree(self.staging, ignore_errors=True)
            raise
        self.signed: tuple[Verdict, Path] | None = None  # what was signed, and where it lies
        self.given = data
        self.started = time.time()
        self.clock = time.monotonic()

    def _contract(self, contract: Path, data: Mapping[str, str]) -> Contract:
        options = self.options
        return load_contract(
            contract,
            data,
            run=options.run,
            as_of=options.as_of,
            required=options.required,
            nothing_yet=options.nothing_yet,
            python=options.trainer_python,
            graders=options.graders,
            graders_in=options.graders_in,
            run_tests=options.run_tests,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: object, __: object) -> None:
        self.engine.workers.close(kill=error is not None)
        self.engine.sharing.close()
        self.store.forget()
        shutil.rmtree(self.staging, ignore_errors=True)

    def run(self, on_progress: OnProgress | None = None) -> None:
        """Execute the whole plan on this machine."""
        self.engine.run(self.plan, on_progress)

    def judged(self, dataset: Dataset, check: Check) -> Finding:
        """The finding of a check that was measured, as it counts beside the baseline."""
        outcome = self.engine.outcomes.get(dataset.finding(check))
        found = judge_check(dataset, check, outcome)
        if self.baseline is None:
            return found
        return self.baseline.compare(found, outcome.evidence if isinstance(outcome, Measurement) else None)

    def finish(self, interrupted: str | None = None) -> Report:
        """Judge what was measured, write every face of the report and publish the folder with one rename."""
        states, outcomes = self.engine.states, self.engine.outcomes
        notes = tuple(
            Message("{name}: not read: {file}", name=name, file=passed)
            for name, files in self.files.items()
            for passed in files.passed_over
        )
        notes += self.fetched
        report = judge(
            self.contract,
            states,
            outcomes,
            strict=self.options.strict,
            notes=notes,
            interrupted=interrupted,
            baseline=self.baseline,
        )
        if self.decided is not None:
            report = report.model_copy(update={"decisions": self.decided.entry(outcomes)})
        self._keep_evidence(report, outcomes)
        for state in states.values():
            if isinstance(state, Loaded):
                self._quarantine(state)
        if self.options.keep_contract:
            shutil.copyfile(self.contract.file, self.staging / CONTRACT)
        write_faces(report, self.staging, self.options.lang, self._facts_of_run())
        for private in (".store", ".remote"):
            shutil.rmtree(self.staging / private, ignore_errors=True)
        sealed = None
        try:
            if interrupted is None:
                sealed = self._sealed(report)
        finally:  # data that changed meanwhile has a report, but no verdict
            publish(self.staging, self.out)
        if self.sealer is not None and sealed is not None:
            self.signed = sealed[0], self.sealer.publish(sealed[1])
        return report

    def _sealed(self, report: Report) -> tuple[Verdict, bytes] | None:
        if self.sealer is None:
            return None
        planned = sum(len(dataset.checks) + len(dataset.idle) for dataset in self.contract.datasets.values())
        trainers, as_of = trainers_of(self.contract), self.options.as_of
        verdict, envelope = self.sealer.seal(
            report, planned, self.staging, run=self._given(), as_of=as_of, trainers=trainers
        )
        (self.staging / VERDICT).write_bytes(envelope)
        return verdict, envelope

    def _given(self) -> dict[str, str]:
        """What the operator said of the run; of an environment that was asked the package's version."""
        asked = self.contract.run.get("python")
        return {**self.options.run, **({TRAINER_PYTHON: asked.package} if asked is not None else {})}

    def _version(self, data: Mapping[str, str]) -> Path | None:
        """What will be signed, without what a run that was killed has left in it."""
        if self.options.sign is None:
            return None
        path = version_path(data, self.contract, self.options.version)
        sweep(path)
        return path

    def _keep_evidence(self, report: Report, outcomes: Outcomes) -> None:
        """Put the places of every finding into the report; beside a baseline with `known`."""
        for finding in report.findings:
            outcome = outcomes.get(finding.id)
            if not isinstance(outcome, Measurement) or not outcome.evidence or not outcome.facts["evidence"]:
                continue
            target = self.staging / "evidence" / f"{finding.id}.parquet"
            target.parent.mkdir(exist_ok=True)
            if self.baseline is not None and finding.baseline is not None:
                comparable = self.baseline.comparable(finding)
                self.baseline.marked(finding.id, outcome.evidence, comparable=comparable).write_parquet(target)
            else:
                shutil.copyfile(outcome.evidence, target)

    def _quarantine(self, state: Loaded) -> None:
        """List every bad line by position and hash; its content only on request, in a file of its own."""
        view = StoreView(self.store, state, (), self.staging, None)
        bad = view.lines.filter(pl.col("level").is_in(["error", "limit"])).sort("file", "line")
        table = bad.select("file", "line", "byte", "length", "code", "sha256").collect()
        if table.height:
            folder = self.staging / "quarantine"
            folder.mkdir(exist_ok=True)
            if self.options.quarantine_content:
                table = self._copy_bad(state, table, folder / f"{state.dataset}.raw")
            table.write_ndjson(folder / f"{state.dataset}.jsonl")

    def _copy_bad(self, state: Loaded, table: pl.DataFrame, target: Path) -> pl.DataFrame:
        """Copy the bytes of every bad line, each with a line feed behind it; `raw` says where in `target` it starts.

        A place without bytes, or whose bytes are no longer those that were judged, has no `raw`.
        """
        paths = {entry.name: entry.path for entry in self.files[state.dataset].read}
        starts: list[int | None] = []
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as raw:
            for (name,), places in table.group_by("file", maintain_order=True):
                for data in bad_bytes(paths[str(name)], places, state.reading.limits):
                    starts.append(None if data is None else raw.tell())
                    raw.write(b"" if data is None else data + b"\n")
        return table.with_columns(raw=pl.Series(starts, dtype=pl.UInt64))

    def _facts_of_run(self) -> dict[str, object]:
        return {
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.started)),
            "seconds": round(time.monotonic() - self.clock, 3),
            "steps": {key: _rounded(cost) for key, cost in self.engine.costs.items()},
            "data": {name: dataset.named for name, dataset in self.contract.datasets.items()},
            "contract": CONTRACT if self.options.keep_contract else self.contract.file,
            "datacheck": __version__,
            "python": platform.python_version(),
            "host": platform.node(),
            "workers": self.engine.workers.count,
            **({"typed": self._typed()} if self.options.typed else {}),
            "traces": {
                key: result.trace
                for key, result in self.engine.results.items()
                if isinstance(result, Failure) and result.trace
            },
        }

    def _typed(self) -> dict[str, object]:
        """What a command about this run has to name: as it was given, or else as it is reached from here."""
        contract, options = self.contract, self.options
        return {
            "out": str(options.out),
            "contract": str(options.out / CONTRACT) if options.keep_contract else contract.file,
            "given": dict(self.given),
            "paths": {name: self.given.get(name) or _near(each.path) for name, each in contract.datasets.items()},
            "run": dict(options.run),
            "checks": str(options.checks) if options.checks else None,
            "decisions": str(options.decisions.place) if options.decisions else None,
            "trainer-python": str(options.trainer_python) if options.trainer_python else None,
            "grader": list(options.graders),
            "run-tests": options.run_tests,
        }


def trainers_of(contract: Contract) -> tuple[tuple[str, str], ...]:
    """The packages of the trainers that a contract names with a version, as trl 1.16."""
    runs = [contract.run, *(dataset.run for dataset in contract.datasets.values())]
    named = {(run["trainer"].partition(".")[0], run["version"]) for run in runs if _has_version(run)}
    return tuple(sorted(named))


def _has_version(run: Mapping[str, Any]) -> bool:
    return bool(run.get("trainer") and run.get("version"))


def _near(path: Path) -> str:
    """A path as one types it here: relative where that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)


def _rounded(cost: Cost) -> dict[str, float]:
    return {"seconds": round(cost.seconds, 3), "cpu": round(cost.cpu, 3), "mb": cost.memory >> 20}


def bad_bytes(path: Path, places: pl.DataFrame, limits: Limits) -> Iterator[bytes | None]:
    """Yield the bytes of each place of a file, verified by its sha256; None where there are none or they differ."""
    columns = places.select("line", "byte", "length", "sha256").rows()
    ranges = [
        (Range(line or 1, byte, byte + length, None, None), at)
        for at, (line, byte, length, _) in enumerate(columns)
        if byte is not None and length
    ]
    ranges.sort()
    found: dict[int, bytes] = {}
    try:
        for (_, at), data in zip(ranges, extract(path, tuple(r for r, _ in ranges), limits), strict=True):
            sha256 = columns[at][3]
            if sha256 is None or hashlib.sha256(data).hexdigest() == sha256:
                found[at] = data
    except OSError:
        found = {}
    for at in range(len(columns)):
        yield found.get(at)


def validate(
    contract: str | Path,
    data: Data | None = None,
    *,
    run: Mapping[str, str] | None = None,
    out: str | Path = DEFAULT_OUT,
    baseline: str | Path | None = None,
    engine: str = "local",
    graders: Sequence[str] = (),
    run_tests: bool = False,
    trainer_python: str | Path | None = None,
) -> Report:
    """Run a contract and return its Report, which a notebook shows; the report folder is written to `out`.

    Args:
        contract: path of the YAML file.
        data: dataset name → path, as `--data`, or a table in memory: of polars, pandas, Arrow or Hugging Face's
            datasets. The places of its findings are row numbers.
        run: settings of the training run, as `--run`.
        out: where the report folder goes; an earlier report there is replaced.
        baseline: folder of an earlier report; only what is new beside it fails, as with `--baseline`.
        engine: where the work is done, as with `--engine`; a Ray that this process has joined is used as it is.
        graders: reward functions that may be asked, as `--grader`: `my_rewards.py:accuracy`.
        run_tests: whether tests that rows hold may be run, contained, as `--run-tests`.
        trainer_python: the Python of a training environment, as `--trainer-python`.

    Raises:
        ContractError: the contract is wrong; UsageError: a path is.

    """
    Report.in_notebooks = notebook.render
    beside = Path(baseline) if baseline is not None else None
    python = Path(trainer_python) if trainer_python is not None else None
    options = Options(
        out=Path(out),
        run=run or {},
        baseline=beside,
        engine=engine,
        graders=tuple(graders),
        run_tests=run_tests,
        trainer_python=python,
    )
    beside_out = None if engine == "local" else Path(out).absolute().parent  # a cluster shares what `out` lies on
    with as_paths(data or {}, beside_out) as named, Session(Path(contract), named, options) as session:
        session.run()
        return session.finish()
