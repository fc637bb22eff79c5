"""The tagger says what jieba's own says, whatever was asked before."""

import random
import warnings

import pytest
from pii_helpers import hostile_texts, realdata

from datacheck.pii.tag_route import TagModel
from datacheck.pii.tagger import Tagger


@pytest.fixture(scope="module")
def jiebas():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
        from jieba import posseg
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return posseg.POSTokenizer(tokenizer)


def test_words_and_tags_are_those_of_jieba(jiebas):
    ours = Tagger()
    texts = [*hostile_texts(3, 300), "", "联系人张三丰，住在北京市海淀区", "O'Neill 去 3.5 次"]
    for text in texts:
        assert [(w.word, w.flag) for w in ours.cut(text)] == [(w.word, w.flag) for w in jiebas.cut(text)]


@pytest.mark.slow
def test_words_and_tags_of_real_texts(jiebas):
    ours = Tagger()
    for text in realdata("huatuo").drop_nulls().head(150):
        assert [(w.word, w.flag) for w in ours.cut(text)] == [(w.word, w.flag) for w in jiebas.cut(text)]


def test_only_what_is_asked_is_read():
    ours = Tagger()
    list(ours.cut("张三"))
    assert 3 <= len(ours._frequency) < 300


def test_the_route_is_that_of_jieba(jiebas):
    from jieba.posseg import char_state_tab_P, emit_P, start_P, trans_P
    from jieba.posseg.viterbi import viterbi

    model, rng = TagModel(char_state_tab_P, start_P, trans_P, emit_P), random.Random(7)
    known = sorted(char_state_tab_P, key=lambda char: (-len(char_state_tab_P[char]), char))
    rare = [char for char in map(chr, range(0x4E00, 0x9FD5)) if char not in char_state_tab_P]  # in any state
    texts = ["".join(rng.choices(known[:most], k=rng.randrange(1, 9))) for most in (60, 600, 9999) for _ in range(150)]
    texts += ["".join(rng.choices([*rare[:40], *known[-40:]], k=rng.randrange(1, 4))) for _ in range(60)]
    for text in texts:
        assert model.route(text) == viterbi(text, char_state_tab_P, start_P, trans_P, emit_P)[1]


def test_tags_are_found_without_jiebas_own_way(jiebas, monkeypatch):
    from jieba import posseg

    text = "联系人佘珑旒，电话"
    expected = [(w.word, w.flag) for w in jiebas.cut(text)]
    monkeypatch.setattr(posseg, "viterbi", None)
    assert [(w.word, w.flag) for w in Tagger().cut(text)] == expected
    with pytest.raises(TypeError):
        list(jiebas.cut(text))
