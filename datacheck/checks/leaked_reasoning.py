"""The check leaked_reasoning."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates, total
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.thinking_blocks import unlike_blocks
from datacheck.features.turn_texts import asked, evidence, flagged, of_rows, per_kind, texts_of, without_code
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges, either

_OWN_FORM = 0.1  # share of the rows from which on thinking blocks are how the set is written
_MARKED = ("tagged", "labelled")
# In three ways of writing, not in any: literal words are searched for three times as fast.
_THINKING = "think thinking thought thoughts reasoning reflection inner_monologue chain_of_thought cot"
_PAD = "scratchpad scratch_pad"
_TAGS, _BRACKETED = (
    "|".join(form for word in words.split() for form in (word, word.title(), word.upper()))
    for words in (f"{_THINKING} {_PAD}", f"think {_PAD}")
)
_TAG = rf"</?(?:{_TAGS})>|\[/?(?:{_BRACKETED})\]|◁/?think▷|<\|(?:begin|end)_of_(?:thought|thinking)\|>|assistantfinal"
_LABELLED = in_both_scripts(
    r"^\W*(?i:thoughts?|reasoning|scratch ?pad|chain of thought|思考过程|推理过程|思考|思路)(?:\*\*)?\s?[:：](?s:.*)"
    r"\n\W*(?i:(?:final )?(?:answer|response)|最终答案|最终回答|答案|回答)(?:\*\*)?\s?[:：]"
)
_SO = ascii_edges(r"^\W*(?i:(?:ok(?:ay)?|alright|hmm+|so|well|right|now|first)\b[,.!…\s]+){0,3}")
_THEN = in_both_scripts(r"^\W*(?:(?:好的?|嗯+|那么|首先|现在|让我想想)[，,。…\s]*){0,3}")
# Said about who asked, which nobody says to them.
_META = ascii_edges(
    rf"{_SO}(?i:the user (?:is (?:asking|requesting|looking)|wants|asks|asked|has asked|seems|just|said|gave)"
    r"|we (?:need|have) to (?:respond|answer the|produce|output)\b|i need to (?:respond|answer the user|help the user))"
    rf"|{_THEN}(?:我(?:现在)?(?:需要|得|要|来)[^。，\n]{{0,20}}用户"
    r"|用户(?:想|问|让|要求|希望|现在|这次|询问|发来|给出|提到|可能))"
)
_DIALOGUE = in_both_scripts(
    r"(?m)^\s*(?:用户|客户|[Uu]ser)\s?[:：]"
)  # quoted in a prompt: what is asked may be what its user wants
_BEGINS = in_both_scripts(
    r"^\W*(?i:ok(?:ay)?[,.]? (?:so|let|i )|alright[,.]|hmm+|let me (?:think|see|start|break|work)"
    r"|let['’]s (?:think|see)"
    r"|so,? i (?:need|have) to|first,? (?:i (?:need|should)|let me)|i (?:need|have) to (?:figure|think|find))"
    r"|^\W*(?:好的?[，,](?:我|那|首先|现在|让我)|嗯|让我(?:先|来)?(?:想|思考|看|一步|分析|理)"
    r"|首先[，,]我(?:需要|得|要)|我(?:需要|得)先)"
)
_TURNS_BACK = ascii_edges(
    r"\b[Ww]ait\b\s?(?:[,.!…—-]|no\b)|\b[Hh]mm+\b|\b[Aa]ctually,? (?:no|wait)|\b[Nn]o, (?:wait|that)"
    r"|[Ll]et me (?:re-?check|double[- ]check|reconsider|re-?think|re-?read)"
    r"|(?:等等|等一下|不对|哦不)[，,。！…—]|我(?:来|得|要|需要|应该|先)?(?:再|重新)(?:想想|想一下|检查|算|看)"
)
_SOON = ascii_edges(r"^(?s:.{0,160})\b[Tt]he user (?:is (?:asking|requesting|looking)|wants|asks|asked|has asked)\b")
_ALOUD = in_both_scripts(
    r"(?i)think(?:ing)? (?:aloud|out loud|step|through)|reasoning|scratch ?pad|monologue|thought process"
    r"|chain of thought|思考|推理|内心|独白"
)
# A scene may begin as thinking does; it does not begin with what "the user" wants.
_ASKED = ascii_edges(
    rf"{_ALOUD}|step[- ]by[- ]step|role-?play|\bact as|\bstory|dialog|script|\bpoem|lyrics"
    r"|逐步|一步一步|一步步|对话|扮演|故事|小说|剧本"
)


class ThinkingTexts(Suspects):
    """The rows in which the assistant may think aloud."""

    plain = False

    def gate(self) -> pl.Expr:
        """A tag, or words with which thinking begins."""
        told = pl.col("text").str.contains(_TAG) | pl.col("text").str.contains(either((_LABELLED, _META, _BEGINS)))
        return (pl.col("role") == "assistant") & told


class LeakedReasoning(Check):
    """Share of rows whose visible answer holds the model's thinking: `<thinking>`, "the user wants", 等等，不对.

    The kinds: `tagged` (a block of thinking in tags), `labelled` (`Thought: … Answer: …`) and `scratchpad` (an answer
    that speaks of the user as of somebody else, or begins as thinking does and turns back: "wait, no"). Where one row
    in ten or more has tags or labels, they are how the set is written and do not count; `reasoning` says so for sure.
    Requests that ask for a tag, for steps or for a scene are fine. In pairs, `one_sided` counts those with thinking in
    one answer only: a reward learns its style.
    """

    metrics = {
        "rate": Metric(
            "rows whose answer holds thinking",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="found by its wording, which may be a quotation, or meant so",
        ),
        "one_sided": Metric(
            "pairs with thinking in one answer only",
            "share",
            of="rows",
            limit=Limit(warn_max=0.02),
            why="some raters prefer the answer that thinks; above 2 pairs in 100 a reward learns that style",
        ),
        "unlike": Metric(
            "rows whose thinking is not in the form of nearly all others: other tag, empty, missing, twice",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a parser of answers knows one form; what has none is shown to users as it stands",
        ),
    }

    reads = "answer"
    check: Literal["leaked_reasoning"] = "leaked_reasoning"
    reasoning: Literal["auto", "allowed", "forbidden"] = Field(
        default="auto", description="whether answers may hold thinking in tags; auto: where one row in ten has them"
    )

    def needs(self) -> tuple[Need, ...]:
        """What may be thinking."""
        return (Need(ThinkingTexts()),)

    def measure(self, data: View) -> Measured:
        """Find tags and phrases, then leave out what was asked for and what is the set's own form."""
        text, texts = pl.col("text"), suspects(data, ThinkingTexts())
        said = texts.filter(pl.col("role") == "assistant")
        suspect = said.filter(ThinkingTexts().gate()).collect().lazy()
        heard = of_rows(texts, suspect)
        bare = suspect.with_columns(text=without_code(pl.col("text")))
        bare = bare.join(
            asked(heard, tags=_TAG, aloud=_ASKED, thinks=f"{_ALOUD}|{_DIALOGUE}"),
            on="row",
            how="left",
            maintain_order="left",
        )
        shown = text.str.split("</think>").list.last()  # what a user sees
        meta = shown.str.contains(_META) | (shown.str.contains(_BEGINS) & shown.str.contains(_SOON))
        # behind the beginning: "Hmm, …" is both
        turns = shown.str.contains(_BEGINS) & shown.str.replace(_BEGINS, "").str.contains(_TURNS_BACK)
        wanted, scene = (pl.col(name).fill_null(value=False) for name in ("thinks", "aloud"))
        thinks = meta & ~wanted | turns & ~scene
        kinds = {
            "tagged": text.str.contains(_TAG) & ~pl.col("tags").fill_null(value=False),
            "labelled": text.str.contains(_LABELLED) & ~pl.col("aloud").fill_null(value=False),
            "scratchpad": thinks & ~shown.str.contains(_TAG),
        }
        details = {"tagged": text.str.extract(f"({_TAG})")}
        every = flagged(bare, kinds, details).drop("tags", "aloud", "thinks").collect()
        one_sided = _one_sided(every.lazy())
        found, left_out = self._counted(every, total(data.rows))
        tagged = suspect.filter(text.str.contains(_TAG)).select(pl.col("row").n_unique()).collect().item()
        own_form = self.reasoning != "forbidden" and tagged >= _OWN_FORM * total(data.rows) > 0
        unlike = unlike_blocks(data) if own_form else found.clear()
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                *rates("one_sided", one_sided, data.rows, by=self.by, rows=data.rows),
                *rates("unlike", unlike, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat(
                [evidence(pl.concat([found, one_sided]), said), evidence(unlike, texts_of(data, plain=False))]
            ),
            figures={"kinds": per_kind(pl.concat([found, unlike]))},
            not_checked=left_out,
        )

    def _counted(self, every: pl.DataFrame, rows: int) -> tuple[pl.LazyFrame, tuple[Message, ...]]:
        """What counts in learnt answers, and a sentence on the tags that do not."""
        learnt = every.lazy().filter(pl.col("part") != "rejected")
        tagged = learnt.filter(pl.col("problem").is_in(_MARKED)).select(pl.col("row").n_unique()).collect().item()
        own = tagged >= _OWN_FORM * rows if self.reasoning == "auto" else self.reasoning == "allowed"
        if not (tagged and own):
            return learnt, ()
        left_out = Message.plural(
            "{n:,} row has marked thinking, taken as the set's own form (reasoning: {reasoning})",
            "{n:,} rows have marked thinking, taken as the set's own form (reasoning: {reasoning})",
            tagged,
            reasoning=self.reasoning,
        )
        return learnt.filter(~pl.col("problem").is_in(_MARKED)), (left_out,)


def _one_sided(found: pl.LazyFrame) -> pl.LazyFrame:
    """Of pairs, the answers with thinking whose other one has none."""
    sides = found.filter(pl.col("part").is_in(["chosen", "rejected"]))
    alone = sides.filter(pl.col("part").n_unique().over("row") == 1)
    return alone.unique(["row", "path"], maintain_order=True).with_columns(problem=pl.lit("one_sided"))
