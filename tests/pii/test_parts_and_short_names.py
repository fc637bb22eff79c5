"""What generators of conversations showed that a redaction left: numbers in parts and in words, short names, tables.

Each positive was left in a copy once; each negative is what a wider rule would have damaged.
"""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.normalise import NEEDS_FOLDING, fold, folded_text
from datacheck.pii.redact.callings import called, nicknamed
from datacheck.pii.redact.doubtful import rough_values
from datacheck.pii.redact.remains import Remains
from datacheck.pii.redact.traces import Original, Traces
from datacheck.pii.split import Utterance, splits, splits_over_lines
from datacheck.pii.tables import persons_cells


def states(text):
    return [(entity, state) for entity, state in find(pl.Series([text])).select("entity", "state").rows()]


def places(name, text, entity="PERSON"):
    return [text[trace.start : trace.end] for trace in Traces([Original(entity, name)]).find(text)]


def test_digits_said_in_english_are_read_at_their_words():
    text = "My phone is Two one three, two nine zero three one zero two."
    folded = fold(text)
    assert folded.text == folded_text(text) == "My phone is 2132903102."
    assert text[slice(*folded.span(12, 22))] == "Two one three, two nine zero three one zero two"
    assert pl.Series([text]).str.contains(NEEDS_FOLDING).all()
    assert states(text) == [("PHONE_NUMBER", "valid")]
    for plain in ("one two three four", "Someone two three four five six seven, the eighth", "one by one, two by two"):
        assert fold(plain).text == plain


def parts(*texts):
    turns = [Utterance(("user", "assistant")[at % 2], text) for at, text in enumerate(texts)]
    return [(split.entity, split.value) for split in splits(turns)]


@pytest.mark.parametrize(
    "texts",
    [
        ("My cell: area code 305", "And the rest?", "476", "And the last four?", "2289"),
        ("My number starts with 305", "Go ahead.", "then 476, and 2289"),
        ("call me at 305-476-", "cut off?", "2289, sorry"),
    ],
)
def test_a_number_of_america_in_parts(texts):
    assert parts(*texts) == [("PHONE_NUMBER", "3054762289")]


@pytest.mark.parametrize(
    "texts",
    [
        ("They scored 305", "And then?", "476", "At last?", "2289"),  # no word
        ("My cell: 30", "And?", "5476", "And?", "2289"),  # not cut where one is
        ("My phone has 105", "And?", "476", "And?", "2289"),  # no area code
    ],
)
def test_other_numbers_in_parts_are_none(texts):
    assert parts(*texts) == []


def test_parts_on_the_lines_of_one_text():
    text = "手机号前三位是138\n好的\n中间四位2233\n最后四位呢？\n5577"
    (split,) = splits_over_lines(text)
    assert [text[part.start : part.end] for part in split.parts] == ["138", "2233", "5577"]
    assert list(splits_over_lines("手机号13822335577\n好的\n谢谢")) == []  # one part, found as such


@pytest.mark.parametrize(
    ("text", "form"),
    [("带小琪复查", "小琪"), ("小琪一路顺风", "小琪"), ("找小琪就行", "小琪"), ("一小琪", ""), ("小琪园酒店", "")],
)
def test_small_and_the_end_of_a_given_name(text, form):
    assert "".join(text[start:end] for start, end, _ in nicknamed(text, "琪")) == form
    assert list(nicknamed("等3小时，大小", "时小")) == []


@pytest.mark.parametrize(
    ("surname", "text", "forms"),
    [
        ("高", "带高哥复查", 1), ("曾", "曾姐失恋了", 1), ("于", "，于工一路顺风", 1), ("石", "小石一路顺风", 1),
        ("石", "小石子，一小石", 0), ("段", "这小段", 0), ("于", "服务于工业", 0),
    ],
)  # fmt: skip
def test_surnames_that_are_words(surname, text, forms):
    assert len(list(called(text, [surname]))) == forms


def test_a_name_in_simplified_and_in_traditional_characters():
    assert places("張詠詩", "张咏诗您好，詠詩在吗") == ["张咏诗", "詠詩"]
    assert places("张咏诗", "張詠詩") == ["張詠詩"]


@pytest.mark.parametrize(
    ("name", "text", "forms"),
    [
        ("Joshua Haverford", "Sorry, Josh.", ["Josh"]),
        ("Haverford, Joshua", "Tell Josh to call", ["Josh"]),
        ("William Wood", "Thanks, Bill. Bill needs rest.", ["Bill", "Bill"]),
        ("William Wood", "The Bill is due. Bill of lading. bill me", []),
        ("Anthony Thomas", "Tom said", []),  # Thomas is his surname
    ],
)
def test_who_is_called_for_short(name, text, forms):
    assert places(name, text) == forms


def test_the_second_reading_lists_small_and_the_end_of_a_given_name():
    remains = Remains([Original("PERSON", "梁詠琪")])
    assert remains.inside("请带小琪复查")
    assert not remains.inside("一小琪")
    assert not Remains([Original("PERSON", "王建时")]).inside("等3小时")


def test_a_table_of_people_says_who_they_are_and_what_their_numbers_are():
    text = "Employee,Badge,Mobile\nHope Hall,HR-33162,213-290-3102\nSkyler Young,-,213-290-3402"
    names = [text[cell.start : cell.end] for cell in persons_cells(text) if cell.is_name]
    assert names == ["Hope Hall", "Skyler Young"]
    assert "EMPLOYEE_ID" in [each.entity for each in rough_values(text, [])]
    of_places = "| Name | Phone | Rating |\n|---|---|---|\n| Hope Hall | 213-290-3102 | 4.5 |"
    assert list(persons_cells(of_places)) == []
    assert list(persons_cells("| Name | ID |\n|---|---|\n| Blue Lamp | 33162 |")) == []


@pytest.mark.parametrize(
    "text", ["720/276/8487", "720 · 276 · 8487", "213-290-\n3102", "that Ann is at 9195900097.", "720 – 276 – 8487"]
)
def test_a_number_of_america_beside_somebody(text):
    assert [each.entity for each in rough_values(text, [])] == ["PHONE_NUMBER"]


def test_other_numbers_beside_somebody_are_none():
    assert rough_values("3720/276/84871, order 9195900097, 2/276/8487", []) == []


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("my driver's license is F51-521-77", "US_DRIVER_LICENSE"),
        ("driver's license F483-7561-9024", "US_DRIVER_LICENSE"),
        ("Passport number: 583/987/180.", "CN_PASSPORT"),
        ("My friend (@the.real.joseph12 on Instagram) left", "SOCIAL_HANDLE"),
        ("phone 720·276·8487.", "PHONE_NUMBER"),
        ("Mail the new one to 7670 Church Lane, Austin, TX 78704", "ADDRESS"),
        ("Mail the new one to 5154 Park St Apt 32, Portland, OR 97209", "ADDRESS"),
    ],
)
def test_found_as_people_write_it(text, entity):
    assert states(text) == [(entity, "valid")]


@pytest.mark.parametrize(
    "text", ["driver's license 12/05/2023", "passport no. 12/05/2023", "see @media on Instagram(1)"]
)
def test_dates_beside_a_document_are_no_number_of_it(text):
    assert [entity for entity, _ in states(text) if entity != "SOCIAL_HANDLE"] == []
