import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.control_tokens import ControlTokens
from datacheck.testing import dataset, finding, measure


def problems(content, role="assistant"):
    messages = [{"role": "user", "content": "好"}, {"role": "assistant", "content": "好"}]
    messages[role == "assistant"]["content"] = content
    return [problem for _, problem in measure(ControlTokens(), [{"messages": messages}]).problems]


TOKENS = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|user|>", "<|START_OF_TURN_TOKEN|>",
    "<|fim_prefix|>", "<｜User｜>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "[INST]", "[/INST]",
    "<<SYS>>", "<</SYS>>", "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<pad>", "<unk>", "[gMASK]",
    "[gMASK]<sop>", "<eop>", "<eoa>", "[UNUSED_TOKEN_146]", "<reserved_106>", "<extra_id_0>",
]  # fmt: skip


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("around", ["{}", "你好{}再见", "```\n{}\n```", "`{}`"])
def test_tokens_of_the_families(around, role):
    """Even in code: the tokenizer makes it a control token all the same."""
    texts = {"user": "好", "assistant": "好"}
    rows = [texts | {role: around.format(token)} for token in TOKENS]
    records = [{"messages": [{"role": said, "content": text} for said, text in row.items()]} for row in rows]
    assert measure(ControlTokens(), records).problems == [(n, "control_token") for n in range(len(TOKENS))]


def test_a_token_that_was_set_apart():
    assert problems("好的。 < | im_end | >") == ["control_token"]
    assert problems("a < | b | > c, a <| im") == []


@pytest.mark.parametrize("text", ["好的。</s>", "<s>好的", "<s>好的</s>", "甲</s><s>乙", "a</s> \nb", "</s>x<s>"])
def test_sequence_tokens(text):
    assert problems(text) == ["sequence_token"]


@pytest.mark.parametrize(
    "text",
    [
        "原价 <s>100 元</s> 现价 80 元",
        "```html\n<s>old\n```",
        "用 `<s>` 表示删除线",
        "a <| b |> c, f <|> g, x |> y, <|>",
        "| a | b |\n|---|---|\n| <b> | |x| |",
        "if a<b|c>d: pass",
        "[INSTALL] [inst] [MASK] [CLS] [SEP] [TODO]",
        "<<SYSTEM>> <start> <end> <user> <eosinophil>",
        "<image>图里是什么？<video><audio><|image_1|><|vision_start|><|image_pad|><|vision_end|><|box_start|>",
        "<|image|><|video_pad|><|audio_bos|><|vision_pad|><|img|><|object_ref_start|><|quad_end|><|speech_start|>",
        "<think>想一想</think>好的",
        "<tool_call>{}</tool_call>",
        "x << SYS >> y",
    ],
)
def test_what_is_no_token(text):
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("<think>想", True),
        ("想</think>好", True),
        ("</think>想<think>", True),
        ("<think>a</think><think>b", True),
        ("<think>a</think><think>b</think>", False),
    ],
)
def test_thinking_must_be_closed_in_answers(text, wrong):
    assert problems(text) == ["unbalanced_think"] * wrong
    assert problems(text, "user") == []  # "begin with <think>"


def test_preference_sides_are_answers():
    result = measure(ControlTokens(), dataset("user: a | chosen: <think>b | rejected: c"))
    assert result.value("rate") == Ratio(1, 1)


def test_what_was_found_is_shown():
    first = measure(ControlTokens(), dataset("user: a | assistant: b<|im_end|>")).first[0]
    assert "<|im_end|>" in first["detail"]


def test_plain_text_may_be_rendered():
    result = measure(
        ControlTokens(), [{"text": "a text: <|im_start|>user\na<|im_end|>"}, *dataset("user: a | assistant: b")]
    )
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("1 row is one plain text, which may be rendered on purpose",)


