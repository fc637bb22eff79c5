import json

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.constraint_errors import ConstraintErrors
from datacheck.testing import finding, measure

WORDS, SENTENCES = "length_constraints:number_words", "length_constraints:number_sentences"
COMMA, UPPER, LOWER = "punctuation:no_comma", "change_case:english_capital", "change_case:english_lowercase"
REPEAT, END = "combination:repeat_prompt", "startend:end_checker"
FREQUENCY, FORBIDDEN = "keywords:frequency", "keywords:forbidden_words"
COUNTED = ("unknown", "arguments", "conflicts", "unmet")


def row(*constraints, answer=None):
    found = {"instruction_id_list": [name for name, _ in constraints], "kwargs": [given for _, given in constraints]}
    asked = {"role": "user", "content": "Tell me of reefs."}
    if answer is None:
        return {"prompt": [asked], **found}
    return {"messages": [asked, {"role": "assistant", "content": answer}], **found}


def words(relation, number):
    return WORDS, {"relation": relation, "num_words": number}


def counts(*rows, **settings):
    result = measure(ConstraintErrors(**settings), rows)
    return [result.value(name).n for name in COUNTED], result.places


def test_rows_of_google_have_no_fault_but_five_that_nobody_can_follow(realdata):
    """Read by hand: the prompt that must be repeated holds a comma (1627, 3718) or a forbidden word (3371, 374), or says
    "right" twice where it may stand once (3369)."""
    data = (realdata / "ifeval/instruction_following_eval/data/input_data.jsonl").read_bytes()
    result = measure(ConstraintErrors(), data)
    assert [result.value(name) for name in COUNTED] == [Ratio(n, 541) for n in (0, 0, 5, 0)]
    keys = [json.loads(line)["key"] for line in data.splitlines()]
    assert {keys[at] for at, _ in result.problems} == {1627, 3718, 3371, 374, 3369}


@pytest.mark.parametrize(
    ("constraint", "argument", "problem"),
    [
        (words("at least", "300"), "num_words", "wrong_argument"),
        (words("at least", -1), "num_words", "wrong_argument"),
        (words("at least", True), "num_words", "wrong_argument"),
        (words("at most", 300), "relation", "wrong_argument"),
        (words(None, 300), "relation", "missing_argument"),
        (("keywords:letter_frequency", {"letter": "ab", "let_frequency": 2, "let_relation": "at least"}), "letter", "wrong_argument"),
        (("keywords:existence", {"keywords": "reef"}), "keywords", "wrong_argument"),
        (("keywords:existence", {"keywords": ["(reef"]}), "keywords", "wrong_argument"),
        (("language:response_language", {"language": "xx"}), "language", "wrong_argument"),
        ((REPEAT, {}), "prompt_to_repeat", "missing_argument"),
        ((COMMA, {"num_words": 3}), "num_words", "unknown_argument"),
        (("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"}),
         "nth_paragraph", "wrong_argument"),
    ],
)  # fmt: skip
def test_an_argument_that_google_does_not_take_as_it_is(constraint, argument, problem):
    assert counts(row(constraint)) == ([0, 1, 0, 0], [(0, f"kwargs[0].{argument}", problem)])


def test_what_loaders_make_of_arguments_is_no_fault():
    """Null for what other rows have, 300.0 for 300, and no object where none is needed."""
    given = {"num_words": 300.0, "relation": "at least", "num_bullets": None}
    assert counts(row((WORDS, given), (COMMA, None)))[0] == [0, 0, 0, 0]


