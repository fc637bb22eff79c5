"""The check unfinished_answers."""

import re
from typing import Literal

import jiter
import numpy as np
import polars as pl

from datacheck.check import Check, Feature, Limit, Measured, Message, Metric, Need, View, rates
from datacheck.features.cut_beginnings import Beginnings, headless
from datacheck.features.cut_prompts import PromptEnds, cut_prompts
from datacheck.features.turn_texts import (
    PLACE,
    evidence,
    flagged,
    holds_each,
    last_answers,
    looks_like_code,
    messages,
    of_rows,
    per_kind,
    piecewise,
    texts_of,
)
from datacheck.text.chinese import all_in_both_scripts, each_in_both_scripts, in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.gated import one_of
from datacheck.text.length_peaks import ceiling, heaps
from datacheck.text.views import alone

_LONG = 40  # characters; a shorter answer may well be a word or a label
_SHOWN = 60
_SENTENCES = 2
_WORDS_EN = (
    "an|the|and|or|but|of|to|on|at|for|with|from|by|as|that|which|who|whose|because|if|when|than|into|such"
    "|is|are|was|were|be|will|would|could|should|may|might|has|have|had|your|their|its|our|his|these|those|this"
)
_WORDS_ZH = in_both_scripts(
    "以及|并且|或者|因为|所以|如果|但是|虽然|其中|例如|包括|通过|根据|对于|关于|由于|从而|不仅|而且|因此|将会|应该|并|而|且|或|把|被"
    "|(?:所有|一些|这些|那些|其他|其它|相关|不同|各种|更多|任何|具体|以下|上述|主要)的"
)
# Of the words of English texts 10 to 20 in 100 are of these (measured on four sets), of the ends of clauses hardly any.
# Below 5 in 100 of twenty answers and more, their writers leave the last stop out: of a set that was cut at random
# words, 1 to 12 in 100 such twenties would have none.
_NEEDING = ascii_edges(
    r"\b(?:an?|the|and|or|but|of|to|as|whose|because|if|than|into|such|your|their|its|our)\s*$"  # not "plans for"
)
_FEW_OPEN, _CUT_EN = 20, 0.05
# Prose that has had its stops goes on behind the last one, and ends on a word. Wishes and sums stand without a stop.
_CLAUSE_ZH = r"[。！？][^。！？；;…\n]{6,}\p{Han}\s*$"
_CLAUSE_EN = r"[a-z][.!?] [A-Z][^.!?\n]{20,} [a-z]+\s*$"
_WISH = in_both_scripts(
    r"[。！？，]\s*(?:(?:最\p{Han}{0,3}的)?祝|谢谢|感谢|希望|愿|以上|综上|答|答案|故选|所以选|因此)[^。！？\n]*$"
)
# Where one Chinese answer in ten has clauses and no stop at all, its writers leave the last one out.
_LOOSE, _UNSTOPPED = 0.1, r"^[^。！？]*[，,；、][^。！？]{4,}$"
_FENCE = "```"
_FENCE_AT_EDGE = r"(?m)^[ \t>*+\-\d.]*```|```[\w+#.\-]*[ \t]*$"  # begins a line or ends it; else it is spoken of
# Where each line but the last one ends with a stop and the last one ends on a word, it was cut, unless the set often
# writes so. A signature, an address, a tag, a sum and a list of names stand without one.
_UNSTOPPED_LINE = r"^(?:[^\n]*[.!?。！？…\"'”’」』）)\]】}>`*|~;；:：][^\S\n]*\n\s*)*[^\n]{19,}[a-z\p{Han}]\s*$"
# One by one: joined to one expression they take ten times as long.
_NO_STOP_NEEDED = all_in_both_scripts(
    (
        r"[=#@/\\＃][^\n]*$",
        r"\s[-–—~] ?[^\n]{1,40}$",
        ascii_edges(r"(?i:\b(?:sincerely|regards|yours|love|hope|cheers)\b)[^\n]{1,60}$"),
        ascii_edges(
            r"[.!?]\s?(?:[A-Z][a-z]+ )?(?i:warmly|wishes|blessings|take care|kindly|luck|thanks)\b[^\n]{0,30}$"
        ),
        r"~ ?[A-Z][a-z]+\s*$",
        r"(?:https?://|www\.)\S+\s*$",
        r"[a-z]\.(?:com|org|net|edu|gov|cn|ca|uk|io)(?:/\S*)?\s*$",
        ascii_edges(r"\breturn\b[^\n]*$"),
        r"\w[*_]\w[^\n]*$",
        r"\s>\s?\S+\s*$",
        # titles, and lists of words on one line
        ascii_edges(r"\b[A-Z][a-z]+ (?:[A-Z][a-z]+ ?)+[A-Z][a-z]+\s*$"),
        ascii_edges(
            r"\b[A-Z][a-z]+:? (?:(?:[A-Z][a-z]+|of|the|an?|in|on|and|for|to|with|from|by),? )+"
            r"[A-Z][a-z]+ [A-Z][a-z]+\s*$"
        ),
        r"(?:^|\n)(?:(?:[A-Z0-9][\w'’-]*:?|of|the|an?|in|on|at|and|or|for|to|with|from|by),? )+[A-Z][\w'’-]+\s*$",
        r"(?:[^,\n.]{1,20}, ){4}[^,\n.]{1,20}\s*$",
        r": (?:[\w-]+, )+[\w-]+\s*$",
        r"[。！？，]\s*(?:最\p{Han}{0,3}的)?祝[^。！？\n]{1,20}$",  # 最好的祝福，艾米丽
        r"(?:除外|[0-9]室|窗口)\s*$",  # hours and places of an office: 法定节假日除外, 三楼1525室
        r"\s\.[a-z]{2,6}\s*$",
        r"(?:^|\n)\s*(?:以上|总之|综上)[^\n]*$",
        r"(?:等|、[^\n。，]{1,12})\s*$",
        ascii_edges(r"^(?i:[-*•>|#]|(?:title|titel|subject|标题|题目)\b)"),
    )
)
_BOXED = r"\\boxed\{"
_BOX = r"\\boxed\{(?:\s*\}[^\\]*|[^{}]*)$"  # the last one is empty, or was never closed
# Code that leaves out what the reader has: "# … rest of the code", "// existing code".
_ELIDED = ascii_edges(
    r"(?:#|//|/\*|<!--|\.\.\.|…)[ \t]*\(?(?:\.\.\.|…)?[ \t]*\(?(?i:(?:the )?rest of (?:the|your) (?:\w+ )?"
    r"(?:code|function|class|file|script|implementation|program|logic)\b|(?:your )?existing code\b"
    r"|(?:the )?remaining code\b)"
    r"|(?:#|//|/\*|<!--|\.\.\.|…)[ \t]*(?:其余|剩余|其他|此处省略|省略)[^\n]{0,6}代码"
    r"|(?:#|//)[^\n]{0,12}代码(?:省略|同上|保持不变)"
)
_ELISIONS = one_of(["est of the ", "est of your ", "xisting code", "emaining code", "代码"])
_JSON_FENCE = re.compile(r"```json[ \t]*\n(.*?)```", re.DOTALL)
_NO_JSON = re.compile(r"\.\.\.|…|//|#|<|\{\{|/\*")  # comments and places to fill in are meant for readers
_MEMBERS = re.compile(r'\s*"[^"\n]*"\s*:')
_TAIL = 64  # characters at the end of an answer that are looked at first
# Chinese that was cut ends anywhere in a clause, as often on two characters that end clauses as any two of the set do
# (37 % and 51 % in sets of 900 and 3,000 answers). Where writers leave the last stop out, it is as often as at other
# ends of clauses (68 % and 94 %, their own answer left out). What is nearer to these is not cut.
_OPEN_ONES, _READ = 20, 3_000
# Ends of English answers that are no word of another text: 0 to 9 in 100 of whole ones, 34 to 60 of cut ones.
_TORN, _TORN_SHARE, _RARER = 5, 0.25, 2
_CLAUSE_ENDS = r"\p{Han}{2}[。！？；，,!?;]"
_HABIT = 0.05  # share of answers from which on a last line without a stop is how the set is written
_FORMULAS = "cases|aligned|align|array|[pbvBV]?matrix|equation|gather|gathered|split"  # environments of amsmath
_JSON = r"^\s*(?:\{\s*\"|\[\s*[{\"\[])"
_DASHES = r"(?s)^.*\n[ \t]*(\|(?:[ \t]*:?-+:?[ \t]*\|){2,})[ \t]*(?:\n[ \t]*\|[^\n]*)+\s*$"  # of a table at the end
_STOPPED = r"[.!?。！？…\"'”’」』）)\]】}>`*|~]\s*$"  # how texts end that are not cut, code and tables among them
# A limit falls on a stop now and then; where many answers of that length have one, the texts of a template have it.
_BY_CHANCE = 0.25
_DOTS = r"(?:\.\.\.|…)\s*$"
_SHORTEST = 100  # characters from which on equal lengths are no accident of short texts
# What no answer ends with. A semicolon ends code, a closing quote a quotation, 的 a statement: they are no signs.
_ITEM, _FIRST_ITEM = r"\n\s*\d{1,2}[.．、)]\s*$", r"(?m)^\s*1[.．、)] ?\S"  # the next number of a list, and nothing
_ENDS = each_in_both_scripts(
    {
        "open_end": r"(?:[,，、（\[【{《“‘]|[^:;=\-']\()\s*$",  # no smiley: ":-("
        "told": (  # it says so
            r"[\[(（【](?:(?i:output |text |response )?(?i:truncated|cut off)"
            r"|[^\n\])）】]{0,12}(?:篇幅|长度|字数)(?:所限|限制)[^\n\])）】]{0,20}"
            r"|此处省略[^\n\])）】]{0,12}|未完待续"
            r"|(?i:(?:to be )?continu(?:e|ed|es) in (?:the )?next (?:message|part|reply))[.…]{0,3})"
            r"[\])）】]\s*$|请(?:回复|输入)[“\"]?继续[”\"]?[。.]?\s*$"
        ),
        "open_word": rf"(?:\p{{Han}}(?:{_WORDS_ZH})|[a-z,] (?:{_WORDS_EN}))\s*$",
    }
)


