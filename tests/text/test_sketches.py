"""The kernels against numpy; frequencies against counting with Python sets."""

import itertools
from collections import Counter

import numpy as np
import plain_ways
import polars as pl
import pytest
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st

from datacheck.text import sketch_kernels, sketches
from datacheck.text.minhash import band_keys, signatures
from datacheck.text.normalise import for_words
from datacheck.text.rules import RULES
from datacheck.text.shingles import Shingles, shingles
from datacheck.text.sketches import Unit

letters = st.sampled_from("的國一二三12ＡaB b,。½㎡\u0301\u1161각\ufdfaß")
columns = st.lists(st.one_of(st.none(), st.text(letters, max_size=30)), max_size=12)
units = st.sampled_from([Unit(RULES, "chars", 3), Unit((), "chars", 1), Unit(for_words(RULES), "words", 2)])


def series(texts):
    return pl.Series("text", texts, dtype=pl.String)


def some(texts, unit, data):
    """A few n-grams of the texts, to be dropped."""
    hashes = np.unique(plain_ways.sets(series(texts), unit).sets.hashes)
    chosen = data.draw(st.sets(st.sampled_from(hashes.tolist()))) if len(hashes) else set()
    return np.array(sorted(chosen), np.uint32)


@settings(max_examples=60, deadline=None)
@given(columns, units, st.data())
def test_both_ways_give_the_same_keys(texts, unit, data):
    drop = some(texts, unit, data)
    plain, compiled = (way.sketch(series(texts), unit, (64, 21, 3), drop=drop) for way in (plain_ways, sketches))
    assert (plain.keys == compiled.keys).all()
    assert plain.pick.tolist() == compiled.pick.tolist()
    assert plain.marks.tolist() == compiled.marks.tolist()
    assert plain.compared.tolist() == compiled.compared.tolist()
    assert plain.every.tolist() == compiled.every.tolist()


@settings(max_examples=60, deadline=None)
@given(columns, units, st.data())
def test_both_ways_give_the_same_sets(texts, unit, data):
    drop = some(texts, unit, data)
    plain, compiled = (way.sets(series(texts), unit, drop=drop) for way in (plain_ways, sketches))
    assert plain.sets.offsets.tolist() == compiled.sets.offsets.tolist()
    assert plain.sets.hashes.tolist() == compiled.sets.hashes.tolist()
    assert plain.texts.tolist() == compiled.texts.tolist()


@settings(max_examples=40, deadline=None)
@given(columns, st.integers(1, 4), st.sampled_from([Unit, plain_ways.Plain]))
def test_frequencies_are_those_of_counting(texts, least, way):
    unit = way((), "chars", 4)
    sets = plain_ways.sets(series(texts), unit).sets
    rows = [set(sets.hashes[a:b].tolist()) for a, b in zip(sets.offsets[:-1], sets.offsets[1:], strict=True)]
    counts = Counter(hash_ for row in rows for hash_ in row)
    expected = sorted((hash_, count) for hash_, count in counts.items() if count >= least)
    got = sketches.frequent(series(texts), unit, least)
    assert list(zip(*(column.tolist() for column in got), strict=True)) == expected
    among = np.array(sorted(counts)[::2], np.uint32)
    known = sketches.frequencies_of(series(texts), unit, among)
    assert dict(zip(*(column.tolist() for column in known), strict=True)) == {h: counts[h] for h in among.tolist()}


def test_frequencies_with_rows_that_need_their_neighbours():
    texts = ["cafe\u0301 noir", "café noir", "cafe noir"] * 3
    unit = Unit(RULES, "chars", 3)
    plain, compiled = (way.frequent(series(texts), unit, 6) for way in (plain_ways, sketches))
    assert [column.tolist() for column in plain] == [column.tolist() for column in compiled]
    assert set(plain[1].tolist()) == {6, 9}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 2**32 - 1), max_size=40), st.sampled_from([1, 16, 64, 128]))
def test_compiled_signatures_are_datasketchs_bit_for_bit(hashes, num_perm):
    theirs = MinHash(num_perm=num_perm, seed=1, scheme="affine32", hashfunc=int)
    theirs.update_batch(hashes)
    ours = np.empty(num_perm, np.uint32)
    room = np.concatenate([np.array(hashes, np.uint32), np.zeros(8, np.uint32)])
    sketch_kernels.signature_of(room, len(hashes), sketch_kernels.scheme_of(num_perm, 1, 1), ours)
    assert ours.tolist() == theirs.hashvalues.tolist()


