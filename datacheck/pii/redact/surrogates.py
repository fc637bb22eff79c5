"""Made-up values in place of pseudonyms: of the same form, and on purpose nobody's.

A surrogate keeps length, separators and kinds of characters, so that a model still learns what such a value looks like.
Its check digit is wrong, its range is given to nobody, or it is of those that documentation uses (example.com, 某):
what would still count as somebody's is not handed out, and where no form is nobody's (an address, a key, an English
name) there is the pseudonym.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterator
from random import Random

from datacheck.pii.hidden import lean
from datacheck.pii.normalise import fold
from datacheck.pii.pseudonyms import Pseudonyms, identity
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.rules import Rules

_SURNAMES = "王李张刘陈杨黄赵周吴徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余叶程魏"
_SURNAMES += "苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金"
_GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰建国志晓东雨欣子涵浩然思远佳怡俊熙文博海燕庆春梅立新"
_RESERVED = ("192.0.2.", "198.51.100.", "203.0.113.")  # RFC 5737
_KEPT = frozenset({"ADDRESS", "SECRET", "CREDENTIAL", "CRYPTO", "GPS", "DATE_OF_BIRTH", "SOCIAL_HANDLE"})
_TRIES = 3
_LABELS = ("", "电话", "号码：", "车牌")
# What else may stand before one: a card whose check digit is wrong is an account's number there.
_LABELS_OF = {"CN_BANK_CARD": ("银行卡号", "账号"), "CN_MOBILE": ("my cell is ", "Tel: ")}
_UNSAFE = re.compile(r"[\s\"\\<>]+")  # a surrogate stands in JSON, CSV and Markdown as it is


class Surrogates(Pseudonyms):
    """Hands out made-up values, the same for equal ones; with a key the same in every copy."""

    def __init__(self, key: bytes | None, rules: Rules) -> None:
        super().__init__(key)
        self._seed, self._rules, self._entities = key or secrets.token_bytes(16), rules, rules.looked_for
        self._made: dict[str, str] = {}
        self._taken: set[str] = set()

    def of(self, entity: str, written: str) -> str:
        """Return what stands in the place of a value as it is written for the first time."""
        value = identity(entity, written)
        if value not in self._made:
            plain = _UNSAFE.sub(" ", fold(written).text)
            made = (each for each in self._candidates(entity, value, plain) if self._is_nobodys(entity, each, plain))
            self._made[value] = next(made, None) or self.tag(entity, written)
            self._taken.add(_bare(self._made[value]))
        return self._made[value]

    def is_made(self, written: str) -> bool:
        """Whether a value is one of those that were handed out."""
        return "某" in written or _bare(written) in self._taken  # a part of 蔡某超 is nobody either

    def number(self, entity: str, written: str) -> str:
        """Return a number of the same length that may stand in JSON, or as a pseudonym."""
        made = self.of(entity, written)
        return made if made.isdigit() and made[0] != "0" else super().number(entity, written)

    def _candidates(self, entity: str, value: str, written: str) -> Iterator[str]:
        for attempt in range(_TRIES if entity not in _KEPT else 0):
            digest = hmac.new(self._seed, f"{attempt}:{value}".encode(), hashlib.sha256).digest()
            rng = Random(digest)
            if entity == "PERSON":
                if any("\u3400" <= char <= "\u9fff" for char in written):
                    others = _SURNAMES.replace(written[0], "")  # who is called by the surname is found by it
                    yield f"{rng.choice(others)}某{rng.choice(_GIVEN)}"
            elif entity == "EMAIL_ADDRESS":
                address = RECOGNIZERS[entity].canonical(fold(written).text)  # john at qq dot com, too
                yield f"{_scrambled(address.partition('@')[0], rng, 0)}@example.com"
            elif entity == "IP_ADDRESS":
                yield f"{rng.choice(_RESERVED)}{rng.randint(1, 254)}"
            else:
                yield from (spoil(_scrambled(written, rng)) for spoil in _SPOILT)

    def _is_nobodys(self, entity: str, made: str, written: str) -> bool:
        if _bare(made) in self._taken or _bare(made) == _bare(written):
            return False
        with lean():
            from datacheck.pii.engine import engine  # Presidio is heavy
        entities = self._entities
        results = [
            each
            for label in (*_LABELS, *_LABELS_OF.get(entity, ()), RECOGNIZERS[entity].label)
            for each in engine(entities).results(f"{label}{made}", list(entities))
        ]
        levels = (
            self._rules.level(each.entity_type, each.recognition_metadata["state"], linked=True) for each in results
        )
        return "block" not in levels


def _bare(text: str) -> str:
    return re.sub(r"[\W_]", "", fold(text).text).lower()


def _scrambled(text: str, rng: Random, kept: int = 2) -> str:
    """Other digits for digits, other letters for letters, all else and the first two characters as they are."""
    kinds = ("0123456789", "abcdef", "ABCDEF", "ghjkmnpqrstuvwxyzilo", "GHJKMNPQRSTUVWXYZILO")  # hexadecimal stays so
    others = (next((rng.choice(kind) for kind in kinds if char in kind), char) for char in text[kept:])
    return text[:kept] + "".join(others)


def _with_digits(*digits: str) -> Callable[[str], str]:
    """What puts digits in the place of the first ones of a text ("" leaves one as it is)."""

    def changed(text: str) -> str:
        places = [at for at, char in enumerate(text) if char.isdigit()]
        out = list(text)
        for at, digit in zip(places, digits, strict=False):
            out[at] = digit or out[at]
        return "".join(out)

    return changed


# The check digit alone; 120… is no mobile number; no QQ, area or account begins with 0; I and O are on no plate.
_SPOILT: tuple[Callable[[str], str], ...] = (
    str,
    _with_digits("1", "2"),
    _with_digits("0"),
    _with_digits("0", "0", "0"),
    lambda text: "".join("IO"[ord(char) % 2] if char.isascii() and char.isupper() else char for char in text),
    lambda text: f"0{text[1:]}",
)
