"""The folder that a command writes: only what is ours is ever replaced, and a result appears with one rename."""

import contextlib
import glob
import json
import os
import platform
import secrets
import shutil
from pathlib import Path
from typing import NamedTuple

from datacheck.errors import UsageError
from datacheck.files.versions import VERDICT
from datacheck.i18n.message import Message


class Kind(NamedTuple):
    """How a folder that is no such is refused, the file that names its `schema`, and all names it may hold."""

    refused: Message
    file: str
    schema: str
    names: frozenset[str]


REPORT = Kind(
    Message("exists and is no datacheck report"),
    "report.json",
    "datacheck/report/",
    frozenset({"report.json", "run.json", "contract.yaml", "evidence", "quarantine", VERDICT}),  # and its faces
)
DERIVED = Kind(
    Message("exists and is no result of datacheck apply"),
    "manifest.json",
    "datacheck/derived/",
    frozenset({"manifest.json", "changes.jsonl", "kept", "dropped", "report"}),
)
DIFF = Kind(
    Message("exists and is no result of datacheck diff"),
    "diff.json",
    "datacheck/diff/",
    frozenset({"diff.json", "diff.html", "rows"}),
)


def refuse_foreign(out: Path, kind: Kind) -> None:
    """Only an empty folder or an earlier result, with nothing else in it, is ever replaced."""
    if not os.path.lexists(out):
        return
    held = {path.name for path in out.iterdir()} if out.is_dir() and not out.is_symlink() else None
    if held is None or (held and not _is(out, kind)):
        raise UsageError("{out}: {refused}; choose another folder with --out", out=out, refused=kind.refused)
    if held - kind.names:
        other = min(held - kind.names)
        raise UsageError(
            "{out}: also holds '{other}', which is not ours; choose another folder with --out", out=out, other=other
        )


def _is(out: Path, kind: Kind) -> bool:
    """Whether the folder holds a result of ours, of this version or another."""
    try:
        found = json.loads((out / kind.file).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and str(found.get("schema", "")).startswith(kind.schema)


def new_staging(out: Path) -> Path:
    """A folder beside `out`; those of runs on this host that were killed hold raw text and are swept away."""
    prefix = f".{out.name}.{platform.node() or 'host'}."
    with UsageError.instead(OSError, "{out}: cannot be written ({reason}); choose a folder with --out", out=out):
        out.parent.mkdir(parents=True, exist_ok=True)
        for left in out.parent.glob(glob.escape(prefix) + "*"):
            pid = left.name.removeprefix(prefix).partition(".")[0]
            if pid.isdigit() and not _alive(int(pid)):
                shutil.rmtree(left, ignore_errors=True)
        staging = out.with_name(f"{prefix}{os.getpid()}.{secrets.token_hex(4)}")
        staging.mkdir()
    return staging


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def publish(staging: Path, out: Path) -> None:
    """Replace `out` by `staging`: readers see the old result or the new one, never a mixture."""
    old = staging.with_name(staging.name + ".old")
    for _ in range(100):  # another run may publish to the same folder in between
        with contextlib.suppress(FileNotFoundError):
            out.rename(old)
        try:
            staging.rename(out)
        except OSError:
            if not out.exists():
                if old.exists():
                    old.rename(out)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            break
    shutil.rmtree(old, ignore_errors=True)
