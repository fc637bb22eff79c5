"""What a worker of a cluster does: it makes itself ready, once, and then one task after the other.

It imports little: what `prepare` sets must be set before polars is imported.
"""

import atexit
import hashlib
import multiprocessing
import pickle
import platform
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from datacheck.engine.bucket import Place, close_others, local, opened
from datacheck.engine.copies import leave, new_copies, use
from datacheck.engine.processes import prepare
from datacheck.errors import DatacheckError, LoadError


@dataclass(frozen=True)
class Setup:
    """How the workers of a run begin. It lies in the store: who does not reach that could do no task of it.

    code: the digest of datacheck and its plug-ins. checks: the user's folder, what `inputs_digest` says of it, and the
    copy of its Python files in the store. own: nobody else's work is done in the worker.
    """

    code: str
    checks: Path | None
    inputs: str
    copy: Path | None
    threads: int
    own: bool


Where: TypeAlias = tuple[Place, Path]  # a store, and the path of a Setup in it, which ends with its sha256
_ready: list[tuple[Where, Setup]] = []  # the one that this process was made ready by


def do(setup: Where, task: bytes, *, alone: bool, mark: Path | None = None) -> Any:
    """Do a task that `clusters.ClusterWorkers` sent; `alone`: in a child, so that it cannot end this worker with it.

    mark: a file that says by its length how often the task was begun.
    """
    try:
        ready = _made_ready(setup)
    except DatacheckError as error:
        from datacheck.engine.workers import Failure

        return Failure(type(error).__name__, error.message)
    from datacheck.engine.workers import Failure, Workers, guarded

    sent = guarded(pickle.loads, task)
    if isinstance(sent, Failure):
        return sent
    if mark is not None:
        with suppress(OSError), mark.open("ab") as begun:
            begun.write(b".")
    worked, given = sent
    if not alone:
        return worked(given)
    # Dask's workers are daemons, which may have no children; ours end with their parent.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # noqa: SLF001
    child = Workers(1, limit=worked.keywords["limit"])
    child.threads = ready.threads
    try:
        return child.alone(worked, given)
    finally:
        child.close()  # waits: a worker that ends while its child does may wait for it for ever


def _made_ready(where: Where) -> Setup:
    if _ready and _ready[0][0] == where:
        return _ready[0][1]
    host, (place, path) = platform.node(), where
    close_others(place)
    opened(place)
    with LoadError.instead(
        OSError,
        "{host}: does not see {path} ({reason}); give --out in a folder that all nodes share",
        host=host,
        path=path,
    ):
        content = local(path).read_bytes()
    if not path.name.endswith(hashlib.sha256(content).hexdigest()):
        raise LoadError("{store}: what lies there is not what was written", store=path)
    setup: Setup = pickle.loads(content)  # noqa: S301 - it is what the run wrote, whose task names it
    if setup.copy is not None:
        local(setup.copy)
    there = setup.checks is not None and setup.checks.is_dir()
    prepare(setup.checks if there else setup.copy, setup.threads, own=setup.own)
    from datacheck.contract import discover
    from datacheck.engine.store import code_digest, inputs_digest

    if inputs_digest() != setup.inputs:  # another folder of the same name
        discover.use_folder(setup.copy)
        if inputs_digest() != setup.inputs:
            raise LoadError("{store}: what lies there is not what was written", store=str(setup.copy))
    if code_digest() != setup.code:
        raise LoadError("{host}: has another datacheck, or other plug-ins; install the same on every node", host=host)
    if isinstance(place, Path):
        _keep_scratch_here()
    if setup.own:
        from datacheck.engine.workers import keep_some_records

        keep_some_records()
    _ready[:] = [(where, setup)]
    return setup


@cache
def _keep_scratch_here() -> None:
    """Let scratch files lie on a disk of this machine: what a step writes for itself need not cross the network."""
    from datacheck.engine.store import scratch_on

    folder = new_copies()
    use(folder)
    atexit.register(leave, folder)
    scratch_on(folder)
