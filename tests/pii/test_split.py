"""Numbers of which a speaker gives a part in one turn and the rest in a later one; parts alone say nothing."""

from random import Random

import polars as pl
import pytest

from datacheck.checks.pii import Pii
from datacheck.pii.canaries import canary
from datacheck.pii.split import END, ENDS_IN_DIGITS, NumberPart, Utterance, splits
from datacheck.testing import dataset, finding

WORDS = {"CN_MOBILE": "手机号", "CN_RESIDENT_ID": "身份证号", "CN_BANK_CARD": "卡号"}


def found(*texts: str) -> list[str]:
    turns = [Utterance(("user", "assistant")[number % 2], text) for number, text in enumerate(texts)]
    return [split.entity for split in splits(turns)]


@pytest.mark.parametrize("entity", WORDS)
@pytest.mark.parametrize("cut", [3, 4, 6, 7])
def test_a_number_in_two_turns_is_found_and_both_parts_block(entity, cut):
    number = canary(entity, cut)
    texts = (f"我的{WORDS[entity]}是{number[:cut]}", "嗯，后面呢？", f"后面是{number[cut:]}，谢谢", "好的")
    assert found(*texts) == [entity]
    said = " | ".join(f"{('user', 'assistant')[at % 2]}: {text}" for at, text in enumerate(texts))
    report = finding(Pii(), dataset(said))
    assert next(value.value for value in report.values if value.name == "blocking_hits") == 2


def test_in_three_turns_fullwidth_and_where_only_the_question_says_what():
    number = canary("CN_MOBILE", 3)
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in number[:3])
    assert found("请问", "请问您的手机号？", wide, "继续", number[3:7], "继续", number[7:]) == ["CN_MOBILE"]


def test_a_turn_may_give_several_parts():
    number = canary("CN_MOBILE", 3)
    begins = f"我的电话分开说，前面是{number[:3]}"
    assert found(begins, "请继续", f"中间{number[3:7]}，后面{number[7:]}") == ["CN_MOBILE"]
    assert found(begins, "请继续", f"中间{number[3:7]}，后面的明天再说，一共{number[7:]}") == []
    assert found(f"前面是{number[:3]}", "请继续", f"中间{number[3:7]}，后面{number[7:]}") == []  # no word


@pytest.mark.parametrize(
    "texts",
    [
        ("一共138", "然后呢", "22335566"),  # no word
        ("手机号1382233", "然后呢", "5567788"),  # twelve digits
        ("手机号1382233", "5566", "谢谢"),  # another speaker's
        ("手机号1382233，地址在后面告诉你们吧，先这样", "好", "5566"),  # no end
        ("卡号622848012", "嗯", "3456789012"),  # a wrong check digit
        ("The phone number is 1 58 51 52 00.", "A hotel?", "I have 10 hotels that could match."),  # a count
        ("手机号13822335566", "嗯", "5566"),  # whole, and found as such
    ],
)
def test_parts_of_nothing_are_nothing(texts):
    assert found(*texts) == []


def test_a_known_number_needs_no_word():
    turns = [Utterance("user", "再核对：138"), Utterance("assistant", "嗯"), Utterance("user", "22335566")]
    assert not list(splits(turns))
    assert [split.value for split in splits(turns, {"13822335566": "CN_MOBILE"})] == ["13822335566"]


def test_the_end_of_a_text_tells_whether_it_ends_in_digits():
    draw = Random(5)
    texts = ["".join(draw.choices("12٣²xXa中 。\n", k=draw.randint(0, 14))) for _ in range(4000)]
    texts += (
        ["说" * 20 + text for text in texts]
        + [f"0X{'。' * n}" for n in range(12)]
        + [f"²{'。' * n}" for n in range(12)]
    )
    told = pl.DataFrame({"text": texts}).select(
        whole=pl.col("text").str.contains(ENDS_IN_DIGITS), end=pl.col("text").str.tail(END).str.contains(ENDS_IN_DIGITS)
    )
    assert told["whole"].to_list() == told["end"].to_list()
    assert 500 < told["whole"].sum() < len(texts) - 500


@pytest.mark.parametrize("asked", ["And a callback number?", "What is the best number?", "Your mobile number, please?"])
def test_a_number_that_is_all_of_an_answer_is_found(asked):
    (split,) = splits([Utterance("assistant", asked), Utterance("user", "617-411-3562")])
    assert (split.entity, split.value, split.parts) == ("PHONE_NUMBER", "6174113562", (NumberPart(1, 0, 12, (0, 10)),))


@pytest.mark.parametrize(
    ("asked", "said"),
    [("And your order number?", "617-411-3562"), ("Your phone number?", "It is 3 of 617-411-3562"), ("How many?", "6174113562")],
)  # fmt: skip
def test_another_answer_is_no_telephone(asked, said):
    assert not [*splits([Utterance("assistant", asked), Utterance("user", said)])]
