"""Would the service work? `datacheck doctor`, with the words that `serve` or `watch` is to be given; it moves nothing.

What fails in a service fails at night: a scheduler that a library broke, a key that its user may not read, a full disk.
Each question here is asked as the service would ask it, and what it says names what to type.
"""

import asyncio
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal, NamedTuple

from packaging.requirements import Requirement
from prefect import get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import ObjectNotFound
from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL

from datacheck.contract.load import load_contract
from datacheck.errors import DatacheckError, LoadError, UsageError, crash
from datacheck.files.versions import MANIFEST, read_manifest
from datacheck.gate.decisions import given
from datacheck.gate.keys import load_private
from datacheck.gate.standing import DATABASE, LEDGER, has_ledger
from datacheck.gate.trust import read_trust, today
from datacheck.i18n.command_line import chosen
from datacheck.i18n.message import Message, SaidError, joined
from datacheck.registry.publish import Job
from datacheck.registry.registry import Registry
from datacheck.session.decided import decide

from .look import incomplete, strays
from .lookout import LEAST, unanswered
from .rules import Rulebook
from .validate import shown, shown_line
from .watch import rules_of, rules_parser

_ROOM = 256 * 1024**2  # bytes that a look needs beside the drops themselves: a store, reports, the ledger
_SKEW = 60.0  # seconds that clocks may differ: verdicts and waivers count in days
_ASKING = 20.0  # seconds in which a server that is there answers
_NAMES = {
    "versions": Message("versions"),
    "registry": Message("registry"),
    "contract and key": Message("contract and key"),
    "incoming": Message("incoming"),
    "disk": Message("disk"),
    "clock": Message("clock"),
    "server": Message("server"),
    "webhooks": Message("webhooks"),
}
_STATUS = {"ok": Message("ok"), "warn": Message("warn"), "fail": Message("fail")}


class DoubtError(SaidError):
    """The service would work, but not as it should."""


class Answer(NamedTuple):
    """What one question came to."""

    name: str
    status: Literal["ok", "warn", "fail"]
    said: Message


def answers(rules: Sequence[Rulebook]) -> list[Answer]:
    """Ask everything, in the order in which the service would need it; of each channel what differs by channel."""
    first = rules[0]
    questions: list[tuple[str, Callable[[], Message]]] = [
        ("versions", _versions),
        ("registry", lambda: _registry(first)),
        *(("contract and key", _of(one, _contract_and_key)) for one in rules),
        *(("incoming", _of(one, _incoming)) for one in rules),
        ("disk", lambda: _disk(rules)),
        ("clock", lambda: _clock(first)),
        *(("server", _of(one, lambda each: asyncio.run(_server(each)))) for one in rules),
        *(("webhooks", _of(one, _webhooks)) for one in rules),
    ]
    return [_asked(name, question) for name, question in questions]


def _of(rules: Rulebook, question: Callable[[Rulebook], Message]) -> Callable[[], Message]:
    """A question about one channel; where there are several, all that is said names it."""

    def named(what: Message) -> Message:
        return Message("{channel}: {what}", channel=rules.name, what=what) if rules.folder else what

    def asked() -> Message:
        try:
            return named(question(rules))
        except DoubtError as doubt:
            raise DoubtError("{what}", what=named(doubt.message)) from None
        except DatacheckError as error:
            raise DatacheckError("{what}", what=named(error.message)) from None

    return asked


def _asked(name: str, question: Callable[[], Message]) -> Answer:
    try:
        return Answer(name, "ok", question())
    except DoubtError as doubt:
        return Answer(name, "warn", doubt.message)
    except DatacheckError as error:
        return Answer(name, "fail", error.message)
    except Exception as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
        return Answer(name, "fail", crash(error))


def _versions() -> Message:
    """The installed packages beside what datacheck asks for: what is newer breaks Prefect's server or its scheduler."""
    try:
        asked = [Requirement(line) for line in requires("datacheck-llm") or ()]
    except PackageNotFoundError:
        raise DoubtError("datacheck-llm is not installed, so nothing says which versions it needs") from None
    wrong = []
    for each in asked:
        if each.marker is not None and not each.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(each.name)
        except PackageNotFoundError:
            found = "-"
        if found == "-" or not each.specifier.contains(found, prereleases=True):
            wrong.append((each, found))
    if wrong:
        told = ", ".join(f"{each.name} {found}" for each, found in wrong)
        wanted = " ".join(f"'{each.name}{each.specifier}'" for each, _ in wrong)
        raise DatacheckError("{told}: not what was tested; pip install {wanted}", told=told, wanted=wanted)
    return Message("Python {python}, prefect {prefect}", python=sys.version.split()[0], prefect=version("prefect"))


