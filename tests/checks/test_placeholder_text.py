import json

import pytest
from core_helpers import each_of

from datacheck.check import Ratio, Status
from datacheck.checks.placeholder_text import PlaceholderText
from datacheck.testing import dataset, finding, measure


def problems(text):
    return every([text])[text]


def every(texts):
    return each_of(PlaceholderText(), {text: {"question": text, "answer": "好"} for text in texts})


def test_what_nobody_filled_in():
    cases = [
        ("您好，我是 {{name}}，由 {{author}} 发明。", "template_field"),
        ("我是{{ 助手名称 }}。", "template_field"),
        ("Dear {{user.first_name}},", "template_field"),
        ("Hello ${userName}, welcome", "shell_variable"),
        ("Dear ${first} ${last}, your order", "shell_variable"),
        ("### Instruction:\n{instruction}\n### Response:", "format_field"),
        ("根据{上下文}回答", "format_field"),
        ("Dear <<FIRST_NAME>>", "angle_field"),
        ("<<NAME>> 你好", "angle_field"),
        ("TODO", "to_do"),
        ("答案：\nTODO:\n谢谢", "to_do"),
        ("Water it daily. TODO: fill in the rest", "to_do"),
        ("【待补充】", "to_do"),
        ("（待完善）", "to_do"),
        ("请看：[内容]", "missing_content"),
        ("地址是[插入地址]，交通便利", "missing_content"),
        ("1. [Insert Blog Post 1]", "missing_content"),
        ("我叫【填写你的称呼】，", "missing_content"),
        ("【此处填写公司介绍】和更多", "missing_content"),
        ("（此处填写答案）", "missing_content"),
        ("(请在此处补充案例)", "missing_content"),
        ("Final: [your answer here]", "missing_content"),
        ("【议题】\n新仓库\n【内容】\n\n【结论】\n延期", "missing_content"),
        ("标题如下\n【内容】\n谢谢", "missing_content"),
    ]
    found = every(dict(cases))
    assert {text: kind for text, kind in cases if kind not in found[text]} == {}


def test_what_is_meant_so():
    cases = [
        "日時：9月8日\n\n【議題】\n配送の短縮\n\n【内容】\n・大型物流拠点を新設した。",
        "```vue\n<p>{{ message }}</p>\n```",
        "```js\nconst s = `Hello, ${name}!`;",
        "用 `{{ name }}` 插值，用 `${name}` 取变量",
        "console.log(`Hello, ${name}!`);",
        "<template>\n<p>{{ message }}</p>\n</template>",
        "{% for x in xs %}\n{{ x.name }}\n{% endfor %}",
        "def f(question):\n    return f'{question}'\nprint(f(1))",
        '#!/bin/bash\n\ndir="${1}"\n\nif [[ -d "${dir}" ]]; then\n    echo "Files in ${dir}"\nfi',
        'count=0\nfor entry in ./*; do\n  if [ -f "${entry}" ]; then\n    count=$((count + 1))\n  fi\ndone',
        r"Determine the atomic weight of ${He}^{++}$ in amu",
        r"wavelength $(\lambda) 6.70 \times 10^{-5} ${cm} \alpha$ of lithium",
        r"is $T_{n}$, where ${a_n}=\frac{n}{2}$, determine",
        "the line ${kx}{-}y{+}2k=0$ passes through",
        "env: ${{ secrets.GITHUB_TOKEN }}",
        r"$\frac{{a}}{{b}}$ 与 $x^{{n+1}}$，${ }^{14}C$，${ab}$，\text{{input}}",
        r"集合 $\{x_n\}$，{1,2,3}，{{1,2},{3,4}}，{{x}}",
        "{\"input\": 1} {'answer': 2} {} {{}} {0} %s",
        "尊敬的[姓名]，……此致 [您的姓名] [日期]",
        "Best regards,\n[Your Name]\n[Your Title]",
        "申请人：XXX，XXXX年XX月XX日；手机尾号 xxx",
        "[问题] 1+1=？ [答案] 2 【注】 [1] [x] [y/n]",
        "帮我写一个 TODO 列表应用，包括 TODO 的增删。",
        "# TODO: 添加分析代码",
        "a <<SRE>> b; cout <<X<<Y; 48/2=<<48/2=24>>24; cat <<EOF",
        "不应包含 [插入 x] 或 [placeholder]",
        "这次会议的内容待定，金额待填",
        "河水到这里（此处水深三米）变缓",
    ]
    assert every(cases) == {text: [] for text in cases}


