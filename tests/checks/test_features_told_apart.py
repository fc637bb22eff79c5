"""What features keep and leave out, each by the smallest table on which another condition would tell otherwise.

A campaign of mutants found that nothing noticed where these conditions were turned.
"""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from datacheck.features import (
    askings,
    constant_parts,
    constraints,
    cut_beginnings,
    earlier,
    gold_forms,
    leaks,
    media,
    near,
    outcomes,
    questions,
    rendered_golds,
    rival_responses,
    shared_tails,
    sid_tokens,
    solutions,
    swapped_sides,
    tasks,
    turn_texts,
)
from datacheck.features.short_prompts import ShortPrompts
from datacheck.trainers.base import UNSEEN

TURNS = {
    "row": pl.UInt64,
    "part": pl.String,
    "role": pl.String,
    "turn": pl.UInt16,
    "path": pl.String,
    "text": pl.String,
}


def turns(*lines):
    """(row, part, role, turn, text)."""
    table = [(row, part, role, turn, f"messages[{turn}].content", text) for row, part, role, turn, text in lines]
    return pl.LazyFrame(table, schema=TURNS, orient="row")


def part_of(**tables):
    return SimpleNamespace(**tables)


def test_one_mark_in_one_of_two_messages_asks():
    asked = turns((0, "prompt", "user", 0, "一共有多少个？"), (0, "prompt", "user", 2, "继续。"))
    assert askings.Askings().compute(part_of(turns=asked))["marked"].to_list() == [True]


@pytest.mark.parametrize(("rows", "told"), [(100, 1), (99, 0)])
def test_a_hundred_prompts_have_a_usual_way(rows, told):
    marked = [True] * (rows - 1) + [False]
    table = pl.LazyFrame(
        {"row": range(rows), "where": ["prompt"] * rows, "marked": marked, "asks": marked, "cue": None},
        schema_overrides={"cue": pl.String},
    )
    assert askings.unasked(table).height == told


def test_the_last_text_of_a_part_counts():
    said = turns((0, "prompt", "user", 0, "one"), (0, "prompt", "user", 2, "two"))
    assert constant_parts._last(said).collect()["where"].to_list() == ["messages[2].content"]


def test_a_list_of_instructions_needs_no_arguments():
    assert len(list(constraints._listed({"instruction_id_list": ["keywords:existence"]}, "", 0, in_text=False))) == 1
    assert list(constraints._listed({"instruction_id_list": "none"}, "", 0, in_text=False)) == []


@pytest.mark.parametrize(("compared", "said"), [(3, 0), (1, 1)])
def test_only_rows_that_could_not_be_compared_are_mentioned(compared, said):
    class Data(dict):
        def __missing__(self, _need):
            return pl.LazyFrame({"row": [0, 1, 2]})

    assert len(earlier.silent(Data(), "v1", compared)) == said


def test_long_golds_that_stand_alone_have_no_usual_mark():
    golds = pl.DataFrame(
        {"row": range(50), "where": "answer", "gold": "x", "mark": ["whole"] * 49 + ["box"], "ends": False}
    )
    assert list(gold_forms._marked(golds, short=False)) == []
    assert next(gold_forms._marked(golds, short=True))["row"].to_list() == [49]


def shapes(rows, **columns):
    table = {"row": range(rows), "part": "response", "side": "answer", "role": "assistant", "turn": 1, "path": "x"}
    signs = dict.fromkeys(("mark", "lower", "cased", "goes_on", "link", "wanted", "broken"), False)
    return pl.LazyFrame({**table, **signs, **columns})


def test_few_answers_with_letters_have_no_usual_case():
    lower = [True] + [False] * 199
    few = [True] * (cut_beginnings._LEAST - 1) + [False] * (200 - cut_beginnings._LEAST + 1)
    assert cut_beginnings._odd(shapes(200, lower=lower, cased=few)).is_empty()
    assert cut_beginnings._odd(shapes(200, lower=lower, cased=True))["row"].to_list() == [0]


def test_an_answer_that_was_asked_to_begin_so_is_explained():
    wanted = shapes(200, lower=[True] + [False] * 199, cased=True, wanted=[True] + [False] * 199)

    class Data(dict):
        def __missing__(self, _need):
            return wanted

    assert cut_beginnings._odd(wanted).height == 1
    assert cut_beginnings.headless(Data()).collect().is_empty()


def test_options_are_read_from_behind_their_question():
    options = "A. the first of the two towns\nB. the second of the two towns"
    assert leaks._options("which?", f"which?\n{options}") == ["thefirstofthetwotowns", "thesecondofthetwotowns"]
    assert leaks._options("which?", f"another?\n{options}") == []


