"""Every sentence of reports is in every catalogue, with the same parameters, and no catalogue holds another."""

import ast
import string
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from datacheck.cli import progress
from datacheck.compare import terminal as compare
from datacheck.contract.discover import check_class, check_names
from datacheck.derive import terminal as derive
from datacheck.i18n.message import DOMAIN, LOCALE, languages
from datacheck.i18n.words import WORDS, Words
from datacheck.loading.codes import CODES
from datacheck.preview import terminal as preview
from datacheck.review import terminal as review
from datacheck.trainers import trainer, trainer_names

ROOT = Path(__file__).parents[2]
OTHERS = [lang for lang in languages() if lang != "en"]
MADE = {"{one}; {two}", "{one}, {two}", "{one} and {two}"}  # by `joined`


def constants(node):
    """The strings that an argument may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return [*constants(node.body), *constants(node.orelse)] if isinstance(node, ast.IfExp) else []


def sentences():
    """(id, names of the parameters or None) of all messages of the source."""
    for path in sorted((ROOT / "datacheck").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            if name == "Message":
                yield from ((text, {word.arg for word in node.keywords}) for text in constants(node.args[0]))
            elif name == "Message.plural":
                given = {"n", *(word.arg for word in node.keywords)}
                yield from ((text, given) for form in node.args[:2] for text in constants(form))
    for field in fields(Words):
        words = getattr(WORDS["en"], field.name)
        texts = words.values() if isinstance(words, Mapping) else words if isinstance(words, tuple) else [words]
        yield from ((text, None) for text in texts if field.name not in ("lang", "html_lang"))
    for module in (derive, compare, review, preview, progress):
        forms = [*module._PHRASES.values(), *getattr(module, "_REASONS", {}).values()]
        yield from ((text, None) for form in forms for text in ([form] if isinstance(form, str) else form))
    for name in check_names():
        yield from ((metric.what, None) for metric in check_class(name).metrics.values())
    yield from ((text, None) for code in CODES.values() for text in (code.title, code.why, code.fix))
    for name in trainer_names():
        yield from ((rule.says, None) for rule in trainer(name).rules.values())


def holes(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def catalogue(lang):
    with (LOCALE / lang / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, abort_invalid=True)


def test_every_parameter_of_a_sentence_is_given():
    for text, given in sentences():
        if given:
            assert holes(text) | {"n"} == given | {"n"}, text


@pytest.mark.parametrize("lang", OTHERS)
def test_no_sentence_is_missing(lang):
    known = {form for entry in catalogue(lang) for form in ([entry.id] if isinstance(entry.id, str) else entry.id)}
    assert {text for text, _ in sentences()} - known == set()
    assert known >= MADE


@pytest.mark.parametrize("lang", OTHERS)
def test_no_sentence_is_left_over(lang):
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "datacheck").rglob("*.py")]
    words = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)} | MADE
    ids = (entry.id if isinstance(entry.id, str) else entry.id[0] for entry in catalogue(lang))
    assert {text for text in ids if text not in words} - {""} == set()


@pytest.mark.parametrize("lang", OTHERS)
def test_a_sentence_has_the_same_parameters_in_every_language(lang):
    for entry in catalogue(lang):
        forms = [entry.id] if isinstance(entry.id, str) else entry.id
        told = [entry.string] if isinstance(entry.string, str) else entry.string
        if not forms[0] or "{%" in forms[0]:
            continue
        assert all(told), forms
        assert {frozenset(holes(form)) for form in (*forms, *told) if "{" in form or "{" in forms[0]} <= {
            frozenset(holes(forms[0]))
        }, forms
