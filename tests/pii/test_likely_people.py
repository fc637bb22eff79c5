"""Who is named in a redacted record beside what was replaced, and is replaced as well: more likely a name than not."""

import pytest

from datacheck.pii.redact.unsure import likely_people


def _found(*texts: str, made: str = "") -> list[str]:
    places = {(place.number, place.start, place.end) for place in likely_people(texts, lambda word: word == made)}
    return [texts[number][start:end] for number, start, end in sorted(places)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("同组的小煜反馈不错", ["小煜"]), ("麻烦跟阿培核一下", ["阿培"]), ("颖颖：好嘞", ["颖颖"]), ("請小菁出具證言", ["小菁"]),
        ("同组的小原反馈不错", ["小原"]), ("老张的意见已合入", ["老张"]), ("已告知海波哥了", ["海波"]), ("<PERSON_v1>和怡涵也会来", ["怡涵"]),
        ("雅婷 09:37\n我带", ["雅婷"]), ("雅婷：收到，马上", ["雅婷"]), ("请雅婷妈妈回复", ["雅婷"]), ("植妞妞爸爸：好的", ["植妞妞"]),
        ("叫我垣暄就行", ["垣暄"]), ("我认识胥律师。", ["胥"]), ("孫雪薈話佢聽日唔嚟", ["孫雪薈"]), ("家属Wang, Ke已知情", ["Wang, Ke"]),
        ("hey yanqianshuo, 客户催了", ["yanqianshuo"]), ("小荟来奶吗，鹏荟哥可以", ["小荟", "鹏荟"]),
        ('{"通知": ["小嘉"]}', ["小嘉"]),
    ],
)  # fmt: skip
def test_chinese_nicknames_and_given_names_are_found(text: str, names: list[str]) -> None:
    assert _found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "过了一小时，大小不一，小建议", "小镇的宝宝很可爱", "明白了，慢慢来", "小主您别急", "天暖洋洋的，平平安安", "阿玛尼和阿森纳",
        "忠心耿耿、滋味不过尔尔", "芝加哥学派和摩洛哥", "正文：信心：95%", "刚才妈妈来电话", "客户和学生。", "一小杯，小得很，小开一部分",
        "嗯嗯，咳咳，咳咳", "花完了，月月无剩余", "请问老公在吗，跟妹妹说", "老师、老板、阿姨都在", "从客户的角度来说", "小荟来奶吗",
    ],
)  # fmt: skip
def test_chinese_words_are_not(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (("Can you check with Zdenka?", "Zdenka will do it."), ["Zdenka"]),
        (("Feedback from Tobias: strong",), ["Tobias"]),
        (("<PERSON_v1>: who?\nZuleika: me", "Zuleika brings it"), ["Zuleika", "Zuleika"]),
        (("leave it with neighbour Casimir Lamb, please",), ["Casimir Lamb"]),
        (("the mother of Zuleika asked", "Call Zuleika"), ["Zuleika", "Zuleika"]),
        (("call with L. Tanaka (<PHONE_NUMBER_v1>) today",), ["Tanaka"]),
        (("ask Soo-bin about it",), ["Soo-bin"]),
        (("the draft: Patricia C. will send it",), ["Patricia"]),
        (("yes dominika, pick you up", "she picks Dominika up"), ["dominika"]),
        (("He reports to Pendragon, Kwabena).",), ["Pendragon, Kwabena"]),
    ],
)
def test_english_names_are_found(texts: tuple[str, ...], names: list[str]) -> None:
    assert _found(*texts) == names


@pytest.mark.parametrize(
    "texts",
    [
        ("Can you check with Zdenka?",), ("The distance between Paris and Berlin?",), ("Serbia agreed to it.", "They live in Serbia."),
        ("<PERSON_v1>: well\nPoliceman: stop", "The Policeman"), ("my Mom said so", "Mom said it again"), ("Ha-ha, so-so",),
        ("customer experience management", "Experience matters. A Customer Experience"), ("I'm really sorry.", "Really, I am."),
    ],
)  # fmt: skip
def test_english_words_and_towns_are_not(texts: tuple[str, ...]) -> None:
    assert _found(*texts) == []


def test_what_came_in_the_place_of_a_name_stays() -> None:
    assert _found("Feedback from Tobias: strong", made="Tobias") == []
