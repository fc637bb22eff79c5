"""What a process leaves behind before it runs code of others: network, other processes, the right to write.

Run as a file by a Python that knows nothing of datacheck: standard library only, Linux. Three processes: one stays
outside and waits; the first of a new process namespace watches memory and processes and ends all at once; its child
runs the code. What the kernel refuses is named by `missing`, so that the report can say it.
"""

import contextlib
import ctypes
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

MEMORY, PROCESSES, ENDED = 71, 72, 73  # exit codes: what the code was ended for, or that it ended itself
_FILES = 256 << 20  # bytes of all files in scratch together
_NEW = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x08000000}  # of sched.h
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
_MOUNT_SETATTR, _AT_RECURSIVE, _AT_FDCWD = 442, 0x8000, -100
_DIE_WITH_PARENT, _DROP_BOUND, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 24, 36, 38  # of prctl.h
_DEVICES = ("null", "zero", "full", "random", "urandom")
_TICK = 0.02
_libc = ctypes.CDLL(None, use_errno=True)


def _called(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "refused")


def contained(scratch: Path, needed: str, memory: int, processes: int, code: Callable[[list[str]], None]) -> int:
    """Run `code` with the names of what could not be left behind; the exit code says how it ended.

    needed: a folder that it must be able to read.
    """
    _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    missing = _leave()
    first = os.fork()
    if first == 0:
        os._exit(_first(scratch, needed, memory, processes, code, missing))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGTERM))
    _, status = os.waitpid(first, 0)
    return os.waitstatus_to_exitcode(status)


def _leave() -> list[str]:
    """Enter namespaces of our own, all of them or none."""
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare(sum(_NEW.values())) == 0:
        with contextlib.suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
        return []
    if _libc.unshare(sum(_NEW.values()) - _NEW["user"]) == 0:
        return ["user"]
    return list(_NEW)


def _first(
    scratch: Path, needed: str, memory: int, processes: int, code: Callable[[list[str]], None], missing: list[str]
) -> int:
    """The first process of the namespace: it makes the file system read-only, starts the code and watches it."""
    _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    _libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    if "mount" not in missing:
        missing = [*missing, *_read_only(scratch, needed, processes)]
    alone = "pid" not in missing and "proc" not in missing
    pid = os.fork()
    if pid == 0:
        _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        _weaken(memory)
        os.chdir(scratch / "work")
        code(missing)
        os._exit(0)
    signal.signal(signal.SIGTERM, _told_to_end)
    try:
        return _watch(pid, memory, processes, alone=alone)
    except _ToldToEndError:
        _end(alone=alone)
        return ENDED


class _ToldToEndError(Exception):
    """The parent does not want to wait any longer."""


def _told_to_end(*_: object) -> None:
    raise _ToldToEndError


def _read_only(scratch: Path, needed: str, processes: int) -> list[str]:
    """Make every file system read-only but small ones in memory, and every device unusable but five."""
    work, shared = scratch / "work", Path("/dev/shm")  # noqa: S108 - to be hidden
    try:
        _mount(None, Path("/"), None, _RECURSIVE | _PRIVATE)
        for name in _DEVICES:
            _mount(f"/dev/{name}", Path("/dev", name), None, _BIND)
        _mount("tmpfs", work, "tmpfs", _NO_SUID | _NO_DEVICES, f"size={_FILES},mode=0700")
        for name in ("home", "tmp"):
            (work / name).mkdir()
        _flags(Path("/"), on=_READ_ONLY | _NO_SUID | _NO_DEVICES, deep=_AT_RECURSIVE)
        _flags(work, off=_READ_ONLY)
        for name in _DEVICES:
            _flags(Path("/dev", name), off=_NO_DEVICES)
        lies_there = any(Path(each).is_relative_to(shared) for each in (scratch, needed, sys.prefix, sys.base_prefix))
        if shared.is_dir() and not lies_there:
            _mount("tmpfs", shared, "tmpfs", _NO_SUID | _NO_DEVICES | _NO_EXEC, f"size={_FILES}")
        if not Path("/run").is_symlink() and Path("/run").is_dir():  # sockets of services
            _mount("tmpfs", Path("/run"), "tmpfs", _READ_ONLY | _NO_SUID | _NO_DEVICES, "size=4096")
    except OSError:
        return ["mount"]
    return _own_proc(processes)


