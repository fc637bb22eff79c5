"""Passwords and keys by the word before them, and logins in URLs."""

import re
from random import Random

from datacheck.pii.matching.expressions import ANSWERED
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer

_KEY = (
    r"(?i:pass ?word|passwd|pwd|pass ?phrase|secret(?:[_\- ]?key)?|api[_\- ]?key"
    r"|access[_\- ]?key(?:[_\- ]?id)?|auth[_\- ]?token"
    r"|access[_\- ]?token|private[_\- ]?key|client[_\- ]?secret|token)|密码|密碼|口令|密钥|密鑰|秘钥|通行码"
)
_LINK = (
    r"[\"'`*）)\]]{0,3}[ ]?"
    r"(?:[:：=]{1,2}|(?:就|应该)?是|[填写](?:的是?)|[改换设置]?[为為成]|-?>"
    r"|[ ]?(?:is|to|on file)[ ])[ ]?(?:[:：])?[ ]?[\"'`*(（\[]{0,3}"
)
# a bracket, the next cell of a table, or the answer in a chat
_THEN = rf"(?:[】\])）]?[ \t]?[(（【\[|]?[ ]?|{ANSWERED})"
_VALUE = r"[!-~]{4,128}"
_LOGIN = r"[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s:/@\"'<>]{1,64}:[^\s/@\"'<>]{1,64}@[A-Za-z0-9.\-]{1,253}"
_PLACEHOLDER = re.compile(
    r"(?i)[*x.\-_#•]{3,}|.*(?:your|example|placeholder|changeme|password|passwd|secret|token|xxxx"
    r"|\*\*\*|<|>|\$\{|\{\{|%s|redacted).*"
    r"|(?:none|null|true|false|str(?:ing)?|int|text|undefined|required|optional|admin|root|test"
    r"|hunter2|qwerty|abc)[0-9]{0,4}"
    r"|1?2345678?9?0?|[0-9]{1,5}"
)
_CODE = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]*[(\[.].*|[a-z]+(?:_[a-z]+)+[0-9]*|.*[(){}\[\];]$|\[?\^.*\][+*?]?.*|.*\][+*{].*"
)  # a call, a name in snake case, a class of an expression: (?P<token>[^/]+)
_PUNCTUATION = ",.;:!?\"'`)]}*>，"


class Credential(Recognizer):
    """key = value. Half of what the rule finds in real text are examples and code, so it warns."""

    entity = "CREDENTIAL"
    priority = 20
    policy = Policy("warn")
    label = "pwd:"
    prefilter = (
        rf"(?:{_KEY}){_LINK}[!-~]{{4}}|(?:密码|密碼|口令|通行码){_THEN}[!-~]{{8}}|://[^\s:/@]{{1,64}}:[^\s/@]{{1,64}}@"
    )
    patterns = {
        "credential.url": rf"(?<![0-9A-Za-z]){_LOGIN}",
        # the word itself, then at once letters and digits
        "credential.tight": (
            rf"(?:密码|密碼|口令|通行码){_THEN}(?P<value>(?=[!-~]{{0,40}}[0-9])(?=[!-~]{{0,40}}[A-Za-z])[!-~]{{8,64}})"
        ),
        "credential": rf"(?:{_KEY}){_LINK}(?P<value>{_VALUE})",
    }
    extents = (
        _LOGIN,
        rf"(?:密码|密碼|口令|通行码){_THEN}(?P<value>[!-~]{{8,64}})",
        rf"(?:{_KEY}){_LINK}(?P<value>{_VALUE})",
    )
    shown = (0, 0)

    def widen(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Leave the punctuation after the value out."""
        cut = re.split(r"[\"'`，]", text[start:end], maxsplit=1)[0]
        return start, max(start + 1, start + len(cut.rstrip(_PUNCTUATION)))

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the value: words and code are nothing, placeholders are specimens."""
        secret = value.rpartition("@")[0].rpartition(":")[2] if rule == "credential.url" else value
        if _PLACEHOLDER.fullmatch(secret):
            return Judgement(1.0, "specimen") if rule == "credential.url" else None
        if rule != "credential.url" and _CODE.fullmatch(value):
            return None
        if rule != "credential.url" and (len(value) < 6 or not any(char.isdigit() for char in value)):
            return None
        return Judgement(0.7, "valid")

    def canonical(self, value: str) -> str:
        """Return it as it stands."""
        return value

    def mask(self, value: str) -> str:
        """Show nothing, not even the length."""
        del value
        return "****"

    def canary(self, rng: Random) -> str:
        """Return a labelled password."""
        letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ"
        return self.label + "".join(rng.choice(letters) for _ in range(6)) + f"{rng.randrange(10, 99)}!"
