"""A command in one process, which this one watches: on little data a second import of polars is half of the wait.

The watched process is a fork made before anything heavy is imported. It needs no children of its own where the data is
small, and says when it has ended; one that dies before (out of memory, a crash in native code) has decided nothing:
the command runs again here, each step in a child.
"""

import atexit
import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from datacheck import plugins
from datacheck.engine.threads import few_threads
from datacheck.interrupts import handled
from datacheck.pii.hidden import own_process

_ENDED = b"."
NOT_SAID = 120  # what an interpreter ends with whose words nobody took
_watched = False


def is_watched() -> bool:
    """Whether a process stands behind this one that goes on where this one dies."""
    return _watched


def watched(work: Callable[[], object]) -> None:
    """Run a command, which ends with SystemExit, in a fork of this process, and end as it did."""
    if "polars" in sys.modules or threading.active_count() > 1:  # threads do not survive a fork
        work()
        return
    told, tell = os.pipe()
    lives, _live = os.pipe()  # nothing is ever written: it ends when this process does
    child = os.fork()
    if child == 0:
        os.close(told)
        os.close(_live)
        _work(work, tell, lives)
    os.close(tell)
    os.close(lives)
    code = _exit_code(child, told)
    if code is not None:
        sys.exit(code)
    work()


def _exit_code(child: int, told: int) -> int | None:
    """How a watched process ended; None where it died of itself."""
    sent: list[int] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        sent.append(number)
        os.kill(child, number)

    with handled(forward), os.fdopen(told, "rb") as pipe:
        ended = pipe.read() == _ENDED
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended and code >= 0:
        return code
    return 128 + sent[0] if sent else None


def _work(work: Callable[[], object], tell: int, lives: int) -> NoReturn:
    global _watched  # noqa: PLW0603 - true of the whole process, from here on
    _watched = True
    threading.Thread(target=_end_with_parent, args=(lives,), daemon=True).start()
    few_threads(os.environ.get("POLARS_MAX_THREADS", "1"))
    try:
        if not plugins.inputs():
            own_process()
        work()
    except SystemExit as end:
        _end(tell, end.code if isinstance(end.code, int) else 1)
    except KeyboardInterrupt:
        _end(tell, 130)
    except BaseException:  # noqa: BLE001 - nothing may climb into what called the watching process
        os._exit(1)
    _end(tell, 0)


def _end(tell: int, code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # as where it was closed before the command began (`>&-`)
                stream.flush()
        except OSError:
            code = NOT_SAID
    atexit._run_exitfuncs()  # noqa: SLF001 - all that a whole end does which is needed; it takes a tenth of a second
    os.write(tell, _ENDED)
    os._exit(code)


def _end_with_parent(lives: int) -> None:
    os.read(lives, 1)
    os._exit(1)
