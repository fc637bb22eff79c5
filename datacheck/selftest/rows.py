"""A sample of the user's rows, and where each of them keeps its words."""

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from datacheck.contract.load import Dataset, Source
from datacheck.engine.contain import tables_in
from datacheck.errors import UsageError
from datacheck.files.inventory import Inventory
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables

POOL = 20_000  # rows among which the sample is drawn: the first ones
COPY = "data.jsonl"
_MESSAGE = re.compile(r"(.+)\[(\d+)\]\.\w+")
# Where a question speaks of such things, checks of texts let stand what it may have asked for (docs/selftest.md).
_ABOUT = re.compile(
    r"(?i)error|exception|trace|\bbug|http|status|\blog|\bapi\b|json|fail|output|print|html|time.?out|server|\bnone\b"
    r"|null|\bnan\b|undefined|return|sql|\bcod|program|script|dialog|conversation|chat|interview|play|\bact\b|scene"
    r"|simulat|prompt|persona|\bbot\b|story|stories|fiction|example|faq|q ?& ?a|template|human|user|assistant|think"
    r"|\bstep|reason|monologue|poem|lyrics|summar|\bweb|xml|\btags?\b|mark|escap|entit|pars[ei]|encod|crypt|hash|sign"
    r"|forum|letter|mail|\bform\b|contract|invit|blank|translat|language|english|chinese|[{}<>×]|__"
    r"|网|报错|异常|错误|故障|日志|状态|接口|调试|输出|失败|超时|服务|返回|空值|程序|代码|对话|聊天|剧本|采访|访谈|角色|扮演"
    r"|情景|模拟|问答|客服|故事|小说|模板|示例|用户|[问答][:：]|思考|推理|独白|一步|总结|概括|摘要|续写|标签|编码|解码|加密"
    r"|签名|证书|论坛|信|函|一份|一封|邮|通知|范文|简历|合同|申请|声明|邀请|致辞|演讲|文案|公告|证明|报告|计划|方案|话术"
    r"|填|表|试卷|练习|题|协议|海报|广告|简介|介绍|新闻|诗|作文|文章|英[文语]|[语译]"
)
_OF_THE_FILE = {"path", "glob", "sha256", "records", "encoding", "delimiter", "header", "quotes"}  # a copy has its own


class Turn(NamedTuple):
    """A text of a row: in which part, whose words, and under which path of the record."""

    part: str
    role: str | None
    path: str
    text: str


@dataclass(frozen=True)
class Row:
    """A record and its texts; only those that stand in it as they were read. `at`: `file:line` of the user's file."""

    at: str
    record: Any
    turns: tuple[Turn, ...]

    @property
    def line(self) -> bytes:
        """The record as a line of JSON."""
        return to_line(self.record)

    def last(self, *parts: str, role: str | None = None) -> Turn | None:
        """The last text in the first of the parts that the row has, said by `role` where one is named."""
        for part in parts:
            found = [turn for turn in self.turns if turn.part == part and role in (None, turn.role)]
            if found:
                return found[-1]
        return None

    @property
    def ordinary(self) -> bool:
        """Whether no question speaks of what would make it mean to have a fault: of errors, markup, letters."""
        return not any(_ABOUT.search(turn.text) for turn in self.turns if turn.role != "assistant")

    @property
    def asked(self) -> Turn | None:
        """What the user says last."""
        return self.last("prompt", role="user")

    @property
    def answered(self) -> Turn | None:
        """What the model is to say."""
        return self.last("response", "chosen")

    def told(self, turn: Turn, text: Any) -> "Row":
        """The row with another text in the place of one; its path stays where it was."""
        return replace(self, record=put(self.record, turn.path, text))

    def messages(self) -> tuple[str, list[Any]] | None:
        """The path of its conversation, and the messages; None of a row without one."""
        turn = self.asked
        found = _MESSAGE.fullmatch(turn.path) if turn else None
        inside = at(self.record, found[1]) if found else None
        return (found[1], inside) if found and isinstance(inside, list) else None


def to_line(record: Any) -> bytes:
    """A record as a line of JSON, without its end; a lone surrogate stays the escape that it was."""
    try:
        return json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(record).encode()


def _keys(path: str) -> list[str | int]:
    return [int(number) if number else key for key, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]


def at(record: Any, path: str) -> Any:
    """What stands at a path (`messages[0].content`); None where nothing does."""
    try:
        for key in _keys(path):
            record = record[key]
    except (KeyError, IndexError, TypeError):
        return None
    return record


def put(record: Any, path: str, value: Any) -> Any:
    """A copy of a record with another value at a path that is there."""
    new = copy.deepcopy(record)
    *above, last = _keys(path)
    inner = new
    for key in above:
        inner = inner[key]
    inner[last] = value
    return new


def rows_of(tables: Tables, file: str, start: tuple[int, int]) -> Iterator[Row]:
    """The rows of a table that was read with its records; its first line and byte are `start`."""
    assert tables.records is not None
    turns: dict[int, list[tuple[str, str | None, str, str]]] = {}
    for row, *turn in tables.turns.select("row", "part", "role", "path", "text").drop_nulls("text").iter_rows():
        turns.setdefault(row, []).append((turn[0], turn[1], turn[2], turn[3]))
    places = tables.rows.select("line", "byte").iter_rows()
    for (row, said), (line, byte) in zip(tables.records.iter_rows(), places, strict=True):
        record = json.loads(said)
        texts = (Turn(*turn) for turn in turns.get(row, ()))
        shown = tuple(turn for turn in texts if at(record, turn.path) == turn.text)
        column = f":{start[1] + byte + 1}" if start[0] + line == 1 and start[1] + byte else ""
        yield Row(f"{file}:{start[0] + line}{column}", record, shown)


def parsed(data: bytes) -> list[Row]:
    """The rows of JSON lines of ours."""
    chunk = Chunk("jsonl", data, "", len(data), 0, 0, index=1, last=True)
    return [row for tables in parse(chunk, Reading(), records=True) for row in rows_of(tables, COPY, (1, 0))]


def sample(dataset: Dataset, files: Inventory, count: int, seed: int) -> list[Row]:
    """Draw rows among the first ones of a dataset, the same for the same data and seed, in their order.

    Raises UsageError where no row can be read.
    """
    reading = Reading.model_validate(dataset.source.model_dump(include=set(Reading.model_fields)))
    read = (
        row
        for entry in files[dataset.name].read
        for chunk, tables in tables_in(entry.path, reading, records=True)
        for row in rows_of(tables, entry.name, (chunk.first_line, chunk.first_byte))
    )
    pool = list(islice(read, POOL))
    if not pool:
        raise UsageError("{path}: no row could be read, so nothing can be planted", path=dataset.named)
    drawn = sorted(range(len(pool)), key=lambda n: hashlib.sha256(b"%d:%d:" % (seed, n) + pool[n].line).digest())
    return [pool[n] for n in sorted(drawn[:count])]


def copied(dataset: Dataset, folder: Path, lines: list[bytes]) -> Dataset:
    """Write lines as a file of their own, and describe it: read as the user's data, but for what only its files are."""
    folder.mkdir(parents=True)
    (folder / COPY).write_bytes(b"".join(line + b"\n" for line in lines))
    kept = dataset.source.model_dump(exclude=_OF_THE_FILE, exclude_unset=True)
    return replace(dataset, source=Source.model_validate(kept), path=folder / COPY, named=COPY)
