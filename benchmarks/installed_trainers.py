"""Twins and preview against installed trainers, from a JSON Lines file to tokens and labels.

    python benchmarks/installed_trainers.py --python ENV/bin/python --tokenizer DIR [--trainer trl] [--realdata DIR]
        [--templates DIR] [--generator apart]

A hostile row (benchmarks/trainers.py) stands in a file of its own between two good ones, alone, and among others; the
probes of datacheck/trainers/probes give each file to the installed package. Twin and preview see the same rows.
Compared are fate, token ids and labels. `--generator apart`: files of the second generator (hostile_cases.py), made
without the first. With --templates, conversations of many kinds are trained with each *.jinja of
that folder (trl/chat_templates of the installed TRL) on the same tokenizer. The counts are recorded by version in
docs/benchmarks/installed_trainers.json, of which docs/generate.py makes a table.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from conversation_cases import shaped
from forked_probes import Forked
from hostile_cases import files_of as faulty
from installed_cases import CASES, B, Case
from passed_over import fate_of, writes_nothing
from templates import CASES as CONVERSATIONS
from trainers import changed, hostile, paths, read

from datacheck.contract.artifacts import hashed
from datacheck.features.agreement import disagreements, expected, request_of
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.trainers import trainer
from datacheck.trainers.base import Seen, as_loaded
from datacheck.trainers.probes import asking
from datacheck.trainers.probes.asking import ProbedRow, ProbeError, ProbeLimits, ask

RECORD = Path(__file__).parents[1] / "docs" / "benchmarks" / "installed_trainers.json"
SHOWN = 12  # differences of a case that are printed
SHOWN_LETTERS = 400
SECONDS = 3000
_DATES = ["2024-01-01", "2024-01-01T10:20:30", "2024-01-01 10:20:30", "2024-01-01T10:20:30Z", "2024-13-01", "12:30"]
_KEYS = ("prompt", "chosen", "rejected", "completion", "messages")


def files_of(case: Case, seed: int, most: int, realdata: Path | None) -> list[list[Any]]:
    """Files of rows: each hostile row between two good ones, some alone, some together; dates; real ones."""
    draw = random.Random(seed)
    if case.shape:
        drawn = shaped(case.shape, draw, 2 * most)
        return [[row] for row in drawn[:most]] + [drawn[at : at + 4] for at in range(most, len(drawn), 4)]
    rows = [row for row in hostile(case.good, seed, most) if row]
    draw.shuffle(rows)
    rows = rows[:most]
    good = case.good[0]
    files = [[good, row, good] for row in rows[: most // 2]] + [[row] for row in rows[most // 2 : most * 3 // 4]]
    rest = rows[most * 3 // 4 :]
    files += [[good, *rest[at : at + 4]] for at in range(0, len(rest), 4)]
    dated = [changed(good, at, date) for date in _DATES for at in paths(good)]
    for made in draw.sample(dated, min(len(dated), most // 2)):
        files += [[made], [made, made], [good, made]]
    if realdata is not None:
        files += [[(case.reshaped or dict)(row) for row in read(realdata / name)[:200]] for name in case.files]
    return [file for file in files if file]


def files_apart(case: Case, seed: int, most: int) -> list[list[Any]]:
    """Files of the other generator."""
    draw = random.Random(seed)
    return faulty(shaped(case.shape, draw, most) if case.shape else case.good, seed, most)


def conversations() -> list[dict[str, Any]]:
    """Conversations of many kinds, as benchmarks/templates.py has them, for TRL."""
    rows = [{"messages": messages, **({"tools": tools} if tools else {})} for messages, tools in CONVERSATIONS.values()]
    return [row for row in rows if row["messages"] and row["messages"][-1]["role"] == "assistant"]


def template_cases() -> Iterator[tuple[Case, list[list[Any]]]]:
    """Each conversation alone (what one template refuses must not hide the others): whole, and as prompt and answer."""
    rows = conversations()
    for settings in ({}, {"assistant_only_loss": True}):
        yield Case("trl.sft", [], settings), [[row] for row in rows]
    split = [
        {**row, "prompt": row["messages"][:-1], "completion": row["messages"][-1:]}
        for row in rows
        if len(row["messages"]) > 1
    ]
    asked = [[{key: value for key, value in row.items() if key != "messages"}] for row in split]
    yield Case("trl.sft", []), asked
    yield Case("trl.sft", [], {"assistant_only_loss": True}), asked
    pairs = [{**row[0], "chosen": row[0]["completion"], "rejected": [B]} for row in asked]
    yield Case("trl.dpo", []), [[{key: value for key, value in row.items() if key != "completion"}] for row in pairs]


def rule_of(
    case: Case, row: Any, loaded: list[Any], two: ProbedRow, what: str, file: list[Any], lost: list[Any], folder: Path
) -> str | None:
    """The named rule that leaves a difference open, or None.

    Most are rules of the twin itself, which say in a report what was not compared (`_SAID`). The others: a text holds
    half a surrogate pair: datacheck refuses the line before a twin is asked (half_a_pair). trl: some keys
    hold text and some messages, and which one it looks at differs from process to process (mixed_keys,
    data_utils.py:193); prompts and answers of several rows as one column that Arrow has no type for (no_column,
    reward_trainer.py:728); a template that passes over the answers of the first batch, whose column of tokens then is
    one of nothing (no_first_tokens, kto_trainer.py:1154); messages without a role in a batch that begins with one that
    has roles (mixed_prompts, grpo_trainer.py:1686); tokens as a list in a list, which the model takes where no other
    row is in the batch (nested_tokens). verl: a content is null, its key is missing, a role is no text or a prompt
    holds no messages, and the template passes over it instead of refusing it (passed_over); transformers before 5.24
    hands a template the keys that Parquet fills with null, which one that looks for the key alone stumbles over
    (nulls_kept). ms_swift.kto: the answers that are drawn for the KL term have no common type (answer_no_text,
    core.py:393). Before datasets 5: Arrow reads beyond the values of a list that begins with null, so that what lies in
    memory decides whether the run stops or the row is lost (beyond_values). ms_swift.sft with last_round: an earlier
    answer begins with white space, and is tokenized with what stands before it (blank_untrained).
    llamafactory.kto: what stops the next row has none behind it that is kept (none_behind). axolotl
    with truncate: an answer that is cut to a number, in a column that holds JSON, is one (cut_into_json,
    utils/data/rl.py:157). openrlhf: what stands among the messages is none, or its content is no text:
    what becomes of the row is what the tokenizer's template makes of it, rendered here (passed_over,
    benchmarks/passed_over.py); an answer that it renders as nothing, in a column that holds JSON at any depth, is an
    empty list there (nothing_written; also trl.orpo); what would stop the run at each of the rows that are kept, and
    none is kept (none_left).
    """
    family, mode = case.mode.partition(".")[0], case.mode
    reasons = _reasons(case, row, file)
    for reason in _SAID.get(family, {}).get(what, ()):
        if reason == "no_answer" and mode not in _PAIRS:
            continue
        if reason in reasons and (reason != "message_masked" or _last_muted(row)):
            return reason
    arrow = mode == "trl.reward" and two.error == "ArrowInvalid" and two.at == "trl/trainer/reward_trainer.py:728"
    rotated = mode == "trl.kto" and two.error == "TypeError" and two.at in _FIRST_ROTATED
    mapped = mode == "ms_swift.kto" and two.error == "TypeError" and two.at == "swift/dataset/preprocessor/core.py:393"
    holds = {
        "half_a_pair": _HALF.search(json.dumps(file, ensure_ascii=False)) is not None,
        "mixed_keys": family == "trl" and any(map(_mixed_keys, _filled([row, *loaded[:1]], [row, *loaded]))),
        "blank_untrained": case.settings.get("loss_scale") == "last_round" and _blank_before_last(row),
        "no_column": arrow and len(file) > 1 and isinstance(row.get("prompt"), list),
        "beyond_values": family != "trl" and two.fate == "dropped" and _beyond_values(file),
        "answer_no_text": mapped and len({"answer_no_text" in _reasons(case, each, file) for each in file}) > 1,
        "nested_tokens": mode == "trl.sft" and two.fate == "kept" and _one_nested(row.get("input_ids")),
        "mixed_prompts": mode == "trl.grpo" and "mixed_prompts" in reasons and isinstance(row.get("prompt"), list),
        "nothing_written": (two.error == "TypeError" and two.at == _JOINED and _into_json(case, row, loaded, folder))
        or (two.at in _NOT_TEXT and _role_passed_over(case, row, loaded)),
        "cut_into_json": two.error == "ValueError" and two.at in _CUT_AGAIN and _cuts_json(case, row, loaded),
        "none_left": family == "openrlhf" and two.fate == "dropped" and "column_of_json" in reasons,
        "no_first_tokens": rotated and "foreign_role" in _reasons(case, file[0], file),
        "none_behind": mode == "llamafactory.kto" and two.fate == "dropped" and _next_lost(row, loaded, lost),
        "nulls_kept": two.error == "TypeError" and two.at in _RENDERED and _has_nulls(row, case.settings),
        "passed_over": (family == "verl" and two.fate != "dropped" and _passed_over(_typed(case, row, loaded), case))
        or (family == "openrlhf" and _told_by_template(case, _typed(case, row, loaded), two, reasons, folder)),
    }
    return next(
        (
            name
            for name, held in holds.items()
            if held and (what == "fate" or name in ("half_a_pair", "mixed_keys", "blank_untrained"))
        ),
        None,
    )


_HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair
_BY_TEMPLATE = {"messages_malformed", "content_not_text", "text_for_messages", "letters_rendered"}


def _told_by_template(case: Case, row: Any, two: ProbedRow, reasons: set[str], folder: Path) -> bool:
    """Whether the row became what the template itself makes of it, and the twin's rule is one that hangs on that."""
    if not _BY_TEMPLATE & reasons or not isinstance(row, dict):
        return False
    told = fate_of(case.mode, case.settings, row, folder)
    too_long = two.fate == "dropped" and told == "kept" and "data.max_len" in case.settings
    return told == two.fate or too_long


