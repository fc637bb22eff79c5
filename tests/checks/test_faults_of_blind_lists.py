"""Faults that the second and third blind list named, each with texts that only look like them."""

from core_helpers import each_of

from datacheck.checks.embedded_template import EmbeddedTemplate
from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.checks.garbled_text import GarbledText
from datacheck.checks.leftover_markup import LeftoverMarkup
from datacheck.checks.placeholder_text import PlaceholderText
from datacheck.checks.prompt_echo import PromptEcho
from datacheck.checks.refusals import Refusals
from datacheck.checks.tool_call_errors import ToolCallErrors
from datacheck.checks.unfinished_answers import UnfinishedAnswers
from datacheck.testing import measure

OAK = "The oak stands on the hill behind the old mill, and the swallows come back to it each spring."
ASK = "Where does the oak stand?"
CODE = "```python\nclient = connect()\n{}\n```"


def row(question, answer, **more):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}], **more}


def require_each(check, cases):
    """Of each question and answer the problems that are meant, all of them in one run."""
    found = each_of(check, {(question, answer): row(question, answer) for question, answer, _ in cases})
    assert found == {(question, answer): problems for question, answer, problems in cases}


def test_code_that_is_not_whole():
    cases = [
        (CODE.format("# ... rest of the code remains the same"), ["elided"]),
        (CODE.format("// ... existing code ..."), ["elided"]),
        (CODE.format("# 其余代码不变"), ["elided"]),
        (CODE.format("# rest the client before the next call"), []),
        (CODE.format("# your code here"), []),
        ("Read the rest of the code first, it explains why the client waits.", []),
        ('```json\n{"name": "Ann",}\n```', ["broken_json"]),
        ("```json\n{'name': 'Ann'}\n```", ["broken_json"]),
        # the place of a file that is spoken of, without its brackets
        ('Change it to:\n```json\n"require": {\n    "gears/core": "^5.0"\n},\n```', []),
        ('Change it to:\n```json\n"require": {\n    "gears/core": ^5.0\n}\n```', ["broken_json"]),
        ('```json\n{"name": "Ann"}\n```', []),
        ('```json\n{"name": "Ann"}\n{"name": "Bob"}\n```', []),
        ('```json\n{\n  // her name\n  "name": "Ann"\n}\n```', []),
        ('```json\n{"name": "Ann", ...}\n```', []),
        ('```json\n{"name": <name>}\n```', []),
    ]
    require_each(UnfinishedAnswers(), [("How is it started?", *case) for case in cases])


def test_a_text_that_is_promised():
    cases = [
        ("Summarise the following article.", ["absent_input"]),
        ("Translate the following sentence into French:", ["absent_input"]),
        ("请根据以下文章构建一个需要回答的问题。", ["absent_input"]),
        ("Summarise the following article:\nRain fell on the mill.", []),
        ("Translate the following sentence into French: Rain fell.", []),
        ("Answer the following question.", []),
        ("What makes a poem?", []),
        ("翻译以下句子：“下雨了。”", []),
    ]
    require_each(PlaceholderText(), [(question, "It is about rain.", found) for question, found in cases])


def test_a_text_that_stands_elsewhere_is_not_absent():
    question = "Summarise the following article."
    assert measure(PlaceholderText(), [row(question, "Rain.", story_of_the_mill=OAK)]).problems == []
    rows = [{"instruction": question, "input": OAK, "output": "Rain."}]
    assert measure(PlaceholderText(), rows).places == []
    told = [{"role": "system", "content": OAK}, {"role": "user", "content": question}]
    assert measure(PlaceholderText(), [{"messages": [*told, {"role": "assistant", "content": "Rain."}]}]).places == []


