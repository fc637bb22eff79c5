"""Prompts that stop in the middle, where nearly all others end with a sign."""

from datacheck.checks.unfinished_answers import UnfinishedAnswers
from datacheck.testing import measure

NAMES = [first + second for first in "bcdfghklmn" for second in "prstvwxyzaeiou"]


def row(question):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": "On the hill."}]}


RIGHT = [row(f"Where does the tree of {name} stand, and who planted it there?") for name in NAMES]
RIGHT_ZH = [row(f"{name}村的那棵橡树是什么时候由谁种在山坡上的？") for name in NAMES]
CUT = [
    row("Where does the tree of the old people stand, and who was the"),
    row("How old is the tree on the hill behind the mill of"),
]
CUT_ZH = [row("村口的那棵老橡树是什么时候种下的，后来为什么被"), row("请说明山坡上的橡树与河边的柳树各自的高度以及")]


def cut(*rows):
    return [at for at, problem in measure(UnfinishedAnswers(), list(rows)).problems if problem == "cut_prompt"]


def test_prompts_that_end_on_a_word_that_goes_on():
    assert cut(*RIGHT, *CUT) == [len(RIGHT), len(RIGHT) + 1]
    assert cut(*RIGHT_ZH, *CUT_ZH) == [len(RIGHT_ZH), len(RIGHT_ZH) + 1]


def test_where_many_leave_the_sign_out_and_where_the_rest_is_asked_for():
    bare = [row(f"Tell me where the tree of {name} stands and who planted it there") for name in NAMES[:30]]
    assert cut(*RIGHT, *bare, *CUT) == []
    assert cut(*RIGHT, row("Continue the story: on the hill there stood an oak, and"), CUT[0]) == []  # one is no habit


def test_what_has_no_stop_and_is_whole():
    titles = [row(f"Where does the oak stand, who planted it, and how old is {name} oak") for name in NAMES[:3]]
    assert cut(*RIGHT, *titles) == []


def test_nouns_that_end_as_words_do_that_go_on():
    whole = (
        "本案在管辖上有无问题，请结合案情说明理由",
        "请结合本案的事实谈谈公司法上资本维持的原则",
        "请结合条文说明立法者设立这一制度的目的",
    )
    assert cut(*RIGHT_ZH, *map(row, whole), *CUT_ZH) == [len(RIGHT_ZH) + 3, len(RIGHT_ZH) + 4]
