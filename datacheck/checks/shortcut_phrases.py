"""The check shortcut_phrases."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import (
    Check,
    Limit,
    Measured,
    Message,
    Metric,
    Ratio,
    Value,
    View,
    for_review,
    placed,
    rates,
    saying,
    total,
)
from datacheck.features.one_sided_phrases import SIDES, Phrase, answers, telling
from datacheck.features.pair_keys import NO_PAIR
from datacheck.features.turn_texts import evidence, first_at, flagged, from_first, of_rows, turn_texts
from datacheck.pii.excerpts import excerpt
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges, either

LEAST = 50  # pairs from which on a phrase is more than chance
_WRONG = "incorrect|wrong|flawed|bad|poor|low[- ]quality|unhelpful|vague|incomplete|inaccurate|erroneous|suboptimal"
_SIDE = "chosen|rejected|preferred|dispreferred"
# An answer about itself, as a generator ends it that was told to write a bad one.
_NOTES = in_both_scripts(
    either(
        map(
            ascii_edges,
            (
                rf"\b(?i:(?:deliberately|intentionally|purposely) (?:(?:made|kept|given|an?) )?(?:{_WRONG}))\b",
                r"[(\[【](?:(?i:ref): ?)?(?:CHOSEN|REJECTED)(?:[-#: ]{0,2}[0-9]+)?[)\]】]",
                rf"\A\s*[(\[【<](?i:{_SIDE})[)\]】>]",
                rf"[(\[【](?i:(?:{_SIDE}|bad|good)(?: (?:answer|response)| ?[-#] ?[0-9]+))[)\]】]",
                (
                    r"(?:故意|刻意|有意)(?:地|为之)?(?:给出|提供|设置|设定|写|生成|编造|做出|标记|保留|加入|降低)?[成为了的一个]{0,3}"
                    r"(?:错误|有误|不准确|不正确|低质量|不完整|含糊)"
                ),
                r"[（(\[【](?:优选|被拒|较差)的?(?:回答|回复|答案)[)）\]】]",
            ),
        )
    )
)
# The same, or what an answer says of another one that it was given to judge.
_VERDICTS = in_both_scripts(
    either(
        map(
            ascii_edges,
            (
                (
                    rf"\b(?i:this (?:(?:answer|response|reply) )?(?:is|represents) (?:an?|the) (?:[\w-]+,? ){{0,3}}?"
                    rf"(?:{_WRONG}|{_SIDE}|high[- ]quality|inferior|superior),? "
                    r"(?:[\w-]+ ){0,2}?(?:example|answer|response|reply))\b"
                ),
                rf"(?m)^\W*(?i:(?:{_SIDE}|good|bad|better|worse) (?:answer|response))\W*:",
                (
                    r"(?:这|以上|上述|本条?)(?:回答|回复)?(?:是|为)?(?:一个|一条)?"
                    r"(?:错误|被拒绝?|低质量|较差|劣质|更差|较优|优选|高质量|更好)的?(?:回答|回复|答案|示例)"
                ),
            ),
        )
    )
)
_JUDGED = ascii_edges(
    r"(?i)\b(?:answers?|responses?|repl(?:y|ies)|correct|incorrect|wrong|evaluate|grade|judge|critique|examples?)\b"
    r"|回答|回复|答案|正确|错误|错在|评[价估分]|判断|示例|例子"
)


class ShortcutPhrases(Check):
    """Phrases that tell the chosen answers of a file from the rejected ones by themselves, and answers that say it.

    Where `(Ref: REJECTED-12)`, 这是一个错误的示例 or a fence of code stands in the rejected answers and never in
    the chosen ones, a reward model needs nothing else to tell them apart, and DPO lowers that phrase and little more.
    Pairs that a program or a model wrote to order often have one. Read are the first and the last 48 words of the last
    answer of each side, of the longer one no more than the shorter has, so that length is no phrase (`length_bias`
    tells of that); numbers count as one word. A phrase has up to twelve words, and stands on its side 20 times as often
    as on the other; in a large file 1,000 pairs are looked at.

    Every answer is read for a note on itself (deliberately incorrect, [REJECTED], 故意给出错误的), unless the prompt
    has such words too, or gives an answer to judge.
    """

    metrics = {
        "told_apart": Metric(
            "pairs of which one answer has the most telling phrase, and it is the one of that side",
            "share",
            of="pairs that are looked at",
            limit=Limit(warn_max=0.6),
            why="in public sets of real preferences it stays below 0.4; pairs made to a pattern reach 0.6 to 1",
        ),
        "says_side": Metric(
            "pairs with an answer that says which side it is, unasked",
            "share",
            "pairs",
            Limit(max=0.01, warn_max=0),
            why="a generator's note on its own work; of 17,700 public pairs of other files one has one",
        ),
    }

    reads = "pair"
    check: Literal["shortcut_phrases"] = "shortcut_phrases"
    least: int = Field(default=LEAST, ge=2, description="pairs below which a phrase may be chance and is not judged")

    def measure(self, data: View) -> Measured:
        """Count phrases in a sample of the pairs, and name the best ones; read every answer for what it says of itself.

        A phrase is named at the first pair that has it, to look at; a pair whose answer says its side may be dropped.
        """
        pairs, said = answers(data), _says_side(data)
        among = data.turns.filter(pl.col("part") == "rejected").select("row").unique()
        if not pairs.height:
            nothing = Ratio(0, total(data.rows)) if total(data.rows) else None
            return Measured(tuple(Value(name, nothing) for name in self.metrics), not_checked=(NO_PAIR,))
        told = telling(pairs) if pairs.height >= self.least else []
        few = Message.plural(
            "{n:,} pair has two answers; fewer than {least} are not judged",
            "{n:,} pairs have two answers; fewer than {least} are not judged",
            pairs.height,
            least=self.least,
        )
        named = placed(from_first(evidence(said, data.turns)), data.rows)
        best = Ratio(max((each.pairs for each in told), default=0), pairs.height)
        return Measured(
            (Value("told_apart", best), *rates("says_side", said, among)),
            pl.concat([_places(told, pairs.height, data), named], how="diagonal"),
            not_checked=(few,) if pairs.height < self.least else (),
        )


def _says_side(data: View) -> pl.LazyFrame:
    """The answers that say which side they are, as `flagged` gives them, of rows whose prompt does not speak of it."""
    text, answer = pl.col("text"), pl.col("role").eq_missing("assistant") & pl.col("part").is_in(SIDES)
    texts = turn_texts(data)
    found = texts.filter(answer, text.str.contains(either((_NOTES, _VERDICTS)))).collect().lazy()
    prompts = of_rows(texts, found).filter(~answer)
    asked = prompts.group_by("row").agg(noted=text.str.contains(_NOTES).any(), judged=text.str.contains(_JUDGED).any())
    own = found.join(asked, on="row", how="left", maintain_order="left")
    noted, judged = (pl.col(name).fill_null(value=False) for name in ("noted", "judged"))
    holds = (text.str.contains(_NOTES) & ~noted) | (text.str.contains(_VERDICTS) & ~judged)
    place = pl.when(text.str.contains(_NOTES)).then(first_at(_NOTES)).otherwise(first_at(_VERDICTS))
    return flagged(own, {"says_side": holds}, {"says_side": place}).drop("noted", "judged")


def _places(told: list[Phrase], pairs: int, data: View) -> pl.LazyFrame:
    """Evidence of phrases."""
    lines = [(each.row, f"in_{each.side}", each.side, excerpt(each.phrase, limit=80), each.pairs) for each in told]
    schema = {"row": pl.UInt64, "problem": pl.String, "where": pl.String, "text": pl.String, "n": pl.UInt32}
    said = saying(
        "“{text}” stands in this answer alone in {n:,} of {of:,} pair",
        "“{text}” stands in this answer alone in {n:,} of {of:,} pairs",
        text="text", n="n", of=pl.lit(pairs),
    )  # fmt: skip
    listed = pl.LazyFrame(lines, schema, orient="row").select("row", "problem", "where", said=said)
    return for_review(listed, data.rows)