# The columns of Endings that say what holds of an answer.
_OF_ENDINGS = (
    "plain", "open_code", *_ENDS, "clause_zh", "clause_en", "needing", "open_item", "open_json", "open_table",
    "open_formula", "no_result", "elided", "broken_json", "chinese", "bare_line", "needs_stop", "clauses", "unstopped",
    "stopped", "dots",
)  # fmt: skip


class UnfinishedAnswers(Check):
    r"""Share of rows whose last answer stops in the middle: in a code block, behind a comma, in a clause.

    Counted are a fence that is opened and not closed, a comma, an opening bracket or the bare number of an item at
    the end, a word that needs another one (of, and, 以及), a last word that says so ([truncated], 由于篇幅限制), in
    prose of at least two sentences a last clause without a stop, a last line without one where every other line has one
    (unless one answer in twenty is written so), letters that are no word of another text, where many answers end on
    such (`cut_word`), JSON that is not closed, a table whose last row lacks cells, a formula whose `\begin{cases}`
    (aligned, matrix …) has no `\end`, a last `\boxed{}` that is empty or not closed, code that says "rest of the
    code" instead of it (`elided`), and a fence of JSON that does not parse (`broken_json`).
    Where 20 Chinese answers and more have no last stop and end on characters that end clauses elsewhere, nearly as
    often as clauses do, their writers leave it out: last clauses and lines without one are not judged. Nor are English
    ones where of twenty and more hardly any (5 %) ends on a word that needs another one (the, of), as 10 to 20 % of all
    words are.
    Elsewhere a missing full stop is no sign: lists, titles and code end without one. Short answers (below 40
    characters) are judged for fences and boxes only. In pairs only the chosen one counts. Answers without a stop are
    counted apart (`cut_length`) that have one length far more often than lengths nearby, or that are the longest ones,
    of nearly one size (ten and more, where shorter ones do end): a limit of characters or tokens cut them.

    `headless` counts prompts and last answers whose beginning is lost: a mark that ends a clause (“，”, “。”, ")")
    comes first, or a small letter where the other sentences, and nearly all other texts, begin with a capital. A
    prompt with a small letter must begin with a word that goes on (of, than, which). Two texts and more that begin
    inside a word (ntial, 的方法) were cut anywhere. Two answers and more that begin
    as a later sentence does (Furthermore, 综上所述) have lost their first one, or their sentences are out of order.

    `cut_prompt` counts prompts that end on a word that goes on (of, the, 以及), where nearly all others end with a
    sign.
    """

    metrics = {
        "rate": Metric(
            "rows whose last answer has no end",
            "share",
            of="rows",
            limit=Limit(warn_max=0.005),
            why="some answers end openly on purpose; above 1 row in 200 a limit cut them",
        ),
        "cut_length": Metric(
            "rows whose last answer has no stop and, by its length, was cut at a limit",
            "share",
            "rows",
            Limit(warn_max=0),
            why="such lengths are mostly a limit of tokens, but not surely",
        ),
        "headless": Metric(
            "rows whose prompt or last answer begins in the middle",
            "share",
            "rows",
            Limit(warn_max=0),
            why="found by its first characters, where hardly any other text begins so; some people write so",
        ),
        "cut_prompt": Metric(
            "rows whose prompt stops in the middle",
            "share",
            "rows",
            Limit(warn_max=0),
            why="its last word needs another one, and nearly all other prompts end with a sign; a few are meant so",
        ),
    }

    reads = "answer"
    check: Literal["unfinished_answers"] = "unfinished_answers"

    def needs(self) -> tuple[Need, ...]:
        """How answers end, how they begin, and how prompts end."""
        return Need(Endings()), Need(Beginnings()), Need(PromptEnds())

    def measure(self, data: View) -> Measured:
        """Look at the end of the last answer of each row."""
        last = data[Need(Endings())].drop("part", "role", "turn", "path").collect().lazy()
        stopped = not (_leaves_stops_out(last) or _ends_as_clauses(data, last))
        stopped_en = not _ends_without_words(last)
        never = pl.lit(value=False)
        clause = (pl.col("clause_en") if stopped_en else never) | (pl.col("clause_zh") if stopped else never)
        kinds = {
            "open_code": pl.col("open_code"),
            **{kind: pl.col(kind) for kind in _ENDS},
            "open_word": pl.col("open_word") & (stopped_en | pl.col("chinese") | pl.col("needing")),
            "open_clause": clause & ~pl.col("open_word"),
            "open_item": pl.col("open_item"),
            "open_json": pl.col("open_json"),
            "open_table": pl.col("open_table"),
            "open_formula": pl.col("open_formula"),
            "no_result": pl.col("no_result"),
            "elided": pl.col("elided"),
            "broken_json": pl.col("broken_json"),
        }
        judged = (pl.col("chinese") & stopped) | (~pl.col("chinese") & stopped_en)
        lines = _open_line(last.filter(judged))
        kinds["open_line"] = pl.col("row").is_in(lines.implode()) & ~pl.any_horizontal(*kinds.values())
        torn = pl.col("row").is_in(_inside_words(data, last).implode())
        kinds["cut_word"] = torn & ~pl.any_horizontal(*kinds.values())
        cut, shown = _piled(last)
        at_limit = pl.col("length").is_in(cut.implode()) & ~pl.col("stopped")
        least = _ceiling(last)
        over = never if least is None else (pl.col("bytes") >= least) & ~pl.col("stopped")
        kinds["cut_length"] = at_limit | over | (pl.col("length").is_in(shown.implode()) & pl.col("dots"))
        odd = last.filter(pl.any_horizontal(*kinds.values()))
        found = flagged(of_rows(data[Need(Endings())], odd), kinds)
        end = pl.format("…{}", pl.col("text").str.strip_chars_end().str.slice(-_SHOWN))
        ends = evidence(found, texts_of(data, plain=False)).with_columns(text=end)
        heads = headless(data).with_columns(detail=pl.lit(None, pl.String))
        begins = evidence(heads, texts_of(data, plain=False)).with_columns(text=pl.col("text").str.head(_SHOWN))
        prompts = cut_prompts(data).with_columns(detail=pl.lit(None, pl.String))
        stops = evidence(prompts, texts_of(data, plain=False)).with_columns(text=end)
        loose = Message("Chinese answers often have no last stop; last clauses and lines without one were not judged")
        loose_en = Message(
            "English answers often have no last stop; last clauses and lines without one were not judged"
        )
        of_limit = pl.col("problem") == "cut_length"
        return Measured(
            (
                *rates("rate", found.filter(~of_limit), data.rows, by=self.by, rows=data.rows),
                *rates("cut_length", found.filter(of_limit), data.rows, by=self.by, rows=data.rows),
                *rates("headless", heads, data.rows, by=self.by, rows=data.rows),
                *rates("cut_prompt", prompts, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat([ends, begins, stops]),
            figures={"kinds": per_kind(pl.concat([found, heads, prompts], how="diagonal_relaxed"))},
            not_checked=(*(() if stopped else (loose,)), *(() if stopped_en else (loose_en,))),
        )


class Endings(Feature):
    """What is to be known of the last answer of each row, without its text.

    `open_code` … `no_result`: the kinds that one answer shows by itself (of clauses by language). `plain`: prose long
    enough to be judged; `chinese`: how it ends; `bare_line`: only its last line has no stop, and `needs_stop`: it
    should have one. `clauses`: Chinese of several clauses, `unstopped`: without any stop.
    """

    columns = {
        **PLACE, "length": pl.UInt32, "bytes": pl.UInt32, "hash": pl.UInt64, **dict.fromkeys(_OF_ENDINGS, pl.Boolean),
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the last characters first, and at a whole text only where these say so."""
        return alone(_endings(messages(part.turns)).select(*self.columns).collect())


def _endings(texts: pl.LazyFrame) -> pl.LazyFrame:
    last = last_answers(texts)
    text, end = pl.col("text"), pl.col("end")
    fences, length = text.str.count_matches(_FENCE, literal=True), text.str.len_chars()
    last = last.with_columns(fences=fences, length=length, end=text.str.tail(_TAIL))
    table = last.with_columns(plain=(pl.col("fences") == 0) & (pl.col("length") >= _LONG)).collect()
    clauses = text.str.contains(r"\p{Han}[，,；、。]\s*\p{Han}")
    bare_line = pl.col("plain"), end.str.contains(r"[a-z\p{Han}]\s*$"), text.str.contains(_UNSTOPPED_LINE)
    table = table.with_columns(**holds_each(table, {"bare_line": bare_line, "clauses": (clauses,)}))
    return table.lazy().select(
        "row", "part", "role", "turn", "path", "length", "plain", "bare_line", "clauses", bytes=text.str.len_bytes(),
        **holds_each(table, _conditions()),
        broken_json=_broken_json(table["text"]),
        stopped=text.str.contains(_STOPPED),
        dots=text.str.contains(_DOTS),
        hash=text.hash(),
    )  # fmt: skip


def _conditions() -> dict[str, tuple[pl.Expr, ...]]:
    """What must hold of an answer of each kind, the cheapest first."""
    text, end, plain = (pl.col(name) for name in ("text", "end", "plain"))
    bare, sentences_en = pl.col("fences") == 0, text.str.count_matches(r"[a-z][.!?]\s") >= _SENTENCES
    return {
        "open_code": (pl.col("fences") > 0, *_open_fence(text)),
        **{kind: (plain, text.str.contains(pattern)) for kind, pattern in _ENDS.items()},
        "clause_zh": (plain, *_clause_zh(text)),
        "clause_en": (plain, text.str.contains(_CLAUSE_EN), sentences_en),
        "needing": (plain, end.str.contains(_NEEDING)),
        "open_item": (plain, end.str.contains(_ITEM), text.str.contains(_FIRST_ITEM)),
        "open_json": (bare, *_open_json(text)),
        "open_table": (bare, end.str.contains(r"\|[^\n]*\s*$"), *_open_table(text)),
        "open_formula": (text.str.contains(r"\begin{", literal=True), *_open_formula(text)),
        "no_result": (text.str.contains(_BOXED), text.str.contains(_BOX)),
        "elided": (text.str.contains(_ELISIONS), text.str.contains(_ELIDED)),
        "chinese": (plain, end.str.contains(r"\p{Han}[^\n]{0,9}\s*$")),
        "needs_stop": (pl.col("bare_line"), *_needs_stop(text)),
        "unstopped": (pl.col("clauses"), text.str.contains(_UNSTOPPED)),
    }


def _clause_zh(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Chinese prose that goes on behind its last stop, and is no wish at the end of a letter."""
    stops = text.str.count_matches("[。！？]") >= _SENTENCES
    return text.str.contains(_CLAUSE_ZH), stops, ~text.str.contains(_WISH)


def _needs_stop(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Whether a last line without a stop is none of those that stand without one."""
    return *(~text.str.contains(each) for each in _NO_STOP_NEEDED), ~looks_like_code(text)


def _open_fence(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Whether a fence is opened and not closed: not one that a sentence speaks of ('```json'), or code in a line."""
    return (text.str.replace_all(r"```[^`\n]*```", "").str.count_matches(_FENCE_AT_EDGE) % 2 == 1,)


def _open_json(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Whether a text begins as JSON does, and more is opened in it than closed."""
    opened, closed = text.str.count_matches(r"[{\[]"), text.str.count_matches(r"[}\]]")
    return text.str.contains(_JSON), ~text.str.contains(r"[}\]]\s*$"), opened > closed


def _open_table(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Whether the last line is a row of a Markdown table with fewer cells than the line of dashes under its head."""
    head, last = text.str.extract(_DASHES), text.str.extract(r"\n[ \t]*(\|[^\n]*)\s*$")
    return (last.str.count_matches("|", literal=True) < head.str.count_matches("|", literal=True),)


def _open_formula(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Whether an environment of a formula is opened more often than closed; those of documents are shown in parts."""
    opened, closed = (text.str.count_matches(rf"\\{side}\{{(?:{_FORMULAS})\*?\}}") for side in ("begin", "end"))
    return (opened > closed,)


def _broken_json(texts: pl.Series) -> pl.Series:
    """Which texts have a closed fence of JSON that is none: neither one value nor one in each line."""
    fenced = texts.str.contains("```json", literal=True).fill_null(value=False)
    broken = [any(map(_is_broken, _JSON_FENCE.findall(text))) for text in texts.filter(fenced)]
    return pl.repeat(False, len(texts), dtype=pl.Boolean, eager=True).scatter(fenced.arg_true(), broken)


def _is_broken(block: str) -> bool:
    if not block.strip() or _NO_JSON.search(block):
        return False
    if _MEMBERS.match(block):  # "require": {…}, the place of a file that is spoken of
        block = f"{{{block.strip().removesuffix(',')}}}"
    return not (_parses(block) or all(map(_parses, block.strip().splitlines())))


def _parses(text: str) -> bool:
    try:
        jiter.from_json(text.encode())
    except ValueError:
        return False
    return True


def _open_line(last: pl.LazyFrame) -> pl.Series:
    """The rows of which only the last line has no stop, in the script of whose answers few are written so."""
    counts = last.filter("plain").group_by("chinese").agg(pl.len(), open=pl.col("bare_line").sum()).collect()
    rare = counts.filter(pl.col("open") <= _HABIT * pl.col("len"))["chinese"]
    return last.filter("needs_stop", pl.col("chinese").is_in(rare.implode())).collect()["row"]


def _inside_words(data: View, last: pl.LazyFrame) -> pl.Series:
    """The rows of English answers that end inside a word: their last letters are no word of any other text.

    None where it is a quarter of such ends at most, or where the words before them are as rare: titles have names.
    """
    bare = last.filter("plain", ~pl.col("stopped"), ~pl.col("chinese"))
    rows = bare.select(pl.col("row").cast(pl.UInt64)).collect()
    none = rows["row"].clear()
    if rows.height < _OPEN_ONES // 2:
        return none
    ends = last_answers(of_rows(texts_of(data, plain=False), rows.lazy()))
    groups = pl.col("text").str.extract_groups(r"([a-z]+) ([a-z]+)\s*$").struct.rename_fields(["before", "word"])
    pairs = ends.select("row", groups.alias("pair")).unnest("pair").drop_nulls().collect()
    looked = pl.concat([pairs["before"], pairs["word"]]).unique()
    counts = piecewise(data, lambda turns: _words(turns, looked)).group_by("word").len("texts").collect()
    known, again = counts["word"], counts.filter(pl.col("texts") > 1)["word"]
    torn = pairs.filter(~pl.col("word").is_in(known.implode()), pl.col("word").is_unique())
    rare = pairs.filter(~pl.col("before").is_in(again.implode())).height
    often = torn.height >= _TORN and torn.height >= _TORN_SHARE * pairs.height and torn.height >= _RARER * rare
    return torn["row"].cast(pl.UInt64) if often else none


def _words(turns: pl.LazyFrame, looked: pl.Series) -> pl.LazyFrame:
    """`row`, `word`: which of some words stand in a text, and not at its end."""
    words = pl.col("text").str.extract_all("[a-z]+[^a-z]")
    each = messages(turns).head(_READ).select("row", word=words).explode("word").drop_nulls()
    return (
        each.with_columns(pl.col("word").str.extract("([a-z]+)"))
        .filter(pl.col("word").is_in(looked.implode()))
        .unique()
    )


def _piled(last: pl.LazyFrame) -> tuple[pl.Series, pl.Series]:
    """The lengths at which answers without a stop, and hardly any with one, pile up; each text counts once.

    And those at which answers that end with dots do, as a table shows what is too long for it (`max_colwidth`).
    """
    every = last.unique("hash").select("length", "stopped", "dots").collect()
    dots, long = every.filter("dots"), every.filter(pl.col("length") >= _SHORTEST)
    piles = heaps(long.filter(~pl.col("stopped"))["length"].to_numpy().astype(np.int64), shortest=_SHORTEST)
    there = long.filter(pl.col("length").is_in(pl.Series(piles).implode())).group_by("length")
    cut = there.agg(pl.col("stopped").mean()).filter(pl.col("stopped") <= _BY_CHANCE)["length"]
    shown = heaps(dots["length"].to_numpy().astype(np.int64), shortest=_LONG)
    return cut, pl.Series(shown, dtype=cut.dtype)


def _ceiling(last: pl.LazyFrame) -> int | None:
    """The bytes from which on answers without a stop were cut by a limit of tokens; each text counts once."""
    long = last.unique("hash").filter(pl.col("length") >= _SHORTEST).select("bytes", "stopped").collect()
    return ceiling(long["bytes"].to_numpy().astype(np.int64), ~long["stopped"].to_numpy())


def _leaves_stops_out(last: pl.LazyFrame) -> bool:
    """Whether Chinese answers of several clauses often have no stop at all."""
    share = last.filter("clauses").select(pl.col("unstopped").mean()).collect().item()
    return share is not None and share > _LOOSE


def _ends_as_clauses(data: View, last: pl.LazyFrame) -> bool:
    """Whether many Chinese answers have no last stop, and end as clauses do elsewhere: their writers leave it out."""
    bare = pl.col("clause_zh") | (pl.col("needs_stop") & pl.col("chinese"))
    rows = last.filter(bare).select(pl.col("row").cast(pl.UInt64)).collect()
    if rows.height < _OPEN_ONES:
        return False
    closed = piecewise(data, lambda turns: _pairs(turns, _CLAUSE_ENDS)).unique().collect()
    known = closed["pair"].unique().implode()
    again = closed.filter(pl.len().over("pair") > 1)  # in other answers as well
    usual = piecewise(data, lambda turns: _pairs(turns, r"\p{Han}{2}")).select(pl.col("pair").is_in(known).mean())
    ends = last_answers(of_rows(texts_of(data, plain=False), rows.lazy())).select(
        pl.col("text").str.extract(r"(\p{Han}{2})\s*$")
    )
    closing: float | None = ends.select(pl.col("text").drop_nulls().is_in(known).mean()).collect().item()
    by_chance = usual.collect().item() or 0
    return closing is not None and closing - by_chance >= again.height / max(closed.height, 1) - closing


def _pairs(turns: pl.LazyFrame, pattern: str) -> pl.LazyFrame:
    """`row`, `pair`: the first two characters of what matches in some answers of a part."""
    some = last_answers(messages(turns)).head(_READ).select("row", pair=pl.col("text").str.extract_all(pattern))
    return some.explode("pair").drop_nulls().with_columns(pl.col("pair").str.head(2))


def _ends_without_words(last: pl.LazyFrame) -> bool:
    """Whether English answers that look open hardly ever end on a word that needs another one: none was cut."""
    looks_open = pl.col("clause_en") | pl.col("open_word") | pl.col("needs_stop")
    counts = last.filter(looks_open, ~pl.col("chinese")).select(pl.len(), needing=pl.col("needing").sum())
    found, needing = counts.collect().row(0)
    return bool(found >= _FEW_OPEN and needing < _CUT_EN * found)