_JOINED = "openrlhf/datasets/reward_dataset.py:141"


_NOT_TEXT = tuple(f"trl/experimental/orpo/orpo_trainer.py:{line}" for line in (480, 485, 489))


def _role_passed_over(case: Case, row: Any, loaded: list[Any]) -> bool:
    """Whether an answer has a role that is no text, so that a template writes nothing, in a column that has JSON."""
    typed = Seen.of([*loaded, row], typed=trainer(case.mode).typed).typed
    held = typed is not None and any(path[0] in ("chosen", "rejected") for path in typed.mixed)
    sides = [row.get(name) for name in ("chosen", "rejected")]
    last = [side[-1] for side in sides if isinstance(side, list) and side and isinstance(side[-1], dict)]
    return held and any(not isinstance(each.get("role"), str) for each in last)


def _into_json(case: Case, row: Any, loaded: list[Any], folder: Path) -> bool:
    """Whether an empty answer is written into a column that has JSON at any depth: it becomes an empty list."""
    typed = Seen.of([*loaded, row], typed=trainer(case.mode).typed).typed
    held = typed is not None and any(path[0] in ("chosen", "reject") for path in typed.mixed)
    return held and writes_nothing(case.mode, case.settings, _typed(case, row, loaded), folder)


_CUT_AGAIN = tuple(f"axolotl/utils/data/rl.py:{line}" for line in (156, 157, 176))


