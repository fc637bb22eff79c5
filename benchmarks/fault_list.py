# ruff: noqa: E501, RUF024  (a list of texts, a kind a line)
"""The kinds of faults that `fault_kinds.py` plants, listed by somebody who had not read the checks."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, NamedTuple

Row = dict[str, Any]
EACH = 5  # rows of a kind


class Kind(NamedTuple):
    """One kind of fault. `make` turns a row into what stands in its place: a row, a line, or bytes."""

    name: str
    group: str
    base: str
    make: Callable[[Row, int], Any]
    rows: int = EACH
    file: bool = False  # no single line is to blame
    model: bool = False  # not to be told without a model


KINDS: list[Kind] = []
EVAL: dict[str, list[str]] = {"en": [], "zh": []}  # questions, filled in by who plants


def kind(group: str, base: str, name: str, make: Callable[[Row, int], Any], **more: Any) -> None:
    """List a kind."""
    KINDS.append(Kind(name, group, base, make, **more))


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────────
def text(row: Row) -> str:
    """Return the JSON of a row."""
    return json.dumps(row, ensure_ascii=False)


def holder(row: Row, side: str) -> tuple[Any, Any]:
    """Return where the answer (the last one, the chosen one) or the prompt (the first one) stands."""
    prompt = side == "prompt"
    turns = row.get("conversations") or row.get("messages")
    if not prompt and "chosen" in row:
        return (row["chosen"], "value") if isinstance(row["chosen"], dict) else (row, "chosen")
    if turns:
        at = next(n for n, t in enumerate(turns) if t.get("from", t.get("role")) in ("human", "user")) if prompt else -1
        return turns[at], "value" if "value" in turns[at] else "content"
    names = ("instruction", "question") if prompt else ("output", "answer", "rationale")
    return row, next(name for name in names if name in row)


def change(side: str, how: Callable[[str, int], Any]) -> Callable[[Row, int], Row]:
    """Return what puts `how(text, number)` in the place of an answer or a prompt."""

    def made(row: Row, number: int) -> Row:
        at, key = holder(row, side)
        at[key] = how(at[key], number)
        return row

    return made


def said(side: str, *texts: Any) -> Callable[[Row, int], Row]:
    """Return what says one of these texts; `{}` in them is what was said."""
    return change(side, lambda old, n: t.replace("{}", old) if isinstance(t := texts[n % len(texts)], str) else t)


def inside(side: str, *parts: str) -> Callable[[Row, int], Row]:
    """Return what puts one of these parts behind the first sentence."""

    def made(old: str, number: int) -> str:
        at = next((n + 1 for n, c in enumerate(old) if c in "。.！!\n"), len(old))
        return old[:at] + parts[number % len(parts)] + old[at:]

    return change(side, made)


def turns(how: Callable[[list[Row], int], list[Row]]) -> Callable[[Row, int], Row]:
    """Return what changes the turns of a conversation."""
    return lambda row, n: row | {"conversations": how(row["conversations"], n)}


def renamed(row: Row, old: str, new: str) -> Row:
    return {new if name == old else name: value for name, value in row.items()}


def one_call(row: Row, how: Callable[[Row, int], Any], number: int) -> Row:
    """Change the first tool call: `how` gets its name and arguments."""
    turn = next(t for t in row["conversations"] if t["from"] == "function_call")
    new = how(json.loads(turn["value"]), number)
    turn["value"] = new if isinstance(new, str) else json.dumps(new, ensure_ascii=False)
    return row


def call(name: str, how: Callable[[Row, int], Any]) -> None:
    kind("tools", "tools", name, lambda row, n: one_call(row, how, n))


def middle(old: str, end: str) -> str:
    """Cut a text in the middle of a word or clause: three characters behind a mark, or before the last word's end."""
    at = old.rfind(end, 0, max(len(old) * 2 // 3, 20))
    return old[: at + 4] if at > 0 else old[: len(old) * 2 // 3]


def looped(old: str) -> str:
    cut = [part for part in old.replace("。", "。\n").replace(". ", ".\n").split("\n") if part.strip()]
    return "\n".join(cut[:1]) + ("\n" + cut[-1]) * 12


def as_(wrong: str, right: str = "utf-8") -> Callable[[str, int], str]:
    """Return mojibake: the bytes of one encoding, read as another."""
    return lambda old, _: old.encode(right, "ignore").decode(wrong, "replace" if wrong == "gbk" else "ignore")


SIMPLE, TRADITIONAL = (
    "这个们来时会说对学国为发现问题实应该种样关经济体进过还让业开东车马长门间样点",
    ("這個們來時會說對學國為發現問題實應該種樣關經濟體進過還讓業開東車馬長門間樣點"),
)
TRAD = str.maketrans(SIMPLE, TRADITIONAL)
WIDE = str.maketrans({c: chr(ord(c) + 0xFEE0) for c in map(chr, range(0x21, 0x7F))})
SCHEMA_AT = 400  # from which row a schema changed


# fmt: off
# ── files and lines ───────────────────────────────────────────────────────────────────────────────────
kind("lines", "zh", "closing brace lost", lambda row, _: text(row)[:-1])
kind("lines", "zh", "line cut in half", lambda row, _: text(row)[: len(text(row)) // 2])
kind("lines", "en", "two records on a line", lambda row, n: text(row) + text(row | {"instruction": f"Count to {n}."}))
kind("lines", "en", "BOM inside the file", lambda row, _: "\ufeff" + text(row))
kind("lines", "en", "a key twice", lambda row, _: '{"output": "Yes.", ' + text(row)[1:])
kind("lines", "en", "Python's repr for JSON", lambda row, _: repr(row))
kind("lines", "en", "comma at the end", lambda row, _: text(row)[:-1] + ",}")
kind("lines", "zh", "line in GBK", lambda row, _: text(row).encode("gbk", "replace"))
kind("lines", "zh", "lone surrogates", lambda row, _: text(row)[:-2] + '\\ud83d"}')
kind("lines", "en", "a list for a record", lambda row, _: json.dumps(list(row.values())))
kind("lines", "en", "a string for a record", lambda row, _: json.dumps(text(row)))
kind("lines", "zh", "blank lines", lambda _row, _: "", file=True)
kind("lines", "en", "log lines between", lambda _row, n: f"2024-05-0{n + 1} 10:00:0{n} INFO wrote batch {n}")
# ── fields ────────────────────────────────────────────────────────────────────────────────────────────
kind("fields", "en", "answer is a number, list or object", said("answer", 42, ["a", "b"], {"text": "Yes."}))
kind("fields", "en", "answer is true or false", said("answer", True, False))
kind("fields", "zh", "answer is null", said("answer", None))
kind("fields", "zh", "answer field absent", lambda row, _: {k: v for k, v in row.items() if k != "output"})
kind("fields", "en", "answer field renamed", lambda row, _: renamed(row, "output", "response"))
kind("fields", "en", "field misspelt", lambda row, _: renamed(row, "instruction", "instuction"))
kind("fields", "zh", "rows of another format", lambda row, _: {"messages": [
    {"role": "user", "content": row["instruction"]}, {"role": "assistant", "content": row["output"]}]})
kind("fields", "chat", "rows of another format, in chat", lambda row, _: {
    "instruction": row["conversations"][0]["value"], "input": "", "output": row["conversations"][1]["value"]})
kind("fields", "named", "an id repeated", lambda row, _: row | {"id": "row-7"})
kind("fields", "named", "an id empty", lambda row, _: row | {"id": ""})
kind("fields", "named", "label misspelt", lambda row, n: row | {"category": ("cdoing", "Math ", "riting")[n % 3]})
kind("fields", "named", "a number as a string", lambda row, _: row | {"quality": "0.5"})
kind("fields", "kto", "label neither true nor false", lambda row, n: row | {"label": ("true", 2, "good")[n % 3]})
# ── roles and turns ───────────────────────────────────────────────────────────────────────────────────
kind("turns", "chat", "unknown role", turns(lambda t, _: [t[0], t[1] | {"from": "bot2"}]))
kind("turns", "chat", "role in capitals, typo", turns(lambda t, n: [t[0], t[1] | {"from": ("GPT ", "gtp")[n % 2]}]))
kind("turns", "chat", "two user turns in a row", turns(lambda t, _: [t[0], t[0] | {"value": "在吗？"}, t[1]]))
kind("turns", "chat", "two answers in a row", turns(lambda t, _: [*t, t[1] | {"value": "祝您早日康复！"}]))
kind("turns", "chat", "answer first", turns(lambda t, _: [t[1], t[0]]))
kind("turns", "chat", "last answer absent", turns(lambda t, _: t[:1]))
kind("turns", "chat", "no turns at all", turns(lambda _t, _: []))
kind("turns", "chat", "system in the middle", turns(lambda t, _: [*t, {"from": "system", "value": "你是医生。"}, *t]))
kind("turns", "chat", "turn without content", turns(lambda t, _: [t[0], {"from": "gpt"}]))
kind("turns", "long", "a turn lost from the middle", turns(lambda t, _: t[:1] + t[2:]))
# ── empty answers ─────────────────────────────────────────────────────────────────────────────────────
kind("empty", "zh", "empty answer", said("answer", ""))
kind("empty", "en", "answer of white space", said("answer", "  \n", "\u3000", "\u200b", "\xa0"))
kind("empty", "zh", "None, null, nan, N/A", said("answer", "None", "null", "nan", "N/A", "无"))
kind("empty", "zh", "answer of dots", said("answer", "...", "……", "。", "---"))
kind("empty", "chat", "empty prompt", said("prompt", "", " "))
# ── cut answers ───────────────────────────────────────────────────────────────────────────────────────
kind("cut", "zh", "Chinese cut in a clause", change("answer", lambda old, _: middle(old, "，")))
kind("cut", "en", "English cut in a sentence", change("answer", lambda old, _: middle(old, " ")))
kind("cut", "long", "cut in a code block", inside("answer", "\n```python\ndef f(x):\n    return x +"))
kind("cut", "en", "cut at a limit of length", change("answer", lambda old, _: old[:320]), rows=30, file=True)
kind("cut", "en", "JSON cut", said("answer", '{"name": "Ann", "steps": ["mix", "bake", "ser', '[{"id": 1}, {"id": '))
kind("cut", "dpo", "chosen cut in a clause", change("answer", lambda old, _: middle(old, "，")))
# ── errors for answers ────────────────────────────────────────────────────────────────────────────────
kind("errors", "en", "HTML error page", said("answer", "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n"
     "<center><h1>502 Bad Gateway</h1></center>\n<hr><center>nginx/1.18.0</center>\n</body>\n</html>"))
kind("errors", "en", "traceback", said("answer", 'Traceback (most recent call last):\n  File "gen.py", line 12, in '
     "<module>\n    out = model(x)\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"))
kind("errors", "en", "rate limit notice", said("answer", '{"error": {"message": "Rate limit reached for requests", '
     '"type": "requests", "code": "rate_limit_exceeded"}}', "Error code: 429 - Too Many Requests",
     "You exceeded your current quota, please check your plan and billing details."))
kind("errors", "zh", "Chinese error notice", said("answer", "请求过于频繁，请稍后再试。", "服务器内部错误，请稍后重试",
     "网络异常，请检查您的网络连接", "系统繁忙，请稍后再试", "请求超时，请重试"))
kind("errors", "en", "time-outs", said("answer", "Error: connect ETIMEDOUT 10.0.0.12:443", "upstream request timeout",
     "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='api.example.com', port=443): Read timed out.",
     "[ERROR] generation failed", "Internal Server Error"))
kind("errors", "zh", "moderation notice", said("answer", "您的输入包含敏感内容，请修改后重试。",
     "The response was filtered due to the prompt triggering our content management policy.",
     "data_inspection_failed: Output data may contain inappropriate content."))
kind("errors", "tools", "tool results are errors", turns(lambda t, n: [
    x | {"value": ("Traceback (most recent call last):\n  File \"tool.py\", line 3\nKeyError: 'id'",
                   '{"error": "429 Too Many Requests"}', "<html><title>504 Gateway Time-out</title></html>")[n % 3]}
    if x["from"] == "observation" else x for x in t]), rows=15)
# ── what belongs to the making ────────────────────────────────────────────────────────────────────────
kind("leaks", "en", "prompt kept before the answer", lambda row, n: said("answer", row["instruction"] + "\n{}")(row, n))
kind("leaks", "zh", "prompt as the answer", lambda row, _: row | {"output": row["instruction"]})
kind("leaks", "en", "thinking in other tags", said("answer", "<thinking>They ask a short thing. I will list it."
     "</thinking>\n{}", "<reasoning>First the facts.</reasoning>{}", "<scratchpad>Let me see.</scratchpad>\n{}"))
kind("leaks", "zh", "<think> not closed, or only closed", said("answer", "<think>用户问的是这个问题，先想想。\n{}",
     "用户的问题不难，我来组织一下。</think>\n{}"))
kind("leaks", "en", "English scratch pad", said("answer", "Okay, so the user is asking about this. Let me think. I need "
     "to give a clear answer. Wait, maybe I should check the details first. Alright.\n\n{}", "Hmm, let me think step by "
     "step. The user wants a direct answer. Wait, actually that is not right. Let me reconsider.\n\n{}"))
kind("leaks", "zh", "Chinese scratch pad", said("answer", "嗯，用户问的是这个问题，我需要先想一下怎么回答。等等，不对，"
     "应该先看看要求。好的，那我来组织答案。\n\n{}", "好，我现在需要回答用户的问题。首先，用户想知道的是……等一下，"
     "我再想想。\n{}"))
kind("leaks", "dpo", "thinking on one side only", said("answer", "嗯，用户想要这个，我先想想。等等，不对，重新来。\n{}",
     "<think>先看用户要什么。</think>{}"), rows=20)
kind("leaks", "en", "the generator's preamble", said("answer", "Here is the rewritten response:\n\n{}", "Sure! Here's an "
     "improved version of the answer:\n\n{}", "#Rewritten Prompt#:\n{}", "[Response]: {}", "Output: {}"))
kind("leaks", "zh", "the grader's words", said("answer", "{}\n\n评分：8分。理由：回答准确，但不够详细。",
     "{}\n\n[Score: 4/5]", "{}\n\n（以上回答由AI生成，仅供参考）"))
# ── templates ─────────────────────────────────────────────────────────────────────────────────────────
kind("templates", "en", "Alpaca template in the prompt", said("prompt", "Below is an instruction that describes a task. "
     "Write a response that appropriately completes the request.\n\n### Instruction:\n{}\n\n### Response:"))
kind("templates", "en", "Vicuna template in the prompt", said("prompt", "A chat between a curious user and an artificial "
     "intelligence assistant. USER: {} ASSISTANT:"))
kind("templates", "zh", "ChatML in the prompt", said("prompt", "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"))
kind("templates", "en", "Llama 2 template in the prompt", said("prompt", "[INST] <<SYS>>\nYou help.\n<</SYS>>\n\n{} "
     "[/INST]", "<s>[INST] {} [/INST]"))
kind("templates", "zh", "问：… 答： in the prompt", said("prompt", "问：{}\n答：", "### 指令：\n{}\n\n### 回答："))
kind("templates", "en", "dialogue in one turn", said("prompt", "User: Hi there\nAssistant: Hello! How can I help?\nUser: "
     "{}", "Human: Hello\n\nAssistant: Hi.\n\nHuman: {}"))
kind("templates", "zh", "Chinese dialogue in one turn", said("prompt", "用户：你好\n助手：您好，请问有什么可以帮您？\n用户：{}",
     "[Round 0]\n问：你好\n答：你好！\n[Round 1]\n问：{}\n答："))
kind("templates", "en", "answer speaks for the user", said("answer", "{}\n\nHuman: And another one?\n\nAssistant: Sure.",
     "{}\nUser: Thanks, tell me more.\nAssistant: Of course."))
kind("templates", "zh", "Chinese answer speaks for the user", said("answer", "{}\n\n用户：那还有别的吗？\n助手：当然有。",
     "{}\n问：谢谢，请继续。\n答：好的。"))
kind("templates", "chat", "a message object as content", change("answer", lambda old, _: text(
    {"role": "assistant", "content": old})))
kind("templates", "en", "JSON as the answer", change("answer", lambda old, n: text({("text", "response")[n % 2]: old})))
kind("templates", "en", "end-of-text tokens", said("answer", "{}</s>", "{}<|endoftext|>", "{}<|im_end|>", "{}<|eot_id|>"))
kind("templates", "zh", "control tokens of other models", said("answer", "{}<|end▁of▁sentence|>", "<｜Assistant｜>{}",
     "{}<end_of_turn>", "{}<|endofassistant|>", "{} <eos>"))
# ── damaged text ──────────────────────────────────────────────────────────────────────────────────────
kind("damage", "zh", "UTF-8 read as Latin-1", change("answer", as_("latin-1")))
kind("damage", "chat", "UTF-8 read as cp1252", change("answer", as_("cp1252")))
kind("damage", "en", "curly quotes as â€™", inside("answer", " It isnâ€™t â€œrightâ€\u009d yet."))
kind("damage", "zh", "UTF-8 read as GBK", change("answer", as_("gbk")))
kind("damage", "zh", "GBK read as Latin-1", change("answer", as_("latin-1", "gbk")))
kind("damage", "zh", "锟斤拷 and 烫烫烫", inside("answer", "锟斤拷锟斤拷", "烫烫烫烫烫烫"))
kind("damage", "zh", "U+FFFD", inside("answer", "\ufffd\ufffd"))
kind("damage", "zh", "Chinese as ????", change("answer", lambda old, _: "".join("?" if c > "\xff" else c for c in old)))
kind("damage", "en", "zero-width in words", change("answer", lambda old, _: old.replace("e", "e\u200b")))
kind("damage", "en", "bidi overrides", inside("answer", " \u202egnirts\u202c"))
kind("damage", "en", "control characters", inside("answer", "\x00", "\x08\x08", "\x1b[31mred\x1b[0m"))
kind("damage", "en", "private-use characters", inside("answer", " \ue000\ue001 \uf0b7"))
kind("damage", "en", "\\n and \\u4f60 written out", change("answer", lambda old, n: (
    old.replace(" ", "\\n", 4) if n % 2 else "\\u4f60\\u597d\\uff0c " + old)))
kind("damage", "en", "HTML tags", change("answer", lambda old, _: f"<p>{old}</p><br/><div class='x'></div>"))
kind("damage", "en", "HTML entities", inside("answer", " Tom &amp; Ann&nbsp;said &quot;hi&quot; &#39;now&#39;"))
kind("damage", "en", "base64", inside("answer", base64.b64encode(bytes(range(256)) * 2).decode()))
kind("damage", "zh", "web page chrome", said("answer", "{}\n\n上一篇：无 下一篇：更多内容 点击展开全文 版权所有 © 2021",
     "{}\n\nShare on Facebook | Tweet | Print | Cookie Policy"))
# ── placeholders ──────────────────────────────────────────────────────────────────────────────────────
kind("placeholders", "en", "{{name}} and {input}", inside("answer", " Dear {{name}}, ", " {input} ", " {answer} ", " ${x} "))
kind("placeholders", "zh", "【姓名】", inside("answer", "【姓名】先生，", "【公司名称】", "【电话】", "【此处填写】"))
kind("placeholders", "zh", "××, XXX", inside("answer", "联系××公司的×××，", "请致电XXX-XXXX，", "某某某先生，"))
kind("placeholders", "zh", "____", inside("answer", "姓名：____，电话：______。"))
kind("placeholders", "en", "TODO, lorem ipsum", said("answer", "TODO", "TODO: write this answer", "Lorem ipsum dolor sit "
     "amet, consectetur adipiscing elit.", "TBD", "[insert answer here]"))
kind("placeholders", "en", "[Your Name]", inside("answer", " Best regards, [Your Name]", " <your answer here> "))
# ── manners ───────────────────────────────────────────────────────────────────────────────────────────
kind("manners", "en", "English refusals", said("answer", "I'm sorry, but I can't assist with that request.",
     "As an AI language model, I cannot provide that."), rows=20)
kind("manners", "zh", "Chinese refusals", said("answer", "对不起，我无法回答这个问题。", "抱歉，作为人工智能助手，我不能提供。"))
kind("manners", "en", "another model's name", said("answer", "I am ChatGPT, a model trained by OpenAI. {}",
     "As Claude, made by Anthropic, I say: {}"))
kind("manners", "zh", "another model's name, Chinese", said("answer", "我是通义千问，由阿里云研发。{}", "我是文心一言，{}",
     "作为由OpenAI训练的语言模型，{}"))
kind("manners", "zh", "answer in English", said("answer", "The answer depends on the situation, but in general you "
     "should start with the basics and then work on the details one step at a time until it is done."))
kind("manners", "en", "answer in Chinese", said("answer", "这个问题要看具体情况，一般来说应该先从基础做起，再一步步完善细节。"))
kind("manners", "zh", "answer in a third language", said("answer", "これは状況によって異なりますが、まず基本から始めて、それから"
     "少しずつ細部を直していくのがよいでしょう。", "Это зависит от ситуации, но обычно начинают с основ и затем улучшают."))
kind("manners", "zh", "traditional characters", change("answer", lambda old, _: old.translate(TRAD)), model=True)
kind("manners", "en", "a sentence in a loop", change("answer", lambda old, _: looped(old)))
kind("manners", "zh", "one character in a loop", said("answer", "{}" + "哈" * 300, "{}" + "的的" * 120))
kind("manners", "chat", "far too long", said("answer", "".join(f"第{n}条：请多喝水，注意休息{n * 7 % 97}次。" for n in range(5000))))
# ── duplicates, and what is evaluated on ──────────────────────────────────────────────────────────────
# what returns a pair of rows has a second row elsewhere; either may be the one that is named
kind("copies", "en", "the same row again", lambda row, _: (row, row))
kind("copies", "en", "again, in capitals and spaces", lambda row, _: (row, row | {"output": " " + row["output"].upper()}))
kind("copies", "zh", "again, a word changed", lambda row, _: (row, row | {
    "output": row["output"].replace("的", "之", 1) + "就是这样。"}))
kind("copies", "zh", "again, sentences in another order", lambda row, _: (row, row | {
    "output": "。".join(reversed(row["output"].rstrip("。").split("。"))) + "。"}))
kind("copies", "en", "again, other punctuation and width", lambda row, _: (row, row | {
    "output": row["output"].replace(",", " ,").translate(WIDE)}))
kind("copies", "zh", "one prompt, another answer", lambda row, n: (row, row | {
    "output": f"这不好说，因为情况各有不同，第{n + 1}种说法才是对的，请以它为准。"}))
kind("copies", "chat", "one question, the answer of another", lambda row, n: (row, {"conversations": [
    row["conversations"][0], {"from": "gpt", "value": f"多休息，每天喝{n + 2}升温水，一周后再到医院复查血常规。"}]}))
for side in ("en", "zh"):
    kind("evaluation", side, f"evaluation question ({side})", lambda row, n, q=EVAL[side]: row | {"instruction": q[n]})
    kind("evaluation", side, f"the same, edited ({side})", lambda row, n, q=EVAL[side]: row | {
        "instruction": "Solve: " + q[n + 5].replace(" the ", " a ", 1).replace("He ", "Bob ").replace("的", "之", 1)})
    kind("evaluation", side, f"the same, inside a prompt ({side})", lambda row, n, q=EVAL[side]: row | {
        "instruction": f"{row['instruction']}\n\nThen read this and answer it: {q[n + 10]}\n\nGive reasons."})
kind("evaluation", "en", "evaluation question in an answer", lambda row, n: row | {
    "output": f"{row['output']}\nExample: {EVAL['en'][n + 15]}"})
kind("evaluation", "math", "evaluation rows whole", lambda row, n: row | {"question": EVAL["en"][n + 20]})
# ── golds and options ─────────────────────────────────────────────────────────────────────────────────
kind("golds", "math", "gold without ####", change("answer", lambda old, _: old.split("####")[0].strip()))
kind("golds", "math", "gold empty behind ####", change("answer", lambda old, _: old.split("####")[0] + "#### "))
kind("golds", "math", "gold in words", change("answer", lambda old, _: old.split("####")[0] + "#### a few dollars"))
kind("golds", "math", "gold is a list", said("answer", ["72"]))
kind("golds", "math", "the answer stated in the prompt", lambda row, _: row | {
    "question": f"{row['question']} (Answer: {row['answer'].split('####')[1].strip()})"})
kind("golds", "math", "the solution in the prompt", lambda row, _: row | {
    "question": f"{row['question']}\n{row['answer']}"})
kind("golds", "math", "one question, another gold", lambda row, n: (row, row | {
    "answer": f"{row['answer'].split('####')[0]}#### {9100 + n}"}))
kind("golds", "mcq", "options absent", lambda row, _: row | {"options": []})
kind("golds", "mcq", "gold names no option", lambda row, _: row | {"correct": "G"})
kind("golds", "mcq", "two options alike", lambda row, _: row | {"options": [row["options"][0], *row["options"][:4]]})
kind("golds", "mcq", "gold empty", lambda row, _: row | {"correct": ""})
# ── pairs ─────────────────────────────────────────────────────────────────────────────────────────────
kind("pairs", "dpo", "both sides the same", lambda row, _: row | {"rejected": row["chosen"]})
kind("pairs", "dpo", "only white space differs", lambda row, _: row | {"rejected": row["chosen"].replace("。", "。 ") + "\n"})
kind("pairs", "dpo", "only punctuation differs", lambda row, _: row | {"rejected": row["chosen"].replace("，", ",") + "！"})
kind("pairs", "dpo", "a word differs", lambda row, _: row | {"rejected": row["chosen"] + "好的"}, rows=10)
kind("pairs", "dpo", "chosen empty", lambda row, _: row | {"chosen": ""})
kind("pairs", "dpo", "rejected empty, null", lambda row, n: row | {"rejected": ("", None, "null")[n % 3]})
kind("pairs", "dpo", "rejected absent", lambda row, _: {k: v for k, v in row.items() if k != "rejected"})
kind("pairs", "dpo", "rejected is the chosen one cut", lambda row, _: row | {"rejected": row["chosen"][: len(row["chosen"]) // 2]})
kind("pairs", "dpo", "contradictory pairs", lambda row, _: (row, row | {
    "chosen": row["rejected"], "rejected": row["chosen"]}))
kind("pairs", "dpo", "sides of two types", lambda row, _: row | {"rejected": {"from": "gpt", "value": row["rejected"]}})
kind("pairs", "dpo", "chosen refuses", said("answer", "抱歉，我无法回答这个问题。"), rows=10)
kind("pairs", "dpo", "chosen and rejected swapped", lambda row, _: row | {
    "chosen": row["rejected"], "rejected": row["chosen"]}, model=True)
kind("pairs", "pairs", "sides answer two prompts", lambda row, n: {
    side: [{"role": "user", "content": f"Question {n}: {ask}"},
           {"role": "assistant", "content": row[side]["value"]}]
    for side, ask in (("chosen", "how do I bake bread?"), ("rejected", "what is the capital of Peru?"))})
kind("pairs", "pairs", "rejected of another role", lambda row, _: row | {"rejected": row["rejected"] | {"from": "human"}})
kind("scores", "scored", "NaN for a score", lambda row, _: text(row).replace('"score_chosen": ', '"score_chosen": NaN, "x": '))
kind("scores", "scored", "score as a string", lambda row, _: row | {"score_chosen": str(row["score_chosen"])})
kind("scores", "scored", "score absent, null", lambda row, _: row | {"score_rejected": None})
kind("scores", "scored", "another scale", lambda row, _: row | {"score_chosen": 90.0, "score_rejected": 60.0})
kind("scores", "scored", "negative score", lambda row, _: row | {"score_rejected": -1.0})
kind("scores", "scored", "chosen scored lower", lambda row, _: row | {"score_chosen": 0.2, "score_rejected": 0.9})
kind("scores", "scored", "scores equal", lambda row, _: row | {"score_rejected": row["score_chosen"]})
kind("scores", "scored", "gap of a hundredth", lambda row, _: row | {"score_rejected": row["score_chosen"] - 0.01})
# ── tools and system prompts ──────────────────────────────────────────────────────────────────────────
call("arguments are no JSON", lambda said, _: f'{{"name": "{said["name"]}", "arguments": {{"a": ')
call("arguments are a string", lambda said, _: said | {"arguments": "city is Paris"})
call("unknown tool", lambda said, _: said | {"name": "launch_rocket"})
call("required argument absent", lambda said, _: said | {"arguments": {}})
call("argument of another type", lambda said, _: said | {"arguments": dict.fromkeys(said["arguments"], {"v": [1]})})
call("argument nobody declared", lambda said, _: said | {"arguments": said["arguments"] | {"zzz": 1}})
call("tool call without a name", lambda said, _: {"arguments": said["arguments"]})
kind("tools", "tools", "call without a result", turns(lambda t, _: [x for x in t if x["from"] != "observation"]))
kind("tools", "tools", "result without a call", turns(lambda t, _: [x for x in t if x["from"] != "function_call"]))
kind("tools", "tools", "result empty", turns(lambda t, _: [
    x | {"value": ""} if x["from"] == "observation" else x for x in t]))
kind("tools", "tools", "tools absent", lambda row, _: row | {"tools": "" if len(row["tools"]) > 9 else row["tools"]})
kind("tools", "tools", "tools are no JSON", lambda row, _: row | {"tools": row["tools"][:-5] if len(row["tools"]) > 9 else row["tools"]})
kind("system", "system", "system prompt in another form", lambda row, _: row | {
    "system": "You are a helpful assistant , and answer in short ."})
kind("system", "system", "system prompt absent", lambda row, _: row | {"system": ""})
# ── personal data ─────────────────────────────────────────────────────────────────────────────────────
for name, *values in (
    ("Chinese mobile number", "我的手机号是13812345679。", "电话：186-1234-5021，"),
    ("resident ID", "身份证号11010519491231002X。", "证件号：440308199901101512，"),
    ("e-mail address", "邮箱：li.wei84@163.com，", "请写信到 zhangmin_fin@huaxin.com.cn 。"),
    ("bank card", "银行卡号6222021234567890128，", "卡号 6217 0012 3456 7890 125。"),
    ("passport", "护照号E12345678，", "护照号码：G28233515。"),
    ("address", "家住北京市朝阳区建国路88号院3号楼2单元1201室，", "地址：上海市浦东新区张江路125弄7号402室。"),
    ("WeChat and QQ", "加我微信：wxid_a8k2m3n4p5，", "QQ号：834512907。"),
    ("licence plate", "车牌号京A12345，", "我的车是粤B7K926。"),
    ("landline, company code", "座机010-65881234，", "统一社会信用代码91110000600037341L。"),
):
    kind("personal", "zh", name, inside("answer", *values))
for name, *values in (
    ("US SSN", " My SSN is 536-22-8176.", " Social security number: 212-09-7694."),
    ("US phone", " Call me at (415) 867-2309.", " Phone: +1 628 401 7755."),
    ("credit card", " Card 4539 5787 6362 1486, exp 09/27.", " My Visa is 4716258050958645."),
    ("IBAN", " IBAN DE44500105175407324931.", " Pay to GB29NWBK60161331926819."),
    ("OpenAI key", " key sk-proj-a8Kd0fJ2mNq7Rt5VxYz3BcWe9LhPoUi1SgTk4MnQrStUvWxY."),
    ("AWS key", " AKIAIOSFODNN7QX4MPLK", " aws_secret_access_key=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"),
    ("private key", "\n-----BEGIN RSA PRIVATE KEY-----\n" + base64.b64encode(bytes(range(240)) * 3).decode()
     + "\n-----END RSA PRIVATE KEY-----\n"),
    ("GitHub, Slack and HF tokens", " ghp_16C7e42F292c6912E7710c838347Ae178B4a", " xoxb-1234567890-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
     " hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh"),
    ("JWT", " eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"),
    ("password in a connection", " postgres://admin:Tr0ub4dor3x@10.20.30.40:5432/users", " password=Tr0ub4dor&3x for the server"),
):
    kind("personal", "en", name, inside("answer", *values))
# ── what needs a model ────────────────────────────────────────────────────────────────────────────────
kind("shifted", "zh", "answers shifted by a row", lambda row, _: row, model=True, file=True)
# fmt: on
