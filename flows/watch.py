"""New drops: a flow that publishes whatever complete drop lies in the registry's incoming/, and a loop around it.

Several watchers, schedules and events may see the same drop: the claim in the ledger lets one of them work. A drop
whose worker died is seen again at the next look, because it has been put back or its lease has run out.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.exceptions import ExternalSignal
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL
from prefect.states import Completed

from datacheck.errors import DatacheckError, UsageError
from datacheck.gate.decisions import require_file
from datacheck.i18n.command_line import Parser, chosen
from datacheck.i18n.message import languages
from datacheck.registry.channels import absolute, read_channels

from .look import NOT_PUBLISHED, look, strays, summary
from .lookout import under_way
from .publish import ELSEWHERE, publish
from .rules import Rulebook, current, title, use
from .turns import Turns
from .validate import ENGINE, INVALID, UNDECIDED, end, not_run, reason, shown
from .watch_here import watch_here


def _name() -> str:
    """Which registry is looked into, by which contract."""
    channel = flow_run.parameters.get("channel")
    told = title(lambda rules: f"{rules.registry.name} for {rules.contract.stem}", channel and str(channel))
    return f"look {told}"


@flow(name="datacheck-watch", flow_run_name=_name, persist_result=False, log_prints=False)
def watch(channel: str | None = None) -> State[Any]:
    """Look once for the drops of a channel: publish every complete one, one after the other; the backfill, too."""
    try:
        rules = current(channel)
        with under_way(rules.name) as mine:
            if not mine:
                return Completed(name=ELSEWHERE, message="another look is under way")
            states = look(rules, _one)
    except (KeyboardInterrupt, SystemExit, ExternalSignal):
        raise
    except BaseException as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(str(reason(error))))
    name, text = summary(states)
    return end(name, str(text)) if name == NOT_PUBLISHED else Completed(name=name, message=str(text))


def _one(rules: Rulebook, drop: Path) -> str:
    """Publish one drop in a flow run of its own; returns the name of its state."""
    return str(publish(drop.name, rules.channel, return_state=True).name)


def rules_parser(command: str, lang: str, *, description: str) -> Parser:
    """The options that say how drops are judged, for `watch` and `serve`."""
    parser = Parser(command, lang=lang, description=description)
    parser.add_argument("registry", type=Path, help="Folder of the registry; drops go to its incoming/.")
    parser.add_argument(
        "--channels", type=Path, metavar="FILE", help="The rules of all channels, instead of the options below."
    )
    parser.add_argument("--contract", type=Path, help="The contract.")
    parser.add_argument("--sign", metavar="KEY", help="Private key: a file, or env:NAME.")
    parser.add_argument("--trust", type=Path, metavar="FILE", help="Trusted keys ($DATACHECK_TRUST).")
    parser.add_argument("--decisions", type=Path, metavar="FILE", help="Suppressed rows, allowed values, signed.")
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


def rules_of(given: argparse.Namespace, parser: Parser, besides: Collection[str] = ()) -> list[Rulebook]:
    """The rules of the file of channels, or of the one channel that the options describe. Raises UsageError.

    `besides`: options that say something else to this command, too.
    """
    if given.channels is None:
        return [_one_channel(given)]
    others = {"contract", "sign", *Rulebook.model_fields, "notify", "limit_name"} - {"registry", "lang", *besides}
    for name in sorted(others & vars(given).keys()):
        if getattr(given, name) != parser.get_default(name):
            option = f"--{name.replace('_', '-')}"
            raise UsageError("{option}: stands in the file of --channels, for each channel", option=option)
    root = given.registry.absolute()
    return [
        Rulebook(**dict(channel), registry=root, channel=name, folder=True)
        for name, channel in read_channels(given.channels).items()
    ]


def _one_channel(given: argparse.Namespace) -> Rulebook:
    """The rules that the options name, with absolute paths: a worker may run elsewhere. Raises UsageError."""
    if given.contract is None or given.sign is None:
        raise UsageError("expected --contract FILE and --sign KEY, or --channels FILE")
    webhooks = [
        {"kind": kind, "url": url, "lang": given.lang} for kind, url in _pairs(given.notify, "--notify").items()
    ]
    if not given.contract.is_file():
        raise UsageError("{contract}: no such file; expected a contract", contract=given.contract)
    if given.decisions is not None:
        require_file(given.decisions)
    as_given = {name: value for name, value in vars(given).items() if name in Rulebook.model_fields}
    other = {
        "registry": given.registry.absolute(),
        "contract": given.contract.absolute(),
        "sign": given.sign if given.sign.startswith("env:") else str(Path(given.sign).absolute()),
        "trust": given.trust.absolute() if given.trust else None,
        "decisions": given.decisions.absolute() if given.decisions else None,
        "data": {name: absolute(path, Path.cwd()) for name, path in _pairs(given.data, "--data").items()},
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
    rules = rules_of(given, parser)
    with_prefect = bool(PREFECT_API_URL.value())
    if not with_prefect:
        for one in rules:
            _refuse("--wait-for-waiver" if one.wait_for_waiver else "--limit-name" if one.limit else None)
    use(rules)
    return (_watch if with_prefect else watch_here)(rules, lang, once=given.once)


def _refuse(option: str | None) -> None:
    if option is not None:
        raise UsageError(
            "{option}: needs a Prefect server; set PREFECT_API_URL to the address of a running one", option=option
        )


def _watch(rules: Sequence[Rulebook], lang: str, *, once: bool) -> int:
    """Look at each channel by its interval until stopped, or once at each."""
    if once:
        return max(_look(one, lang) for one in rules)
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    turns = Turns(rules)
    while True:
        for one in turns.due():
            if (one.drops() or strays(one)) and not over.is_set():
                _look(one, lang)
        if over.wait(turns.wait()):
            return 0


def _look(rules: Rulebook, lang: str) -> int:
    try:
        state = watch(rules.channel, return_state=True)
    except Exception as error:  # noqa: BLE001 - no server
        sys.stderr.write(f"{not_run(error).said(lang)}\n")
        return DatacheckError.exit_code
    sys.stderr.write(f"{state.name}: {state.message}\n")
    return 0 if state.is_completed() else 1
