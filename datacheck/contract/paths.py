"""Where the files of a contract lie: under its own folder, or where the command line says."""

from collections.abc import Mapping
from pathlib import Path

from datacheck.check import Listing
from datacheck.contract import artifacts
from datacheck.contract.model import Source
from datacheck.contract.reader import ContractReader
from datacheck.errors import near_file, reason_of
from datacheck.i18n.message import Message, joined

MEDIA = ".media"  # behind a dataset's name in --data


def resolve(
    reader: ContractReader, name: str, source: Source, data: Mapping[str, str], folder: Path
) -> tuple[Path, str]:
    """The dataset's path, from `--data` or from the contract (then under the contract's folder)."""
    where = ("datasets", name, "source", "path")
    if name in data:
        return Path(data[name]).absolute(), data[name]
    if source.path is None:
        reader.complain(where, "no path; write one, or name it on the command line: --data {name}=PATH", name=name)
        return folder, ""
    path = inside(folder, source.path)
    if path is None:
        reader.complain(
            where, "outside the contract's folder; name it on the command line: --data {name}=PATH", name=name
        )
    return path or folder, source.path


def inside(folder: Path, named: str) -> Path | None:
    """Where `named` is, links followed, if that is under `folder`."""
    try:
        path = (folder / named).resolve()
    except (ValueError, OSError, RuntimeError):  # a NUL, a lone surrogate, a name too long, a loop of links
        return None
    return path if path.is_relative_to(folder.resolve()) else None


def file_hints(path: Path) -> list[Message]:
    """The name beside a missing file that may have been meant, as a hint; none where there is one."""
    return [Message("did you mean '{near}'?", near=close)] if (close := near_file(path)) else []


def listed_media(
    reader: ContractReader, name: str, source: Source, data: Mapping[str, str], folder: Path
) -> Listing | None:
    """The files of `source.media`, or of the folder that the operator gives as `--data NAME.media=PATH`."""
    given = data.get(f"{name}{MEDIA}")
    named = given or source.media
    if named is None:
        return None
    where = ("datasets", name, "source", "media")
    path = Path(given).absolute() if given else inside(folder, named)
    if path is None:
        reader.complain(
            where, "outside the contract's folder; name it as --data {name}{media}=PATH", name=name, media=MEDIA
        )
    elif reader.located:
        try:
            listing, reader.inputs[f"{name}{MEDIA}"] = artifacts.listed(named, path)
        except (OSError, ValueError) as error:
            why = joined((reason_of(error), *file_hints(path)))
            reader.complain(where, "{named}: {reason}", named=named, reason=why)
        else:
            return listing
    return Listing(named=named)
