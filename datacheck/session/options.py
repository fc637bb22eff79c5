"""How a run is made: what `datacheck run` and `publish` are told beside the contract and the data. Imports little."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datacheck.gate.decisions import GivenDecisions
    from datacheck.gate.keys import PrivateKey
    from datacheck.i18n.words import Lang
    from datacheck.pii.excerpts import Mode

DEFAULT_OUT = Path("datacheck-report")
CONTRACT = "contract.yaml"  # in the folder of a report: what `keep_contract` keeps


@dataclass(frozen=True)
class Options:
    """How to run. These change what is measured: `as_of`, `run`, `decisions`, `trainer_python`, `graders`, `run_tests`.

    `as_of`: the day with which dates of expiry are compared. `trainer_python`: the Python of a training environment,
    whose trainer is asked about rows. `graders`: reward functions that may be asked, as `my_rewards.py:accuracy`,
    and `graders_in` the folder of their files (by default the working folder).
    `run_tests`: whether tests that the data holds may be run, contained. `sign`: the key that signs the verdict;
    `version`: the data that it is about, if `data` does not say. `require`: optional datasets that must be there;
    `whole`: all of them, as where the verdict is signed, but for those in `nothing_yet`. `engine`, `alone`: see
    Engine. `store`: what --store names; who signs takes nothing from it. `keep_contract`: put a copy of the contract
    into the folder. `typed`: a person named all the paths, so that the report can say which commands come next.
    """

    out: Path = DEFAULT_OUT
    checks: Path | None = None
    strict: bool = False
    excerpts: Mode = "redacted"
    lang: Lang = "en"
    workers: int | None = None
    engine: str = "local"
    store: str | None = None
    alone: bool = False
    debug: bool = False
    keep_contract: bool = False
    typed: bool = False
    quarantine_content: bool = False
    allow_remote: tuple[str, ...] = ()
    as_of: dt.date | None = None
    baseline: Path | None = None
    decisions: GivenDecisions | None = None
    sign: PrivateKey | None = None
    version: Path | None = None
    run: Mapping[str, str] = field(default_factory=dict)
    trainer_python: Path | None = None
    graders: tuple[str, ...] = ()
    graders_in: Path | None = None
    run_tests: bool = False
    require: tuple[str, ...] = ()
    whole: bool = False
    nothing_yet: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...] | None:
        """The optional datasets that need a path; None: all of them."""
        return None if self.whole or self.sign is not None else self.require