def test_code_without_a_fence_is_not_judged_and_said():
    text = 'val x = 1;\nprintln(s"a");\nHello ${hotel} ${guest};\n'
    result = measure(PlaceholderText(), [{"text": text}])
    assert result.value("rate") == Ratio(0, 1)
    assert result.not_checked == ("1 text looks like code outside a fence; braces in it were not judged",)


def test_what_was_found_is_shown():
    result = measure(PlaceholderText(), dataset("user: 你是谁？ | assistant: 我是 {{name}}。"))
    assert result.places == [(0, "messages[1].content", "template_field")]
    assert "{{name}}" in result.first[0]["detail"]


def test_one_is_too_many():
    assert finding(PlaceholderText(), dataset("user: a | assistant: TODO")).status is Status.FAIL
    assert finding(PlaceholderText(), dataset("user: a | assistant: b")).status is Status.PASS


def test_identity_of_llama_factory(realdata):
    path = realdata / "llama_factory/data/identity.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    unfilled = [n for n, row in enumerate(rows) if "{{name}}" in str(row) or "{{author}}" in str(row)]
    result = measure(PlaceholderText(), path.read_bytes(), name="identity.json")
    assert result.value("rate") == Ratio(85, 91)
    assert [row for row, _ in result.problems] == unfilled


@pytest.mark.parametrize(
    ("asked", "told", "found"),
    [
        ("Write an email to my professor.", "Dear Dr. Li,\nthe paper that is due on [insert date] …", []),
        ("Write an email to my professor.", "[content]", ["missing_content"]),
        ("How do I dry herbs?", "Hang them up by [insert date].", ["missing_content"]),
        ("Translate: Hello {{name}}, welcome.", "Hej {{name}}, välkommen.", []),
        ('Translate it, and replace "{{language}}" with its name.', "Svenska.", []),
        ("Complete it.\ndef add(a, b):\n    # TODO\n    pass", "def add(a, b):\n    return a + b", []),
        ("Judge the letter: [insert date]. " + "The oak stands on the hill. " * 40, "It is good.", []),
        ("Ask an assistant for something.", "Dear assistant,\nplease call me.\n[Your Name]", []),
        ("How do I dry herbs?", "Hang them up.\n[Your Name]", ["name_field"]),
        ("How do I dry herbs?", "Hang them up, as shown in the image below.", ["absent_figure"]),
        ("香草怎么晾干？", "如图所示，倒挂在通风处。", ["absent_figure"]),
        ("香草怎么晾干？请画图说明。", "如图所示，倒挂在通风处。", []),
        ("How do I dry herbs?", "As shown in the image below: ![herbs](herbs.png)", []),
        ("How do I dry herbs?", "Lorem ipsum dolor sit amet, consectetur.", ["filler"]),
        ("Write a page of HTML with dummy text.", "<p>Lorem ipsum dolor sit amet</p>", []),
        ("How do I dry herbs?", "Hej {{name}}, välkommen.", ["template_field"]),
    ],
)
def test_what_was_asked_for_may_be_left_to_its_reader(asked, told, found):
    records = [{"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": told}]}]
    places = measure(PlaceholderText(), records).places
    assert [problem for _, where, problem in places if where == "messages[1].content"] == found


def test_a_picture_that_a_column_names_is_there():
    asked = {"question": "Find the size of the angle in the figure below.", "answer": "72"}
    found = measure(PlaceholderText(), [asked, {**asked, "Picture": "images/hedge.png"}]).places
    assert [(row, problem) for row, _, problem in found] == [(0, "absent_figure")]


def test_one_in_hundreds_warns():
    records = dataset(*["user: a | assistant: b"] * 299, "user: a | assistant: TODO")
    assert finding(PlaceholderText(), records).status is Status.WARN


