"""One literal sample per format; the expected turns are written by hand from the trainers' documentation."""

import json
import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from datacheck.loading.assemble import Assembler

# Each case: record, expected format, expected turns as (part, turn, role, path, text or tool calls).
CASES = {
    "openai messages": (
        {
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": "a"},
            ]
        },
        "messages",
        [
            ("prompt", 0, "system", "messages[0].content", "s"),
            ("prompt", 1, "user", "messages[1].content", "u"),
            ("response", 2, "assistant", "messages[2].content", "a"),
        ],
    ),
    "Bedrock": (  # docs.aws.amazon.com/nova/latest/userguide/fine-tune-prepare-data-understanding.html
        {
            "schemaVersion": "bedrock-conversation-2024",
            "system": [{"text": "s"}, {"text": "t"}],
            "messages": [
                {"role": "user", "content": [{"text": "u"}]},
                {"role": "assistant", "content": [{"text": "a"}]},
            ],
        },
        "messages",
        [
            ("prompt", 0, "system", "system", "s\nt"),
            ("prompt", 1, "user", "messages[0].content", "u"),
            ("response", 2, "assistant", "messages[1].content", "a"),
        ],
    ),
    "from and content": (
        {"conversations": [{"from": "human", "content": "u"}, {"from": "gpt", "content": "a"}]},
        "sharegpt",
        [
            ("prompt", 0, "user", "conversations[0].content", "u"),
            ("response", 1, "assistant", "conversations[1].content", "a"),
        ],
    ),
    "role and value": (
        {"messages": [{"role": "user", "value": "u"}, {"role": "assistant", "value": "a"}]},
        "sharegpt",
        [("prompt", 0, "user", "messages[0].value", "u"), ("response", 1, "assistant", "messages[1].value", "a")],
    ),
    "ColossalAI's pairs": (  # applications/ColossalChat/examples/README.md
        {
            "context": [{"from": "human", "content": "u"}],
            "chosen": [{"from": "assistant", "content": "c"}],
            "rejected": [{"from": "assistant", "content": "r"}],
        },
        "preference",
        [
            ("prompt", 0, "user", "context[0].content", "u"),
            ("chosen", 1, "assistant", "chosen[0].content", "c"),
            ("rejected", 1, "assistant", "rejected[0].content", "r"),
        ],
    ),
    "a prompt that names its roles": (
        {"prompt": {"system": "s", "user": "u"}, "chosen": "c", "rejected": "r"},
        "preference",
        [
            ("prompt", 0, "system", "prompt.system", "s"),
            ("prompt", 1, "user", "prompt.user", "u"),
            ("chosen", 2, "assistant", "chosen", "c"),
            ("rejected", 2, "assistant", "rejected", "r"),
        ],
    ),
    "a prompt that names its role, and a completion": (
        {"prompt": {"user": "u"}, "completion": "a"},
        "prompt_completion",
        [("prompt", 0, "user", "prompt.user", "u"), ("response", 1, "assistant", "completion", "a")],
    ),
    "ssbuild's paragraph": (  # ssbuild/chatglm_finetuning, data/finetune_train_paragraph.json
        {"id": 1, "paragraph": [{"q": "u", "a": ["a", "b"]}, {"q": "v", "a": ["c"]}]},
        "messages",
        [
            ("prompt", 0, "user", "paragraph[0].q", "u"),
            ("prompt", 1, "assistant", "paragraph[0].a", "a\nb"),
            ("prompt", 2, "user", "paragraph[1].q", "v"),
            ("response", 3, "assistant", "paragraph[1].a", "c"),
        ],
    ),
    "selected and rejected": (
        {"prompt": "u", "selected": "c", "rejected": "r"},
        "preference",
        [
            ("prompt", 0, "user", "prompt", "u"),
            ("chosen", 1, "assistant", "selected", "c"),
            ("rejected", 1, "assistant", "rejected", "r"),
        ],
    ),
    "a prompt with its input": (
        {"prompt": "i", "input": "u"},
        "prompt_only",
        [("prompt", 0, "user", "prompt", "i\nu")],
    ),
    "a list of one answer": (
        {"instruction": "i", "input": "u", "output": ["a"]},
        "alpaca",
        [("prompt", 0, "user", "instruction", "i\nu"), ("response", 1, "assistant", "output[0]", "a")],
    ),
    "ms-swift GRPO": (  # Custom-dataset.md: other columns go to the reward function
        {"messages": [{"role": "user", "content": "1+1?"}], "solution": "2"},
        "rlvr",
        [("prompt", 0, "user", "messages[0].content", "1+1?"), ("answer", 0, None, "solution", "2")],
    ),
    "messages with their answer, and a column beside": (
        {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}], "answer": "2"},
        "messages",
        [("prompt", 0, "user", "messages[0].content", "u"), ("response", 1, "assistant", "messages[1].content", "a")],
    ),
    "SkyRL": (
        {"prompt": [{"role": "user", "content": "1+1?"}], "reward_spec": {"method": "rule", "ground_truth": "2"}},
        "rlvr",
        [("prompt", 0, "user", "prompt[0].content", "1+1?"), ("answer", 0, None, "reward_spec.ground_truth", "2")],
    ),
    "verl's reward beside a question": (
        {"question": "1+1?", "reward_model": {"style": "rule", "ground_truth": ["2"]}},
        "rlvr",
        [("prompt", 0, "user", "question", "1+1?"), ("answer", 0, None, "reward_model.ground_truth", '["2"]')],
    ),
    "ms-swift rejected_messages": (
        {
            "messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "good"}],
            "rejected_messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "bad"}],
        },
        "preference",
        [
            ("prompt", 0, "user", "messages[0].content", "u"),
            ("chosen", 1, "assistant", "messages[1].content", "good"),
            ("rejected", 1, "assistant", "rejected_messages[1].content", "bad"),
        ],
    ),
    "xLAM": (
        {"query": "Rain?", "tools": '[{"name": "f"}]', "answers": '[{"name": "f", "arguments": {}}]'},
        "prompt_completion",
        [
            ("prompt", 0, "user", "query", "Rain?"),
            ("response", 1, "assistant", "answers", '[{"name": "f", "arguments": {}}]'),
            ("tools", 0, None, "tools", '[{"name": "f"}]'),
        ],
    ),
    "answers that are no calls": (
        {"query": "Rain?", "tools": "[]", "answers": ["yes", "no"]},
        "qa",
        [("prompt", 0, "user", "query", "Rain?"), ("answer", 0, None, "answers", '["yes", "no"]')],
    ),
    "ends with the user": (
        {
            "messages": [
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": "a"},
                {"role": "user", "content": "v"},
            ]
        },
        "messages",
        [
            ("prompt", 0, "user", "messages[0].content", "u"),
            ("prompt", 1, "assistant", "messages[1].content", "a"),
            ("prompt", 2, "user", "messages[2].content", "v"),
        ],
    ),
    "bare list": (
        [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}],
        "messages",
        [("prompt", 0, "user", "[0].content", "u"), ("response", 1, "assistant", "[1].content", "a")],
    ),
    "developer, tool calls and parts": (
        {
            "messages": [
                {"role": "developer", "content": "d"},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "one"},
                        {"type": "image_url", "image_url": {"url": "x.png"}},
                        {"type": "text", "text": "two"},
                    ],
                },
                {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
                {"role": "function", "name": "f", "content": "r"},
                {"role": "assistant", "content": "a"},
            ],
            "tools": [{"type": "function"}],
        },
        "messages",
        [
            ("prompt", 0, "system", "messages[0].content", "d"),
            ("prompt", 1, "user", "messages[1].content", "one\ntwo"),
            ("prompt", 2, "assistant", "messages[2].content", '[{"id": "1"}]'),
            ("prompt", 3, "tool", "messages[3].content", "r"),
            ("response", 4, "assistant", "messages[4].content", "a"),
            ("tools", 0, None, "tools", '[{"type": "function"}]'),
        ],
    ),
    "sharegpt with tools": (
        {
            "conversations": [
                {"from": "human", "value": "u"},
                {"from": "function_call", "value": '{"name": "f"}'},
                {"from": "observation", "value": "o"},
                {"from": "gpt", "value": "a"},
            ],
            "system": "s",
            "tools": "[]",
        },
        "sharegpt",
        [
            ("prompt", 0, "system", "system", "s"),
            ("prompt", 1, "user", "conversations[0].value", "u"),
            ("prompt", 2, "assistant", "conversations[1].value", '{"name": "f"}'),
            ("prompt", 3, "tool", "conversations[2].value", "o"),
            ("response", 4, "assistant", "conversations[3].value", "a"),
            ("tools", 0, None, "tools", "[]"),
        ],
    ),
    "ms-swift pairs": (
        {"system": "s", "conversation": [{"human": "u", "assistant": "a"}, {"human": "v", "assistant": "b"}]},
        "sharegpt",
        [
            ("prompt", 0, "system", "system", "s"),
            ("prompt", 1, "user", "conversation[0].human", "u"),
            ("prompt", 2, "assistant", "conversation[0].assistant", "a"),
            ("prompt", 3, "user", "conversation[1].human", "v"),
            ("response", 4, "assistant", "conversation[1].assistant", "b"),
        ],
    ),
    "alpaca": (
        {"instruction": "i", "input": "n", "output": "o", "system": "s", "history": [["q", "r"]]},
        "alpaca",
        [
            ("prompt", 0, "system", "system", "s"),
            ("prompt", 1, "user", "history[0][0]", "q"),
            ("prompt", 2, "assistant", "history[0][1]", "r"),
            ("prompt", 3, "user", "instruction", "i\nn"),
            ("response", 4, "assistant", "output", "o"),
        ],
    ),
    "alpaca without input": (
        {"instruction": "i", "input": "", "output": "o"},
        "alpaca",
        [("prompt", 0, "user", "instruction", "i"), ("response", 1, "assistant", "output", "o")],
    ),
    "prompt and completion": (
        {"prompt": "p", "completion": "c"},
        "prompt_completion",
        [("prompt", 0, "user", "prompt", "p"), ("response", 1, "assistant", "completion", "c")],
    ),
    "conversational prompt and completion": (
        {"prompt": [{"role": "user", "content": "p"}], "completion": [{"role": "assistant", "content": "c"}]},
        "prompt_completion",
        [("prompt", 0, "user", "prompt[0].content", "p"), ("response", 1, "assistant", "completion[0].content", "c")],
    ),
    "query and response": (
        {"query": "q", "response": "r", "history": [["a", "b"]]},
        "prompt_completion",
        [
            ("prompt", 0, "user", "history[0][0]", "a"),
            ("prompt", 1, "assistant", "history[0][1]", "b"),
            ("prompt", 2, "user", "query", "q"),
            ("response", 3, "assistant", "response", "r"),
        ],
    ),
    "explicit preference": (
        {"prompt": "p", "chosen": "c", "rejected": "r"},
        "preference",
        [
            ("prompt", 0, "user", "prompt", "p"),
            ("chosen", 1, "assistant", "chosen", "c"),
            ("rejected", 1, "assistant", "rejected", "r"),
        ],
    ),
    "implicit preference": (
        {
            "chosen": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "c"}],
            "rejected": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "r"}],
        },
        "preference",
        [
            ("prompt", 0, "user", "chosen[0].content", "p"),
            ("chosen", 1, "assistant", "chosen[1].content", "c"),
            ("rejected", 1, "assistant", "rejected[1].content", "r"),
        ],
    ),
    "implicit preference with equal sides keeps both answers": (
        {
            "chosen": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "c"}],
            "rejected": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "c"}],
        },
        "preference",
        [
            ("prompt", 0, "user", "chosen[0].content", "p"),
            ("chosen", 1, "assistant", "chosen[1].content", "c"),
            ("rejected", 1, "assistant", "rejected[1].content", "c"),
        ],
    ),
    "sharegpt ranking with single messages": (
        {
            "conversations": [{"from": "human", "value": "p"}],
            "chosen": {"from": "gpt", "value": "c"},
            "rejected": {"from": "gpt", "value": "r"},
        },
        "preference",
        [
            ("prompt", 0, "user", "conversations[0].value", "p"),
            ("chosen", 1, "assistant", "chosen.value", "c"),
            ("rejected", 1, "assistant", "rejected.value", "r"),
        ],
    ),
    "sharegpt ranking with strings": (
        {"conversations": [{"from": "human", "value": "p"}], "chosen": "c", "rejected": "r"},
        "preference",
        [
            ("prompt", 0, "user", "conversations[0].value", "p"),
            ("chosen", 1, "assistant", "chosen", "c"),
            ("rejected", 1, "assistant", "rejected", "r"),
        ],
    ),
    "alpaca ranking": (
        {"instruction": "i", "input": "n", "chosen": "c", "rejected": "r"},
        "preference",
        [
            ("prompt", 0, "user", "instruction", "i\nn"),
            ("chosen", 1, "assistant", "chosen", "c"),
            ("rejected", 1, "assistant", "rejected", "r"),
        ],
    ),
    "alpaca ranking as a list": (
        {"instruction": "i", "output": ["a", "b"]},
        "preference",
        [
            ("prompt", 0, "user", "instruction", "i"),
            ("chosen", 1, "assistant", "output[0]", "a"),
            ("rejected", 1, "assistant", "output[1]", "b"),
        ],
    ),
    "alpaca ranking of more than two": (
        {"instruction": "i", "output": ["a", "b", "c"]},
        "preference",
        [
            ("prompt", 0, "user", "instruction", "i"),
            ("chosen", 1, "assistant", "output[0]", "a"),
            ("rejected", 1, "assistant", "output[1]", "b"),
            ("candidate", 1, "assistant", "output[2]", "c"),
        ],
    ),
    "OpenAI preference": (
        {
            "input": {"messages": [{"role": "user", "content": "p"}], "tools": []},
            "preferred_output": [{"role": "assistant", "content": "c"}],
            "non_preferred_output": [{"role": "assistant", "content": "r"}],
        },
        "preference",
        [
            ("prompt", 0, "user", "input.messages[0].content", "p"),
            ("chosen", 1, "assistant", "preferred_output[0].content", "c"),
            ("rejected", 1, "assistant", "non_preferred_output[0].content", "r"),
            ("tools", 0, None, "input.tools", "[]"),
        ],
    ),
    "ms-swift rejected_response": (
        {
            "messages": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "c"}],
            "rejected_response": "r",
        },
        "preference",
        [
            ("prompt", 0, "user", "messages[0].content", "p"),
            ("chosen", 1, "assistant", "messages[1].content", "c"),
            ("rejected", 1, "assistant", "rejected_response", "r"),
        ],
    ),
    "LLaMA-Factory v1 preference": (
        {
            "chosen_messages": [
                {"role": "user", "content": [{"type": "text", "value": "p"}]},
                {"role": "assistant", "content": [{"type": "text", "value": "c"}]},
            ],
            "rejected_messages": [
                {"role": "user", "content": [{"type": "text", "value": "p"}]},
                {"role": "assistant", "content": [{"type": "text", "value": "r"}]},
            ],
        },
        "preference",
        [
            ("prompt", 0, "user", "chosen_messages[0].content", "p"),
            ("chosen", 1, "assistant", "chosen_messages[1].content", "c"),
            ("rejected", 1, "assistant", "rejected_messages[1].content", "r"),
        ],
    ),
    "better and worse response": (
        {"prompt": "p", "better_response": "c", "worse_response": "r"},
        "preference",
        [
            ("prompt", 0, "user", "prompt", "p"),
            ("chosen", 1, "assistant", "better_response", "c"),
            ("rejected", 1, "assistant", "worse_response", "r"),
        ],
    ),
    "LLaMA-Factory v1 tools": (
        {
            "messages": [
                {"role": "system", "content": [{"type": "text", "value": "s"}, {"type": "tools", "value": "[]"}]},
                {"role": "user", "content": [{"type": "text", "value": "p"}]},
                {"role": "assistant", "content": [{"type": "text", "value": "a"}]},
            ]
        },
        "messages",
        [
            ("prompt", 0, "system", "messages[0].content", "s"),
            ("tools", 0, None, "messages[0].content", "[]"),
            ("prompt", 1, "user", "messages[1].content", "p"),
            ("response", 2, "assistant", "messages[2].content", "a"),
        ],
    ),
    "KTO messages": (
        {"messages": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "a"}], "label": True},
        "kto",
        [("prompt", 0, "user", "messages[0].content", "p"), ("response", 1, "assistant", "messages[1].content", "a")],
    ),
    "KTO completion": (
        {"prompt": "p", "completion": "c", "label": False},
        "kto",
        [("prompt", 0, "user", "prompt", "p"), ("response", 1, "assistant", "completion", "c")],
    ),
    "prompt only": ({"prompt": "p"}, "prompt_only", [("prompt", 0, "user", "prompt", "p")]),
    "prompt only, messages": (
        {"prompt": [{"role": "user", "content": "p"}]},
        "prompt_only",
        [("prompt", 0, "user", "prompt[0].content", "p")],
    ),
    "GSM8K": (
        {"question": "q", "answer": "a #### 4"},
        "qa",
        [("prompt", 0, "user", "question", "q"), ("answer", 0, None, "answer", "a #### 4")],
    ),
    "verl": (
        {
            "data_source": "d",
            "prompt": [{"role": "user", "content": "p"}],
            "reward_model": {"style": "rule", "ground_truth": {"x": 1}},
        },
        "rlvr",
        [("prompt", 0, "user", "prompt[0].content", "p"), ("answer", 0, None, "reward_model.ground_truth", '{"x": 1}')],
    ),
    "messages with ground truth": (
        {"messages": [{"role": "user", "content": "p"}], "ground_truth": "3"},
        "rlvr",
        [("prompt", 0, "user", "messages[0].content", "p"), ("answer", 0, None, "ground_truth", "3")],
    ),
    "text": ({"text": "t"}, "text", [("text", 0, None, "text", "t")]),
    "BBH": (
        {"input": "i", "target": "t"},
        "qa",
        [("prompt", 0, "user", "input", "i"), ("answer", 0, None, "target", "t")],
    ),
    "ChatGLM-Tuning": (
        {"context": "c", "target": "t"},
        "prompt_completion",
        [("prompt", 0, "user", "context", "c"), ("response", 1, "assistant", "target", "t")],
    ),
    "CARP": (
        {"content": "c", "answer": "a", "steps": "s"},
        "qa",
        [("prompt", 0, "user", "content", "c"), ("answer", 0, None, "answer", "a")],
    ),
    "content and answer": (
        {"content": "c", "answer": "a"},
        "prompt_completion",
        [("prompt", 0, "user", "content", "c"), ("response", 1, "assistant", "answer", "a")],
    ),
    "multiple choice with a list": (
        {"passage": None, "question": "q", "options": ["(A)x", "(B)y"], "label": "A", "answer": None},
        "multiple_choice",
        [
            ("prompt", 0, "user", "question", "q"),
            ("option", 0, None, "options[0]", "(A)x"),
            ("option", 1, None, "options[1]", "(B)y"),
            ("answer", 0, None, "label", "A"),
        ],
    ),
    "multiple choice with columns": (
        {"input": "q", "output": "B", "A": "x", "B": "y"},
        "multiple_choice",
        [
            ("prompt", 0, "user", "input", "q"),
            ("option", 0, None, "A", "x"),
            ("option", 1, None, "B", "y"),
            ("answer", 0, None, "output", "B"),
        ],
    ),
    "ARC": (
        {"question": "q", "choices": {"text": ["x", "y"], "label": ["A", "B"]}, "answerKey": "B"},
        "multiple_choice",
        [
            ("prompt", 0, "user", "question", "q"),
            ("option", 0, None, "choices.text[0]", "x"),
            ("option", 1, None, "choices.text[1]", "y"),
            ("answer", 0, None, "answerKey", "B"),
        ],
    ),
    "multiple choice with the number of the right one": (
        {"question": "q", "options": ["x", "y"], "answer_index": 1},
        "multiple_choice",
        [
            ("prompt", 0, "user", "question", "q"),
            ("option", 0, None, "options[0]", "x"),
            ("option", 1, None, "options[1]", "y"),
            ("answer", 0, None, "answer_index", "1"),
        ],
    ),
    "a prompt that ends with what opens its answer": (
        {"prompt": "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<think>\n"},
        "messages",
        [("prompt", 0, "system", "prompt", "s"), ("prompt", 1, "user", "prompt", "q")],
    ),
    "a rendered prompt of a pair": (
        {"prompt": "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "chosen": "c", "rejected": "r"},
        "preference",
        [
            ("prompt", 0, "user", "prompt", "q"),
            ("chosen", 1, "assistant", "chosen", "c"),
            ("rejected", 1, "assistant", "rejected", "r"),
        ],
    ),
    "a rendered prompt with a gold": (
        {"prompt": "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "ground_truth": "4"},
        "qa",
        [("prompt", 0, "user", "prompt", "q"), ("answer", 0, None, "ground_truth", "4")],
    ),
    "a text whose answer is missing": (
        {"text": "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n"},
        "messages",
        [("prompt", 0, "user", "text", "q"), ("response", 1, "assistant", "text", "")],
    ),
    "choices as a dict": (
        {"question": "q", "choices": {"A": "x", "B": "y"}, "answer": "A"},
        "multiple_choice",
        [
            ("prompt", 0, "user", "question", "q"),
            ("option", 0, None, "choices.A", "x"),
            ("option", 1, None, "choices.B", "y"),
            ("answer", 0, None, "answer", "A"),
        ],
    ),
    "tokenized": ({"input_ids": [1, 2], "labels": [-100, 2]}, "tokens", []),
    "tokens that are none": ({"input_ids": ["a"], "labels": [1]}, "unknown", []),
    "an answer with its reasoning, as an API gives them": (
        {"input": "q", "content": "a", "reasoning_content": "r", "score": 9},
        "prompt_completion",
        [("prompt", 0, "user", "input", "q"), ("response", 1, "assistant", "content", "a")],
    ),
    "one message": ({"parent_id": None, "role": "prompter", "text": "q"}, "one_message", []),
    "one message of ShareGPT": ({"from": "human", "value": "q"}, "one_message", []),
    "a text beside a role that nobody plays": (
        {"role": "witness", "text": "q"},
        "text",
        [("text", 0, None, "text", "q")],
    ),
    "a message with its answer": (
        {"role": "user", "text": "q", "ans": "a"},
        "qa",
        [("prompt", 0, "user", "text", "q"), ("answer", 0, None, "ans", "a")],
    ),
    "two answers without a judgement": (
        {"prompt": "p", "answer1": "a", "answer2": "b"},
        "prompt_completion",
        [
            ("prompt", 0, "user", "prompt", "p"),
            ("response", 1, "assistant", "answer1", "a"),
            ("candidate", 1, "assistant", "answer2", "b"),
        ],
    ),
    "stepwise": (
        {"prompt": "p", "completions": ["a", "b"], "labels": [True, False]},
        "prompt_completion",
        [("prompt", 0, "user", "prompt", "p"), ("response", 1, "assistant", "completions", "a\nb")],
    ),
    "steps and labels that do not belong together": (
        {"prompt": "p", "completions": ["a"], "labels": [True, False]},
        "unknown",
        [],
    ),
    "messages as JSON text": (
        {"messages": '[{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]'},
        "messages_text",
        [("prompt", 0, "user", "messages[0].content", "u"), ("response", 1, "assistant", "messages[1].content", "a")],
    ),
    "no known key": ({"a": 1}, "unknown", []),
    "messages that are a string": ({"messages": "u"}, "unknown", []),
    "a role that is a list": (
        {"messages": [{"role": ["u"], "content": "c"}]},
        "messages",
        [("prompt", 0, '["u"]', "messages[0].content", "c")],
    ),
    "a question as an object with its options": (
        {
            "id": "7",
            "question": {
                "stem": "What floats?",
                "choices": [{"text": "cork", "label": "A"}, {"text": "iron", "label": "B"}],
            },
            "answerKey": "A",
        },
        "multiple_choice",
        [
            ("prompt", 0, "user", "question.stem", "What floats?"),
            ("option", 0, None, "question.choices[0].text", "cork"),
            ("option", 1, None, "question.choices[1].text", "iron"),
            ("answer", 0, None, "answerKey", "A"),
        ],
    ),
    "a row as the server of datasets exports it": (
        {"row_idx": 3, "row": {"instruction": "Say hello.", "input": "", "output": "Hello.", "lang": "en"}},
        "alpaca",
        [("prompt", 0, "user", "row.instruction", "Say hello."), ("response", 1, "assistant", "row.output", "Hello.")],
    ),
    "two objects of which each may be the row": (
        {"row": {"prompt": "Ask.", "response": "Tell."}, "sample": {"prompt": "Ask.", "response": "Tell."}},
        "unknown",
        [],
    ),
    "a question object that is more than a question": (
        {"question": {"text": "What floats on water?", "lang": "en"}, "votes": 4},
        "unknown",
        [],
    ),
    "a tree of Open Assistant": (
        {
            "message_tree_id": "t",
            "prompt": {
                "text": "What floats?",
                "role": "prompter",
                "replies": [
                    {"text": "Iron.", "role": "assistant", "rank": 1, "replies": []},
                    {
                        "text": "Cork.",
                        "role": "assistant",
                        "rank": 0,
                        "replies": [{"text": "Why?", "role": "prompter"}],
                    },
                ],
            },
        },
        "preference",
        [
            ("prompt", 0, "user", "prompt.text", "What floats?"),
            ("chosen", 1, "assistant", "prompt.replies[1].text", "Cork."),
            ("rejected", 1, "assistant", "prompt.replies[0].text", "Iron."),
        ],
    ),
    "ms-swift call in a plain message": (
        {"messages": [{"role": "user", "content": "u"}, {"role": "tool_call", "content": "{}"}]},
        "messages",
        [("prompt", 0, "user", "messages[0].content", "u"), ("response", 1, "assistant", "messages[1].content", "{}")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_sample_gives_the_expected_turns(load, name):
    record, expected_format, expected = CASES[name]
    loaded = load(json.dumps(record).encode() + b"\n")
    assert loaded.rows["format"].to_list() == [expected_format]
    turns = [
        (part, turn, role, path, calls if text is None else text)
        for part, turn, role, path, text, calls in loaded.turns.select(
            "part", "turn", "role", "path", "text", "tool_calls"
        ).iter_rows()
    ]
    assert turns == expected


@pytest.mark.parametrize("name", CASES)
def test_no_leaf_of_the_record_gets_lost(load, name):
    """Every string leaf is in a turn, in a cell, or is a role or a part type: counted by a walk of its own."""

    def strings(value):
        if isinstance(value, str):
            return [value]
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in strings(item)]
        return [leaf for item in value for leaf in strings(item)] if isinstance(value, list) else []

    record, form, _ = CASES[name]
    loaded = load(json.dumps(record).encode() + b"\n")
    if form == "messages_text":
        record = json.loads(record["messages"])
    held = "\n".join(
        loaded.turns["text"].drop_nulls().to_list()
        + loaded.turns["tool_calls"].drop_nulls().to_list()
        + loaded.cells["text"].drop_nulls().to_list()
    )
    structure = {
        "system",
        "user",
        "assistant",
        "tool",
        "developer",
        "function",
        "human",
        "gpt",
        "observation",
        "function_call",
        "tool_call",
        "text",
        "tools",
    }
    for text in strings(record):
        rendered = text.startswith("<|im_start|>")  # its messages are in turns, each for itself
        assert rendered or text in held or json.dumps(text)[1:-1] in held or text in structure


@pytest.mark.parametrize("columns", [{}, {"id": "id", "source": "meta.src"}])
def test_records_give_the_same_alone_and_beside_others(load, monkeypatch, columns):
    """Conversations are loaded many at a time; every other record, and each by itself, goes one by one."""
    plain = [{"messages": [{"role": "user", "content": f"u{n}"}, {"role": "assistant", "content": "a"}]} for n in "12"]
    odd = [record for record, _, _ in CASES.values()]
    odd += [{**record, "id": value, "n": 1.5} for record in plain for value in ("x", None, 3, True, {"a": 1}, 10**30)]
    odd += [{**plain[0], "id": "y"}, {"messages": []}, {"messages": [1]}, {"messages": ["ab"]}, {"messages": {}}]
    odd += [{"conversations": [{"from": "human", "value": "h"}, {"from": "function_call", "value": "{}"}]}]
    draw = random.Random(5)
    lines = [json.dumps(draw.choice(odd if draw.random() < 0.3 else plain)).encode() for _ in range(3_000)]
    lines += [b"[", b"", b"3", b'{"id": 1e400, "messages": [{"role": "user", "content": "u"}]}', lines[0]]
    data = b"\n".join(lines)
    together = load(data, columns=columns)
    monkeypatch.setattr(Assembler, "chat", lambda *_: None)
    alone = load(data, columns=columns)
    for name in ("rows", "turns", "cells", "lines"):
        assert_frame_equal(getattr(together, name), getattr(alone, name))


def test_kto_label_fills_the_label_column_unless_the_contract_names_one(load):
    data = b'{"prompt": "p", "completion": "c", "label": false, "mine": 3}\n'
    assert load(data).rows["label"].to_list() == ["false"]
    assert load(data, columns={"label": "mine"}).rows["label"].to_list() == ["3"]


def test_named_columns_are_strings_and_null_when_missing(load):
    data = b'{"text": "a", "meta": {"src": "web"}, "s": [0.5, 1], "r.1": "x"}\n{"text": "b", "meta": {}, "s": null}\n'
    loaded = load(data, columns={"source": "meta.src", "score": "s", "raters": ["r.1", "none"]})
    assert loaded.rows.select("source", "score", "rater_1", "rater_2", "id").rows() == [
        ("web", "[0.5, 1]", "x", None, None),
        (None, None, None, None, None),
    ]


def test_content_types_tell_null_from_missing(load):
    messages = [
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "assistant", "content": 5},
        "hello",
        {"content": "x"},
    ]
    loaded = load(json.dumps({"messages": messages}).encode())
    assert loaded.turns.select("role", "content_type", "text").rows() == [
        ("user", "null", None),
        ("user", "missing", None),
        ("assistant", "number", "5"),
        (None, "missing", None),
        (None, "string", "x"),
    ]


def test_unknown_roles_stay_as_they_are_and_the_contract_maps_them(load):
    data = b'{"messages": [{"role": "human", "content": "u"}, {"role": "bot", "content": "a"}]}\n'
    assert load(data).turns["role"].to_list() == ["human", "bot"]
    mapped = load(data, roles={"human": "user", "bot": "assistant"})
    assert mapped.turns.select("part", "role").rows() == [("prompt", "user"), ("response", "assistant")]


def test_cells_hold_every_key_and_every_leaf_outside_the_turns(load):
    record = {
        "messages": [{"role": "user", "content": "u", "weight": 0}, {"role": "assistant", "content": "a"}],
        "meta": {"src": "web", "tags": ["x", 2], "empty": {}, "none": None},
        "ids": [1, 2.5, True],
        "n": 1.0,
        "ok": True,
        "nothing": None,
    }
    cells = load(json.dumps(record).encode()).cells.select("path", "json_type", "text").rows()
    assert sorted(cells) == sorted(
        [
            ("messages", "array", None),
            ("messages[0].weight", "number", "0"),
            ("meta", "object", None),
            ("meta.src", "string", "web"),
            ("meta.tags[0]", "string", "x"),
            ("meta.tags[1]", "number", "2"),
            ("meta.empty", "object", None),
            ("meta.none", None, None),
            ("ids", "array", "[1, 2.5, true]"),
            ("n", "number", "1.0"),
            ("ok", "boolean", "true"),
            ("nothing", None, None),
        ]
    )


def test_explicit_format_marks_rows_that_do_not_fit(load):
    data = b'{"instruction": "i", "output": "o"}\n{"text": "t"}\n'
    assert load(data, format="alpaca").rows["format"].to_list() == ["alpaca", "unknown"]
    assert load(data, format="rows").rows["format"].to_list() == ["rows", "rows"]
    assert load(b'{"question": "q", "answer": "4"}\n', format="rlvr").rows["format"].to_list() == ["rlvr"]
    assert load(b'{"prompt": "p", "completion": "c", "label": true}\n', format="prompt_completion").rows[
        "format"
    ].to_list() == ["prompt_completion"]


def test_messages_as_json_text_are_no_list_of_messages(load):
    """A trainer that reads lists stops there, so the contract that names lists must not take them."""
    row = {"messages": json.dumps([{"role": "user", "content": "u"}])}
    loaded = load(json.dumps(row).encode() + b"\n", format="messages")
    assert loaded.rows["format"].to_list() == ["unknown"]


def lines(record):
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def test_commands_of_moss_are_calls_and_nothing_is_no_loss(load):
    """As in OpenLMLab/MOSS, conversation_with_plugins: two commands in one turn, "None" where there is none."""
    turn = {
        "Human": "<|Human|>: 明天北京冷吗？<eoh>\n",
        "Inner Thoughts": "<|Inner Thoughts|>: None<eot>\n",
        "Commands": '<|Commands|>: Search("北京 天气"), Calculate("12*sqrt(3)")<eoc>\n',
        "Tool Responses": "<|Results|>:\nSearch(...) =>\n5 度\n<eor>\n",
        "MOSS": "<|MOSS|>: 冷。<eom>\n",
    }
    quiet = turn | {"Commands": "<|Commands|>: None<eoc>\n", "Tool Responses": "<|Results|>: None<eor>\n"}
    tables = load(lines({"chat": {"turn_1": turn, "turn_2": quiet}}))
    (call,) = tables.turns["tool_calls"].drop_nulls().to_list()
    assert [(each["name"], each["arguments"]["input"]) for each in json.loads(call)] == [
        ("Search", "北京 天气"),
        ("Calculate", "12*sqrt(3)"),
    ]
    kept = dict(tables.cells.select("path", "text").iter_rows())
    assert kept["chat.turn_2.Commands"] == quiet["Commands"]


@pytest.mark.parametrize(
    ("label", "chosen", "scores"), [(0, "a", ("1", "0")), (1, "b", ("1", "0")), (2, "a", ("0.5", "0.5"))]
)
def test_labels_of_auto_j_count_from_zero_and_two_is_a_tie(load, label, chosen, scores):
    tables = load(lines({"prompt": "好", "response 1": "a", "response 2": "b", "label": label}))
    texts = dict(tables.turns.select("part", "text").iter_rows())
    assert texts["chosen"] == chosen
    assert tables.rows.select("score_chosen", "score_rejected").row(0) == scores


def test_the_answer_of_aqua(load):
    tables = load(lines({"question": "1+1=?", "options": ["A)1", "B)2"], "rationale": "so", "correct": "B"}))
    assert tables.turns.filter(pl.col("part") == "answer")["text"].to_list() == ["B"]


def test_ranks_of_a_tree_are_no_scores(load):
    record, _, _ = CASES["a tree of Open Assistant"]
    rows = load(json.dumps(record).encode() + b"\n").rows
    assert rows.select("score_chosen", "score_rejected").row(0) == (None, None)


@pytest.mark.parametrize(
    ("beside", "said", "scores"),
    [
        ({}, [{"rank": 2}, {"rank": 1}], (None, None)),
        ({"ranks": [2, 1]}, [{}, {}], (None, None)),
        ({}, [{"rank": 2, "score": 0}, {"rank": 1, "score": 4}], ("4", "0")),
        ({"scores": [0, 4]}, [{}, {}], ("4", "0")),
    ],
)
def test_ranks_order_answers_and_are_no_scores(load, beside, said, scores):
    answers = [{"answer": text, **more} for text, more in zip("ab", said, strict=True)]
    tables = load(lines({"prompt": "Why?", "answers": answers, **beside}))
    assert dict(tables.turns.select("part", "text").iter_rows())["chosen"] == "b"
    assert tables.rows.select("score_chosen", "score_rejected").row(0) == scores