@pytest.mark.parametrize("way", [Unit, plain_ways.Plain])
def test_texts_of_nothing_but_boilerplate_keep_it(way):
    texts = series(["天地玄黄", "天地玄黄宇宙"])
    unit = way((), "chars", 2)
    drop = np.unique(shingles(texts[:1], "chars", 2).hashes)
    found = sketches.sets(texts, unit, drop=drop).sets
    assert np.diff(found.offsets).tolist() == [3, 2]
    keys = sketches.sketch(texts, unit, (64, 21, 3), drop=drop)
    assert keys.compared.tolist() == [3, 2]
    assert keys.every.tolist() == [3, 5]


def test_text_hashes_tell_texts_apart():
    texts = ["", "a", "b", "ab", "ba", "aa", "aab", "aba", "\u0000", "\u0000\u0000"]
    assert len(set(sketches.text_hashes(series(texts)).tolist())) == len(texts)


def counted(text):
    """Of every place of a text its 3-gram; where a Latin letter stands, five letters, if there are as many."""
    wide = ["@" < text[i] < "\u0250" and i + 5 <= len(text) for i in range(max(len(text) - 2, 0))]
    return [text[i : i + (5 if five else 3)] for i, five in enumerate(wide)]


def stretches(text, dropped):
    """(place, whether it is boilerplate) of all 3-grams: of Latin ones where 20 and more stand side by side."""
    at = 0
    for loose, stretch in itertools.groupby(counted(text), lambda gram: gram in dropped and "@" < gram[0] < "\u0250"):
        several = list(stretch)
        for gram in several:
            yield at, len(several) >= 20 if loose else gram in dropped
            at += 1


def compared(text, dropped):
    return {text[i : i + 3] for i, gone in stretches(text, dropped) if not gone}


def proposing(text, dropped):
    """Without the last four letters, which begin no five; of a short text all."""
    places = [i for i, gone in stretches(text, dropped) if not gone]
    ends = [i for i in places if len(text) >= 5 and "@" < text[i] < "\u0250" and i + 5 > len(text)]
    return {counted(text)[i] for i in places if i not in ends}


@pytest.mark.parametrize("way", [Unit, plain_ways.Plain])
def test_frequent_letters_are_boilerplate_in_a_long_stretch_only(way):
    sentence = "translate this into good english".replace(" ", "")
    assert 20 <= len(sentence) - 4 < 25
    texts = [
        sentence, sentence[:-3], sentence + "苹果很好吃", "苹果" + sentence + "很好吃", sentence[:14] + "z" + sentence[14:], sentence[:9] + "12" + sentence[9:],
        "thisgoodisenglish7", "将以下句子翻译成英文" + "苹果很好吃", "the", "", "将" + sentence[:13] + "将" + sentence[13:] * 3,
        "into", "大into",
    ]  # fmt: skip
    unit, dropped = way((), "chars", 3), {*counted(sentence), *counted("将以下句子翻译成英文")}

    def hash_of(gram):
        return int(sketches.sets(series([gram]), unit._replace(n=len(gram))).sets.hashes[0])

    drop = np.array(sorted(map(hash_of, dropped)), np.uint32)
    found = sketches.sets(series(texts), unit, drop=drop).sets
    sketched = sketches.sketch(series(texts), unit, (64, 21, 3), drop=drop)
    for row, text in enumerate(texts):
        want = compared(text, dropped) or compared(text, set())
        assert found.hashes[found.offsets[row] : found.offsets[row + 1]].tolist() == sorted(map(hash_of, want))
        rare = sorted(map(hash_of, proposing(text, dropped) or proposing(text, set())))
        alone = Shingles(np.array([0, len(rare)]), np.array(rare, np.uint32))
        assert (sketched.keys[row] == band_keys(signatures(alone, 64), 21, 3)[0]).all()
    hashes, counts = sketches.frequent(series(texts), unit, 2)
    several = Counter(gram for text in texts for gram in set(counted(text)))
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == {
        hash_of(gram): count for gram, count in several.items() if count >= 2
    }


@pytest.mark.parametrize("way", [Unit, plain_ways.Plain])
def test_rows_of_common_digits_are_no_candidates_by_chance(way):
    """Nearly all of the thousand triples of digits stand in every row of numbers; a tenth of five digits does not."""
    rng = np.random.default_rng(7)
    rows = ["".join(rng.choice(list("0123456789"), 600)) for _ in range(200)]
    copies = [row[:300] + "7" + row[301:] for row in rows[:20]]
    unit, every = way(RULES, "chars", 3), ["".join(three) for three in itertools.product("0123456789", repeat=3)]
    drop = np.unique(shingles(series(every), "chars", 3).hashes)
    keys = sketches.sketch(series(rows + copies), unit, (64, 21, 3), drop=drop).keys
    shared = [(i, j) for i, j in itertools.combinations(range(220), 2) if (keys[i] == keys[j]).any()]
    assert shared == [(i, 200 + i) for i in range(20)]
