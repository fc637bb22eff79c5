import base64
import html
import random

import pytest
from core_helpers import each_of

from datacheck.check import Ratio, Status
from datacheck.checks.leftover_markup import LeftoverMarkup
from datacheck.testing import dataset, finding, measure

IMAGE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
# 240 letters of base64, of random bytes
BLOB = (
    "m2Zk1/0XqJ8vT5uWc7RbYp3nLsA9oEdH4iGtKfVxQ6wCzUj+MyBNrDhSgaPl/OeI2q1X0Zv8T7uRk5W3bYnJpLsA9cEdH4oGtKfVxQ6wCz"
    "Uj+MyBNrDhSgaPl/OeIm2Zk1/0XqJ8vT5uWc7RbYp3nLsA9oEdH4iGtKfVxQ6wCzUj+MyBNrDhSgaPl/OeI2q1X0Zv8T7uRk5W3bYnJpLsA"
    "9cEdH4oGtKfVxQ6wCzUj+MyBNr"
)


ASKED = "冬天怎样给植物浇水？"


def row(answer, question=ASKED):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def kinds(answer, question=ASKED):
    return [problem for _, problem in measure(LeftoverMarkup(), [row(answer, question)]).problems]


def every(answers, question=ASKED):
    return each_of(LeftoverMarkup(), {answer: row(answer, question) for answer in answers})


def test_each_kind():
    cases = [
        ("<p>冬天少浇水。</p>", "html_tag"),
        ("少浇水。</div>", "html_tag"),
        ("<DIV CLASS='a'>少浇水。", "html_tag"),
        ("详见<a href='http://example.com/a'>这里", "html_tag"),
        ('看图<img src="a.png" />，少浇水。', "html_tag"),
        ("少浇水。<br/><br />多通风。", "html_tag"),
        ("<ul><li>少浇水</li></ul>", "html_tag"),
        ("少浇水。&nbsp;&nbsp;多通风。", "html_entity"),
        (html.escape('it\'s <cold> & "dry"'), "html_entity"),
        ("比值&lt;1 提示缺水", "html_entity"),
        ("他说&#8220;好&#8221;", "html_entity"),
        ("[b]少浇水[/b]", "bbcode"),
        ("[url=http://example.com]这里[/url]", "bbcode"),
        ("[QUOTE]少浇水[/QUOTE]", "bbcode"),
        (f"图片：![]({IMAGE})", "base64"),
        (f"附件 {BLOB} 如上", "base64"),
    ]
    assert every(text for text, _ in cases) == {text: [kind] for text, kind in cases}


def test_fine_texts():
    cases = [
        "冬天少浇水，a < b 且 c > d，AT&T 与 R&D。",
        "| 月份 | 水量 |\n| --- | --- |\n| 一月 | 少<br>更少 |",
        "H<sub>2</sub>O，x<sup>2</sup>，<b>少</b>，<kbd>Ctrl</kbd>",
        "<details><summary>答案</summary>少浇水</details>",
        "<think>想一想</think><answer>少浇水</answer>",
        '<tool_call>{"name": "f", "arguments": {}}</tool_call>',
        "<image>看图说话 <|image_1|>",
        "```html\n<p>a&nbsp;b</p>\n```",
        "用 `<div class='a'>` 包起来，`&nbsp;` 是空格。",
        "the index of <p> in S_5, vectors <a, b>",
        "<p>a red cup</p> {<12><30><40><55>}",
        "第[1]节与[b]项，[i]见下",
        "arr[b][i] = arr[/b",
        "0" * 300,
        "ACGT" * 60,
        "https://example.com/" + "R0Q0" * 50,
        "A" * 80 + " " + "9" * 80,
        "&; & nbsp; &unknown; Tom & Jerry;",
    ]
    assert every(cases) == {text: [] for text in cases}


@pytest.mark.parametrize(
    "question",
    ["Write a HTML page", "网页里怎样换段？", "解释标签的作用", "Fix this: <!DOCTYPE html>", "How do I escape quotes?"],
)
def test_rows_about_markup(question):
    assert kinds("<p>a</p>&nbsp;[b]c[/b]", question) == []


def test_rows_about_encodings():
    assert kinds(BLOB, "把这段话用 base64 编码") == []
    assert kinds(BLOB, "What does this certificate say?") == []


def test_code_without_a_fence():
    text = "function f() {\n  return 1;\n}\nvar x = '<div class=\"a\">';\nlet y = 2;"
    assert kinds(text) == []


def test_results_of_tools_are_not_learnt():
    rows = [
        {
            "messages": [
                {"role": "user", "content": "查天气"},
                {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "content": "<div class='a'>晴&nbsp;</div>"},
                {"role": "assistant", "content": "晴。"},
            ]
        }
    ]
    assert measure(LeftoverMarkup(), rows).problems == []


