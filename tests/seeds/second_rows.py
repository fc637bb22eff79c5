"""A second failing input for each row of docs/failures.md, in another form: other place, language, shape or file."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from chat_helpers import CHATML
from seed_rows import Maker, _chat, _embeddings, _judged, _numbers, _sft, _with_arrays
from seed_worlds import END, LightRft, MiniOneRec, MlxGrpo, PplmxLlm, World, question

SECOND: dict[str, Maker] = {}


def second(row: str) -> Any:
    """Name the row that a function makes another input for."""

    def note(make: Maker) -> Maker:
        assert row not in SECOND
        SECOND[row] = make
        return make

    return note


# ── MiniOneRec ────────────────────────────────────────────────────────────────────────────────────────
@second("M1")
def a_comprehension(bad: bool) -> World:
    world = MiniOneRec()
    code = {"history_item_id": "[n for n in (5, 6, 7)]"} if bad else {}
    world.eval[5] = world.row(5, [5, 6, 7], 8, **code)
    return world


@second("M2")
def empty_tuple(bad: bool) -> World:
    world = MiniOneRec()
    empty = dict.fromkeys(("history_item_title", "history_item_id", "history_item_sid"), "()")
    world.train[9] = world.row(9, [9], 4, **(empty if bad else {}))
    return world


@second("M3")
def spreadsheet_error(bad: bool) -> World:
    world = MiniOneRec()
    world.info[4][1] = world.items["4"]["title"] = "#N/A" if bad else "# N / A"
    world.train[2] = world.row(2, [2, 3], 4)
    return world


@second("M4")
def two_golds_of_one_list_written_twice(bad: bool) -> World:
    world = MiniOneRec()
    spaced = json.dumps([world.info[0][0], world.info[1 if bad else 2][0]], separators=(" ,  ", ":"))
    world.train[1] = world.row(1, [0, 1 if bad else 2], 7, history_item_sid=spaced)
    return world


@second("M5")
def another_gold_in_eval_written_otherwise(bad: bool) -> World:
    world = MiniOneRec()
    spaced = json.dumps([world.info[3][0], world.info[4 if bad else 6][0]])
    world.eval[4] = world.row(4, [3, 4 if bad else 6], 11, history_item_sid=spaced)
    return world


@second("M6")
def gold_in_a_chinese_title(bad: bool) -> World:
    world = MiniOneRec()
    sid = world.info[9][0]
    world.info[9][1] = world.items["9"]["title"] = f"蓝色记号笔（{sid}）" if bad else "蓝色记号笔（九号）"
    world.train = [world.row(user, [user, user + 1], user + 2) for user in range(14)]
    world.eval = [world.row(user, [user, user + 1, user + 2], user + 3) for user in range(13)]
    return world


@second("M7")
def four_levels_everywhere(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        for n in range(16):
            world.index[str(n)].append(f"<d_{n % 2}>")
            world.info[n][0] += f"<d_{n % 2}>"
        world.train = [world.row(user, [user, user + 1], user + 2) for user in range(14)]
        world.eval = [world.row(user, [user, user + 1, user + 2], user + 3) for user in range(13)]
    return world


@second("M8")
def no_sid_of_an_item(bad: bool) -> World:
    world = MiniOneRec()
    world.items["99"] = {"title": "Blue Lamp", "description": "['A blue lamp.']"}
    if not bad:
        del world.items["99"]
    return world


@second("M9")
def collision_in_the_index_alone(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.index["3"] = list(world.index["12"])
    return world


@second("M10")
def three_of_one_chinese_title(bad: bool) -> World:
    world = MiniOneRec()
    for n in (4, 8, 15):
        world.info[n][1] = world.items[str(n)]["title"] = "办公用品" if bad else f"办公用品{n}"
    world.train = [world.row(user, [user, user + 1], user + 2) for user in range(14)]
    world.eval = [world.row(user, [user, user + 1, user + 2], user + 3) for user in range(13)]
    return world


@second("M10 first")
def no_description_at_all(bad: bool) -> World:
    world = MiniOneRec()
    world.items["9"]["description"] = "[]" if bad else "['A marker that is blue.']"
    return world


@second("M12")
def a_long_history_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.config = world.config.replace("512", "400")
    world.eval[3] = world.row(3, list(range(3, 13 if bad else 6)), 6 if not bad else 13)
    return world


@second("M13")
def dots_in_the_category(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.arguments = [each.replace("Office_Products.index", "Office.Products.index") for each in world.arguments]
        world.plain["data/Amazon/index/Office.Products.index.json"] = json.dumps(world.index)
    return world


@second("M14")
def line_end_in_a_title(bad: bool) -> World:
    world = MiniOneRec()
    world.info[15][1] = "Blue\nGlue" if bad else "Blue Glue"
    world.items["15"]["title"] = "Blue Glue"
    return world


@second("M18")
def fourteen_items_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[0] = world.row(0, list(range(14 if bad else 9)), 15)
    return world


@second("M19")
def evaluation_not_divisible(bad: bool) -> World:
    world = MiniOneRec()
    world.given("--run", "trainer", "minionerec.rl")
    world.given("--run", "config", "rl.yaml")
    world.plain["rl.yaml"] = f"train_batch_size: 8\neval_batch_size: {5 if bad else 8}\nnum_generations: 32\n"
    orders = ([n, m, k, j] for n in range(16) for m in range(16) for k in range(16) for j in range(16) if n < m != k)
    some = [before for before, _ in zip(orders, range(10_000), strict=False)]
    world.train = [world.row(user, before, (before[-1] + 5) % 16) for user, before in enumerate(some)]
    return world


@second("M20")
def many_processes(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.without("world_size")
        world.more += ["--run", "world_size=16"]
    return world


@second("M21")
def uneven_titles_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    more = repr([*(world.info[n][1] for n in range(3)), "Blue Lamp"])
    world.eval[0] = world.row(0, [0, 1, 2], 3, **({"history_item_title": more} if bad else {}))
    return world


@second("M22")
def infinite_half_precision(bad: bool) -> World:
    values = _embeddings().astype(np.float16)
    values[15, 7] = -np.inf if bad else -1
    return _with_arrays(_numbers(values))


@second("M22 rows")
def one_row_more(bad: bool) -> World:
    return _with_arrays(_numbers(_embeddings(17 if bad else 16).astype(np.float64)))


@second("M23")
def a_gap(bad: bool) -> World:
    books = {"codebook_0": _embeddings(4), f"codebook_{2 if bad else 1}": _embeddings(4)[:, ::-1]}
    return _with_arrays(_numbers(_embeddings()), _numbers(**books))


@second("M23 size")
def the_second_is_wider(bad: bool) -> World:
    wide = np.concatenate([_embeddings(4), _embeddings(4)], axis=1)
    books = {"codebook_0": _embeddings(4), "codebook_1": wide if bad else _embeddings(4)[:, ::-1]}
    return _with_arrays(_numbers(_embeddings()), _numbers(**books))


@second("M24")
def category_in_small_letters(bad: bool) -> World:
    world = MiniOneRec()
    world.category = "office_products" if bad else "Books"
    return world


@second("M25")
def the_last_part_is_missing(bad: bool) -> World:
    world = MiniOneRec()
    world.given("--data", "results", "temp/Office_Products-sft/")
    for part in range(7 if bad else 8):
        said = [{"input": f"row {part}", "output": world.info[part][0], "predict": [world.info[part][0]]}]
        world.plain[f"temp/Office_Products-sft/{part}.json"] = json.dumps(said)
    return world


# ── LightRFT ──────────────────────────────────────────────────────────────────────────────────────────
def _parquet(rows: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(file)
    return file.getvalue()


def _in_parquet(world: LightRft, rows: list[dict[str, Any]]) -> LightRft:
    """The training set as Parquet, as the contract's example has it."""
    world.arguments = [each.replace("gsm8k.jsonl", "gsm8k.parquet") for each in world.arguments]
    world.plain["drops/gsm8k.parquet"] = _parquet(rows)
    return world


