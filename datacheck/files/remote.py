"""Data that is not on this machine: fetched first, and only from where the operator allows it.

A contract can never reach out. `--data train=s3://bucket/drop/` works under an `--allow-remote s3://bucket/` of the
same command line; everything else with `://` is refused. What is judged is the copy, which is deleted after the run.
What lies there is listed before and after: an object that was replaced meanwhile, and one that a listing forgot, is an
error, whatever the store.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from datacheck.errors import LoadError, UsageError
from datacheck.files.inventory import MAX_FILES
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "oss": "oss", "hf": "hf"}  # by scheme
# What stores say of an object that is another one when its content is: of each those that it knows.
_IDENTITY = "size ETag etag VersionId version_id generation md5Hash blob_id LastModified mtime created".split()


class Localised(NamedTuple):
    """Dataset name → local path; and what a report has to say of where data came from."""

    paths: dict[str, str]
    notes: tuple[Message, ...]


def localise(data: Mapping[str, str], allowed: Iterable[str], folder: Path) -> Localised:
    """Fetch remote datasets into `folder`.

    Raises UsageError for a place that is not allowed, LoadError where it cannot be fetched.
    """
    prefixes = tuple(allowed)
    paths, notes = dict(data), []
    for number, (name, path) in enumerate(data.items()):
        if _permitted(name, path, prefixes):
            source = _source(path)
            paths[name] = _fetch(path, source, folder / str(number))
            if source.revision:
                notes.append(
                    Message("{name}: {url} is revision {revision}", name=name, url=path, revision=source.revision)
                )
    return Localised(paths, tuple(notes))


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


class _Source(NamedTuple):
    """Where something lies: a file system of fsspec, a path in it, and the commit that the path names."""

    system: Any
    root: str
    revision: str = ""

    def listed(self) -> dict[str, dict[str, str]]:
        """Every file below with what tells it from another one."""
        self.system.invalidate_cache()
        found = self.system.find(self.root, detail=True)
        return {name: {key: str(info[key]) for key in _IDENTITY if key in info} for name, info in found.items()}


def _source(url: str) -> _Source:
    import fsspec  # only where something is remote

    scheme = url.partition("://")[0]
    try:
        system, root = fsspec.core.url_to_fs(url)
        return _pinned(system, root) if scheme == "hf" else _Source(system, root)
    except ImportError as error:
        if scheme not in EXTRAS:
            raise _failed(url, error) from None
        raise UsageError(
            '{url}: what reads {scheme}:// is not installed here: pip install "datacheck-llm[{extra}]"',
            url=url,
            scheme=scheme,
            extra=EXTRAS[scheme],
        ) from None
    except Exception as error:  # noqa: BLE001 - every transport has errors of its own
        raise _failed(url, error) from None


def _pinned(system: Any, root: str) -> _Source:
    """A repository of the Hugging Face hub as it is at this moment: a branch may move while it is read."""
    at = system.resolve_path(root)
    from huggingface_hub import HfApi

    api = HfApi(endpoint=system.endpoint, token=system.token)
    commit = str(api.repo_info(at.repo_id, repo_type=at.repo_type, revision=at.revision).sha)
    kind = "" if at.repo_type == "model" else f"{at.repo_type}s/"
    return _Source(system, f"{kind}{at.repo_id}@{commit}/{at.path_in_repo}".rstrip("/"), commit)


def _fetch(url: str, source: _Source, folder: Path) -> str:
    """Copy a file, or all files below a folder."""
    listed = _listed(url, source)
    if not listed or len(listed) > MAX_FILES:
        found_files = Message.plural("{n:,} file", "{n:,} files", len(listed))
        raise UsageError("{url}: {files}; expected between 1 and {most:,}", url=url, files=found_files, most=MAX_FILES)
    base = PurePosixPath(source.root)
    found = [PurePosixPath(name) for name in listed]
    single = found == [base]
    for name in found:
        relative = name.relative_to(base.parent if single else base)
        if ".." in relative.parts:
            raise LoadError("{url}: holds a name that leads out of it", url=url)
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            source.system.get_file(str(name), str(target))
        except Exception as error:  # noqa: BLE001
            raise _failed(url, error) from None
        size = listed[str(name)].get("size", "")
        if size.isdigit() and int(size) != target.stat().st_size:
            raise LoadError("{url}: a file came with another size than is listed; run again", url=url)
    if _listed(url, source) != listed:
        raise LoadError("{url}: changed while it was fetched; run again when nobody writes there", url=url)
    return str(folder / found[0].name if single else folder)


def _listed(url: str, source: _Source) -> dict[str, dict[str, str]]:
    try:
        return source.listed()
    except Exception as error:  # noqa: BLE001
        raise _failed(url, error) from None


def _failed(url: str, error: Exception) -> LoadError:
    """Messages of a transport may hold credentials: only the kind of error is told."""
    return LoadError("{url}: cannot be fetched ({kind})", url=url, kind=type(error).__name__)
