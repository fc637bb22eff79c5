"""What becomes of a row that has more tokens than the run takes."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Cut(NamedTuple):
    """What becomes of a row that has more tokens than the run takes; `limit` None: nothing is cut.

    how:
        keep_start, keep_end: of the whole row;
        turns: LLaMA-Factory's shares, turn by turn (`last_first`: from the last turn backwards);
        pair: LLaMA-Factory's share between one prompt and one answer (of a pair: the longer one);
        drop: the row is left out; fails: the run stops;
        chunks: it becomes several rows.
    of: the tokens that are counted: of the whole row, or of the prompt alone.
    reason: the slug of the rule that cuts; unanswered: of the rule that drops rows left without a trained token.
    spare: then it is rows whose prompt leaves no more than so many tokens (None: whose answers lose all).
    least: rows of fewer tokens are left out.
    as_text: answers are first cut as text, to as many tokens as the prompt leaves, and tokenized again.
    """

    limit: int | None = None
    how: Literal["keep_start", "keep_end", "turns", "pair", "drop", "fails", "chunks"] = "keep_start"
    of: Literal["all", "prompt"] = "all"
    reason: str = "too_long"
    unanswered: str | None = None
    last_first: bool = False
    spare: int | None = None
    least: int = 0
    as_text: bool = False

    def kept(self, turns: list[tuple[int, int]]) -> list[tuple[int, int]] | None:
        """Tokens kept of each (prompt tokens, answer tokens), in the order of the row; None: all of it is lost.

        For keep_end the tokens kept of a part are its last ones, otherwise its first ones.
        """
        if self.limit is None or self.how == "chunks":
            return turns
        if self.how in ("turns", "pair"):
            return _shares(turns, self.limit, last_first=self.last_first)
        counted = sum(source if self.of == "prompt" else source + target for source, target in turns)
        if counted <= self.limit:
            return turns
        return None if self.how in ("drop", "fails") else self._sliced(turns, self.limit)

    def _sliced(self, turns: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
        flat_lengths = [length for turn in turns for length in turn]
        backwards = self.how == "keep_end"
        left, kept = limit, []
        for length in reversed(flat_lengths) if backwards else flat_lengths:
            kept.append(min(length, left))
            left -= kept[-1]
        kept = kept[::-1] if backwards else kept
        return list(zip(kept[::2], kept[1::2], strict=True))


def _shares(turns: list[tuple[int, int]], limit: int, *, last_first: bool) -> list[tuple[int, int]]:
    """LLaMA-Factory's loop over turns: each gets its share of what is left (supervised.py:60, infer_seqlen)."""
    kept, used = [], 0
    for source, target in reversed(turns) if last_first else turns:
        share = (0, 0) if used >= limit else share_of(source, target, limit - used)
        used += sum(share)
        kept.append(share)
    return kept[::-1] if last_first else kept


def share_of(source: int, target: int, limit: int) -> tuple[int, int]:
    """LLaMA-Factory's infer_seqlen (processor_utils.py): tokens kept of a prompt and of its answer."""
    if target * 2 < limit:
        most = limit
    elif source * 2 < limit:
        most = limit - source
    else:
        most = int(limit * (target / (source + target)))
    answer = min(most, target)
    return min(max(limit - answer, 0), source), answer
