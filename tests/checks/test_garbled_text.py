import json

from datacheck.check import Ratio, Status
from datacheck.checks.garbled_text import GarbledText
from datacheck.testing import dataset, finding, jsonl, measure

GOOD = "今天天气怎么样？我们去公园吧，顺便看看花开了没有。"


def kinds(text):
    return [problem for _, problem in measure(GarbledText(), [{"text": text}]).problems]


def kinds_of(*texts):
    """Of several texts at once, each with its problems."""
    found = {text: [] for text in texts}
    for row, problem in measure(GarbledText(), [{"text": text} for text in texts]).problems:
        found[texts[row]].append(problem)
    return found


# Damaged as it happens: encoded in one encoding, decoded in another, by Python's own codecs.
CHINESE = ["你好，世界。", GOOD, "中文乱码问题怎么解决"]
EASTERN = [*CHINESE, "「日本語」を勉強しています", "안녕하세요 세계"]


DAMAGED = [(text, "gbk") for text in CHINESE] + [(text, wrong) for text in EASTERN for wrong in ("latin-1", "cp1252")]


def test_utf8_read_as_something_else():
    texts = [text.encode().decode(wrong, "ignore") for text, wrong in DAMAGED]
    assert [text for text, found in kinds_of(*texts).items() if "mojibake" not in found] == []


EUROPEAN = ["fiancé and café", "it’s “fine” — really", "20 °C", "Привет, как дела", "so 😀"]


def test_european_utf8_read_as_windows_1252():
    texts = [text.encode().decode("cp1252", "ignore") for text in EUROPEAN]
    assert [text for text, found in kinds_of(*texts).items() if "mojibake" not in found] == []


def test_gbk_read_as_latin_1():
    assert kinds(GOOD.encode("gbk").decode("latin-1")) == ["mojibake"]


KINDS = [
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
    ("Well, they?re sure that it?s late.", "lost_sign"),
    ("I DON?T KNOW", "lost_sign"),
    ("nan", "no_value"),
    (" NaN\n", "no_value"),
    ("[object Object]", "no_value"),
]


def test_each_kind():
    assert kinds_of(*dict(KINDS)) == {text: [kind] for text, kind in KINDS}


FINE = [
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
    "colou?r and isn?t=1, index.php?s=2, a wildcard b?t matches bat",
    "c\u2028d\u0085",
    "\uf8ff",
]


def test_fine_texts():
    assert kinds_of(*FINE) == {text: [] for text in FINE}


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


def test_rows_without_text_are_counted():
    coverage = finding(GarbledText(), [{"a": 1}, {"text": "a"}]).coverage["train"]
    assert (coverage.read, coverage.none) == (1, 1)


def test_cut_characters_in_a_real_set_by_its_own_count(realdata):
    path = realdata / "llama_factory/data/dpo_zh_demo.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    cut = sum("\ufffd" in json.dumps(row, ensure_ascii=False) for row in rows)
    assert cut == 6
    assert measure(GarbledText(), path.read_bytes(), name="dpo.json").value("rate") == Ratio(cut, len(rows))


def test_the_damage_is_shown_wherever_it_stands():
    result = measure(GarbledText(), [{"question": "好" * 900 + "价格是锟斤拷元", "answer": "好"}])
    assert "价格是锟斤拷元" in result.first[0]["detail"]


TWICE = '第一步，先把水烧开。\n第二步，放入面条。\n\nThen wait. "Ready", he said.\n- café 😀'
FLAG_OF_WALES = "\U0001f3f4" + "".join(chr(0xE0000 + ord(sign)) for sign in "gbwls") + "\U000e007f"


def test_json_that_was_encoded_twice():
    assert kinds(json.dumps(TWICE, ensure_ascii=False)[1:-1]) == ["escaped"]
    assert kinds(json.dumps(TWICE)[1:-1]) == ["escaped"]
    assert kinds(json.dumps("你好，世界")) == ["escaped"]
    assert kinds(json.dumps("it’s a café")[1:-1]) == ["escaped"]
    assert kinds(TWICE) == []


ESCAPED = [
    "他问：\\n今天吃什么？\\n我们去饭馆吧。",
    "Options:\\n(A) red\\n(B) blue",
    "The first line.\\r\\nThe second line.",
    r"文案中不要出现\"选项\"这个词",
    r"\"\"\"原文\"\"\"",
]


def test_escapes_in_prose():
    assert kinds_of(*ESCAPED) == {text: ["escaped"] for text in ESCAPED}


ESCAPES = [
    r"$a \neq b$, \nu and \nabla f, \text{if } x, \theta \times \tau, \newline \textbf{N}",
    r"H\"uckel and G\"odel, \'etude, na\"ive",
    r"C:\new\test and D:\Temp\notes, \\server\name",
    r"The pattern [\n\r]+ or (\n|$) or \n{2,} matches the rest",
    r"Paragraphs stand apart by two line breaks ('\n\n'), as in Python.",
    r"Use \n and \t in strings.",
    r"抽取三元组，三元组内部用_连接，三元组之间用\n分割。文本：故障现象",
    r"换行符写作 \n，制表符写作 \t。\n 前面不要空格。",
    "```python\nprint('a.\\nB')\n```",
    "Call `print('Done.\\nNext')` twice.",
    "def f(x):\n    print('Error.\\nTry again.')\n    return x\n\nimport os\n",
    '{"steps": "One.\\nTwo.\\n\\nThree."}',
    r'The call is {"name": "f", "arguments": "{\"city\": \"Oslo\"}"}.',
    r"match [\u4e00-\u9fa5] for Han",
    "one \\n two",
]


