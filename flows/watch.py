"""New drops: a flow that publishes whatever complete drop lies in the registry's incoming/, and a loop around it.

Several watchers, schedules and events may see the same drop: the claim in the ledger lets one of them work. A drop
whose worker died is seen again at the next look, because it has been put back or its lease has run out.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.exceptions import ExternalSignal
from prefect.settings import PREFECT_API_URL
from prefect.states import Completed

from datacheck.errors import DatacheckError, UsageError
from datacheck.i18n.command_line import Parser, chosen
from datacheck.i18n.message import languages
from datacheck.registry.registry import Registry

from .look import NOT_PUBLISHED, look, summary
from .lookout import under_way
from .publish import ELSEWHERE, publish
from .rules import Rulebook, current, title, use
from .validate import ENGINE, INVALID, UNDECIDED, end, not_run, reason, shown
from .watch_here import watch_here


def _name() -> str:
    """Which registry is looked into, by which contract."""
    return f"look {title(lambda rules: f'{rules.registry.name} for {rules.contract.stem}')}"


@flow(name="datacheck-watch", flow_run_name=_name, persist_result=False, log_prints=False)
def watch() -> State[Any]:
    """Look once into incoming/: publish every complete drop, one after the other. This is the backfill, too."""
    try:
        with under_way() as mine:
            if not mine:
                return Completed(name=ELSEWHERE, message="another look is under way")
            states = look(current(), _one)
    except (KeyboardInterrupt, SystemExit, ExternalSignal):
        raise
    except BaseException as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(str(reason(error))))
    name, text = summary(states)
    return end(name, str(text)) if name == NOT_PUBLISHED else Completed(name=name, message=str(text))


def _one(_: Rulebook, drop: Path) -> str:
    """Publish one drop in a flow run of its own; returns the name of its state."""
    return str(publish(drop.name, return_state=True).name)


def rules_parser(command: str, lang: str, *, description: str) -> Parser:
    """The options that say how drops are judged, for `watch` and `serve`."""
    parser = Parser(command, lang=lang, description=description)
    parser.add_argument("registry", type=Path, help="Folder of the registry; drops go to its incoming/.")
    parser.add_argument("--contract", type=Path, required=True, help="The contract.")
    parser.add_argument("--sign", required=True, metavar="KEY", help="Private key: a file, or env:NAME.")
    parser.add_argument("--trust", type=Path, metavar="FILE", help="Trusted keys ($DATACHECK_TRUST).")
    parser.add_argument("--dataset", metavar="NAME", help="Which dataset of the contract a drop is.")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=PATH", help="Where other datasets are.")
    parser.add_argument("--run", action="append", default=[], metavar="NAME=VALUE", help="A setting of the run.")
    parser.add_argument("--channel", help="Which pointer moves (the contract's name).")
    parser.add_argument("--strict", action="store_true", help="Warnings count as violations.")
    parser.add_argument(
        "--engine",
        default=os.environ.get(ENGINE, "local"),
        metavar="local|ray|dask|auto",
        help="Where the work is done; a cluster by its address, as ray://HOST:PORT.",
    )
    parser.add_argument("--lang", choices=languages(), default="en", help="Language of the reports.")
    parser.add_argument("--wait-for-waiver", type=int, default=0, metavar="SECONDS", help="Wait for a person.")
    parser.add_argument("--limit-name", metavar="NAME", help="A global concurrency limit for heavy work.")
    parser.add_argument("--report-url", metavar="URL", help="Where reports can be read: https://…/{version}.")
    parser.add_argument(
        "--notify",
        action="append",
        default=[],
        metavar="KIND=env:NAME",
        help="feishu, wecom or slack, and the variable that holds the webhook's address.",
    )
    parser.add_argument("--interval", type=float, default=60.0, metavar="SECONDS", help="Between two looks (60).")
    return parser


def rules_of(given: argparse.Namespace) -> Rulebook:
    """The rules that the options name, with absolute paths: a worker may run elsewhere. Raises UsageError."""
    webhooks = [
        {"kind": kind, "url": url, "lang": given.lang} for kind, url in _pairs(given.notify, "--notify").items()
    ]
    if not given.contract.is_file():
        raise UsageError("{contract}: no such file; expected a contract", contract=given.contract)
    as_given = {name: value for name, value in vars(given).items() if name in Rulebook.model_fields}
    other = {
        "registry": given.registry.absolute(),
        "contract": given.contract.absolute(),
        "sign": given.sign if given.sign.startswith("env:") else str(Path(given.sign).absolute()),
        "trust": given.trust.absolute() if given.trust else None,
        "data": {name: str(Path(path).absolute()) for name, path in _pairs(given.data, "--data").items()},
        "run": _pairs(given.run, "--run"),
        "limit": given.limit_name,
        "webhooks": webhooks,
    }
    return Rulebook.model_validate({**as_given, **other})


def _pairs(items: Sequence[str], option: str) -> dict[str, str]:
    pairs = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise UsageError("{option} {item}: expected NAME=VALUE", option=option, item=item)
        pairs[name] = value
    return pairs


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck watch REGISTRY …`: look for drops until stopped, or once (1: a drop was not published)."""
    words = sys.argv[1:] if arguments is None else arguments
    lang = chosen(words, os.environ)
    parser = rules_parser(
        "datacheck watch",
        lang,
        description="Publish drops as they come, each once; as Prefect flows if PREFECT_API_URL is set.",
    )
    parser.add_argument("--once", action="store_true", help="Look once, and end.")
    given = parser.parse_args(words)
    rules = rules_of(given)
    with_prefect = bool(PREFECT_API_URL.value())
    if not with_prefect:
        _refuse("--wait-for-waiver" if rules.wait_for_waiver else "--limit-name" if rules.limit else None)
    use(rules)
    return (_watch if with_prefect else watch_here)(rules, None if given.once else given.interval, lang)


def _refuse(option: str | None) -> None:
    if option is not None:
        raise UsageError(
            "{option}: needs a Prefect server; set PREFECT_API_URL to the address of a running one", option=option
        )


def _watch(rules: Rulebook, interval: float | None, lang: str) -> int:
    """Look every `interval` seconds until stopped, or once."""
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    while True:
        code = _look(lang) if interval is None or Registry(rules.registry).drops() else 0
        if interval is None:
            return code
        if over.wait(interval):
            return 0


def _look(lang: str) -> int:
    try:
        state = watch(return_state=True)
    except Exception as error:  # noqa: BLE001 - no server
        sys.stderr.write(f"{not_run(error).said(lang)}\n")
        return DatacheckError.exit_code
    sys.stderr.write(f"{state.name}: {state.message}\n")
    return 0 if state.is_completed() else 1
