"""IPv4 addresses."""

import ipaddress
from random import Random

from datacheck.pii.recognizers.base import LEFT, RIGHT, Judgement, Recognizer, words

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_SMALL = 10


class IpAddress(Recognizer):
    """A dotted quad; private, reserved and documentation networks and public resolvers are specimens."""

    entity = "IP_ADDRESS"
    prefilter = r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"
    patterns = {"ip_address.v4": rf"{LEFT}(?<![0-9A-Za-z]\.)(?:{_OCTET}\.){{3}}{_OCTET}{RIGHT}(?!\.[0-9A-Za-z])"}
    positive = r"地址|服务器|主机|(?i:\bip|host|server|address|ping|ssh)"
    negative_left = r"(?i:version|ver\.?|版本|版|\bv)[号\s:：=]*$"
    specimens = words("8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 114.114.114.114 223.5.5.5 223.6.6.6")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by network; four one-digit numbers are more often a section or a version."""
        del rule
        if value in self.specimens or not ipaddress.IPv4Address(value).is_global:
            return Judgement(1.0, "specimen")
        if all(int(octet) < _SMALL for octet in value.split(".")):
            return Judgement(0.5, "suspect", "valid")
        return Judgement(0.7, "valid")

    def canonical(self, value: str) -> str:
        """Return it as it stands: the pattern allows one spelling only."""
        return value

    def mask(self, value: str) -> str:
        """Keep the first two octets."""
        first, second, *_ = value.split(".")
        return f"{first}.{second}.*.*"

    def canary(self, rng: Random) -> str:
        """Return a globally routed address."""
        octets = (
            rng.choice((39, 47, 101, 120)),
            rng.randrange(10, 60),
            rng.randrange(256),
            rng.randrange(1, 255),
        )
        return ".".join(map(str, octets))


RECOGNIZER = IpAddress()
