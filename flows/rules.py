"""By what drops are judged, chosen where the flows run and never by a request.

What a request through Prefect's API says, anybody says who reaches the API. So contract, keys and trust are no
parameters of a flow: they stand in a variable of the process that runs it, which `serve` and `watch` set from their
command line or from the file of channels, and the operator of a worker sets by hand. A request names a channel and a
drop of incoming/, and nothing else.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from datacheck.errors import UsageError, near
from datacheck.registry.channels import Channel
from datacheck.registry.publish import PublishRules
from datacheck.registry.registry import Registry

from .validate import shown, shown_line

VARIABLE = "DATACHECK_RULES"


def _absolute(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError("expected an absolute path")
    return path


Place = Annotated[Path, AfterValidator(_absolute)]  # flows may run in any folder


class NoDropError(UsageError):
    """No complete drop of this name lies there, or none any more."""


class Rulebook(Channel):
    """The rules of one channel of a registry.

    `channel`: which pointer moves, by default the contract's name; `folder`: its drops lie in incoming/<channel>/, as
    those of a file of channels do, and not in incoming/ itself.
    """

    registry: Place
    contract: Place
    trust: Place | None = None
    decisions: Place | None = None
    channel: str | None = Field(default=None, description="Which pointer moves; by default the contract's name.")
    folder: bool = False

    @property
    def name(self) -> str:
        """What people call it, and its deployment."""
        return self.channel if self.channel is not None and self.folder else "registry"

    def gate(self, drop: Path) -> PublishRules:
        """The same for the gate, about one drop; the key is taken out of the environment."""
        return self.rules(self.channel, drop)

    def drops(self) -> list[Path]:
        """The complete drops of this channel."""
        return Registry(self.registry).drops(self.channel if self.folder else None)

    def drop(self, name: str) -> Path:
        """The complete drop of this name. It is looked up among them: no path is made of the name."""
        for path in self.drops():
            if path.name == name:
                return path
        raise NoDropError(
            "{name}: no complete drop of this name in incoming/; expected a name without a path", name=shown_line(name)
        )

    def called(self, drop: Path) -> str:
        """A drop's name, below that of its channel."""
        return f"{self.channel}/{drop.name}" if self.folder else drop.name


_SEVERAL = TypeAdapter(list[Rulebook])


def use(rules: Sequence[Rulebook]) -> None:
    """Let this process, and those that it starts, run flows by these rules."""
    os.environ[VARIABLE] = _SEVERAL.dump_json(list(rules)).decode()


def every() -> list[Rulebook]:
    """The rules of this process, one for each channel. Raises UsageError where there are none."""
    text = os.environ.get(VARIABLE)
    if text is None:
        raise UsageError(
            "{variable}: is not set; start the flows with datacheck serve, or set it for the worker", variable=VARIABLE
        )
    try:
        if text.lstrip().startswith("["):
            return _SEVERAL.validate_json(text)
        return [Rulebook.model_validate_json(text)]
    except ValidationError as error:
        places = ", ".join(".".join(map(str, one["loc"])) or "JSON" for one in error.errors(include_input=False))
        raise UsageError(
            "{variable}: cannot be used ({places}); expected JSON as in docs/prefect.md",
            variable=VARIABLE,
            places=places,
        ) from None


def current(channel: str | None) -> Rulebook:
    """The rules of a channel by its name, which need not be given where there is one only. Raises UsageError."""
    rules = every()
    if channel is None and len(rules) == 1:
        return rules[0]
    known = [one.channel for one in rules if one.channel is not None]
    if channel is None:
        raise UsageError("channel: which one? {known}", known=", ".join(known))
    for one in rules:
        if one.channel == channel:
            return one
    raise UsageError("channel {name}: not served; {hint}", name=shown(channel), hint=near(channel, known))


def title(of: Callable[[Rulebook], str], channel: str | None) -> str:
    """The name of a run; a run without rules has one, too, and says itself what is wrong."""
    try:
        return shown_line(of(current(channel)))
    except UsageError:
        return "without rules"
