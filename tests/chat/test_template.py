"""Text and marks must be those of transformers; templates here are written for the test, each uses one thing."""

import datetime as dt
import json

import pytest
from chat_helpers import CHATML, UNMARKED, files_of, make_tokenizer
from hypothesis import given, settings
from hypothesis import strategies as st

from datacheck.chat.mask import by_spans
from datacheck.chat.template import NOW, Template, TemplateFault, Templates, chat_templates, special_tokens
from datacheck.chat.tokenizer import load_tokenizer

TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"b": 1, "a": "<b>&'天气"}}}
MESSAGES = [
    {"role": "system", "content": "简短。"},
    {"role": "user", "content": "  北京天气？\n\n", "name": None},
    {"role": "assistant", "content": "<think>\n想\n</think>\n\n晴 👩‍👩‍👧", "tool_calls": None},
    {"role": "user", "content": "谢谢"},
    {"role": "assistant", "content": "不客气", "reasoning_content": "礼貌"},
]
BODY = "{% for m in messages %}\n  {% if m.role == 'assistant' %}\n{% generation %}{{ m.content }}{{ eos_token }}{% endgeneration %}\n  {% else %}\n[{{ m.role }}]{{ m.content | trim }}\n  {% endif %}\n{% endfor %}\n{% if add_generation_prompt %}>{% endif %}"
TEMPLATES = {
    "chatml": CHATML,
    "unmarked": UNMARKED,
    "white space": BODY,
    "tojson": "{{ tools | tojson }}{{ tools | tojson(indent=2) }}{{ messages | tojson(ensure_ascii=true, sort_keys=true) }}",
    "loop controls": "{% for m in messages %}{% if m.role == 'system' %}{% continue %}{% endif %}{{ m.content }}{% break %}{% endfor %}",
    "namespace": "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
    "underscore": "{% set ns = namespace(_n=0) %}{{ ns._n }}",
    "underscore later": "{% set ns = namespace(n=0) %}{% set ns._n = 1 %}x",
    "refuses": "{{ raise_exception('roles must alternate') }}",
    "undefined": "{{ messages[0].nothing }}|{{ nowhere }}|{{ messages[99].content }}",
    "broken": "{{ messages[0].content + 1 }}",
    "macro": "{% macro say(m) %}{% generation %}{{ m.content }}{% endgeneration %}{% endmacro %}{% for m in messages %}a{{ say(m) }}b{% endfor %}",
    "marks in a variable": "{% set x %}12{% generation %}34{% endgeneration %}{% endset %}ab{{ x }}{{ x }}",
    "reasoning": "{% for m in messages %}{{ m.reasoning_content }}|{{ m.thinking }}|{{ m.keys() | list }}{% endfor %}",
    "date": "{{ strftime_now('%Y-%m-%d %H:%M') }}",
    "dict": "{{ dict(a=1) }}{{ dict.fromkeys(['a']) }}{{ dict.mro }}",
    "escape": "{{ ''.__class__.__mro__ }}",
    "mutation": "{% set _ = messages.append(1) %}x",
    "special": "{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ unk_token is defined }}",
    "documents": "{{ documents }}{{ tools is none }}{{ continue_final_message is defined }}",
    "empty marks": "x{% generation %}{% endgeneration %}a{% generation %}{{ messages[0].content }}{% endgeneration %}",
    "old marks": "{%- generation -%} a {%- endgeneration -%}",
    "syntax": "{% for m in messages %}",
}  # fmt: skip


class Clock(dt.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(NOW.year, NOW.month, NOW.day, NOW.hour)


@pytest.fixture(scope="module")
def reference(tokenizer_folder):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tokenizer_folder)


@pytest.fixture(autouse=True)
def same_day(monkeypatch):
    from transformers.utils import chat_template_utils

    monkeypatch.setattr(chat_template_utils, "datetime", Clock)


@pytest.fixture(scope="module")
def tokenizer(tokenizer_folder):
    return load_tokenizer(files_of(tokenizer_folder))


def ours(source, tokenizer, messages, tools, prompt):
    rendered = Template(source, tokenizer.special).render(messages, tools=tools, add_generation_prompt=prompt)
    (encoding,) = tokenizer.encode([rendered.text])
    return rendered.text, encoding.ids, by_spans(encoding, rendered.spans)


def theirs(source, reference, messages, tools, prompt):
    given = {"chat_template": source, "tools": tools, "add_generation_prompt": prompt}
    out = reference.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True, **given)
    return reference.apply_chat_template(messages, tokenize=False, **given), out["input_ids"], out["assistant_masks"]


def outcome(work, *args):
    try:
        return work(*args)
    except Exception:  # noqa: BLE001 - whatever either side refuses with
        return "refused"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("tools", [None, [TOOL]])
@pytest.mark.parametrize("name", TEMPLATES)
def test_as_transformers(name, tools, prompt, tokenizer, reference):
    source = TEMPLATES[name]
    expected = outcome(theirs, source, reference, MESSAGES, tools, prompt)
    assert outcome(ours, source, tokenizer, MESSAGES, tools, prompt) == expected


