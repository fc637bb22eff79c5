"""Sentences that carry their id and parameters until they are said."""

import pickle

import pytest

from datacheck.errors import UsageError
from datacheck.i18n import message as module
from datacheck.i18n.message import Message, catalogue, joined, languages

PO = """msgid ""
msgstr ""
"Language: zh\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

msgid "{path}: exists already; {hint}"
msgstr "{path}：已存在；{hint}"

msgid "choose another name"
msgstr "请换一个名字"

msgid "{n:,} row has no text"
msgid_plural "{n:,} rows have no text"
msgstr[0] "{n:,} 行没有文本"
"""


@pytest.fixture
def chinese(tmp_path, monkeypatch):
    """A catalogue of three sentences in the place of ours."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    folder = tmp_path / "zh" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "datacheck.po").write_text(PO, "utf-8")
    with (folder / "datacheck.po").open("rb") as source, (folder / "datacheck.mo").open("wb") as target:
        write_mo(target, read_po(source, abort_invalid=True))
    monkeypatch.setattr(module, "LOCALE", tmp_path)
    catalogue.cache_clear()
    yield
    catalogue.cache_clear()


HINT = Message("choose another name")


@pytest.mark.parametrize(
    "path", ["drop 1 files.yaml", "a; b: {path}.yaml", "“引号”, 逗号", "{0}{hint.__class__}", "1 rows"]
)
def test_what_a_user_wrote_passes_through_in_every_language(chinese, path):
    error = UsageError("{path}: exists already; {hint}", path=path, hint=HINT)
    assert str(error) == f"{path}: exists already; choose another name"
    assert error.message.said("zh") == f"{path}：已存在；请换一个名字"
    assert error.message.said("tlh") == str(error)


@pytest.mark.parametrize(
    ("n", "english", "zh"),
    [
        (0, "0 rows have no text", "0 行没有文本"),
        (1, "1 row has no text", "1 行没有文本"),
        (10_001, "10,001 rows have no text", "10,001 行没有文本"),
    ],
)
def test_counts(chinese, n, english, zh):
    message = Message.plural("{n:,} row has no text", "{n:,} rows have no text", n)
    assert (message.said(), message.said("zh")) == (english, zh)


def test_a_message_travels_as_json_and_between_processes():
    whole = joined((Message("{a}: {b}", a="x{", b=HINT), Message.plural("{n} file", "{n} files", 2)))
    for again in (Message.from_json(whole.to_json()), pickle.loads(pickle.dumps(whole))):
        assert again == whole
        assert str(again) == "x{: choose another name; 2 files"


def test_a_sentence_without_parameters_keeps_its_braces():
    assert str(UsageError("{not: a hole}")) == "{not: a hole}"


def test_the_languages_are_those_that_have_a_catalogue():
    assert languages() == ("en", "zh")
