"""Whether the gold answer of a row stands in its prompt."""

import re

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.golds import Extract, Golds, Of, alternatives
from datacheck.text.graders import choice, number
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule
from datacheck.text.stated import holds, states

_VERDICTS = frozenset(
    {"true", "false", "正确", "错误", "不正确", "正確", "錯誤", "不正確", "correct", "incorrect", "not given"}
)  # asked for by name
# Of formulas: `f(n)`, `30^\circ` and `\begin{pmatrix} 7 \\ -2 \end{pmatrix}` say no more than two characters do.
_SIGNS = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}|\\[a-z]+|\W|_")
_LABEL = re.compile(r"(?<![0-9a-z])([a-j])[).:、]")  # of an option among those of the prompt: (A), B., C:
_LABELLED = re.compile(_LABEL.pattern + r"[\s\\}${~;,*]*$")
_LABELS = 3  # different ones from which on they are options to choose from
_LABEL_ROOM = 16  # characters before an option in which its label stands
_WORD = re.compile(r"[0-9a-z]", re.ASCII)
_BLANK = r"\[(?:mask|blank)\]|_{4}"  # to be filled in with what the text before it defines: $f = [MASK] c_k$


class GivenGolds(Feature):
    """`row`, `where`, `gold`, `plain` (normalised), `told`, `state`, `number`: a line per row with a gold and a prompt.

    Of a listed gold there is a line per answer. `told`: the prompt tells it as its answer.

    `state` is given (the normalised prompt holds the gold as words of their own), absent, or trivial: a number, the
    letter of an option, true or false, or fewer than `min_chars` letters and digits say nothing where they occur, so
    they are given where the prompt tells them as its answer; `told_only`: so are all. So are those of a prompt with a
    blank ([MASK], ____), which is filled in with what the text defines. Where the last message is the assistant's, it
    is given if that message tells it as the answer.
    `number`: of a gold that is one, as `holds` says.
    """

    columns = {
        "row": pl.UInt32, "where": pl.String, "gold": pl.String, "plain": pl.String, "told": pl.Boolean,
        "state": pl.String, "number": pl.String,
    }  # fmt: skip

    of: Of
    extract: Extract
    min_chars: int
    told_only: bool
    normalise: tuple[Rule, ...]

    def needs(self) -> tuple[Need, ...]:
        """The golds."""
        return (Need(Golds(of=self.of, extract=self.extract)),)

    def compute(self, part: View) -> pl.DataFrame:
        """Search every prompt for its own gold; look at the ends of what was found."""
        asked = part.turns.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("assistant"))
        prompts = asked.group_by("row", maintain_order=True).agg(
            where=pl.col("path").last(), prompt=pl.col("text").str.join("\n"), path="path", text="text"
        )
        golds = _single(part[self.needs()[0]].drop_nulls("gold").select("row", "gold", "listed").collect())
        both = golds.lazy().join(prompts, on="row", maintain_order="left").collect()
        both = both.with_columns(
            plain=normalise(both["gold"], self.normalise).str.strip_chars(),
            prompt=normalise(both["prompt"].fill_null(""), self.normalise),
        )
        both = both.with_columns(**_told(both)).join(
            self._begun(part, golds), on=["row", "gold"], how="left", maintain_order="left"
        )
        both = both.with_columns(
            told=pl.col("told") | pl.col("begun").is_not_null(), where=pl.coalesce("begun", "where")
        )
        trivial = {plain: self.told_only or _trivial(plain, self.min_chars) for plain in both["plain"].unique()}
        state = pl.col("plain").replace_strict(trivial, default=True, return_dtype=pl.Boolean)
        held = pl.col("prompt").str.contains(pl.col("plain"), literal=True)
        both = both.with_columns(
            state=pl.when(state & ~pl.col("told"))
            .then(pl.lit("trivial"))
            .when(pl.col("told") | (held & ~pl.col("prompt").str.contains(_BLANK)))
            .then(pl.lit("given"))
            .otherwise(pl.lit("absent"))
        )
        given = both.filter(pl.col("state") == "given", ~pl.col("told"))
        inside = [
            (row, plain)
            for row, plain, prompt in given.select("row", "plain", "prompt").iter_rows()
            if not as_words(plain, prompt)
        ]
        cut = pl.DataFrame(inside, schema={"row": pl.UInt32, "plain": pl.String}, orient="row")
        marked = both.join(cut.with_columns(cut=True), on=["row", "plain"], how="left", maintain_order="left")
        absent = pl.when("cut").then(pl.lit("absent")).otherwise("state")
        return marked.with_columns(state=absent, where=self._holding(marked)).select(*self.columns)

    def _holding(self, marked: pl.DataFrame) -> pl.Series:
        """The place of each line; of a gold that the prompt holds untold, the last message that holds it."""
        places = marked["where"].to_list()
        held = marked.with_row_index("at").filter(
            pl.col("state") == "given", ~pl.col("told"), pl.col("path").list.len() > 1
        )
        for at, plain, paths, texts in held.select("at", "plain", "path", "text").iter_rows():
            said = normalise(pl.Series(texts, dtype=pl.String).fill_null(""), self.normalise)
            places[at] = next(
                (path for path, text in zip(paths[::-1], said[::-1], strict=True) if plain in text), places[at]
            )
        return pl.Series("where", places, dtype=pl.String)

    def _begun(self, part: View, golds: pl.DataFrame) -> pl.DataFrame:
        """`row`, `gold`, `begun`: where a prompt ends with words of the assistant that tell the gold as the answer.

        Answers before the last question are examples, or turns before it.
        """
        last = part.turns.filter(pl.col("part") == "prompt").group_by("row", maintain_order=True).last()
        said = last.filter(pl.col("role") == "assistant", pl.col("text").is_not_null()).select("row", "path", "text")
        ends = golds.lazy().join(said, on="row", how="inner", maintain_order="left").collect()
        told = [
            states(prompt, gold.strip())
            for prompt, gold in zip(
                normalise(ends["text"], self.normalise), normalise(ends["gold"], self.normalise), strict=True
            )
        ]
        found = ends.filter(pl.Series(told, dtype=pl.Boolean))
        return found.select("row", "gold", begun="path").unique(["row", "gold"], maintain_order=True)


