"""The check language_mismatch."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import (
    Check,
    Feature,
    Limit,
    Measured,
    Message,
    Metric,
    Need,
    View,
    learnt,
    rates,
    saying,
    total,
    word,
)
from datacheck.features.languages import Languages, words
from datacheck.features.turn_texts import looks_like_code, of_rows, turn_texts, without_code
from datacheck.i18n.message import ids
from datacheck.text import latin
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_SCRIPTS = ("han", "kana", "hangul", "latin", "cyrillic", "arabic", "thai", "devanagari", "hebrew", "greek")
_NAMES = ids(
    "Chinese", "Japanese", "Korean", "English", "Cyrillic letters", "Arabic letters", "Thai", "Devanagari", "Hebrew",
    "Greek",
)  # fmt: skip
_LATIN_NAMES = ids("German", "French", "Spanish", "Portuguese", "Italian", "Dutch")
_SHORT = "short"
_SIDES = ("asked", "script")
_SEVERAL = 30  # answers of one pair of languages from which on their lengths are compared with those of the questions
_ALIKE = 0.7  # correlation
_MOSTLY = 0.85  # of the words of a text are in its script
_KANA = 0.1  # a smaller share of kana among Han and kana is a name or a sign in Chinese
_ASKED = 5  # words of a question from which on it is in a language
_FOREIGN = 2  # words of a question in the script of the answer: more may be a text to work on
_TOLD = 15  # words of a system prompt that set the language
_LONG, _STOP = 15, r"[.!?。！？][\"”’」』)）]?\s*$"  # words; a shorter answer without a stop may be a title or a name
_COMMON = 0.12  # share of these among the words of English prose; code, names and formulas have fewer
_ENGLISH = ascii_edges(
    r"(?i)\b(?:the|of|and|to|in|is|are|was|be|that|for|it|with|as|on|by|this|from|or|at|can|an?|you|your|not|have|if"
    r"|what|how|do|does|which|who|why|when|where|i|me|my|we|they|there)\b"
)
# Of them those that no other language here has: "Onde está a Estrela da Morte?" has an "a", "Was ist das?" a "was".
_ONLY_ENGLISH = ascii_edges(
    r"(?i)\b(?:the|and|to|are|be|that|it|with|by|this|from|at|can|your?|not|have|if|what|how|does|which|who|why|when|where"
    r"|my|they|there)(?:[^0-9A-Z_À-ɏ]|$)"  # até and notícia do not begin with English words
)
# Words with which a prompt names a language, translation, or a text that is written in another one.
_THOUGHT = r"(?s)^.*</think>"
_ACCENTED = r"[¿¡]|[ß-öø-ÿ].*[ß-öø-ÿ]"  # ¿Cómo se utiliza en ganadería? has too few words to tell its language
_NOT_LATIN = r"[^\x00-\x{24F}\p{P}\p{S}]{2}"
_STRAY = ("han", "kana", "hangul", "cyrillic")
_APART = (
    r"[(（\[【《「『“\"‘'][^)）\]】》」』”\"’'\n]{0,80}[)）\]】》」』”\"’']"  # a name in its own script, a quotation
)
_SLIP = (
    r"[\p{Han}，。、a-z,] ?(?:\p{Cyrillic}{3,}|\p{Hangul}{2,}|[\p{Hiragana}\p{Katakana}]{3,}) ?[\p{Han}，。、a-z\p{L}]"
    r"|[a-z,] \p{Han}{1,4} [a-z]"
)
_PLACES = ascii_edges(
    r"|(?i:china|japan|korea|taiwan|hong kong|asia|russia|ukrain|soviet|moscow|tokyo|beijing|anime|manga|kanji|tea\b)"
    r"|日本|韩国|俄罗斯|苏联|东京|首尔|莫斯科|动漫|乌克兰"
)
_EAST_MARKS = "[、。，；]"
_SPOKEN = in_both_scripts(
    r"(?i)英[文语語译譯汉漢]|[中汉漢]英|[翻口笔]译|[翻口筆]譯|[译譯][成为為文出]|中[文语語译譯]|[汉漢][语語字译譯]|国语|國語|普通话|[双雙][语語]|[语語]言"
    r"|外[语語文]|[日韩韓法德俄西葡][语語文]|粤语|粵語|单词|單詞|词汇|例句|作文|托福|雅思|GRE|[四六]级|拼音|字母|缩写|全称"
    r"|歌词|歌詞|提示词|提示詞|关键词|关键字|标签|变量|命名|名称|代码|代碼|程序|脚本|公式|查询语句|正则"
    r"|english|chinese|translat|mandarin|japanese|korean|russian|arabic|french|german|spanish|language|multilingual"
    r"|bilingual|pinyin|hanzi|kanji|prompt|midjourney|stable diffusion|sql|python|java|html|css|latex|code|json|regex"
    r"|翻訳|英訳|和訳|日本語|한국어|영어|번역|중국어|перев|англи|русск|ترجم|الإنجليزية"
)


class LanguageMismatch(Check):
    """Share of rows whose answer is in another language than its question: English to a Chinese prompt, or the reverse.

    Languages are told by their script, so Chinese, Japanese, Korean, Russian and so on from each other and from
    English; German, French, Spanish, Portuguese, Italian and Dutch from English by their most frequent words. An answer
    is named where nearly all words (85 %) of the question are in one script and nearly all of its own in another, or
    where the question is English and the answer in one of these languages, and it has at least `words` words
    (below 15 also a stop: else it may be a title). Left out
    is whatever may be meant so: prompts that speak of a language, translation, code or keywords anywhere in the
    conversation; questions that hold a text in the language of the answer; a system prompt or an earlier question in
    that language; answers that are code, names or formulas; thinking (`<think>`) before an answer in the right
    language; 30 answers and more between two languages whose lengths follow those of their questions, as translations
    do. `stray` counts single words of another script (Cyrillic, Hangul or kana, Chinese in English) in the middle
    of a sentence, outside brackets and quotation marks. In pairs only the chosen answer counts.
    """

    metrics = {
        "rate": Metric(
            "rows whose answer is in another language than the question",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="the script shows the language, but not whether it was meant so",
        ),
        "stray": Metric(
            "rows with stray words of another script in an answer",
            "share",
            of="rows",
            limit=Limit(warn_max=0.001),
            why="names are quoted now and then; above 1 row in 1,000 a model slipped into another language",
        ),
    }

    reads = "answer"
    check: Literal["language_mismatch"] = "language_mismatch"
    words: int = Field(default=5, ge=1, description="answers with fewer words are not judged")

    @property
    def _found(self) -> Need:
        return Need(Mismatches(words=self.words))

    def needs(self) -> tuple[Need, ...]:
        """The answers in another language."""
        return (self._found,)

    def measure(self, data: View) -> Measured:
        """Count what the feature found."""
        every = data[self._found].collect().lazy()
        translated = _translated(every)
        found = every.filter(~translated)
        lines = found.filter(pl.col("problem") != _SHORT).select("row", "where", "problem", "said", "detail", "text")
        values = (
            *rates("rate", lines.filter(problem="language_mismatch"), data.rows, by=self.by, rows=data.rows),
            *rates("stray", lines.filter(problem="stray_words"), data.rows, by=self.by, rows=data.rows),
        )
        left = self._left_out(total(found.filter(problem=_SHORT)), total(every.filter(translated)))
        return Measured(values, evidence=lines, not_checked=left)

    def _left_out(self, short: int, translated: int) -> tuple[Message, ...]:
        few = Message.plural(
            "{n:,} answer has fewer than {words} words and was not judged",
            "{n:,} answers have fewer than {words} words and were not judged",
            short,
            words=self.words,
        )
        # Never one: a single pair of lengths says nothing.
        long = Message(
            "the lengths of {n:,} answers follow those of their questions, as translations do: "
            "their language was not judged",
            n=translated,
        )
        return (*((few,) if short else ()), *((long,) if translated else ()))


def _translated(found: pl.LazyFrame) -> pl.Expr:
    """Which lines are of two languages between which the set translates: long questions have long answers.

    The correlation of the logarithms of both lengths is 0.8 in the one translation that was measured (of novels), and
    at most 0.57 in 61 of 70 sets in one language. In the other nine it is 0.7 to 1.0: rewritten, corrected or extracted
    texts. Of such a set, and of one whose questions were translated alone, nothing would be said here.
    """
    lengths = pl.col("asked_chars", "chars").log1p()
    pairs = found.drop_nulls(["between", "asked_chars"]).with_columns(lengths).group_by("between")
    known = pairs.agg(pl.len(), r=pl.corr("asked_chars", "chars"))
    alike = known.filter(pl.col("len") >= _SEVERAL, pl.col("r").fill_nan(0) >= _ALIKE).collect()["between"]
    return pl.col("between").is_in(alike.implode()).fill_null(value=False)


class Mismatches(Feature):
    """`row`, `where`, `problem`, `said`, `detail`: answers in another language, words of another script.

    The problem `short` is that of an answer that is too short to be judged. `between` names the two scripts, and
    `asked_chars` and `chars` are the characters of question and answer, where the scripts differ; `text` is
    there for the others.
    """

    columns = {
        "row": pl.UInt32, "where": pl.String, "problem": pl.String, "said": pl.String, "detail": pl.String,
        "text": pl.String, "between": pl.String, "asked_chars": pl.UInt32, "chars": pl.UInt32,
    }  # fmt: skip

    words: int

    def needs(self) -> tuple[Need, ...]:
        """The words of each script."""
        return (Need(Languages()),)

    def compute(self, part: View) -> pl.DataFrame:
        """Compare scripts first; read only the texts of the rows where they differ."""
        texts = turn_texts(part, plain=False).with_row_index("at").collect().lazy()
        unwanted = part.rows.filter(pl.col("label") == "false").select("row")
        place = ["row", "path"]
        counted = part[Need(Languages())].unique(place, keep="first")
        named = texts.drop("text").join(counted, on=place, how="left", maintain_order="left")
        named = named.with_columns(script=_script(), size=words()).collect().lazy()
        answers = self._answers(named).join(unwanted, on="row", how="anti", maintain_order="left")
        judged = answers.join(_questions(named), on="row", how="inner", maintain_order="left")
        before = judged.filter(pl.col("asked_at") < pl.col("turn"))
        last = before.sort("row", "turn", "path", "asked_at", maintain_order=True)
        last = last.unique(["row", "path"], keep="last", maintain_order=True).collect().lazy()
        differ = last.filter(pl.col("script") != pl.col("asked"), _foreign() <= _FOREIGN).collect().lazy()
        quoted = texts.join(differ.select("row").unique(), on="row", how="semi", maintain_order="left")
        quoted = quoted.select("at", "text").collect().lazy()
        asked_in = quoted.rename({"at": "asked_in", "text": "question"})
        told = differ.join(quoted, on="at", how="left", maintain_order="left")
        told = told.join(asked_in, on="asked_in", how="left", maintain_order="left")
        meant = _meant(named.join(quoted, on="at", how="inner", maintain_order="left"), differ)
        sizes = {"asked_chars": pl.col("question").str.len_chars(), "chars": pl.col("text").str.len_chars()}
        between = pl.concat_str("asked", "script", separator=" ")
        prose = _prose(told).with_columns(between=between, **sizes)
        found = prose.join(meant, on="row", how="anti", maintain_order="left").collect().lazy()
        found = pl.concat([found, _other_tongues(texts, last)], how="diagonal")
        asked, answered = word(_name("asked")), word(_name("script"))
        said = saying("asked in {asked}, answered in {answered}", asked=asked, answered=answered)
        lines = found.select(
            "row", "between", "asked_chars", "chars", where="path", problem=pl.lit("language_mismatch"), said=said
        )
        short = named.filter(learnt(), pl.col("size") < self.words)
        short = short.select("row", problem=pl.lit(_SHORT))
        every = pl.concat([lines, _stray(texts, named, answers), short], how="diagonal").collect()
        counted = every.filter(pl.col("problem") != _SHORT).lazy()
        known = of_rows(texts, counted).select("row", "text", where="path").unique(["row", "where"], keep="first")
        every = every.join(known.collect(), on=["row", "where"], how="left", maintain_order="left")
        empty = pl.DataFrame(schema=self.columns)
        return alone(pl.concat([empty, every.cast({"row": pl.UInt32})], how="diagonal"))

    def _answers(self, named: pl.LazyFrame) -> pl.LazyFrame:
        """What the assistant says and is to learn, in one script and long enough."""
        earlier = (pl.col("part") == "prompt") & (pl.col("role") == "assistant")
        long = pl.col("size") >= self.words
        return named.filter(learnt() | earlier, long, pl.col("script").is_not_null())


def _other_tongues(texts: pl.LazyFrame, last: pl.LazyFrame) -> pl.LazyFrame:
    """Answers in another language of Latin letters, of prompts in English that speak of no language."""
    text = pl.col("text")
    alike = last.filter(pl.col("script") == "latin", pl.col("asked") == "latin").collect()
    said = texts.select("text").collect()["text"].gather(alike["at"])  # `at` counts the texts
    told = alike.with_columns(said).filter(~latin.is_english(text)).lazy()
    told = told.with_columns(script=without_code(text).map_batches(latin.language_of, return_dtype=pl.String))
    told = told.filter(pl.col("script").is_not_null(), ~looks_like_code(text)).collect().lazy()
    prompts = of_rows(texts, told).filter(pl.col("role").ne_missing("assistant"))
    prompts = prompts.select("row", text.str.split("\n")).explode("text")  # a line may be what is to be worked on
    english = text.str.count_matches(_ENGLISH) >= text.str.count_matches(r"[A-Za-z]+").clip(1) * _COMMON
    english &= text.str.contains(_ONLY_ENGLISH)
    meant = (
        text.str.contains(_SPOKEN)
        | text.str.contains(_ACCENTED)
        | text.map_batches(latin.language_of, return_dtype=pl.String).is_not_null()
    )
    lines = prompts.select("row", meant=meant, english=english)  # before grouping: else each row is asked by itself
    asked = (
        lines.group_by("row").agg(pl.col("meant").any(), pl.col("english").any()).filter("english", ~pl.col("meant"))
    )
    return told.join(asked, on="row", how="semi", maintain_order="left").drop("text").collect().lazy()


def _stray(texts: pl.LazyFrame, named: pl.LazyFrame, answers: pl.LazyFrame) -> pl.LazyFrame:
    """Answers with words of a script that no other message of their row has, and that no prompt speaks of."""
    prompts = named.filter(pl.col("role").ne_missing("assistant"))
    heard = prompts.group_by("row").agg(**{f"q_{script}": pl.col(script).sum() for script in _STRAY})
    own = {"han": ["han", "kana"]}  # what is written in kana has Han in it
    slips = [
        (pl.col(script) > 0) & ~pl.col("script").is_in(own.get(script, [script])) & (pl.col(f"q_{script}") == 0)
        for script in _STRAY
    ]
    at = answers.join(heard, on="row").filter(pl.any_horizontal(slips)).select("at").collect()["at"].sort()
    suspect = texts.collect()[at].filter(pl.col("text").str.contains(_SLIP)).lazy()  # `at` counts the texts
    told = of_rows(texts, suspect)
    meant = told.filter(pl.col("role").ne_missing("assistant"), pl.col("text").str.contains(_SPOKEN + _PLACES))
    found = suspect.join(meant, on="row", how="anti", maintain_order="left")
    bare = without_code(pl.col("text")).str.replace_all(_APART, " ")
    found = found.filter(bare.str.contains(_SLIP), ~looks_like_code(pl.col("text")))
    slip = bare.str.extract(f"({_SLIP})")
    return found.select("row", where="path", problem=pl.lit("stray_words"), detail=slip).collect().lazy()


def _script() -> pl.Expr:
    """The script of nearly all words, null where there is none; Han beside kana is Japanese."""
    east = pl.sum_horizontal("han", "kana")
    japanese = (pl.col("kana") >= east * _KANA) & (east > 0)
    least = words() * _MOSTLY
    named = [
        pl.when(pl.col(script) >= least).then(pl.lit(script)) for script in _SCRIPTS if script not in ("han", "kana")
    ]
    return (
        pl.when(words() == 0)
        .then(None)
        .when(east >= least)
        .then(pl.when(japanese).then(pl.lit("kana")).otherwise(pl.lit("han")))
        .otherwise(pl.coalesce(*named))
    )


def _questions(named: pl.LazyFrame) -> pl.LazyFrame:
    """What the user says in one script: `row`, `asked_at`, `asked`, which text it is, and its words by script."""
    asked = named.filter(pl.col("role") == "user", pl.col("part") == "prompt")
    return asked.select(
        "row",
        "size",
        asked_at="turn",
        asked=pl.when(pl.col("size") >= _ASKED).then("script"),
        asked_in="at",
        **{f"q_{script}": pl.col(script) for script in _SCRIPTS},
    ).drop("size")


def _foreign() -> pl.Expr:
    """Words of the question in the script of the answer."""
    each = [pl.when(pl.col("script") == script).then(pl.col(f"q_{script}")) for script in _SCRIPTS]
    return pl.coalesce(*each, pl.lit(0))


def _prose(differ: pl.LazyFrame) -> pl.LazyFrame:
    """Rows whose side in Latin letters is prose, and whose answer is no code; between Chinese and Japanese none."""
    east = pl.col("script").is_in(["han", "kana"]) & pl.col("asked").is_in(["han", "kana"])
    english = pl.when(pl.col("script") == "latin").then(without_code(pl.col("text"))).otherwise("question")
    some = pl.max_horizontal(english.str.count_matches(r"[A-Za-z]+"), pl.lit(1))
    one = (pl.col("script") == "latin") | (pl.col("asked") == "latin")
    tongue = english.map_batches(latin.language_of, return_dtype=pl.String)
    spoken = ~one | (english.str.count_matches(_ENGLISH) >= some * _COMMON) | tongue.is_not_null()
    answer = pl.col("text").str.replace(_THOUGHT, "")  # thinking in English before a Chinese answer is usual
    thought = pl.col("text").str.contains(_THOUGHT)
    ours = (
        pl.when(pl.col("asked") == "latin")
        .then(~answer.str.contains(_NOT_LATIN))
        .otherwise(answer.str.contains(_NOT_LATIN))
    )
    data = answer.str.contains(ascii_edges(r"^\s*(?:[{\[<$\\]|(?i:select|import|def|public)\b)"))
    listed = (pl.col("script") == "latin") & pl.col("text").str.contains(_EAST_MARKS)  # names within a Chinese frame
    whole = (pl.col("size") >= _LONG) | pl.col("text").str.contains(_STOP)
    differ = differ.filter(~east, whole, spoken, ~data, ~listed, ~thought | ~ours, ~looks_like_code(pl.col("text")))
    sides = (pl.when(pl.col(side) == "latin").then(pl.coalesce(tongue, side)).otherwise(side) for side in _SIDES)
    return differ.with_columns(**dict(zip(_SIDES, sides, strict=True)))


def _meant(named: pl.LazyFrame, differ: pl.LazyFrame) -> pl.LazyFrame:
    """Rows in which a prompt speaks of languages, or a system prompt or an earlier question is in the answer's."""
    prompts = named.filter(pl.col("part") == "prompt", pl.col("role").is_in(["user", "system"]))
    answered = differ.select("row", "asked_at", answered="script").unique()
    suspect = prompts.join(answered, on="row", how="inner")
    told = (pl.col("script") == pl.col("answered")) & (
        ((pl.col("role") == "system") & (pl.col("size") >= _TOLD))
        | ((pl.col("role") == "user") & (pl.col("turn") < pl.col("asked_at")))
    )
    return suspect.filter(told.fill_null(value=False) | pl.col("text").str.contains(_SPOKEN)).select("row").unique()


def _name(script: str) -> pl.Expr:
    return pl.col(script).replace_strict((*_SCRIPTS, *latin.LANGUAGES), (*_NAMES, *_LATIN_NAMES))
