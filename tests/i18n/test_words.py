from typing import get_type_hints

import pytest

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Phrase, Words


def texts(words):
    for name in Words._fields:
        got = getattr(words, name)
        for key, text in got.items() if isinstance(got, dict) else [("", got)]:
            yield name, key, text if isinstance(text, str) else "".join(text)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_word_is_missing(lang):
    assert all(text for _, _, text in texts(WORDS[lang]))
    assert set(WORDS[lang].statuses) == set(WORDS[lang].tallies) == set(WORDS[lang].headlines) == set(Status)


def test_english_can_be_shown_by_any_console():
    assert all(text.isascii() for _, _, text in texts(WORDS["en"]))


# Said by `told`, in English here.
PHRASES = {name for name, kind in get_type_hints(Words).items() if kind == Phrase}


def test_chinese_is_chinese():
    same = {
        name
        for name, key, text in texts(WORDS["zh"])
        if text.isascii() and name not in ("lang", "html_lang", "counted", "percent", *PHRASES)
    }
    assert same == set()
