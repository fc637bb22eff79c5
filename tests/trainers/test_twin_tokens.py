"""What LLaMA-Factory, ms-swift, verl, OpenRLHF and axolotl train of a row, token by token.

The tokens were compared with those of the installed packages (benchmarks/installed_trainers.py).
"""

import datetime as dt
import json
import math

import pytest
from chat_helpers import CHATML, UNMARKED, make_tokenizer

from datacheck.chat.conversations import trained_as
from datacheck.chat.samples import samples
from datacheck.contract.artifacts import hashed
from datacheck.features.agreement import expected
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun, limits_of, load_model, renderer
from datacheck.trainers import trainer
from datacheck.trainers.base import Seen

Q, A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
JOINED = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
TAGS = {"user_tag": "user", "assistant_tag": "assistant", "role_tag": "role", "content_tag": "content"}
SHARE = {"formatting": "sharegpt", "columns.messages": "messages", **{f"tags.{key}": tag for key, tag in TAGS.items()}}


def rows(folder, mode, records, **settings):
    run = TokenRun(tokenizer=hashed("tokenizer", "tok", folder), trainer=RunOf(trainer=mode, settings=settings))
    return expected(run, records, Seen.of(records, typed=trainer(mode).typed))


def read(mode, *records, **settings):
    seen, known = Seen.of(records, typed=trainer(mode).typed), trainer(mode).configured(None, settings)
    return [trainer(mode).read(record, known, seen).trained for record in records]


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


@pytest.mark.parametrize(
    ("settings", "kept"),
    [({}, [False, True, True, False, False, True, True]), ({"data_seed": 7}, [True] * 2 + [False] + [True] * 4)],
)
def test_rows_for_whose_kl_term_ms_swift_draws_their_own_answer(settings, kept):
    """As ms-swift 4.6.0 keeps seven rows of five answers, asked through its probe."""
    said = zip("0123456", "abacadb", strict=True)
    asked = [{"messages": [{**Q, "content": q}, {**A, "content": a}], "label": int(q) % 2 == 0} for q, a in said]
    run = TokenRun(trainer=RunOf(trainer="ms_swift.kto", settings=settings))
    told = expected(run, asked, Seen.of(asked, typed=trainer("ms_swift.kto").typed))
    assert [row.fate == "kept" for row in told] == kept


def test_an_answer_that_the_encoder_of_ms_swift_refuses_is_drawn_as_well():
    """Two rows: each gets the other's answer, one of which is no text."""
    asked = [{"messages": [Q, {**A, "content": content}], "label": True} for content in ("a", {"x": 1})]
    run = TokenRun(trainer=RunOf(trainer="ms_swift.kto"))
    told = expected(run, asked, Seen.of(asked, typed=trainer("ms_swift.kto").typed))
    assert [row.fate for row in told] == ["dropped"] * 2


def test_what_is_no_text_is_drawn_as_json_into_a_column_of_texts():
    """As ms-swift 4.6.0 keeps the first of five rows, asked through its probe: the first batch of the draw has texts."""
    answers: tuple[object, ...] = ("a", "a", {"from": "gpt", "value": "a"}, "a", "a")
    asked = [{"messages": [Q, {**A, "content": answer}], "label": True} for answer in answers]
    asked[1]["messages"][1]["role"] = ["a"]
    asked[3]["messages"][0] = {**Q, "content": [{"from": "human", "value": "q"}]}
    run = TokenRun(trainer=RunOf(trainer="ms_swift.kto"))
    told = expected(run, asked, Seen.of(asked, typed=trainer("ms_swift.kto").typed))
    assert [row.fate for row in told] == ["kept", *["dropped"] * 4]


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


def test_ms_swift_takes_nulls_out_of_tools_but_where_they_are_values():
    schema = {
        "properties": {"x": {"type": "string", "default": None, "title": None}, "y": None},
        "enum": [None],
        "examples": None,
    }
    (told,) = read(
        "ms_swift.sft", {"messages": [Q, A], "tools": [{"name": "f", "description": None, "parameters": schema}]}
    )
    left = {"properties": {"x": {"type": "string", "default": None}}, "enum": [None]}
    assert told.tools == [{"type": "function", "function": {"name": "f", "parameters": left}}]


