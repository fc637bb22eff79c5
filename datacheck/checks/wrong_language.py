"""The check wrong_language."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates, saying, total
from datacheck.features.languages import Languages, language, words
from datacheck.features.turn_texts import looks_like_code, of_rows, texts_of

Language = Literal[
    "zh", "zh-Hans", "zh-Hant", "ja", "ko", "en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "vi", "id",
    "ru", "uk", "bg", "ar", "fa", "ur", "th", "hi", "he", "el",
]  # fmt: skip
_OTHER_SCRIPTS: dict[str, tuple[str, ...]] = {
    "zh": ("han",),
    "zh-Hans": ("han",),
    "zh-Hant": ("han",),
    "ja": ("han", "kana"),
    "ko": ("hangul",),
    **dict.fromkeys(("ru", "uk", "bg"), ("cyrillic",)),
    **dict.fromkeys(("ar", "fa", "ur"), ("arabic",)),
    "th": ("thai",),
    "hi": ("devanagari",),
    "he": ("hebrew",),
    "el": ("greek",),
}


# Words in an expected script other than Latin that make a sentence of their own, and their least share: a list of film
# titles or of terms under a Chinese question.
_SENTENCE, _PART = 20, 0.2
# And those of what is asked of another text, in a user's turn: 纠正以下句子的语法错误, and the sentence.
_INSTRUCTION, _ASKED = 8, 0.35
# A title or a term in brackets is named, not written in: 在 2024 年发表的《Health-aware Food Recommendation》中.
_NAMED = r"《[^《》]{1,300}》|（[^（）]{1,300}）|\([^()]{1,300}\)"
_JSON = r"\{\s*\"[^\"]{1,60}\"\s*:"  # its keys are no words of a language


class WrongLanguage(Check):
    """Share of rows with a text in another script than those of the expected languages.

    Each text is counted in words by script: a Chinese character is a word, so that a name in Latin letters does not
    outweigh the sentence around it. A text is wrong when fewer than half of its words (`share`) are in an expected
    script, when it is Japanese and only Chinese is expected, or when it is in the other form of Chinese than `zh-Hans`
    or `zh-Hant`. Code, links, tags and numbers do not count; texts with fewer than `words` words and texts with an
    object of JSON are not judged. A Chinese text of 20 characters and more may hold four Latin words for each of them:
    names, titles, terms; a user's of 8 and more as many as make it 35 % Chinese: the sentence that it asks about. What
    stands in brackets (《Attention Is All You Need》) does not count beside 8 characters of Chinese.
    """

    metrics = {
        "rate": Metric(
            "rows with a text in a language that is not expected",
            "share",
            of="rows",
            limit=Limit(warn_max=0.01),
            why="a name, a quotation, a task of translation may be; how many are wanted is for the contract to say",
        ),
        "mixed_chinese": Metric(
            "rows with a text that mixes simplified and traditional forms",
            "share",
            of="rows",
            limit=Limit(warn_max=0.005),
            why="of 110,000 public texts 13 do; a conversion that stopped in the middle touches more",
        ),
    }

    reads = "text"
    check: Literal["wrong_language"] = "wrong_language"
    languages: tuple[Language, ...] = Field(
        min_length=1, description="expected languages, as codes (zh, zh-Hant, en, ja, …)"
    )
    share: float = Field(
        default=0.5, gt=0, le=1, description="share of a text's words that must be in an expected script"
    )
    words: int = Field(default=10, ge=1, description="texts with fewer words are not judged")

    def needs(self) -> tuple[Need, ...]:
        """The words of each script."""
        return (Need(Languages()),)

    def measure(self, data: View) -> Measured:
        """Judge each text by its counts."""
        counts, texts = data[Need(Languages())], texts_of(data)
        named = counts.with_columns(language=language(self.words))
        judged = named.filter(pl.col("language") != "short")
        place = ["row", "path"]
        unlike = judged.filter(self._unexpected()).with_columns(problem=pl.lit("wrong_language")).collect().lazy()
        no_prose = looks_like_code(pl.col("text")) | pl.col("text").str.contains(_JSON)
        read = of_rows(texts, unlike)
        asked = read.filter(pl.col("role") == "user").select(place).join(unlike.filter(self._instructs()), on=place)
        latin = unlike.filter(pl.col("language").is_in(["latin", "mixed"]))
        naming = read.filter(self._only_names()).select(place).join(latin, on=place)
        fine = pl.concat([read.filter(no_prose).select(place), asked.select(place), naming.select(place)])
        wrong = unlike.join(fine, on=place, how="anti", maintain_order="left").collect().lazy()
        mixed = judged.filter(pl.col("language") == "zh-mixed").with_columns(problem=pl.lit("mixed_chinese"))
        found = pl.concat([wrong, mixed]).select(*place, "problem", "language")
        shown = of_rows(texts, found).select(*place, "text").unique(place, keep="first")
        short = total(named.filter(pl.col("language") == "short"))
        left_out = Message.plural(
            "{n:,} text has fewer than {words} words and was not judged",
            "{n:,} texts have fewer than {words} words and were not judged",
            short,
            words=self.words,
        )
        return Measured(
            tuple(
                value
                for name, flagged in (("rate", wrong), ("mixed_chinese", mixed))
                for value in rates(name, flagged, data.rows, by=self.by, rows=data.rows)
            ),
            evidence=found.join(shown, on=place, how="left", maintain_order="left").select(
                "row", "problem", "text", where="path", said=saying("it is {language}", language="language")
            ),
            figures={"languages": self._shares(counts)},
            not_checked=(left_out,) if short else (),
        )

    def _scripts(self) -> list[str]:
        return sorted({script for code in self.languages for script in _OTHER_SCRIPTS.get(code, ("latin",))})

    def _instructs(self) -> pl.Expr:
        """Enough words in an expected script, other than Latin, to say what is to be done with the rest."""
        own = pl.sum_horizontal(self._scripts())
        return pl.lit("latin" not in self._scripts()) & (own >= _INSTRUCTION) & (own >= words() * _ASKED)

    def _only_names(self) -> pl.Expr:
        """A Chinese sentence, once what it names in brackets is left out."""
        sentence = pl.col("text").str.replace_all(_NAMED, "")
        han, latin = sentence.str.count_matches(r"\p{Han}"), sentence.str.count_matches("[A-Za-z]{2,}")
        chinese = "han" in self._scripts() and "latin" not in self._scripts()
        return pl.lit(chinese) & (han >= _INSTRUCTION) & (han >= (han + latin) * self.share)

    def _unexpected(self) -> pl.Expr:
        """Too few words in an expected script, or a form of Chinese or Japanese that is not named."""
        scripts = self._scripts()
        own = pl.sum_horizontal(scripts)
        few = own < words() * self.share
        if "latin" not in scripts:
            few &= (own < _SENTENCE) | (own < words() * _PART)
        codes, forms = set(self.languages), []
        if "ja" not in codes:
            forms.append("ja")
        if "zh" not in codes:
            forms += [form for form in ("zh-Hans", "zh-Hant") if form not in codes]
            forms += ["zh", "zh-mixed"] if not codes & {"zh-Hans", "zh-Hant", "ja"} else []
        return few | pl.col("language").is_in(forms)

    def _shares(self, counts: pl.LazyFrame) -> pl.DataFrame:
        """How many rows, and what share of them, each language has."""
        rows = counts.group_by("row").agg(pl.exclude("path").sum()).with_columns(language=language(self.words))
        table = rows.group_by("language").agg(rows=pl.len()).sort("language")
        return table.with_columns(share=pl.col("rows") / pl.col("rows").sum()).collect()
