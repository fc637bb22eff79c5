"""By what drops are judged, chosen where the flows run and never by a request.

What a request through Prefect's API says, anybody says who reaches the API. So contract, keys, trust and channel are
no parameters of a flow: they stand in a variable of the process that runs it, which `serve` and `watch` set from their
command line, and the operator of a worker sets by hand. A request names a drop of incoming/, and nothing else.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from datacheck.errors import UsageError
from datacheck.gate.keys import load_private
from datacheck.gate.trust import read_trust
from datacheck.i18n.words import Lang
from datacheck.registry.publish import PublishRules
from datacheck.registry.registry import Registry
from datacheck.session.options import Options

from .notify import Webhook
from .validate import shown

VARIABLE = "DATACHECK_RULES"


def _absolute(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError("expected an absolute path")
    return path


Place = Annotated[Path, AfterValidator(_absolute)]  # flows may run in any folder


class Rulebook(BaseModel):
    """How drops of one registry are judged, and who is told."""

    model_config = ConfigDict(extra="forbid")

    registry: Place
    contract: Place
    sign: str = Field(description="The validator's private key: a file, or env:NAME.")
    trust: Place | None = Field(default=None, description="Trusted keys; by default $DATACHECK_TRUST.")
    data: dict[str, str] = Field(default={}, description="Datasets that do not lie in the drop: name → path.")
    dataset: str | None = Field(default=None, description="Which dataset the drop is, if that is not plain.")
    run: dict[str, str] = Field(default={}, description="Settings of the training run, as `--run`.")
    channel: str | None = Field(default=None, description="Which pointer moves; by default the contract's name.")
    strict: bool = False
    engine: str = Field(default="local", description="Where the work is done, as `--engine`.")
    lang: Lang = "en"
    limit: str | None = Field(default=None, description="A global concurrency limit of the server for heavy work.")
    wait_for_waiver: int = Field(default=0, ge=0, description="Seconds to wait for a waiver; 0: not at all.")
    webhooks: tuple[Webhook, ...] = ()
    report_url: str | None = Field(default=None, description="Where reports can be read: https://…/{version}.")

    def gate(self, drop: Path) -> PublishRules:
        """The same for the gate, about one drop; the key is taken out of the environment."""
        data = {**self.data, **({self.dataset: str(drop)} if self.dataset else {})}
        options = Options(strict=self.strict, engine=self.engine, lang=self.lang, run=self.run, whole=True)
        return PublishRules(self.contract, load_private(self.sign), read_trust(self.trust), data, self.channel, options)

    def drop(self, name: str) -> Path:
        """The complete drop of this name in incoming/. It is looked up among them: no path is made of the name."""
        for path in Registry(self.registry).drops():
            if path.name == name:
                return path
        raise UsageError(
            "{name}: no complete drop of this name in incoming/; expected a name without a path", name=shown(name)
        )


def use(rules: Rulebook) -> None:
    """Let this process, and those that it starts, run flows by these rules."""
    os.environ[VARIABLE] = rules.model_dump_json()


def current() -> Rulebook:
    """The rules of this process. Raises UsageError where there are none."""
    text = os.environ.get(VARIABLE)
    if text is None:
        raise UsageError(
            "{variable}: is not set; start the flows with datacheck serve, or set it for the worker", variable=VARIABLE
        )
    try:
        return Rulebook.model_validate_json(text)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, one["loc"])) or "JSON" for one in error.errors(include_input=False))
        raise UsageError(
            "{variable}: cannot be used ({places}); expected JSON as in docs/prefect.md",
            variable=VARIABLE,
            places=places,
        ) from None


def title(of: Callable[[Rulebook], str]) -> str:
    """The name of a run; a run without rules has one, too, and says itself what is wrong."""
    try:
        return shown(of(current()))
    except UsageError:
        return "without rules"
