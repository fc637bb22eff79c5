"""Unsloth: what its notebooks do before and behind TRL's trainer, and which tokens markers leave to be trained.

Tokens and labels were compared with those of the installed package (benchmarks/installed_trainers.py).
"""

import json

import pytest
from chat_helpers import CHATML, UNMARKED, artifact, make_tokenizer
from test_twin_tokens import TURNS, A, Q, read, rows, said

from datacheck.chat.conversations import trained_as
from datacheck.chat.samples import samples
from datacheck.contract.artifacts import hashed
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun, limits_of, load_model, renderer
from datacheck.trainers import trainer
from datacheck.trainers.base import Seen
from datacheck.trainers.batches import UnslothRows
from datacheck.trainers.settings import SettingsError

MODE = trainer("unsloth.sft")
PARTS = {"instruction_part": "<|im_start|>user\n", "response_part": "<|im_start|>assistant\n"}
ANSWERS = {"train_on_responses_only": True, **PARTS}
SHARED = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
NOTEBOOK = {"standardize_sharegpt": True, "apply_chat_template": "conversations"}
TOLD = ["more<|im_end|>", "the weather<|im_end|>"]


@pytest.fixture
def folder(tmp_path):
    return make_tokenizer(tmp_path, UNMARKED)


def trained_of(folder, record, **settings):
    (row,) = rows(folder, "unsloth.sft", [record], **settings)
    return [] if row.fate != "kept" else said(load_model(hashed("tokenizer", "tok", folder)).tokenizer, row.examples[0])


def test_between_markers_answers_are_trained_with_their_end(folder):
    record = {"messages": [Q, {**A, "content": "more"}, *TURNS[-2:]]}
    assert trained_of(folder, record, **ANSWERS) == TOLD
    assert trained_of(folder, record, **ANSWERS, last_response_only=True) == TOLD[1:]
    assert trained_of(folder, record, **ANSWERS, mask_out_tokens="<|im_end|>") == ["more", "the weather"]


@pytest.mark.parametrize("settings", [{"train_on_responses_only": True}, {"assistant_only_loss": True}])
def test_markers_that_nobody_names_are_found_in_the_template(folder, settings):
    record = {"messages": [Q, {**A, "content": "more"}, *TURNS[-2:]]}
    assert trained_of(folder, record, **settings) == TOLD


def test_marks_of_the_template_come_before_markers(tmp_path):
    """This template trains its end token alone."""
    template = CHATML.replace("{% generation %}{{ message['content'] + '<|im_end|>' }}",
                              "{{ message['content'] }}{% generation %}{{ '<|im_end|>' }}")  # fmt: skip
    folder = make_tokenizer(tmp_path, template)
    assert trained_of(folder, {"messages": [Q, A]}, assistant_only_loss=True) == ["<|im_end|>"]
    assert trained_of(folder, {"messages": [Q, A]}, train_on_responses_only=True) == ["a<|im_end|>"]


def test_a_row_without_an_answer_by_its_markers_is_left_out(folder):
    records = [{"messages": [Q, A]}, {"messages": [Q]}, {"messages": [Q, A]}]
    assert [row.fate for row in rows(folder, "unsloth.sft", records, **ANSWERS)] == ["kept", "dropped", "kept"]
    (whole,) = rows(folder, "unsloth.sft", records[:1])
    before = len(whole.examples[0].ids) - 3  # the answer, its end, a line break
    cut = [rows(folder, "unsloth.sft", records[:1], **ANSWERS, max_seq_length=n)[0].fate for n in (before, before + 1)]
    assert cut == ["dropped", "kept"]
    other = {**ANSWERS, "response_part": "<|start_header_id|>assistant"}
    assert rows(folder, "unsloth.sft", records[:1], **other)[0].fate == "dropped"


def test_what_is_cut_off_is_told_as_lost_and_not_as_a_wrong_mask(folder):
    run = TokenRun(
        tokenizer=artifact(folder), trainer=RunOf(trainer="unsloth.sft", settings={**ANSWERS, "max_seq_length": 12})
    )
    model = load_model(run.tokenizer)
    asked = trained_as(MODE.read({"messages": [Q, A]}, run.trainer.settings_read(), Seen()).trained)
    with renderer(model, None, run.trainer) as child:
        (sample,) = samples(asked, limits_of(run, model.tokenizer), child)
    assert (sample.by, sum(sample.labels), len(sample.kept)) == ("markers", 2, 12)
    assert [fault.problem for fault in sample.faults] == ["trained_lost"]


