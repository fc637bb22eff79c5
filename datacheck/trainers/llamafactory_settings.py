"""LLaMA-Factory: the dataset's entry in dataset_info.json and the run's arguments, read together."""

from functools import cached_property
from typing import Any, ClassVar

from datacheck.trainers.settings import Settings

COLUMNS = tuple(
    """
    prompt query response history messages system tools images videos audios chosen rejected kto_tag
""".split()
)
TAGS = ("role_tag", "content_tag", "user_tag", "assistant_tag", "observation_tag", "function_tag", "system_tag")
_RUN = tuple(
    """
    cutoff_len packing neat_packing train_on_prompt mask_history max_samples formatting ranking stage template
    tool_format default_system enable_thinking preserve_thinking
""".split()
)


class LlamaFactory(Settings):
    """The dataset's entry in dataset_info.json and the run's arguments, with LLaMA-Factory's defaults.

    In `run.settings`: `formatting`, `ranking`, `columns.messages: conversations`, `tags.role_tag: from`, … as in
    dataset_info.json; or `run.config` names a dataset_info.json and `dataset:` the entry. As there: once one column is
    named, columns that are not named are off, and so it is for tags. `pref_loss` (orpo, simpo, …) says how the pairs of
    the stage dpo are compared, not what becomes of a row: such runs are `llamafactory.dpo`.
    """

    MAX_LENGTH: ClassVar[str | None] = "cutoff_len"

    formatting: str = "alpaca"
    ranking: bool = False
    stage: str | None = None
    prompt: str | None = "instruction"
    query: str | None = "input"
    response: str | None = "output"
    history: str | None = None
    messages: str | None = "conversations"
    system: str | None = None
    tools: str | None = None
    images: str | None = None
    videos: str | None = None
    audios: str | None = None
    chosen: str | None = None
    rejected: str | None = None
    kto_tag: str | None = None
    role_tag: str | None = "from"
    content_tag: str | None = "value"
    user_tag: str | None = "human"
    assistant_tag: str | None = "gpt"
    observation_tag: str | None = "observation"
    function_tag: str | None = "function_call"
    system_tag: str | None = "system"
    cutoff_len: int = 2048
    packing: bool | None = None
    neat_packing: bool = False
    train_on_prompt: bool = False
    mask_history: bool = False
    max_samples: int | None = None
    template: str | None = None
    tool_format: str | None = None
    default_system: str | None = None
    enable_thinking: bool | None = True
    preserve_thinking: bool = False

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Take the dataset's entry, and columns and tags as DatasetAttr.join does (parser.py:67)."""
        entry = given.get(str(given.get("dataset")))
        given = {**given, **entry} if isinstance(entry, dict) else given
        values = {name: given[name] for name in _RUN if name in given}
        for group, names in (("columns", COLUMNS), ("tags", TAGS)):
            whole = given.get(group)
            named = dict(whole) if isinstance(whole, dict) else {}
            named |= {name: given[f"{group}.{name}"] for name in names if f"{group}.{name}" in given}
            if named or isinstance(whole, dict):
                values |= {name: named.get(name) for name in names}
        return values

    @cached_property
    def roles(self) -> dict[str | None, str]:
        """Tag → LLaMA-Factory's role; a tag that is off is None, and the last None wins (converter.py:137)."""
        return {
            self.user_tag: "user",
            self.assistant_tag: "assistant",
            self.observation_tag: "observation",
            self.function_tag: "function",
            self.system_tag: "system",
        }

    @cached_property
    def accepted(self) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
        """The tags at odd and at even places."""
        return (self.user_tag, self.observation_tag), (self.assistant_tag, self.function_tag)
