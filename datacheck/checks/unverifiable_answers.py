"""The check unverifiable_answers."""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from typing import Literal

import polars as pl
from pydantic import Field, field_validator

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Value, View, learnt, rates, total
from datacheck.errors import WrongValueError
from datacheck.features.askings import Askings, unasked
from datacheck.features.cut_prompts import PromptEnds, cut_prompts
from datacheck.features.gold_forms import GoldMarks, other_forms, other_kinds
from datacheck.features.golds import SOLUTION, Extract, Golds, Of, OwnAnswers, alternatives, golds_of
from datacheck.features.option_sets import odd_options
from datacheck.features.prompt_options import unlisted
from datacheck.features.workings import unreached, unreached_beside, wrong_sums
from datacheck.text.graders import GRADERS, GraderFailedError, number
from datacheck.text.variables import is_formula

_AUTO = ("choice", "number", "tool_call", "json")  # tried in this order
# One letter, or several as one word or with signs between them; behind a sign the words of the option may follow.
_LETTERS = re.compile(
    r"(?:answer|ans|option|答案)?\s*[:：]?\s*[(（\[]?([A-Za-z](?:[\s,，、;/&]*[A-Z])*)[)）\]]?(?:$|[.．:：、)）]\s*)"
)
_LETTERED = re.compile(r"[(（\[]?([A-Z])[)）\].．:：、]\s*")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\s*\{|left|right)")  # of LaTeX, with what it is applied to
_LEFT, _RIGHT = re.compile(r"\\left(?![A-Za-z])"), re.compile(r"\\right(?![A-Za-z])")  # no \rightarrow
_MOST = 0.9  # of the golds, for `auto` to take a grader
_TRIED = 200  # golds that `auto` gives to math-verify, spread over them: 5 to 70 ms each
_FORMULA = re.compile(r"\\[A-Za-z]|[\^$√π∞]|^[^\W\d_]\s*=|^[^\w]*\d[\d\W]*$")  # a command, a sign; `x = 3`; `(1, 2)`
_LONGEST = 200  # characters of a formula

# Numbers of options: rows from which on they tell whether they count from 0 or from 1, and the share of a slip.
_ENOUGH, _SLIPS = 20, 0.05
_SURE = 0.98  # of the golds of one source, for `auto` to take another grader there than for the whole set
Usual = Literal["choice", "number", "tool_call", "json", "formula"]
_USUAL: tuple[Usual, ...] = ("choice", "number", "tool_call", "json", "formula")  # tried in this order
_MARKS = ["####", "boxed{"]  # of a final answer
_SOURCES = 100  # more than these are no sources to compare


