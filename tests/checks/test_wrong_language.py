import pytest
from pydantic import ValidationError

from datacheck.check import Ratio, Status
from datacheck.checks.wrong_language import WrongLanguage
from datacheck.testing import dataset, finding, measure

TEXTS = {
    "zh-Hans": "我们今天去图书馆看书，顺便买一些水果和面包回来。",
    "zh-Hant": "我們今天去圖書館看書，順便買一些水果和麵包回來。",
    "ja": "今日は図書館で本を読んで、そのあとで果物とパンを買います。",
    "ko": "오늘 우리는 도서관에 가서 책을 읽고 과일과 빵을 사서 집에 돌아올 것입니다.",
    "en": "Today we are going to the library to read, and then we will buy some fruit.",
    "ru": "Сегодня мы идём в библиотеку читать книги, а потом купим хлеб и фрукты.",
    "ar": "اليوم سنذهب إلى المكتبة لنقرأ الكتب ثم نشتري بعض الفواكه والخبز",
    "th": "วันนี้เราจะไปห้องสมุดเพื่ออ่านหนังสือ",
    "hi": "आज हम पुस्तकालय जाकर किताबें पढ़ेंगे और फिर कुछ फल और रोटी खरीदेंगे",
    "he": "היום אנחנו הולכים לספרייה לקרוא ספרים ואחר כך נקנה קצת פירות ולחם",
    "el": "Σήμερα πάμε στη βιβλιοθήκη για να διαβάσουμε και μετά αγοράζουμε φρούτα",
}


def wrong(text, *languages, **settings):
    result = measure(WrongLanguage(languages=languages, **settings), [{"text": text}])
    return [problem for _, problem in result.problems] == ["wrong_language"]


@pytest.mark.parametrize("language", TEXTS)
def test_every_language_is_itself_and_no_other(language):
    result = measure(WrongLanguage(languages=(language,)), [{"text": text} for text in TEXTS.values()])
    others = [(row, "wrong_language") for row, other in enumerate(TEXTS) if other != language]
    assert result.problems == others


def test_an_instruction_in_english_makes_no_english_of_what_follows():
    asked = "Please translate the whole of the text that follows into English and keep every name as it is: "
    rows = dataset(f"user: {asked}{TEXTS['zh-Hans'] * 4} | assistant: {TEXTS['en']}")
    assert measure(WrongLanguage(languages=("en",)), rows).places == [(0, "messages[0].content", "wrong_language")]
    assert measure(WrongLanguage(languages=("en", "zh")), rows).places == []


def test_zh_is_both_forms():
    assert not wrong(TEXTS["zh-Hans"], "zh")
    assert not wrong(TEXTS["zh-Hant"], "zh", "en")
    assert wrong(TEXTS["ja"], "zh", "en")


@pytest.mark.parametrize(
    "text",
    [
        "请用 Kubernetes 和 Docker 部署 PostgreSQL，再用 Prometheus 监控。",
        "运行下面的代码：\n```python\n" + "import numpy as np\nprint(np.zeros(10))\n" * 20 + "```\n然后看结果如何",
        "请打开 https://example.com/a/very/long/path/to/some/page?query=many+english+words+here 看看这篇文章",
        r"化简 $\frac{\mathrm{d}y}{\mathrm{d}x} = \sqrt{\alpha} + \beta \times \gamma$，并求出它在零点的值",
        "<div class='a'><span class='b'><p>中文网页的内容就是这样的一段话</p></span></div>",
        "a = b + c, d = e + f, x1 = y_2 ……求以上各个未知数的值",
        "def total(numbers):\n    amount = 0\n    for number in numbers:\n        amount = amount + number\n    return amount\n",
        "下面是哈利波特系列里主要角色的名单，请按字母顺序排好："
        + "1. Harry Potter\n2. Ron Weasley\n3. Luna Lovegood\n" * 4,
        "2024年自然语言处理经验方法会议（Proceedings of the Conference on Empirical Methods in Natural Language Processing, Miami, USA）。",
        "Ann Lee 和 Bob Ray-Fox 在 2024 年发表的《Health-aware food recommendation system with dual attention in graphs》中提出了该系统。",
        "1234 5678 91011 121314 151617 181920",
        "OK, yes!",
        "👍👍👍👍👍👍👍👍👍👍👍👍",
    ],
)
def test_chinese_with_much_else(text):
    assert not wrong(text, "zh")