def _own_proc(processes: int) -> list[str]:
    """See our own processes only. Raises nothing; where /proc is masked (in a container), it stays the old one."""
    try:
        _mount("proc", Path("/proc"), "proc", _NO_SUID | _NO_DEVICES | _NO_EXEC)
    except OSError:
        return ["proc"]
    with contextlib.suppress(OSError):  # a kernel before 6.14 has one for all: then the watch alone counts
        if _first_of_its_namespace():
            Path("/proc/sys/kernel/pid_max").write_text(str(max(301, 4 * processes)), encoding="ascii")
    try:
        Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")
        _flags(Path("/proc"), on=_READ_ONLY)
    except OSError:
        return ["mount"]
    return []


def _first_of_its_namespace() -> bool:
    """Whether the kernel is 6.14 or newer, where kernel.pid_max is of the namespace and not of the machine."""
    major, minor = (int("".join(filter(str.isdigit, part)) or 0) for part in os.uname().release.split(".")[:2])
    return (major, minor) >= (6, 14)


def _mount(source: "str | None", target: Path, kind: "str | None", flags: int, options: str = "") -> None:
    given = [each.encode() if each is not None else None for each in (source, str(target), kind)]
    _called(_libc.mount(*given, ctypes.c_ulong(flags), options.encode()))


def _flags(target: Path, on: int = 0, off: int = 0, deep: int = 0) -> None:
    """Set and clear flags of a mount (mount_setattr(2), Linux 5.12)."""
    attributes = struct.pack("QQQQ", on, off, 0, 0)
    path, size = str(target).encode(), ctypes.c_size_t(len(attributes))
    _called(_libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, ctypes.c_uint(deep), attributes, size))


def _weaken(memory: int) -> None:
    """Give up all capabilities for good, and bound what one process may use."""
    os.nice(10)  # behind the watch
    for name in range(64):
        _libc.prctl(_DROP_BOUND, name, 0, 0, 0)
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _libc.capset(struct.pack("II", 0x20080522, 0), struct.pack("6I", *[0] * 6))
    for limit, most in (
        (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, _FILES), (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_NOFILE, 256),
    ):  # fmt: skip
        resource.setrlimit(limit, (most, most))


def _watch(pid: int, memory: int, processes: int, *, alone: bool) -> int:
    """Wait for the code; end it, and all that it started, when it is too much. Says why it is over."""
    while True:
        found = _ours(alone=alone)
        over = PROCESSES if len(found) > processes else MEMORY if _too_large(found, memory) else 0
        if over:
            _end(alone=alone)
            return over
        with contextlib.suppress(ChildProcessError):
            gone, status = os.waitpid(-1, os.WNOHANG)
            if gone == pid:
                _end(alone=alone)
                return ENDED if status else 0
            if gone:
                continue
        time.sleep(_TICK)


def _ours(*, alone: bool) -> list[str]:
    """The processes that the code has started, itself among them."""
    every = [path.name for path in Path("/proc").iterdir() if path.name.isdigit()]
    own = str(os.getpid())
    if alone:
        return [name for name in every if name != own]
    parents = {}
    for name in every:
        with contextlib.suppress(OSError, IndexError):
            parents[name] = Path(f"/proc/{name}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
    found: set[str] = set()
    new = {own}
    while new:
        new = {name for name, parent in parents.items() if parent in new} - found
        found |= new
    return sorted(found)


def _too_large(found: list[str], memory: int) -> bool:
    """Whether their memory is too much; shared pages are told apart only where a plain sum is."""
    page = resource.getpagesize()
    return _sum(found, "statm", lambda text: int(text.split()[1]) * page) > memory and (
        _sum(found, "smaps_rollup", lambda text: int(text.partition("\nPss:")[2].split()[0]) << 10) > memory
    )


def _sum(found: list[str], name: str, read: Callable[[str], int]) -> int:
    total = 0
    for each in found:
        with contextlib.suppress(OSError, IndexError, ValueError):
            total += read(Path(f"/proc/{each}/{name}").read_text(encoding="utf-8"))
    return total


def _end(*, alone: bool) -> None:
    """End them all. In a namespace of their own they end with this process, and nothing can start any more."""
    if alone:
        return
    for _ in range(100):
        left = _ours(alone=False)
        if not left:
            return
        for name in left:
            with contextlib.suppress(OSError):
                os.kill(int(name), signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_TICK)