def _registry(rules: Rulebook) -> Message:
    """Its ledger whole, beside every head, and its folders such that this user may write."""
    root = rules.registry
    if not has_ledger(root):
        if not root.is_dir() or not os.access(root, os.W_OK | os.X_OK):
            raise DatacheckError(
                "{root}: no folder where you may write; mkdir -p {root}/incoming", root=shown(str(root))
            )
        raise DoubtError("{root}: no registry yet; the first look makes it", root=shown(str(root)))
    registry = Registry(root)
    with registry.ledger() as ledger:
        entries = ledger.verified(registry.heads())
        with ledger.writing():
            pass  # an empty transaction: a reader could not begin it
    for place in (root, *(folder for folder in root.iterdir() if folder.is_dir())):
        if not os.access(place, os.W_OK | os.X_OK):
            raise DatacheckError("{place}: you may not write there; mend its owner or mode", place=shown(str(place)))
    own = [place for place in (root / LEDGER, root / DATABASE) if place.exists()]
    for place in (root, *own, *(root / name for name in ("staged", "versions", "quarantine", "published"))):
        if place.stat().st_mode & stat.S_IWOTH:
            raise DoubtError("{place}: everybody may write there; chmod o-w {place}", place=shown(str(place)))
    return Message.plural(
        "the ledger of {n} entry is whole and can be written",
        "the ledger of {n} entries is whole and can be written",
        len(entries),
    )


def _contract_and_key(rules: Rulebook) -> Message:
    """The contract loads; the key can be read, by this user alone, and is trusted as a validator's."""
    contract = load_contract(rules.contract, run=rules.run, located=False)
    key, trust = load_private(rules.sign), read_trust(rules.trust)
    if trust.why_not(key.key_id, "validator") is not None:
        raise DatacheckError(
            "--sign: nobody would accept this key; "
            "expected it among the validators of {file}: datacheck keys trust KEY.pub",
            file=shown(trust.file),
        )
    told = Message("{contract}, signed by {key}", contract=contract.name, key=key.key_id[:12])
    missing = trust.missing([key.key_id])
    told = joined([told, missing]) if missing else told
    idle = decide(contract, given(rules.decisions, trust, [key.key_id]), today()).idle() if rules.decisions else ()
    if idle:
        raise DoubtError("{told}", told=joined([told, *idle]))
    return told


def _incoming(rules: Rulebook) -> Message:
    """A look that takes nothing: which drops the service would take, and what it would say of the others."""
    registry, waiting = Registry(rules.registry), []
    folder = rules.registry / "incoming" / (rules.channel or "" if rules.folder else "")
    complete = rules.drops()
    for drop in complete:
        try:
            incomplete(drop)
            Job(drop, rules.gate(drop), registry)
        except (LoadError, UsageError) as error:
            waiting.append(Message("{drop}: {reason}", drop=shown_line(drop.name), reason=error.message))
    lost = strays(rules)
    others = sorted(p.name for p in folder.iterdir() if p not in complete) if folder.is_dir() else []
    others = [name for name in others if rules.called(folder / name) not in lost]
    if others:
        hint = Message("datacheck manifest DROP, when all its files are there")
        names = shown_line(", ".join(others[:3]) + (", …" if len(others) > 3 else ""))
        waiting.append(
            Message("{names}: no {manifest}, so not taken; {hint}", names=names, manifest=MANIFEST, hint=hint)
        )
    waiting += [Message("{drop}: {state}", drop=shown_line(name), state=state) for name, state in lost.items()]
    if waiting:
        raise DoubtError(joined(waiting))
    return Message.plural("{n} drop is ready to be taken", "{n} drops are ready to be taken", len(complete))