def _told(both: pl.DataFrame) -> dict[str, pl.Series]:
    """Whether each prompt tells its gold as the answer, and where it holds it if that is a number."""
    pairs = both.select("prompt", "plain").rows()
    return {
        "told": pl.Series([bool(gold) and states(prompt, gold) for prompt, gold in pairs], dtype=pl.Boolean),
        "number": pl.Series([holds(prompt, gold) for prompt, gold in pairs], dtype=pl.String),
    }


def _single(golds: pl.DataFrame) -> pl.DataFrame:
    """`row`, `gold`: one line per answer."""
    lists = {gold: alternatives(gold, listed=True) for gold in golds.filter("listed")["gold"].unique()}
    if not lists:
        return golds.select("row", "gold")
    items = pl.col("gold").replace_strict(lists, default=None, return_dtype=pl.List(pl.String))
    answers = pl.when("listed").then(items).otherwise(pl.concat_list("gold"))
    return golds.select("row", gold=answers).explode("gold").unique(maintain_order=True)


def _trivial(plain: str, least: int) -> bool:
    return (
        len(_SIGNS.sub("", plain)) < least
        or plain in _VERDICTS
        or number(plain.replace("{,}", ",").replace("\\$", "$")) is not None
        or choice(plain) is not None
    )


def as_words(plain: str, prompt: str) -> bool:
    """Whether it stands anywhere without cutting a Latin word or a number ("cat" does not stand in "concatenate").

    An option is to be chosen, and so tells nothing: where the prompt has three labels, what follows one is none.
    """
    before = r"(?<![0-9a-z])" if _WORD.match(plain[0]) else ""
    after = r"(?![0-9a-z])" if _WORD.match(plain[-1]) else ""
    places = re.finditer(before + re.escape(plain) + after, prompt)
    if len({label[1] for label in _LABEL.finditer(prompt)}) < _LABELS:
        return next(places, None) is not None
    return any(not _LABELLED.search(prompt[max(0, at.start() - _LABEL_ROOM) : at.start()]) for at in places)
