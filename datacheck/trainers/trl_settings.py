"""Settings of TRL's trainers, as far as they decide what becomes of a row."""

from typing import ClassVar, Literal

from datacheck.trainers.settings import Settings


class TrlSft(Settings):
    """SFTConfig, as far as it decides what becomes of a row."""

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = 1024
    truncation_mode: Literal["keep_start", "keep_end"] = "keep_start"
    packing: bool = False
    packing_strategy: str = "bfd"
    assistant_only_loss: bool = False
    completion_only_loss: bool | None = None
    dataset_text_field: str = "text"


class TrlPairs(Settings):
    """DPOConfig, RewardConfig and KTOConfig, as far as they decide what becomes of a row."""

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = 1024
    truncation_mode: Literal["keep_start", "keep_end"] = "keep_start"


class TrlOrpo(Settings):
    """ORPOConfig (trl.experimental.orpo), as far as it decides what becomes of a row; no max_length means 512."""

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = 1024


class TrlGrpo(Settings):
    """GRPOConfig cuts no prompt; what decides is the prompt column alone."""
