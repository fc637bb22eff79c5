"""Traditional Chinese written as simplified, a character for a character: what stands where stays as it was."""

from functools import cache, lru_cache

from datacheck.text import tables


@lru_cache(16)
def simplified(text: str) -> str:
    """Return as many characters, by OpenCC's first candidate of each; no phrases (臺灣 is 台湾, 電話 电话)."""
    return text if text.isascii() else text.translate(_forms())


@cache
def _forms() -> dict[int, int]:
    runs = (run for run in tables.read("t2s") if len(run.mapped) == 1)
    return {first + at: mapped[0] + at for first, last, mapped in runs for at in range(last - first + 1)}
