"""One failing input for each row of docs/failures.md, and its clean twin: the same files as they should be."""

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from chat_helpers import CHATML
from seed_worlds import END, LightRft, MiniOneRec, MlxGrpo, PplmxLlm, World, question

Maker = Callable[[bool], World]  # of what is wrong (True) or as it should be
SEEDS: dict[str, Maker] = {}


def seed(row: str) -> Callable[[Maker], Maker]:
    """Name the row of docs/failures.md that a function makes the input for; several make it in other ways."""

    def note(make: Maker) -> Maker:
        assert row not in SEEDS
        SEEDS[row] = make
        return make

    return note


# ── MiniOneRec ────────────────────────────────────────────────────────────────────────────────────────
CODE = "[__import__('os').getcwd()]"


@seed("M1 train")
def code_in_train(bad: bool) -> World:
    world = MiniOneRec()
    world.train[3] = world.row(3, [3, 4], 5, **({"history_item_title": CODE} if bad else {}))
    return world


@seed("M1 eval")
def code_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[3] = world.row(3, [3, 5], 6, **({"history_item_sid": CODE} if bad else {}))
    return world


@seed("M1 items")
def code_in_a_description(bad: bool) -> World:
    world = MiniOneRec()
    world.items["5"]["description"] = "['' + __import__('os').getcwd() + '']" if bad else "['A ruler of steel.']"
    return world


@seed("M2 train")
def empty_history(bad: bool) -> World:
    world = MiniOneRec()
    world.train[2] = world.row(2, [] if bad else [2], 4)
    return world


@seed("M2 eval")
def empty_history_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[2] = world.row(2, [] if bad else [2], 6)
    return world


@seed("M3 train")
def not_available(bad: bool) -> World:
    world = MiniOneRec()
    title = "None" if bad else "None Such"
    world.info[4][1] = world.items["4"]["title"] = title
    world.train[2] = world.row(2, [2, 3], 4)
    return world


@seed("M3 eval")
def not_available_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[2] = world.row(2, [2, 4], 5, **({"item_sid": "NA"} if bad else {}))
    return world


@seed("M3 title")
def title_not_available_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[2] = world.row(2, [2, 4], 5, **({"item_title": "n/a"} if bad else {}))
    return world


@seed("M4")
def two_golds(bad: bool) -> World:
    world = MiniOneRec()
    world.train[1] = world.row(1, [0, 1] if bad else [1, 0], 7)
    return world


@seed("M5 other")
def another_gold_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[0] = world.row(0, [0, 1] if bad else [0, 2], 9)
    return world


@seed("M5 same")
def the_same_row_in_eval(bad: bool) -> World:
    world = MiniOneRec()
    world.eval[0] = world.row(0, [0, 1], 2) if bad else world.row(0, [0, 2], 3)
    return world


@seed("M6")
def gold_in_the_title(bad: bool) -> World:
    world = MiniOneRec()
    sid = world.info[6][0]
    world.info[6][1] = world.items["6"]["title"] = f"Blue Stapler {sid}" if bad else "Blue Stapler a_2 b_3"
    world.train = [world.row(user, [user, user + 1], user + 2) for user in range(14)]
    world.eval = [world.row(user, [user, user + 1, user + 2], user + 3) for user in range(13)]
    return world