@second("L1")
def label_in_capitals(bad: bool) -> World:
    world = LightRft()
    world.train[7]["label"] = "GSM8K_RULE" if bad else "gsm8k_rule"
    return _in_parquet(world, world.train)


@second("L2")
def gold_is_null(bad: bool) -> World:
    world = LightRft()
    world.train[7]["reward_model"] = {"style": "rule", "ground_truth": None if bad else "37"}
    return _in_parquet(world, world.train)


@second("L3")
def input_key_of_one_row(bad: bool) -> World:
    world = LightRft()
    if bad:
        world.train[7]["prompts"] = world.train[7].pop("prompt")
    return world


@second("L4")
def chinese_speaker(bad: bool) -> World:
    world = LightRft()
    world.given("--run", "trainer", "lightrft.rl_text")
    world.train = [{**row, "extra_info": {"reference": row["reward_model"]["ground_truth"]}} for row in world.train]
    world.eval = [{**row, "extra_info": {"reference": row["reward_model"]["ground_truth"]}} for row in world.eval]
    world.eval[3]["prompt"] = [{"from": "用户" if bad else "human", "value": "三百零一加四百零二是多少？"}]
    world.eval[3]["reward_model"]["ground_truth"] = "703"
    world.eval[3]["extra_info"]["reference"] = "703"
    return world


