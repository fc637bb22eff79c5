"""Names of Hong Kong in Latin letters, and what only looks so; the verdicts are by hand."""

import pytest

from datacheck.pii.redact.cantonese import cantonese_names


@pytest.mark.parametrize(
    "name",
    ["CHAN Tai Man", "Tai-man Chan", "Wing Sze Cheung", "leung chi ming", "ho wing lam", "ChanTai Man", "CHAN TAI-MAN"],
)
def test_names_of_hong_kong_are_seen(name):
    text = f"好的{name}，@{name} 请继续"
    assert [text[start:end] for start, end in cantonese_names(text)] == [name] * 2


@pytest.mark.parametrize(
    "text",
    [
        "so long man, we are on to sing",
        "Hong Kong Lee Gardens",
        "take the bus to Wong Tai Sin",
        "Man on Wan Chai pier",
        "user_ka_fai_lee",
        "wong.ka yan",
        "ka fai lee@mail.hk",
        "Tai Po Road",
        "Ka Fai, Lee",
    ],
)
def test_places_words_and_identifiers_are_nobody(text):
    assert list(cantonese_names(text)) == []
