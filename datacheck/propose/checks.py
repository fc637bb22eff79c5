"""The checks that data of a kind needs, each with the limits in force."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from datacheck.check import learnt
from datacheck.contract.discover import check_class
from datacheck.features.media import names_files
from datacheck.features.unit_tests import is_judged
from datacheck.loading.tables import Tables
from datacheck.propose.schema import NEARLY_ALL
from datacheck.text.prose import is_prose
from datacheck.text.scripts import SCRIPTS, script_words
from datacheck.text.unit_tests import NAMES, task_of

_TEXT = tuple(
    """
    garbled_text leftover_markup placeholder_text control_tokens repetitive_text overlong_samples exact_duplicates
    near_duplicates pii field_outliers
""".split()
)
_PAIRS = ("identical_pairs", "prompt_mismatch", "contradictory_pairs", "length_bias", "shortcut_phrases")
_ANSWERS = tuple(
    """
    unfinished_answers run_on_answers refusals language_mismatch error_as_answer prompt_echo leaked_reasoning
    embedded_template arithmetic_errors broken_code
""".split()
)
_GOLDS = ("unverifiable_answers", "conflicting_answers", "answer_in_prompt", "arithmetic_errors")
# What the format of most rows is for → the checks that such data needs.
_CHECKS: Mapping[str, tuple[str, ...]] = {
    "chat": ("empty_turns", "role_errors", *_ANSWERS, "system_drift", "row_shift", *_TEXT),
    "preference": ("empty_turns", "role_errors", *_PAIRS, "possibly_swapped", "row_shift", *_ANSWERS, *_TEXT),
    "prompt": ("empty_turns", "role_errors", "system_drift", *_TEXT),
    "verifiable": ("empty_turns", "role_errors", "system_drift", *_GOLDS, "template_collapse", "row_shift", *_TEXT),
    # No answer_in_prompt: a passage may hold a short answer by right.
    "answered": ("empty_turns", *_GOLDS[:2], "arithmetic_errors", "row_shift", *_TEXT),
    "choices": ("empty_turns", "unverifiable_answers", "conflicting_answers", "choice_balance", "row_shift", *_TEXT),
    "plain": _TEXT,
    "rows": ("exact_duplicates", "pii", "field_outliers"),
    "one_message": ("exact_duplicates", "pii", "field_outliers"),
    "tokens": ("too_few_rows",),  # texts that only their tokenizer could show: name the data they were made of
}
_OF_GOLDS = ("unverifiable_answers", "conflicting_answers", "choice_balance", "row_shift")  # of tests
_REMARKS = {"unverifiable_answers": "name the grader that your reward uses"}
_SAID = 0.5  # share of the golds from which on they are worked solutions, or prose: answers to learn
_USED = 0.05  # share of the rows from which on a language belongs to the data
_TOLD = 3  # characters of one form only that tell simplified from traditional
_LOOKED_AT = 2_000  # texts, spread over the data, whose languages are counted
_JUDGED = 10  # words of a text whose language is counted


def check_lines(
    kind: str, tables: Tables, records: Callable[[], Iterator[Any]], *, scored: bool, elsewhere: int = 0
) -> Iterator[str]:
    """The items of `checks:` for data of a kind, and for what it has beside: tools, scores, tests, files, a language.

    records: gives the first of them as they stand, for what the tables do not tell; elsewhere: how many other lists of
    the document datasets of the contract read.
    """
    yield from _of_kind(kind, tables)
    if kind == "answered":
        yield from item("answer_in_prompt", only=("rate",), told="true")
    if kind == "chat":
        yield from item("conflicting_answers", only=("unlike", "labels", "same_response"), of="response")
    in_parts = (tables.cells["text"] == "tool_use") & tables.cells["path"].str.ends_with("].type")
    if (tables.turns["part"] == "tools").any() or tables.turns["tool_calls"].is_not_null().any() or in_parts.any():
        yield from item("tool_call_errors")
    if tables.cells["path"].str.contains(r"^instruction_id_list(?:\[|$)").any():
        yield from item("constraint_errors")
    if _named_as_tests(tables) and any(map(_is_tested, records())):
        yield from item("unit_test_errors")
    if scored:
        yield from item("small_gap")
        yield from item("score_outliers")
    if (tables.lines["code"] == "other_list").sum() > elsewhere:
        limits = _flow({"unread_lists": f"{{warn_max: {elsewhere}}}"})
        yield f"- {{check: untidy_files, limits: {limits}}}  # lists of records that nobody reads"
    if languages := _languages(tables.turns):
        yield from item("wrong_language", languages=f"[{', '.join(languages)}]")
    if names_files(tables.cells["path"].unique()):
        yield "# - missing_files  # name the folder of the files as source.media"


def _named_as_tests(tables: Tables) -> bool:
    """Whether a key says that its values may be tests of a program: few data have one, and to parse them takes long."""
    paths = pl.concat([tables.cells["path"], tables.turns["path"]]).unique()
    keys = set(paths.str.extract(r"^([^.\[]+)").drop_nulls())
    return not keys.isdisjoint(NAMES) or {"test", "entry_point"} <= keys


def _is_tested(record: Any) -> bool:
    """Whether a record has tests that the check can judge; one of other languages alone could not be measured."""
    task = task_of(record) if isinstance(record, dict) else None
    return task is not None and any(is_judged(tests, task) for tests in task.tests)


def _of_kind(kind: str, tables: Tables) -> Iterator[str]:
    unanswered = kind == "choices" and not (tables.turns["part"] == "answer").any()  # a test set without its answers
    for check in _named(kind, tables.turns):
        if check == "near_duplicates" and kind == "prompt" and _unread_beside(tables):
            yield "# it only warns: prompts are compared, and the texts beside them that are not judged may differ"
            yield from item(check, severity="warn")
        elif not (unanswered and check in _OF_GOLDS):
            yield from item(check, **check_class(check).fitted(tables.turns))


def _named(kind: str, turns: pl.DataFrame) -> Iterable[str]:
    """The checks of a kind, and those of answers where golds are answers to learn."""
    golds = turns.filter(pl.col("part") == "answer")
    if kind in {"verifiable", "answered"} and golds.filter(learnt()).height > _SAID * golds.height:
        return dict.fromkeys((*_CHECKS[kind], *_ANSWERS))
    return _CHECKS[kind]


def _unread_beside(tables: Tables) -> bool:
    """Whether most rows have prose that no check of texts reads."""
    return tables.cells.filter(is_prose())["row"].n_unique() > tables.rows.height / 2


def item(check: str, *, only: Collection[str] = (), **settings: str) -> Iterator[str]:
    """A check with the limits in force and what each is about, but for those of its self-test.

    only: the metrics that these settings are about; none: all.
    """
    kind = check_class(check)
    about = kind.model_construct(None, **settings).promised() & frozenset(only or kind.metrics)
    metrics = {name: metric for name, metric in kind.metrics.items() if name in about}
    limits = {name: metric.limit.bounds for name, metric in metrics.items() if not metric.self_test}
    said = {name: _flow(bounds) for name, bounds in limits.items() if bounds}
    head = {"check": check, **settings}
    remark = f"  # {_REMARKS[check]}" if check in _REMARKS else ""
    if not said:
        yield f"- {_flow(head)}{remark}"
        return
    if len(said) == 1 and not remark:
        ((name, bounds),) = said.items()
        yield f"- {_flow({**head, 'limits': _flow({name: bounds})})}  # {metrics[name].what}"
        return
    yield f"- check: {check}{remark}"
    yield from (f"  {key}: {value}" for key, value in settings.items())
    yield "  limits:"
    yield from (f"    {name}: {bounds}  # {metrics[name].what}" for name, bounds in said.items())


def _flow(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{k}: {v:g}" if isinstance(v, float) else f"{k}: {v}" for k, v in values.items()) + "}"


def _languages(turns: pl.DataFrame) -> list[str]:
    """Chinese and English, as far as texts are mostly in them; empty where another script is used, or none is."""
    texts = turns.filter(pl.col("part") != "tools").select("row", "text").drop_nulls()
    texts = texts.gather_every(max(1, texts.height // _LOOKED_AT))
    words = pl.concat([texts.select("row"), script_words(texts["text"])], how="horizontal")
    words = words.filter(pl.sum_horizontal(SCRIPTS) >= _JUDGED)
    if words.is_empty():
        return []
    most = words.select("row", script=pl.concat_list(SCRIPTS).list.arg_max()).unique()["script"]
    names = most.replace_strict(list(range(len(SCRIPTS))), list(SCRIPTS))
    shares = {name: count / words["row"].n_unique() for name, count in names.value_counts().iter_rows()}
    used = {name for name, share in shares.items() if share >= _USED}
    if not used or not used <= {"han", "latin"}:
        return []
    return [language for script, language in (("han", _chinese(words)), ("latin", "en")) if script in used]


def _chinese(words: pl.DataFrame) -> str:
    """zh-Hans or zh-Hant where nearly all texts that can be told are in one form, else zh."""
    forms = words.filter(pl.sum_horizontal("simplified", "traditional") >= _TOLD)
    traditional = forms.filter(pl.col("traditional") > pl.col("simplified")).height
    if forms.height and traditional <= (1 - NEARLY_ALL) * forms.height:
        return "zh-Hans"
    return "zh-Hant" if forms.height and traditional >= NEARLY_ALL * forms.height else "zh"