def test_fractions_of_calls_and_tools_are_others_for_ms_swift():
    """As ms-swift 4.6.0 wrote them, asked through its probe; text of a tool_call stays."""
    said = {"name": "f", "arguments": {"x": 0.3, "y": 0.12345678901234}}
    tools = [{"name": "f", "parameters": {"properties": {"x": {"default": 0.7}}}}]
    call = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": said}]}
    text = {"role": "tool_call", "content": json.dumps(said)}
    for given in (tools, json.dumps(tools)):
        (told,) = read("ms_swift.sft", {"messages": [Q, call], "tools": given})
        assert told.messages[1]["tool_calls"][0]["function"]["arguments"] == {
            "x": 0.30000000000000004,
            "y": 0.12345678900000001,
        }
        assert told.tools[0]["function"]["parameters"]["properties"]["x"] == {"default": 0.7000000000000001}
    (told,) = read("ms_swift.sft", {"messages": [Q, text]})
    assert told.messages[1]["tool_calls"] == [{"type": "function", "function": said}]


def test_a_question_that_is_no_number_is_a_placeholder_of_ms_swift():
    """Its loader keeps NaN and Infinity as null; GRPO alone does not look at the contents again."""
    for value in (math.nan, math.inf):
        assert read("ms_swift.grpo", {"prompt": value})[0].prompt == [{"role": "user", "content": "{{QUERY}}"}]
        assert read("ms_swift.sft", {"query": value, "response": "a"}) == [None]
    assert read("ms_swift.grpo", {"system": math.nan, "prompt": "q"})[0].prompt == [Q]
    row = {"messages": [{"role": role, "content": math.nan} for role in ("user", "user")]}
    assert read("ms_swift.grpo", row) == [None]


def test_a_whole_number_of_more_than_64_bits_loses_its_batch_of_ms_swift():
    """Seen with ms-swift 4.6.0: of 1,000 rows at once the contents come out as text."""
    function = {"name": "f", "arguments": json.dumps({"x": 10**20})}
    big = {"messages": [Q, {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}]}
    asked = [{"messages": [Q, A]}] * 1000 + [big] + [{"messages": [Q, A]}]
    run = TokenRun(trainer=RunOf(trainer="ms_swift.sft"))
    told = expected(run, asked, Seen.of(asked, typed=trainer("ms_swift.sft").typed))
    assert [row.fate for row in told] == ["kept"] * 1000 + ["dropped"] * 2


def test_ms_swift_trains_nothing_of_the_last_round_where_it_has_no_answer():
    (asked,) = read("ms_swift.sft", {"messages": [Q, A, Q]}, loss_scale="last_round")
    (every,) = read("ms_swift.sft", {"messages": [Q, A, Q]})
    assert (asked.loss, asked.weights, asked.open_end) == ("weights", (0.0, 0.0, 0.0), True)
    assert every.loss == "assistant"


def test_a_weight_of_nothing_masks_an_answer_of_ms_swift():
    for said in ({"loss": 0}, {"loss_scale": 0.0}, {"loss": False, "loss_scale": 1}):
        (told,) = read("ms_swift.sft", {"messages": [Q, {**A, **said}, Q, A]})
        assert (told.loss, told.weights) == ("weights", (0.0, 0.0, 0.0, 1.0)), said


def test_a_system_that_is_no_text_is_put_into_the_words_on_tools_by_ms_swift():
    row = {"messages": [{"role": "system", "content": {"type": "text", "text": "s"}}, Q, A]}
    assert read("ms_swift.sft", row) == [None]
    (told,) = read("ms_swift.sft", {**row, "tools": [{"name": "f"}]})
    assert told.messages[0]["content"] == str(row["messages"][0]["content"])


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