def _cuts_json(case: Case, row: Any, loaded: list[Any]) -> bool:
    """Whether answers that are cut stand in a column whose text may be read as JSON again."""
    typed = Seen.of([*loaded, row], typed=trainer(case.mode).typed).typed
    cuts = case.settings.get("excess_length_strategy") == "truncate"
    return cuts and typed is not None and any(path[0] in ("chosen", "rejected", "completion") for path in typed.mixed)


_FIRST_ROTATED = ("trl/trainer/kto_trainer.py:1154", "trl/trainer/kto_trainer.py:1130")  # of 1.16.0 and 1.15.0
_RENDERED = tuple(f"verl/utils/tokenizer/chat_template.py:{line}" for line in (178, 186))
_PAIRS = tuple(f"ms_swift.{name}" for name in ("dpo", "orpo", "simpo", "cpo"))
_UNCOMPARED = (
    "system_empty",
    "end_in_answer",
    "message_masked",
    "call_behind_words",
    "two_prompts",
    "rejected_without_tools",
    "two_answers",
    "no_answer",
    "result_behind_question",
)
_OF_FILES = ("media_of_row", "columns_by_case", "messages_of_embeddings")
_SAID: dict[str, dict[str, tuple[str, ...]]] = {
    "ms_swift": {
        "fate": (*_OF_FILES, "two_prompts"),
        "tokens": (*_UNCOMPARED, *_OF_FILES),
        "labels": (*_UNCOMPARED, *_OF_FILES, "earlier_trained", "joined_unlike"),
    },
    "verl": {"fate": ("media_of_row",)},
    "llamafactory": {"fate": ("media_template",), **dict.fromkeys(("tokens", "labels"), ("labels_shifted",))},
    "trl": {"fate": ("images_column",)},
    "axolotl": {"fate": ("images_column",)},
    "unsloth": {"fate": ("images_column", "tokens_given", "text_pair")},
}


