"""What templates make of arguments; verdicts by hand, on the ways in which public templates print calls."""

import json

import pytest

from datacheck.chat.calls import CallForms, call_forms
from datacheck.chat.child import Renderer, RenderLimits

WAYS = {
    "tojson": "{{ c.function.arguments | tojson }}",
    "added": "{{ 'call: ' + c.function.arguments }}",
    "joined": "{{ 'call: ' ~ c.function.arguments }}",
    "both": "{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}",
    "elements": "{% for k, v in c.function.arguments | items %}<p={{ k }}>\n{{ v }}\n</p>\n{% endfor %}",
    "no nulls": "{% for k, v in c.function.arguments | items if v is not none %}<p={{ k }}>{{ v }}</p>{% endfor %}",
    "own or text": "{% if c.function.arguments is mapping %}{% for k, v in c.function.arguments | items %}{{ k }}:{{ v }},"
    "{% endfor %}{% else %}{{ c.function.arguments }}{% endif %}",
    "out": "call",
}


def template(way, content="{{ m.content }}"):
    calls = "{% for c in m.tool_calls or [] %}" + WAYS[way] + "{% endfor %}"
    return "{% for m in messages %}<|{{ m.role }}|>" + content + calls + "<|end|>{% endfor %}"


def probe(source, **limits) -> CallForms:
    with Renderer({"default": source}, {}, limits=RenderLimits(**limits)) as renderer:
        return call_forms(renderer)


@pytest.mark.parametrize(
    ("way", "wanted", "styles", "null"),
    [
        ("tojson", "object", ("encoded", "json"), 'prints "days": null'),
        ("added", "string", ("json", "refused"), 'prints "days": null'),
        ("joined", "string", ("json", "python"), 'prints "days": null'),
        ("both", "any", ("json", "json"), 'prints "days": null'),
        ("elements", "object", ("refused", "own"), "prints <p=days>\nNone\n</p>"),
        ("no nulls", "object", ("refused", "own"), "leaves it out"),
        ("own or text", "object", ("json", "own"), "prints days:None"),
        ("out", "any", ("out", "out"), "leaves it out"),
    ],
)
def test_how_arguments_are_printed(way, wanted, styles, null):
    forms = probe(template(way))
    assert forms.wanted == wanted
    assert (forms.string.style, forms.object.style) == styles
    assert forms.printed("days").said() == null


def test_what_is_wrong_is_shown():
    twice = probe(template("tojson")).string.wrong
    assert json.dumps('{"kestrelkey": "larkword"}') in str(twice)
    assert "can only concatenate str" in str(probe(template("added")).object.wrong)
    assert "{'kestrelkey': 'larkword'}" in str(probe(template("joined")).object.wrong)


def test_shorter_conversations_where_the_whole_one_is_refused():
    strict = "{% for m in messages if m.role == 'tool' %}{{ raise_exception('no results') }}{% endfor %}"
    assert probe(strict + template("tojson")).wanted == "object"
    alone = template("tojson", "{% if m.content is defined and m.tool_calls %}{{ raise_exception('x') }}{% endif %}")
    assert probe(alone).wanted == "object"


def test_a_template_that_takes_no_call_says_nothing():
    forms = probe("{% for m in messages if m.tool_calls %}{{ raise_exception('no calls') }}{% endfor %}")
    assert (forms.wanted, forms.null) == ("any", None)
    assert str(forms.object.wrong) == "refuses them: no calls"


@pytest.mark.parametrize(
    "hostile",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{% for m in messages if m.tool_calls %}{{ m.tool_calls[0].function.arguments.pop('kestrelkey') }}{% endfor %}",
        "{{ messages | nothing }}",
        "{{",
    ],
)
def test_hostile_templates_only_refuse(hostile):
    forms = probe(hostile)
    assert (forms.string.style, forms.object.style, forms.error) == ("refused", "refused", None)


@pytest.mark.parametrize("bomb", ["{{ 'a' * 10**10 }}", "{{ [0] * 10**9 }}"])
def test_a_limit_that_is_hit_is_told(bomb):
    assert probe(bomb, seconds=1).error
