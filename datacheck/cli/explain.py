"""Documentation from the code: what `explain` prints and what docs/ is generated from."""

import difflib
import json
from typing import Any

from datacheck.check import Check, card_of
from datacheck.contract.discover import check_class, check_names
from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.loading.codes import CODES
from datacheck.report.cards import default_limit, reasons

_COMMON = ("check", "id", "severity", "by", "limits", "coverage")


def card(name: str, lang: str) -> str:
    """The Markdown page of a check or of a code. Raises UsageError for an unknown name."""
    if name in CODES:
        return _code_card(name, lang)
    try:
        kind = check_class(name)
    except KeyError:
        near = difflib.get_close_matches(name, [*check_names(), *CODES], n=1)
        hint = (
            Message("did you mean '{near}'?", near=near[0]) if near else Message("`datacheck checks` lists the checks")
        )
        raise UsageError(
            "{name}: no such check, and no such code of a bad line; {hint}", name=name, hint=hint
        ) from None
    return f"# {name}\n\n{card_of(kind, lang)}\n\n{_metrics(kind, lang)}\n{_reasons(kind, lang)}{_settings(kind, lang)}"


def _code_card(name: str, lang: str) -> str:
    code, at = CODES[name], int(lang == "zh")
    title, harm, mend = (Message(part).said(lang) for part in (code.title, code.why, code.fix))
    level, why, fix = (("Level", "Why it matters", "How to fix"), ("级别", "为什么有害", "如何修复"))[at]
    return f"# {name}\n\n{title}\n\n{level}: {code.level}\n\n## {why}\n\n{harm}\n\n## {fix}\n\n{mend}\n"


def _metrics(kind: type[Check], lang: str) -> str:
    head = "## 指标与默认限值" if lang == "zh" else "## Metrics and default limits"
    rows = [
        f"| `{name}` | {Message(m.what).said(lang)} | {m.unit}{f' of {m.of}' if m.of else ''} | {default_limit(m)} |"
        for name, m in kind.metrics.items()
    ]
    return "\n".join([head, "", "| metric | what | unit | default |", "|---|---|---|---|", *rows, ""])


def _reasons(kind: type[Check], lang: str) -> str:
    section = reasons(kind, "zh" if lang == "zh" else "en")  # below the table: a fifth column is too narrow to read
    return f"## {section.heading}\n\n{section.text}\n\n" if section else ""


def _settings(kind: type[Check], lang: str) -> str:
    own = {n: f for n, f in kind.model_fields.items() if n not in _COMMON}
    head = "## 设置" if lang == "zh" else "## Settings"
    if not own:
        return ""
    rows = [f"| `{n}` | {_default(f)} | {f.description or ''} |" for n, f in own.items()]
    return "\n".join([head, "", "| setting | default | meaning |", "|---|---|---|", *rows, ""])


def _default(field: Any) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    return f"`{json.dumps(default, default=lambda model: model.model_dump(), ensure_ascii=False)}`"