def _reasons(case: Case, row: Any, file: list[Any]) -> set[str]:
    """The rules of the twin that apply to a file, and to a row of it."""
    mode = trainer(case.mode)
    seen, settings = Seen.of(file, typed=mode.typed), mode.configured(None, case.settings)
    return {fate.reason for fate in (*mode.before(settings, seen), *mode.read(row, settings, seen).fates)}


def _beyond_values(file: list[Any]) -> bool:
    """Whether Arrow reads a list of the file beyond its values: one whose first value is null, in no column of JSON."""
    found: bool = Seen.of(file, typed="datasets 4.8").not_loadable == "ArrowInvalid"
    return found and any(map(_begins_with_null, file))


def _begins_with_null(value: Any) -> bool:
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return (isinstance(value, list) and value[:1] == [None]) or any(map(_begins_with_null, inner))


def _next_lost(row: Any, loaded: list[Any], lost: list[Any]) -> bool:
    """Whether the row behind this one, or the first behind the last, is left out as well."""
    at = next(n for n, each in enumerate(loaded) if each is row)
    return any(each is loaded[(at + 1) % len(loaded)] for each in lost)


def _last_muted(row: Any) -> bool:
    """The last message, or one that begins with white space: it is tokenized with what stands before it."""
    messages = row["messages"]
    messages = json.loads(messages) if isinstance(messages, str) else messages
    muted = [each for each in messages if each.get("loss") in (False, 0) or each.get("loss_scale") == 0]
    return any(each is messages[-1] or str(each.get("content"))[:1].isspace() for each in muted)


def _blank_before_last(row: Any) -> bool:
    mode = trainer("ms_swift.sft")
    trained = mode.read(row, mode.configured(None, {}), Seen.of([row])).trained
    said = (trained.messages or [])[:-1] if trained is not None else []
    return any(each["role"] == "assistant" and str(each.get("content"))[:1].isspace() for each in said)


def _one_nested(ids: Any) -> bool:
    return isinstance(ids, list) and len(ids) == 1 and isinstance(ids[0], list)


def _filled(rows: list[Any], file: list[Any]) -> list[Any]:
    """The rows with null for columns that only others of their file have."""
    nulls = {name: None for each in file for name in each}
    return [{**nulls, **row} for row in rows]


