"""Which keys of unknown records hold the texts, guessed by their names and by what stands under them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from datacheck.loading.formats.base import PASSAGES
from datacheck.loading.tables import Tables

_MOST = 0.9  # of the rows must have a key
_PROMPTS = tuple(
    """
    instruction prompt question query user_query user_prompt user_input user_message problem user human input input_text
    question_text prompt_text problem_text source source_text src q 指令 问题 题目 提问 输入 用户
    问 提示词 問題 題目 提問 輸入 用戶 問 提示詞
""".split()
)
_ASKED_OF = ("input", *map(str.casefold, PASSAGES), "输入", "輸入")  # what an instruction is about
_INPUTS = (*_ASKED_OF, "paragraph", "document", "text", "premise", "背景", "文章")
_RESPONSES = tuple(
    """
    output response completion answer reply assistant bot gpt model_answer chatgpt_response gpt_response target tgt
    output_text target_text response_text answer_text assistant_message a 回答 答案 输出 回复 答复 答 輸出 回覆 答覆
""".split()
)
_GOLDS = tuple(
    """
    answer gold target solution final_answer ground_truth gold_answer answer_number result label 答案
""".split()
)
# Two languages of a translation; where few values differ, where rows come from, or what they were sorted into.
_SIDES = ("source", "src", "target", "tgt")
_FEW = 0.1  # of the rows
_MARKED = r"\\boxed|####"  # the final answer within a solution: it is there to be compared
_SAID = 20  # characters of what is asked
_WRITTEN = 100  # characters from which on an answer is one to learn, and no gold to compare with
_ANSWERS = re.compile(r"(?:[a-z0-9]_|(?<=[a-z0-9])(?=[A-Z]))(?i:output|response|completion|answer|reply)$")
_COMPARED = re.compile(r"(?i)gold|truth|correct|final|right|expect|refer|short|label|sample|example|test|wrong|public")
_CHOSEN = tuple("chosen preferred better win winner good accepted accept positive chosen_answer right_answer".split())
_REJECTED = tuple(
    """
    rejected dispreferred worse lose loser bad reject negative rejected_answer wrong_answer hallucinated_answer
""".split()
)
_ROLES = ("role", "from", "speaker", "sender", "author", "name", "角色", "说话人", "說話人")
_CONTENTS = ("content", "value", "text", "utterance", "message", "say", "sentence", "内容", "文本", "內容")
_MESSAGE = re.compile(r"^([^.\[\]]+)\[\d+\]\.([^.\[\]]+)$")
_IN_MESSAGE = r"^[^.\[\]]*\[\d+\]\.([^.\[\]]+)$"  # the list may be the row itself
_ASKS = tuple("user human client seeker patient customer student questioner 患者 病人 用户 用戶".split())
_KNOWN_ROLES = ("system", "user", "assistant", "tool")


class Texts(NamedTuple):
    """`fields` and `roles` as `source` has them; empty where the known names say enough."""

    fields: Mapping[str, str]
    roles: Mapping[str, str]


def guessed(tables: Tables) -> Texts:
    """Guess the fields of rows that are in no known format, and the roles of conversations with unknown ones."""
    unknown = (tables.rows["format"] == "unknown").all()
    fields = _fields(tables) if unknown else _written(tables) or _said_under(tables)
    if "messages" in fields:
        said = tables.cells.filter(pl.col("path").str.replace(r"\[\d+\]", "[0]") == _path(fields, "role"))
        return Texts(fields, _roles(said.sort("row", maintain_order=True)["text"]))
    return Texts(fields, _roles(tables.turns.filter(pl.col("part").is_in(["prompt", "response"]))["role"]))


def _path(fields: Mapping[str, str], part: str) -> str:
    return f"{fields['messages']}[0].{fields[part]}"


def _fields(tables: Tables) -> dict[str, str]:
    rows = tables.rows.height
    texts = tables.cells.filter((pl.col("json_type") == "string") & ~pl.col("path").str.contains(r"[.\[]"))
    told = texts.group_by("path", maintain_order=True).agg(
        rows=pl.col("row").n_unique(), values=pl.col("text").n_unique(), length=pl.col("text").str.len_chars().mean()
    )
    told = told.filter(pl.col("rows") >= _MOST * rows)
    sides = told["path"].str.to_lowercase()
    few = told["values"] < _FEW * rows
    if not sides.is_in(_SIDES[2:]).any():  # "Gutenberg" is no side
        few |= told["length"] < _SAID
    labels = sides.is_in(_SIDES) & few
    keys = {key.casefold(): key for key in told.filter(~labels)["path"]}

    def first(names: tuple[str, ...], *but: str | None) -> str | None:
        return next((keys[name] for name in names if name in keys and keys[name] not in but), None)

    chosen, rejected = first(_CHOSEN), first(_REJECTED)
    prompt = first(_PROMPTS)
    if chosen and rejected:
        return {**({"prompt": prompt} if prompt else {}), "chosen": chosen, "rejected": rejected}
    response = first(_RESPONSES, prompt) or _said_to_be(told["path"], prompt)
    prompt = prompt or (_sole(told, response) if response else None)
    if prompt and response:
        more = first(_INPUTS, prompt, response)
        return {"prompt": prompt, **({"input": more} if more else {}), "response": response}
    talk = _talk(tables)
    if talk:
        return talk
    numbers = tables.cells.filter((pl.col("json_type") == "number") & ~pl.col("path").str.contains(r"[.\[]"))
    numbered = next((key for key in numbers["path"].unique(maintain_order=True) if key.casefold() in _GOLDS), None)
    gold = numbered or first(_GOLDS, prompt)
    if not prompt:
        return {}
    if not gold:
        more = first(_ASKED_OF, prompt)
        return {"prompt": prompt, **({"input": more} if more else {})}
    more = first(_INPUTS, prompt, gold)
    return {"prompt": prompt, **({"input": more} if more else {}), "answer": gold}


def _said_to_be(keys: pl.Series, prompt: str | None) -> str | None:
    """The one key whose last word is an answer's, to learn and not to compare with: target_output, botResponse."""
    said = [key for key in keys if key != prompt and _ANSWERS.search(key) and not _COMPARED.search(key)]
    return said[0] if len(said) == 1 else None


