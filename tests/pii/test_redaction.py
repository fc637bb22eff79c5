import re
import subprocess
import sys
import time
import unicodedata

import polars as pl
import pytest
from core_helpers import mostly_slow
from hypothesis import given
from hypothesis import strategies as st
from pii_helpers import ATOMS, hostile_texts
from test_analyzer import DISGUISES

from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.excerpts import excerpt, hidden, mask
from datacheck.pii.recognizers import RECOGNIZERS, of_regions


@pytest.mark.parametrize(
    ("entity", "value", "masked"),
    [
        ("CN_MOBILE", "13800138000", "138****8000"),
        ("CN_MOBILE", "+86 138-0013-8000", "138****8000"),
        ("CN_MOBILE", "１３８００１３８０００", "138****8000"),
        ("CN_RESIDENT_ID", "11010519491231002X", "110105************"),
        ("CN_RESIDENT_ID", "130503670401001", "130503*********"),
        ("CN_BANK_CARD", "4111 1111 1111 1111", "4111********1111"),
        ("CN_BANK_CARD", "6222020200112233446", "6222***********3446"),
        ("EMAIL_ADDRESS", "zhangsan@qq.com", "z***@qq.com"),
        ("EMAIL_ADDRESS", "zhangsan@hr.corp.com.cn", "z***@h***.cn"),
        ("IP_ADDRESS", "39.12.216.7", "39.12.*.*"),
        ("SECRET", "ghp_a8Kd93jfK2ls0vBnQ4mZx7Yt6Rw5Ee1Uu9Ii", "ghp_****"),
    ],
)
def test_masks(entity, value, masked):
    assert mask(entity, value) == masked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("你好，world 1234!", "你好，world 1234!"),
        ("手机13912348765谢谢", "手机***********谢谢"),
        ("139-1234-8765", "***-****-****"),
        ("1.3.9.1.2", "*.*.*.*.*"),
        ("１２３４５", "*****"),
        ("①②③④⑤", "*****"),
        ("一三九一二三四", "*******"),
        ("二〇二六年", "二〇二六年"),
        ("11010519491231002X.", "******************."),
        ("写给zhangsan@corp.cn吧", "写给z***@c***.cn吧"),
        ("ｚｈａｎｇ＠ｃｏｒｐ．ｃｎ", "z***@c***.cn"),
        ("sk-abcdEFGH5678abcdEFGH5678 end", "sk-**** end"),
        ("密码：hunter2", "密码****"),
        ('"password": "p@ssw0rd.x"', '"password****'),
        ("a\tb\nc\u202e\u200b\u3164\ue000\u2028", r"a\u{9}b\u{a}c\u{202e}\u{200b}\u{3164}\u{e000}\u{2028}"),
        ("\ud800", r"\u{d800}"),
        ("0123456789abcdef0123456789abcdef", "****"),
        ("1.2.3.4", "*.*.*.*"),
        ("①②③④⑤sk-abcdEFGH5678abcdEFGH5678", "*****sk-****"),  # two values, one behind the other
        ("ghp_a8Kd93jfK2ls0vBnQ4mZx7Yt6Rw5Ee1Uu9Ii", "ghp_****"),  # also a long token: the more telling mask
        ("12345zhang@corp.cn", "1***@c***.cn"),
    ],
)
def test_redacted(text, shown):
    assert excerpt(text) == shown


@pytest.mark.parametrize("override", ["\u202e", r"\u202E", "&#8238;", "&#x202e;"])
def test_a_value_with_an_override_inside_is_masked_though_nothing_was_turned_around(override):
    for value in (
        "sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7",
        "ghp_a8Kd93jfK2ls0vBnQ4mZx7Yt6Rw5Ee1Uu9Ii",
        "zhangwei.hz@corp.cn",
    ):
        for at in (2, 4, 9):
            shown = excerpt(f"给你：{value[:at]}{override}{value[at:]} 好")
            assert value[at + 5 : at + 9] not in shown, shown


def test_masked_keeps_the_shape_only():
    assert excerpt("李雷, Tom-7: ½①é，😀\n", "masked") == r"文文, xxx-0: 00x，?\u{a}"


def test_full_is_the_text_but_visible_and_cut():
    assert excerpt("李雷 13912348765\x1b[31m", "full") == r"李雷 13912348765\u{1b}[31m"
    assert excerpt("ab" * 300, "full", limit=10) == "ababababab…"


def test_limit():
    assert excerpt("文" * 200) == "文" * 200
    assert excerpt("文" * 201) == "文" * 200 + "…"
    assert excerpt("\u200b" * 100, limit=20) == r"\u{200b}\u{200b}…"


