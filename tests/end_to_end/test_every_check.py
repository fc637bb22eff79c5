"""What every check must keep, without naming one: a new file in datacheck/checks/ is held to it by being there."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from typing import get_args

import polars as pl
import pytest
from pydantic import ValidationError

from datacheck import testing
from datacheck.check import EVIDENCE, Check, LimitSetting, Metric, Ratio, Status, card_of
from datacheck.cli import explain
from datacheck.contract.discover import check_class, check_names
from datacheck.engine.measure import ID
from datacheck.engine.record_ids import RECORD
from datacheck.engine.store import Store
from datacheck.i18n.message import Message, catalogue
from datacheck.report import cards, figures
from datacheck.report.cards import parse_card
from datacheck.testing import dataset, example, finding, jsonl, measure

ROOT = Path(__file__).parents[2]
NAMES = check_names()
SECTIONS = ["Why it matters", "Example", "How to fix", "How to verify"]
ZH_SECTIONS = ["现象", "根因", "排查", "修复", "验证"]
COMMON = {"check", "id", "severity", "by", "limits", "coverage"}
PHONE, MAIL = "13800138000", "zhangsan@example.com"

# One row of each format, with an identifier in it.
WORDS = f"我的电话是{PHONE}，邮箱 {MAIL}"
ROWS = {
    "messages": dataset(f"user: {WORDS} | assistant: 好的")[0],
    "sharegpt": {"conversations": [{"from": "human", "value": WORDS}, {"from": "gpt", "value": "好的"}]},
    "alpaca": {"instruction": "记下来", "input": WORDS, "output": "好的"},
    "prompt_completion": {"prompt": WORDS, "completion": "好的"},
    "preference": dataset(f"user: {WORDS} | chosen: 好的 | rejected: 不要")[0],
    "kto": {"prompt": WORDS, "completion": "好的", "label": True},
    "prompt_only": {"prompt": WORDS},
    "rlvr": {"prompt": [{"role": "user", "content": WORDS}], "reward_model": {"ground_truth": "2"}, "data_source": "x"},
    "text": {"text": WORDS},
    "qa": {"question": WORDS, "answer": "2"},
    "multiple_choice": {"question": WORDS, "A": "甲", "B": "乙", "answer": "A"},
    "rows": {"user_id": "A1", "note": WORDS},
}
APART = ("messages", "preference", "rlvr", "text", "rows")  # one of each kind; FAULTY has all of them
# Whatever a check looks for, some of it is here: bad lines, copies, empty and unordered turns, pairs, odd keys.
FAULTY = (
    b"\xef\xbb\xbf"
    + jsonl(list(ROWS.values()) * 2)
    + b'{"broken": \n\n{"role": NaN}\n'
    + jsonl(dataset("user: 你好 | user: 在吗", "robot: 你好 | assistant: 。", "user: a | chosen: b | rejected: b"))
    + jsonl([{"messages": []}, {MAIL: PHONE}, {"messages": [{"role": PHONE, "content": None}]}])
)
OF_THE_OPERATOR = {"disagreements", "gold_fails", "empty_passes", "unsteady"}  # measured only with --trainer-python
OF_THE_CONTRACT = {"unverifiable_answers": {"unusual"}}  # measured only where it says what golds are


@cache
def subject(name: str) -> tuple[Check, dict, tuple[str, ...]]:
    """The check as its own example sets it, the source settings beside it, and the other datasets."""
    contract = example(check_class(name))
    for data in contract.datasets.values():
        for check in data.checks:
            if check.check == name:
                source = data.source.model_dump(exclude={"path", "glob", "sha256"}, exclude_defaults=True)
                return check, source, tuple(other for other in contract.datasets if other != data.name)
    raise AssertionError(f"{name}: its example does not use it")


def run(name: str, records, how=measure):
    check, source, others = subject(name)
    return how(
        check, records, source=source, others={other: jsonl(ROWS.values()) for other in others if other != "train"}
    )


@cache
def of_faulty(name: str):
    return run(name, FAULTY)


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Store:
    return Store(tmp_path_factory.mktemp("kept"))


def all_in_chinese(notes) -> bool:
    return all(re.search(r"[\u4e00-\u9fff]", note.said("zh")) for note in notes)


def test_there_are_checks():
    assert NAMES
    assert set(NAMES) == {path.stem for path in (ROOT / "datacheck/checks").glob("[a-z]*.py")}


@pytest.mark.parametrize("name", NAMES)
def test_one_name_everywhere(name):
    kind = check_class(name)
    assert kind.model_fields["check"].default == name
    assert get_args(kind.model_fields["check"].annotation) == (name,)
    assert kind.__name__.lower() == name.replace("_", "")
    assert (ROOT / f"tests/checks/test_{name}.py").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_documented_in_english(name):
    document = card_of(check_class(name), "en")
    card = parse_card(document)
    first = document.partition("\n")[0]
    assert first.endswith((".", ":")) or card.title.endswith(".")
    headings = [section.heading for section in card.sections if section.heading]
    assert headings in (SECTIONS, [*SECTIONS, "Known limits"])
    assert all(len(section.text) >= 20 for section in card.sections)


@pytest.mark.parametrize("name", NAMES)
def test_documented_in_chinese(name):
    card = parse_card(card_of(check_class(name), "zh"))
    assert [section.heading for section in card.sections if section.heading] == ZH_SECTIONS
    for text in (card.title, *(section.text for section in card.sections)):
        assert len(re.findall(r"[\u4e00-\u9fff]", text)) >= 5
    named = {metric for metric in check_class(name).metrics if f"`{metric}`" in card_of(check_class(name), "en")}
    assert {metric for metric in named if f"`{metric}`" not in card_of(check_class(name), "zh")} == set()


@pytest.mark.parametrize("name", NAMES)
def test_metrics_say_what_they_are(name):
    for metric, known in check_class(name).metrics.items():
        assert isinstance(known, Metric)
        assert re.fullmatch(r"[a-z][a-z0-9_]*", metric)
        assert known.what.strip()
        assert known.unit.strip()
        assert known.unit != "share" or known.of


@pytest.mark.parametrize("name", NAMES)
def test_every_default_limit_has_its_reason_and_nothing_else_has_one(name):
    """Of a self-test the limit speaks for itself: below it the check cannot see."""
    for metric, known in check_class(name).metrics.items():
        limited = bool(known.limit.bounds) and not known.self_test
        assert bool(known.why.strip()) == limited, metric
        if limited:
            assert known.why != known.what
            assert not known.why.endswith((".", "。"))


@pytest.mark.parametrize("name", NAMES)
def test_reasons_stand_beside_their_limits_in_explain_and_in_the_report(name):
    limited = {metric: known for metric, known in check_class(name).metrics.items() if known.why}
    for lang in ("en", "zh"):
        last = cards.card(name, lang).sections[-1].text
        for metric, known in limited.items():
            bound, number = next(iter(known.limit.bounds.items()))
            (line,) = [line for line in last.splitlines() if line.startswith(f"- `{metric}` (")]
            assert f"{bound} {number:g}" in line
            assert line.endswith(f"): {Message(known.why).said(lang)}")
            assert line in explain.card(name, lang)


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_explained_and_hold_no_typo(name):
    kind, check = check_class(name), subject(name)[0]
    own = {setting: field for setting, field in kind.model_fields.items() if setting not in COMMON}
    assert [setting for setting, field in own.items() if not field.description] == []
    assert kind.model_validate(check.model_dump(exclude_unset=True)) == check
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        kind.model_validate({**check.model_dump(exclude_unset=True), "severty": "warn"})
    with pytest.raises(ValidationError):
        check.severity = "warn"


@pytest.mark.parametrize("name", NAMES)
def test_limits_of_the_contract_win_bound_by_bound(name):
    check = subject(name)[0]
    for metric, known in check.metrics.items():
        limits = {metric: LimitSetting.model_validate({"warn_max": 1e9, "slices": {"forum": {"warn_max": 2e9}}})}
        if known.limit.max is not None:
            limits = {
                metric: LimitSetting.model_validate({"max": 1e9, "warn_max": 1e9, "slices": {"forum": {"max": 2e9}}})
            }
        changed = check.model_copy(update={"limits": limits})
        kept = {bound: value for bound, value in known.limit.bounds.items() if not bound.endswith("max")}
        assert kept.items() <= changed.limit(metric).bounds.items()
        assert changed.limit(metric).bounds["warn_max"] == 1e9
        assert 2e9 in changed.limit(metric, "forum").bounds.values()
        assert changed.limit(metric, "elsewhere") == changed.limit(metric)


@pytest.mark.parametrize("name", NAMES)
def test_imports_no_other_check_and_no_runner(name):
    source = inspect.getsource(inspect.getmodule(check_class(name)))
    allowed = {"check", "contract", "loading", "errors", "features", "i18n", "text", "pii", "trainers", "chat"}
    for node in ast.walk(ast.parse(source)):
        modules = (
            [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", None) or ""]
        )
        if isinstance(node, ast.Import | ast.ImportFrom):
            ours = [module.split(".") for module in modules if module.startswith("datacheck")]
            assert all(len(parts) > 1 and parts[1] in allowed for parts in ours), modules


def always_measured(name):
    return set(check_class(name).metrics) - OF_THE_OPERATOR - OF_THE_CONTRACT.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_measure_never_passes(name):
    for nothing in (b"", b"\n"):
        found = run(name, nothing, finding)
        assert found.status in (Status.ERROR, Status.FAIL)
        assert {value.name for value in found.values} == always_measured(name)
        assert all_in_chinese(found.not_checked), found.not_checked


@pytest.mark.parametrize("name", NAMES)
def test_no_note_says_that_nothing_was_left_out(name):
    for only in ("messages", "preference"):
        notes = run(name, [ROWS[only]] * 2).not_checked
        assert not [note for note in notes if re.fullmatch(r"(?:of )?0 [^;]+", note)]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_format_can_be_measured(name, kept, monkeypatch):
    monkeypatch.setattr(testing, "Store", lambda _: kept)  # a row is parsed once, not for every check again
    for only in APART:
        result = run(name, [ROWS[only]])
        assert all_in_chinese(result.notes), result.not_checked
        whole = [value for value in result.values if not value.slice]
        measured = [value.name for value in whole]
        assert sorted(measured) == sorted(always_measured(name))
        for value in whole:
            number = value.value
            assert number is None or not isinstance(number, Ratio) or 0 <= number.n <= number.of
            assert number is not None or result.not_checked, f"{value.name}: not measured, and no word about why"


@pytest.mark.parametrize("name", NAMES)
def test_evidence_is_placed_and_deterministic(name):
    one, two = of_faulty(name), run(name, FAULTY)
    assert one.evidence.equals(two.evidence)
    assert (one.values, one.first, one.figures, one.not_checked) == (
        two.values,
        two.first,
        two.figures,
        two.not_checked,
    )
    said = {"said": pl.String} if "said" in one.evidence.columns else {}
    assert dict(one.evidence.schema) == {**EVIDENCE, **ID, **RECORD, **said}
    assert not one.evidence["record"].has_nulls()
    assert one.evidence["problem"].str.contains(r"^[a-z][a-z0-9_]*$").all()
    assert one.evidence["problem"].null_count() == 0
    of_rows = one.evidence.drop_nulls("row")
    assert of_rows.select("file", "line", "byte").null_count().row(0) == (0, 0, 0)
    assert of_rows["row"].is_between(0, len(FAULTY.splitlines())).all()


@pytest.mark.parametrize("name", NAMES)
def test_figures_have_chinese_names(name):
    found = of_faulty(name).figures
    assert {f"figure: {figure}" for figure in found} - set(figures.NAMED) == set()
    assert {f"column: {column}" for table in found.values() for column in table} - set(figures.NAMED) == set()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_holds_no_identifier(name):
    result = of_faulty(name)
    assert all_in_chinese(result.notes), result.not_checked
    chinese = [note.said("zh") for note in result.notes]
    shown = repr((result.first, result.figures, result.not_checked, chinese, result.values))
    assert PHONE not in shown
    assert MAIL not in shown


@pytest.mark.parametrize("name", NAMES)
def test_the_chinese_card_calls_figures_by_their_chinese_names(name):
    """“解答步数”图, as the report shows it, and one that the check draws."""
    text = card_of(check_class(name), "zh")
    assert "图表 `" not in text
    said = set(re.findall("“([^”]+)”图", text))
    assert said <= {catalogue("zh").gettext(each) for each in figures.NAMED} | {"各列的得分分布"}
