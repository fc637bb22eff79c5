import hashlib
import json
from typing import Literal

import pytest

from datacheck.check import Artifact, Check, Limit, Measured, Message, Metric, Need, Ratio, Status, Value
from datacheck.checks.trainer_drops import TrainerDrops
from datacheck.contract.load import load_contract
from datacheck.errors import ContractError
from datacheck.features.outcomes import SeenBefore, seen_of
from datacheck.testing import finding, measure

Q, A = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
SHARE = {"formatting": "sharegpt"}


def llamafactory(mode="sft", **settings):
    return TrainerDrops(trainer=f"llamafactory.{mode}", settings=settings)


def test_the_ledger_adds_up():
    rows = [
        {"conversations": [Q, A]},
        {"conversations": [Q]},
        {"conversations": [Q, Q]},
        {"conversations": [{"from": "system", "value": "s"}, Q, A]},
        {"conversations": [Q, {"from": "gpt", "value": None}]},
    ]
    result = measure(llamafactory(**SHARE), rows)
    assert result.value("kept") == Ratio(2, 5)
    assert result.value("run_stops") == 1
    assert result.value("unexplained") == 0
    assert result.problems == [(1, "message_count"), (2, "role_order"), (4, "text_expected")]
    assert result.places[1] == (2, "conversations[1].from", "role_order")
    steps = dict(zip(*result.figures["ledger"].values(), strict=True))
    assert steps == {"in": 5, "dropped: message_count": 1, "dropped: role_order": 1, "fails: text_expected": 1,
                     "trained": 2}  # fmt: skip
    assert "src/llamafactory/data/converter.py:161" in result.evidence["detail"][1]


def test_line_numbers_of_five_digits_are_no_secrets():
    """Text with so many digits is masked wherever it comes from."""
    result = measure(TrainerDrops(trainer="openai.sft"), [{"messages": []}])
    assert "(openapi.yaml:39901)" in result.evidence["detail"][0]


def test_a_rule_may_stand_in_a_document():
    pair = {"input": {"messages": []}, "preferred_output": [], "non_preferred_output": []}
    result = measure(TrainerDrops(trainer="together.sft"), [pair])
    assert "(https://docs.together.ai/docs/fine-tuning/data-preparation)" in result.evidence["detail"][0]


@pytest.mark.parametrize(("rows", "stops"), [(2, 1), (3, 0)])
def test_a_service_may_refuse_a_file_for_its_number_of_rows(rows, stops):
    chat = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    result = measure(TrainerDrops(trainer="fireworks.sft"), [chat] * rows)
    assert result.value("run_stops") == stops
    assert result.value("kept") == Ratio(rows, rows)


def test_a_good_set_passes():
    found = finding(llamafactory(**SHARE), [{"conversations": [Q, A]}] * 100)
    assert found.status == Status.PASS


def test_one_of_a_hundred_may_be_dropped():
    rows = [{"conversations": [Q, A]}] * 99
    assert finding(llamafactory(**SHARE), [*rows, {"conversations": [Q]}]).status == Status.PASS
    assert finding(llamafactory(**SHARE), [*rows[:98], *([{"conversations": [Q]}] * 2)]).status == Status.FAIL


def test_changed_rows_are_kept_and_shown_as_places():
    tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
    settings = {"formatting": "openai", "columns.messages": "messages"} | {f"tags.{k}": v for k, v in tags.items()}
    rows = [{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}]
    result = measure(llamafactory(**settings), rows)
    assert result.value("kept") == Ratio(1, 1)
    assert result.value("altered") == Ratio(1, 1)
    assert result.problems == [(None, "system_added")]
    assert result.evidence["line"].to_list() == [1]
    steps = dict(zip(*result.figures["ledger"].values(), strict=True))
    assert steps == {"in": 1, "trained": 1, "… changed: system_added": 1}


def test_tags_that_name_no_system_role_drop_every_row_with_one():
    """The trap of dataset_info.json: once tags are named, those that are not named are off."""
    named = {"columns.messages": "m", "tags.role_tag": "r", "tags.content_tag": "c", "tags.user_tag": "u",
             "tags.assistant_tag": "a"}  # fmt: skip
    row = {"m": [{"r": "system", "c": "s"}, {"r": "u", "c": "q"}, {"r": "a", "c": "a"}]}
    assert measure(llamafactory(**SHARE, **named), [row]).problems == [(0, "role_order")]
    result = measure(llamafactory(**SHARE, **named, **{"tags.system_tag": "system"}), [row])
    assert result.value("kept") == Ratio(1, 1)


