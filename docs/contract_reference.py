"""docs/contract.md: every key of a contract, from the schema that editors show too."""

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

_HEAD = """# Every key of a contract

An editor that knows `contracts/contract.schema.json` shows the same words. A contract is a YAML file; a key that is not
here is refused, with its line and the nearest one that is. What a check measures and which limits it has by default
stands on [its page](checks/README.md).
"""
# The objects in the order in which one meets them, with how one gets there.
_PARTS = (
    ("dataset", "`datasets.NAME`", "One dataset: where it is, and what must be true of it."),
    ("Source", "`datasets.NAME.source`", ""),
    ("Columns", "`source.columns`", ""),
    ("Fields", "`source.fields`", ""),
    ("Limits", "`source.limits`", ""),
    ("FieldRule", "`datasets.NAME.schema.FIELD`", ""),
    ("Run", "`run`", ""),
    ("LimitSetting", "`limits.METRIC` of a check", ""),
    ("Coverage", "`coverage` of a check", ""),
    ("GramSettings", "`features` of a check", ""),
    ("Allowed", "`allow` of pii", ""),
)
_EVERY = ("check", "id", "severity", "by", "limits", "coverage")


def reference(schema: Schema) -> str:
    """The page."""
    parts = schema["$defs"]
    lines = [_HEAD, "## The contract", "", *_table(schema)]
    for name, where, said in _PARTS:
        lines += ["", f"## {where}", "", said or _said(parts[name]), "", *_table(parts[name])]
    checks = {name.removeprefix("check_"): part for name, part in parts.items() if name.startswith("check_")}
    common = {key: next(iter(checks.values()))["properties"][key] for key in _EVERY}
    named = "Its name. A check without settings may be written as its name alone."
    common["check"] = {"description": named, "type": "string"}
    common["limits"] = {**common["limits"], "properties": {}}
    lines += ["", "## Settings of every check", "", *_table({"properties": common})]
    none = ", ".join(f"[{name}](checks/{name}.md)" for name, part in checks.items() if not _own(part))
    lines += ["", "## Settings of one check", "", f"These have none of their own: {none}."]
    for name, part in checks.items():
        if own := _own(part):
            lines += ["", f"### [{name}](checks/{name}.md)", "", *_table({**part, "properties": own})]
    return "\n".join([*lines, ""])


def _own(check: Schema) -> Schema:
    return {key: value for key, value in check["properties"].items() if key not in _EVERY}


def _said(part: Schema) -> str:
    return str(part.get("description", "")).replace("\n\n", "<br>").replace("\n", " ")


def _table(part: Schema) -> Iterator[str]:
    yield from ("| key | what it is | by default | meaning |", "|---|---|---|---|")
    required = part.get("required", ())
    for key, value in part["properties"].items():
        default = "required" if key in required else _default(value)
        yield f"| `{key}` | {_kind(value)} | {default} | {_said(value)} |".replace("\n", " ")


def _default(value: Schema) -> str:
    given = value.get("default")
    if given in (None, [], {}) or "$ref" in value:  # an object has defaults of its own
        return ""
    return f"`{json.dumps(given, ensure_ascii=False)}`".replace("|", "\\|")


def _kind(value: Schema) -> str:
    """What may stand there, in a few words."""
    if several := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(kind for each in several if (kind := _kind(each)) != "null"))
    if "$ref" in value:
        return _where(value["$ref"].rpartition("/")[2])
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{each}`" for each in value["enum"])
    return _plain(value)


def _where(name: str) -> str:
    return next((where for part, where, _ in _PARTS if part == name), "a check")


def _plain(value: Schema) -> str:
    kind = value.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        items = value.get("items", {})
        return "list of checks" if "oneOf" in items else f"list of {_kind(items)}" if items else "list"
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    return ", ".join([str(kind), *(f"{sign} {value[name]}" for name, sign in signs.items() if name in value)])