def test_some_chinese_in_an_english_text_does_not_make_it_chinese():
    english = "The phrase means that somebody sees only a part of the whole and takes it for all there is. " * 3
    assert wrong("“盲人摸象”是一句成语。" + english, "zh")
    assert wrong("我们今天去图书馆看书，顺便买一些水果和面包回来。" + english * 4, "zh")


def test_brackets_do_not_make_the_other_form_of_chinese_expected():
    assert wrong("《Attention Is All You Need》這篇論文討論了語言模型的許多問題與應用", "zh-Hans")
    assert wrong("Read it first (我们今天去图书馆看书) and write a summary of what the paper says about it", "zh")


def test_half_of_the_words_by_default():
    half = "中文字符一共十个字符 " + "word " * 10
    assert not wrong(half, "zh")
    assert wrong(half, "zh", share=0.6)
    assert wrong(half + "word " * 2, "zh")


def test_short_texts_are_not_judged_and_said():
    result = measure(WrongLanguage(languages=["zh"]), dataset("user: hello | assistant: thank you very much"))
    assert result.value("rate") == Ratio(0, 1)
    assert result.not_checked == ("2 texts have fewer than 10 words and were not judged",)
    assert wrong("hello", "zh", words=1)


def test_mixed_forms_of_chinese():
    mixed = "我在90年代找到了一些喜剧电影，你可能會喜歡。這裡有几个选项。"
    result = measure(WrongLanguage(languages=["zh"]), [{"text": mixed}, {"text": TEXTS["zh-Hans"]}])
    assert result.value("mixed_chinese") == Ratio(1, 2)
    assert result.value("rate") == Ratio(0, 2)
    rows = [{"text": f"{TEXTS['zh-Hans']}{at}"} for at in range(300)]
    assert finding(WrongLanguage(languages=["zh"]), [*rows, {"text": mixed}]).status is not Status.WARN
    assert finding(WrongLanguage(languages=["zh"]), [*rows, *[{"text": f"{mixed}{at}"} for at in range(9)]]).status is (
        Status.WARN
    )
    slip = measure(WrongLanguage(languages=["zh"]), [{"text": TEXTS["zh-Hans"] + "圖"}])
    assert slip.value("mixed_chinese") == Ratio(0, 1)


def test_one_answer_in_another_language():
    result = measure(WrongLanguage(languages=["zh"]), dataset(f"user: {TEXTS['zh-Hans']} | assistant: {TEXTS['en']}"))
    assert result.places == [(0, "messages[1].content", "wrong_language")]
    assert "it is latin" in result.first[0]["detail"]


def test_figure_counts_rows():
    result = measure(
        WrongLanguage(languages=["zh", "en"]), [{"text": TEXTS[name]} for name in ("en", "ja", "en", "zh-Hans")]
    )
    assert result.figures["languages"] == {
        "language": ["ja", "latin", "zh-Hans"],
        "rows": [1, 2, 1],
        "share": [0.25, 0.5, 0.25],
    }


def test_the_contract_sets_the_limit():
    records = [{"text": TEXTS["en"]}]
    assert finding(WrongLanguage(languages=["zh"]), records).status is Status.WARN
    assert finding(WrongLanguage(languages=["zh"], limits={"rate": {"max": 0.5}}), records).status is Status.FAIL


@pytest.mark.parametrize("languages", [[], ["zz"], ["chinese"]])
def test_languages_are_known_codes(languages):
    with pytest.raises(ValidationError):
        WrongLanguage(languages=languages)


def test_what_is_asked_of_a_sentence_in_another_language():
    """A user's Chinese instruction above an English sentence is Chinese; the same as an answer is not."""
    asked = "纠正以下句子的语法错误\nThe room which its walls are covered in old paintings is an art gallery."
    chat = [{"role": "user", "content": asked}, {"role": "assistant", "content": TEXTS["zh-Hans"]}]
    assert measure(WrongLanguage(languages=("zh",)), [{"messages": chat}]).problems == []
    swapped = [{"role": "user", "content": TEXTS["zh-Hans"]}, {"role": "assistant", "content": asked}]
    assert measure(WrongLanguage(languages=("zh",)), [{"messages": swapped}]).problems == [(0, "wrong_language")]


def test_objects_of_json_are_no_words():
    assert not wrong('{"language": "sql", "snippet": "select the name and the age of all users from the table"}', "zh")
    assert wrong("Here it is in a few more words: {the language is, so to say, plain English and nothing else}", "zh")