CHAT = {"data.apply_chat_template": True, "data.input_key": "messages"}
TURNS = [Q, {**A, "content": "a b"}, {**Q, "content": "more"}, {**A, "content": "the weather"}]


def said(tokenizer, example):
    """What is trained, as text; stretches apart."""
    runs, before = [], False
    for token, label in zip(example.ids, example.labels, strict=True):
        if label == -100:
            before = False
            continue
        assert label == token
        runs = [*runs[:-1], [*runs[-1], token]] if before else [*runs, [token]]
        before = True
    return [tokenizer.backend.decode(run, skip_special_tokens=False) for run in runs]


@pytest.mark.parametrize(("every", "told"), [(False, 1), (True, 2)])
def test_openrlhf_trains_the_last_answer_or_every_one(tmp_path, every, told):
    """With the line break behind the end token, but for the last one, which is taken off; the end token is not doubled."""
    folder = make_tokenizer(tmp_path, UNMARKED)
    (row,) = rows(folder, "openrlhf.sft", [{"messages": TURNS}], **CHAT, **{"data.multiturn": every})
    model = load_model(hashed("tokenizer", "tok", folder)).tokenizer
    words = ["a b<|im_end|>\n", "the weather<|im_end|>"]
    assert said(model, row.examples[0]) == words[-told:]
    assert model.backend.decode(list(row.examples[0].ids), skip_special_tokens=False).endswith("the weather<|im_end|>")


def test_openrlhf_leaves_out_a_prompt_that_leaves_two_tokens(tmp_path):
    """And puts the end token at the place of the last one that is left."""
    folder, row = make_tokenizer(tmp_path, UNMARKED), {"messages": TURNS}
    (whole,) = rows(folder, "openrlhf.sft", [row], **CHAT)
    asked = whole.examples[0].labels.count(-100)
    fates = {}
    for room in (2, 3):
        (cut,) = rows(folder, "openrlhf.sft", [row], **CHAT, **{"data.max_len": asked + room})
        fates[room] = cut
    assert fates[2].fate == "dropped"
    ids = fates[3].examples[0].ids
    assert ids[:-1] == whole.examples[0].ids[: asked + 2]
    assert ids[-1] == whole.examples[0].ids[-1]


def test_a_template_that_forgets_thoughts_moves_the_cut_of_openrlhf(tmp_path):
    """The text is put together from two renderings: where the prompt is no prefix, words are lost and the check says so."""
    short = UNMARKED.replace("message['content'] + '<|im_end|>'", "message['content'][:messages|length] + '<|im_end|>'")
    folder = make_tokenizer(tmp_path, short)
    talk = [{**Q, "content": "abcdef"}, {**A, "content": "ghijkl"}]
    run = TokenRun(tokenizer=hashed("tokenizer", "tok", folder), trainer=RunOf(trainer="openrlhf.sft", settings=CHAT))
    (row,) = expected(run, [{"messages": talk}], Seen.of([{"messages": talk}]))
    text = load_model(run.tokenizer).tokenizer.backend.decode(list(row.examples[0].ids), skip_special_tokens=False)
    head = "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n"  # the prompt alone
    whole = "<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\ngh<|im_end|>\n"
    assert text == (head + whole[len(head) :]).rstrip("\n")
    model, (told,) = load_model(run.tokenizer), read("openrlhf.sft", {"messages": talk}, **CHAT)
    with renderer(model, None) as child:
        (sample,) = samples(trained_as(told), limits_of(run, model.tokenizer), child)
    assert "prompt_not_prefix" in [fault.problem for fault in sample.faults]


