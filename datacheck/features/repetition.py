"""Texts that say one thing over and over."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.turn_texts import looks_like_code, of_rows, turn_texts, without_code
from datacheck.text.classes import SIGNS
from datacheck.text.edges import ascii_edges
from datacheck.text.gated import contains_run
from datacheck.text.kernels import repeating
from datacheck.text.keys import TESTS
from datacheck.text.prose import top_key
from datacheck.text.repetition import top_coverage
from datacheck.text.views import alone

_END = r"\n|[。！？!?；;]|\.\s"
_SHORTENED = ascii_edges(r"\b(vs|[MD]rs?|Ms|St|No|Inc|Jr|Sr|Fig|Eq|[ei]\.[eg])\.\s")  # this point ends no sentence
_LINE_BYTES = 12  # four Han characters, two or three words; shorter lines may repeat ("}", "A: yes")
_SHORT = 100  # characters; a shorter text is not looked at
_SURE = 0.7  # so much of a short text is enough
_TURN_BYTES = 60  # 20 Han characters; "You're welcome!" is said twice by right
_PROMPT_BYTES = 30  # of a half of a question: who asks does not sing
# Neither commas (empty cells of a table) nor question marks (of a lost encoding: garbled_text).
_SIGNS_IN_A_ROW = "|".join(f"{sign}{{8,}}" for sign in "。！？，、；：!;")
_EMOJI = r"\p{Extended_Pictographic}{16,}"
_OF_EMOJI = bytes([*range(0x80, 0xC0), 0xC2, 0xE2, 0xE3, 0xF0]).decode("latin-1")  # all their bytes, two each or more
# In JSON the keys of each object are the same; what repeats is its values.
_JSON, _KEYS = r"^\s*[\[{](?s:.*)[\]}]\s*$", r'"[^"\n]{1,60}"\s*:'
_COMMAND = r"\\[A-Za-z]+"  # \overrightarrow of a formula with many vectors: one sign on the page
_END_OF_TEXT = 800  # characters in which a loop is looked for that goes on to the end of a text
_SAME = 4  # last characters, which then stand there three times; few texts are split that hold none
_PART, _PART_OF_CODE = 5, 2  # a repeated line makes up a fifth of the text; programs call one function many times


class Repetition(Feature):
    """`row`, `path`, `problem`, `score`, `text` of the texts that a model learns to say and that repeat themselves.

    `repeated_ngram`: the most frequent n-gram of characters covers more than `share` of the text, and `characters`
    of them or nearly all; commands of LaTeX and keys of JSON aside. `repeated_line`: a line or sentence more than
    `lines` times, and a fifth of the text (half of a program without a fence).
    `repeated_end`: one sentence three times and nothing behind it, as a model ends that cannot stop.
    `repeated_sign`: eight of one sign in a row, or sixteen emoji. `same_turn`: an answer that an earlier turn gave.
    `said_twice`: all of a text stands in it twice; `asked_twice`: all of what a user says. Code in Markdown, and for
    the others signs and white space, do not count. `score`: the share, or how many times.
    """

    columns = {"row": pl.UInt32, "path": pl.String, "score": pl.Float64, "problem": pl.String, "text": pl.String}

    n: int
    share: float
    characters: int
    lines: int

    def compute(self, part: View) -> pl.DataFrame:
        """Look at both kinds."""
        said = turn_texts(part, thoughts=True)
        learnt = said.filter(_learnt()).select("row", "path", "role", "text").collect().lazy()  # asked again and again
        texts = learnt.select("row", "path", "text").filter(
            pl.col("text").str.len_chars() >= min(_SHORT, self.characters)
        )
        table = texts.with_columns(text=without_code(pl.col("text"), unclosed=False)).collect()
        looped = [self._ngrams(table), self._lines(table), _signs(learnt)]
        asked = said.filter(pl.col("part") == "prompt", pl.col("role") == "user")
        ways = (
            _twice(learnt, _TURN_BYTES, "said_twice"),
            _twice(asked, _PROMPT_BYTES, "asked_twice"),
            _at_the_end(table),
        )
        twice = pl.concat(ways).unique(["row", "path"], keep="first", maintain_order=True)
        found = [*looped, _turns(learnt), twice.join(pl.concat(looped), on=["row", "path"], how="anti")]
        every = pl.concat(found).sort("row", maintain_order=True)
        texts = of_rows(said, every.lazy()).select("row", "path", "text").unique(["row", "path"], keep="first")
        return alone(every.join(texts.collect(), on=["row", "path"], maintain_order="left"))

    def _ngrams(self, table: pl.DataFrame) -> pl.DataFrame:
        least = min(_SHORT, self.characters)
        likely = table[repeating(table["text"], self.n, self.share, least, signs=False)]
        text = pl.col("text")
        values = pl.when(text.str.contains(_JSON)).then(text.str.replace_all(_KEYS, " ")).otherwise(text)
        values = values.str.replace_all(_COMMAND, " ")
        words = likely.select("row", "path", text=values.str.replace_all(SIGNS, " "))
        shares = top_coverage(words["text"], self.n, self.share, least)
        covered = words.with_columns(score=pl.Series(shares, dtype=pl.Float64))
        score, size = pl.col("score"), pl.col("text").str.len_chars()
        much = (score * size >= self.characters) | (score > _SURE)
        return covered.filter((score > self.share) & much).select(
            "row", "path", "score", problem=pl.lit("repeated_ngram")
        )

    def _lines(self, table: pl.DataFrame) -> pl.DataFrame:
        several = table.with_row_index("text_number").filter(pl.col("text").str.count_matches(_END) > self.lines)
        lines = pl.col("text").str.replace_all(_SHORTENED, "$1 ").str.replace_all(_END, "\n").str.split("\n")
        single = several.select("text_number", line=lines).explode("line", empty_as_null=False)
        single = single.with_columns(line=pl.col("line").str.replace_all(SIGNS, " ").str.strip_chars())
        single = single.filter(pl.col("line").str.len_bytes() >= _LINE_BYTES)
        repeated = single.group_by("text_number", "line", maintain_order=True).len().filter(pl.col("len") > self.lines)
        repeated = repeated.join(several, on="text_number", maintain_order="left")
        size, part = pl.col("text").str.len_bytes(), pl.col("line").str.len_bytes() * pl.col("len")
        repeated = repeated.filter(part * _PART > size)
        repeated = repeated.filter(~looks_like_code(pl.col("text")) | (part * _PART_OF_CODE > size))
        most = repeated.group_by("row", "path", maintain_order=True).agg(score=pl.col("len").max().cast(pl.Float64))
        return most.select("row", "path", "score", problem=pl.lit("repeated_line"))


def _at_the_end(table: pl.DataFrame) -> pl.DataFrame:
    """The texts whose last sentence stands there three times in a row; the last time it may be cut."""
    text, said = pl.col("text"), pl.element()
    tail = text.str.tail(_END_OF_TEXT).str.replace_all(_SHORTENED, "$1 ").str.replace_all(_END, "\n")
    last = text.str.strip_chars_end().str.tail(_SAME)
    likely = table.filter(text.str.tail(_END_OF_TEXT).str.count_matches(last, literal=True) > 2)
    long = likely.lazy().select("row", "path", lines=tail.str.split("\n"))
    plain = said.str.replace_all(SIGNS, " ").str.strip_chars()
    listed = long.with_columns(pl.col("lines").list.eval(plain.filter(plain != "")).list.tail(4)).collect().lazy()
    at = {n: pl.col("lines").list.get(-n, null_on_oob=True) for n in (1, 2, 3, 4)}
    looped = (at[2] == at[3]) & ((at[1] == at[2]) | (at[2].str.starts_with(at[1]) & (at[3] == at[4])))
    found = listed.filter(looped.fill_null(value=False), at[2].str.len_bytes() >= _LINE_BYTES).collect()
    code = table.join(found, on=["row", "path"], how="semi").filter(looks_like_code(text))
    found = found.join(code, on=["row", "path"], how="anti", maintain_order="left")
    return found.select("row", "path", score=pl.lit(3.0), problem=pl.lit("repeated_end"))


def _signs(learnt: pl.LazyFrame) -> pl.DataFrame:
    """The texts, however short, with one sign many times in a row."""
    text = pl.col("text")
    several = text.str.contains(_SIGNS_IN_A_ROW) | contains_run(text, _OF_EMOJI, 2 * 16, _EMOJI)
    found = learnt.filter(several).with_columns(text=without_code(pl.col("text"), unclosed=False)).filter(several)
    score = pl.col("text").str.extract(f"({_SIGNS_IN_A_ROW}|{_EMOJI})").str.len_chars().cast(pl.Float64)
    return found.select("row", "path", score=score, problem=pl.lit("repeated_sign")).collect()


def _turns(learnt: pl.LazyFrame) -> pl.DataFrame:
    """The answers of a row that stand in it several times, but for the first ones."""
    said = learnt.filter(pl.col("role") == "assistant", pl.col("text").str.len_bytes() >= _TURN_BYTES)
    said = said.select("row", "path", text=pl.col("text").str.strip_chars().hash()).filter(
        pl.col("row").is_duplicated()
    )
    same = ("row", "text")
    again = said.filter(~pl.struct(same).is_first_distinct()).with_columns(score=pl.len().over(same) + 1.0)
    return again.select("row", "path", "score", problem=pl.lit("same_turn")).collect()


def _twice(texts: pl.LazyFrame, half_bytes: int, problem: str) -> pl.DataFrame:
    """The texts whose second half says what the first one says, white space between them aside."""
    text, half = pl.col("text"), pl.col("text").str.len_chars() // 2
    long = texts.filter(text.str.len_bytes() >= 2 * half_bytes).collect().lazy()
    same = text.str.head(half).str.strip_chars() == text.str.tail(half).str.strip_chars()
    first, quarter = text.str.head(half).str.strip_chars(), half // 2
    looped = first.str.head(quarter).str.strip_chars() == first.str.tail(quarter).str.strip_chars()
    both = long.filter(same).collect().lazy()  # in one query polars would look at the quarters of all texts
    found = both.filter(~looped | (pl.col("role") == "assistant"))
    return found.select("row", "path", score=pl.lit(2.0), problem=pl.lit(problem)).collect()


def _learnt() -> pl.Expr:
    """Answers and plain texts. A prompt may repeat itself (examples), as may tests, and what is there to be avoided."""
    answers = pl.col("part").is_in(["response", "chosen", "answer", "text"]) & ~top_key().is_in(TESTS)
    return answers | ((pl.col("part") == "prompt") & pl.col("role").eq_missing("assistant"))
