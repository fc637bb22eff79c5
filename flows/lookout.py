"""Whether looks happen at all, seen from `serve`: a scheduler can be dead while its server calls itself healthy.

Each look, wherever its process runs, holds a lock on a file of its channel and touches it. `serve` sees a look that is
under way by the lock and a past one by the time of the file; it need not believe the server.
"""

import asyncio
import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from httpx import HTTPStatusError
from prefect import get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterExpectedStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import ObjectNotFound
from prefect.settings import PREFECT_API_URL

from datacheck.i18n.message import Message

MARK = "DATACHECK_LOOK_MARK"
LEAST = 180.0  # seconds: Prefect's scheduler needs up to a minute for a new schedule, a process some seconds to start
_LATE = 60.0  # seconds that the scheduler may be late
_TRIES = 5
_PAGE = 100  # runs that are read at a time
_ASKING = 20.0  # seconds in which a server that is there answers


@contextlib.contextmanager
def under_way(name: str) -> Iterator[bool]:
    """Tell the process that serves this look, if there is one, that it is under way; False: another one is.

    A limit of the server would do the latter, too, but counts a look that was killed for minutes; a lock dies with it.
    """
    place = Path(os.environ.get(MARK, "")) / name
    if MARK not in os.environ or not place.exists():  # who served it has gone
        yield True
        return
    with place.open("r+b") as mark:
        mine = any(_locked(mark) for _ in range(_TRIES))
        yield mine
        if mine:
            os.utime(mark.fileno())


def _locked(mark: BinaryIO) -> bool:
    """Whether the lock could be had, soon: `serve` takes it for a moment to look whether somebody has it."""
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(0.1)
        return False
    return True


class Lookout:
    """Waits until two looks of a channel have failed to come, but three minutes at least: also the time to start in."""

    def __init__(self, folder: Path, name: str, interval: float) -> None:
        self.patience = max(2 * interval + _LATE, LEAST)
        self._mark = folder / name
        self._mark.touch()

    async def silence(self) -> None:
        """Return when it has been silent for too long."""
        before, since = self._seen(), time.monotonic()
        while time.monotonic() - since < self.patience:
            await asyncio.sleep(1)
            now = self._seen()
            if now != before or now is None:
                before, since = now, time.monotonic()

    def _seen(self) -> int | None:
        """When the last look ended; None: one is under way."""
        with self._mark.open("rb") as mark:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
            return os.fstat(mark.fileno()).st_mtime_ns


@contextlib.contextmanager
def marks() -> Iterator[Path]:
    """A folder for the marks of looks, of which the processes that look are told."""
    with tempfile.TemporaryDirectory(prefix="datacheck-look-") as folder:
        os.environ[MARK] = folder
        yield Path(folder)


async def forget_missed(deployment: UUID) -> None:
    """Remove the looks that were due while nobody served, but for the newest: one look sees all drops.

    A night without `serve` leaves hundreds, and what somebody asks for by hand would wait behind them.
    """
    missed = FlowRunFilter(
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED])),
        expected_start_time=FlowRunFilterExpectedStartTime.model_validate({"before_": datetime.now(UTC)}),
    )
    async with get_client() as client:
        while True:
            found = await client.read_flow_runs(
                deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
                flow_run_filter=missed,
                sort=FlowRunSort.EXPECTED_START_TIME_DESC,
                limit=_PAGE,
            )
            for run in found[1:]:
                with contextlib.suppress(ObjectNotFound):  # another process has just taken it
                    await client.delete_flow_run(run.id)
            if len(found) < _PAGE:
                return


def unanswered(error: Exception) -> Message:
    """Why the server gave no answer, and what to do."""
    server = str(PREFECT_API_URL.value())
    if isinstance(error, HTTPStatusError) and error.response.status_code in (401, 403):
        return Message(
            "the Prefect server at {server} wants a login; export PREFECT_API_AUTH_STRING=USER:PASSWORD", server=server
        )
    return Message("the Prefect server at {server} does not answer; start it (prefect server start)", server=server)


async def cause(deployment: UUID | None, since: float) -> Message:
    """Why there was no look for `since` seconds, as far as the server can tell, and what to do."""
    try:
        async with asyncio.timeout(_ASKING), get_client() as client:
            await client.hello()
            if deployment is None:
                return Message("the server answers; see the lines above")
            found = await client.read_deployment(deployment)
            now = datetime.now(UTC)
            due = FlowRunFilterExpectedStartTime.model_validate(
                {"after_": now - timedelta(seconds=since), "before_": now}
            )
            newest = await client.read_flow_runs(
                deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
                flow_run_filter=FlowRunFilter(expected_start_time=due),
                sort=FlowRunSort.EXPECTED_START_TIME_DESC,
                limit=1,
            )
    except Exception as error:  # noqa: BLE001 - whatever it is that the client of a dead server raises
        return unanswered(error)
    if found.paused or not any(schedule.active for schedule in found.schedules):
        return Message("the schedule is paused on the server; serve again to resume it")
    if not newest:
        return Message(
            "the Prefect server at {server} schedules nothing: its scheduler does not work; "
            "look into the server's log, start it again with sqlalchemy<2.1, then serve again",
            server=str(PREFECT_API_URL.value()),
        )
    return Message(
        "the server has scheduled looks, the newest is {state}; see its log there, then serve again",
        state=str(newest[0].state_name),
    )