def test_pairs_of_openrlhf(tmp_path):
    """DPO trains the answers; a reward model sees all; a rejected conversation is cut where the chosen one's prompt ends."""
    folder = make_tokenizer(tmp_path, UNMARKED)
    model = load_model(hashed("tokenizer", "tok", folder)).tokenizer
    pair = {"chosen": [Q, A], "rejected": [Q, {**A, "content": "no"}]}
    (dpo,) = rows(folder, "openrlhf.dpo", [pair], **CHAT)
    assert [said(model, each) for each in dpo.examples] == [["a<|im_end|>"], ["no<|im_end|>"]]
    (rm,) = rows(folder, "openrlhf.rm", [pair], **CHAT)
    assert [each.labels for each in rm.examples] == [each.ids for each in dpo.examples]
    other = {**pair, "rejected": [{**Q, "content": "question"}, {**A, "content": "no"}]}
    (dpo,) = rows(folder, "openrlhf.dpo", [other], **CHAT)
    text = model.backend.decode(list(dpo.examples[1].ids), skip_special_tokens=False)
    assert text.startswith("<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n")
    assert text.endswith("no<|im_end|>")


def test_texts_of_openrlhf_end_behind_a_blank(tmp_path):
    folder = make_tokenizer(tmp_path, UNMARKED)
    model = load_model(hashed("tokenizer", "tok", folder)).tokenizer
    settings = {"data.input_key": "q", "data.output_key": "a"}
    (row,) = rows(folder, "openrlhf.sft", [{"q": "q", "a": "the weather\n\n"}], **settings)
    text = model.backend.decode(list(row.examples[0].ids), skip_special_tokens=False)
    assert text == "User: q\nAssistant: the weather <|im_end|>"


def test_openrlhf_cuts_the_beginning_of_a_prompt(tmp_path):
    folder, record = make_tokenizer(tmp_path, UNMARKED), {"input": [Q, A, Q]}
    whole, cut, less = (
        rows(folder, "openrlhf.rl", [record], **{"data.apply_chat_template": True, **more})[0].examples[0].ids
        for more in ({}, {"data.max_len": 6}, {"data.max_len": 6, "rollout.max_new_tokens": 3})
    )
    assert (cut, less) == (whole[-5:], whole[-3:])


AX = {"datasets.type": "chat_template", "sequence_len": 4096}
AXDPO = {"datasets.type": "chat_template.default", "sequence_len": 4096}


def test_ms_swift_keeps_an_answer_that_is_tokens_already(tmp_path):
    """It trains the ids as they are; a template would refuse the list."""
    told = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": [1, 2]}]}
    (row,) = rows(make_tokenizer(tmp_path, JOINED), "ms_swift.sft", [told], template="qwen2_5")
    assert (row.fate, row.examples) == ("kept", ())


def axolotl(tmp_path, record, template=UNMARKED, mode="sft", **settings):
    """What becomes of a record, and what of it is trained, as text."""
    folder = make_tokenizer(tmp_path, template)
    run = {"sft": AX, "dpo": AXDPO, "kto": {"remove_unused_columns": False}}[mode]
    (row,) = rows(folder, f"axolotl.{mode}", [record], **{**run, **settings})
    tokenizer = load_model(hashed("tokenizer", "tok", folder)).tokenizer
    return row, [said(tokenizer, example) for example in row.examples]


def words_of(folder, example):
    """All of an example as text."""
    tokenizer = load_model(hashed("tokenizer", "tok", folder)).tokenizer
    return tokenizer.backend.decode(list(example.ids), skip_special_tokens=False)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, ["a b<|im_end|>", "the weather<|im_end|>"]),
        ({"datasets.train_on_eos": "none"}, ["a b", "the weather"]),
        ({"datasets.train_on_eos": "last"}, ["a b", "the weather<|im_end|>"]),
        ({"datasets.roles_to_train": "user"}, ["q<|im_end|>", "more<|im_end|>"]),
        ({"datasets.train_on_eos": "all"}, ["<|im_end|>", "a b<|im_end|>", "<|im_end|>", "the weather<|im_end|>"]),
        ({"eot_tokens": "<|im_start|>", "datasets.train_on_eos": "none", "datasets.train_on_eot": "turn"}, ["a b", "<|im_start|>", "the weather"]),
    ],
)  # fmt: skip
def test_axolotl_trains_the_words_of_turns_and_an_end_token_behind_them(tmp_path, settings, told):
    """Not the line break behind the end token; what a turn's end token is can be named."""
    assert axolotl(tmp_path, {"messages": TURNS}, **settings)[1] == [told]


