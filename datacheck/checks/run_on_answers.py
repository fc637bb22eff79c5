"""The check run_on_answers."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Need, View, rates
from datacheck.features.joined_texts import PastedTexts, TextEnds, joined_texts, pasted_questions
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.turn_texts import (
    Texts,
    asked,
    evidence,
    first_at,
    flagged,
    from_first,
    of_rows,
    per_kind,
    texts_of,
    without_code,
)
from datacheck.text.chinese import each_in_both_scripts, in_both_scripts
from datacheck.text.edges import ascii_edges

_LINE = r"\n[ \t>]{0,3}"
_REPLY = r"[^\n]{2,}\n+[ \t]{0,3}"
_TEMPLATE = r"(?:Human|Instruction|Assistant|User|Response|人类|用户|指令) ?[:：]"
_BOT = r"(?:\*\*)?(?:Assistant|ASSISTANT|AI|(?:AI)?助手|助理|系统)(?:\*\*)? ?[:：]"
_PATTERNS = each_in_both_scripts(
    {
        "template_turn": rf"{_LINE}(?:#{{2,4}} ?{_TEMPLATE}|\[\|Human\|\]|<human>:)",  # what only templates write
        "user_turn": (
            rf"{_LINE}(?:\*\*)?(?:Human(?:\*\*)? ?[:：](?:\*\*)? ?\S|"
            rf"(?:User|USER|用户|人类)(?:\*\*)? ?[:：]{_REPLY}{_BOT})"
        ),
        "question_turn": rf"{_LINE}问 ?[:：]{_REPLY}答 ?[:：]",
    }
)
_GATE = in_both_scripts(
    rf"{_LINE}(?:\[\|Human|<human>"
    r"|(?:#{2,4} ?|\*\*)?(?:Human|User|USER|Instruction|Assistant|Response|用户|人类|指令|问))"
)
# An answer that begins with a speaker, or has one before, is a conversation on the whole: a transcript, a scene.
_MARKS = r"(?:[*#\[<|（(]+ ?)?"
_ENDS = r"(?:\*\*|[|>\])）])*(?: ?\([^()\n]{1,40}\)| ?（[^（）\n]{1,20}）)? ?[:：]"
_NAME = r"[\p{L}\p{N}][\p{L}\p{N}'’._ -]{0,24}"
_BOTS = in_both_scripts(
    r"(?:[\w ]{0,12} )?(?:AI|[Aa]ssistant|ASSISTANT|[Bb]ot|[Cc]hat[Bb]ot|ChatGPT|[Aa]gent|[Ss]ystem|SYSTEM|[Cc]omputer)"
    r"|[\p{Han}A-Z]{0,4}(?:机器人|助手|客服|助理|系统)"
)
_SPEAKER = rf"^\s*{_MARKS}{_NAME}{_ENDS}|\n[ \t>]{{0,3}}{_MARKS}(?:{_BOTS}){_ENDS}"
_LIST = ascii_edges(r"(?i)\bFAQ|Q ?& ?A\b|常见问题|问答|问与答")  # questions that an article brings itself
# Words of a prompt that asks for a conversation, or shows how one is to be written.
_ASKED = ascii_edges(
    r"(?i)dialog|conversation|\bchat|interview|role-?play|\bact(?:s|ing)? (?:as|like)|\bscript|\bplay\b|\bscenes?\b"
    r"|transcript|simulat|prompt|persona|\bbot\b|story|fiction|example|\bq ?& ?a\b|\bfaq|template"
    r"|(?:human|user|assistant) ?[:：]"
    r"|对话|聊天|剧本|访谈|采访|角色|扮演|情景|模拟|问答|客服|故事|小说|相声|小品|模板|示例|用户|[问答] ?[:：]"
)
_SHOWN = 40  # characters on either side of a seam
_ASKED_TEMPLATE = in_both_scripts(
    r"(?i)###|prompt|template|fine-?tun|instruction[- ]tun|alpaca|vicuna|模板|提示词|微调"
)


class SpeakingTexts(Suspects):
    """The rows with an answer, or an earlier turn of the assistant, in which a line may begin with a speaker."""

    plain = False

    def gate(self) -> pl.Expr:
        """What is not learnt (rejected answers) does not count."""
        said = (pl.col("part") != "rejected") & (pl.col("role") == "assistant")
        return said & pl.col("text").str.contains(_GATE)


class RunOnAnswers(Check):
    r"""Share of rows whose answer goes on to speak for the next speaker: `Human: …`, `### Instruction:`, 用户：….

    The kinds: `template_turn` (`### Human:`, `### Instruction:`, `### Response:`, `[|Human|]`, which only templates
    write), `user_turn` (a line that begins with `Human:`, or a turn of `User:` or 用户： with a reply), `question_turn`
    (问：… and 答：… after the answer). Conversations that were asked for are fine: an answer that begins with a speaker
    or has others before, and a prompt that speaks of dialogues, roles, stories or examples. Code is left out. In pairs
    only the chosen answer counts.
    """

    metrics = {
        "rate": Metric(
            "rows whose answer speaks for the next speaker",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="some may be meant so; a few that are not teach a model to go on for its user",
        ),
        "joined": Metric(
            "rows with a text behind which another text of the set stands",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a join or a broken separator did it; a text may quote another one",
        ),
    }

    reads = "answer"
    check: Literal["run_on_answers"] = "run_on_answers"

    def needs(self) -> tuple[Need, ...]:
        """What may speak for somebody else, and how texts end."""
        return Need(SpeakingTexts()), Need(TextEnds()), Need(PastedTexts())

    def measure(self, data: View) -> Measured:
        """Look for marks of speakers behind the beginning of each answer, and at what the row had asked for."""
        texts = suspects(data, SpeakingTexts())
        suspect = texts.filter(SpeakingTexts().gate()).collect().lazy()
        heard = of_rows(texts, suspect)
        bare = suspect.with_columns(bare=without_code(pl.col("text"), unclosed=False))
        wanted = asked(heard, dialogue=_ASKED, template=_ASKED_TEMPLATE)
        bare = bare.join(wanted, on="row", how="left", maintain_order="left")
        kinds = {
            kind: pl.col("bare").str.contains(pattern) & _alone(kind, pattern) for kind, pattern in _PATTERNS.items()
        }
        kinds["template_turn"] &= ~pl.col("template").fill_null(value=False)
        for kind in ("user_turn", "question_turn"):
            kinds[kind] &= ~pl.col("dialogue").fill_null(value=False)
        found = flagged(bare, kinds, {kind: first_at(pattern) for kind, pattern in _PATTERNS.items()})
        found = found.drop("bare", "dialogue", "template")
        joined = pl.concat([joined_texts(data), pasted_questions(data)]).collect().lazy()
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                *rates("joined", joined, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat(
                [from_first(evidence(found, texts)), _tails(joined, texts_of(data, plain=False))],
                how="diagonal_relaxed",
            ),
            figures={"kinds": per_kind(pl.concat([found, joined], how="diagonal_relaxed"))},
        )


def _tails(joined: pl.LazyFrame, texts: Texts) -> pl.LazyFrame:
    """Evidence of texts that were joined: what stands around the seam, and the row whose text begins there."""
    place = ["row", "part", "turn", "path"]
    seen = joined.join(of_rows(texts, joined), on=place, how="left", maintain_order="left", nulls_equal=True)
    around = pl.format("…{}", pl.col("text").str.slice(pl.col("seam") - _SHOWN, 2 * _SHOWN))
    return seen.select("row", "problem", "other_row", text=around, where="path")


def _alone(kind: str, pattern: str) -> pl.Expr:
    """Whether what stands before the mark is an answer: it has words, announces nothing, and nobody else speaks."""
    before = pl.col("bare").str.extract(f"^((?s:.*?)){pattern}")
    alone = before.str.contains(r"[\p{L}\p{N}]")
    if kind != "template_turn":
        alone &= ~before.str.contains(rf"[:：]\W*$|{_LIST}") & ~before.str.contains(_SPEAKER)
    return alone.fill_null(value=False)
