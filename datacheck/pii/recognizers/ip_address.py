"""IP addresses, version 4 and 6."""

import ipaddress
import re
from random import Random

from datacheck.pii.matching.expressions import HAN, LEFT, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, words

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_DOT = r"(?:[ ]?\.[ ]?|\[\.\])"
_START = rf"(?:{LEFT}|(?<=(?<![A-Za-z])(?:IP|ip)))"  # 登录IP39.156.66.10
# What a component is taken of: h.2.2.1.1, h₀.2.2.1.1, (h x).2.2.1.1 in Lean, section 3.2.2.1.1
_TAKEN_OF = r"[0-9A-Za-z)\]⟩'′\u0370-\u03ff\u2080-\u209c]\."
_SMALL, _FEW = 10, 3
_HEADING = re.compile(r"(?:\A|\n)[#* \t]{0,8}\Z")
_TITLE = re.compile(rf"[ \t]{{0,4}}(?:\n(?![0-9])|[{HAN}])")
_QUAD = 4
_ALLOCATED = ipaddress.ip_network("2000::/3")  # global unicast, as far as IANA gives it out (RFC 4291, 2.4)
# /24: a network, or an interface's address with the length of its prefix; judge() tells them apart
_PREFIX, _NO_PREFIX = r"/[0-9]{1,3}(?![0-9A-Za-z])", r"(?!/[0-9]{1,3}(?![0-9A-Za-z]))"
_V6 = r"[0-9A-Fa-f:：]{2,39}(?:(?<=[:：])[0-9]{1,3}(?:\.[0-9]{1,3}){3})?"


class IpAddress(Recognizer):
    """IPv4 and IPv6; private, reserved and documentation networks and public resolvers are specimens.

    A network (34.64.0.0/10: no bit set behind its prefix, RFC 4632) is nobody's address and is not reported, in a list
    or alone; 39.12.216.7/24 is the address of an interface.
    """

    entity = "IP_ADDRESS"
    priority = 300
    policy = Policy("warn")
    prefilter = (
        rf"[0-9]{_DOT}[0-9]{{1,3}}{_DOT}[0-9]{{1,3}}{_DOT}[0-9]|[0-9A-Fa-f][:：]{{2}}"
        rf"|[:：]{{2}}[0-9A-Fa-f]|(?:[0-9A-Fa-f]{{1,4}}[:：]){{6}}[0-9A-Fa-f]"
    )
    patterns = {
        "ip_address.v4": rf"{_START}(?<!{_TAKEN_OF})(?:{_OCTET}\.){{3}}{_OCTET}{RIGHT}(?!\.[0-9A-Za-z]){_NO_PREFIX}",
        "ip_address.v4_prefix": rf"{_START}(?<!{_TAKEN_OF})(?:{_OCTET}\.){{3}}{_OCTET}{_PREFIX}",
        "ip_address.v4_defanged": (
            rf"{_START}(?<!{_TAKEN_OF} ?)(?:{_OCTET}{_DOT}){{3}}{_OCTET}{RIGHT}(?! ?\. ?[0-9]){_NO_PREFIX}"
        ),
        "ip_address.v6": (
            # after the colon of a label, but not in the midst of another address
            rf"(?<![0-9A-Za-z.]|[:：]{{2}})(?<!(?<![0-9A-Za-z])[0-9A-Fa-f]{{1,4}}[:：])(?=[0-9A-Fa-f]|[:：]{{2}}){_V6}(?![0-9A-Za-z:：]|\.[0-9])(?:{_PREFIX})?"
        ),
    }
    positive = r"地址|服务器|主机|(?i:(?<![a-z])ip|host|server|address|ping|ssh)"
    # a version, a section, or what a growth measures whose signs were lost: 囊肿5.64.52.9 (5.6×4.5×2.9)
    negative_left = (
        r"(?i:version|ver\.?|@since|版本|版|\bv)[号\s:：=]*$|§[ ]?$"
        r"|(?:囊肿|肿[块瘤物]|结节|肌瘤|息肉|病灶|大小)[约为:： ]{0,3}$"
    )
    extents = (
        (
            r"(?<![0-9A-Za-z])(?=[0-9A-Fa-f]{0,4}[:：][0-9A-Fa-f:：]{0,30}[0-9A-Fa-f:：][:：]|[:：]{2}"
            r"|[0-9A-Fa-f]{1,4}[:：]{2})[0-9A-Fa-f:：]{3,45}(?:[0-9.]{0,15})"
        ),
    )
    specimens = words(
        "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 114.114.114.114 223.5.5.5 223.6.6.6 2001:4860:4860::8888"
    )

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by network; four one-digit numbers are more often a section or a version."""
        try:
            address = ipaddress.ip_address(self.canonical(value))
        except ValueError:
            return None
        if "/" in value and _is_network(self._compact(value)):
            return None
        is_known = str(address) in self.specimens or not address.is_global
        if address.version == 6:
            return self._of_version_6(rule, value, address, is_known=is_known)
        is_defanged = rule == "ip_address.v4_defanged"
        if is_known:
            return Judgement(0.4 if is_defanged else 1.0, "specimen")
        if all(octet < _SMALL for octet in address.packed):
            return Judgement(0.2 if is_defanged else 0.5, "suspect", "valid")
        return Judgement(0.4 if is_defanged else 0.7, "valid")

    def _of_version_6(
        self, rule: str, value: str, address: ipaddress.IPv6Address, *, is_known: bool
    ) -> Judgement | None:
        if rule == "ip_address.v6" and "/" not in value and self._compact(value).endswith("::"):
            return None  # a network again, or a slice: a[1::-1]
        groups = sum(group != "" for group in str(address).split(":"))
        if groups <= 1 or not any(char.isdigit() for char in value):
            return None  # std::a, ::1, 流程是：：①
        if is_known:
            return Judgement(1.0, "specimen")
        # of so few groups nobody has another one: 2::2 is a size in Elixir's <<1::2, 2::2>>
        return Judgement(0.7, "valid") if groups > _FEW or address in _ALLOCATED else None

    def denies(self, value: str, before: str, after: str) -> bool:
        """The number of a section begins its line, and its title follows on this line or the next: 2.6.1.3 ⏎."""
        octets = re.findall("[0-9]+", value)
        return (
            len(octets) == _QUAD
            and all(int(octet) < _SMALL for octet in octets)
            and not re.search(self.positive, before)
            and bool(before and _HEADING.search(before) and _TITLE.match(after))
        )

    def canonical(self, value: str) -> str:
        """Return it without spaces, brackets and the length of a prefix."""
        return self._compact(value).partition("/")[0]

    def _compact(self, value: str) -> str:
        return "".join(char for char in value.lower() if char not in " []").replace("：", ":")

    def mask(self, value: str) -> str:
        """Keep the first two octets, or the first group."""
        value = self.canonical(value)
        separator = ":" if ":" in value else "."
        first, second, *_ = [*value.split(separator), ""]
        return f"{first[:4]}:****" if separator == ":" else f"{first}.{second}.*.*"

    def canary(self, rng: Random) -> str:
        """Return a globally routed address."""
        octets = (rng.choice((39, 47, 101, 120)), rng.randrange(10, 60), rng.randrange(256), rng.randrange(1, 255))
        return ".".join(map(str, octets))


def _is_network(value: str) -> bool:
    """Whether an address has no bit set behind its prefix; a number too large for one is a path (1.2.3.4/99)."""
    try:
        interface = ipaddress.ip_interface(value)
    except ValueError:
        return False
    return interface.ip == interface.network.network_address and interface.network.num_addresses > 1