def test_a_prompt_that_fills_a_row_is_kept_and_trains_nothing(folder):
    (row,) = rows(folder, "unsloth.sft", [{"prompt": [Q], "completion": [A]}], max_seq_length=9)
    assert row.fate == "kept"
    assert set(row.examples[0].labels) == {-100}


def test_no_end_token_is_put_behind_texts_but_behind_completions(folder):
    end = load_model(hashed("tokenizer", "tok", folder)).tokenizer.id_of("eos_token")
    (text,) = rows(folder, "unsloth.sft", [{"text": "the weather"}])
    (answer,) = rows(folder, "unsloth.sft", [{"prompt": "the ", "completion": "weather"}])
    assert end not in text.examples[0].ids
    assert answer.examples[0].ids[-1] == end


def test_one_beginning_is_taken_away_by_what_the_first_row_says(tmp_path):
    """A tokenizer that puts a token before each text, which a template or a text may have written already."""
    folder = make_tokenizer(tmp_path, UNMARKED, bos_token="<|endoftext|>")
    whole = json.loads((folder / "tokenizer.json").read_text())
    (bos,) = (token["id"] for token in whole["added_tokens"] if token["content"] == "<|endoftext|>")
    begin, text = ({"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}})
    whole["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [begin, text],
        "pair": [begin, text, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<|endoftext|>": {"id": "<|endoftext|>", "ids": [bos], "tokens": ["<|endoftext|>"]}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole))

    def begins(*records, **settings):
        return [row.examples[0].ids.count(bos) for row in rows(folder, "unsloth.sft", records, **settings)]

    assert begins({"text": "the"}, {"text": "<|endoftext|>the"}) == [1, 2]
    assert begins({"text": "<|endoftext|>the"}, {"text": "the"}) == [1, 0]
    assert begins({"conversations": SHARED}, **NOTEBOOK) == [1]
    assert begins({"messages": [Q, A]}) == [0]


def test_sharegpt_is_standardized(folder):
    (one,) = read("unsloth.sft", {"conversations": [{"from": " Human", "value": "q"}, SHARED[1]]}, **NOTEBOOK)
    assert one.messages == [Q, A]
    (two,) = read("unsloth.sft", {"conversations": [{"speaker": "input", "said": "q"}, {"speaker": "output", "said": "a"}]},
                  **NOTEBOOK)  # fmt: skip
    assert two.messages == [Q, A]
    (third,) = rows(folder, "unsloth.sft", [{"conversations": SHARED}], **NOTEBOOK)
    (same,) = rows(folder, "unsloth.sft", [{"messages": [Q, A]}])
    assert third == same
    settings = MODE.configured(None, NOTEBOOK)
    told = MODE.read({"conversations": SHARED}, settings, Seen(first={"conversations": 1}))
    assert told.trained.messages == [Q, A]


def test_the_first_row_says_whether_prompts_are_conversations():
    settings, first = MODE.configured(None, {}), {"prompt": [Q], "completion": [A]}
    told = MODE.read({"prompt": [Q], "completion": "a"}, settings, Seen.of([first]))
    assert [fate.reason for fate in told.fates] == ["mixed_kinds"]


def test_contents_that_all_are_dates_stop_the_run():
    record = {"prompt": [{**Q, "content": "2024-01-01T10:20:30"}], "completion": [A]}
    told = MODE.read(record, MODE.configured(None, {}), Seen.of([record], typed=MODE.typed))
    assert [fate.reason for fate in told.fates] == ["content_dated"]


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ({}, 2048),
        ({"max_length": 1024}, 2048),  # TRL's default counts as not given
        ({"max_length": 512}, 512),
        ({"max_length": 4096, "max_seq_length": 100}, 100),
    ],
)
def test_the_shorter_length_counts(settings, limit):
    assert MODE.cut(MODE.configured(None, settings)).limit == limit


def test_settings_of_a_wrong_type_are_refused():
    with pytest.raises(SettingsError, match="max_seq_length"):
        MODE.configured(None, {"max_seq_length": "long"})


def test_unsloth_has_batches_of_its_own():
    found = UnslothRows().arithmetic(80, 1)
    assert (found.rollouts, found.updates, found.warmup) == (20, 30, 3)