def test_white_space_names_no_file():
    cells = pl.LazyFrame(
        {"row": [0, 1], "path": ["images[0]"] * 2, "json_type": ["string"] * 2, "text": ["a.png", "  "]}
    )
    assert media._files(part_of(cells=cells)).collect()["path"].to_list() == ["a.png"]


def test_each_part_gives_its_own_rows():
    parts = near.in_parts(SimpleNamespace(firsts=[0, 3, 6, 9]), np.array([1, 4, 5]))
    assert [(number, rows.tolist()) for number, rows in parts] == [(0, [1]), (1, [4, 5])]


def test_what_was_seen_before_may_be_a_record_or_keys_alone():
    def seen(keys, records):
        table = {"key": [*keys, *([None] * len(records))], "json": [*([None] * len(keys)), *records]}
        kinds = {"key": pl.String, "json": pl.String, "types": pl.String, "rows": pl.UInt64}
        return outcomes.seen_of(
            pl.LazyFrame({**table, "types": [None] * len(table["key"]), "rows": [3] * len(table["key"])}, kinds)
        )

    assert seen([], []) == UNSEEN
    assert seen(["a"], []).columns == {"a"}
    assert seen([], ['{"b": 1}']) != UNSEEN


def test_options_are_no_part_of_what_is_asked():
    said = turns((0, "prompt", "user", 0, "which?"), (0, "option", None, 0, "one"))
    assert questions.questions(said).collect()["text"].to_list() == ["which?"]


def test_only_messages_have_contents():
    assert rendered_golds._text([{"content": "one"}, "two", {"content": [{"content": "three"}]}]) == "one\nthree"


def test_the_first_row_of_a_group_has_another_one_as_its_rival():
    keys = pl.DataFrame({"row": [0, 1, 2], "key": 1, "plain": 1, "label": ["a", "a", "b"]})
    assert rival_responses._with_rival(keys, ("key", "plain"), "label")["other_row"].to_list() == [2, 0, 0]


@pytest.mark.parametrize(("copies", "told"), [(1, 20), (2, 0)])
def test_an_ending_is_odd_where_others_have_endings_of_their_own(copies, told):
    tails = [0] * 20 + [1 + number // copies for number in range(200)]
    said = pl.LazyFrame({"row": range(220), "whole": range(220), "tail": tails}).with_columns(
        part=pl.lit("response"), role=pl.lit("assistant"), turn=pl.lit(1, pl.UInt16), path=pl.lit("x")
    )

    class Data(dict):
        def __missing__(self, _need):
            return said

    assert shared_tails.shared_tails(Data()).collect().height == told


def test_short_prompts_are_said_by_users():
    said = turns(
        (0, "prompt", "user", 0, "Hi"),
        (0, "prompt", "assistant", 1, "Yes"),
        (0, "response", "user", 2, "No"),
        (1, "prompt", "user", 0, None),
    )
    assert ShortPrompts(most=10).compute(part_of(turns=said))["path"].to_list() == ["messages[0].content"]


def test_tokens_are_those_of_the_named_columns():
    cells = pl.LazyFrame({"row": [0, 0, 1], "path": ["sids[0]", "title", "sids"], "text": ["<a_1>", "<b_2>", "none"]})
    found = sid_tokens.SidTokens(named=("sids",)).compute(part_of(cells=cells, turns=cells.clear()))
    assert found.rows() == [(0, "<a_1>")]


def test_a_solution_has_something_in_it():
    said = turns((0, "answer", None, 0, "1 + 1 = 2"), (1, "answer", None, 0, " #### 2"))
    assert solutions.Solutions(of="answer").compute(part_of(turns=said))["row"].to_list() == [0]


def test_who_answers_is_the_assistant():
    said = turns((0, "prompt", "user", 0, "a"), (0, "prompt", "user", 1, "b"), (0, "response", "assistant", 2, "c"))
    assert swapped_sides._shapes(said).collect()["mine"].to_list() == [False, True]


def test_a_boxed_gold_is_what_its_last_box_holds():
    assert tasks._form(r"\boxed{3}, so \boxed{12}") == tasks._form("12")


def test_the_last_answer_is_the_one_behind_all_others():
    said = turns((0, "response", "assistant", 1, "one"), (0, "response", "assistant", 3, "two"))
    assert turn_texts.last_answers(said).collect()["text"].to_list() == ["two"]
    assert (
        turn_texts.turn_texts(
            part_of(turns=said, cells=said.rename({"role": "json_type"}).with_columns(path=pl.lit("solution")))
        )
        .collect()
        .height
        == 2
    )
