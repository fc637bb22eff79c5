from datacheck.check import Ratio, Status
from datacheck.checks.knowledge_dump import KnowledgeDump
from datacheck.testing import dataset, finding, measure

LONG, SHORT = "文" * 1500, "短"


def test_one_question_with_an_article():
    records = dataset(
        f"user: 问 | assistant: {LONG}",
        f"user: 问 | assistant: {SHORT}",
        f"user: 问 | assistant: {SHORT} | user: 再问 | assistant: {LONG}",
        f"system: 你是助手 | user: 问 | assistant: {LONG}",
        f"user: 问 | user: 再问 | assistant: {LONG}",
    )
    result = measure(KnowledgeDump(), records)
    assert result.value("share") == Ratio(2, 5)
    assert result.figures["lengths"] == {"chars": [0, 1500], "conversations": [1, 4]}
    assert finding(KnowledgeDump(), records[:1]).status == Status.WARN
    assert measure(KnowledgeDump(chars=1501), records).value("share") == Ratio(0, 5)


def test_instruction_and_output():
    assert measure(KnowledgeDump(), [{"instruction": "写", "output": LONG}]).value("share") == Ratio(1, 1)


def test_the_chosen_answer_of_a_pair():
    records = dataset(f"user: 问 | chosen: {LONG} | rejected: 短", f"user: 问 | chosen: 短 | rejected: {LONG}")
    asked = [{"role": "user", "content": LONG}, {"role": "assistant", "content": "短"}]
    other = [{"role": "user", "content": "别的"}, {"role": "assistant", "content": "短"}]
    records.append({"chosen": asked, "rejected": other})
    assert measure(KnowledgeDump(), records).value("share") == Ratio(1, 3)


def test_what_is_no_conversation():
    result = measure(KnowledgeDump(), [{"text": LONG}])
    assert result.value("share") == Ratio(0, 1)
    assert result.not_checked == ("1 row is no conversation with an answer",)
    assert measure(KnowledgeDump(), []).value("share") is None
