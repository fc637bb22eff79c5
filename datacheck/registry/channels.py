"""A registry's channels, as its operator configures them: one YAML file, so that no request chooses how data is judged.

    channels:
      sft:
        contract: contracts/sft.yaml       # paths are relative to this file
        sign: env:VALIDATOR_KEY
        data: {before: "published:"}
        run: {max_length: 4096}
        graders: ["my_rewards.py:accuracy"]
        interval: 300

`watch`, `serve`, `publish` and `rescan` take the rules of a channel from it; the drops of a channel lie in
incoming/<channel>/. Who can write the file says what may train, so it is refused where others may.
"""

import os
import urllib.parse
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from datacheck.check import Model
from datacheck.contract.reader import SettingsReader
from datacheck.contract.yaml import load_yaml
from datacheck.errors import ContractError, UsageError, near, near_file, reason_of
from datacheck.gate.decisions import given
from datacheck.gate.keys import load_private
from datacheck.gate.trust import ForeignError, read_trust, require_own
from datacheck.i18n.message import Message, joined
from datacheck.i18n.words import Lang
from datacheck.registry.publish import EARLIER, PublishRules
from datacheck.registry.registry import is_channel
from datacheck.session.options import Options

Kind = Literal["feishu", "wecom", "slack"]


class Webhook(Model):
    """Where to tell of verdicts. `url` names an environment variable, as `env:FEISHU_WEBHOOK`."""

    kind: Kind
    url: str = Field(pattern=r"^env:[A-Za-z_][A-Za-z0-9_]*$")
    lang: Lang = "zh"

    def address(self) -> str:
        """The address itself. Raises UsageError where the variable is empty or holds no https address."""
        name = self.url.removeprefix("env:")
        address = os.environ.get(name, "")
        parts = urllib.parse.urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")):
            raise UsageError(
                "{url}: the variable holds no https address; expected the webhook's whole URL", url=self.url
            )
        return address