@seed("M7")
def four_levels(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.index["3"].append("<d_1>")
        world.info[3][0] += "<d_1>"
        world.train = [world.row(user, [user, user + 1], user + 2) for user in range(14)]
        world.eval = [world.row(user, [user, user + 1, user + 2], user + 3) for user in range(13)]
    return world


@seed("M8 levels")
def two_levels(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.index["15"] = world.index["15"][:2]
    return world


@seed("M8 items")
def no_such_item(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        del world.items["15"]
    return world


@seed("M9")
def collision(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.index["15"] = world.index["14"]
        world.info[15][0] = world.info[14][0]
    return world


@seed("M10 titles")
def equal_titles(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.info[15][1] = world.items["15"]["title"] = world.info[14][1]
        world.train[13] = world.row(13, [13, 14], 15)
    return world


@seed("M10 items")
def equal_titles_of_items(bad: bool) -> World:
    world = MiniOneRec()
    world.items["15"]["title"] = world.items["14"]["title"] if bad else "Blue Glue"
    return world


@seed("M10 descriptions")
def equal_descriptions(bad: bool) -> World:
    world = MiniOneRec()
    same = ("['A thing for the desk.']", "['A thing for the desk, of paper.']")
    world.items["14"]["description"], world.items["15"]["description"] = same[0], same[0] if bad else same[1]
    return world


@seed("M10 first")
def first_description_empty(bad: bool) -> World:
    world = MiniOneRec()
    world.items["9"]["description"] = "['', 'A marker that is blue.']" if bad else "['A marker that is blue.', '']"
    return world


@seed("M12")
def beyond_the_cutoff(bad: bool) -> World:
    world = MiniOneRec()
    world.config = world.config.replace("512", "256") if bad else world.config.replace("512", "1024")
    return world


@seed("M13 missing")
def no_index(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.arguments = [each.replace(".index.json", ".indices.json") for each in world.arguments]
    return world


@seed("M13 dots")
def dots_in_the_name(bad: bool) -> World:
    world = MiniOneRec()
    if bad:
        world.arguments = [each.replace(".index.json", ".v2.index.json") for each in world.arguments]
        world.plain["data/Amazon/index/Office_Products.v2.index.json"] = json.dumps(world.index)
    return world


@seed("M14")
def tab_in_a_title(bad: bool) -> World:
    world = MiniOneRec()
    world.info[15][1] = "Blue\tGlue" if bad else "Blue  Glue"
    world.items["15"]["title"] = "Blue Glue"
    return world


@seed("M18")
def eleven_items(bad: bool) -> World:
    world = MiniOneRec()
    world.train[0] = world.row(0, list(range(11 if bad else 10)), 12)
    return world


@seed("M19")
def not_divisible(bad: bool) -> World:
    world = MiniOneRec()
    world.given("--run", "trainer", "minionerec.rl")
    world.given("--run", "config", "rl.yaml")
    world.plain["rl.yaml"] = f"train_batch_size: {6 if bad else 8}\neval_batch_size: 8\nnum_generations: 32\n"
    orders = ([n, m, k, j] for n in range(16) for m in range(16) for k in range(16) for j in range(16) if n < m != k)
    some = [before for before, _ in zip(orders, range(10_000), strict=False)]
    world.train = [world.row(user, before, (before[-1] + 5) % 16) for user, before in enumerate(some)]
    return world


@seed("M20")
def no_accumulation(bad: bool) -> World:
    world = MiniOneRec()
    world.config = world.config.replace("batch_size: 16\n", "batch_size: 8\n", 1) if bad else world.config
    return world


@seed("M21")
def uneven(bad: bool) -> World:
    world = MiniOneRec()
    sids = [world.info[0][0], world.info[1][0]]
    world.train[0] = world.row(0, [0, 1], 2, **({"history_item_sid": repr(sids[:1])} if bad else {}))
    return world


def _numbers(*arrays: Any, **named: Any) -> bytes:
    file = io.BytesIO()
    if arrays:
        np.save(file, arrays[0])
    else:
        np.savez(file, **named)
    return file.getvalue()


def _embeddings(rows: int = 16) -> Any:
    return (np.arange(rows * 8, dtype=np.float32).reshape(rows, 8) + 1) / 100


def _with_arrays(embeddings: bytes, codebooks: bytes | None = None) -> World:
    world = MiniOneRec()
    for name, path, content in (
        ("embeddings", "rq/Office_Products.emb-qwen-td.npy", embeddings),
        ("codebooks", "rq/codebooks.npz", codebooks),
    ):
        if content is not None:
            world.given("--data", name, path)
            world.plain[path] = content
    return world


@seed("M22 nan")
def not_a_number(bad: bool) -> World:
    values = _embeddings()
    values[3, 2] = np.nan if bad else 0
    return _with_arrays(_numbers(values))


@seed("M22 inf")
def infinite(bad: bool) -> World:
    values = _embeddings()
    values[3, 2] = np.inf if bad else 1e30
    return _with_arrays(_numbers(values))


@seed("M22 rows")
def another_number_of_rows(bad: bool) -> World:
    return _with_arrays(_numbers(_embeddings(15 if bad else 16)))


@seed("M23 size")
def another_width(bad: bool) -> World:
    width = 6 if bad else 8
    return _with_arrays(_numbers(_embeddings()), _numbers(codebook_0=_embeddings(4)[:, :width]))


@seed("M23 keys")
def another_key(bad: bool) -> World:
    books = {"centroids_0" if bad else "codebook_0": _embeddings(4), "codebook_1": _embeddings(4)[:, ::-1]}
    return _with_arrays(_numbers(_embeddings()), _numbers(**books))


@seed("M23 numbers")
def numbered_from_one(bad: bool) -> World:
    first = 1 if bad else 0
    books = {f"codebook_{first}": _embeddings(4), f"codebook_{first + 1}": _embeddings(4)[:, ::-1]}
    return _with_arrays(_numbers(_embeddings()), _numbers(**books))


@seed("M24")
def no_such_category(bad: bool) -> World:
    world = MiniOneRec()
    world.category = "Garden" if bad else "Sports"
    return world


@seed("M25")
def a_part_is_missing(bad: bool) -> World:
    world = MiniOneRec()
    world.given("--data", "results", "temp/Office_Products-sft/")
    for part in range(4):
        if part != 2 or not bad:
            said = [{"input": f"row {part}", "output": world.info[part][0], "predict": [world.info[part][0]]}]
            world.plain[f"temp/Office_Products-sft/{part}.json"] = json.dumps(said, indent=1)
    return world


# ── LightRFT ──────────────────────────────────────────────────────────────────────────────────────────
@seed("L1")
def unknown_label(bad: bool) -> World:
    world = LightRft()
    world.train[7]["label"] = "maths" if bad else "geo3k_rule"
    return world


@seed("L2")
def no_reference(bad: bool) -> World:
    world = LightRft()
    if bad:
        del world.train[7]["reward_model"]
    else:
        world.train[7]["ground_truth"] = world.train[7].pop("reward_model")["ground_truth"]
    return world


@seed("L3")
def wrong_input_key(bad: bool) -> World:
    world = LightRft()
    world.args["input_key"] = "problem" if bad else "prompt"
    if bad:
        world.args["apply_chat_template"] = False
    return world


@seed("L4")
def unknown_speaker(bad: bool) -> World:
    world = LightRft()
    world.given("--run", "trainer", "lightrft.rl_text")
    world.train = [{**row, "extra_info": {"reference": row["reward_model"]["ground_truth"]}} for row in world.train]
    world.eval = [{**row, "extra_info": {"reference": row["reward_model"]["ground_truth"]}} for row in world.eval]
    world.train[7]["prompt"] = [{"from": "chatgpt" if bad else "human", "value": question(7)}]
    return world


@seed("L5")
def answer_as_label(bad: bool) -> World:
    world = LightRft()
    for row in world.train:
        row["answer"] = row["reward_model"]["ground_truth"]
    world.args["label_key"] = "answer" if bad else "label"
    return world


@seed("L6")
def system_prompt(bad: bool) -> World:
    world = LightRft()
    system = {"role": "system", "content": "Think first, then put the answer into a box."}
    if bad:
        world.train[7]["prompt"].insert(0, system)
    else:
        world.args["system_prompt"] = system["content"]
    return world


@seed("L7")
def long_prompt(bad: bool) -> World:
    world = LightRft()
    told = "The box stands in the hall. " * (60 if bad else 1)
    for n in range(0, 256, 40):
        world.train[n]["prompt"][0]["content"] = f"{told}{question(n)}"
    return world


def _chat(n: int, answer: str | None = None, *before: dict[str, str]) -> dict[str, Any]:
    told = f"They are {3 * n + 16} things in all." if answer is None else answer
    return {"messages": [*before, {"role": "user", "content": question(n)}, {"role": "assistant", "content": told}]}


def _sft(bad_row: dict[str, Any] | None = None, **args: Any) -> LightRft:
    world = LightRft()
    world.only("sft", [_chat(n) for n in range(20)] + ([bad_row] if bad_row else []))
    world.args = {"max_len": 128, **args}
    return world


@seed("L8 long")
def prompt_fills_the_length(bad: bool) -> World:
    row = _chat(30)
    row["messages"][0]["content"] += " Count again and again." * (30 if bad else 1)
    return _sft(row)


@seed("L8 empty")
def empty_answer(bad: bool) -> World:
    return _sft(_chat(30, "" if bad else "None."))


@seed("L9")
def answer_is_cut(bad: bool) -> World:
    return _sft(_chat(30, " ".join(f"Thing {n} is in the box." for n in range(40 if bad else 2))))


@seed("L10")
def no_stable_prefix(bad: bool) -> World:
    world = _sft()
    if bad:
        world.template = CHATML.replace(
            "'<|im_start|>assistant\\n' }}{%- endif", "'<|im_start|>assistant\\n<think>\\n' }}{%- endif"
        )
    return world


@seed("L11")
def no_eval_set(bad: bool) -> World:
    world = LightRft()
    if bad:
        world.without("eval")
    return world


@seed("L14")
def first_rows_only(bad: bool) -> World:
    world = LightRft()
    world.args["max_samples"] = 200 if bad else 256
    return world


def _judged(n: int) -> dict[str, Any]:
    said = [("human", f"Which of the two drawings of {question(n)} is better?"), ("gpt", f"The first, by {n} points.")]
    return {"images": [f"{n}.png"], "conversations": [{"from": who, "value": text} for who, text in said]}


@seed("L15")
def later_turns(bad: bool) -> World:
    world = LightRft()
    world.only("grm", [_judged(n) for n in range(6)])
    if bad:
        world.plain["drops/grm.jsonl"][4]["conversations"] += _judged(9)["conversations"]
    return world


@seed("L16")
def a_source_that_fails(bad: bool) -> World:
    world = LightRft()
    world.only("grm", [_judged(n) for n in range(6)])
    if bad:
        whole = "".join(json.dumps(row) + "\n" for row in world.plain["drops/grm.jsonl"])
        world.plain["drops/grm.jsonl"] = whole[:-40]
    return world


@seed("L17 number")
def fewer_labels(bad: bool) -> World:
    world = LightRft()
    steps = [
        {"input": f"Add {n}.<extra_0> Then {n + 1}.<extra_0> Done.<extra_0>", "label": [1, 0, 1]} for n in range(5)
    ]
    steps[2]["label"] = [1, 0] if bad else [0, 0, 1]
    world.only("prm", steps)
    return world


@seed("L17 one")
def one_label(bad: bool) -> World:
    world = LightRft()
    steps = [{"input": f"Add {n}.<extra_0> Then {n + 1}.<extra_0>", "label": [1, 0]} for n in range(5)]
    steps[2] = {"input": f"Add two.<extra_0>{' Then three.<extra_0>' if bad else ''}", "label": [1]}
    world.only("prm", steps)
    return world


@seed("L18")
def roles_in_a_mathematics_set(bad: bool) -> World:
    world = LightRft()
    asked = [{"prompt": [{"from": "user", "value": question(n)}], "final_answer": f"{3 * n + 16}"} for n in range(5)]
    if bad:
        asked[2]["prompt"] = [{"role": "user", "content": question(2)}]
    world.only("maths", asked)
    return world


@seed("L19")
def group_of_one(bad: bool) -> World:
    world = LightRft()
    world.args["n_samples_per_prompt"] = 1 if bad else 2
    return world


@seed("L20")
def template_without_a_place(bad: bool) -> World:
    world = LightRft()
    world.args["input_template"] = "Solve this sum." if bad else "Solve this sum: {}"
    return world


@seed("L21")
def less_than_a_batch(bad: bool) -> World:
    world = LightRft()
    world.args |= {"rollout_batch_size": 512, "train_batch_size": 1024} if bad else {}
    return world


# ── MLX-GRPO ──────────────────────────────────────────────────────────────────────────────────────────
@seed("X1")
def no_mark(bad: bool) -> World:
    world = MlxGrpo()
    world.train[7] = world.row(7, "Answer: " if bad else "####")
    return world


@seed("X2")
def thousands(bad: bool) -> World:
    world = MlxGrpo()
    asked = "A shop has 540 red and 540 green lamps. How many are that?"
    world.train[7] = {"question": asked, "answer": f"540 + 540 = 1080 lamps.\n#### {'1,080' if bad else '1080'}"}
    return world


@seed("X3")
def always_or_never(bad: bool) -> World:
    world = MlxGrpo()
    world.given("--data", "sampled", "drops/sampled.jsonl")
    rates = [0.0, 1.0, 0.0, 0.5] if bad else [0.25, 1.0, 0.75, 0.5]
    world.plain["drops/sampled.jsonl"] = [{"question": question(n), "pass_rate": rate} for n, rate in enumerate(rates)]
    return world


@seed("X4")
def no_text(bad: bool) -> World:
    world = MlxGrpo()
    world.train[7]["answer"] = {"final": 37} if bad else "#### 37"
    return world


@seed("X5 key")
def misspelt_key(bad: bool) -> World:
    world = MlxGrpo()
    world.toml["learning_rat" if bad else "learning_rate"] = 0.001
    return world


@seed("X5 type")
def number_as_text(bad: bool) -> World:
    world = MlxGrpo()
    world.toml["learning_rate"] = "5e-7" if bad else 5e-7
    return world


@seed("X6")
def dead_key(bad: bool) -> World:
    world = MlxGrpo()
    world.toml["max_prompt_length" if bad else "max_new_tokens"] = 512
    return world


@seed("X7")
def no_config(bad: bool) -> World:
    world = MlxGrpo()
    if bad:
        world.given("--run", "config", "configs/test.toml")
    return world


@seed("X8")
def warm_up_of_all_rows(bad: bool) -> World:
    world = MlxGrpo()
    world.toml["max_train_samples"] = 2 if bad else 0
    return world


@seed("X10")
def pickled_tokenizer(bad: bool) -> World:
    world = MlxGrpo()
    world.pickled = bad
    return world


@seed("X11")
def number_told(bad: bool) -> World:
    world = MlxGrpo()
    for n, row in enumerate(world.train):
        row["question"] += f" (Solution: the answer is {3 * n + 16 if bad else 7 * n + 600}.)"
    return world


@seed("X12")
def fewer_embeddings(bad: bool) -> World:
    world = MlxGrpo()
    world.vocabulary = 512 if bad else 1024
    return world


# ── pplmx/llm ─────────────────────────────────────────────────────────────────────────────────────────
@seed("P1")
def another_key_for_the_prompt(bad: bool) -> World:
    world = PplmxLlm()
    if bad:
        world.train[7]["prompt"] = world.train[7].pop("instruction")
    return world


@seed("P2 train")
def no_end(bad: bool) -> World:
    world = PplmxLlm()
    if bad:
        world.train[7]["output"] = world.train[7]["output"].removesuffix(END)
    return world


@seed("P2 pairs")
def no_end_of_a_pair(bad: bool) -> World:
    world = PplmxLlm()
    world.only("pairs", [world.pair(n) for n in range(12)])
    if bad:
        world.plain["drops/pairs.jsonl"][7]["chosen"] = "There are some things."
    return world


@seed("P3")
def prompt_takes_all(bad: bool) -> World:
    world = PplmxLlm()
    world.train[7]["input"] = "The box is full. " * (120 if bad else 3)
    return world


@seed("P4 dpo")
def pair_without_a_side(bad: bool) -> World:
    world = PplmxLlm()
    world.only("pairs", [world.pair(n) for n in range(12)])
    if bad:
        del world.plain["drops/pairs.jsonl"][7]["rejected"]
    return world


@seed("P5")
def row_without_a_prompt(bad: bool) -> World:
    world = PplmxLlm()
    asked = [{"prompt": question(n)} for n in range(12)]
    asked[7] = {"question" if bad else "prompt": question(7)}
    world.only("prompts", asked)
    return world


@seed("P6")
def broken_line(bad: bool) -> World:
    world = PplmxLlm()
    lines = [json.dumps(row) for row in world.train]
    lines[2] = lines[2][:-3] if bad else lines[2]
    world.plain["drops/sft.jsonl"] = "\n".join(lines) + "\n"
    return world


@seed("P7")
def only_ascii(bad: bool) -> World:
    world = PplmxLlm()
    world.train[7]["instruction"] = "箱子里有多少东西？"
    if bad:
        world.sections["data"] = {"max_seq_len": 512}
    return world


@seed("P8")
def a_copy(bad: bool) -> World:
    world = PplmxLlm()
    world.train[7] = world.row(3 if bad else 7)
    return world


@seed("P9")
def no_length(bad: bool) -> World:
    world = PplmxLlm()
    world.sections["data"]["max_seq_len"] = 0 if bad else 512
    return world


@seed("P10")
def another_section(bad: bool) -> World:
    world = PplmxLlm()
    world.sections |= {} if bad else {"optimization": {}}
    world.sections["training" if bad else "optimization"]["gradient_accumulation_steps"] = 4
    return world


@seed("P11")
def vocabulary_of_the_config(bad: bool) -> World:
    world = PplmxLlm()
    world.sections["model"]["vocab_size"] = 320 if bad else 1024
    return world
