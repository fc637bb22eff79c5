"""What TRL trains of a row, token by token: where a completion begins, the end token, both masks, its own templates.

The tokens were compared with those of TRL 1.16.0 as installed (benchmarks/installed_trainers.py).
"""

import hashlib

import pytest
from chat_helpers import CHATML, UNMARKED, make_tokenizer

from datacheck.contract.artifacts import hashed
from datacheck.features.agreement import differs, disagreements, expected
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.trainers import trl_sft
from datacheck.trainers.base import Seen
from datacheck.trainers.probes.asking import ProbedExample, ProbedRow

Q, A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}


def rows(folder, mode, records, **settings):
    run = TokenRun(tokenizer=hashed("tokenizer", "tok", folder), trainer=RunOf(trainer=mode, settings=settings))
    return expected(run, records, Seen.of(records, typed="datasets 5"))


def trained(row):
    return [[label for label in example.labels if label != -100] for example in row.examples]


@pytest.fixture
def whole(tmp_path):
    return make_tokenizer(tmp_path / "whole", CHATML)


def test_a_completion_begins_where_both_part(whole):
    """`ab` + `c` are other tokens than `abc`: what differs is trained, and not what merely has its place."""
    for prompt, completion in (("the wea", "ther"), ("Beij", "ing today"), ("What", " is")):
        (row,) = rows(whole, "trl.sft", [{"prompt": prompt, "completion": completion}])
        (alone,) = rows(whole, "trl.sft", [{"text": prompt}])
        ids, before = row.examples[0].ids, alone.examples[0].ids
        shared = next(n for n, (one, two) in enumerate(zip(ids, before, strict=False)) if one != two)
        assert shared < len(before) - 1 or prompt == "What"  # the last token of `before` ends the text
        assert row.examples[0].labels == (-100,) * shared + ids[shared:]


def test_a_pair_begins_where_any_of_both_parts(whole):
    pair = {"prompt": [Q], "chosen": [A], "rejected": [{"role": "system", "content": "b"}]}
    (row,) = rows(whole, "trl.dpo", [pair])
    starts = [len([label for label in example.labels if label == -100]) for example in row.examples]
    assert starts[0] == starts[1]


