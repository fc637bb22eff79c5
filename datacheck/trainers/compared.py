"""For which released versions of its trainer a twin stands: those with which it was compared, and found equal.

Of other releases that were compared, `differs.toml` says what they do otherwise.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from datacheck.i18n.message import Message, joined
from datacheck.trainers.base import Mode


class Difference(NamedTuple):
    """What a release does otherwise than the twin: its modes (without the trainer's name), a sentence, the place."""

    modes: tuple[str, ...]
    says: str
    source: str


@cache
def _read() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def differing() -> dict[str, dict[str, tuple[Difference, ...]]]:
    """Trainer → release → what it does otherwise, of releases that were compared and are not like the twin."""
    said = tomllib.loads(Path(__file__).with_name("differs.toml").read_text(encoding="utf-8"))
    return {
        family: {
            version: tuple(Difference(tuple(each["modes"]), each["says"], each["source"]) for each in found)
            for version, found in releases.items()
        }
        for family, releases in said.items()
    }


def differences(name: str, version: str) -> tuple[Difference, ...]:
    """What `version` of a trainer does otherwise in the mode `trainer.mode`; none: nothing is known of it.

    Of a version that names several releases (0.9) the newest one counts.
    """
    trainer, _, mode = name.partition(".")
    releases = differing().get(trainer, {})
    asked = (each for each in (*releases, *compared_with(name)) if _begins(each, version))
    newest = max(asked, key=_order, default="")
    return tuple(each for each in releases.get(newest, ()) if mode in each.modes)


def compared_with(name: str) -> tuple[str, ...]:
    """The versions with which the twin `trainer.mode` was compared, the oldest first; none: none was released."""
    trainer, _, mode = name.partition(".")
    return tuple(sorted(_read().get(trainer, {}).get(mode, ()), key=_order))


def version_note(mode: Mode, version: str | None) -> Message:
    """For what the twin stands, beside the version that the run names."""
    known = compared_with(mode.name)
    if not known and mode.upstream.documents:
        return Message("{trainer}: from the documents of the service, which was not asked", trainer=mode.name)
    if not known and not mode.run_here:
        read = {"repository": mode.upstream.repository, "commit": mode.upstream.commit[:10]}
        return Message("{trainer}: read from {repository} at {commit}, not run", trainer=mode.name, **read)
    if not known:
        stands = Message("commit {commit}, no release", commit=mode.upstream.commit[:10])
    else:
        stands = joined([release(each) for each in known], ", ")
    if version is None:
        return Message(
            "{trainer}: compared with {versions}; run.version is not set", trainer=mode.name, versions=stands
        )
    others = differences(mode.name, version)
    if others:
        return Message(
            "{trainer} {version}: compared with it; it does otherwise than said here, which is for {versions}: {what}",
            trainer=mode.name,
            version=release(version),
            versions=stands,
            what=joined([Message(each.says) for each in others]),
        )
    if any(_begins(each, version) for each in known):
        return Message("{trainer} {version}: compared with it", trainer=mode.name, version=release(version))
    return Message(
        "{trainer}: not compared with {version}; compared with {versions}",
        trainer=mode.name,
        version=release(version),
        versions=stands,
    )


_NUMBERS = frozenset(map(str, range(10_000)))  # as a release writes them: 01 stays a text


def release(version: str) -> Message:
    """A release as numbers: 2026.10.9 as a text has so many digits that reports would hide it."""
    parts = [Message("{part}", part=int(part) if part in _NUMBERS else part) for part in version.split(".")]
    return joined(parts, ".")


def _begins(known: str, version: str) -> bool:
    """Whether a release is of that version: 1.16.0 of 1.16."""
    wanted = version.split(".")
    return known.split(".")[: len(wanted)] == wanted


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