@pytest.mark.parametrize("name", DISGUISES)
def test_every_disguise_is_masked(name):
    shown = excerpt(f"请打手机{DISGUISES[name]}找我")
    assert not any(
        unicodedata.digit(char, None) is not None for char in shown.replace(r"\u{202e}", "").replace(r"\u{202c}", "")
    )
    assert not set(shown) & set("一三九二四八七六五壹叁玖")


@pytest.mark.parametrize("entity", mostly_slow(RECOGNIZERS, of_regions()))
@pytest.mark.parametrize("limit", [20, 200])
def test_a_value_across_any_cut_is_never_half_shown(entity, limit):
    """The canary slides over the excerpt's limit, the shown region and the window's end."""
    value = canary(entity, 1)
    reach = len(value) + 5  # further before a cut it is not cut
    step = 2 if limit == 20 else 7  # the longer excerpt is cut by the same arithmetic
    for at in [*range(max(0, limit - reach), limit + 5, step), *range(limit * 4 - reach, limit * 4 + 5, step)]:
        shown = excerpt("文 " * (at // 2) + " " * (at % 2) + value + " 文" * 900, limit=limit)
        own = value.removeprefix(RECOGNIZERS[entity].label)
        visible = [part for n in (7,) for i in range(len(own) - n + 1) if (part := own[i : i + n]) in shown]
        assert visible == []


def test_what_is_shown_ends_where_the_excerpt_does():
    token, end = "0123456789abcdef" * 50, 800  # four times as many characters as are shown are looked at
    assert [excerpt(text) for text in (token, token + "0")] == ["****", "****…"]
    assert excerpt(token[: end - 1] + " 13912348765") == "**** …"
    assert excerpt(token[: end - 2] + " 13912348765") == "**** ***********…"
    assert excerpt("13912348765谢谢", start=11) == "…谢谢"
    assert hidden("手机13912348765谢谢") == [(2, 13)]


def test_a_private_key_longer_than_the_window_is_hidden():
    shown = excerpt("key: -----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA\n" * 400)
    assert "MIIE" not in shown


@pytest.mark.slow
def test_all_that_find_reports_is_hidden_by_excerpt():
    texts = hostile_texts(seed=21, count=1500)
    frame = find(pl.Series(texts))
    assert frame.height > 60
    for row in frame.iter_rows(named=True):
        value = texts[row["index"]][row["start"] : row["end"]]
        if row["rule"] in ("person.jieba", "person.surname"):
            continue  # a dictionary's guess that an excerpt does not load; a surname, which is what a mask shows
        if value != "-----BEGIN PRIVATE KEY-----":  # the header without a body is what its mask shows
            assert value not in excerpt(texts[row["index"]], limit=10_000)


@pytest.mark.slow
def test_no_five_digits_in_a_row_survive():
    """Whatever character shows a digit counts, as unicodedata sees it; the numbers of code points do not."""
    for text in hostile_texts(seed=22, count=3000):
        shown = re.sub(r"\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|&#[0-9xa-f]+;", " ", excerpt(text, limit=10_000))
        digits = "".join("9" if unicodedata.digit(char, None) is not None else " " for char in shown)
        assert "99999" not in digits, ascii(shown)


@given(
    st.lists(st.sampled_from(ATOMS) | st.characters(), max_size=40).map("".join),
    st.sampled_from(["redacted", "masked", "full"]),
)
def test_nothing_invisible_and_never_too_long(text, mode):
    shown = excerpt(text, mode, limit=50)
    assert len(shown) <= 51
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not any(unicodedata.category(char) in hidden or char in "\u115f\u1160\u3164\uffa0" for char in shown)
    shown.encode()


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1 ",
        "1((((",
        "a@",
        "a.",
        ".",
        "@",
        "-----BEGIN ",
        "\\u0031",
        "一",
        "\u200b",
        "password=",
        "密码",
        "sk-",
        "\u202e1",
        "&#49;",
        "9",
    ],
)
def test_time_does_not_depend_on_the_text(unit):
    text = unit * (100_000 // len(unit))
    begin = time.process_time()
    excerpt(text)
    assert time.process_time() - begin < 0.5


def test_imports_neither_polars_nor_presidio():
    script = (
        "import sys\n"
        "from datacheck.pii.excerpts import excerpt\n"
        "excerpt('手机13912348765 zhang@corp.cn')\n"
        "heavy = {'polars', 'presidio_analyzer', 'spacy', 'phonenumbers', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("start", range(36))
def test_a_value_is_never_cut_at_the_beginning_of_what_is_shown(start):
    """An excerpt may begin anywhere; what reaches into it is masked as a whole."""
    text = "请联系 zhangsan@example.com 或者 13912348765，谢谢"
    shown = excerpt(text, start=start)
    assert shown.startswith("…") == (start > 0)
    for value in ("zhangsan", "13912348765"):
        assert not any(value[at : at + 5] in shown for at in range(len(value) - 4))
