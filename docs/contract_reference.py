"""docs/contract.md and contract.zh.md: every key of a contract, from the schema that editors show too.

What the schema says is translated in contract.zh.toml; a sentence that is missing there stays English. That none is, is
the business of a test: who adds a check of their own need not know Chinese.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

Schema = dict[str, Any]


class Words(NamedTuple):
    """What the page says besides the schema."""

    head: str
    contract: str
    every: str
    one: str
    none: str
    columns: tuple[str, ...]
    required: str
    either: str  # between two kinds
    of_check: str  # what belongs to a check
    list_of: str
    checks: str
    check: str


EN = Words(
    head="""# Every key of a contract

An editor that knows `contracts/contract.schema.json` shows the same words ([中文](contract.zh.md)). A contract is a
YAML file; a key that is not here is refused, with its line and the nearest one that is. What a check measures and which
limits it has by default stands on [its page](checks/README.md).
""",
    contract="The contract",
    every="Settings of every check",
    one="Settings of one check",
    none="These have none of their own: {}.",
    columns=("key", "what it is", "by default", "meaning"),
    required="required",
    either=" or ",
    of_check="{} of a check",
    list_of="list of {}",
    checks="list of checks",
    check="a check",
)
ZH = Words(
    head="""# 契约的全部键

编辑器读取 `contracts/contract.schema.json`，显示相同的内容（英文，见 [contract.md](contract.md)）。契约是一个 YAML
文件；此处没有的键会被拒绝，并指出所在行与最接近的键。检查测量什么、默认界限是多少，见[各检查的页面](checks/README.md)。
""",
    contract="契约",
    every="每个检查都有的设置",
    one="各检查自己的设置",
    none="没有自己的设置：{}。",
    columns=("键", "是什么", "默认", "含义"),
    required="必填",
    either=" 或 ",
    of_check="检查的 {}",
    list_of="{} 的列表",
    checks="检查的列表",
    check="一个检查",
)
# The objects in the order in which one meets them, with how one gets there.
_PARTS = (
    ("dataset", "`datasets.NAME`", "One dataset: where it is, and what must be true of it."),
    ("Source", "`datasets.NAME.source`", ""),
    ("Columns", "`source.columns`", ""),
    ("Fields", "`source.fields`", ""),
    ("Limits", "`source.limits`", ""),
    ("FieldRule", "`datasets.NAME.schema.FIELD`", ""),
    ("Run", "`run`", ""),
    ("LimitSetting", "`limits.METRIC`", ""),
    ("Coverage", "`coverage`", ""),
    ("GramSettings", "`features`", ""),
    ("Allowed", "`pii.allow`", ""),
)
_OF_CHECKS = ("LimitSetting", "Coverage", "GramSettings")
_EVERY = ("check", "id", "severity", "by", "limits", "coverage")
_NAME = "Its name. A check without settings may be written as its name alone."


def references(schema: Schema) -> dict[str, str]:
    """The pages by their path."""
    return {
        "docs/contract.md": _Page(EN, {}).written(schema),
        "docs/contract.zh.md": _Page(ZH, translations()).written(schema),
    }


def translations() -> dict[str, str]:
    """What contract.zh.toml holds."""
    return tomllib.loads(Path(__file__).with_name("contract.zh.toml").read_text("utf-8"))


def sentences(schema: Schema) -> set[str]:
    """What a page says that has to be translated."""
    page = _Page(ZH, {})
    page.written(schema)
    return page.said


class _Page:
    """The page in one language; `said`: what it had to translate."""

    def __init__(self, words: Words, translated: dict[str, str]) -> None:
        self.words, self.translated, self.said = words, translated, set[str]()

    def written(self, schema: Schema) -> str:
        """All of it."""
        w, parts = self.words, schema["$defs"]
        lines = [w.head, f"## {w.contract}", "", *self._table(schema)]
        for name, _, said in _PARTS:
            lines += ["", f"## {self._where(name)}", "", self._told(said or _said(parts[name])), ""]
            lines += self._table(parts[name])
        checks = {name.removeprefix("check_"): part for name, part in parts.items() if name.startswith("check_")}
        common = {key: next(iter(checks.values()))["properties"][key] for key in _EVERY}
        common["check"] = {"description": _NAME, "type": "string"}
        common["limits"] = {**common["limits"], "properties": {}}
        lines += ["", f"## {w.every}", "", *self._table({"properties": common})]
        none = ", ".join(f"[{name}](checks/{name}.md)" for name, part in checks.items() if not _own(part))
        lines += ["", f"## {w.one}", "", w.none.format(none)]
        for name, part in checks.items():
            if own := _own(part):
                lines += ["", f"### [{name}](checks/{name}.md)", "", *self._table({**part, "properties": own})]
        return "\n".join([*lines, ""])

    def _told(self, sentence: str) -> str:
        self.said.add(sentence)
        return self.translated.get(sentence, sentence)

    def _table(self, part: Schema) -> Iterator[str]:
        yield from (f"| {' | '.join(self.words.columns)} |", "|---|---|---|---|")
        required = part.get("required", ())
        for key, value in part["properties"].items():
            default = self.words.required if key in required else _default(value)
            yield f"| `{key}` | {self._kind(value)} | {default} | {self._told(_said(value))} |"

    def _kind(self, value: Schema) -> str:
        """What may stand there, in a few words."""
        if several := value.get("anyOf") or value.get("oneOf"):
            kinds = dict.fromkeys(kind for each in several if (kind := self._kind(each)) != "null")
            return self.words.either.join(kinds)
        if "$ref" in value:
            return self._where(value["$ref"].rpartition("/")[2])
        if "const" in value:
            return f"`{value['const']}`"
        if "enum" in value:
            return ", ".join(f"`{each}`" for each in value["enum"])
        return self._plain(value)

    def _where(self, name: str) -> str:
        found = next((where for part, where, _ in _PARTS if part == name), self.words.check)
        return self.words.of_check.format(found) if name in _OF_CHECKS else found

    def _plain(self, value: Schema) -> str:
        kind = value.get("type", "anything")
        if isinstance(kind, list):
            return self.words.either.join(kind)
        if kind == "array":
            items = value.get("items", {})
            if "oneOf" in items:
                return self.words.checks
            return self.words.list_of.format(self._kind(items)) if items else "list"
        signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
        return ", ".join([str(kind), *(f"{sign} {value[name]}" for name, sign in signs.items() if name in value)])


def _own(check: Schema) -> Schema:
    return {key: value for key, value in check["properties"].items() if key not in _EVERY}


def _said(part: Schema) -> str:
    return str(part.get("description", "")).replace("\n\n", "<br>").replace("\n", " ")


def _default(value: Schema) -> str:
    given = value.get("default")
    if given in (None, [], {}) or "$ref" in value:  # an object has defaults of its own
        return ""
    return f"`{json.dumps(given, ensure_ascii=False)}`".replace("|", "\\|")
