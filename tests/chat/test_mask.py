from itertools import pairwise

import pytest
from chat_helpers import CHATML, UNMARKED, files_of
from hypothesis import given, settings
from hypothesis import strategies as st

from datacheck.chat.mask import by_spans, concatenation, kept, prefix_spans, runs
from datacheck.chat.template import Template, TemplateFault
from datacheck.chat.tokenizer import load_tokenizer

LABELS = st.lists(st.integers(0, 1), max_size=40)


@given(LABELS)
def test_runs_are_the_trained_stretches(labels):
    found = runs(labels)
    assert [n for first, end in found for n in range(first, end)] == [n for n, label in enumerate(labels) if label]
    assert all(one[1] < two[0] for one, two in pairwise(found))


@given(st.integers(0, 30), st.one_of(st.none(), st.integers(1, 30)))
def test_truncation_keeps_one_end(length, limit):
    tokens = list(range(length))
    assert list(kept(length, limit, "right")) == tokens[:limit]
    assert list(kept(length, limit, "left")) == (tokens if limit is None else tokens[-limit:])


@pytest.mark.parametrize(
    ("prompt", "whole", "labels", "aligned"),
    [
        ([1, 2], [1, 2, 3], [0, 0, 1], True),
        ([1, 2], [1, 9, 3], [0, 0, 1], False),  # the boundary fused
        ([1, 2, 3], [1, 9], [0, 0], False),
        ([], [1], [1], True),
        ([1], [1], [0], True),
    ],
)
def test_concatenation_as_trl(prompt, whole, labels, aligned):
    assert concatenation(prompt, whole) == (labels, aligned)


TURNS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), st.text(max_size=8)), min_size=1, max_size=6
)


@settings(max_examples=50)
@given(TURNS)
def test_prefixes_find_what_marks_say(turns):
    """The same template with and without marks; the line feed after the end token belongs to the prefix, too."""
    messages = [{"role": role, "content": content} for role, content in turns]
    marked, unmarked = Template(CHATML).render(messages), prefix_spans(Template(UNMARKED), messages)
    assert unmarked.text == marked.text
    expected = [(start, end + 1) for start, end in marked.spans]
    if turns[0][0] == "assistant":  # nothing stands before it, so the header is taken with it
        expected[0] = (0, expected[0][1])
    assert unmarked.spans == expected


def test_unstable_prefixes_are_refused():
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    rewriting = UNMARKED.replace("message['content']", "(message['content'] if loop.last else '')")
    with pytest.raises(TemplateFault) as fault:
        prefix_spans(Template(rewriting), messages)
    assert fault.value.kind == "unstable"
    alone = "{% if messages | length == 1 %}{{ raise_exception('too short') }}{% endif %}" + UNMARKED
    with pytest.raises(TemplateFault) as fault:
        prefix_spans(Template(alone), messages)
    assert fault.value.kind == "unstable"


def test_characters_spread_over_tokens(tokenizer_folder):
    """transformers labels only the first token of the last character: a mask that ends in one loses its other bytes."""
    tokenizer = load_tokenizer(files_of(tokenizer_folder))
    (encoding,) = tokenizer.encode(["a𠮷b"])
    assert len(encoding.ids) == 6
    assert by_spans(encoding, [(1, 2)]) == [0, 1, 0, 0, 0, 0]
    assert by_spans(encoding, [(1, 3)]) == [0, 1, 1, 1, 1, 1]
    assert by_spans(encoding, [(9, 10), (0, 1)]) == [0] * 6  # beyond the text: the rest is not looked at