def test_the_input_once_more():
    cases = [
        (f"Summarise this in five words.\n{OAK}", OAK, ["input_only"]),
        ("用五个字概括。\n下雨了，磨坊后面的橡树在山上。", "下雨了，磨坊后面的橡树在山上。", ["input_only"]),
        (f"Correct the grammar.\n{OAK}", OAK, []),
        (f"Put these in order.\n{OAK}", OAK, []),
        (f"Organize the sentences chronologically.\n{OAK}", OAK, []),
        (f"Repeat after me.\n{OAK}", OAK, []),
        (f"Which is longer?\nThe mill stands by the river, as it always did.\n{OAK}", OAK, []),
        ("Which one?\nyes", "yes", []),
    ]
    require_each(PromptEcho(), cases)


def test_letters_that_were_lost():
    cases = [
        (ASK, OAK.upper(), ["capitals"]),
        ("Answer in capital letters: where is it?", OAK.upper(), []),
        (ASK.upper(), OAK.upper(), []),
        (ASK, "NATO, UNESCO, UNICEF, WHO, FAO, ILO", []),
        (ASK, "SELECT NAME, AGE FROM TREES WHERE HEIGHT > 20 ORDER BY NAME;\nDROP TABLE MILLS;", []),
        (ASK, "它在山上，后面是磨坊。" * 9, []),
        (ASK, OAK.replace(" ", ""), ["glued"]),
        (ASK, "Theoakstandsonthehill.Swallowscomebacktoiteachspring,andleaveinautumn.", ["glued"]),
        (ASK, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", []),
        (ASK, "See https://example.org/" + "a" * 30 + "verylongpathofapagethatnobodyreadsatallever", []),
        (ASK, "a" * 80, []),
    ]
    require_each(GarbledText(), cases)


def test_a_teacher_signs():
    cases = [
        (f"{OAK}\n\n— GPT-4", ["signed"]),
        (f"{OAK}\n(Generated by ChatGPT)", ["signed"]),
        (f"{OAK}（由文心一言生成）", ["signed"]),
        (f"{OAK}\nModel: GPT-3.5-turbo", ["signed"]),
        ("Tools that write:\n- Bard\n- ChatGPT", []),
        ("Music begins where words end.\n— Claude Debussy", []),
        (f"{OAK} It was drawn by Claude.", []),
    ]
    require_each(Refusals(), [(ASK, *case) for case in cases])


def test_an_object_that_was_printed():
    cases = [
        (ASK, "{'answer': 'On the hill.', 'score': 0.9}", ["printed"]),
        (ASK, "['On the hill behind the mill', 'by the river']", ["printed"]),
        (ASK, "ChatCompletionMessage(content='On the hill.', role='assistant')", ["printed"]),
        ("Give me a Python dictionary.", "{'answer': 'On the hill.', 'score': 0.9}", []),
        ("List them in an array.", "['On the hill behind the mill', 'by the river']", []),
        (ASK, "'On the hill', she said.", []),
        (ASK, '{"answer": "On the hill."}', []),
    ]
    require_each(ErrorAsAnswer(), cases)


def test_marks_that_were_left():
    cases = [
        (ASK, "It stands on the \\*\\*hill\\*\\*.", ["escaped_markdown"]),
        ("How do I write bold in Markdown?", "Write \\*\\*hill\\*\\*.", []),
        (ASK, "2 \\* 3 \\* 4 is 24.", []),
        (ASK, "First the hill.<br>Then the mill.<br>Then the river.<br>", ["html_tag"]),
        (ASK, "| a | b |\n|---|---|\n| one<br>two<br>three<br>four | x |", []),
        (ASK, "First the hill.<br>Then the mill.", []),
        (ASK, "It stands on the hill [1]. The mill is old [2].", ["reference_mark"]),
        (ASK, "它在山上[1]。磨坊很旧[2]，河在旁边。", ["reference_mark"]),
        (ASK, "It stands on the hill [1]. The mill is old [2].\n\n[1] A book\n[2] Another", []),
        ("Use [1] and [2] of these papers.", "It stands on the hill [1]. The mill is old [2].", []),
        (ASK, "    if lst[0] > lst[1] and lst[1] > lst[2]:\n        return lst[1] , lst[2]", []),
        ("How are arrays read?", "Take values [1] and then values [2] of it.", []),
        (ASK, "x = values[1] + values[2]\nprint(x)\nfor n in values:\n    print(n)", []),
    ]
    require_each(LeftoverMarkup(), cases)


def test_an_argument_that_no_definition_names():
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "weather", "arguments": '{"city": "Paris", "mood": "good"}'},
    }
    said = [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    tool = {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
    measured = measure(ToolCallErrors(), [{"messages": said, "tools": [tool]}])
    assert [problem for _, problem in measured.problems] == ["undeclared_argument"]
    assert (measured.value("rate").n, measured.value("strange").n) == (0, 1)


def test_a_request_that_was_only_heard():
    cases = [
        ("写一首关于秋天的诗，四句，押韵。", "好的。", ["acknowledged"]),
        ("写一首关于秋天的诗，四句，押韵。", "好的，没问题！", ["acknowledged"]),
        ("Write a poem of four lines on autumn.", "Sure, I can help with that!", ["acknowledged"]),
        ("Write a poem of four lines on autumn.", "Sure! Here is a poem of four lines:", ["acknowledged"]),
        ("写一首关于秋天的诗，四句，押韵。", "以下是一首关于秋天的诗：", ["acknowledged"]),
        ("Write a poem of four lines on autumn.", "Sure! Here is a poem:\n\nThe oak lets go.", []),
        ("以后我叫你小橡树，记住这个名字。", "好的。", []),  # to be heard is all that was asked
        ("如果你准备好了，请回复好的。", "好的。", []),
        ("May I ask you something about trees?", "Of course!", []),
        ("可以把音乐声音调小一点点吗", "好的。", []),
        ("再见，明天见。", "好的。", []),
        ("What sound does this make?\n\nInput: 好的", "好的", []),
        ("把下面的字读一遍，不要说别的。\n好", "好", []),
    ]
    require_each(ErrorAsAnswer(), cases)


def test_in_a_dialogue_one_may_agree():
    said = ["写一首关于秋天的诗，四句，押韵。", "橡树落叶满山坡。", "以后都写得这样短一些。", "好的。"]
    turns = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)]
    assert measure(ErrorAsAnswer(), [{"messages": turns}]).problems == []


