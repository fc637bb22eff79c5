"""`unicodedata` and a few texts whose normal form is plain to a reader are the truth."""

import functools
import unicodedata
from pathlib import Path

import character_tables as generate
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text import built_tables, tables
from datacheck.text import rules as rules_module
from datacheck.text.normalise import for_words, normalise, origins
from datacheck.text.rules import KNOWN, RULES
from datacheck.text.tables import read

EXACT = unicodedata.unidata_version == generate.UNICODE
TRICKY = "Ａｂ１，。　ﬁ½㎡…ﾞｶｱ\u0301e\u0300\u0345\u1100\u1161\u11a8가ß\u1e9eİ臺灣薴裡\u200b\ufeff\u00ad\ufe0f\U0001f600\U00020000豈\x00\t\n\ue000·—Ω\u2126\u037e\u0b47\u0b3e\u3099か"
text = st.text(st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=["Cs", "Cn"])), max_size=40)


def one(value, rules=RULES):
    return normalise(pl.Series([value], dtype=pl.String), rules).to_list()[0]


@functools.cache
def simplified():
    # OpenCC's own file, read a second time in the most naive way
    opencc = pytest.importorskip("opencc")
    lines = (Path(opencc.__file__).parent / "dictionary" / "TSCharacters.txt").read_text("utf-8")
    return {line.split("\t")[0]: line.split("\t")[1].split(" ")[0] for line in lines.splitlines()}


def unseen(c):
    invisible = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0}
    selector = 0xFE00 <= ord(c) <= 0xFE0F or 0xE0100 <= ord(c) <= 0xE01EF
    return unicodedata.category(c) == "Cf" or ord(c) in invisible or selector


def reference(value, rules):
    if "nfkc" in rules:
        value = unicodedata.normalize("NFKC", value)
    if "casefold" in rules:
        value = value.casefold()
    if "t2s" in rules:
        table = simplified()
        value = "".join(table.get(table.get(c, c), table.get(c, c)) for c in value)
    if "strip_punct" in rules:
        value = "".join(
            c
            for c in value
            if c.isspace()
            or unicodedata.category(c)[0] == "Z"
            or not (unicodedata.category(c)[0] in "PS" or unicodedata.category(c) == "Cc" or unseen(c))
        )
    if "strip_invisible" in rules:
        value = "".join(c for c in value if not unseen(c))
    if "strip_space" in rules:
        value = "".join(c for c in value if not (c.isspace() or unicodedata.category(c)[0] == "Z"))
    return value


def test_what_parts_words_stays():
    rules = for_words(RULES)
    assert one("The\u200b Ｑuick,\u00adBrown fox…臺灣\ufe0f！", rules) == "the quick,brown fox...台湾!"
    assert for_words(("nfkc", "strip_space")) == ("nfkc",)


@pytest.mark.skipif(not EXACT, reason="characters of later Unicode versions differ by design")
@given(text, st.sets(st.sampled_from(KNOWN)))
def test_it_does_what_unicodedata_does(value, rules):
    assert one(value, tuple(rules)) == reference(value, rules)


@pytest.mark.skipif(not EXACT, reason="characters of later Unicode versions differ by design")
@pytest.mark.parametrize(
    "rules", [("nfkc",), ("casefold",), ("nfkc", "casefold"), ("strip_punct",), ("strip_invisible",), RULES]
)
def test_every_code_point(rules):
    dense = [chr(c) for c in [*range(0x34000), *range(0xE0000, 0xE0200)] if not 0xD800 <= c < 0xE000]
    chosen = dense if len(rules) == 1 else dense[::7]
    chosen += map(chr, range(0x34000, 0x110000, 101))  # planes without any character
    found = normalise(pl.Series(chosen), rules).to_list()
    table = simplified() if "t2s" in rules else None
    for char, new in zip(chosen, found, strict=True):
        if table is None or char not in table:
            assert new == reference(char, [rule for rule in rules if rule != "t2s" or table]), hex(ord(char))


def test_sample_agrees_on_every_python():
    known = "".join(chr(c) for c in range(0x20, 0x3000) if unicodedata.category(chr(c)) != "Cn")
    changed = {c for run in read("nfkc") for c in range(run.first, run.last + 1)}
    for char in known:
        assert (unicodedata.normalize("NFKC", char) != char) == (ord(char) in changed), hex(ord(char))


