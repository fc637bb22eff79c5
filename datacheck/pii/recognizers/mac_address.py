"""Hardware addresses (EUI-48)."""

from random import Random

from datacheck.pii.matching.expressions import LEFT, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, words

_HEX = "[0-9A-Fa-f]{2}"
_LEFT = rf"(?:{LEFT}|(?<=(?<![A-Za-z])(?i:mac)))"  # mac44:ce:26…


class MacAddress(Recognizer):
    """Six pairs of hexadecimal digits, or three groups of four."""

    entity = "MAC_ADDRESS"
    priority = 290
    policy = Policy("warn")
    label = "MAC "
    prefilter = (
        rf"{_HEX}(?:[ ]?[:：\-. ][ ]?{_HEX}){{5}}|[0-9A-Fa-f]{{4}}\.[0-9A-Fa-f]{{4}}\.[0-9A-Fa-f]{{4}}"
        rf"|(?i:mac).{{0,20}}[0-9A-Fa-f]{{12}}"
    )
    patterns = {
        "mac_address": (
            rf"(?<!(?<![0-9A-Za-z]){_HEX}[:：\-]){_LEFT}{_HEX}(?:(?:[:：]{_HEX}){{5}}|(?:-{_HEX}){{5}}){RIGHT}(?![:：\-][0-9A-Fa-f"
            rf"])"
        ),
        "mac_address.spaced": (
            rf"(?<!(?<![0-9A-Za-z]){_HEX} ?[:：\-.] ?){LEFT}{_HEX}(?:[ ]?[:：\-. ][ ]?{_HEX}){{5}}{RIGHT}"
            rf"(?![ ]?[:：\-. "
            rf"]?[0-9A-Fa-f]{{2}}(?![0-9A-Za-z]))"
        ),
        "mac_address.groups": rf"{LEFT}[0-9A-Fa-f]{{4}}\.[0-9A-Fa-f]{{4}}\.[0-9A-Fa-f]{{4}}{RIGHT}",
        "mac_address.bare": rf"(?i:mac).{{0,20}}{LEFT}(?P<value>[0-9A-Fa-f]{{12}}){RIGHT}",
    }
    positive = (
        r"物理地址|硬件地址|网卡"
        r"|(?i:mac|(?:physical|hardware) address|ethernet|wi-?fi|wlan|bssid|hwaddr|bluetooth|蓝牙)"
    )
    extents = (
        rf"(?<![0-9A-Za-z]){_HEX}(?:[ ]?[:：\-. ][ ]?{_HEX}){{5}}(?![0-9A-Za-z])",
        r"(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}",
        r"(?<![0-9A-Za-z])(?=[0-9]{0,11}[A-Fa-f])[0-9A-Fa-f]{12}",
    )
    specimens = words(
        "001122334455 123456789ABC 0123456789AB 001A2B3C4D5E 000000000000 1A2B3C4D5E6F "
        "A1B2C3D4E5F6 112233445566 001B44113AB7"
    )
    shown = (4, 0)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the form: digits only in other writings are dates and serial numbers.

        Letters only are six words or a placeholder: of real addresses one in 130,000 has no digit ((6/16)^12).
        """
        address = self.canonical(value)
        if address.isalpha():
            return None
        if address in self.specimens:
            return Judgement(1.0 if rule == "mac_address" else 0.3, "specimen")
        if rule in ("mac_address.groups", "mac_address.bare") and address.isdigit():
            return Judgement(0.3, "valid")
        return Judgement(
            {"mac_address": 0.8, "mac_address.groups": 0.5, "mac_address.bare": 0.5}.get(rule, 0.3), "valid"
        )

    def canary(self, rng: Random) -> str:
        """Return an address with colons."""
        return "3C:" + ":".join(f"{rng.randrange(160, 256):02X}" for _ in range(5))