class UnverifiableAnswers(Check):
    r"""Share of rows whose gold answer no model can match: missing, empty, badly marked, or not readable.

    The gold is taken out of the solution as rule-based rewards take it (behind `#### `, in `\boxed{…}`, or the whole
    answer) and fed back to the grader as if a model had said it. A gold that does not get full marks that way never
    will. `grader: auto` takes the strictest grader that reads the golds of nine in ten rows, of formulas math-verify
    where it is installed (200 of them); name the one that your reward uses. Where `source.columns.source` tells the
    parts of a mixture, each part of twenty golds and more whose golds are nearly all read by one grader has that one:

    - `integer`: `1080`, as `int()` writes it; no separators, sign + or unit (MLX-GRPO)
    - `gsm8k`: digits, points and a minus sign (verl's `gsm8k`, which drops commas from the answer, not from the gold)
    - `number`: also `1,080`, `$1,080.00`, `50%`, `3/4`, `\frac{3}{4}`, `１０８０元` (the flexible match of
      lm-evaluation-harness)
    - `latex`: an expression in one spelling, as MATH's `is_equiv` compares: `\dfrac12` is `\frac{1}{2}` (verl's
      `math_reward`, lm-evaluation-harness's `hendrycks_math`); a gold with `$…$` is never in a box
    - `math_verify`: what the package math-verify parses and finds equal to itself (`datacheck-llm[math]`; open-r1)
    - `choice`: letters of options; `json`, `tool_call`: values in canonical spelling; `exact`: any text

    Worked solutions with `#### ` are held against themselves: the gold must be a number of the working (`unreached`),
    and annotations such as `<<48/2=24>>` must add up (`sums`). A gold of two digits and more must also be a number of
    the solution that stands beside it.
    Where a row has a solution beside its gold, the answer that it marks must be the gold (`disagrees`): as number, in
    spelling, or by math-verify.
    Where most solutions mark their final answer, those that do not are named (`no_marker`, in `forms`).
    Golds written otherwise than nearly all (`forms`: `$18`, `18 dollars`, `\boxed{18}` among bare numbers, `b` among
    `A`), and options that cannot be told apart (`options`), are looked at where the set shows what is usual. So are
    options in the text of prompts: none (`no_options`), without that of the gold (`gold_not_listed`), A, B, D
    (`option_gap`).
    A prompt must ask something, and not end on a word that goes on, as half a sentence does (`unasked`).
    All this goes by what is usual in the set, of which nothing is left where a third of it is damaged: so `init` writes
    down what golds are (`usual`), and later data are held to it.
    Of a gold that is a list of answers one must be readable. Where a row has options, the gold must be one of them
    instead: as letter or letters, place, name or text.
    """

    metrics = {
        "rate": Metric(
            "rows whose gold answer cannot be matched",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="whatever the model says, such a row is never rewarded",
        ),
        "falsy": Metric(
            "rows whose gold is a JSON 0, false or [ ], which careless code drops",
            "share",
            "rows",
            Limit(warn_max=0),
            why="0 is a good answer; only code that asks `if gold` drops it",
        ),
        "several": Metric(
            "rows whose solution marks several answers that differ",
            "share",
            "rows",
            Limit(max=0.05, warn_max=0),
            why="rewards take the last one; 1 in 300 of MATH's solutions marks each part, or each of two ways",
        ),
        "disagrees": Metric(
            "rows whose own solution marks another answer than the gold",
            "share",
            "rows with a solution that marks one",
            Limit(warn_max=0),
            why="one of the two is wrong, or belongs to another row; none of MATH-500's 500 rows",
        ),
        "unreached": Metric(
            "rows whose gold is a number that their working never comes to",
            "share",
            "rows",
            Limit(warn_max=0.005),
            why="1 row in 1,000 of GSM8K and 2 of AIME's solutions; where there are more, golds are of other rows",
        ),
        "sums": Metric(
            "rows with a calculator annotation that does not add up",
            "share",
            "rows",
            Limit(warn_max=0),
            why="none of the 28,000 of GSM8K is wrong; the model learns the sum as it stands there",
        ),
        "forms": Metric(
            "rows whose gold is written otherwise than nearly all others",
            "share",
            "rows",
            Limit(warn_max=0),
            why="a reward that compares text never gives such a row anything; one that reads numbers may",
        ),
        "options": Metric(
            "rows with options that are no choice: two alike, only one, a letter that the prompt leaves out",
            "share",
            "rows",
            Limit(warn_max=0),
            why="1 in 100 of AQuA's, 1 in 1,000 of MMLU's; the model is asked to choose among what is no choice",
        ),
        "unusual": Metric(
            "rows whose gold is not what the contract says that golds are",
            "share",
            "rows",
            Limit(warn_max=0.05),
            why="at most 1 gold in 50 was so when the contract was made; what is usual in a drop itself may be damage",
        ),
        "unasked": Metric(
            "rows whose prompt asks nothing or stops in the middle, where nearly all others ask and end with a sign",
            "share",
            "rows",
            Limit(warn_max=0),
            why="cut, or without its last line: nobody can know what the gold answers",
        ),
    }

    reads = "text"
    check: Literal["unverifiable_answers"] = "unverifiable_answers"
    grader: Literal[
        "auto", "exact", "integer", "gsm8k", "number", "latex", "math_verify", "choice", "json", "tool_call"
    ] = Field(default="auto", description="how the reward reads an answer")
    extract: Extract = Field(default="auto", description="where the answer stands in the solution; auto: by its marks")
    of: Of = Field(default="answer", description="the part that holds the solution")
    usual: Usual | None = Field(
        default=None, description="what nearly all golds are: `init` writes what it finds (formula: or a number)"
    )

    @classmethod
    def fitted(cls, turns: pl.DataFrame) -> Mapping[str, str]:
        """What nearly all golds are; nothing where they have options, which are told by their own letters or texts."""
        golds = golds_of(turns.lazy(), "answer", "auto").drop_nulls("gold")
        if golds.height < _ENOUGH or (turns["part"] == "option").any():
            return {}
        distinct = _counted(golds.with_columns(len=pl.lit(1)))
        for kind in _USUAL:
            if sum(n for *gold, n in distinct.iter_rows() if _is_usual(kind, *gold)) >= _SURE * golds.height:
                return {"usual": kind}
        return {}

    def promised(self) -> frozenset[str]:
        """Without `usual` there is nothing that golds should be."""
        return frozenset(self.metrics) - (frozenset() if self.usual else {"unusual"})

    @field_validator("grader")
    @classmethod
    def _installed(cls, grader: str) -> str:
        if grader == "math_verify" and find_spec("math_verify") is None:
            raise WrongValueError(
                "math_verify needs the package math-verify: pip install 'datacheck-llm[math]', or use latex"
            )
        return grader

    def _golds(self) -> Need:
        return Need(Golds(of=self.of, extract=self.extract))

    def _own(self) -> Need:
        return Need(OwnAnswers(extract=self.extract))

    def needs(self) -> tuple[Need, ...]:
        """The golds, what solutions beside them say, and how the set is written."""
        return (self._golds(), self._own(), *self._sets_of())

    def _sets_of(self) -> tuple[Need, Need, Need]:
        """What golds and prompts of the whole set are held against."""
        return Need(Askings()), Need(GoldMarks(of=self.of)), Need(PromptEnds())

    def measure(self, data: View) -> Measured:
        """Read each distinct gold once with the grader."""
        every = data[self._golds()].collect()
        chosen = _outside(every, data.turns)
        golds = every.join(chosen.select("row"), on="row", how="anti", maintain_order="left")
        golds = _with_source(golds, data.rows)
        forms, notes = self._read(golds)
        judged = golds.lazy().join(
            forms.lazy(), on=["source", "gold", "listed"], how="left", maintain_order="left", nulls_equal=True
        )
        troubled = judged.with_columns(problem=pl.coalesce("trouble", "unread")).drop_nulls("problem")
        without = data.rows.join(every.lazy().select("row"), on="row", how="anti").select("row")
        missing = without.with_columns(
            problem=pl.lit("missing_answer"), where=pl.lit(None, pl.String), text=pl.lit(None, pl.String)
        )
        wrong = chosen.drop_nulls("problem").lazy().select("row", "problem", "where", text="gold")
        told = troubled.select("row", "problem", "where", text="gold")
        marked = data.turns.filter(pl.col("part") == self.of, pl.col("text").str.contains("####", literal=True))
        own = data[self._own()].collect()
        asked, *_ = self._sets_of()
        doubts = {
            "unreached": pl.concat([unreached(marked), unreached_beside(golds.lazy(), _beside(data))]).collect().lazy(),
            "sums": wrong_sums(marked).collect().lazy(),
            "disagrees": own.lazy().filter(~pl.col("agrees")).select("row", "where", text="said"),
            "unasked": _cut_or_unasked(_open_questions(data[asked], every, data), every, data),
        }
        if self.usual:
            doubts["unusual"] = _unusual(golds, self.usual).lazy()
        evidence = pl.concat([told, missing, wrong], how="diagonal").sort("row", maintain_order=True)
        sets = self._sets(data, every, evidence)
        sets["forms"] = pl.concat([sets["forms"], _unmarked(data.turns, self.of, evidence)], how="diagonal_relaxed")
        doubted = [lines.with_columns(problem=pl.lit(name)) for name, lines in doubts.items()]
        doubted += sets.values()
        doubts |= sets
        ungraded = total(troubled.filter(pl.col("problem") == "ungraded_answer"))
        if ungraded:
            notes.append(
                Message.plural(
                    "{grader} came to no result on {n:,} gold (five seconds, or an exception)",
                    "{grader} came to no result on {n:,} golds (five seconds, or an exception)",
                    ungraded,
                    grader=self.grader,
                )
            )
        notes += _not_compared(own)
        if every.is_empty():
            notes.append(Message("no row has a part '{of}'", of=self.of))
        apart = {"falsy": pl.col("problem") == "falsy_answer", "several": pl.col("problem") == "several_answers"}
        counted = rates(
            "rate", evidence.filter(~pl.any_horizontal(apart.values())), data.rows, by=self.by, rows=data.rows
        )
        return Measured(
            (
                *((Value("rate", None),) if ungraded else counted),
                *(
                    value
                    for each in {**{name: evidence.filter(those) for name, those in apart.items()}, **doubts}.items()
                    for value in rates(*each, data.rows, by=self.by, rows=data.rows)
                ),
            ),
            evidence=pl.concat([evidence, *doubted], how="diagonal").sort("row", maintain_order=True),
            figures={"problems": evidence.group_by("problem").len("rows").sort("problem").collect()},
            not_checked=tuple(notes),
        )

    def _read(self, golds: pl.DataFrame) -> tuple[pl.DataFrame, list[Message]]:
        """`source`, `gold`, `listed`, `unread`: each gold once and what keeps a grader from reading it; remarks."""
        distinct = golds.drop_nulls("gold").group_by("source", "gold", "listed", maintain_order=True).len()
        whole, notes = (self.grader, []) if self.grader != "auto" else _fitting(_counted(distinct))
        parts, names = [distinct.with_columns(unread=pl.lit(None, pl.String)).clear()], {}
        for (source,), part in distinct.partition_by("source", as_dict=True, maintain_order=True).items():
            own = _counted(part)
            most = max(_ENOUGH, _TRIED * int(own["len"].sum()) // int(distinct["len"].sum()))
            grader = _fitting_source(own, whole, most) if self.grader == "auto" and source else whole
            tried = _formulas(own, most) if self.grader == "auto" and grader == "math_verify" else {}
            unread = [
                tried.get(gold) if tried else _trouble(grader, *gold)
                for gold in part.select("gold", "listed").iter_rows()
            ]
            parts.append(part.with_columns(unread=pl.Series(unread, dtype=pl.String)))
            names[source] = grader
        if self.grader == "auto" and distinct.height:
            notes += _graders_told(names)
        return pl.concat(parts), notes

    def _sets(self, data: View, every: pl.DataFrame, evidence: pl.LazyFrame) -> dict[str, pl.LazyFrame]:
        """By metric: golds and options unlike those of the set, of rows of which nothing else is told.

        A grader that is named reads what it reads: forms are looked at where nobody did.
        """
        told = evidence.select("row").collect()
        options = odd_options(data.turns.filter(pl.col("part") == "option"))
        apart = data.turns.filter(pl.col("part") == "option").select(pl.col("row").cast(pl.UInt64)).unique().collect()
        plain = every.filter(~pl.col("listed")).drop_nulls("gold").with_columns(pl.col("row").cast(pl.UInt64))
        odd = [options.with_columns(pl.col("row").cast(pl.UInt64)), unlisted(plain, data, apart["row"])]
        found = {
            "options": pl.concat(odd).join(told.cast(pl.UInt64), on="row", how="anti", maintain_order="left").lazy()
        }
        if self.grader == "auto":
            sound = every.filter(pl.col("trouble").is_null(), ~pl.col("listed")).drop_nulls("gold")
            sound = sound.join(told, on="row", how="anti", maintain_order="left")
            chosen = data.turns.filter(pl.col("part") == "option").select("row").unique()
            marks = data[self._sets_of()[1]]
            named = _with_source(sound, data.rows).drop_nulls("source")
            parts = [part.drop("source") for part in named.partition_by("source", maintain_order=True)]
            forms = [other_forms(part, marks, chosen) for part in (sound, *parts)]
            forms.append(other_kinds(sound, data.turns.filter(pl.col("part") == "option").select("row", "text")))
            once = pl.concat(forms).unique("row", keep="first").sort("row")
            found["forms"] = once.lazy().with_columns(problem=pl.lit("other_form"))
        else:
            found["forms"] = told.lazy().head(0).with_columns(problem=pl.lit("other_form"))
        return found


def _unmarked(turns: pl.LazyFrame, of: Of, told: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `where`, `text`, `problem`: solutions that mark no final answer, where most do, of rows not told of."""
    said = turns.filter(pl.col("part") == of, learnt()).group_by("row", maintain_order=True).last()
    marked = pl.col("text").str.contains_any(_MARKS)
    table = said.select("row", where="path", text=pl.when(~marked).then("text")).collect()
    if table.height < _ENOUGH or table["text"].null_count() <= table.height / 2:
        table = table.clear()
    known = told.select(pl.col("row").cast(pl.UInt64))
    found = table.lazy().drop_nulls("text").with_columns(pl.col("row").cast(pl.UInt64), problem=pl.lit("no_marker"))
    return found.join(known, on="row", how="anti", maintain_order="left")


def _with_source(golds: pl.DataFrame, rows: pl.LazyFrame) -> pl.DataFrame:
    """The golds and, as `source`, which part of a mixture each belongs to; null where a source is small, or none is.

    A reward is chosen by the source (verl's `data_source`), and with it what it can read.
    """
    if "source" not in rows.collect_schema():
        return golds.with_columns(source=pl.lit(None, pl.String))
    named = rows.select(pl.col("row").cast(pl.UInt32), "source").collect()
    table = golds.join(named, on="row", how="left", maintain_order="left")
    large = table.drop_nulls("source").group_by("source").len().filter(pl.col("len") >= _ENOUGH)["source"]
    some = large if len(large) <= _SOURCES else large.clear()
    return table.with_columns(source=pl.when(pl.col("source").is_in(some.implode())).then("source"))


def _unusual(golds: pl.DataFrame, usual: Usual) -> pl.DataFrame:
    """`row`, `where`, `text`: golds of another kind than the contract names."""
    distinct = golds.drop_nulls("gold").select("gold", "listed").unique(maintain_order=True)
    odd = distinct.filter(pl.Series([not _is_usual(usual, *gold) for gold in distinct.iter_rows()], dtype=pl.Boolean))
    found = golds.join(odd, on=["gold", "listed"], how="semi", maintain_order="left")
    return found.select("row", "where", text="gold")


def _is_usual(usual: Usual, gold: str, listed: bool) -> bool:
    """Whether a gold is of a kind; of several answers one is enough."""
    if usual != "formula":
        return _trouble(usual, gold, listed) is None
    return any(number(answer) is not None or is_formula(answer) for answer in alternatives(gold, listed))


def _counted(distinct: pl.DataFrame) -> pl.DataFrame:
    """`gold`, `listed`, `len`: each gold once, of all sources."""
    return distinct.group_by("gold", "listed", maintain_order=True).agg(pl.sum("len"))


def _cut_or_unasked(prompts: pl.LazyFrame, golds: pl.DataFrame, data: View) -> pl.LazyFrame:
    """`row`, `where` of prompts that ask nothing, and of those that end on a word that goes on."""
    cut = _open_questions(cut_prompts(data), golds, data).select("row", where="path").collect()
    found = pl.concat([unasked(prompts), cut], how="vertical_relaxed")
    return found.unique("row", keep="first", maintain_order=True).lazy()


def _open_questions(prompts: pl.LazyFrame, golds: pl.DataFrame, data: View) -> pl.LazyFrame:
    """Prompts of rows with a gold and no options: the stem of a test ends in the middle ("All of these, except")."""
    options = data.turns.filter(pl.col("part") == "option").select("row").unique()
    return prompts.join(golds.lazy().select("row"), on="row", how="semi").join(options, on="row", how="anti")


def _beside(data: View) -> pl.LazyFrame:
    """The worked solution of each row that has one beside its gold: `row`, `text`."""
    worked = data.cells.filter(pl.col("path").str.contains(SOLUTION), pl.col("text").is_not_null())
    return worked.group_by("row", maintain_order=True).last().select("row", "text")


def _outside(golds: pl.DataFrame, turns: pl.LazyFrame) -> pl.DataFrame:
    """The golds of rows with options, and as `problem` what keeps a choice from being the gold."""
    own = turns.join(golds.lazy().select("row"), on="row", how="semi").filter(pl.col("part") == "option")
    name = pl.col("path").str.extract(r"\.?([^.\[\]]+)$")
    text = pl.col("text").fill_null("").str.strip_chars()
    options = (
        own.group_by("row")
        .agg(texts=text.sort_by("turn"), names=name.sort_by("turn"))
        .filter(pl.col("texts").list.len() > 1)
        .collect()
    )
    rows = golds.join(options, on="row", how="inner", maintain_order="left")
    first = _first_number(rows)
    judged = [
        _choice(*row, first=first) for row in rows.select("gold", "listed", "trouble", "texts", "names").iter_rows()
    ]
    return rows.select("row", "where", "gold").with_columns(problem=pl.Series(judged, dtype=pl.String))


def _first_number(rows: pl.DataFrame) -> int | None:
    """Whether numbers of options count from 0 or from 1, where enough rows tell.

    Both ends are never used at once: where they are, options lack or golds slipped, and the rarer end is wrong.
    """
    number, most = pl.col("gold").cast(pl.UInt32, strict=False), pl.col("texts").list.len()
    numbers = rows.filter(number.is_not_null(), ~pl.col("texts").list.contains(pl.col("gold")))
    if numbers.height < _ENOUGH:
        return None
    zeros, lasts = (numbers.filter(number == end).height / numbers.height for end in (0, most))
    if max(zeros, lasts) <= _SLIPS:
        return None
    return 0 if zeros >= lasts else 1


def _choice(
    gold: str | None, listed: bool, trouble: str | None, texts: list[str], names: list[str | None], *, first: int | None
) -> str | None:
    """What is wrong with a gold beside its options: as letters, place, name or text it must be one of them."""
    if gold is None or (trouble is not None and trouble != "falsy_answer"):
        return trouble or "empty_answer"
    given = [answer.strip() for answer in alternatives(gold, listed)]
    places = [place for answer in given for place in _places(answer, texts, names, first)]
    if not places:
        return "not_an_option"
    bare = [_without_letter(text, place) for place, text in enumerate(texts)]
    filled = [text for text in bare if text]
    if len(filled) > len(bare) / 2 and not all(bare[place] for place in places):  # else they are letters of a picture
        return "not_an_option"
    return "repeated_option" if any(filled.count(bare[place]) > 1 for place in places) else None


def _without_letter(text: str, place: int) -> str:
    """What an option says behind the letter of its own place: "(B) four" and "(C) four" are the same."""
    found = _LETTERED.match(text)
    return text[found.end() :] if found and ord(found[1]) - ord("A") == place else text


def _places(answer: str, texts: list[str], names: list[str | None], first: int | None) -> list[int]:
    """The options that an answer means: by their name, text or number, or by letters ("A, C", "(b)").

    first: the number of the first option; None where it is not known, so that both 0 and 1 may be.
    """
    same = [
        n
        for n, each in enumerate(zip(texts, names, strict=True))
        if answer.casefold() in map(str.casefold, map(str, each))
    ]
    if same:
        return same[:1]
    if answer.isdecimal() and first is not None:
        return [place] if 0 <= (place := int(answer) - first) < len(texts) else []
    if answer.isdecimal() and int(answer) <= len(texts):
        return [min(int(answer), len(texts) - 1)]
    found = _LETTERS.match(answer)
    places = [ord(c.upper()) - ord("A") for c in found[1] if c.isalpha()] if found else []
    return places if all(place < len(texts) for place in places) else []


def _trouble(grader: str, gold: str, listed: bool) -> str | None:
    """What keeps a grader from giving the gold full marks; None where it does. One answer of a list is enough."""
    whole = grader in ("json", "tool_call")
    try:
        answers = [gold] if whole else alternatives(gold, listed)
        readable = (answer for answer in answers if whole or not _is_cut(answer))
        return None if any(GRADERS[grader](answer) is not None for answer in readable) else "unreadable_answer"
    except GraderFailedError:
        return "ungraded_answer"


def _is_cut(answer: str) -> bool:
    r"""Whether a formula lost an end: \frac{1}{2 and \left( 2, 3. Code may begin with a brace that it closes."""
    if not _COMMAND.search(answer):
        return False
    plain = answer.replace(r"\{", "").replace(r"\}", "")
    left, right = (len(each.findall(answer)) for each in (_LEFT, _RIGHT))
    return plain.count("{") != plain.count("}") or left < right


def _fitting(golds: pl.DataFrame, most: int = _TRIED) -> tuple[str, list[Message]]:
    """The first grader that reads the golds of nine in ten rows, and what there is to say of the choice."""
    rows = int(golds["len"].sum())
    for name in _AUTO:
        if sum(n for *gold, n in golds.iter_rows() if _trouble(name, *gold) is None) >= _MOST * rows > 0:
            return name, []
    if sum(n for gold, _, n in golds.iter_rows() if _is_mathematical(gold)) < _MOST * rows or not rows:
        return "exact", []
    if find_spec("math_verify") is None:
        return "exact", [
            Message("the golds are formulas: pip install 'datacheck-llm[math]' reads them as math-verify does")
        ]
    tried = _formulas(golds, most)
    counts = {(gold, listed): n for gold, listed, n in golds.iter_rows()}
    if sum(counts[gold] for gold in tried if tried[gold] is None) < _MOST * sum(counts[gold] for gold in tried):
        return "exact", [Message("the golds are formulas, and math-verify does not read nine in ten of them")]
    said = Message(
        "of {every:,} golds that are no numbers {n:,} were given to math-verify",
        every=sum(number(gold) is None for gold in golds["gold"]),
        n=len(tried),
    )
    return "math_verify", [said]


def _fitting_source(golds: pl.DataFrame, whole: str, tried: int) -> str:
    """The grader of one source of a mixture: its own where it reads nearly all golds, or where that of all does not."""
    rows = int(golds["len"].sum())
    for name in _AUTO:
        if sum(n for *gold, n in golds.iter_rows() if _trouble(name, *gold) is None) >= _SURE * rows:
            return name
    if whole == "math_verify":
        read = sum(n for gold, _, n in golds.iter_rows() if _is_mathematical(gold))
    else:
        read = sum(n for *gold, n in golds.iter_rows() if _trouble(whole, *gold) is None)
    return whole if read >= _MOST * rows else _fitting(golds, tried)[0]


def _graders_told(names: Mapping[str | None, str]) -> list[Message]:
    """How golds were read: all in one way, or those of each source in its own."""
    if len({*names.values()}) == 1:
        grader = next(iter(names.values()))
        return [Message("the golds were read as '{grader}'; name the grader that your reward uses", grader=grader)]
    return [
        Message(
            "the golds of {source} were read as '{grader}'; name the grader that your reward uses",
            source=source or "(none)",
            grader=grader,
        )
        for source, grader in names.items()
    ]


@lru_cache(2)
def _tried(golds: tuple[tuple[str, bool], ...]) -> dict[tuple[str, bool], str | None]:
    """What keeps math-verify from giving golds full marks; no result is none here, where nobody named it."""
    found = {gold: _trouble("math_verify", *gold) for gold in golds}
    return {gold: None if trouble == "ungraded_answer" else trouble for gold, trouble in found.items()}


def _formulas(golds: pl.DataFrame, most: int) -> dict[tuple[str, bool], str | None]:
    """Golds that are no numbers, at most so many of them, spread over all, and what math-verify says of them."""
    every = [(gold, listed) for gold, listed, _ in golds.iter_rows() if number(gold) is None]
    count = min(len(every), most)
    return _tried(tuple(every[at * len(every) // count] for at in range(count)))


def _is_mathematical(gold: str) -> bool:
    """Whether a gold is a number, or a formula by its signs; text of several lines is none."""
    return number(gold) is not None or (
        len(gold) <= _LONGEST and "\n" not in gold and _FORMULA.search(gold) is not None
    )


def _not_compared(own: pl.DataFrame) -> list[Message]:
    """Answers of solutions of which nobody knows whether they are the gold."""
    rows = own["agrees"].null_count()
    if not rows:
        return []
    if find_spec("math_verify") is None:
        return [
            Message.plural(
                "the marked answer of {n:,} solution was not held against its gold: needs datacheck-llm[math]",
                "the marked answers of {n:,} solutions were not held against their golds: needs datacheck-llm[math]",
                rows,
            )
        ]
    return [
        Message.plural(
            "the marked answer of {n:,} solution could not be held against its gold: words, or an option's letter",
            "the marked answers of {n:,} solutions could not be held against their golds: words, or letters of options",
            rows,
        )
    ]
