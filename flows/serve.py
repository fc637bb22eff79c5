"""Serve the flows: one process that publishes drops on a schedule and on an event, and runs what the UI asks for.

The runner is given the flows themselves. It runs these and no others, whatever code, storage or steps the server's
deployments name: who can write to the server's API cannot make it run theirs.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
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
from .lookout import Lookout, cause, forget_missed, marks
from .notify import alarm
from .publish import publish
from .rules import Rulebook, use
from .validate import reason
from .watch import rules_of, rules_parser, watch

_ENDING = 30.0  # seconds for the runs under way to be stopped


async def _deploy(runner: Runner, rules: Sequence[Rulebook]) -> list[UUID]:
    """The flows as deployments: `watch` for each channel by its interval and at each EVENT, the others on request."""
    module = EntrypointType.MODULE_PATH  # a file path would not do in an empty folder beside an installed wheel
    looking = [
        await runner.aadd_flow(
            watch,
            one.name,
            interval=timedelta(seconds=one.interval),
            parameters={"channel": one.channel},
            triggers=[
                DeploymentEventTrigger(
                    expect={EVENT},
                    match={"prefect.resource.id": RESOURCE},
                    name="drop ready",
                    parameters={"channel": one.channel},
                )
            ],
            entrypoint_type=module,
            description="Publish the complete drops in incoming/.",
        )
        for one in rules
    ]
    for flow in (validate_drop, publish):
        await runner.aadd_flow(flow, "by-hand", entrypoint_type=module)
    return looking


async def _serve(rules: Sequence[Rulebook], limit: int, lang: str, folder: Path) -> Message:
    """Serve until stopped; returns why looks do not happen, where they do not."""
    looking: list[UUID] = []
    runner = Runner(name="datacheck", limit=limit)
    lookouts = [Lookout(folder, one.name, one.interval) for one in rules]
    patience = min(lookout.patience for lookout in lookouts)
    try:
        looking = await _deploy(runner, rules)
        for deployment in looking:
            await forget_missed(deployment)
        served = [f"datacheck-watch/{one.name}" for one in rules] + ["datacheck-publish/by-hand"]
        _say(Message("{flows}: being served", flows=", ".join([*served, "datacheck-validate/by-hand"])), lang)
        running = asyncio.create_task(runner.start())
        silent = [asyncio.create_task(lookout.silence()) for lookout in lookouts]
        await asyncio.wait((running, *silent), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            for each in silent:
                each.cancel()
            running.result()
            return Message("the runner has ended; see the lines above")
        number = next(n for n, each in enumerate(silent) if each.done())
        why = await _silence(rules[number], looking[number], lookouts[number].patience)
        for each in (running, *silent):
            each.cancel()
        await asyncio.wait((running,), timeout=_ENDING)
    except Exception as error:  # noqa: BLE001 - of the server's client or the runner: anything
        return joined([reason(error), await cause(looking[0] if looking else None, patience)])
    return why


async def _silence(rules: Rulebook, looking: UUID, patience: float) -> Message:
    """That a channel was not looked at, for how long, and why."""
    told = Message("there was no look for {seconds:g} s", seconds=patience)
    named = Message("{channel}: {what}", channel=rules.name, what=told) if rules.folder else told
    return joined([named, await cause(looking, patience)])


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck serve REGISTRY …`: serve until stopped; 3: no look happens."""
    words = sys.argv[1:] if arguments is None else arguments
    lang = chosen(words, os.environ)
    parser = rules_parser(
        "datacheck serve", lang, description="Serve the flows: schedule, events, requests from the UI."
    )
    parser.add_argument("--limit", type=int, default=2, help="Runs at the same time (2).")
    given = parser.parse_args(words)
    rules = rules_of(given, parser)
    _require_server()
    with Registry(rules[0].registry).ledger():
        pass  # the registry is there, and its ledger is whole, before anything is scheduled
    use(rules)
    try:
        with marks() as folder:
            why = asyncio.run(_serve(rules, given.limit, lang, folder))
        told = Message("datacheck serve: {why}", why=why)
        _say(told, lang)
        for refused in alarm(dict.fromkeys(each for one in rules for each in one.webhooks), told):
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