def _mixed_keys(row: Any) -> bool:
    """Without a prompt, the first messages of both answers become one; messages of from and value are renamed."""
    whole = {key: row[key] for key in _KEYS if key in row}
    if row.get("conversations"):
        whole["messages"] = [{"role": "user"}]
    if "prompt" not in whole and isinstance(whole.get("chosen"), list):
        whole["answer"] = whole["chosen"][-1:]
    kinds = (
        {how(value) for value in whole.values()} for how in (_is_conversation, lambda value: isinstance(value, str))
    )
    return any(
        len(kind) > 1 for kind in kinds
    )  # text that is JSON is a conversation in some columns and text in others


def _has_nulls(row: Any, settings: dict[str, Any]) -> bool:
    messages = row.get(settings.get("data.messages_key", "messages"))
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return False
    return len({frozenset(key for key in message if message[key] is not None) for message in messages}) > 1


def _typed(case: Case, row: dict[str, Any], loaded: list[Any]) -> dict[str, Any]:
    """The row as the library types it among others: a text that is JSON may come out as what it says."""
    return as_loaded(row, Seen.of([each for each in loaded if each is not row] + [row], typed=trainer(case.mode).typed))


def _passed_over(row: Any, case: Case) -> bool:
    key = case.settings.get("data.messages_key", "messages" if "messages" in row else "prompt")
    messages = row.get(key)
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        return True
    return any(not (isinstance(m.get("content"), str | list) and isinstance(m.get("role"), str)) for m in messages)


def _is_conversation(value: Any) -> bool:
    if isinstance(value, str):  # JSON text in a mixed column
        try:
            value = json.loads(value)
        except ValueError:
            return False
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "role" in value[0]


def in_forks() -> None:
    """Ask in forks of one Python: the same requests and limits, without the time of the imports."""
    asking._run = Forked().run  # noqa: SLF001


def asked_of(python: Path, request: Any, files: list[list[Any]]) -> tuple[list[ProbedRow], dict[str, str]]:
    """What the package says of files; where its process dies (SIGBUS in Arrow), of halves of them, to the one file."""
    lines = [json.dumps(row) for file in files for row in file]
    try:
        with tempfile.TemporaryDirectory() as folder:
            probed = ask(python, request, lines, Path(folder), [len(file) for file in files])
    except ProbeError:
        if len(files) == 1:
            return [ProbedRow("unknown")] * len(lines), {}
        half = len(files) // 2
        first, second = (asked_of(python, request, part) for part in (files[:half], files[half:]))
        return first[0] + second[0], first[1] or second[1]
    return list(probed.rows), dict(probed.installed.versions)


def compare(
    case: Case, files: list[list[Any]], python: Path, tokenizer: Path, told: list[ProbedRow] | None = None
) -> tuple[Counter[str], dict[str, str]]:
    """Ask, predict, count; prints the first differences. `told` gets what the package said."""
    artifact = hashed("tokenizer", str(tokenizer), tokenizer)
    run = TokenRun(tokenizer=artifact, trainer=RunOf(trainer=case.mode, settings=case.settings))
    request = replace(request_of(run), limits=ProbeLimits(seconds=SECONDS))
    answered, versions = asked_of(python, request, files)
    if told is not None:
        told += answered
    rows, counts = iter(answered), Counter[str]()
    for file in files:
        theirs = [next(rows) for _ in file]
        found = disagreements(run, file, theirs)
        loaded = [row for row, two in zip(file, theirs, strict=True) if two.fate != "failed"]
        lost = [row for row, two in zip(file, theirs, strict=True) if two.fate == "dropped"]
        for row, two, what in zip(file, theirs, found, strict=True):
            if two.fate == "unknown":  # no Parquet file holds this row and the others, or the process died
                counts["not asked"] += 1
                continue
            named = rule_of(case, row, loaded, two, what, file, lost, tokenizer) if what else None
            counts.update([two.fate, "cases", "named" if named else "different" if what else "equal"])
            counts.update([f"rule {named}"] if named else [])
            if what and not named and counts["different"] <= SHOWN:
                show(case, row, two, what)
                if what in ("tokens", "labels"):
                    explain(run, file, theirs, row)
    return counts, versions