WITHOUT_ROLE = {"content": "hello there"}
PASSING_OVER = (  # what has no role
    "{{ tools | length if tools else '' }}{% for m in messages if m.role %}<|im_start|>{{ m.role }} {{ m.content }}"
    "<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)


@pytest.mark.parametrize(
    ("mode", "good", "odd"),
    [
        ("trl.sft", {"prompt": [Q], "completion": [A]}, {"completion": [WITHOUT_ROLE, A]}),
        ("trl.kto", {"prompt": [Q], "completion": [A], "label": True}, {"completion": [WITHOUT_ROLE, A]}),
        ("trl.dpo", {"prompt": [Q], "chosen": [A], "rejected": [A]}, {"chosen": [WITHOUT_ROLE, A], "rejected": [WITHOUT_ROLE, A]}),
    ],
)  # fmt: skip
def test_messages_without_a_role_are_rendered_as_no_conversation(tmp_path, mode, good, odd):
    """Behind a first row that is one. Without tools, and the start of the answer behind the prompt is trained."""
    folder = make_tokenizer(tmp_path, PASSING_OVER)
    first, *rest = [rows(folder, mode, [good, {**good, **more, "tools": tools}])[1].examples[0]
                    for more, tools in (({}, []), ({**odd, "prompt": [WITHOUT_ROLE, Q]}, []),
                                        ({**odd, "prompt": [WITHOUT_ROLE, Q]}, [{"name": "f"}]))]  # fmt: skip
    assert rest[0] == rest[1]
    answered, opened = (sum(label != -100 for label in each.labels) for each in (first, rest[0]))
    assert opened > answered


def test_a_row_without_masks_stops_a_run_that_trains_answers_alone(whole):
    odd = {"prompt": [WITHOUT_ROLE, Q], "completion": [WITHOUT_ROLE, A]}
    made = rows(whole, "trl.sft", [{"prompt": [Q], "completion": [A]}, odd], assistant_only_loss=True)
    assert [row.fate for row in made] == ["kept", "failed"]


def test_a_margin_is_looked_at_when_rows_that_are_too_long_are_gone(whole):
    pairs = [{"chosen": text, "rejected": "q", "margin": {"value": 1}} for text in ("q", "q a b c d e f g")]
    assert [row.fate for row in rows(whole, "trl.reward", pairs, max_length=6)] == ["failed", "dropped"]


def test_an_empty_text_as_margin_is_a_list_of_no_letters(whole):
    (row,) = rows(whole, "trl.reward", [{"chosen": "q", "rejected": "a", "margin": ""}])
    assert row.fate == "kept"


@pytest.mark.parametrize(
    ("mode", "row", "kept"),
    [
        ("trl.dpo", {"prompt": True}, "-0.0"),
        ("trl.dpo", {}, "0.0"),  # the prompt is cut off, which writes both sides anew
        ("trl.kto", {"prompt": True}, "0.0"),  # and to part them writes them, too
    ],
)
def test_numbers_of_json_columns_are_written_anew_by_each_step(tmp_path, mode, row, kept):
    """-1e-11 is -0.0 the first time, and 0.0 the second; by TRL 1.16.0 with pandas 3.1.1."""
    folder = make_tokenizer(tmp_path, "{% for m in messages %}{{ m.x ~ m.content }}|{% endfor %}")
    asked, sides = [Q, {"role": "user", "content": "c", "x": -1e-11}], {"chosen": [A], "rejected": [Q]}
    pair = {"prompt": asked, **sides} if row else {name: [*asked, *side] for name, side in sides.items()}
    (made,) = rows(folder, mode, [pair])
    spelt = [{"role": "user", "content": f"q|{kept}c|"}]
    assert made.examples[0].ids[:4] == rows(folder, "trl.sft", [{"messages": spelt}])[0].examples[0].ids[:4]


def orpo(whole, prompt, chosen="ther", rejected=" b", **settings):
    pair = {"prompt": prompt, "chosen": chosen, "rejected": rejected}
    (row,) = rows(whole, "trl.orpo", [pair], **settings)
    return row


def test_orpo_puts_a_token_back_that_prompt_and_answer_share(whole):
    """`Be|ij` is no beginning of `Be|ijing| today`; a prompt of more tokens than the whole stops the run."""
    (both,) = rows(whole, "trl.sft", [{"text": "Beijing today"}])
    row = orpo(whole, "Beij", "ing today", " b")
    assert row.examples[0].ids == both.examples[0].ids
    assert [sum(label == -100 for label in example.labels) for example in row.examples] == [1, 2]
    assert orpo(whole, "the wea", "ther", " b").fate == "failed"


def test_orpo_puts_a_bos_before_what_has_none(tmp_path):
    folder = make_tokenizer(tmp_path / "bos", CHATML, bos_token="<|im_start|>")
    plain, begun = orpo(folder, "q", " a", " b"), orpo(folder, "<|im_start|>q", " a", " b")
    assert plain == begun
    assert plain.examples[0].labels[0] == -100
    assert orpo(folder, "", "a", "b").examples[0].ids[0] == plain.examples[0].ids[0]


def test_orpo_cuts_answers_and_never_the_prompt(whole):
    full = orpo(whole, "What is it", " a b c d", " e")
    skipped = sum(label == -100 for label in full.examples[0].labels)
    cut = orpo(whole, "What is it", " a b c d", " e", max_length=skipped + 2)
    assert [example.ids for example in cut.examples] == [each.ids[: skipped + 2] for each in full.examples]
    none = orpo(whole, "What is it", " a b c d", " e", max_length=2)
    assert none.fate == "kept"
    assert [len(example.ids) for example in none.examples] == [skipped] * 2
    assert trained(none) == [[], []]


def test_orpo_goes_on_where_the_prompts_last_answer_ends(whole):
    said = [Q, {**A, "content": "the wea "}]
    row = orpo(whole, said, [A], [{**A, "content": "b"}])
    (whole_row,) = rows(whole, "trl.sft", [{"messages": [*said, A]}])
    (prompt,) = rows(whole, "trl.sft", [{"messages": said}])
    assert row.examples[0].ids[:-1] == whole_row.examples[0].ids  # a line break ends it: one more end token
    skipped = sum(label == -100 for label in row.examples[0].labels)
    assert 0 < skipped < len(prompt.examples[0].ids)  # what ends the turn is the answer's
    refused = orpo(whole, [Q, {**A, "content": [{"type": "text"}]}], [A], [{**A, "content": "b"}])
    assert refused.fate == "failed"


def test_text_is_ended(whole):
    (text,) = rows(whole, "trl.sft", [{"text": "你好"}])
    (twice,) = rows(whole, "trl.sft", [{"text": "你好" + "<|im_end|>"}])
    assert text.examples[0].ids[-1] == twice.examples[0].ids[-1] != text.examples[0].ids[-2]
    beside = rows(whole, "trl.sft", [{"messages": [Q, A]}, {"text": "你好"}])[1]
    assert beside.examples[0].ids == text.examples[0].ids[:-1]


def test_of_a_completion_the_assistants_tokens_alone(whole):
    both = {"prompt": [Q, A, Q], "completion": [A]}
    (row,) = rows(whole, "trl.sft", [both], assistant_only_loss=True)
    (completion,) = rows(whole, "trl.sft", [both])
    assert trained(row)[0] == trained(completion)[0][: len(trained(row)[0])]
    assert len(trained(row)[0]) < len(trained(completion)[0])


def test_the_template_is_replaced_by_that_of_trl(tmp_path, monkeypatch):
    folder = make_tokenizer(tmp_path / "plain", UNMARKED)
    record = {"messages": [Q, A]}
    assert [row.fate for row in rows(folder, "trl.sft", [record], assistant_only_loss=True)] == ["failed"]
    known = {hashlib.sha256(UNMARKED.encode()).hexdigest(): "qwen3_training.jinja"}
    monkeypatch.setattr(trl_sft, "_training_templates", lambda: known)
    (row,) = rows(folder, "trl.sft", [record], assistant_only_loss=True)
    assert row.fate == "kept"
    assert trained(row)[0]
    (every,) = rows(folder, "trl.sft", [record])
    assert len(every.examples[0].ids) < len(row.examples[0].ids)  # an empty thought stands before the answer


def test_every_training_template_is_there_and_marks_what_the_assistant_says():
    folder = trl_sft._TEMPLATES
    for name in trl_sft._training_templates().values():
        assert "generation %}" in (folder / name).read_text(encoding="utf-8")
    assert {path.name for path in folder.glob("*.jinja")} == set(trl_sft._training_templates().values())


def test_dates_reach_the_template_by_the_name_of_their_type(whole):
    (row,) = rows(
        whole, "trl.sft", [{"messages": [{"role": "user", "content": "2024-01-01"}, {**A, "content": "2024-01-02"}]}]
    )
    (named,) = rows(
        whole, "trl.sft", [{"messages": [{"role": "user", "content": "<datetime>"}, {**A, "content": "<datetime>"}]}]
    )
    assert row.examples == named.examples
    assert rows(whole, "trl.sft", [{"text": "2024-01-01"}])[0].fate == "failed"


def test_differences_have_a_name():
    one, two = ProbedExample((1, 2), (-100, 2)), ProbedExample((1, 3), (-100, 3))
    assert differs(ProbedRow("kept", (one,)), ProbedRow("kept", (one,))) is None
    assert differs(ProbedRow("kept", (one,)), ProbedRow("dropped")) == "fate"
    assert differs(ProbedRow("kept", (one,)), ProbedRow("kept", (two,))) == "tokens"
    assert differs(ProbedRow("kept", (one,)), ProbedRow("kept", (one._replace(labels=(-100, -100)),))) == "labels"
    first = one._replace(labels=(1, 2))  # nothing predicts the first token
    assert differs(ProbedRow("kept", (one,)), ProbedRow("kept", (first,))) is None
    assert differs(ProbedRow("unknown"), ProbedRow("kept")) is None


def test_a_row_that_stops_the_run_is_taken_out_before_types_are_looked_at(whole):
    run = TokenRun(tokenizer=hashed("tokenizer", "tok", whole), trainer=RunOf(trainer="trl.sft"))
    records = [{"messages": [Q, A]}, {"messages": []}, {"messages": [Q, A]}]
    kept = expected(run, records[:1], Seen.of(records[:1], typed="datasets 5"))[0]
    theirs = [kept, ProbedRow("failed", (), "IndexError", "trl/data_utils.py:159"), kept]
    assert disagreements(run, records, theirs) == [None, None, None]
    assert disagreements(run, records, [kept, kept, kept]) == [None, "fate", None]
