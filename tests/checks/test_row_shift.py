import json
from random import Random

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.row_shift import RowShift
from datacheck.testing import finding, measure

OTHERS = ["the colour of it", "how long it lives", "where it is found", "what it is made of"]


def pairs(rows, seed=1):
    """Made-up things, each asked of once: a question and its answer share two words that no other row has."""
    random = Random(seed)
    names = [["".join(random.choices("bcdfghklmnprstvz", k=9)) for _ in range(2)] for _ in range(rows)]
    return [
        (f"What about {one} {two}, {OTHERS[n % 4]}?", f"The {one} {two} is grey.") for n, (one, two) in enumerate(names)
    ]


def records(asked_and_told):
    return [{"question": asked, "answer": told} for asked, told in asked_and_told]


def chats(asked_and_told):
    return [
        {"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": told}]}
        for asked, told in asked_and_told
    ]


def test_good_rows_are_not_suspected():
    assert measure(RowShift(), chats(pairs(300))).value("rate") == Ratio(0, 300)
    assert finding(RowShift(), chats(pairs(30))).status in (Status.INFO, Status.PASS)


@pytest.mark.parametrize("step", [-1, 1])
def test_a_column_that_slipped_by_a_row(step):
    rows = pairs(60)
    slipped = [(asked, rows[(n + step) % 60][1] if 20 <= n < 30 else told) for n, (asked, told) in enumerate(rows)]
    result = measure(RowShift(), chats(slipped))
    assert {problem for *_, problem in result.places} == {"shifted"}
    assert sorted(place["line"] - 1 for place in result.first) == [*range(20, 30)]
    assert {place["other"] for place in result.first} == {f"train/data.jsonl:{n + step + 1}" for n in range(20, 30)}


def slipped(rows):
    return [(asked, rows[n - 1][1] if 20 <= n < 30 else told) for n, (asked, told) in enumerate(rows)]


@pytest.mark.parametrize(
    "record",
    [
        lambda asked, told: {"question": asked, "answer": f"{told}\n#### 5"},
        lambda asked, told: {"question": asked, "solution": told, "answer": "5"},
        lambda asked, told: {"prompt": asked, "chosen": told, "rejected": "No."},
    ],
)
def test_worked_solutions_and_chosen_answers_slip_as_well(record):
    rows = pairs(60)
    good = [record(*row) for row in rows]
    bad = [record(*row) for row in slipped(rows)]
    assert measure(RowShift(), good).value("shifted") == Ratio(0, 60)
    assert measure(RowShift(), bad).value("shifted") == Ratio(10, 60)
    assert finding(RowShift(), bad).status is Status.WARN


def test_bare_golds_are_no_answers_that_could_slip():
    rows = [{"question": asked, "answer": " ".join(told.split()[:3])} for asked, told in slipped(pairs(60))]
    assert measure(RowShift(), rows).value("shifted") == Ratio(0, 60)


def test_windows_over_one_text_are_no_shift():
    script = [
        f"[ANNE] The {one} {two} of this house, I say." for one, two in (told.split()[1:3] for _, told in pairs(80))
    ]
    rows = [("\n".join(script[n : n + 4]), "\n".join(script[n + 4 : n + 6])) for n in range(0, 70, 2)]
    assert measure(RowShift(), chats(rows)).value("rate").n == 0


def test_lines_of_a_drama_go_on_and_are_no_shift():
    rows = pairs(400)
    said = [told for _, told in rows]
    scenes = [(asked, f"{told} {rows[n + 1][0] if n % 4 == 0 else ''}") for n, (asked, told) in enumerate(rows[:-1])]
    for table, shifted in ((scenes, 0), (rows[:-1], 10)):  # the same ten answers, beside lines that go on and others
        slipped = [(asked, said[n + 1] if 40 <= n < 50 else told) for n, (asked, told) in enumerate(table)]
        assert measure(RowShift(), chats(slipped)).value("shifted") == Ratio(shifted, 399)


def test_labels_of_a_judge_are_no_variables():
    def judged(gold):
        asked = ["Which is true, (A) or (B)?", "Which word is the longer one, $x$ or the other?"]
        return [{"question": f"{n}: {asked[n % 2]}", "answer": gold(n)} for n in range(200)]

    assert measure(RowShift(), judged(lambda n: "A>B" if n % 3 else "B>A")).value("strange").n == 0
    formulas = measure(RowShift(), judged(lambda n: f"A + {n}B"))
    assert formulas.value("strange").n == 100


def test_two_that_changed_places_do_not_warn():
    rows = pairs(40)
    rows[7], rows[8] = (rows[7][0], rows[8][1]), (rows[8][0], rows[7][1])
    assert measure(RowShift(), chats(rows)).value("shifted") == Ratio(0, 40)


def test_two_neighbours_that_changed_places():
    rows = pairs(40)
    rows[7], rows[8] = (rows[7][0], rows[8][1]), (rows[8][0], rows[7][1])
    result = measure(RowShift(), chats(rows))
    assert [(place["line"], place["problem"]) for place in result.first] == [(8, "exchanged"), (9, "exchanged")]
    assert result.evidence["row"].null_count() == 2  # named for people to read, and never dropped


def moved(rows, places):
    """The answers of some rows handed round: each to the row of the place before."""
    answers = dict(zip(places, [rows[n][1] for n in (*places[1:], places[0])], strict=True))
    return [(asked, answers.get(n, told)) for n, (asked, told) in enumerate(rows)]


