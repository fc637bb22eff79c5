"""Prompts that stop in the middle, where nearly all others end with a sign."""

from datacheck.checks.unfinished_answers import UnfinishedAnswers
from datacheck.checks.unverifiable_answers import UnverifiableAnswers
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


def some(rows, ends):
    """Every third of the questions cut, behind one of these words."""
    return [
        f"{asked.partition('. ')[0]}. Where does {ends[n % len(ends)]}" if n % 3 == 0 else asked
        for n, asked in enumerate(rows)
    ]


ANYWHERE = ("the tree of", "the tr", "the tree", "the tree of the old", "the tree of the old peo")


TOLD = [
    f"The {name}s live on a hill. Where does the tree of the old people stand, and who planted it?" for name in NAMES
]


def test_a_third_of_the_prompts_cut_is_no_habit_of_leaving_stops_out():
    assert cut(*map(row, TOLD)) == []
    found = cut(*map(row, some(TOLD, ANYWHERE)))
    assert len(found) == 10
    assert all(n % 3 == 0 for n in found)
    assert (
        cut(*map(row, some(TOLD, ANYWHERE[:2]))) == []
    )  # all of them end so: stems, of which the rest is to be chosen


def test_prompts_with_golds_are_cut_as_well():
    def unasked(asked):
        rows = [{"question": each, "answer": f"{n + 3}"} for n, each in enumerate(asked)]
        return [at for at, problem in measure(UnverifiableAnswers(), rows).problems if problem == "unasked"]

    assert unasked(TOLD) == []
    assert len(unasked(some(TOLD, ANYWHERE))) == 10


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
