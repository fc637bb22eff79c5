"""Settings of `axolotl train`, of the run and of the entry under `datasets:`, as far as they decide about a row."""

from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from datacheck.trainers.base import TurnEnds
from datacheck.trainers.settings import Settings

_ENTRY = "datasets"
_ROLES = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "system": "system",
    "tool": "tool",
}
DEFAULT, JINJA, FALLBACK = "tokenizer_default", "jinja", "tokenizer_default_fallback_"


def _listed(value: Any) -> Any:
    """A list, or its items in one text with commas, as `run.settings` has them."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


class _AxolotlRun(Settings):
    """What all ways of training have. Settings of the entry under `datasets:` have its name before them."""

    MAX_LENGTH: ClassVar[str | None] = "sequence_len"

    sequence_len: int = 512
    excess_length_strategy: Literal["drop", "truncate", "raise"] | None = None
    chat_template: str | None = None
    chat_template_jinja: str | None = None
    tokens: list[str] | None = None
    special_tokens: dict[str, Any] | None = None
    added_tokens_overrides: dict[str, str] | None = None

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Take the first entry under `datasets:`; what is named `datasets.x` stands over it."""
        entries = given.get(_ENTRY)
        entry = entries[0] if isinstance(entries, list) and entries and isinstance(entries[0], dict) else {}
        values = {**{f"{_ENTRY}.{name}": value for name, value in entry.items()}, **given}
        for group in (
            "special_tokens",
            "added_tokens_overrides",
            f"{_ENTRY}.roles",
            f"{_ENTRY}.message_property_mappings",
        ):
            whole = dict(values[group]) if isinstance(values.get(group), dict) else {}
            whole |= {name[len(group) + 1 :]: value for name, value in given.items() if name.startswith(f"{group}.")}
            values |= {group: whole} if whole else {}
        return {name: value for name, value in values.items() if value is not None}

    @field_validator("tokens", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return _listed(value)

    @property
    def other_tokens(self) -> bool:
        """Whether the run trains with another tokenizer than the folder has."""
        changed = set(self.special_tokens or ()) - {"pad_token"}
        return bool(changed or self.tokens or self.added_tokens_overrides)

    @property
    def template(self) -> tuple[str, str | None]:
        """Which template is used, by name, and its text where it is named jinja."""
        return self.chat_template or DEFAULT, self.chat_template_jinja


class AxolotlSft(_AxolotlRun):
    """Settings of `axolotl train` for SFT, with its defaults.

    Settings of the entry under `datasets:` have that name before them (`datasets.field_messages`); of several entries
    that a config file has, the first one counts. Lists may be one text with commas, as may the names of a role:
    `datasets.roles.assistant: "gpt, bot"`.
    """

    type: Literal["chat_template", "alpaca", "alpaca:chat", "input_output", "completion"] | None = Field(
        default=None, alias="datasets.type"
    )
    field_messages: str = Field(default="messages", alias="datasets.field_messages")
    field: str = Field(default="text", alias="datasets.field")
    min_sample_len: int | None = None
    sample_packing: bool | None = None
    train_on_inputs: bool | None = None
    eot_tokens: list[str] | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    own_template: str | None = Field(default=None, alias="datasets.chat_template")
    own_template_jinja: str | None = Field(default=None, alias="datasets.chat_template_jinja")
    mappings: dict[str, str] | None = Field(default=None, alias="datasets.message_property_mappings")
    field_role: str | None = Field(default=None, alias="datasets.message_field_role")
    field_content: str | None = Field(default=None, alias="datasets.message_field_content")
    field_training: str | None = Field(default=None, alias="datasets.message_field_training")
    field_training_detail: str | None = Field(default=None, alias="datasets.message_field_training_detail")
    template_thinking_key: str = Field(default="reasoning_content", alias="datasets.template_thinking_key")
    split_thinking: bool = Field(default=False, alias="datasets.split_thinking")
    roles: dict[str, list[str]] | None = Field(default=None, alias="datasets.roles")
    roles_to_train: list[str] = Field(default=["assistant"], alias="datasets.roles_to_train")
    train_on_eos: Literal["all", "turn", "last", "none"] = Field(default="turn", alias="datasets.train_on_eos")
    train_on_eot: Literal["all", "turn", "last", "none"] | None = Field(default=None, alias="datasets.train_on_eot")
    drop_system_message: bool = Field(default=False, alias="datasets.drop_system_message")

    @field_validator("eot_tokens", "roles_to_train", mode="before")
    @classmethod
    def _split_more(cls, value: Any) -> Any:
        return _listed(value)

    @field_validator("roles", mode="before")
    @classmethod
    def _split_roles(cls, value: Any) -> Any:
        return {role: _listed(names) for role, names in value.items()} if isinstance(value, dict) else value

    @property
    def keys(self) -> dict[str, str]:
        """Key for the template → key of the data (schemas/utils.py:8)."""
        named = dict(self.mappings or {})
        named.setdefault("role", self.field_role or "role")
        named.setdefault("content", self.field_content or "content")
        return named

    @property
    def standard(self) -> dict[str, str]:
        """Role of the data → role for the template."""
        if not self.roles:
            return _ROLES
        return {name: role for role, names in self.roles.items() for name in names}

    @property
    def ends(self) -> TurnEnds:
        """Which end tokens are trained."""
        eot = tuple(self.eot_tokens) if self.eot_tokens is not None else None
        return TurnEnds(self.train_on_eot or self.train_on_eos, self.train_on_eos, eot)

    @property
    def template(self) -> tuple[str, str | None]:
        """The entry's, else the run's (chat_templates/base.py:89, loaders/tokenizer.py:316)."""
        name, text = self.own_template, self.own_template_jinja
        name = name or (JINJA if text else None)
        return (name, text) if name and name != DEFAULT else super().template


class AxolotlDpo(_AxolotlRun):
    """Settings of `axolotl train` with `rl: dpo`.

    Of the entry under `datasets:` the names of columns are read, but not those of keys and roles, nor its chat
    template: the schema of the entry leaves them out (schemas/datasets.py:260).
    """

    type: (
        Literal[
            "chat_template", "chat_template.default", "chat_template.argilla_chat",
            "chatml", "chatml.default", "chatml.argilla_chat", "chatml.icr", "chatml.intel", "chatml.prompt_pairs",
            "chatml.ultra", "llama3", "llama3.default", "llama3.argilla_chat", "llama3.icr", "llama3.intel",
            "llama3.prompt_pairs", "llama3.ultra",
        ]
        | None
    ) = Field(default=None, alias="datasets.type")  # fmt: skip
    field_messages: str = Field(default="messages", alias="datasets.field_messages")
    field_chosen: str = Field(default="chosen", alias="datasets.field_chosen")
    field_rejected: str = Field(default="rejected", alias="datasets.field_rejected")


class AxolotlKto(_AxolotlRun):
    """Settings of `axolotl train` with `rl: kto`, which wants `remove_unused_columns: false`."""

    type: (
        Literal[
            "chatml.argilla", "chatml.argilla_chat", "chatml.intel", "chatml.prompt_pairs", "chatml.ultra",
            "llama3.argilla", "llama3.argilla_chat", "llama3.intel", "llama3.prompt_pairs", "llama3.ultra",
        ]
        | None
    ) = Field(default=None, alias="datasets.type")  # fmt: skip
    remove_unused_columns: bool | None = None
