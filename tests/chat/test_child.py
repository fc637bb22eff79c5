"""Templates are hostile: whatever they try costs one conversation, and is never a text."""

import os
import time

import pytest
from chat_helpers import CHATML, UNMARKED

from datacheck.chat.child import Renderer, RenderLimits, RenderRequest
from datacheck.chat.mask import prefix_spans
from datacheck.chat.template import Template

MESSAGES = ({"role": "user", "content": "你好"}, {"role": "assistant", "content": "在的"})
ONE = RenderRequest(MESSAGES)
BOMBS = {
    "one long text": "{{ messages[0].content * 10 ** 9 }}",
    "a constant": "{{ 'a' * 10 ** 9 }}",
    "nested loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
    "doubling": "{% set x = namespace(v=messages[0].content) %}{% for a in range(40) %}{% set x.v = x.v + x.v %}{% endfor %}{{ x.v | length }}",
    "much output": "{% for a in range(99999) %}{{ 'a' * 9999 }}{% endfor %}",
    "recursion": "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(1) }}",
    "a large number": "{{ 9 ** 999999999 }}",
    "padding": "{{ 'a'.ljust(10 ** 10) }}{{ '%2000000000d' % 1 }}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_stopped(name):
    start = time.monotonic()
    with Renderer({"default": BOMBS[name]}, {}, limits=RenderLimits(seconds=1)) as renderer:
        (reply,) = renderer.render([ONE])
    assert reply.text == ""
    assert reply.fault == "limit" or (name in ("recursion", "padding") and reply.fault in ("broken", "refused"))
    assert time.monotonic() - start < 30  # a bomb would need hours; the machine may be busy


def test_after_a_bomb_the_next_conversation_is_rendered():
    template = (
        "{% if messages[0].content == 'bomb' %}{{ messages[0].content * 10 ** 9 }}{% endif %}{{ messages[0].content }}"
    )
    wanted = ["a", "bomb", "b", "c"]
    with Renderer({"default": template}, {}, limits=RenderLimits(seconds=1)) as renderer:
        replies = list(
            renderer.render(RenderRequest([{"role": "user", "content": text}], spans=False) for text in wanted)
        )
    assert [reply.text for reply in replies] == ["a", "", "b", "c"]
    assert [reply.fault for reply in replies] == [None, "limit", None, None]


@pytest.mark.slow
def test_it_does_not_try_for_ever():
    with Renderer({"default": BOMBS["nested loops"]}, {}, limits=RenderLimits(seconds=1)) as renderer:
        start = time.monotonic()
        replies = list(renderer.render([ONE] * 100))
    assert [reply.fault for reply in replies] == ["limit"] * 100
    assert time.monotonic() - start < 30  # a hundred limits of a second would be more


@pytest.mark.parametrize(
    "escape",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ self.__init__.__globals__ }}",
        "{{ strftime_now.__self__.__class__ }}",
        "{{ raise_exception.__globals__ }}",
        "{{ messages.__class__.__base__ }}",
        "{{ ('{0.__class__}').format(1) }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
    ],
)
def test_no_way_out_of_the_sandbox(escape):
    with Renderer({"default": escape}, {}) as renderer:
        (reply,) = renderer.render([ONE])
    assert reply.text == ""  # refused, or an undefined value


def test_replies_are_those_of_the_template_itself():
    extra = {"eos_token": "</s>"}
    requests = [
        ONE,
        RenderRequest(MESSAGES[:1], prompt=True, spans=False),
        RenderRequest(MESSAGES, [{"a": "\ud800"}], extra),
    ]
    with Renderer({"default": CHATML}, {}) as renderer:
        replies = list(renderer.render(requests))
    template = Template(CHATML)
    assert (replies[0].text, [tuple(s) for s in replies[0].spans]) == tuple(template.render(MESSAGES))
    assert replies[1].text == template.render(MESSAGES[:1], add_generation_prompt=True).text
    assert [reply.by for reply in replies] == ["generation", None, "generation"]
    with Renderer({"default": UNMARKED}, {}) as renderer:
        (reply,) = renderer.render([ONE])
    assert (reply.text, [tuple(s) for s in reply.spans]) == tuple(prefix_spans(Template(UNMARKED), MESSAGES))
    assert reply.by == "prefix"


def test_many_conversations_in_order():
    requests = (RenderRequest([{"role": "user", "content": f"{n} " * (n % 300)}], spans=False) for n in range(1000))
    with Renderer({"default": "{{ messages[0].content }}"}, {}) as renderer:
        assert [reply.text for reply in renderer.render(requests)] == [f"{n} " * (n % 300) for n in range(1000)]


def test_the_child_ends_with_its_renderer():
    with Renderer({"default": CHATML}, {}) as renderer:
        list(renderer.render([ONE]))
        child = renderer._child.pid
        os.kill(child, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_child_that_dies_is_a_limit_not_a_text():
    with Renderer({"default": CHATML}, {}) as renderer:
        list(renderer.render([ONE]))
        renderer._child.kill()
        assert [reply.fault for reply in renderer.render([ONE, ONE])] == ["limit", None]


def test_code_that_lies_in_the_working_folder_is_not_run(tmp_path, monkeypatch):
    for name in ("jinja2.py", "json.py", "datacheck.py"):
        (tmp_path / name).write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with Renderer({"default": CHATML}, {}) as renderer:
        (reply,) = renderer.render([ONE])
    assert reply.fault is None