def test_the_first_record_decides_for_all():
    """TRL looks at the first record: text there, and a later conversation has no text column."""
    text, chat = {"text": "x"}, {"messages": [{"role": "user", "content": "q"}]}
    check = TrainerDrops(trainer="trl.sft")
    assert measure(check, [chat, chat]).value("run_stops") == 0
    assert measure(check, [text, text]).value("run_stops") == 0
    assert measure(check, [text, chat]).problems == [(1, "text_expected")]


def test_keys_that_only_other_records_have_are_null():
    rows = [{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}]
    more = {**rows[0], "rejected_response": "b"}
    check = TrainerDrops(trainer="ms_swift.sft")
    assert measure(check, rows).problems == []
    assert measure(check, [*rows, more]).problems == [(0, "rejected_missing")]


def test_what_is_said_once_of_the_run():
    result = measure(llamafactory("dpo", **SHARE), [{"conversations": [Q, A]}])
    assert result.value("run_stops") == 1
    assert (None, "wrong_stage") in result.problems
    result = measure(TrainerDrops(trainer="trl.sft"), [{"messages": [{"role": "user", "content": "q"}]}])
    assert any(note.startswith("user_words_trained") for note in result.not_checked)


def test_rows_beyond_max_samples_are_not_counted():
    rows = [{"conversations": [Q, A]}] * 3 + [{"conversations": [Q]}] * 7
    result = measure(llamafactory(**SHARE, max_samples=3), rows)
    assert result.value("kept") == Ratio(3, 3)
    assert result.not_checked[0].startswith("the settings take the first 3 of 10 rows")