def _as_typed(value: Any) -> Any:
    """A setting of the run as it is typed behind `--run NAME=`; YAML makes numbers of some."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


Setting = Annotated[str, BeforeValidator(_as_typed)]


class Channel(Model):
    """How the drops of one channel are judged, how often is looked for them, and who is told."""

    contract: Path
    sign: str = Field(description="The validator's private key: a file, or env:NAME.")
    trust: Path | None = Field(default=None, description="Trusted keys; by default $DATACHECK_TRUST.")
    decisions: Path | None = Field(default=None, description="Signed decisions, as `--decisions`.")
    dataset: str | None = Field(default=None, description="Which dataset the drop is, if that is not plain.")
    data: dict[str, str] = Field(default={}, description="Datasets that do not lie in the drop, as `--data`.")
    run: dict[str, Setting] = Field(default={}, description="Settings of the training run, as `--run`.")
    graders: tuple[str, ...] = Field(default=(), description="Reward functions that may be asked, as `--grader`.")
    graders_in: Path | None = Field(default=None, description="Folder of their files; by default that of this file.")
    run_tests: bool = Field(default=False, description="Whether tests that rows hold may be run, as `--run-tests`.")
    trainer_python: Path | None = Field(default=None, description="The Python for both, as `--trainer-python`.")
    strict: bool = False
    engine: str = Field(default="local", description="Where the work is done, as `--engine`.")
    interval: float = Field(default=60.0, gt=0, description="Seconds between two looks.")
    lang: Lang = "en"
    limit: str | None = Field(default=None, description="A global concurrency limit of the server for heavy work.")
    wait_for_waiver: int = Field(default=0, ge=0, description="Seconds to wait for a waiver; 0: not at all.")
    webhooks: tuple[Webhook, ...] = ()
    report_url: str | None = Field(default=None, description="Where reports can be read: https://…/{version}.")

    def rules(self, name: str | None, drop: Path | None = None, **options: Any) -> PublishRules:
        """The same for the gate, for the channel `name` and perhaps about a drop; a key leaves the environment."""
        data = {**self.data, **({self.dataset: str(drop)} if self.dataset and drop else {})}
        key, trust = load_private(self.sign), read_trust(self.trust)
        decided = given(self.decisions, trust, [key.key_id]) if self.decisions else None
        code = {name: getattr(self, name) for name in ("graders", "graders_in", "run_tests", "trainer_python")}
        more: dict[str, Any] = {"decisions": decided, "whole": True, **code, **options}
        chosen = Options(strict=self.strict, engine=self.engine, lang=self.lang, run=self.run, **more)
        return PublishRules(self.contract, key, trust, data, name, chosen)


def read_channels(path: Path) -> dict[str, Channel]:
    """Read the channels of a file, with absolute paths.

    Raises ContractError with every mistake, its line and what was probably meant; UsageError where there is no file, or
    others may write it.
    """
    name, folder = str(path), path.absolute().parent
    try:
        with UsageError.instead(ForeignError, "{reason}; who can write it says by what data is judged"):
            require_own(path, path.stat())
    except OSError as error:
        close = near_file(path)
        hint = Message("did you mean '{near}'?", near=close) if close else Message("expected a file of channels")
        raise UsageError("{path}: {reason}; {hint}", path=name, reason=reason_of(error), hint=hint) from None
    document = load_yaml(path, name)
    reader = SettingsReader(name, document)
    header = reader.model(_File, document.value, ())
    found = {key: _channel(reader, key, value, folder) for key, value in (header.channels if header else {}).items()}
    if header and not found:
        reader.complain(("channels",), "no channels; name at least one")
    if reader.problems:
        raise ContractError(dict.fromkeys(reader.problems))
    return {key: channel for key, channel in found.items() if channel is not None}


def channel_of(path: Path, name: str | None) -> tuple[str, Channel]:
    """One channel of a file; it needs no name where there is one only. Raises as `read_channels`."""
    channels = read_channels(path)
    if name is None and len(channels) == 1:
        name = next(iter(channels))
    if name is None:
        raise UsageError("--channel: which one of {file}? {known}", file=path, known=", ".join(channels))
    if name not in channels:
        raise UsageError("--channel {name}: not in {file}; {hint}", name=name, file=path, hint=near(name, channels))
    return name, channels[name]


class _File(Model):
    channels: dict[str, Any]


def _channel(reader: SettingsReader, name: str, value: Any, folder: Path) -> Channel | None:
    where = ("channels", name)
    if not is_channel(name):
        reader.complain(where, "expected letters, digits, _ . and - (at most 100)")
    channel = reader.model(Channel, value, where)
    if channel is None:
        return None
    own = channel.model_copy(
        update={
            "contract": folder / channel.contract,
            "trust": folder / channel.trust if channel.trust else None,
            "decisions": folder / channel.decisions if channel.decisions else None,
            "sign": channel.sign if channel.sign.startswith("env:") else str(folder / channel.sign),
            "data": {key: absolute(path, folder) for key, path in channel.data.items()},
            "graders_in": folder / (channel.graders_in or ""),
            "trainer_python": folder / channel.trainer_python if channel.trainer_python else None,
        }
    )
    for key, file in (("contract", own.contract), ("trust", own.trust), ("decisions", own.decisions)):
        if file is not None and not file.is_file():
            close = near_file(file)
            hint = (Message("did you mean '{near}'?", near=close),) if close else ()
            reader.complain((*where, key), joined((Message("no such file"), *hint)))
    for named in own.graders:
        _require_own_code(reader, (*where, "graders"), folder / (own.graders_in or ""), named)
    return own


def _require_own_code(reader: SettingsReader, where: tuple[str, ...], folder: Path, named: str) -> None:
    """A function that decides what may train must be written by nobody else, as the file that names it."""
    module = named.rpartition(":")[0]
    if not module.endswith(".py"):
        return
    file = folder / module
    try:
        require_own(file, file.stat())
    except ForeignError as error:
        reader.complain(where, error.message)
    except OSError:
        reader.complain(where, Message("{named}: no such file", named=named))


def absolute(path: str, folder: Path) -> str:
    """Where a dataset is, wherever this process runs; what the registry has published, or lies elsewhere, stays."""
    return path if path.startswith(EARLIER) or "://" in path else str(folder / path)