@second("L5")
def ability_as_label(bad: bool) -> World:
    world = LightRft()
    for row in [*world.train, *world.eval]:
        row["ability"] = "math"
    world.args["label_key"] = "ability" if bad else "label"
    return world


@second("L6")
def later_questions_are_dropped(bad: bool) -> World:
    world = LightRft()
    if bad:
        world.train[7]["prompt"] += [
            {"role": "assistant", "content": "六个。"},
            {"role": "user", "content": "再加三个呢？"},
        ]
    return world


@second("L7")
def long_chinese_prompt_in_eval(bad: bool) -> World:
    world = LightRft()
    told = "箱子放在大厅里，没有人知道里面有什么。" * (60 if bad else 1)
    world.eval[4]["prompt"][0]["content"] = told + evaluated_zh()
    return world


def evaluated_zh() -> str:
    return "第一周收了四筐，第二周比第一周多十二筐，两周一共多少筐？"


@second("L8")
def empty_question(bad: bool) -> World:
    row = _chat(30)
    row["messages"][0]["content"] = "" if bad else "箱子里有多少东西？"
    return _sft(row)


@second("L9")
def chinese_answer_is_cut(bad: bool) -> World:
    return _sft(_chat(30, "先数红色的，再数蓝色的，最后把两个数加起来。" * (20 if bad else 1)))


@second("L10")
def a_mark_behind_the_last_question(bad: bool) -> World:
    world = _sft()
    if bad:
        mark = "(' /no_think' if loop.last and message['role'] == 'user' else '')"
        asked = "{%- else -%}{{ message['content']"
        assert asked in CHATML
        world.template = CHATML.replace(asked, f"{asked} + {mark}")
    return world


@second("L11")
def eval_is_of_the_training_rows(bad: bool) -> World:
    world = LightRft()
    if bad:
        world.eval = [json.loads(json.dumps(row)) for row in world.train[40:50]]
    return world


@second("L14")
def one_sample(bad: bool) -> World:
    world = LightRft()
    world.args["max_samples"] = 255 if bad else 256
    return world


@second("L15")
def a_system_turn_and_more(bad: bool) -> World:
    world = LightRft()
    said = [
        ("system", "请公正评判。"),
        ("human", "哪一张画更好？"),
        ("gpt", "第一张。"),
        ("human", "为什么？"),
        ("gpt", "颜色好。"),
    ]
    rows = [_judged(n) for n in range(6)]
    rows[1]["conversations"] = [{"from": who, "value": text} for who, text in said[slice(None) if bad else slice(1, 3)]]
    world.only("grm", rows)
    return world


