"""How a contract says that the files of a dataset are to be read."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Format = Literal[
    "auto", "messages", "sharegpt", "alpaca", "prompt_completion", "preference", "kto", "prompt_only", "rlvr",
    "text", "qa", "multiple_choice", "rows",
]  # fmt: skip


class Columns(BaseModel):
    """Which keys of a record (dotted where nested) hold its labels."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: str | None = None
    source: str | None = None
    split: str | None = None
    score: str | None = None
    score_chosen: str | None = None
    score_rejected: str | None = None
    label: str | None = None
    raters: tuple[str, ...] = ()


class Reading(BaseModel):
    """Everything that decides how bytes become tables; part of the key under which a part is stored."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    format: Format = "auto"
    encoding: str = "utf-8"
    roles: dict[str, str] = {}
    columns: Columns = Columns()
    records: str | None = None
    delimiter: str | None = None