@pytest.mark.slow
@pytest.mark.skipif(not EXACT, reason="the table is made with Unicode 14.0 (Python 3.11)")
def test_regenerating_gives_the_same():
    pytest.importorskip("opencc")
    folder = Path(tables.__file__).parent
    assert generate.unicode_table() == (folder / "unicode.tsv").read_text("utf-8")
    assert generate.t2s_table() == (folder / "t2s.tsv").read_text("utf-8")


def test_the_generator_refuses_another_unicode(monkeypatch):
    monkeypatch.setattr(unicodedata, "unidata_version", "99.0.0")
    with pytest.raises(RuntimeError, match="99"):
        generate.unicode_table()


@pytest.mark.parametrize(
    "disguised",
    [
        "GPT-4的优点：快，而且便宜！",
        "ＧＰＴ－４的优点：快，而且便宜！",  # fullwidth
        "gpt4的優點：快，而且便宜！",  # traditional
        "G P T 4 的 优 点 快 而 且 便 宜",  # spaces
        "GPT-4的优点:快,而且便宜!",  # ASCII punctuation
        "GPT4的优\u200b点快而且\ufeff便宜\n",  # invisible
        "【GPT—4】的·优点……快、而且「便宜」。",
    ],
)
def test_disguises_become_the_same(disguised):
    assert one(disguised) == "gpt4的优点快而且便宜"


def test_null_stays_null_and_names_stay():
    texts = pl.Series("answer", ["Ａ", None, "", "。。。", None])
    got = normalise(texts, RULES)
    assert (got.name, got.to_list()) == ("answer", ["a", None, "", "", None])
    assert normalise(pl.Series([None, None], dtype=pl.String), RULES).to_list() == [None, None]
    assert normalise(pl.Series([], dtype=pl.String), RULES).to_list() == []


def test_no_rule_changes_nothing():
    assert one("Ａ，臺 \x00", ()) == "Ａ，臺 \x00"


def test_an_unknown_rule_is_named():
    with pytest.raises(ValueError, match="lower"):
        one("a", ("lower",))


def test_rows_do_not_influence_each_other():
    # a combining mark at the start of a row must not join the row before it; long rows cross block borders
    rows = ["e", "\u0301", "ｶ", "ﾞ", "\u1100", "\u1161", "的" * 1_500_000, None, "½" * 3, "臺"]
    got = normalise(pl.Series(rows), ("nfkc",)).to_list()
    assert got == [row and unicodedata.normalize("NFKC", row) for row in rows]


@given(text)
def test_once_is_enough_for_the_default_rules_on_chinese(value):
    chinese = "".join(c for c in value if "\u3000" <= c <= "\u9fff")
    assert one(one(chinese)) == one(chinese)


def test_unassigned_code_points_part_the_text():
    # U+1E08F is a combining mark since Unicode 15: with it a newer Python would reorder, 14.0 must not
    value = "a\U0001e08f\u0323\u0301"
    new = "a\U0001e08f" + unicodedata.normalize("NFKC", "\u0323\u0301")
    assert one(value, ("nfkc",)) == new
    assert one("a\U0001e08f\u0301\u0323", ("nfkc",)) == "a\U0001e08f\u0323\u0301"


@given(text)
def test_origins_point_back(value):
    new, where = origins(value, RULES)
    assert new == (one(value) or "")
    assert len(where) == len(new) + 1
    assert where[-1] == len(value)
    assert (where[1:] >= where[:-1]).all()
    for at, char in enumerate(new):  # normalising the source from there to the next other place contains it
        end = next(int(w) for w in [*where[at:], len(value)] if w > where[at])
        assert char in (one(value[where[at] : end]) or "")


def test_origins_of_a_disguise():
    new, where = origins("「ＧＰＴ 臺e\u0301…」½", RULES)
    assert new == "gpt台é12"
    assert where.tolist() == [1, 2, 3, 5, 6, 10, 10, 11]


@pytest.mark.parametrize(("rules", "composed"), rules_module.USUAL, ids=str)
def test_tables_that_came_with_the_package_are_those_that_would_be_made(rules, composed):
    kept, made = rules_module.table_of(rules, composed=composed), rules_module.make_table(rules, composed=composed)
    assert built_tables.read("+".join((*rules, "composed") if composed else rules)) is not None
    assert all(np.array_equal(one, other) and one.dtype == other.dtype for one, other in zip(kept, made, strict=True))