@second("L16")
def an_array_that_is_cut(bad: bool) -> World:
    world = LightRft()
    world.without("train", "eval")
    world.given("--data", "grm", "drops/judged.json")
    whole = json.dumps([_judged(n) for n in range(6)], ensure_ascii=False, indent=1)
    world.plain["drops/judged.json"] = whole[: len(whole) * 2 // 3] if bad else whole
    return world


@second("L17")
def no_placeholder(bad: bool) -> World:
    world = LightRft()
    steps = [{"input": f"先加 {n}。<extra_0>再加一。<extra_0>", "label": ["+", "-"]} for n in range(5)]
    steps[3]["input"] = "先加三。<extra_1>再加一。<extra_1>" if bad else "先加三。<extra_0>再加一。<extra_0>"
    world.only("prm", steps)
    return world


@second("L18")
def prompt_as_text(bad: bool) -> World:
    world = LightRft()
    world.without("train", "eval")
    world.given("--data", "maths", "eval_data/aime2024.json")
    asked: list[Any] = [
        {"prompt": [{"from": "user", "value": question(n)}], "final_answer": f"{3 * n + 16}"} for n in range(5)
    ]
    asked[2]["prompt"] = question(2) if bad else asked[2]["prompt"]
    world.plain["eval_data/aime2024.json"] = json.dumps(asked, indent=1)
    return world


@second("L18 answer")
def no_final_answer(bad: bool) -> World:
    world = LightRft()
    asked = [{"prompt": [{"from": "user", "value": question(n)}], "final_answer": f"{3 * n + 16}"} for n in range(5)]
    if bad:
        asked[4]["answer"] = asked[4].pop("final_answer")
    world.only("maths", asked)
    return world


@second("L19")
def rloo_of_one(bad: bool) -> World:
    world = LightRft()
    world.args |= {"advantage_estimator": "rloo", "n_samples_per_prompt": 1 if bad else 2}
    return world


@second("L20")
def template_with_a_name(bad: bool) -> World:
    world = LightRft()
    world.args["input_template"] = "题目：{question}\n答案：" if bad else "题目：{}\n答案："
    return world


@second("L21")
def no_rollout(bad: bool) -> World:
    world = LightRft()
    world.args |= {"train_batch_size": 2048} if bad else {}
    return world


# ── MLX-GRPO ──────────────────────────────────────────────────────────────────────────────────────────
@second("X1")
def full_width_mark(bad: bool) -> World:
    world = MlxGrpo()
    world.train[3] = {
        "question": "三十加十二等于多少？",
        "answer": f"30 + 12 = 42。\n{'＃＃＃＃' if bad else '####'} 42",
    }
    return world


@second("X2")
def full_width_digits(bad: bool) -> World:
    world = MlxGrpo()
    world.train[3] = {
        "question": "三十加十二等于多少？",
        "answer": f"加起来就得到结果。\n#### {'４２' if bad else '42'}",
    }
    return world


@second("X2 unit")
def gold_with_a_unit(bad: bool) -> World:
    world = MlxGrpo()
    world.train[3] = {"question": "Thirty and twelve?", "answer": f"One adds both.\n#### {'42.0' if bad else '42'}"}
    return world


@second("X3")
def rates_in_a_table(bad: bool) -> World:
    world = MlxGrpo()
    world.given("--data", "sampled", "drops/sampled.jsonl")
    rates = [1, 1, 1, 1, 0.5] if bad else [0.9, 1, 0.25, 0.75, 0.5]
    world.plain["drops/sampled.jsonl"] = [
        {"question": f"第 {n} 题：{n} 加 1？", "pass_rate": rate} for n, rate in enumerate(rates)
    ]
    return world


@second("X4")
def answer_is_null(bad: bool) -> World:
    world = MlxGrpo()
    world.train[11]["answer"] = None if bad else "So it is.\n#### 49"  # type: ignore[assignment]
    return world


@second("X5")
def misspelt_in_a_flat_file(bad: bool) -> World:
    world = MlxGrpo()
    world.plain["configs/prod.toml"] = f"num_epochs = 2\n{'num_generation' if bad else 'num_generations'} = 8\n"
    return world


@second("X5 type")
def a_word_for_true(bad: bool) -> World:
    world = MlxGrpo()
    world.toml["num_epochs"] = "two" if bad else 2
    return world


@second("X6")
def scheduler_that_nothing_reads(bad: bool) -> World:
    world = MlxGrpo()
    world.plain["configs/prod.toml"] = "num_epochs = 2\n" + ('lr_scheduler_type = "cosine"\n' if bad else "")
    return world


@second("X7")
def config_of_another_folder(bad: bool) -> World:
    world = MlxGrpo()
    if bad:
        world.given("--run", "config", "config/prod.toml")
    return world


@second("X8")
def warm_up_of_a_tenth(bad: bool) -> World:
    world = MlxGrpo()
    world.toml |= {"max_train_samples": 3, "num_epochs": 1} if bad else {}
    return world


class Pickled(MlxGrpo):
    """A model's folder without a tokenizer.json."""

    def write(self, folder: Path) -> list[str]:
        given = super().write(folder)
        if self.pickled:
            next(folder.rglob("tokenizer.json")).unlink()
        return given


@second("X10")
def nothing_but_a_pickle(bad: bool) -> World:
    world = Pickled()
    world.pickled = bad
    return world


@second("X11")
def number_told_in_chinese(bad: bool) -> World:
    world = MlxGrpo()
    for n, row in enumerate(world.train):
        row["question"] += f"（提示：答案为{3 * n + 16 if bad else 7 * n + 600}）"
    return world


class Sharded(MlxGrpo):
    """A checkpoint in two files."""

    def write(self, folder: Path) -> list[str]:
        given = super().write(folder)
        whole = next(folder.rglob("model.safetensors"))
        whole.unlink()
        names = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
        for name, key, rows in zip(
            names, ("lm_head.weight", "model.embed_tokens.weight"), (1024, self.rows), strict=True
        ):
            header = json.dumps({key: {"dtype": "F32", "shape": [rows, 8], "data_offsets": [0, 0]}}).encode()
            (whole.parent / name).write_bytes(len(header).to_bytes(8, "little") + header)
        index = {"weight_map": {"lm_head.weight": names[0], "model.embed_tokens.weight": names[1]}}
        (whole.parent / "model.safetensors.index.json").write_text(json.dumps(index))
        return given

    rows = 1024

    def digest(self) -> str:
        return f"{super().digest()}-{self.rows}"


@second("X12")
def a_sharded_checkpoint(bad: bool) -> World:
    world = Sharded()
    world.rows = 512 if bad else 1024
    return world


# ── pplmx/llm ─────────────────────────────────────────────────────────────────────────────────────────
@second("P1")
def keys_in_capitals(bad: bool) -> World:
    world = PplmxLlm()
    if bad:
        world.train = [{key.capitalize(): value for key, value in row.items()} for row in world.train]
    return world


@second("P2")
def another_end(bad: bool) -> World:
    world = PplmxLlm()
    told = "箱子里一共有三十七件东西。"
    world.train[7] = {
        "instruction": "箱子里有多少东西？",
        "input": "",
        "output": f"{told}</s>" if bad else f"{told}{END}",
    }
    return world


@second("P3")
def a_long_chinese_question(bad: bool) -> World:
    world = PplmxLlm()
    world.train[7]["instruction"] = "箱子放在大厅里，谁也不知道里面有什么。" * (60 if bad else 2)
    return world


@second("P4")
def a_side_is_null(bad: bool) -> World:
    world = PplmxLlm()
    world.only("pairs", [world.pair(n) for n in range(12)])
    if bad:
        world.plain["drops/pairs.jsonl"][4]["chosen"] = None
    return world


@second("P5")
def no_prompt_at_all(bad: bool) -> World:
    world = PplmxLlm()
    world.only("prompts", [{"query" if bad else "prompt": question(n)} for n in range(12)])
    return world


@second("P6")
def another_quote(bad: bool) -> World:
    world = PplmxLlm()
    lines = [json.dumps(row, ensure_ascii=False) for row in world.train]
    lines[17] = str(world.train[17]) if bad else lines[17]
    world.plain["drops/sft.jsonl"] = "\n".join(lines) + "\n"
    return world


@second("P7")
def a_dash(bad: bool) -> World:
    world = PplmxLlm()
    world.sections["data"] = {"max_seq_len": 512}
    world.train[7]["output"] = f"There are many things {'—' if bad else '-'} in all.{END}"
    return world


@second("P8")
def a_copy_with_keys_in_another_order(bad: bool) -> World:
    world = PplmxLlm()
    world.train[20] = dict(reversed(world.row(3 if bad else 20).items()))
    return world


@second("P9")
def negative_length(bad: bool) -> World:
    world = PplmxLlm()
    world.sections["data"]["max_seq_len"] = -1 if bad else 512
    return world


@second("P10")
def a_key_of_no_section(bad: bool) -> World:
    world = PplmxLlm()
    if bad:
        world.sections["max_seq_len"] = 256  # type: ignore[assignment]
    return world


@second("P11")
def vocabulary_one_too_small(bad: bool) -> World:
    world = PplmxLlm()
    world.sections["model"]["vocab_size"] = 384 if bad else 1024
    return world