def _disk(rules: Sequence[Rulebook]) -> Message:
    """Space for what waits in incoming/: a drop may have to be copied, and a run keeps what it measures."""
    root = rules[0].registry
    place = next(folder for folder in (root, *root.parents) if folder.is_dir())
    free = shutil.disk_usage(place).free
    manifests = [read_manifest(drop) for one in rules for drop in one.drops()]
    needed = _ROOM + 2 * max((one.bytes for one in manifests if one is not None), default=0)
    told = Message("{free:,} MB free, {needed:,} MB needed", free=free // 10**6, needed=needed // 10**6)
    if free < needed:
        raise DatacheckError("{place}: {told}; free space there", place=shown(str(place)), told=told)
    return told


def _clock(rules: Rulebook) -> Message:
    """The clock here, beside the newest entry of the ledger: expiry is decided by it."""
    now = datetime.now(UTC)
    if has_ledger(rules.registry):
        with Registry(rules.registry).ledger(readonly=True) as ledger:
            last = max((entry.time for entry in ledger.verified()), default="")
        if last and datetime.fromisoformat(last) > now + timedelta(seconds=_SKEW):
            raise DatacheckError(
                "{now} is before the ledger's newest entry, {last}; set the clock", now=_day(now), last=last
            )
    return Message("{now}", now=_day(now))


def _day(now: datetime) -> str:
    return now.isoformat(timespec="seconds").replace("+00:00", "Z")


async def _server(rules: Rulebook) -> Message:
    """Whether there is a server, it answers, somebody may log in, and looks are scheduled and happen."""
    server = PREFECT_API_URL.value()
    if not server:
        return Message("PREFECT_API_URL is not set: datacheck watch needs no server, datacheck serve does")
    try:
        async with asyncio.timeout(_ASKING), get_client() as client:
            theirs = await client.api_version()
            looking = None
            with suppress(ObjectNotFound):
                looking = await client.read_deployment_by_name(f"datacheck-watch/{rules.name}")
            due = []
            if looking is not None:
                waiting = FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED]))
                due = await client.read_flow_runs(
                    deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[looking.id])),
                    flow_run_filter=FlowRunFilter(state=waiting),
                    sort=FlowRunSort.EXPECTED_START_TIME_ASC,
                    limit=1,
                )
    except Exception as error:  # noqa: BLE001 - whatever it is that the client of a dead server raises
        raise DatacheckError("{reason}", reason=unanswered(error)) from None
    if looking is not None and any(each.active for each in looking.schedules) and not looking.paused:
        if not due:
            raise DatacheckError(
                "the Prefect server at {server} schedules nothing: its scheduler does not work; "
                "look into the server's log, start it again with sqlalchemy<2.1, then serve again",
                server=str(server),
            )
        late = time.time() - due[0].expected_start_time.timestamp() if due[0].expected_start_time else 0.0
        if late > max(2 * rules.interval, LEAST):
            raise DatacheckError("a look has been due for {n:.0f} s: nobody serves it; datacheck serve", n=late)
    told = Message("{server} answers, version {version}", server=str(server), version=theirs)
    if theirs != version("prefect"):
        raise DoubtError(
            "{told}, but prefect here is {ours}; use one version for both", told=told, ours=version("prefect")
        )
    if "://127.0.0.1" not in server and "://localhost" not in server and not PREFECT_API_AUTH_STRING.value():
        raise DoubtError("{told}, without a login: set PREFECT_SERVER_API_AUTH_STRING, see docs/prefect.md", told=told)
    return told


def _webhooks(rules: Rulebook) -> Message:
    """Whether their addresses are in the environment; nothing is posted."""
    for webhook in rules.webhooks:
        webhook.address()
    return Message.plural("{n} address", "{n} addresses", len(rules.webhooks))


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck doctor REGISTRY …`: 0 nothing fails, 1 something does (with --strict: or is doubtful)."""
    words = sys.argv[1:] if arguments is None else arguments
    lang = chosen(words, os.environ)
    parser = rules_parser(
        "datacheck doctor", lang, description="Say whether serve or watch would work, by the same options."
    )
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    given = parser.parse_args(words)
    found = answers(rules_of(given, parser, {"strict"}))
    if given.json:
        listed = [{**one._asdict(), "said": one.said.said(lang)} for one in found]
        sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=1) + "\n")
    else:
        for one in found:
            status, name = _STATUS[one.status].said(lang), _NAMES[one.name].said(lang)
            sys.stdout.write(f"{status}  {name}: {one.said.said(lang)}\n")
    bad = ("fail", "warn") if given.strict else ("fail",)
    return int(any(one.status in bad for one in found))
