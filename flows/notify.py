"""Tell people of a verdict through a webhook: 飞书, 企业微信, Slack. Figures only, never data.

The address is a secret (whoever knows it can post), so it comes from an environment variable, is never a parameter of
a flow and never stands in a message. Request formats: the providers' documentation of custom bots / incoming webhooks.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterable

from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.i18n.words import Lang
from datacheck.pii.excerpts import excerpt
from datacheck.registry.channels import Kind, Webhook
from datacheck.report.show import tally
from datacheck.verdict.model import Report

TIMEOUT = 10.0  # seconds; a verdict does not wait for a chat
_HEAD = {"en": "datacheck: {contract} v{version}: {verdict}", "zh": "datacheck：{contract} v{version}：{verdict}"}
_VERDICTS = {
    "en": {"pass": "passed", "warn": "passed with warnings", "fail": "FAILED", "error": "COULD NOT DECIDE"},
    "zh": {"pass": "通过", "warn": "通过（有警告）", "fail": "未通过", "error": "无法判定"},
}
_WORDS = {
    "en": {"version": "version", "rows": "rows", "checks": "checks", "worst": "worst findings", "report": "report"},
    "zh": {"version": "版本", "rows": "行数", "checks": "检查", "worst": "最严重的发现", "report": "报告"},
}
_WORST = 5  # findings named in a message


def message(report: Report, version: str, link: str, lang: Lang) -> str:
    """A few lines for people: verdict, counts, the worst findings by name. Names are masked like in the report."""
    words = _WORDS[lang]
    head = _HEAD[lang].format(
        contract=excerpt(report.contract.name, limit=80),
        version=report.contract.version,
        verdict=_VERDICTS[lang][report.verdict.value],
    )
    rows = sum(file.rows for dataset in report.datasets.values() for file in dataset.files)
    counted = ", ".join(f"{count} {status.value}" for status, count in tally(report).items())
    worst = [found.id for status in ("fail", "error") for found in report.findings if found.status.value == status]
    lines = [
        head,
        f"{words['version']}: {version.removeprefix('sha256:')[:12]}",
        f"{words['rows']}: {rows}",
        f"{words['checks']}: {counted}",
    ]
    if worst:
        more = f" (+{len(worst) - _WORST})" if len(worst) > _WORST else ""
        lines.append(f"{words['worst']}: {', '.join(worst[:_WORST])}{more}")
    if link:
        number = version.removeprefix("sha256:")  # it looks like a key, which would be masked, and says where to look
        masked = number.join(excerpt(part, limit=300) for part in link.split(number))
        lines.append(f"{words['report']}: {masked}")
    return "\n".join(lines)


def body(kind: Kind, text: str) -> bytes:
    """The request of a text message, as each provider documents it."""
    shapes: dict[Kind, object] = {
        "feishu": {"msg_type": "text", "content": {"text": text}},
        "wecom": {"msgtype": "text", "text": {"content": text}},
        "slack": {"text": text},
    }
    return json.dumps(shapes[kind], ensure_ascii=False).encode()


def alarm(webhooks: Iterable[Webhook], what: Message) -> list[str | Message]:
    """Post that the service does not work; returns which webhooks did not take it, and why."""
    refused: list[str | Message] = []
    for webhook in webhooks:
        try:
            why: str | Message | None = send(webhook, excerpt(what.said(webhook.lang), limit=1000))
        except UsageError as error:
            why = error.message
        refused += [why] if why else []
    return refused


def send(webhook: Webhook, text: str) -> str | None:
    """Post `text`; returns None, or in a few words (without the address) why it did not arrive."""
    request = urllib.request.Request(  # noqa: S310 - `address` allows https, and http to this machine
        webhook.address(),
        data=body(webhook.kind, text),
        headers={"Content-Type": "application/json; charset=utf-8"},
        method="POST",
    )
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=TIMEOUT) as answer:
            return _refusal(webhook.kind, answer.read(64 * 1024))
    except urllib.error.HTTPError as error:
        return f"{webhook.kind} answered {error.code}"
    except OSError as error:  # URLError's text could hold the address
        return f"{webhook.kind} could not be reached ({type(error).__name__})"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Figures go to the address that the operator named and nowhere else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _refusal(kind: Kind, answer: bytes) -> str | None:
    """Feishu and WeCom answer 200 also to what they refuse; the code in the answer tells."""
    if kind == "slack":
        return None
    try:
        found = json.loads(answer)
        code = found.get("code", found.get("StatusCode")) if kind == "feishu" else found.get("errcode")
    except (ValueError, AttributeError):
        code = None
    return None if code == 0 else f"{kind} refused the message (code {code if isinstance(code, int) else 'unknown'})"
