"""MLX-LM: what the first row decides, which tokens are trained, and which rows no batch has."""

import pytest
from chat_helpers import make_tokenizer
from test_twin_tokens import TURNS, UNMARKED, A, Q, read, rows, said

from datacheck.contract.artifacts import hashed
from datacheck.features.tokens import load_model
from datacheck.trainers import trainer
from datacheck.trainers.base import Seen
from datacheck.trainers.batches import MlxLmBatches

MODE = trainer("mlx_lm.sft")


def test_the_first_row_says_what_all_are():
    settings, first = MODE.configured(None, {}), {"prompt": "q", "completion": "a", "messages": [Q, A]}
    told = MODE.read({"messages": [Q, A]}, settings, Seen.of([first, {"messages": [Q, A]}]))
    assert [(fate.reason, fate.where) for fate in told.fates] == [("missing_column", "prompt")]
    behind = Seen.of([{"messages": [Q, A]}, first])
    assert MODE.read(first, settings, behind).trained.messages == [Q, A]
    assert [fate.reason for fate in MODE.before(settings, Seen.of([{"q": "q"}, first]))] == ["no_shape"]


def test_with_the_prompt_masked_the_last_message_is_trained(tmp_path):
    folder = make_tokenizer(tmp_path, UNMARKED)
    model = load_model(hashed("tokenizer", "tok", folder)).tokenizer
    (whole,) = rows(folder, "mlx_lm.sft", [{"messages": TURNS}])
    assert -100 not in whole.examples[0].labels[1:]
    (masked,) = rows(folder, "mlx_lm.sft", [{"messages": TURNS}], mask_prompt=True)
    assert masked.examples[0].ids == whole.examples[0].ids
    assert said(model, masked.examples[0]) == ["the weather<|im_end|>\n"]
    (asked,) = rows(folder, "mlx_lm.sft", [{"messages": TURNS[:3]}], mask_prompt=True)
    assert said(model, asked.examples[0]) == ["<|im_start|>user\nmore<|im_end|>\n"]


def test_a_row_whose_prompt_fills_it_is_kept_and_trains_nothing(tmp_path):
    folder = make_tokenizer(tmp_path, UNMARKED)
    (masked,) = rows(folder, "mlx_lm.sft", [{"messages": TURNS}], mask_prompt=True)
    asked = masked.examples[0].labels.count(-100)
    (cut,) = rows(folder, "mlx_lm.sft", [{"messages": TURNS}], mask_prompt=True, max_seq_length=asked)
    assert cut.fate == "kept"
    assert set(cut.examples[0].labels) == {-100}
    (trained,) = read("mlx_lm.sft", {"prompt": "q", "completion": "a"}, mask_prompt=True)
    assert (trained.prompt, trained.response) == ([{"role": "user", "content": "q"}], [{**A, "content": "a"}])


@pytest.mark.parametrize(
    ("settings", "rows", "world", "broken", "unseen", "updates"),
    [
        ({}, 4001, 1, [], 1, 1000),
        ({}, 75_000, 1, ["rows_not_taken"], 0, 1000),
        ({"grad_accumulation_steps": 4}, 3, 1, ["no_batches"], 3, 0),
        ({"grad_accumulation_steps": 4, "iters": 3}, 12, 1, [], 0, 0),
        ({"batch_size": 6}, 600, 4, ["not_divisible"], 0, 1000),
    ],
)
def test_batches_are_counted_and_not_epochs(settings, rows, world, broken, unseen, updates):
    found = MlxLmBatches(**settings).arithmetic(rows, world)
    assert [one.rule for one in found.broken] == broken
    assert (found.unseen, found.updates) == (unseen, updates)
    fails = {one.rule for one in found.broken if one.fails}
    assert fails == set(broken) - {"rows_not_taken"}