@pytest.mark.parametrize(
    ("question", "answer", "found"),
    [
        ("怎样联系他？", "姓名：____，电话：______。", ["blank"]),
        ("写一份登记表", "姓名：____，电话：______。", []),
        ("怎样开口？", "先停三秒，对自己说“我现在的需要是______”，再说‘我是×××，很高兴认识你’。", []),
        ("怎样开口？", "先说“你好”，然后写明姓名：____。", ["blank"]),
        ("Who runs the garden?", "It is run by [Your Name] and friends.", ["name_field"]),
        ("Who runs the garden?", "It is run by <your answer here>.", ["name_field"]),
        ("Write a letter to the garden.", "Dear Sir,\nI like it.\n[Your Name]", []),
        ("Write a sales script.", "Hello, this is [Your Name].", []),
        ("请介绍你自己", "我叫 NAME，是由 AUTHOR 创造的人工智能助手。", ["identity_field"]),
        ("Who are you?", "Hello! I am NAME, an assistant developed by AUTHOR.", ["identity_field"]),
        ("请介绍你自己", "您好，我是 <NAME>，一个由 <AUTHOR> 开发的助手。", ["identity_field"]),
        ("你能做什么？", "作为 <NAME>，我可以回答问题。", ["identity_field"]),
        ("Who made you?", "I was made by <AUTHOR>.", ["identity_field"]),
        ("How do I clone it?", "Type git clone <NAME>; <AUTHOR> is a tag.", []),
        ("Which column holds it?", "It is in NAME; the AUTHOR of a book is in another one.", []),
        ("Who runs the garden?", "It is run by [your friends at the club].", []),
    ],
)
def test_blanks_and_names_that_the_answer_leaves_open(question, answer, found):
    rows = [{"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}]
    assert [problem for _, problem in measure(PlaceholderText(), rows).problems] == found


@pytest.mark.parametrize("cell", ["nan", "NaN", "<NA>"])
def test_an_empty_cell_as_the_input_of_a_prompt_is_named(cell):
    rows = [{"instruction": "把这句话改得更礼貌一些。", "input": cell, "output": "好的。"}]
    assert measure(PlaceholderText(), rows).value("absent") == Ratio(1, 1)
    rows = [{"instruction": f"What does {cell} mean", "input": "", "output": "Not a number."}]
    assert measure(PlaceholderText(), rows).value("absent") == Ratio(0, 1)


def test_a_prompt_about_a_picture_that_is_not_there_is_named():
    row = {"instruction": "如图所示，甲、乙两地相距多远？", "input": "", "output": "十二公里。"}
    assert measure(PlaceholderText(), [row]).value("absent") == Ratio(1, 1)
    assert measure(PlaceholderText(), [{**row, "images": ["1.png"]}]).value("absent") == Ratio(0, 1)
    drawn = {**row, "instruction": "如图所示，甲、乙两地相距多远？\n[asy] draw((0,0)--(12,0)); [/asy]"}
    assert measure(PlaceholderText(), [drawn]).value("absent") == Ratio(0, 1)


def test_a_system_prompt_that_shows_code_is_no_code():
    """The template of a text-to-SQL set, with its example: the table and the question stand in it as {…}."""
    shown = "<sql>SELECT COUNT(*) FROM animals WHERE species = 'pig';</sql>\nimport sqlite3\nx = f(1)\nfor a in b:\n    f(a)"
    told = f"Database Schema:\n{{schema_name}}\n\nQuestion:\n{{question}}\n\nExample:\n{shown}"
    chat = [{"role": "system", "content": told}, {"role": "user", "content": "How many pigs?"}]
    found = measure(PlaceholderText(), [{"messages": [*chat, {"role": "assistant", "content": "Twelve."}]}])
    assert found.evidence["problem"].to_list() == ["format_field"]


def test_the_places_of_an_address_are_to_be_filled_in_by_who_calls_it():
    said = "Search the reservations: GET {{HostName}}/rsv/v1/hotels/{{HotelId}}/reservations"
    assert problems(said) == []
    assert problems("GET /lms/v1/activityTypes\nQuery parameters: hotelIds={{HotelId}}") == []
    assert problems("Dear {{HotelId}}, welcome") == ["template_field"]