def test_axolotl_finds_a_turn_whose_words_the_template_has_too(tmp_path):
    """Both placeholders together: a template that writes a bracket before an answer hides the first letter of one."""
    bracket = UNMARKED.replace("message['content'] +", "'[' + message['content'] +")
    assert axolotl(tmp_path, {"messages": [Q, {**A, "content": "[a"}]}, bracket)[1] == [["[a<|im_end|>"]]


def test_axolotl_hands_on_what_the_template_reads_of_a_message(tmp_path):
    """Of a loop variable called message; of another name, it does not see that a key is read."""
    told = UNMARKED.replace("message['content'] +", "(message['thinking'] or '') + message['content'] +")
    record = {"messages": [Q, {**A, "thinking": "so"}]}
    renamed = told.replace("message[", "m[").replace("for message in", "for m in")
    assert axolotl(tmp_path / "one", record, told)[1] == [["soa<|im_end|>"]]
    assert axolotl(tmp_path / "two", record, renamed)[1] == [["a<|im_end|>"]]


@pytest.mark.parametrize(
    ("settings", "fate"),
    [
        ({}, "dropped"),
        ({"excess_length_strategy": "raise"}, "failed"),
        ({"excess_length_strategy": "truncate"}, "kept"),
    ],
)
def test_axolotl_and_rows_that_are_too_long(tmp_path, settings, fate):
    row, _ = axolotl(tmp_path, {"messages": TURNS}, sequence_len=5, **settings)
    assert row.fate == fate
    assert [len(each.ids) for each in row.examples] == ([5] if fate == "kept" else [])


@pytest.mark.parametrize(("strategy", "fate"), [("drop", "dropped"), ("raise", "failed")])
@pytest.mark.parametrize("mode", ["dpo", "kto"])
def test_axolotl_and_a_ranked_row_that_is_too_long(tmp_path, mode, strategy, fate):
    """Left out, or the run stops; a row that fits is kept either way."""
    way = {"datasets.type": "chatml.intel", "excess_length_strategy": strategy}
    told = {"chosen": "the answer", "rejected": "b"} if mode == "dpo" else {"completion": "the answer", "label": True}
    record = {"question": "q q", **told}
    assert axolotl(tmp_path / "a", record, mode=mode, sequence_len=8, **way)[0].fate == fate
    assert axolotl(tmp_path / "b", record, mode=mode, sequence_len=999, **way)[0].fate == "kept"


@pytest.mark.parametrize("mode", ["dpo", "kto"])
def test_axolotl_cuts_an_answer_as_text(tmp_path, mode):
    """To as many tokens as the prompt leaves; then the end token is the first that has no place."""
    way = {"datasets.type": "chatml.intel", "excess_length_strategy": "truncate"}
    told = (
        {"chosen": "the weather", "rejected": "the"} if mode == "dpo" else {"completion": "the weather", "label": True}
    )
    record = {"question": "q", **told}
    whole, _ = axolotl(tmp_path / "a", record, mode=mode, sequence_len=999, **way)
    asked = sum(label == -100 for label in whole.examples[0].labels)
    cut, trained = axolotl(tmp_path / "b", record, mode=mode, sequence_len=asked + 2, **way)
    assert [len(each.ids) for each in cut.examples] == [asked + 2] * len(cut.examples)
    assert trained[0] == ["the weather"]
    assert axolotl(tmp_path / "c", record, mode=mode, sequence_len=asked, **way)[0].fate == "dropped"


@pytest.mark.parametrize(("packing", "fate"), [(True, "dropped"), (False, "kept")])
def test_axolotl_drops_rows_that_train_nothing_where_it_packs(tmp_path, packing, fate):
    assert axolotl(tmp_path, {"messages": [Q, Q]}, sample_packing=packing)[0].fate == fate