def test_the_comparison_sees_both_outcomes(tokenizer, reference):
    refused = {
        name
        for name, source in TEMPLATES.items()
        if outcome(ours, source, tokenizer, MESSAGES, None, False) == "refused"
    }
    assert {"refuses", "broken", "escape", "mutation", "syntax", "underscore", "underscore later"} <= refused
    assert {"chatml", "tojson", "macro", "date"}.isdisjoint(refused)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), TEXT), min_size=1, max_size=5))
def test_as_transformers_on_any_text(tokenizer, reference, turns):
    messages = [{"role": role, "content": content} for role, content in turns]
    for source in (CHATML, BODY):
        assert ours(source, tokenizer, messages, None, False) == theirs(source, reference, messages, None, False)


@pytest.mark.parametrize(("name", "kind"), [("refuses", "refused"), ("broken", "broken"), ("syntax", "syntax")])
def test_faults_have_a_kind(name, kind):
    with pytest.raises(TemplateFault) as fault:
        Template(TEMPLATES[name]).render(MESSAGES)
    assert fault.value.kind == kind


def test_an_empty_conversation_is_refused_as_by_transformers(reference):
    with pytest.raises(ValueError, match="empty"):
        reference.apply_chat_template([])
    with pytest.raises(TemplateFault, match="empty"):
        Template(CHATML).render([])


def test_extra_variables_win_over_special_tokens():
    assert (
        Template("{{ eos_token }}{{ thinking }}", {"eos_token": "a"})
        .render(MESSAGES, extra={"eos_token": "b", "thinking": 1})
        .text
        == "b1"
    )


def several(folder, reference_class, **kwargs):
    tokenizer = reference_class.from_pretrained(folder)
    return tokenizer.get_chat_template(**kwargs)


@pytest.mark.parametrize("tools", [None, [TOOL]])
@pytest.mark.parametrize("name", [None, "rag"])
@pytest.mark.parametrize("shape", ["list", "files", "file over config"])
def test_the_template_is_chosen_as_transformers_chooses(tmp_path, shape, name, tools):
    from transformers import AutoTokenizer

    named = {"default": "D{{ 1 }}", "tool_use": "T{{ 1 }}", "rag": "R{{ 1 }}"}
    config = {}
    if shape == "list":
        config["chat_template"] = [{"name": key, "template": value} for key, value in named.items()]
    folder = make_tokenizer(tmp_path, None, **config)
    if shape != "list":
        (folder / "chat_template.jinja").write_text(named["default"])
        (folder / "additional_chat_templates").mkdir()
        for key in ("tool_use", "rag"):
            (folder / "additional_chat_templates" / f"{key}.jinja").write_text(named[key])
    if shape == "file over config":
        written = json.loads((folder / "tokenizer_config.json").read_text())
        (folder / "tokenizer_config.json").write_text(json.dumps({**written, "chat_template": "C"}))
    expected = several(folder, AutoTokenizer, chat_template=name, tools=tools)
    chosen = Templates(chat_templates(files_of(folder)), {}, name).pick(tools)
    assert chosen.render(MESSAGES).text == Template(expected).render(MESSAGES).text


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(TemplateFault, match="no chat template is called 'rag'; there are: default, tool_use"):
        Templates({"default": "", "tool_use": ""}, {}, "rag")
    with pytest.raises(TemplateFault, match="has no chat template"):
        Templates({}, {})


@pytest.mark.parametrize(
    "config",
    [
        {"bos_token": {"content": "<|im_start|>", "__type": "AddedToken"}, "unk_token": None},
        {"bos_token": "<s>", "eos_token": "<|im_end|>"},
    ],
)
def test_special_tokens_as_transformers_reads_them(tmp_path, config):
    from transformers import AutoTokenizer

    folder = make_tokenizer(tmp_path, **config)
    assert special_tokens(files_of(folder)) == AutoTokenizer.from_pretrained(folder).special_tokens_map


def test_files_that_cannot_be_read():
    for data in (b"[]", b"{", b"\xff"):
        with pytest.raises(TemplateFault, match=r"tokenizer_config\.json: no JSON object"):
            chat_templates({"tokenizer_config.json": data})
    with pytest.raises(TemplateFault, match="not UTF-8"):
        chat_templates({"chat_template.jinja": b"\xff"})


def test_templates_of_public_data(realdata, tokenizer, reference):
    """open-instruct's, and minimind's own: real ones."""
    config = json.loads((realdata / "tok_minimind/model/tokenizer_config.json").read_text(encoding="utf-8"))
    path = realdata / "open_instruct/open_instruct/test_data/tokenizer/chat_template.jinja"
    for source in (config["chat_template"], path.read_text(encoding="utf-8")):
        expected = outcome(theirs, source, reference, MESSAGES, None, False)
        assert outcome(ours, source, tokenizer, MESSAGES, None, False) == expected != "refused"