def test_a_label_before_the_answer():
    cases = [
        (ASK, f"Answer: {OAK}", ["headed"]),
        (ASK, f"**Answer:** {OAK}", ["headed"]),
        ("橡树在哪里？", "答：" + "橡树长在老磨坊后面的山坡上，燕子每年春天都飞回来，" * 2, ["headed"]),
        (f"{ASK} Begin with 'Answer:'", f"Answer: {OAK}", []),
        ("Question: where? Answer:", f"Answer: {OAK}", []),
        ("请按格式回答：橡树在哪里", "答：" + "橡树长在老磨坊后面的山坡上，" * 4, []),
        (ASK, "Answer: B", []),  # how exercises are answered
        (ASK, f"Answer: on the hill\nExplanation: {OAK}", []),
        (f"Q: {ASK}\nA:", f"Answer: {OAK}", []),
        (ASK, f"{OAK} Answer: B", []),
    ]
    require_each(EmbeddedTemplate(), cases)


def test_votes_and_dates_of_a_page():
    cases = [
        (f"{OAK}\n👍 12 赞同", ["site_words"]),
        (f"{OAK}\n128 人赞同了该回答", ["site_words"]),
        (f"{OAK}\n发布于 2021-05-11", ["site_words"]),
        (f"{OAK}\n编辑于2021-05-11 10:22", ["site_words"]),
        ("该软件发布于 2021-05-11，很快被人用。", []),
        (f"{OAK} 👍", []),
    ]
    require_each(LeftoverMarkup(), [(ASK, *case) for case in cases])