def test_as_many_arguments_as_ids():
    rows = [{**row((COMMA, {})), "kwargs": [{}, {}]}, {**row((COMMA, {})), "kwargs": None}]
    found, places = counts(*rows)
    assert found == [0, 2, 0, 0]
    assert [problem for *_, problem in places] == ["uneven_arguments"] * 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (words("at least", 500), words("less than", 100)),
        (words("at least", 100), words("less than", 100)),
        ((UPPER, {}), (LOWER, {})),
        ((LOWER, {}), ("change_case:capital_word_frequency", {"capital_relation": "at least", "capital_frequency": 2})),
        ((UPPER, {}), ("language:response_language", {"language": "de"})),
        ((UPPER, {}), ("detectable_format:multiple_sections", {"section_spliter": "Day", "num_sections": 2})),
        (("detectable_format:number_bullet_lists", {"num_bullets": 2}),
         ("detectable_format:number_bullet_lists", {"num_bullets": 3})),
        ((END, {"end_phrase": "The end."}), (END, {"end_phrase": "Bye."})),
        ((COMMA, {}), (END, {"end_phrase": "So, good night."})),
        ((COMMA, {}), (REPEAT, {"prompt_to_repeat": "Write a poem, please."})),
        ((FORBIDDEN, {"forbidden_words": ["reef"]}), ("keywords:existence", {"keywords": ["Reef"]})),
        (("startend:quotation", {}), (REPEAT, {"prompt_to_repeat": "Write a poem."})),
    ],
)  # fmt: skip
def test_constraints_that_no_answer_can_follow_together(one, other):
    for pair in ((one, other), (other, one)):
        assert counts(row(*pair)) == ([0, 0, 1, 0], [(0, "instruction_id_list[1]", "excluded")])


@pytest.mark.parametrize(
    "pair",
    [
        (words("at least", 100), words("less than", 121)),
        ((SENTENCES, {"relation": "at least", "num_sentences": 1}), (SENTENCES, {"relation": "less than", "num_sentences": 2})),
        ((FREQUENCY, {"keyword": "war", "frequency": 8, "relation": "at least"}),
         (FREQUENCY, {"keyword": "peace", "frequency": 2, "relation": "less than"})),
        (("startend:quotation", {}), ("startend:quotation", {})),
        (("combination:two_responses", {}), words("at least", 300)),
        ((UPPER, {}), ("detectable_format:multiple_sections", {"section_spliter": "PART", "num_sections": 2})),
        ((END, {"end_phrase": "Good night."}), (END, {"end_phrase": "night."})),
    ],
)  # fmt: skip
def test_constraints_that_go_together_though_the_registry_lists_them_as_conflicts(pair):
    assert counts(row(*pair)) == ([0, 0, 0, 0], [])


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (words("at least", 3), "They are old", "They don-"),
        (words("less than", 3), "Old reefs", "They are old"),
        (("keywords:existence", {"keywords": ["reef"]}), "Reefs live", "They live"),
        ((FREQUENCY, {"keyword": "reef", "frequency": 2, "relation": "at least"}), "reef, REEF", "reef"),
        ((FORBIDDEN, {"forbidden_words": ["reef"]}), "reefs", "a reef."),
        (("keywords:letter_frequency", {"letter": "E", "let_frequency": 2, "let_relation": "less than"}), "the", "Eel"),
        (("length_constraints:number_paragraphs", {"num_paragraphs": 2}), "a\n***\nb\n***", "a\n***\nb\n***\nc"),
        (("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "So"}),
         "a\n\nSo, b", "a\n\nb"),
        (("detectable_content:number_placeholders", {"num_placeholders": 2}), "[a] [b]", "[a]"),
        (("detectable_content:postscript", {"postscript_marker": "P.S."}), "a\nP. S. b", "a\nPS b"),
        (("detectable_format:number_bullet_lists", {"num_bullets": 2}), "* a\n- b", "* a\n** b"),
        (("detectable_format:constrained_response", {}), "My answer is yes.", "Yes."),
        (("detectable_format:number_highlighted_sections", {"num_highlights": 2}), "*a* b *c*", "*a* **"),
        (("detectable_format:multiple_sections", {"section_spliter": "Day", "num_sections": 2}), "Day 1 a Day 2", "Day 1"),
        (("detectable_format:json_format", {}), '```json\n{"a": 1}\n```', "{a: 1}"),
        (("detectable_format:title", {}), "<<A>> b", "<< >> b"),
        (("combination:two_responses", {}), "a ****** b", "a ****** a"),
        ((REPEAT, {"prompt_to_repeat": "Say it."}), "say it. It.", "It."),
        ((END, {"end_phrase": "Bye."}), '"a bye."', "Bye. a"),
        ((UPPER, {}), "ALL OF IT", "All OF IT"),
        ((LOWER, {}), "all of it", "All of it"),
        ((COMMA, {}), "a b", "a, b"),
        (("startend:quotation", {}), '"a"', '"a'),
    ],
)  # fmt: skip
def test_an_answer_is_held_against_its_own_constraints(constraint, good, bad):
    rows = [
        row(constraint, answer=good),
        row(constraint, answer=bad),
        row(constraint, answer=f"<think>,</think>{good}"),
    ]
    assert counts(*rows) == ([0, 0, 0, 1], [(1, "messages[1].content", "not_followed")])