@pytest.mark.parametrize(
    ("settings", "begins"),
    [
        ({"chat_template": "phi_4"}, "<|im_start|>system<|im_sep|>You are Phi"),
        ({"chat_template": "tokenizer_default_fallback_phi_4"}, "<|im_start|>user\nq"),
        ({"datasets.chat_template": "jinja", "datasets.chat_template_jinja": "{{ messages[0].content }}x"}, "qx"),
    ],
)
def test_axolotl_trains_with_the_template_that_the_settings_name(tmp_path, settings, begins):
    row, _ = axolotl(tmp_path, {"messages": [Q, A]}, **settings)
    assert words_of(tmp_path, row.examples[0]).startswith(begins)


@pytest.mark.parametrize(
    ("way", "record", "words"),
    [
        ("chatml.intel", {"question": "q", "chosen": "a b", "rejected": "b"}, "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na b<|im_end|>"),
        ("chatml", {"prompt": "q", "question": "no", "chosen": "a", "rejected": "b"}, "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>"),
        ("chatml.icr", {"system": "s", "input": "q", "chosen": "a", "rejected": "b"},
         "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>"),
        ("chatml.ultra", {"prompt": "q", "chosen": [Q, A, Q, A], "rejected": [Q, A]}, "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>"),
    ],
)  # fmt: skip
def test_axolotl_writes_the_words_of_a_way_by_its_name_around_a_pair(tmp_path, way, record, words):
    row, told = axolotl(tmp_path, record, mode="dpo", **{"datasets.type": way})
    assert (words_of(tmp_path, row.examples[0]), [each[-1][-10:] for each in told]) == (words, ["<|im_end|>"] * 2)


def test_axolotl_trains_a_scored_answer_behind_all_that_was_said_before(tmp_path):
    record = {"completion": [{"role": "system", "content": "s"}, Q, A], "label": False}
    row, told = axolotl(tmp_path, record, mode="kto", **{"datasets.type": "chatml.argilla_chat"})
    whole = "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>"
    assert (words_of(tmp_path, row.examples[0]), told, row.examples[0].label) == (whole, [["a<|im_end|>"]], False)


