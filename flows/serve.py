"""Serve the flows: one process that publishes drops on a schedule and on an event, and runs what the UI asks for.

The runner is given the flows themselves. It runs these and no others, whatever code, storage or steps the server's
deployments name: who can write to the server's API cannot make it run theirs.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from prefect.events import DeploymentEventTrigger
from prefect.exceptions import TerminationSignal
from prefect.runner import Runner
from prefect.settings import PREFECT_API_URL
from prefect.types.entrypoint import EntrypointType

from datacheck.errors import DatacheckError, UsageError
from datacheck.i18n.command_line import chosen
from datacheck.i18n.message import Message, joined
from datacheck.registry.registry import Registry

from .announce import EVENT, RESOURCE
from .by_hand import validate_drop
from .lookout import Lookout, cause, forget_missed
from .notify import alarm
from .publish import publish
from .rules import use
from .validate import reason
from .watch import rules_of, rules_parser, watch

_ENDING = 30.0  # seconds for the runs under way to be stopped


async def _deploy(runner: Runner, interval: float) -> UUID:
    """The flows as deployments: `watch` every `interval` seconds and at each EVENT, the others on request."""
    module = EntrypointType.MODULE_PATH  # a file path would not do in an empty folder beside an installed wheel
    looking = await runner.aadd_flow(
        watch,
        "registry",
        interval=timedelta(seconds=interval),
        triggers=[DeploymentEventTrigger(expect={EVENT}, match={"prefect.resource.id": RESOURCE}, name="drop ready")],
        entrypoint_type=module,
        description="Publish the complete drops in incoming/.",
    )
    for flow in (validate_drop, publish):
        await runner.aadd_flow(flow, "by-hand", entrypoint_type=module)
    return looking


async def _serve(interval: float, limit: int, lang: str) -> Message:
    """Serve until stopped; returns why looks do not happen, where they do not."""
    looking: UUID | None = None
    runner = Runner(name="datacheck", limit=limit)
    lookout = Lookout(interval)
    try:
        looking = await _deploy(runner, interval)
        await forget_missed(looking)
        served = "datacheck-watch/registry, datacheck-publish/by-hand, datacheck-validate/by-hand"
        _say(Message("{flows}: being served", flows=served), lang)
        running, silent = asyncio.create_task(runner.start()), asyncio.create_task(lookout.silence())
        await asyncio.wait((running, silent), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            silent.cancel()
            running.result()
            return Message("the runner has ended; see the lines above")
        silence = Message("there was no look for {seconds:g} s", seconds=lookout.patience)
        why = joined([silence, await cause(looking, lookout.patience)])
        running.cancel()
        await asyncio.wait((running,), timeout=_ENDING)
    except Exception as error:  # noqa: BLE001 - of the server's client or the runner: anything
        return joined([reason(error), await cause(looking, lookout.patience)])
    finally:
        lookout.close()
    return why


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck serve REGISTRY …`: serve until stopped; 3: no look happens."""
    words = sys.argv[1:] if arguments is None else arguments
    lang = chosen(words, os.environ)
    parser: argparse.ArgumentParser = rules_parser(
        "datacheck serve", lang, description="Serve the flows: schedule, events, requests from the UI."
    )
    parser.add_argument("--limit", type=int, default=2, help="Runs at the same time (2).")
    given = parser.parse_args(words)
    rules = rules_of(given)
    _require_server()
    with Registry(rules.registry).ledger():
        pass  # the registry is there, and its ledger is whole, before anything is scheduled
    use(rules)
    try:
        why = asyncio.run(_serve(given.interval, given.limit, lang))
        told = Message("datacheck serve: {why}", why=why)
        _say(told, lang)
        for refused in alarm(rules.webhooks, told):
            _say(Message("not told: {reason}", reason=refused), lang)
    except (KeyboardInterrupt, TerminationSignal):
        return 0
    return DatacheckError.exit_code


def _require_server() -> None:
    if not PREFECT_API_URL.value():
        raise UsageError("PREFECT_API_URL: is not set; expected the address of a running Prefect server")


def _say(message: Message, lang: str) -> None:
    sys.stderr.write(f"{message.said(lang)}\n")
    sys.stderr.flush()
