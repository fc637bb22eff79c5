"""Languages in Latin letters."""

import polars as pl
import pytest

from datacheck.checks.language_mismatch import LanguageMismatch
from datacheck.testing import measure
from datacheck.text.latin import is_english, language_of

TEXTS = {
    "de": "Der Gärtner gießt die Tomaten jeden Morgen, und dann wartet er, bis die Sonne über dem Fluss steht.",
    "fr": "Le jardinier arrose les tomates tous les matins, et il attend que le soleil soit sur la maison du voisin.",
    "es": "El jardinero riega los tomates por la mañana y espera que el sol se vea en la casa de la señora.",
    "pt": "O jardineiro rega os tomates de manhã e espera que o sol não se veja na casa da vizinha, mas ao lado.",
    "it": "Il giardiniere annaffia i pomodori e aspetta che il sole non sia più sulla casa della vicina, ma nel prato.",
    "nl": "De tuinman geeft de tomaten water en wacht dan tot de zon niet meer op het huis van de buren staat, zegt men bij ons.",
}
ENGLISH = "The gardener waters the tomatoes every morning, and waits until the sun stands above the river."


def test_languages_are_told_apart():
    assert language_of(pl.Series(list(TEXTS.values()))).to_list() == list(TEXTS)


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "",
        "apple, banana, cherry, date, fig, grape, melon, orange, papaya, quince",
        "a = 5\nb = 8\na, b = b, a\nprint(a, b)",
        "die die die die, my darling, in the van, on a la carte, de facto",
        "pomme de terre, crème de la crème, joie de vivre, pas de deux",
        "浇水要在早晨，这样叶子白天就干了。",
    ],
)
def test_what_is_none_of_them(text):
    assert language_of(pl.Series([text])).to_list() == [None]


def test_english_is_asked_cheaply():
    told = pl.DataFrame({"text": [ENGLISH, *TEXTS.values()]}).select(is_english(pl.col("text"))).to_series()
    assert told.to_list() == [True, *[False] * len(TEXTS)]


QUESTION = "What does the gardener do with the tomatoes in the morning?"


@pytest.mark.parametrize("language", TEXTS)
def test_answers_in_them_are_named(language):
    found = measure(LanguageMismatch(), [{"prompt": QUESTION, "completion": TEXTS[language]}])
    assert found.places == [(0, "completion", "language_mismatch")]
    found = measure(LanguageMismatch(), [{"prompt": "园丁早上怎么照料番茄？请说说。", "completion": TEXTS[language]}])
    assert found.places == [(0, "completion", "language_mismatch")]


@pytest.mark.parametrize(
    "record",
    [
        {"prompt": f"{QUESTION} Answer in German.", "completion": TEXTS["de"]},
        {"prompt": f"{QUESTION}\n{TEXTS['de']}", "completion": TEXTS["de"]},
        {"prompt": TEXTS["fr"], "completion": TEXTS["de"]},
        {"prompt": QUESTION, "completion": ENGLISH},
        {"prompt": QUESTION, "completion": f"```\n{TEXTS['de']}\n```"},
        {"prompt": QUESTION, "chosen": ENGLISH, "rejected": TEXTS["de"]},
        {"system": "Translate what is said.", "prompt": QUESTION, "completion": TEXTS["de"]},
    ],
)
def test_what_may_be_meant_so(record):
    assert measure(LanguageMismatch(), [record]).places == []
