"""API keys that their vendor's prefix or name gives away, private keys, webhooks, logins: `secrets.toml` lists them."""

import re
import tomllib
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from math import log2
from pathlib import Path
from random import Random

from datacheck.pii.matching.expressions import LEFT, RIGHT, one_of
from datacheck.pii.policy import Policy, State
from datacheck.pii.recognizers.base import Judgement, Recognizer

_LIST = tomllib.loads(Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8"))
_UNNAMED = {f"secret.{row['id']}": row["expression"] for row in _LIST["unnamed"]}
_PREFIXED = {f"secret.{row['id']}": row["expression"] for row in _LIST["prefixed"]} | _UNNAMED
_WORDS = sorted(sorted({word for row in _LIST["prefixed"] for word in row["words"]}), key=len, reverse=True)
_BEGINNINGS = [word for row in _LIST["prefixed"] if "inside" not in row for word in row["words"]]
_INSIDE = [row["expression"] for row in _LIST["prefixed"] if "inside" in row]
_ROWS = [*_LIST["prefixed"], *_LIST["unnamed"]]
_ENTROPY = {f"secret.{row['id']}": row["entropy"] for row in _ROWS if "entropy" in row} | {
    f"secret.near.{row['id']}": row.get("entropy", 3.0) for row in _LIST["near"]
}
_LEAST_ENTROPY = 2.5

# a name as it stands in text, in TWITTER_API_KEY and in twitterApiKey; written out, because words are looked for faster
_CASES = {name: (name, name.capitalize(), name.upper()) for row in _LIST["near"] for name in row["names"]}
_KEYWORD = r"(?:(?i:key|token|secret|auth|passw|pwd|cred|api)|密钥|秘钥|令牌)"
_LABEL = r"[0-9A-Za-z_.\- \t的密秘钥令牌]{0,20}"
_ASSIGNED = r"[\s'\"]{0,3}(?:=|>|:{1,3}=|\|\||[:：]|=>|\?=|,|-[ \t][`'\"]|是|为|is)[`'\"\s=]{0,5}"


def _behind(names: Iterable[str], condition: str = "") -> str:
    """The names, the label that goes on behind them, and an assignment, after gitleaks' GenerateSemiGenericRegex."""
    cases = "|".join(re.escape(case) for name in names for case in _CASES[name])
    return f"(?:{cases}){condition}{_LABEL}{_ASSIGNED}"


_NEAR = {
    f"secret.near.{row['id']}": (
        _behind(row["names"], rf"(?={_LABEL}?{_KEYWORD})") + rf"(?P<value>{row['value']}){RIGHT}"
    )
    for row in _LIST["near"]
}
_TOKEN = r"[0-9A-Za-z_.=/+~%\-]"
_ANY_NEAR = f"{_behind(_CASES)}{_TOKEN}{{15}}"
_NAMES = [case for cases in _CASES.values() for case in cases]

_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_BODY = r"[A-Za-z0-9+/=\s\\:,.\-]"  # with the headers of an encrypted key and the \n of a JSON string
_PEM = rf"{_BEGIN}(?:{_BODY}{{0,16000}}?-----END (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----)?"
_SCHEMES = (  # not http, whose logins warn as CREDENTIAL: a gate for "://" would let every text with a link through
    "postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps", "mssql", "sqlserver",
    "clickhouse", "oracle", "ftp", "sftp", "ssh", "smtp", "smtps", "ldap", "ldaps",
)  # fmt: skip
_LOGIN = (  # of a driver as well: postgresql+asyncpg://
    rf"(?:{'|'.join(_SCHEMES)})(?:\+[a-z0-9]{{2,12}})?"
    r"://[^\s:/@\"'<>]{0,64}:[^\s/@\"'<>]{8,128}@[0-9A-Za-z.\-]{1,253}"
)
_JDBC = r"jdbc:[a-z0-9:]{2,24}//[^\s\"'<>]{1,200}?[?&;]password=(?P<value>[^\s&;\"'<>]{8,64})"
_CURL = (
    r"curl[ \t][^\r\n]{0,400}?[ \t](?:-u|--user)[ =]?[ \t]{0,4}[\"']?(?P<value>[^\s:\"'$<>{}]{1,64}:[^\s\"'<>{}]{8,64})"
)
_LOGINS = {"secret.login_url": _LOGIN, "secret.jdbc": _JDBC, "secret.curl_user": _CURL}
_OTHER_WORDS = (
    "PRIVATE KEY",
    "curl ",
    "curl\t",
    "jdbc:",
    *(scheme + end for scheme in _SCHEMES for end in ("://", "+")),
)
_LOCAL = re.compile(r"@(?:localhost|127\.|0\.0\.0\.0|host(?:name)?$|db$|server$)|(?i:example\.|\.example|your|xxx)")
_WEAK = re.compile(
    r"(?i)passw|pwd|secret|admin|root|test|user|demo|token|foo|bar|1234|abcd|mypass|qwerty|changeme|guest|letmein"
)
# Specimens by their form, or by known values: jwt.io's John Doe, AWS's …EXAMPLE, runs of one character or of all.
_PLACEHOLDER = re.compile(
    r"(?i)example|your[_\-]|xxxx|placeholder|123456789|abcdefgh|(.)\1{7}|\.\.\.|changeme|dummy|redacted"
    r"|eyJzdWIiOiIxMjM0NTY3ODkw"
)
_NOT_A_NAME = re.compile(r"[0-9A-Z]")  # small letters only are a variable
_SELF_EVIDENT = frozenset({"secret.twitter-bearer-token", "secret.near.dropbox-long-lived-api-token"})  # AAAAAAAA…
_ENOUGH_BODY = 64
_LINE = 76
_SEQUENCE, _TWO_BYTES = 0x30, 0x82
_ENTROPIC = re.compile(r"[A-Za-z0-9]{12,}")  # words-with-dashes are CSS classes and URL slugs
_WORDS_IN_IT = frozenset({"secret.openai-api-key", "secret.pypi-upload-token"})
_SLUG = re.compile(r"[a-z]+(?:-[a-z]{2,}){4,}(?:-[a-z0-9]+)*")  # …/pypi-user-is-back-with-malware-b12669cefaa5
_BARE = ("secret.slack-token", "secret.secret-key", "secret.bare-key")  # words follow their prefix as well
_FEWEST_DIGITS = dict.fromkeys(_BARE, 3) | dict.fromkeys((*_WORDS_IN_IT, *_NEAR), 1)
_SPECIMENS = frozenset(_LIST["specimens"])


def _rust(expression: str) -> str:
    return expression.replace("(?P<value>", "(?:")


class Secret(Recognizer):
    """A key by its vendor's prefix, or by its vendor's name before it."""

    entity = "SECRET"
    priority = 10
    policy = Policy("block")
    # Words that Rust looks for by Aho-Corasick, as gitleaks does; the rest is for the few texts that have one.
    gate = "|".join(map(re.escape, (*_WORDS, *_NAMES, *_OTHER_WORDS)))
    gate += "\n" + "|".join(_UNNAMED.values())
    prefilter = rf"(?:{'|'.join(map(re.escape, _BEGINNINGS))}){_TOKEN}{{8}}|-----BEGIN [A-Z0-9 ]*PRIVATE KEY"
    prefilters = (_ANY_NEAR, *(_rust("|".join(each)) for each in (_INSIDE, _UNNAMED.values(), _LOGINS.values())))
    words = {
        **{f"secret.{row['id']}": tuple(row["words"]) for row in _ROWS},
        **{
            f"secret.near.{row['id']}": tuple(case for name in row["names"] for case in _CASES[name])
            for row in _LIST["near"]
        },
    }
    patterns = {
        **{rule: f"{LEFT}{expression}{RIGHT}" for rule, expression in _PREFIXED.items()},
        **_NEAR,
        **{rule: f"{LEFT}{expression}" for rule, expression in _LOGINS.items()},
        "secret.private_key": _PEM,
    }
    extents = (
        rf"{LEFT}{one_of(_BEGINNINGS)}{_TOKEN}{{8,}}",  # as long as it goes on
        *(f"{LEFT}{expression}" for expression in (*_INSIDE, *_UNNAMED.values(), *_LOGINS.values())),
        rf"{one_of(_NAMES)}{_LABEL}{_ASSIGNED}(?P<value>{_TOKEN}{{15,}})",
        rf"-----BEGIN [A-Z0-9 ]{{0,48}}PRIVATE KEY{_BODY}*",
    )
    positive = r"密钥|秘钥|令牌|凭证|(?i:key|token|secret|credential)"
    specimens = frozenset({"AKIAIOSFODNN7EXAMPLE"})

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the body: placeholders are specimens, a PEM header without a body is talk about keys."""
        if rule == "secret.private_key":
            body = re.sub(r"-----[^-]*-----|\\n|\s", "", value)
            if len(body) < _ENOUGH_BODY:
                return Judgement(0.6, "suspect")
            return Judgement(1.0, "specimen" if _is_cut_short(body) else "valid")
        if rule in _LOGINS:
            return Judgement(0.9, "valid") if _is_login(value) else None  # else CREDENTIAL has a look at it
        if self.state(value) == "specimen" or (rule not in _SELF_EVIDENT and _PLACEHOLDER.search(value)):
            return Judgement(1.0, "specimen")
        if sum(map(str.isdigit, value)) < _FEWEST_DIGITS.get(rule, 0) or not _NOT_A_NAME.search(value):
            return None
        if rule in _WORDS_IN_IT and (not _ENTROPIC.search(value) or _SLUG.fullmatch(value)):
            return None
        return Judgement(0.9, "valid") if entropy(value) >= _ENTROPY.get(rule, _LEAST_ENTROPY) else None

    def state(self, value: str) -> State:
        """`specimen` for a value that documentation shows."""
        known = value in self.specimens or sha256(value.encode()).hexdigest()[:16] in _SPECIMENS
        return "specimen" if known else "valid"

    def canonical(self, value: str) -> str:
        """Return it without white space."""
        return "".join(value.split())

    def mask(self, value: str) -> str:
        """Keep the vendor's prefix; of a private key its first line."""
        if value.startswith("-----"):
            return "-----BEGIN PRIVATE KEY-----****"
        return next((word for word in _WORDS if value.startswith(word)), "") + "****"

    def canary(self, rng: Random) -> str:
        """Return a key of the form ``sk-`` and 48 characters."""
        letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
        return "sk-" + "".join(rng.choice(letters) for _ in range(46)) + "7Q"


def _is_cut_short(body: str) -> bool:
    """Whether no more than a line of a key stands there (RFC 7468), as documentation shows one: DER says its length."""
    if len(body) > _LINE:
        return False
    try:
        head = b64decode(body[:8], validate=True)
    except ValueError:
        return False  # encrypted, with headers
    return head[0] == _SEQUENCE and head[1] == _TWO_BYTES  # of the length that follows: more than a line


def entropy(value: str) -> float:
    """Shannon's, in bits per character."""
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


def _is_login(value: str) -> bool:
    """A password that no tutorial has, on a machine that others reach."""
    before, at, host = value.rpartition("@") if "://" in value else (value, "", "")
    password = before.rpartition(":")[2]
    kinds = (str.isdigit, str.isalpha)
    return (
        not _WEAK.search(password)
        and not _PLACEHOLDER.search(password)
        and not re.search(r"[${}%()\[\]]", password)
        and not _LOCAL.search(at + host)
        and all(any(map(kind, password)) for kind in kinds)
    )