@pytest.mark.parametrize("places", [(3, 30, 55), (3, 22, 47, 90, 110, 61)])
def test_answers_that_were_moved_far_away_are_named_with_their_question(places):
    result = measure(RowShift(), chats(moved(pairs(120), places)))
    assert {problem for *_, problem in result.places} == {"misplaced"}
    assert {place["line"] - 1: place["other"] for place in result.first} == {
        n: f"train/data.jsonl:{m + 1}" for n, m in zip(places, (*places[1:], places[0]), strict=True)
    }
    assert result.value("misplaced") == Ratio(len(places), 120)
    assert finding(RowShift(), chats(moved(pairs(120), places))).status is Status.WARN


def test_what_topics_of_a_set_explain_is_no_move():
    """A third of the answers speak of things of other rows, whose questions are answered as often as not."""
    rows, random = pairs(600), Random(3)
    answered = [told if n % 3 else rows[random.randrange(600)][1] for n, (_, told) in enumerate(rows)]
    topics = [(asked, told) for (asked, _), told in zip(rows, answered, strict=True)]
    assert measure(RowShift(), chats(topics)).value("misplaced").n == 0


def test_an_answer_that_fits_all_that_is_asked_is_where_it_belongs():
    """Its words stand in an earlier turn, which the short comparison does not see."""
    rows = moved(pairs(120), (3, 30, 55))
    heard = [
        [{"role": "user", "content": told}, {"role": "assistant", "content": "Go on."}] if n in (3, 30, 55) else []
        for n, (_, told) in enumerate(rows)
    ]
    long = [{"messages": [*before, *chat["messages"]]} for before, chat in zip(heard, chats(rows), strict=True)]
    assert measure(RowShift(), long).value("misplaced").n == 0


def test_two_in_a_row_are_not_enough():
    rows = pairs(40)
    slipped = [(asked, rows[n - 1][1] if n in (10, 11) else told) for n, (asked, told) in enumerate(rows)]
    assert measure(RowShift(), chats(slipped)).value("rate") == Ratio(0, 40)


def test_of_large_data_stretches_are_looked_at_and_it_is_said():
    result = measure(RowShift(rows=100), chats(pairs(500)))
    assert result.value("rate").of == 104  # eight stretches of thirteen
    assert result.not_checked == ("396 rows were not looked at (without question or answer, or beyond `rows`)",)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dpo_en_demo.json", "glaive_toolcall_zh_demo.json", "identity.json"])
def test_public_rows_are_where_they_belong(realdata, name):
    rows = json.loads((realdata / "llama_factory" / "data" / name).read_text(encoding="utf-8"))
    value = measure(RowShift(), rows).value("rate")
    assert value.n == 0


def algebra(shuffled):
    """Questions of two of the letters each, and golds of the same two; of some rows the golds are shuffled."""
    letters = "abmnpq"
    pairs = [(one, other) for one in letters for other in letters if one < other] * 6
    told = [f"{one} ^ 2 - {n} {other}" for n, (one, other) in enumerate(pairs)]
    some = told[:shuffled]
    Random(1).shuffle(some)
    rows = zip(pairs, some + told[shuffled:], strict=True)
    return records([(f"计算 $( {one} - {other} ) ( {one} + {other} )$ ?", gold) for (one, other), gold in rows])


def strange(rows):
    found = measure(RowShift(), rows).evidence
    return [line for line, problem in found.select("line", "problem").iter_rows() if problem == "strange"]


@pytest.mark.parametrize(("shuffled", "warns"), [(0, False), (26, True), (90, True)])
def test_golds_with_the_variables_of_another_question(shuffled, warns):
    """Truth: a gold was moved to a question with none of its letters, or was not."""
    lines = strange(algebra(shuffled))
    assert (len(lines) > 5) == warns
    assert all(line <= shuffled for line in lines)
    assert (finding(RowShift(), algebra(shuffled)).status is Status.WARN) == warns


def test_what_an_answer_brings_along_is_no_variable_of_another_row():
    """Sets, units, powers of ten, the imaginary unit, letters of options, and names that the answer gives.

    The letters stand on both sides elsewhere, so that they tell where an answer belongs.
    """
    golds = ["a = 1", "$\\mathbb{b}$", "2450 \\mathrm{m}", "A, B", "2 i", "b(m) = 3", "-2 x 10^5 \\mathrm{m}"]
    usual = [
        (f"Multiply out ${letter} ({letter} + {n})$.", f"{letter}^2 + {n} {letter}")
        for letter in "abmAix"
        for n in range(9)
    ]
    rows = records([*usual, *((f"Find it for $p$ and $q$, number {n}.", gold) for n, gold in enumerate(golds))])
    assert strange(rows) == []


def test_letters_beside_prose_are_no_variables():
    """Options of an exam in physics, as texts: symbols of units and elements among sentences."""
    prose = records([(f"What is said of case {n}?", f"It is the same as in case {n}.") for n in range(90)])
    assert strange([*algebra(26), *prose]) == []


def test_options_of_the_next_row():
    made = pairs(60)
    rows = [{"question": q, "options": [told, "None of them."], "answer": "A"} for q, told in made]
    assert measure(RowShift(), rows).value("shifted") == Ratio(0, 60)
    for n in range(20, 30):
        rows[n]["options"] = [made[n + 1][1], "None of them."]
    assert measure(RowShift(), rows).value("shifted") == Ratio(10, 60)