def test_pictures_in_parts_are_no_text():
    parts = [{"type": "image_url", "image_url": {"url": IMAGE + BLOB}}, {"type": "text", "text": "这是什么？"}]
    rows = [{"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": "一个杯子。"}]}]
    assert measure(LeftoverMarkup(), rows).problems == []


def test_a_row_counts_once_and_places_are_named():
    result = measure(LeftoverMarkup(), dataset("user: &nbsp; | assistant: <p>好</p>&lt;", "user: 好 | assistant: 好"))
    assert result.value("rate") == Ratio(1, 2)
    assert result.places == [
        (0, "messages[0].content", "html_entity"),
        (0, "messages[1].content", "html_entity"),
        (0, "messages[1].content", "html_tag"),
    ]
    assert result.figures["kinds"] == {"problem": ["html_entity", "html_tag"], "rows": [1, 1], "texts": [2, 1]}


def test_it_warns():
    assert finding(LeftoverMarkup(), dataset("user: 好 | assistant: 好&nbsp;")).status is Status.WARN
    assert finding(LeftoverMarkup(), dataset("user: 好 | assistant: 好")).status is Status.PASS


def test_rows_that_were_not_judged_are_counted():
    result = measure(LeftoverMarkup(), dataset("user: HTML | assistant: &nbsp;", "user: 好 | assistant: 好"))
    assert result.not_checked == ("1 row speaks of markup or web pages; its markup was not judged",)


@pytest.mark.parametrize("text", ["<" * 5000, "&" * 5000, "[b]" * 3000, "<a " * 3000, "A/9z" * 20000])
def test_hostile_texts(text):
    assert kinds(text) == []


def test_real_reviews_and_medicine(realdata):
    chat = realdata / "medicalgpt/data/sft/medical_sft_1K_format.jsonl"
    wanted = sum("&lt;" in line or "&gt;" in line for line in chat.read_text(encoding="utf-8").splitlines())
    assert wanted == 2
    measured = measure(LeftoverMarkup(), chat.read_bytes(), name="chat.jsonl")
    marks = [row for row, _, problem in measured.places if problem == "reference_mark"]
    assert (measured.value("rate").n, len(marks)) == (wanted + 1, 1)  # one answer was cut out of a paper with its [1]


def test_what_stands_around_the_text_of_a_page():
    cases = [
        ("少浇水。\n上一篇：无 下一篇：施肥 版权所有 © 2021", ["page_chrome"]),
        ("Water it less.\nShare on Facebook | Tweet | Cookie Policy", ["page_chrome"]),
        ("All rights reserved. Privacy Policy", ["page_chrome"]),
        ("请看下一篇文章。", []),
        ("The book says: all rights reserved.", []),
    ]
    assert every(dict(cases)) == dict(cases)
    assert every(dict(cases), "为我的网站写页脚") == {answer: [] for answer, _ in cases}


def test_what_tools_leave_in_an_answer():
    cases = [
        ("Water it【12:0†report.pdf】.", ["citation"]),
        ("Water it.citeturn0search3", ["citation"]),
        ('Water it.<ref name="a"/>', ["wiki"]),
        ("Water it.\n=======\nnew\n>>>>>>> feature/clean", ["merge_conflict"]),
        ("浇水。\n责任编辑：李晓明", ["page_chrome"]),
        ("Water it.\n\nRead more »", ["page_chrome"]),
        ("Water it.\n\nPage | 5\n\nAnd again.", ["page_number"]),
        ("浇水。[图片]", ["picture"]),
        ("浇水。\n京ICP备12345678号-1", ["site_words"]),
        ("浇水。\n转载请注明出处：园艺网", ["site_words"]),
        ("浇水。（本文来自微信公众号：园艺小站）", ["site_words"]),
        ("浇水。如果有帮助请采纳，谢谢！", ["site_words"]),
        ("Daily.\nEDIT: fixed a typo.", ["site_words"]),
        ("[2024-01-02 10:11:12] INFO root: generating\nDaily.", ["harness"]),
        ("[2024-03-05 14:22:31] 客服小王：每天浇一次。", ["harness"]),
        ("2024-03-05 14:22 Agent_7: Daily.", ["harness"]),
        ("2024-03-05 14:22 is when the sun sets: water then.", []),
        ("Daily.\nfinish_reason: length", ["harness"]),
        ("Daily. [object Object]", ["harness"]),
        ("@zhangsan 你好，浇水。", ["site_words"]),
        ("浇水。加微信领取优惠券，点击链接 http://t.cn/a 立即购买！", ["site_words"]),
        ("Daily.\nThis article first appeared on GardenBlog.", ["site_words"]),
        ("Daily. Click here http://bit.ly/a to get half of it.", ["site_words"]),
        ("Tomatoes need water.[citation needed]", ["wiki"]),
        ("浇水。\n版权所有，转载请注明出处。", ["site_words"]),
        ("浇水。 点击这里查看更多详情>>", ["site_words"]),
        ("浇水以后点击这里的按钮，就能查看更多详情。", []),
        ("楼主发表于 2019-03-02 12:33 | 只看该作者\n浇水。", ["site_words"]),
        ("首页 > 园艺 > 正文\n浇水。", ["site_words"]),
        ("浇水，然后……展开全部", ["site_words"]),
        ("Please enable JavaScript to view this page.\nWater it.", ["site_words"]),
        ("Water it.\n\nPosted by admin on March 3, 2019 at 10:22 am", ["site_words"]),
        ("Water it.\n\nanswered Jan 12 '14 at 3:22", ["site_words"]),
        ("浇水。望采纳，谢谢！", ["site_words"]),
        ("浇水。\n赞(12) 踩(0) 回复", ["site_words"]),
        ("Water it.\nShare this article: Facebook Twitter", ["site_words"]),
        ("以上是我的建议，望采纳。", []),
        ("%E6%97%A9%E6%99%A8%E6%B5%87%E9%80%8F%E3%80%82", ["percent"]),
        ("See https://zh.wikipedia.org/wiki/%E6%97%A9%E6%99%A8%E6%B5%87%E9%80%8F", []),
        ("Continue reading every day, and read more.", []),
        ("转载他人的文章时，请注明出处。", []),
        ("A well-\nknown tree.", []),
        ("【1】浇水。【2】施肥。", []),
        ("Page 3 of 12 says so.", []),
    ]
    assert every(dict(cases)) == dict(cases)
    asked = "Explain git merge conflicts, wiki citations, 图片 and page numbers of a blog"
    assert every(dict(cases), asked) == {answer: [] for answer, _ in cases}