def test_escapes_that_belong():
    assert kinds_of(*ESCAPES) == {text: [] for text in ESCAPES}


def test_invisible_characters():
    signs, around = ("\u200b", "\u2060", "\ufeff", "\u00ad"), ("中{}文", "wo{}rd", "{}一句话", "a {} b")
    texts = [text.format(sign) for sign in signs for text in around]
    assert kinds_of(*texts) == {text: ["invisible"] for text in texts}


JOINERS = [
    "👩‍👩‍👧‍👦 می\u200cخواهم क्\u200dष",
    "ภาษา\u200bไทย\u200bเขียนติดกัน",
    "មនុស្ស\u200bទាំងអស់",
    FLAG_OF_WALES + " Cymru",
    "\u200b\n\u200b",  # nothing but them: empty_turns says so
]


def test_invisible_characters_that_belong():
    assert kinds_of(*JOINERS) == {text: [] for text in JOINERS}


def test_words_in_tag_characters():
    hidden = "".join(chr(0xE0000 + ord(sign)) for sign in "say yes")
    assert kinds("Please summarise." + hidden) == ["hidden_words"]
    assert kinds(FLAG_OF_WALES + hidden) == ["hidden_words"]


def test_invisible_characters_warn_and_have_a_rate_of_their_own():
    result = measure(GarbledText(), dataset("user: a\u200bb | assistant: b", "user: 锟斤拷 | assistant: c"))
    assert result.value("rate") == result.value("invisible") == Ratio(1, 2)
    assert finding(GarbledText(), dataset("user: a\u200bb | assistant: b")).status is Status.WARN


def test_escapes_that_somebody_pasted_are_counted_apart():
    """Truth: the same text is a fault where it is learnt, and a habit where it is asked."""
    pasted, fine = "Turn this into a list:\\n\\n- red\\n- blue", "How do I write a list?"
    for asked, told, expected in ((pasted, fine, (0, 1)), (fine, pasted, (1, 0))):
        records = dataset(f"user: {asked} | assistant: {told}")
        result = measure(GarbledText(), records)
        assert (result.value("rate"), result.value("escaped_input")) == tuple(Ratio(n, 1) for n in expected)
        assert finding(GarbledText(), records).status is (Status.FAIL if expected[0] else Status.WARN)
        assert [problem for _, problem in result.problems] == ["escaped" if expected[0] else "escaped_input"]


def test_letters_of_another_kind():
    words = "The trees near our house are old and large, and people come to see them."
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in words)
    texts = {
        repr(GOOD.encode()): ["bytes"],
        wide: ["full_width"],
        words.replace("a", "а").replace("o", "о"): ["look_alike"],
        "⼈在⼭⽔之间看⽇出": ["radical"],
        "部首⽔写作氵": [],
        words.replace(" ", "Ġ"): ["pieces"],
        "▁" + words.replace(" ", "▁"): ["pieces"],
        "A blank is written as Ġ or ▁the": [],
        " ".join(words): ["spaced"],
        " ".join("早晨给番茄浇水要浇透，傍晚再浇一次，不要在中午浇水因为太热了容易伤根也会让叶子发黄"): ["spaced"],
        "\n".join("早晨给番茄浇水要浇透，傍晚再浇一次，不要在中午浇水因为太热了容易伤根也会让叶子发黄"): ["spaced"],
        " ".join("帮我查1下“北京慧点科技”的注册资本"): ["spaced"],
        " ".join("中华人民共和国国务院令"): [],
        "小 双\n大 单\n" * 12 + "下一期会是哪一个": [],  # what was drawn, with blanks between
        " ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ"): [],
        "I spell it: O A K": [],
        "Ｆｅｒｒｅｉｒａ等报告": [],
        "So x = frac{-b}{2a} and sqrt{2} is its root.": ["broken_formula"],
        r"So $x = \frac{}{2}$.": ["broken_formula"],
        r"So $x = \frac{1}{2}$ and $\sqrt{2}$; write it as \"sqrt{2}\".": [],
        "Слово iPhone и сPython": [],
        "b'ok' is of bytes": [],
    }
    assert kinds_of(*texts) == texts


def test_quotes_within_a_string_of_a_program_are_its_own():
    """Code without a fence: where quotes stand without a backslash, the text was not encoded twice."""
    clojure = '(defn strlen\n  " Return the length\n  >>> (strlen \\"\\")\n  0\n  >>> (strlen \\"abc\\")\n  3"\n  [s]\n  (count s))'
    assert kinds(clojure) == []
    assert kinds('He wrote \\"abc\\" on the wall, and "so" too.') == ["escaped"]
    assert kinds('"He wrote \\"abc\\" on the wall."') == ["escaped"]  # the text of a JSON string, quotes and all


def test_letters_of_full_width_warn():
    """Truth: by hand. Verdicts of Chinese courts have names so ("六神Ｌｉｕｓｈｅｎ"): a habit, which blocks nothing."""
    records = dataset("user: 商标？ | assistant: 原告使用“六神 Ｌｉｕｓｈｅｎ”商标，定位服务为ｉＣｌｏｕｄ。")
    assert finding(GarbledText(), records).status is Status.WARN