def show(case: Case, row: Any, two: ProbedRow, what: str) -> None:
    """Print a difference."""
    told = json.dumps(row, ensure_ascii=False)[:SHOWN_LETTERS].encode(errors="backslashreplace").decode()
    print(f"{what} {case.mode} {case.settings}: real {two.fate} {two.error} {two.at}: {told}")


def explain(run: TokenRun, file: list[Any], theirs: list[ProbedRow], row: Any) -> None:
    """Print the tokens of both where they part."""
    left = [(each, two) for each, two in zip(file, theirs, strict=True) if two.fate not in ("failed", "unknown")]
    ours = expected(run, [each for each, _ in left], Seen.of([each for each, _ in left], typed=run.trainer.mode.typed))
    for (each, two), one in zip(left, ours, strict=True):
        if each is row:
            for real, twin in zip(two.examples, one.examples, strict=False):
                pairs = [list(zip(each.ids, each.labels, strict=True)) for each in (real, twin)]
                at = next((n for n, (a, b) in enumerate(zip(*pairs, strict=False)) if a != b), min(map(len, pairs)))
                print(f"   {real.part} token {at}: real {pairs[0][at - 4 : at + 12]}")
                print(f"   of {len(pairs[0])} and {len(pairs[1])}: twin {pairs[1][at - 4 : at + 12]}")


def with_template(tokenizer: Path, template: Path, folder: Path) -> Path:
    """The tokenizer's folder with another template."""
    made = folder / template.stem
    made.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tokenizer / name, made / name)
    shutil.copy(template, made / "chat_template.jinja")
    return made


def record(versions: dict[str, str], mode: str, counts: Counter[str], *, add: bool) -> None:
    """Put the counts of a mode beside those of others; with `add` to what is known of it."""
    family = mode.partition(".")[0]
    release = f"{family} {versions[family]}"
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    kept = {name: versions[name] for name in (family, "transformers", "datasets") if name in versions}
    modes = known.get(release, {}).get("modes", {})
    modes[mode] = dict(sorted((counts + Counter(modes.get(mode, {}) if add else {})).items()))
    known[release] = {"with": kept, "modes": dict(sorted(modes.items()))}
    RECORD.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Run the cases; exit code 1 on a difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--trainer", choices=CASES, default="trl")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--realdata", type=Path)
    parser.add_argument("--templates", type=Path)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of cases; nothing is recorded")
    parser.add_argument("--mode", help="only this one, as llamafactory.kto")
    parser.add_argument("--add", action="store_true", help="add the counts to those that are recorded")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--generator", choices=("places", "apart"), default="places")
    parser.add_argument("--most", type=int, default=80)
    arguments = parser.parse_args()
    in_forks()
    totals: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        asked = [
            (
                case,
                files_apart(case, arguments.seed + number, arguments.most)
                if arguments.generator == "apart"
                else files_of(case, arguments.seed, arguments.most, arguments.realdata),
                arguments.tokenizer,
            )
            for number, case in enumerate(CASES[arguments.trainer]())
            if (arguments.only is None or number in arguments.only) and arguments.mode in (None, case.mode)
        ]
        templates = sorted(arguments.templates.glob("*.jinja")) if arguments.templates else []
        for template in (path for path in templates if not path.stem.endswith("_training")):
            folder = with_template(arguments.tokenizer, template, Path(scratch))
            asked += [(case, files, folder) for case, files in template_cases()]
        for case, files, tokenizer in asked:
            counts, versions = compare(case, files, arguments.python, tokenizer)
            print(tokenizer.name, case.mode, case.settings, dict(counts), flush=True)
            if arguments.only is None or arguments.add:
                record(versions, case.mode, counts, add=arguments.add or case.mode in totals)
            totals.setdefault(case.mode, Counter()).update(counts)
    return int(any(counts["different"] for counts in totals.values()))


if __name__ == "__main__":
    sys.exit(main())