def test_a_rating_that_nobody_asked_for():
    assert kinds("Daily.\nScore: 8/10") == kinds("浇水。\n评分：4.5\n理由：很好") == ["rating"]
    assert kinds("Daily.\nScore: 8/10", "Rate this answer from 1 to 10: water it daily.") == []
    assert kinds("The final score: 8/10 goals.") == []
    # Who asks for a rating did not ask for what a program left.
    assert kinds("Daily. [citation needed]\nScore: 8/10", "Rate this answer: water it daily.") == ["wiki"]


def test_texts_in_percent_signs_that_were_asked_for():
    assert kinds("%E6%97%A9%E6%99%A8%E6%B5%87%E9%80%8F%E3%80%82", "对“早晨浇透。”做百分号编码") == []
    assert kinds("%E6%97%A9[citation needed]", "对“早”做百分号编码") == ["wiki"]


def test_english_in_base64_that_is_the_whole_answer():
    words = b"The trees near our house are old and large; people of 12 towns come to see them in May. " * 3
    data = base64.b64encode(words).decode()
    assert "+" not in data
    assert "/" not in data
    assert kinds(data) == ["base64"]
    assert kinds(data, "Encode this in base64: The trees near our house") == []
    assert kinds(f"A word of {data} letters") == []


def ending(*ends):
    """Answers of their own, the last ones with these ends."""
    words = ["".join(random.Random(n).choices("bdfgklmnprstvz", k=12)) for n in range(200)]
    told = [f"The {word[:6]} by the {word[3:9]} house always likes the {word[6:]}." for word in words]
    rows = [f"{answer}{end}" for answer, end in zip(told, [*[""] * (200 - len(ends)), *ends], strict=True)]
    return [{"question": f"What does {word} like?", "answer": answer} for word, answer in zip(words, rows, strict=True)]


@pytest.mark.parametrize(
    ("end", "rows"),
    [
        ("\n\nHope this helps! Visit www.example-tutors.com for more.", 10),
        (" 更多内容请关注公众号“学习小助手”。", 60),
        (" Let me know if you have other questions.", 10),
    ],
)
def test_a_sentence_at_the_end_of_many_answers(end, rows):
    result = measure(LeftoverMarkup(), ending(*[end] * rows))
    assert (result.value("tails"), result.value("rate").n) == (Ratio(rows, 200), 0)
    assert {place["line"] for place in result.first} <= {*range(201 - rows, 201)}


@pytest.mark.parametrize(
    "ends",
    [
        [" Let me know if you have other questions."] * 9,  # too few
        [" That is how we say goodbye, my friend."] * 110,  # how the set is written
        ["\nSo the answer is B."] * 40,
        [" 因此应该选择第二个选项。"] * 40,
        ["\n#### 100"] * 40,
        ["\nreturn the_last_value_of(it)"] * 40,
        [" I feel quite glad about it.", " I feel quite sad about it.", " I feel nothing about it."] * 66,  # labels
    ],
)
def test_ends_that_are_meant(ends):
    assert measure(LeftoverMarkup(), ending(*ends)).value("tails").n == 0


def test_one_answer_many_times_has_no_tail():
    answer = "The kettle boils water for the tea of all. It is in the kitchen of the house."
    rows = [{"question": f"Where is number {n}?", "answer": answer} for n in range(30)]
    assert measure(LeftoverMarkup(), [*ending(), *rows]).value("tails").n == 0