def test_a_text_of_axolotl_becomes_rows_of_sequence_len_tokens(tmp_path):
    way = {"datasets.type": "completion", "sequence_len": 4, "min_sample_len": 3}
    row, _ = axolotl(tmp_path, {"text": "the weather " * 6}, **way)
    whole, _ = axolotl(tmp_path / "whole", {"text": "the weather " * 6}, **{**way, "sequence_len": 512})
    ids = whole.examples[0].ids
    assert [len(each.ids) for each in row.examples] == [4] * (len(ids) // 4) + [3] * (len(ids) % 4 == 3)
    assert [n for each in row.examples for n in each.ids] == list(ids[: sum(len(each.ids) for each in row.examples)])
    assert words_of(tmp_path / "whole", whole.examples[0]).endswith("<|im_end|>")
    assert all(each.labels == each.ids for each in row.examples)


def test_alpaca_is_tokenized_in_two_pieces(tmp_path):
    row, told = axolotl(
        tmp_path, {"instruction": "q", "input": "i", "output": "the weather"}, **{"datasets.type": "alpaca"}
    )
    assert told == [["the weather<|im_end|>"]]
    text = words_of(tmp_path, row.examples[0])
    assert text.endswith("### Instruction:\nq\n\n### Input:\ni\n\n### Response:\nthe weather<|im_end|>")


def test_segments_are_trained_by_their_label(tmp_path):
    segments = [{"label": False, "text": "q "}, {"label": True, "text": "a b"}, {"label": False, "text": "more"}]
    assert axolotl(tmp_path, {"segments": segments}, **{"datasets.type": "input_output"})[1] == [["a b"]]


def test_axolotl_looks_for_an_answer_of_a_pair_in_the_template(tmp_path):
    """A short one is found in the template's own words; one that is trimmed is not, and its last letter is left."""
    trimmed = UNMARKED.replace("message['content'] +", "message['content'].strip() +")
    pair = {"messages": [Q], "chosen": "the weather", "rejected": "user"}
    assert axolotl(tmp_path / "one", pair, mode="dpo")[1][0] == ["the weather<|im_end|>"]
    (found,) = axolotl(tmp_path / "two", pair, mode="dpo")[1][1]
    assert found.startswith("user\n[[dummy_message]]<|im_end|>")
    lost = {**pair, "rejected": " more of it"}
    assert axolotl(
        tmp_path / "three", lost, trimmed.replace("{{ '\\n' }}{%- endfor", "{{ '.' }}{%- endfor"), mode="dpo"
    )[1][1] == [".<|im_end|>"]
    assert axolotl(tmp_path / "four", lost, trimmed, mode="dpo")[0].fate == "failed"  # the last letter is a line break


def test_axolotl_hands_a_system_of_null_to_the_template(tmp_path):
    """Which writes the word; messages of null it takes out itself (transformers 5.16.1 leaves them in)."""
    folder = make_tokenizer(tmp_path, JOINED)
    talk, run = {"messages": [Q, A]}, {"datasets.type": "chat_template"}
    told, spelt, without = (
        rows(folder, "axolotl.sft", [{**talk, **more}], **run)[0].examples[0].ids
        for more in ({"system": None}, {"system": "None"}, {"messages": [{"role": "system", "content": None}, Q, A]})
    )
    assert told == spelt
    assert told != without


def test_kto_of_ms_swift_trains_every_answer_where_loss_scale_says_so():
    record = {"messages": [Q, A, Q, {"role": "assistant", "content": "b"}], "label": True}
    ((last,), (every,), (muted,)) = (
        read("ms_swift.kto", record),
        read("ms_swift.kto", record, loss_scale="default"),
        read("ms_swift.kto", {**record, "messages": [Q, {**A, "loss": False}, Q, A]}, loss_scale="default"),
    )
    assert (last.loss, last.label, len(last.prompt)) == ("completion", True, 3)
    assert (every.loss, every.label, every.messages) == ("assistant", True, record["messages"])
    assert (muted.loss, muted.weights) == ("weights", (0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("mode", "settings", "fate"),
    [
        ("ms_swift.grpo", {}, "kept"),
        ("ms_swift.grpo", {"truncation_strategy": "delete"}, "dropped"),
        ("ms_swift.sft", {}, "dropped"),
        ("ms_swift.sft", {"truncation_strategy": "left"}, "kept"),
    ],
)
def test_a_long_prompt_of_ms_swifts_grpo_is_cut_and_not_left_out(tmp_path, mode, settings, fate):
    folder = make_tokenizer(tmp_path, UNMARKED)
    record = {"messages": [Q, A, {"role": "user", "content": "what is the weather " * 9}]}
    (row,) = rows(folder, mode, [record], max_length=12, **settings)
    assert row.fate == fate
    assert not row.examples or len(row.examples[0].ids) == 12


def test_axolotl_leaves_calls_that_are_text_to_the_template(tmp_path):
    folder = make_tokenizer(tmp_path, JOINED)
    told = {"messages": [{**Q, "tool_calls": "[]"}, A]}
    (row,) = rows(folder, "axolotl.sft", [told], **{"datasets.type": "chat_template"})
    assert row == rows(folder, "axolotl.sft", [{"messages": [Q, A]}], **{"datasets.type": "chat_template"})[0]


def test_a_result_that_is_a_list_of_objects_is_no_content_of_parts_to_ms_swift():
    called = {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'}
    (told,) = read("ms_swift.grpo", {"messages": [Q, called, {"role": "tool_response", "content": [{"from": "x"}]}]})
    assert told.prompt[-1] == {"role": "tool", "content": '[{"from": "x"}]'}