def config(tmp_path, text, name="train.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return Artifact(named=name, files=(("", hashlib.sha256(text.encode()).hexdigest()),), location=path)


def test_the_config_file_is_read(tmp_path):
    rows = [{"conversations": [Q, A]}, {"conversations": [Q]}]
    info = json.dumps({"mine": {"file_name": "x.json", "formatting": "sharegpt"}})
    check = TrainerDrops(trainer="llamafactory.sft", config=config(tmp_path, info, "dataset_info.json"),
                         settings={"dataset": "mine"})  # fmt: skip
    assert measure(check, rows).value("kept") == Ratio(1, 2)


@pytest.mark.parametrize("text", ["a: [", "max_samples: many", "- 1"])
def test_a_config_that_cannot_be_read_is_an_error(tmp_path, text):
    check = TrainerDrops(trainer="llamafactory.sft", config=config(tmp_path, text))
    found = finding(check, [{"instruction": "q", "input": "", "output": "a"}])
    assert found.status == Status.ERROR
    assert str(found.not_checked[0]).startswith("the settings of the run cannot be read")


def test_without_a_trainer_it_is_an_error():
    result = measure(TrainerDrops(), [{"a": 1}])
    assert {value.value for value in result.values} == {None}
    assert "no trainer is named" in result.not_checked[0]
    missing = TrainerDrops(trainer="trl.sft", config=Artifact(named="gone.yaml"))
    assert "gone.yaml: the config file is not there" in measure(missing, [{"text": "x"}]).not_checked[0]


def test_by_source():
    rows = [{"conversations": [Q, A], "src": "a"}, {"conversations": [Q], "src": "b"}]
    check = TrainerDrops(trainer="llamafactory.sft", settings=SHARE, by="source")
    result = measure(check, rows, source={"columns": {"source": "src"}})
    assert result.value("kept", source="a") == Ratio(1, 1)
    assert result.value("kept", source="b") == Ratio(0, 1)


def contract(tmp_path, run):
    path = tmp_path / "c.yaml"
    path.write_text(f"name: c\nrun: {run}\ndatasets: {{train: {{source: a.jsonl, checks: [trainer_drops]}}}}\n")
    return load_contract(path)


def test_the_run_of_the_contract_names_the_trainer(tmp_path):
    (check,) = [c for c in contract(tmp_path, "{trainer: trl.dpo, max_length: 64, settings: {truncation_mode: keep_end}}"
                                    ).datasets["train"].checks if c.check == "trainer_drops"]  # fmt: skip
    assert (check.trainer, check.max_length, check.settings) == ("trl.dpo", 64, {"truncation_mode": "keep_end"})


def test_an_unknown_trainer_is_told_with_a_near_name(tmp_path):
    with pytest.raises(ContractError, match=r"c\.yaml:2: run\.trainer: 'trl\.stf': .*did you mean 'trl\.sft'"):
        contract(tmp_path, "{trainer: trl.stf}")


# Acceptance: LLaMA-Factory's own files. The numbers are those of its own code (benchmarks/trainers.py runs it).
KTO_TAGS = {"tags.role_tag": "role", "tags.content_tag": "content", "tags.user_tag": "user",
            "tags.assistant_tag": "assistant"}  # fmt: skip
PAIRS = {**SHARE, "ranking": True, "columns.messages": "conversations", "columns.chosen": "chosen",
         "columns.rejected": "rejected"}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "mode", "given", "kept", "reasons"),
    [
        ("identity.json", "sft", {}, (91, 91), {}),
        ("identity.json", "sft", SHARE, (0, 91), {"missing_column": 91}),
        ("dpo_zh_demo.json", "dpo", PAIRS, (300, 300), {}),
        ("dpo_zh_demo.json", "sft", {**SHARE, "columns.messages": "conversations"}, (0, 300), {"message_count": 300}),
        ("kto_en_demo.json", "kto", {**SHARE, "columns.messages": "messages", "columns.kto_tag": "label", **KTO_TAGS},
         (300, 300), {}),
        ("kto_en_demo.json", "sft", {**SHARE, "columns.messages": "messages", "columns.kto_tag": "label", **KTO_TAGS},
         (0, 300), {"kto_in_other_stage": 300}),
        ("glaive_toolcall_zh_demo.json", "sft", {**SHARE, "columns.messages": "conversations", "columns.tools": "tools"},
         (300, 300), {}),
        ("glaive_toolcall_en_demo.json", "sft", {**SHARE, "columns.messages": "conversations", "columns.tools": "tools"},
         (300, 300), {}),
    ],
)  # fmt: skip
def test_the_files_of_llama_factory(realdata, file, mode, given, kept, reasons):
    records = json.loads((realdata / "llama_factory/data" / file).read_text(encoding="utf-8"))
    result = measure(llamafactory(mode, **given), records)
    assert result.value("kept") == Ratio(*kept)
    lost = result.evidence.drop_nulls("row")
    assert dict(lost.group_by("problem").len().iter_rows()) == reasons
    assert result.value("unexplained") == 0


def test_pairs_of_text_vanish_from_a_sharegpt_set(realdata):
    """The same 300 pairs with text instead of objects: all of them are dropped, without an error."""
    records = json.loads((realdata / "llama_factory/data/dpo_zh_demo.json").read_text(encoding="utf-8"))
    texts = [{**r, "chosen": r["chosen"]["value"], "rejected": r["rejected"]["value"]} for r in records]
    result = measure(llamafactory("dpo", **PAIRS), texts)
    assert result.value("kept") == Ratio(0, 300)
    assert result.value("run_stops") == 0
    assert set(result.evidence["problem"]) == {"pair_not_objects"}


def test_every_top_level_key_is_a_column():
    """Whatever its value is; also where the text of a turn or of a tool stands in it."""
    values = {"messages": [{"role": "user", "content": "q"}], "prompt": "q", "tools": [], "meta": {"a": {}}, "e": {},
              "n": None, "f": 1.5, "empty": "", "list": [[1], ["x"]], "chosen": "a", "rejected": "b", "深": 1}  # fmt: skip
    for key, value in values.items():
        rows = [{key: value}, {"other": 1}]
        seen = measure(_Columns(), rows).not_checked
        assert seen == (f"{sorted([key, 'other'])}",)


class _Columns(Check):
    """What `SeenBefore` gives, as a sentence."""

    metrics = {"n": Metric("none", "rows", limit=Limit(max=0))}
    ZH = "列"
    check: Literal["columns"] = "columns"

    def needs(self):
        return (Need(SeenBefore()),)

    def measure(self, data):
        seen = seen_of(data[Need(SeenBefore())])
        assert isinstance(seen.first, dict)
        return Measured((Value("n", 0),), not_checked=(Message(str(sorted(seen.columns))),))
