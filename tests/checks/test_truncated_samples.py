import json
import shutil

import pytest
from chat_helpers import CHATML, make_tokenizer, token_run

from datacheck.chat.samples import samples
from datacheck.check import Ratio, Status
from datacheck.checks.truncated_samples import TruncatedSamples
from datacheck.contract.load import load_contract
from datacheck.engine.plan import make_plan
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun, limits_of, load_model, reader, renderer
from datacheck.testing import dataset, finding, jsonl, measure
from datacheck.trainers.base import UNSEEN

# Letters that never stand together in what the tokenizer was trained on: one token each.
ROWS = dataset(
    "user: xqxqxq | assistant: zjzjzj", "user: " + "xq" * 40 + " | assistant: zj", "user: xq | assistant: " + "zj" * 40
)


@pytest.fixture
def cut(tokenizer_folder):
    """The check with the small tokenizer and these settings of the run."""
    return lambda **run: TruncatedSamples(run=token_run(tokenizer_folder, **run))


def lengths(folder, rows):
    """Tokens of each row by transformers, and which of them are trained."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    for row in rows:
        out = tokenizer.apply_chat_template(row["messages"], return_dict=True, return_assistant_tokens_mask=True)
        yield len(out["input_ids"]), out["assistant_masks"]


def expected(folder, rows, limit, side):
    cut = answer_cut = lost = 0
    for length, mask in lengths(folder, rows):
        kept = mask[:limit] if side == "right" else mask[-limit:]
        cut += length > limit
        answer_cut += sum(kept) < sum(mask)
        lost += sum(kept) == 0 < sum(mask)
    return cut, answer_cut, lost


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("limit", [10, 30, 60, 1000])
def test_as_transformers_counts(cut, tokenizer_folder, limit, side):
    result = measure(cut(max_length=limit, truncation=side), ROWS)
    counts = tuple(result.value(name).n for name in ("rate", "answer_cut", "answer_lost"))
    assert counts == expected(tokenizer_folder, ROWS, limit, side)


def test_the_limit_itself_is_fine(cut, tokenizer_folder):
    longest = max(length for length, _ in lengths(tokenizer_folder, ROWS))
    assert measure(cut(max_length=longest), ROWS).value("rate") == Ratio(0, 3)
    assert measure(cut(max_length=longest - 1), ROWS).value("rate").n > 0


def test_places_say_what_is_lost(cut):
    result = measure(cut(max_length=60), ROWS)
    assert result.places == [(1, "messages", "answer_lost"), (2, "messages", "answer_cut")]
    left = measure(cut(max_length=60, truncation="left"), ROWS)
    assert left.places == [(1, "messages", "prompt_cut"), (2, "messages", "answer_cut")]


def test_tokens_lost_are_counted(cut, tokenizer_folder):
    totals = [length for length, _ in lengths(tokenizer_folder, ROWS)]
    lost = sum(max(length - 60, 0) for length in totals)
    assert measure(cut(max_length=60), ROWS).value("tokens_lost") == Ratio(lost, sum(totals))


def test_losing_an_answer_fails_and_cutting_some_warns(cut):
    assert finding(cut(max_length=60), ROWS).status is Status.FAIL
    assert finding(cut(max_length=60), ROWS[::2]).status is Status.WARN
    assert finding(cut(max_length=1000), ROWS).status is Status.PASS


def test_both_sides_of_a_pair_count_as_one_row(cut):
    pair = dataset("user: xq | chosen: " + "zj" * 40 + " | rejected: " + "zj" * 50)
    result = measure(cut(max_length=60), pair)
    assert result.value("rate") == Ratio(1, 1)
    assert result.places == [(0, "chosen", "answer_cut"), (0, "rejected", "answer_cut")]


def test_the_figure_shows_usual_lengths(cut):
    rows = dataset("user: " + "xq" * 300 + " | assistant: zj", "user: xq | assistant: zj")
    figure = measure(cut(max_length=60), rows).figures["cut_at"]
    assert dict(zip(figure["max_length"], figure["rows"], strict=True))["512"] == 1
    assert dict(zip(figure["max_length"], figure["rows"], strict=True))["1024"] == 0


def test_without_a_length_or_a_tokenizer_nothing_passes(cut):
    assert tuple(map(str, finding(cut(), ROWS).not_checked)) == (
        "no max_length: name the run's (run: {max_length: N})",
    )
    found = finding(TruncatedSamples(run=TokenRun(max_length=9)), ROWS)
    assert found.status is Status.ERROR


@pytest.mark.parametrize("name", ["kto_en_demo.json", "glaive_toolcall_zh_demo.json"])
@pytest.mark.parametrize("limit", [512, 1024])
def test_real_rows_as_transformers_cuts_them(realdata, tmp_path, name, limit):
    """With the tokenizer of minimind and a ChatML template; tool rows as plain words, as they stand in the file."""
    shutil.copytree(realdata / "tok_minimind/model", tmp_path / "tok")
    (tmp_path / "tok/chat_template.jinja").write_text(CHATML, encoding="utf-8")
    given = json.loads((realdata / "llama_factory/data" / name).read_text(encoding="utf-8"))
    names = {"human": "user", "gpt": "assistant", "function_call": "assistant", "observation": "tool"}
    rows = [
        {
            "messages": row.get("messages")
            or [{"role": names[m["from"]], "content": m["value"]} for m in row["conversations"]]
        }
        for row in given[:150]
    ]
    result = measure(TruncatedSamples(run=token_run(tmp_path / "tok", max_length=limit)), rows)
    counts = tuple(result.value(metric).n for metric in ("rate", "answer_cut", "answer_lost"))
    assert counts == expected(tmp_path / "tok", rows, limit, "right")
    assert counts[0] > 0


def test_all_checks_share_one_pass_over_the_rows(tmp_path):
    make_tokenizer(tmp_path / "tok")
    (tmp_path / "a.jsonl").write_bytes(jsonl(ROWS))
    checks = "[loss_mask_errors, truncated_samples, template_errors, overlong_samples]"
    run = "{tokenizer: tok, max_length: 60, trainer: trl.sft}"
    (tmp_path / "c.yaml").write_text(f"name: c\nrun: {run}\ndatasets: {{a: {{source: a.jsonl, checks: {checks}}}}}\n")
    steps = make_plan(load_contract(tmp_path / "c.yaml"))
    assert sum(type(s.work).__name__ == "Tokens" for s in steps) == 1


def trl(settings):
    return RunOf(trainer="trl.sft", settings=settings)


def test_the_named_trainer_cuts_by_its_own_settings(cut, tokenizer_folder):
    only = {"assistant_only_loss": True, "max_length": 60}
    result = measure(cut(trainer=trl(only)), ROWS)
    counts = tuple(result.value(metric).n for metric in ("rate", "answer_cut", "answer_lost"))
    assert counts == expected(tokenizer_folder, ROWS, 60, "right")
    result = measure(cut(trainer=trl({**only, "truncation_mode": "keep_end"})), ROWS)
    counts = tuple(result.value(metric).n for metric in ("rate", "answer_cut", "answer_lost"))
    assert counts == expected(tokenizer_folder, ROWS, 60, "left")
    result = measure(cut(trainer=trl({"max_length": None})), ROWS)
    assert result.value("rate") == Ratio(0, 3)
    assert "the named trainer cuts nothing with these settings" in result.not_checked


def test_shares_of_prompt_and_answer_as_llama_factory_cuts_them(cut, tokenizer_folder):
    """Its infer_seqlen, by hand: both are longer than half of the limit, so the answer gets its share, rounded down."""
    (row,) = dataset("user: " + "xq" * 40 + " | assistant: " + "zj" * 40)
    ((length, mask),) = lengths(tokenizer_folder, [row])
    source, target, limit = mask.index(1), sum(mask), 60
    names = {"user": "human", "assistant": "gpt"}
    sharegpt = {"conversations": [{"from": names[m["role"]], "value": m["content"]} for m in row["messages"]]}
    settings = {"formatting": "sharegpt", "cutoff_len": limit}
    check = cut(trainer=RunOf(trainer="llamafactory.sft", settings=settings))
    share = int(limit * (target / (source + target)))
    lost = (source - (limit - share)) + (target - share)
    result = measure(check, [sharegpt])
    assert result.value("tokens_lost").n == lost + length - source - target  # what follows the end token
    assert result.problems == [(0, "answer_cut")]


def test_rows_that_hold_nothing_to_render(cut):
    result = measure(cut(max_length=9), [{"a": 1}])
    assert result.value("tokens_lost") == 0
    assert result.not_checked


def test_the_shares_of_a_pair_are_made_for_its_longer_answer(cut):
    """PairwiseDatasetProcessor: one share for both answers, so the short one may lose its end although it would fit."""
    pair = {
        "conversations": [{"from": "human", "value": "xq" * 40}],
        "chosen": {"from": "gpt", "value": "zj" * 40},
        "rejected": {"from": "gpt", "value": "zj" * 15},
    }
    named = {"formatting": "sharegpt", "ranking": True, "columns.messages": "conversations",
             "columns.chosen": "chosen", "columns.rejected": "rejected", "cutoff_len": 60}  # fmt: skip
    result = measure(cut(trainer=RunOf(trainer="llamafactory.dpo", settings=named)), [pair])
    by_part = dict(result.evidence.select("where", "detail").iter_rows())
    source, chosen, rejected = 80 + 9, 80 + 2, 30 + 2  # letters, and tokens of the template by hand
    share = int(60 * (chosen / (source + chosen)))
    assert share < rejected
    assert by_part["chosen"].endswith(f"{share} of {chosen} trained ones")
    assert by_part["rejected"].endswith(f"{share} of {rejected} trained ones")


def test_history_that_is_masked_still_counts_turn_by_turn(tokenizer_folder):
    """mask_history: the last turn is served first and whole; of the turn before it a share of each side is left."""
    said = [("human", "xq" * 30), ("gpt", "zj" * 30), ("human", "xq"), ("gpt", "zj" * 5)]
    row = {"conversations": [{"from": role, "value": text} for role, text in said]}
    named = {"formatting": "sharegpt", "mask_history": True, "cutoff_len": 60}
    run = token_run(tokenizer_folder, trainer=RunOf(trainer="llamafactory.sft", settings=named))
    model = load_model(run.tokenizer)
    with renderer(model, None) as child:
        (sample,) = samples(reader(run, UNSEEN)(row), limits_of(run, model.tokenizer), child)
    last = sample.text.rindex("<|im_end|>\n<|im_start|>user")  # where the last turn begins
    start = sample.encoding.char_to_token(last) + 1
    assert {*range(start, len(sample.ids) - 1)} <= set(sample.kept)
    answer = sample.encoding.char_to_token(sample.text.index("zj"))
    first_prompt = sum(1 for at in sample.kept if at < answer)
    assert 0 < first_prompt < answer
    assert len(sample.kept) == 60