def test_what_is_not_computed_is_said():
    rows = [row((SENTENCES, {"relation": "less than", "num_sentences": 1}), answer="One. Two."), row((COMMA, {}))]
    result = measure(ConstraintErrors(), rows)
    assert result.value("unmet") == Ratio(0, 2)
    assert result.not_checked == ("2 rows with constraints have no answer that could be held against them",)


def test_a_keyword_that_is_a_pattern_is_not_run():
    """It may need for ever."""
    hostile = ("keywords:existence", {"keywords": ["(a+)+$"]})
    assert counts(row(hostile, answer="b"))[0] == [0, 0, 0, 0]


@pytest.mark.parametrize("dump", [json.dumps, repr, lambda value: json.dumps([json.dumps(value[0])])])
def test_the_ground_truth_of_open_instruct(dump):
    """Its registry knows more; a gold that holds constraints is no answer."""
    right = {"instruction_id": [COMMA, "count:count_unique"], "kwargs": [None, {"num_words": None}]}
    wrong = {"instruction_id": ["count:every_word", WORDS], "kwargs": [None, {"relation": "about", "num_words": 3}]}
    rows = [{"prompt": "Tell me of reefs.", "ground_truth": dump([each])} for each in (right, wrong)]
    found = [(1, "ground_truth", "unknown_id"), (1, "ground_truth", "wrong_argument")]
    assert counts(*rows) == ([1, 1, 0, 0], found)
    nested = [{"prompt": "Tell me.", "reward_model": {"ground_truth": dump([wrong])}}]
    assert [place for _, place, _ in counts(*nested)[1]] == ["reward_model.ground_truth"] * 2


def test_what_is_no_list_of_constraints_is_told_and_nothing_of_it_is_run(recwarn):
    texts = [
        "[{'instruction_id': __import__('os').getcwd()}]",
        "[{'instruction_id': ['\\d'], 'kwargs': [{}]}]",
        "[" * 5000 + "'instruction_id'",
    ]
    rows = [row((COMMA, {})), *({"prompt": "Tell me.", "ground_truth": text} for text in texts)]
    assert counts(*rows) == ([1, 0, 0, 0], [(2, "ground_truth", "unknown_id")])
    odd = [{**row((COMMA, {})), "instruction_id_list": ids} for ids in ("a", [None], [["a"]], {"a": 1}, 7, [])]
    assert counts(*odd)[0][0] == 5
    assert [*recwarn] == []


def test_ids_of_a_registry_of_ones_own():
    rows = [row(("my:own", {"n": 1})), row(("count:count_unique", {}))]
    assert counts(*rows)[0] == [2, 0, 0, 0]
    assert counts(*rows, known=["my:own"], registry="open_instruct")[0] == [0, 0, 0, 0]


def test_verdicts():
    assert finding(ConstraintErrors(), [row(("no:such", {}))]).status == Status.FAIL
    assert finding(ConstraintErrors(), [row((UPPER, {}), (LOWER, {}))]).status == Status.WARN
    assert finding(ConstraintErrors(), [row((COMMA, {}))]).status == Status.PASS
    assert finding(ConstraintErrors(), [{"prompt": "Tell me of reefs."}]).status == Status.ERROR
