"""What LLaMA-Factory, ms-swift and verl train of a row, token by token.

The tokens were compared with those of the installed packages (benchmarks/installed_trainers.py).
"""

import datetime as dt

import pytest
from chat_helpers import CHATML, UNMARKED, make_tokenizer

from datacheck.contract.artifacts import hashed
from datacheck.features.agreement import expected
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.trainers import trainer
from datacheck.trainers.base import Seen

Q, A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
JOINED = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
TAGS = {"user_tag": "user", "assistant_tag": "assistant", "role_tag": "role", "content_tag": "content"}
SHARE = {"formatting": "sharegpt", "columns.messages": "messages", **{f"tags.{key}": tag for key, tag in TAGS.items()}}


def rows(folder, mode, records, **settings):
    run = TokenRun(tokenizer=hashed("tokenizer", "tok", folder), trainer=RunOf(trainer=mode, settings=settings))
    return expected(run, records, Seen.of(records, typed=trainer(mode).typed))


def read(mode, *records):
    seen = Seen.of(records, typed=trainer(mode).typed)
    return [trainer(mode).read(record, trainer(mode).configured(None, {}), seen).trained for record in records]


@pytest.mark.parametrize(("mode", "settings"), [("llamafactory.sft", SHARE), ("ms_swift.sft", {})])
def test_answers_are_tokenized_apart(tmp_path, mode, settings):
    """`the wea` and `ther` are other tokens than `the weather`."""
    folder = make_tokenizer(tmp_path, JOINED)
    told = [{"role": "user", "content": "the wea"}, {"role": "assistant", "content": "ther"}]
    (row,) = rows(folder, mode, [{"messages": told}], **settings)
    (text,) = rows(folder, "trl.sft", [{"messages": told}])
    trained = tuple(label for label in row.examples[0].labels if label != -100)
    assert row.examples[0].ids[-len(trained) :] == trained
    assert len(row.examples[0].ids) > len(text.examples[0].ids)


@pytest.mark.parametrize(("mode", "settings"), [("llamafactory.sft", SHARE), ("ms_swift.sft", {})])
def test_marks_of_what_is_generated_are_not_looked_at(tmp_path, mode, settings):
    """They train the line break behind the end token, too."""
    marked, plain = make_tokenizer(tmp_path / "a", CHATML), make_tokenizer(tmp_path / "b", UNMARKED)
    one, two = (rows(folder, mode, [{"messages": [Q, A]}], **settings)[0] for folder in (marked, plain))
    assert one == two
    assert one.examples[0].labels[-1] != -100


def test_neighbours_of_one_side_are_one_message_of_ms_swift():
    call = {"role": "tool_call", "content": "{'name': 'f', 'parameters': {'x': 1}}"}
    (told,) = read("ms_swift.sft", {"messages": [Q, Q, A, call, {"role": "tool", "content": "r"}, A, A]})
    assert [message["content"] for message in told.messages] == ["qq", "a", "r", "aa"]
    function = {"name": "f", "arguments": {"x": 1}}
    assert told.messages[1]["tool_calls"] == [{"type": "function", "function": function}]


def test_calls_stand_as_ms_swift_writes_them(tmp_path):
    """Nothing between words and a call, a line break between calls; a result that no call precedes ends the question."""
    folder = make_tokenizer(tmp_path, JOINED)
    call = {"role": "tool_call", "content": {"name": None, "arguments": {"x": "é"}}}
    told = [Q, {"role": "tool", "content": "r"}, {"role": "tool", "content": {"t": 1}}, A, call, call]
    (row,) = rows(folder, "ms_swift.sft", [{"messages": told}], template="qwen2_5")
    written = '<tool_call>\n{"name": null, "arguments": {"x": "é"}}\n</tool_call>'
    result = "<tool_response>\n{}\n</tool_response>"
    question = "q<|im_end|>\n<|im_start|>user\n" + "\n".join(map(result.format, ["r", '{"t": 1}']))
    plain = [{**Q, "content": question}, {**A, "content": f"a{written}\n{written}"}]
    (same,) = rows(folder, "ms_swift.sft", [{"messages": plain}], template="qwen2_5")
    assert row == same


def test_a_weight_of_nothing_masks_an_answer_of_ms_swift():
    for said in ({"loss": 0}, {"loss_scale": 0.0}, {"loss": False, "loss_scale": 1}):
        (told,) = read("ms_swift.sft", {"messages": [Q, {**A, **said}, Q, A]})
        assert (told.loss, told.weights) == ("weights", (0.0, 0.0, 0.0, 1.0)), said


def test_a_system_that_is_no_text_is_put_into_the_words_on_tools_by_ms_swift():
    row = {"messages": [{"role": "system", "content": {"type": "text", "text": "s"}}, Q, A]}
    assert read("ms_swift.sft", row) == [None]
    (told,) = read("ms_swift.sft", {**row, "tools": [{"name": "f"}]})
    assert told.messages[0] == row["messages"][0]


def test_an_empty_answer_in_the_middle_is_not_trained_by_ms_swift():
    (told,) = read("ms_swift.sft", {"messages": [Q, {"role": "assistant", "content": ""}, Q, A]})
    assert (told.loss, told.weights) == ("weights", (0.0, 0.0, 0.0, 1.0))


def test_dates_in_tools_are_milliseconds_of_ms_swift():
    (told,) = read("ms_swift.sft", {"messages": [Q, A], "tools": [{"name": "2024-01-01"}]})
    assert told.tools[0]["function"] == {"name": int(dt.datetime(2024, 1, 1, tzinfo=dt.UTC).timestamp() * 1000)}


def test_llama_factory_wraps_bare_tools(tmp_path):
    settings = {"formatting": "sharegpt", "columns.messages": "m", "columns.tools": "t"}
    mode = trainer("llamafactory.sft")
    told = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
    record = {"m": told, "t": '[{"name": "f"}]'}
    trained = mode.read(record, mode.configured(None, settings), Seen.of([record])).trained
    assert trained.tools == [{"type": "function", "function": {"name": "f"}}]


def test_verl_stops_where_turns_rendered_alone_are_not_the_whole(tmp_path):
    first_only = CHATML.replace(
        "{%- for message in messages -%}", "{{ messages | length }}{%- for message in messages -%}"
    )
    (row,) = rows(make_tokenizer(tmp_path, first_only), "verl.sft", [{"messages": [Q, A]}])
    assert row.fate == "failed"


def test_verl_cuts_the_beginning_of_a_prompt_that_nothing_filters(tmp_path):
    record = {"prompt": [Q], "data_source": "openai/gsm8k", "reward_model": {"ground_truth": "1"}}
    folder = make_tokenizer(tmp_path)
    whole, cut = (
        rows(folder, "verl.rl", [record], **{"data.max_prompt_length": most})[0].examples[0].ids for most in (99, 5)
    )
    assert cut == whole[-5:]