def _sole(told: pl.DataFrame, response: str) -> str | None:
    """What is answered where one other key alone holds texts: {complaint, response}."""
    long = (pl.col("length") >= _SAID) & (pl.col("values") >= pl.col("rows") / 2)
    others = told.filter(long, pl.col("path") != response)["path"]
    return str(others[0]) if len(others) == 1 else None


def _written(tables: Tables) -> dict[str, str]:
    """The keys of questions whose answers are prose to learn: the same keys hold short golds to compare with."""
    if not tables.rows["format"].is_in(["qa", "unknown"]).all():
        return {}
    asked = tables.turns.filter(pl.col("part") == "prompt")["path"].unique().to_list()
    given = tables.turns.filter(pl.col("part") == "answer")
    keys = given["path"].unique().to_list()
    text = pl.col("text")
    long = given.select(text.str.len_chars().median(), marked=text.str.contains(_MARKED).mean())
    if len(asked) != 1 or len(keys) != 1 or not (given["content_type"] == "string").all():
        return {}
    length, marked = long.row(0)
    return {"prompt": asked[0], "response": keys[0]} if length >= _WRITTEN and marked < 1 - _MOST else {}


def _said_under(tables: Tables) -> dict[str, str]:
    """The key of what is said, where messages have their words under none that is known: {role, text}."""
    chats = tables.rows["format"].is_in(["messages", "sharegpt"]).all()
    if not chats or tables.turns["text"].is_not_null().any():
        return {}
    names = set(tables.cells["path"].str.extract(_IN_MESSAGE).drop_nulls())
    content = next((name for name in _CONTENTS if name in names), None)
    return {"content": content} if content else {}


def _talk(tables: Tables) -> dict[str, str]:
    """A list of objects each of which has somebody who speaks, and what he says."""
    inner: dict[str, set[str]] = {}
    for path in tables.cells["path"].unique(maintain_order=True):
        if found := _MESSAGE.match(path):
            inner.setdefault(found[1], set()).add(found[2])
    for key, names in inner.items():
        role = next((name for name in _ROLES if name in names), None)
        content = next((name for name in _CONTENTS if name in names), None)
        if role and content:
            return {"messages": key, "role": role, "content": content}
    return {}


def _roles(said: pl.Series) -> dict[str, str]:
    """Two names that nobody knows and no known one beside them: who speaks first, or has a usual name, asks."""
    names = said.drop_nulls().unique(maintain_order=True).to_list()
    strange = [name for name in names if name not in {*_KNOWN_ROLES, "human", "gpt"}]
    if len(strange) != 2 or not set(names) <= {*strange, "system"}:
        return {}
    asks = next((name for name in strange if name.casefold() in _ASKS), strange[0])
    return {name: "user" if name == asks else "assistant" for name in strange}
