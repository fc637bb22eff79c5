"""Data that is not on this machine: fetched first, and only from where the operator allows it.

A contract can never reach out. `--data train=s3://bucket/drop/` works under an `--allow-remote s3://bucket/` of the
same command line; everything else with `://` is refused. What is judged is the copy, which is deleted after the run.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from datacheck.errors import LoadError, UsageError
from datacheck.files.inventory import MAX_FILES
from datacheck.i18n.message import Message


def localise(data: Mapping[str, str], allowed: Iterable[str], folder: Path) -> dict[str, str]:
    """Fetch remote datasets into `folder`; returns dataset name → local path.

    Raises UsageError for a place that is not allowed, LoadError where it cannot be fetched.
    """
    prefixes = tuple(allowed)
    return {
        name: _fetch(path, folder / str(number)) if _permitted(name, path, prefixes) else path
        for number, (name, path) in enumerate(data.items())
    }


def _permitted(name: str, path: str, prefixes: tuple[str, ...]) -> bool:
    """Whether `path` is remote and allowed; False for a local one."""
    if "://" not in path:
        return False
    below = [p for p in prefixes if "://" in p and (path == p or path.startswith(p.rstrip("/") + "/"))]
    if not below or ".." in PurePosixPath(path).parts:
        raise UsageError(
            "--data {name}={path}: a remote path; if you mean it, allow it with --allow-remote PREFIX",
            name=name,
            path=path,
        )
    return True


def _fetch(url: str, folder: Path) -> str:
    """Copy a file, or all files below a folder."""
    import fsspec  # only where something is remote

    try:
        system, root = fsspec.core.url_to_fs(url)
        found = [PurePosixPath(str(name)) for name in system.find(root)]
    except Exception as error:  # noqa: BLE001 - every transport has errors of its own
        raise _failed(url, error) from None
    if not found or len(found) > MAX_FILES:
        found_files = Message.plural("{n:,} file", "{n:,} files", len(found))
        raise UsageError("{url}: {files}; expected between 1 and {most:,}", url=url, files=found_files, most=MAX_FILES)
    base = PurePosixPath(root)
    single = found == [base]
    for name in found:
        relative = name.relative_to(base.parent if single else base)
        if ".." in relative.parts:
            raise LoadError("{url}: holds a name that leads out of it", url=url)
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            system.get_file(str(name), str(target))
        except Exception as error:  # noqa: BLE001
            raise _failed(url, error) from None
    return str(folder / found[0].name if single else folder)


def _failed(url: str, error: Exception) -> LoadError:
    """Messages of a transport may hold credentials: only the kind of error is told."""
    return LoadError("{url}: cannot be fetched ({kind})", url=url, kind=type(error).__name__)
