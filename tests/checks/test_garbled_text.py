import json

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.garbled_text import GarbledText
from datacheck.testing import dataset, finding, jsonl, measure

GOOD = "今天天气怎么样？我们去公园吧，顺便看看花开了没有。"


def kinds(text):
    return [problem for _, problem in measure(GarbledText(), [{"text": text}]).problems]


# Damaged as it happens: encoded in one encoding, decoded in another, by Python's own codecs.
CHINESE = ["你好，世界。", GOOD, "中文乱码问题怎么解决"]
EASTERN = [*CHINESE, "「日本語」を勉強しています", "안녕하세요 세계"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [(text, "gbk") for text in CHINESE] + [(text, wrong) for text in EASTERN for wrong in ("latin-1", "cp1252")],
)
def test_utf8_read_as_something_else(text, wrong):
    assert "mojibake" in kinds(text.encode().decode(wrong, "ignore"))


@pytest.mark.parametrize("text", ["fiancé and café", "it’s “fine” — really", "20 °C", "Привет, как дела", "so 😀"])
def test_european_utf8_read_as_windows_1252(text):
    assert "mojibake" in kinds(text.encode().decode("cp1252", "ignore"))


def test_gbk_read_as_latin_1():
    assert kinds(GOOD.encode("gbk").decode("latin-1")) == ["mojibake"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("他说：锟斤拷锟斤拷", "mojibake"),
        ("char a[4]; 烫烫烫烫", "mojibake"),
        ("工\ufffd\ufffd和知识", "replacement"),
        ("a\x00b", "nul"),
        ("\x0crac{1}{2}", "control"),
        ("\x1b[31mred\x1b[0m", "control"),
        ("a\x80b", "control"),
        ("a\ufffe", "control"),
        ("a \u202egpj.exe", "bidi"),
        ("a \u2066x\u2069", "bidi"),
        ("\ue000\ue001", "private_use"),
        ("• \uf0b7 甲 \uf0b7 乙 \uf0b7 丙", "private_use"),
        ("????,?????? ????!", "lost"),
        ("□□□，□□□□。□□", "lost"),
        ("nan", "no_value"),
        (" NaN\n", "no_value"),
        ("[object Object]", "no_value"),
    ],
)
def test_each_kind(text, kind):
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "👩‍👩‍👧‍👦 🇨🇳 ❤️ ¯\\_(ツ)_/¯",
        "∑_{i=1}^{n} x² ≤ ∞, ½ × ¾ ÷ ± °C µm €5 £3 ¥10 §2 «ok»",
        "$\\frac{\\mathrm{d}y}{\\mathrm{d}x}$\n\tif (a ?? b) { return c?.d }\r\n",
        "道可道，非常道。名可名，非常名。魑魅魍魉，饕餮貔貅，囧槑靐龘",
        "浣熊、涓涓细流、锛子、銮驾、鐡",
        "日本語のテキストです。カタカナも。",
        "한국어 텍스트입니다.",
        "/ˈɪŋɡlɪʃ/ ŋ ə ʃ θ ð",
        "┌──┬──┐\n│a │b │\n└──┴──┘ ░▒▓█",
        "CAFÉ” – DÉJÀ… É“x” „Vidíš“ a „též“ à… “été”",
        "NÃO, AMANHÃ… SÃO PAULO; Âge, Ângela; etelä”; essayé”…",
        "ÀÁÂÃÄÅÆÇÈÉÊË àáâãäåæçèéêë [áéíóúñ] °°°°°°°°°°",
        "Müller, Straße, Ærøskøbing, Đặng Thị Ngọc",
        "العربية \u200fנכון\u200f",
        "What??? Really?? No??",
        "null None undefined behaviour, nan is a bread",
        "a\u200bb \ufeff c\u2028d\u0085",
        "\uf8ff",
    ],
)
def test_fine_texts(text):
    assert kinds(text) == []


def test_the_limit_leaves_room_for_one_in_a_thousand():
    good = dataset(*["user: 好 | assistant: 好"] * 999)
    bad = dataset("user: 好 | assistant: 锟斤拷")
    assert finding(GarbledText(), good + bad).status is Status.PASS
    assert finding(GarbledText(), good + bad * 2).status is Status.FAIL


def test_a_row_counts_once_and_the_figure_counts_kinds():
    result = measure(GarbledText(), dataset("user: 锟斤拷\ufffd | assistant: a\ufffd", "user: a | assistant: b"))
    assert result.value("rate") == Ratio(1, 2)
    assert result.places == [
        (0, f"messages[{n}].content", kind) for n, kind in [(0, "mojibake"), (0, "replacement"), (1, "replacement")]
    ]
    assert result.figures["kinds"] == {"problem": ["mojibake", "replacement"], "rows": [1, 1], "texts": [1, 2]}


def test_where_in_the_text_is_said_and_nothing_steers_the_terminal():
    first = measure(GarbledText(), [{"text": "一二三\u202e四"}]).first[0]
    assert "first at character 4" in first["detail"]
    assert "\u202e" not in first["detail"]


def test_a_lone_surrogate_never_becomes_a_row():
    records = b'{"text": "a\\ud800b"}\n' + jsonl([{"text": "good"}])
    assert measure(GarbledText(), records).value("rate") == Ratio(0, 1)


def test_rows_without_text_are_said():
    result = measure(GarbledText(), [{"a": 1}, {"text": "a"}])
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("1 rows have no text to look at",)


def test_cut_characters_in_a_real_set_by_its_own_count(realdata):
    path = realdata / "llama_factory/data/dpo_zh_demo.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    cut = sum("\ufffd" in json.dumps(row, ensure_ascii=False) for row in rows)
    assert cut == 6
    assert measure(GarbledText(), path.read_bytes(), name="dpo.json").value("rate") == Ratio(cut, len(rows))


def test_the_damage_is_shown_wherever_it_stands():
    result = measure(GarbledText(), [{"question": "好" * 900 + "价格是锟斤拷元", "answer": "好"}])
    assert "价格是锟斤拷元" in result.first[0]["detail"]
