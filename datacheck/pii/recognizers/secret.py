"""API keys that their provider's prefix gives away, and private keys in PEM."""

import re
from random import Random

from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer

# The providers' published formats, body lengths loosened a little (a cut key is still a leak).
_KEYS = {
    "secret.aws": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "secret.sk": r"sk-[A-Za-z0-9_\-]{20,250}",
    "secret.github": r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})",
    "secret.gitlab": r"glpat-[A-Za-z0-9_\-]{20,64}",
    "secret.google": r"AIza[A-Za-z0-9_\-]{35}",
    "secret.aliyun": r"LTAI[A-Za-z0-9]{12,26}",
    "secret.tencent": r"AKID[A-Za-z0-9]{32}",
    "secret.huggingface": r"hf_[A-Za-z0-9]{30,40}",
    "secret.stripe": r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}",
    "secret.npm": r"npm_[A-Za-z0-9]{36}",
    "secret.pypi": r"pypi-[A-Za-z0-9_\-]{50,250}",
    "secret.sendgrid": r"SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64}",
    "secret.telegram": r"[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,33}",
    "secret.digitalocean": r"do[opr]_v1_[a-f0-9]{64}",
    "secret.jwt": r"eyJ[A-Za-z0-9_\-]{8,2000}\.eyJ[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]{8,1000}",
    "secret.slack": r"xox[abeoprs]-[A-Za-z0-9\-]{10,250}",
}
_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_BODY = r"[A-Za-z0-9+/=\s\\:,.\-]"  # with the headers of an encrypted key and the \n of a JSON string
_PEM = rf"{_BEGIN}(?:{_BODY}{{0,16000}}?-----END (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----)?"
_PLACEHOLDER = re.compile(r"(?i)example|your[_\-]|xxxx|placeholder|123456789|abcdefgh|(.)\1{7}|\.\.\.")
_ENOUGH_BODY = 64
_ENTROPIC = re.compile(r"[A-Za-z0-9]{12,}")  # words-with-dashes are CSS classes and URL slugs


class Secret(Recognizer):
    """A key by its provider's prefix."""

    entity = "SECRET"
    priority = 10
    policy = Policy("block")
    prefilter = (
        r"(?:AKIA|ASIA)[A-Z0-9]{16}|sk-[A-Za-z0-9_\-]{20}|gh[pousr]_[A-Za-z0-9]{30}|github_pat_[A-Za-z0-9_]{22}"
        r"|glpat-|AIza[A-Za-z0-9_\-]{35}|LTAI[A-Za-z0-9]{12}|AKID[A-Za-z0-9]{32}|hf_[A-Za-z0-9]{30}"
        r"|[sr]k_(?:live|test)_|npm_|pypi-|SG\.[A-Za-z0-9_\-]{16}|[0-9]:AA[A-Za-z0-9_\-]{32}"
        r"|do[opr]_v1_|eyJ[A-Za-z0-9_\-]{8,2000}\.eyJ|xox[abeoprs]-"
        r"|-----BEGIN [A-Z0-9 ]*PRIVATE KEY"
    )
    patterns = {
        **{rule: rf"(?<![0-9A-Za-z]){key}(?![0-9A-Za-z])" for rule, key in _KEYS.items()},
        "secret.private_key": _PEM,
    }
    extents = (
        (
            r"(?<![0-9A-Za-z])(?:AKIA|ASIA|AIza|LTAI|AKID)[A-Za-z0-9_\-]{8,}"
            r"|(?<![0-9A-Za-z])(?:sk-|gh[pousr]_|github_pat_|glpat-|hf_|[sr]k_(?:live|test)_|npm_|pypi-"
            r"|SG\.|[0-9]{8,10}:AA|do[opr]_v1_|eyJ|xox[abeoprs]-)[A-Za-z0-9_.\-]{8,}"
            rf"|-----BEGIN [A-Z0-9 ]{{0,48}}PRIVATE KEY{_BODY}*"
        ),
    )
    positive = r"密钥|秘钥|令牌|凭证|(?i:key|token|secret|credential)"
    specimens = frozenset({"AKIAIOSFODNN7EXAMPLE"})

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the body: placeholders are specimens, a PEM header without a body is talk about keys."""
        if rule == "secret.private_key":
            body = re.sub(r"-----[^-]*-----|\\n|\s", "", value)
            return Judgement(1.0, "valid") if len(body) >= _ENOUGH_BODY else Judgement(0.6, "suspect")
        if value in self.specimens or _PLACEHOLDER.search(value):
            return Judgement(1.0, "specimen")
        if (rule == "secret.sk" and not any(char.isdigit() for char in value)) or not _is_random(rule, value):
            return None
        return Judgement(0.9, "valid")

    def canonical(self, value: str) -> str:
        """Return it without white space."""
        return "".join(value.split())

    def mask(self, value: str) -> str:
        """Keep the first four characters; of a private key its first line."""
        return "-----BEGIN PRIVATE KEY-----****" if value.startswith("-----") else f"{value[:4]}****"

    def canary(self, rng: Random) -> str:
        """Return a key of the form ``sk-`` and 48 characters."""
        letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
        return "sk-" + "".join(rng.choice(letters) for _ in range(46)) + "7Q"


def _is_random(rule: str, value: str) -> bool:
    """A long run without punctuation; behind a prefix that is no word, letters of both cases do as well."""
    kinds = (str.islower, str.isupper)
    mixed = rule != "secret.sk" and all(any(map(kind, value.partition("-")[2])) for kind in kinds)
    return mixed or _ENTROPIC.search(value) is not None
