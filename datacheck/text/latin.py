"""Which language a prose in Latin letters is in, by its most frequent words."""

from collections.abc import Mapping

import polars as pl

from datacheck.text.gated import one_of

# Words of grammar that English has not; a text of that language has one in six, and several different ones.
_WORDS: Mapping[str, str] = {
    "de": (
        "der das und ist nicht ein eine zu mit den von für auf sich dem des im werden kann auch wird sind oder wie"
        " bei nach einen einer als aus wenn dass ich sie wir durch über diese"
    ),
    "fr": "le la les des et est une un que pour dans pas qui sur avec du ce il elle vous nous sont par aux cette ou",
    "es": "el la los las de que en un una es por para se del al lo como más su pero este esta tu te mi",
    "pt": "os de que em um uma é por com para não se da dos das mais seu sua mas são ao na pelo você",
    "it": "il la le gli di che è un una non del della dei sono si da più nel alla anche questo",
    "nl": "de het een en dat niet te voor met zijn aan er ook bij naar kunnen wordt deze je",
}
LANGUAGES = tuple(_WORDS)
# What English prose of fifteen words has one of.
_ENGLISH = one_of([" the ", " The ", " of ", " and ", " to ", " you ", " that ", " with ", " are ", " for "])
_MOSTLY = 0.16  # of the words
_DIFFERENT = 4  # words of grammar
_LESS = 0.75  # of them the next language may have: Spanish and Portuguese share many


def is_english(text: pl.Expr) -> pl.Expr:
    """Whether a prose may be English: a cheap question, which names, lists and code answer with no."""
    return text.str.contains(_ENGLISH)


def language_of(texts: pl.Series) -> pl.Series:
    """The language of each text (`LANGUAGES`), null where it is none of them or cannot be told."""
    lower = texts.str.to_lowercase()
    words = lower.str.count_matches(r"\p{L}+").clip(lower_bound=1)
    shares = pl.DataFrame({code: _share(lower, words, said) for code, said in _WORDS.items()})
    best = pl.max_horizontal(*LANGUAGES)
    second = pl.concat_list(*LANGUAGES).list.sort(descending=True).list.get(1)
    named = pl.coalesce(*(pl.when(pl.col(code) == best).then(pl.lit(code)) for code in LANGUAGES))
    told = (best >= _MOSTLY) & (second <= best * _LESS)
    return shares.select(pl.when(told).then(named)).to_series()


def _share(texts: pl.Series, words: pl.Series, said: str) -> pl.Series:
    """The share of some words among all, 0 where they are few different ones."""
    found = texts.str.extract_all(rf"\b(?:{'|'.join(said.split())})\b").to_frame("found")
    count, kinds = pl.col("found").list.len(), pl.col("found").list.n_unique()
    return found.select(pl.when(kinds >= _DIFFERENT).then(count).otherwise(0) / words).to_series()
