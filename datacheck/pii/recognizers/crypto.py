"""Addresses of cryptocurrency wallets."""

import hashlib
import re
from random import Random

from datacheck.pii.matching.expressions import LEFT, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, words

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


class Crypto(Recognizer):
    """Bitcoin (base58check, bech32 of BIP 173 and 350) by checksum, Ethereum by its form beside a word."""

    entity = "CRYPTO"
    priority = 260
    policy = Policy("warn")
    prefilter = r"[13][1-9A-HJ-NP-Za-km-z]{25}|bc1[02-9ac-hj-np-z]{11}|0x[0-9A-Fa-f]{40}"
    patterns = {
        "crypto.base58": rf"{LEFT}[13][1-9A-HJ-NP-Za-km-z]{{25,33}}{RIGHT}",
        "crypto.bech32": rf"{LEFT}bc1[02-9ac-hj-np-z]{{11,87}}{RIGHT}",
        "crypto.ethereum": rf"{LEFT}0x[0-9A-Fa-f]{{40}}{RIGHT}",
    }
    positive = r"钱包|地址|以太|转账|(?i:wallet|eth\b|ethereum|address|crypto)"
    extents = (r"(?<![0-9A-Za-z])(?:[13][1-9A-HJ-NP-Za-km-z]{25,33}|bc1[02-9ac-hj-np-z]{11,87}|0x[0-9A-Fa-f]{40})",)
    specimens = words(
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy "
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq 0x0000000000000000000000000000000000000000"
    )
    shown = (4, 0)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the checksum."""
        if value in self.specimens:
            return Judgement(1.0, "specimen")
        if rule == "crypto.ethereum":
            return Judgement(0.3, "valid")
        right = base58check(value) if rule == "crypto.base58" else bech32(value)
        return Judgement(0.9, "valid") if right else None

    def canonical(self, value: str) -> str:
        """Return it as it stands: case tells addresses apart."""
        return value

    def canary(self, rng: Random) -> str:
        """Return a Bitcoin address with a right checksum."""
        body = b"\x00" + rng.randbytes(20)
        number = int.from_bytes(body + _digest(body), "big")
        digits = ""
        while number:
            number, rest = divmod(number, 58)
            digits = _BASE58[rest] + digits
        return f"1{digits}"


def base58check(value: str) -> bool:
    """Whether the last four bytes are the double SHA-256 of the others."""
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    if number.bit_length() > 200:
        return False
    data = number.to_bytes(25, "big")
    return _digest(data[:21]) == data[21:]


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(body).digest()).digest()[:4]


def bech32(value: str) -> bool:
    """Whether the checksum of a ``bc1`` address is right."""
    total = 1
    for each in (3, 3, 0, 2, 3, *(_BECH32.index(char) for char in re.sub("^bc1", "", value))):
        top = total >> 25
        total = (total & 0x1FFFFFF) << 5 ^ each
        for place, generator in enumerate(_GENERATORS):
            total ^= generator if top >> place & 1 else 0
    return total in (1, 0x2BC830A3)
