"""New drops: a flow that publishes whatever complete drop lies in the registry's incoming/, and a loop around it.

A drop is complete when its _MANIFEST.json is there (written last) and names files that are there with their sizes.
Several watchers, schedules and events may see the same drop: the claim in the ledger lets one of them work. A drop
whose worker died is seen again at the next look, because it has been put back or its lease has run out.
"""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.exceptions import ExternalSignal
from prefect.states import Completed

from datacheck.arguments import Parser
from datacheck.errors import DatacheckError, LoadError, UsageError
from datacheck.gate.registry import Registry
from datacheck.gate.version import read_manifest, require_listed
from datacheck.language import told

from .publish import ELSEWHERE, PUBLISHED, Publication, Rulebook, publish
from .validate import INVALID, UNDECIDED, end, reason, shown

NOTHING, DONE = "NothingNew", "Done"


@flow(name="datacheck-watch", flow_run_name="look {rules.title}", persist_result=False, log_prints=False)
def watch(rules: Rulebook) -> State[Any]:
    """Look once into incoming/: publish every complete drop, one after the other. This is the backfill, too."""
    try:
        registry = Registry(rules.registry)
        with registry.ledger() as ledger:
            registry.recover(ledger)
        states = {drop.name: _one(rules, drop) for drop in registry.drops()}
    except (KeyboardInterrupt, SystemExit, ExternalSignal):
        raise
    except BaseException as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(reason(error)))
    if not states:
        return Completed(name=NOTHING, message="no complete drop in incoming/")
    told = shown("; ".join(f"{name}: {state}" for name, state in states.items()))
    wrong = [state for state in states.values() if state not in (PUBLISHED, ELSEWHERE)]
    return end("NotPublished", told) if wrong else Completed(name=DONE, message=told)


def _one(rules: Rulebook, drop: Path) -> str:
    """Publish one drop in a flow run of its own; returns the name of its state."""
    try:
        incomplete(drop)
    except LoadError as error:
        return f"incomplete ({error})"
    request = Publication(drop=drop, **rules.model_dump())
    return str(publish(request, return_state=True).name)


def incomplete(drop: Path) -> None:
    """Raise LoadError if a look at names and sizes tells that the manifest is not true; nothing is hashed."""
    manifest = read_manifest(drop)
    if manifest is None:
        raise LoadError(f"{shown(drop.name)}: no manifest; expected one, written last")
    require_listed(drop, manifest)
    for file in manifest.files:
        if (drop / file.path).stat().st_size != file.bytes:
            raise LoadError(f"{shown(drop.name)}: {shown(file.path)} has not the size that the manifest names")


def rules_parser(about: str) -> Parser:
    """The options that say how drops are judged, for `watch` and `serve`."""
    parser = Parser(description=about)
    parser.add_argument("registry", type=Path, help="Folder of the registry; drops go to its incoming/.")
    parser.add_argument("--contract", type=Path, required=True, help="The contract.")
    parser.add_argument("--sign", required=True, metavar="KEY", help="Private key: a file, or env:NAME.")
    parser.add_argument("--trust", type=Path, metavar="FILE", help="Trusted keys ($DATACHECK_TRUST).")
    parser.add_argument("--dataset", metavar="NAME", help="Which dataset of the contract a drop is.")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=PATH", help="Where other datasets are.")
    parser.add_argument("--run", action="append", default=[], metavar="NAME=VALUE", help="A setting of the run.")
    parser.add_argument("--channel", help="Which pointer moves (the contract's name).")
    parser.add_argument("--strict", action="store_true", help="Warnings count as violations.")
    parser.add_argument("--lang", choices=["zh", "en"], default="en", help="Language of the reports.")
    parser.add_argument("--wait-for-waiver", type=int, default=0, metavar="SECONDS", help="Wait for a person.")
    parser.add_argument("--limit-name", metavar="NAME", help="A global concurrency limit for heavy work.")
    parser.add_argument("--report-url", metavar="URL", help="Where reports can be read: https://…/{version}.")
    parser.add_argument(
        "--notify", action="append", default=[], metavar="KIND=env:NAME",
        help="feishu, wecom or slack, and the variable that holds the webhook's address.",
    )  # fmt: skip
    parser.add_argument("--interval", type=float, default=60.0, metavar="SECONDS", help="Between two looks (60).")
    return parser


def rules_of(given: argparse.Namespace) -> Rulebook:
    """The rules that the options name, with absolute paths: a worker may run elsewhere. Raises UsageError."""
    webhooks = [
        {"kind": kind, "url": url, "lang": given.lang} for kind, url in _pairs(given.notify, "--notify").items()
    ]
    if not given.contract.is_file():
        raise UsageError(f"{given.contract}: no such file; expected a contract")
    return Rulebook.model_validate(
        {
            "registry": given.registry.absolute(),
            "contract": given.contract.absolute(),
            "sign": given.sign if given.sign.startswith("env:") else str(Path(given.sign).absolute()),
            "trust": given.trust.absolute() if given.trust else None,
            "data": {name: str(Path(path).absolute()) for name, path in _pairs(given.data, "--data").items()},
            "dataset": given.dataset,
            "run": _pairs(given.run, "--run"),
            "channel": given.channel,
            "strict": given.strict,
            "lang": given.lang,
            "limit": given.limit_name,
            "wait_for_waiver": given.wait_for_waiver,
            "webhooks": webhooks,
            "report_url": given.report_url,
        }
    )


def _pairs(items: Sequence[str], option: str) -> dict[str, str]:
    pairs = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise UsageError(f"{option} {item}: expected NAME=VALUE")
        pairs[name] = value
    return pairs


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck watch REGISTRY …`: look for drops until stopped, or once (1: a drop was not published)."""
    parser = rules_parser("Publish drops as they come, each once, as Prefect flows.")
    parser.prog = "datacheck watch"
    parser.add_argument("--once", action="store_true", help="Look once, and end.")
    given = parser.parse_args(arguments)
    rules = rules_of(given)
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    while True:
        code = _look(rules) if given.once or Registry(rules.registry).drops() else 0
        if given.once:
            return code
        if over.wait(given.interval):
            return 0


def _look(rules: Rulebook) -> int:
    try:
        state = watch(rules, return_state=True)
    except Exception as error:  # noqa: BLE001 - no server
        said = f"the flow could not run: {reason(error)}; is PREFECT_API_URL a running server?"
        sys.stderr.write(f"{told(said)}\n")
        return DatacheckError.exit_code
    sys.stderr.write(f"{state.name}: {state.message}\n")
    return 0 if state.is_completed() else 1
