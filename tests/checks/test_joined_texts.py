"""Texts behind which another text of the set stands, and what only looks so; the verdicts are by hand."""

from types import SimpleNamespace

import polars as pl
import pytest

from datacheck.checks.run_on_answers import RunOnAnswers
from datacheck.features.joined_texts import joined_texts
from datacheck.testing import measure

WATER = "Give the tomatoes one can of water each morning, and two when it is hot."
ROSES = "Cut the roses back in March, above the second bud from the ground."
ZH = "早晨浇透一次，等土干了再浇下一次，叶子上不要留水，也不要晒到正午的太阳。"


def row(question, answer):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def found(*rows):
    return measure(RunOnAnswers(), list(rows)).problems


OTHERS = [row("How do I water tomatoes?", WATER), row("怎样给番茄浇水？", ZH)]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\t", " | ", '","Another question?","'])
def test_the_answer_of_another_row_behind_an_answer(between):
    joined = row("When do I cut roses?", f"{ROSES}{between}{WATER}")
    assert found(*OTHERS, joined) == [(2, "joined_answer")]


def test_an_answer_may_say_more_than_another_one_and_end_as_it_does():
    assert found(*OTHERS, row("月季怎么剪？", f"花谢之后剪到第二片五叶上方，刀口要斜。{ZH}")) == []
    assert found(*OTHERS, row("When do I cut roses?", f"{ROSES} {WATER}")) == []


@pytest.mark.parametrize("colon", [":\n\n", "：\n"])
def test_an_answer_that_announces_what_other_rows_say_as_well(colon):
    assert found(*OTHERS, row("Say it once more, please.", f"Here is the corrected version{colon}{WATER}")) == []


def test_the_question_of_another_row_behind_an_answer_or_a_question():
    question = "Which of the two beds in the garden gets more sun, the one at the wall or the one at the path?"
    asks = row(question, "The one at the wall.")
    assert found(asks, row("When do I cut roses?", f"{ROSES}\n{question}")) == [(1, "joined_answer")]
    assert found(asks, row(f"When do I cut the roses?\n{question}", ROSES)) == [(1, "joined_prompt")]


def test_the_own_answer_behind_a_question():
    assert found(row(f"How do I water tomatoes?\n{WATER}", WATER)) == [(0, "answer_behind_prompt")]
    assert found(row(f"Correct the mistakes in this text.\n{WATER}", WATER)) == []
    assert found(row(f"Which of these is right?\nNever water it.\n{WATER}", WATER)) == []


def test_the_rejected_answer_behind_the_chosen_one():
    pair = {"prompt": "How do I water tomatoes?", "chosen": f"{ROSES}\n\n{WATER}", "rejected": WATER}
    assert found(pair) == [(0, "rejected_behind")]


@pytest.mark.parametrize(
    "other",
    [
        row("Say it once more.", WATER),  # the same, and nothing before
        row("Say it with a word before.", f"Well: {WATER}"),  # a label
        row("What is overwatering?", f"Overwatering is what kills most of them: s{WATER}"),  # in the middle of a word
        row("When do I cut roses?", f"{ROSES}\nIn the morning."),
    ],
)
def test_what_is_not_joined(other):
    assert found(*OTHERS, other, row("When?", "In the morning.")) == []


def test_a_set_that_is_built_of_parts():
    rows = [row(f"Part {n}?", f"Part {n} of the plan is to dig bed number {n}.\n{WATER}") for n in range(60)]
    alone = [
        row(
            f"What is in bed {n}?",
            f"Bed {n} holds nothing but herbs, and each of them is cut down to the ground in May.",
        )
        for n in range(54)
    ]
    assert found(*OTHERS, *rows) == []
    assert found(*OTHERS, *alone, *rows[:6]) == []  # one in ten
    assert found(*OTHERS, *alone, *rows[:2]) == [(56, "joined_answer"), (57, "joined_answer")]


class Parts:
    """The turns of a set, cut after some rows."""

    def __init__(self, rows, cut):
        said = [
            (at, part, role, turn, f"messages[{turn}].content", row["messages"][turn]["content"])
            for at, row in enumerate(rows)
            for turn, (part, role) in enumerate((("prompt", "user"), ("response", "assistant")))
        ]
        turns = pl.DataFrame(said, schema=["row", "part", "role", "turn", "path", "text"], orient="row")
        self.turns, self.cut = turns.with_columns(pl.col("turn").cast(pl.UInt16)).lazy(), cut

    def pieces(self, _):
        return [self.turns.filter(pl.col("row") < self.cut), self.turns.filter(pl.col("row") >= self.cut)]

    def buckets(self, need):
        made = (need.table.compute(SimpleNamespace(turns=turns)) for turns in self.pieces("turns"))
        return [each.with_columns(pl.col("row").cast(pl.UInt64)).lazy() for each in made]

    def __getitem__(self, need):
        return pl.concat(self.buckets(need))


def test_what_is_joined_does_not_hang_on_where_the_set_is_cut(monkeypatch):
    alone = [row(f"Bed {n}?", f"Bed {n} holds nothing but herbs, and each of them is cut in May.") for n in range(54)]
    joined = [row(f"Part {n}?", f"Part {n} of the plan is to dig bed number {n}.\n{WATER}") for n in range(2)]
    rows = [*joined, *OTHERS, *alone]
    cuts = [joined_texts(Parts(rows, cut)).select("row", "problem", "other_row").collect().rows() for cut in (2, 4, 60)]
    assert cuts == [[(0, "joined_answer", 2), (1, "joined_answer", 2)]] * 3
    monkeypatch.setattr("datacheck.features.joined_texts._AT_A_TIME", 1)
    few = joined_texts(Parts(rows, 4)).select("row", "problem", "other_row").collect().rows()
    assert few == cuts[0]


def test_a_question_that_was_pasted_into_itself():
    question = "Why do the lower leaves of my tomatoes turn yellow one by one?"
    pasted = f"{question[:30]} Question: {question} {question[30:]}"
    assert found(row(pasted, "They lack nitrogen.")) == [(0, "pasted_question")]
    assert found(row(f"{question} I ask again: {question}", "They lack nitrogen.")) == []
    assert found(row("Why do they turn yellow? Why do they turn brown, and why do they fall?", "It is dry.")) == []
