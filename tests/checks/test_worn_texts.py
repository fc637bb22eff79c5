"""Answers that lost on their way what the others of their set have."""

import pytest

from datacheck.checks.garbled_text import GarbledText
from datacheck.testing import measure

ASK = "Where does the oak stand?"
NAMES = [first + second for first in "bcdfghklmnprst" for second in "aeiou"]
TOLD = (
    "The tree of {} stands on the hill, behind the old mill. Swallows come back to it each spring, and leave in autumn."
)
TOLD_ZH = "{}村的树在山坡上，老磨坊的后面。燕子每年春天都会飞回来，秋天再离开，村里的人都很喜欢它。"


def row(answer, question=ASK):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


USUAL = [row(TOLD.format(name)) for name in NAMES]
USUAL_ZH = [row(TOLD_ZH.format(name), "那棵树在哪里？") for name in NAMES]


def named(*rows):
    return measure(GarbledText(), list(rows)).problems


LOWER = "it stands on the hill, behind the old mill. swallows come back to it each spring. they leave in autumn."
UNSIGNED = "It stands on the hill behind the old mill and the swallows come back to it each spring and leave it again when the days are short"
PARTED = "It stands on the hill , behind the old mill . Swallows come back to it each spring , and leave in autumn ."
HALF = "橡树在山坡上,老磨坊的后面.燕子每年春天都会飞回来,秋天再离开,村里的人都很喜欢它."
PARTED_ZH = "橡树 在 山坡 上 ， 老 磨坊 的 后面 。 燕子 每年 春天 都 会 飞 回来 ， 秋天 再 离开 。"


@pytest.mark.parametrize(
    ("others", "answer", "kind"),
    [
        (USUAL, LOWER, "lowered"),
        (USUAL, UNSIGNED, "unpunctuated"),
        (USUAL, PARTED, "split_words"),
        (USUAL_ZH, HALF, "half_width"),
        (USUAL_ZH, PARTED_ZH, "split_words"),
    ],
)
def test_an_answer_that_is_written_otherwise_than_its_set(others, answer, kind):
    assert named(*others, row(answer)) == [(len(others), kind)]
    assert named(row(answer)) == []  # nothing is usual among one
    most = 60 if kind == "lowered" else 8
    assert named(*others[:60], *[row(answer)] * most) == []  # eight of 68: a way to write


def test_small_letters_in_a_third_of_the_answers():
    """No public set writes both ways: a third of the rows went through another step."""
    low = [row(LOWER.replace("hill", name.lower())) for name in NAMES[:30]]
    assert [kind for _, kind in named(*USUAL[:60], *low)] == ["lowered"] * 30


def test_an_answer_in_small_letters_that_was_asked_for():
    assert named(*USUAL, row(LOWER, "Where is the oak? Write in lowercase.")) == []


LISTS = [row(f"What {name} does:\n1. It wakes.\n2. It eats a leaf.\n3. It sleeps until noon.") for name in NAMES]
GLUED = "What it does each day:1. It wakes at dawn.2. It eats a leaf.3. It sleeps until noon."


def test_a_list_that_lost_its_line_feeds():
    assert named(*LISTS, row(GLUED)) == [(len(LISTS), "one_line")]
    assert named(*USUAL, row(GLUED)) == []
    assert named(*LISTS, row("What it does each day: 1. It wakes. 2. It eats. 3. It sleeps.")) == []


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Item list:\n3. It stands on the hill.\n1. It is old.\n4. Swallows like it.\n2. It is green.", "list_order"),
        ("那棵树的情况：n1. 在山坡上，老磨坊后面。n2. 已经很老了，叶子很多。n3. 燕子年年都回来。", "bare_n"),
        ("那棵树在山坡上。/n叶子五月变绿。/n燕子年年都会飞回来住到秋天。", "slash_n"),
        (
            "这这棵棵树树在在山山坡坡上上，老老磨磨坊坊的的后后面面，很很老老了了，人人都都喜喜欢欢它它。",
            "doubled_words",
        ),
        ("那棵树在山坡的上面。那棵树在山坡的上面。燕子每年都会飞回来。燕子每年都会飞回来。", "doubled_sentences"),
        ("那棵树在山坡上，老磨坊的后面。nan燕子每年春天都会飞回来，秋天再离开。", "lost_value"),
        ("联系人住在山坡上，电话1.38012E+10，每天早上九点以后可以打过去问路。", "spreadsheet"),
        ('村里人叫它""灰巨人""，在树下坐了许多年，燕子每年春天也会飞回来。', "doubled_quotes"),
        ("The oak sta ##nds on the hi ##ll beh ##ind the old mill, and swallows like it.", "word_pieces"),
        ("It stands on the hill whre it has grown, and peple come frorn the town to see it.", "misspelt"),
        ("It stands on the hill, and tbat is why so many old people kncw it and othcr trees.", "misspelt"),
        ("It_stands_on_the_hill,_behind_the_old_mill,_and_swallows_come_back_to_it.", "joined_words"),
        ("```python def area(width, height): return width * height print(area(3, 4)) # twelve of them```", "one_line"),
    ],
)
def test_marks_of_a_program(answer, kind):
    assert named(row(answer)) == [(0, kind)]


@pytest.mark.parametrize(
    "answer",
    [
        "The the oak stands on the hill, and it is old. People have known that it is that that makes it great.",
        "Top four of the hill:\n4. The old mill.\n3. The brook.\n2. The barn.\n1. The oak, of course.",
        "First:\n1. Wake up.\n2. Eat well.\nThen:\n1. Go to sleep.\n2. Dream of the oak on the hill.",
        "There are ten or three trees, though it is the customer who may form his own word on them.",
        "A single slip in tihs long text is what the people of the hill would forgive each other.",
        "Use sha1sum and sha1sum again to see whether it is the sha1sum that stands beside the file.",
        "Both and/or none: the old path /name leads to the hill, and /no other way leads to it.",
        'The sample used `x = ""` and "" for nothing at all, which is what the old people want.',
        "The text reads 1.5e+10 and 2E10 for what is large, and 3.0E-4 for what is small enough.",
        "他的确说过那是是非之地，目的的话要等明天再说，大家都在等着他回来。",
        "C++ and a+b are what the old people of the hill call by one name, so it is said.",
    ],
)
def test_what_is_written_on_purpose(answer):
    assert named(row(answer)) == []