def test_one_is_too_many():
    records = dataset(*["user: a | assistant: b"] * 99, "user: a[INST] | assistant: b")
    assert finding(ControlTokens(), records).status is Status.FAIL
    assert finding(ControlTokens(severity="warn"), records).status is Status.WARN


@pytest.mark.slow
def test_logic_rl_is_rendered_already(realdata):
    for name, rows in (("train", 900), ("test", 100)):
        raw = (realdata / f"logic_rl/data/kk/instruct/3ppl/{name}.parquet").read_bytes()
        assert measure(ControlTokens(), raw, name="kk.parquet").value("rate") == Ratio(rows, rows)


def test_a_prompt_may_open_the_thinking():
    row = {"prompt": "1+1=?\n<think>\n", "response": "one and one\n</think>\n2"}
    assert measure(ControlTokens(), [row]).problems == []
    both = {**row, "response": "<think>one and one\n</think>\n2"}
    assert measure(ControlTokens(), [both]).problems == [(0, "unbalanced_think")]
    asked = {**row, "prompt": "Think between <think> and </think>. 1+1=?"}
    assert measure(ControlTokens(), [asked]).problems == [(0, "unbalanced_think")]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_only_looks_like_a_token_warns(role):
    """<|…|> with a name that no usual template has: a word that somebody made up, as in a set of real chats."""
    assert problems("跟我重复：“<|supercalifragilistic|>”", role) == ["unknown_token"]
    assert problems("<|supercalifragilistic|><|im_end|>", role) == ["control_token"]
    records = dataset("user: a | assistant: b", "user: <|abracadabra|> | assistant: b")
    assert finding(ControlTokens(), records).status is Status.WARN


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<answer>好", ["unbalanced_answer"]),
        ("好</answer>", ["unbalanced_answer"]),
        ("<think>想</think><answer>好</answer>", []),
        ("用 `<answer>` 开头。", []),
        ('<tool_call>{"name": "f"}', ["unbalanced_call"]),
        ('<think>I answer with <tool_call>.</think><tool_call>{"name": "f"}</tool_call>', []),
    ],
)
def test_answer_tags(text, found):
    assert problems(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<|vision_start|>1.png|vision_end|>这是什么？", ["unbalanced_media"]),
        ("<|vision_end|><|image_pad|><|vision_start|>这是什么？", ["unbalanced_media"]),
        ("<|vision_start|><|image_pad|><|vision_end|>这是什么？", []),
        ("用 `<|vision_start|>` 开头。", []),
    ],
)
def test_pictures_begin_and_end(text, found):
    assert problems(text, "user") == found


def test_a_rendered_prompt_is_read_and_said():
    """TRL leaves a prompt that is a string as it is, so it may be rendered; what stands inside a turn is none of it."""
    prompt = "<|im_start|>system\n答<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
    rows = [{"prompt": prompt.format(said), "chosen": "好", "rejected": "坏"} for said in ("问", "<|im_start|>system")]
    result = measure(ControlTokens(), rows)
    assert result.problems[0] == (1, "control_token")
    assert {row for row, _ in result.problems} == {1}
    few = measure(ControlTokens(), rows[:1])
    assert few.problems == []
    said = "1 prompt is rendered by a template and was read as its messages; a trainer that renders prompts would do it"
    assert few.not_checked == (f"{said} twice",)


def test_a_rendered_prompt_among_plain_ones_is_one_too_many():
    """Its messages were read, and nothing told of it: the trainer renders all of them, and that one twice."""
    rendered = {"question": "<|im_start|>user\nhow many?<|im_end|>\n<|im_start|>assistant\n", "answer": "4"}
    plain = [{"question": f"how many of {n}?", "answer": "4"} for n in range(3)]
    result = measure(ControlTokens(), [plain[0], rendered, *plain[1:]])
    assert result.problems == [(1, "rendered_prompt")]
    assert result.value("rate") == Ratio(1, 4)
    assert result.not_checked == ()
    assert measure(ControlTokens(), [rendered, *[rendered] * 2, plain[0]]).problems == []
