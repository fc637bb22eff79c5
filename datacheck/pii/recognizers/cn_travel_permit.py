"""Permits for travel between the mainland and Hong Kong, Macao and Taiwan."""

from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, GLUED_LEFT, LINKER, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_LABEL = r"[台臺]胞[证證]|通行[证證]|回[乡鄉][证證卡]|(?i:(?:compatriots?|travel|return|taiwan)[ _\-]{0,2}permit)"
_NUMBER_OF = rf"(?:{_LABEL})[)）]?(?:[号號][码碼]?|[证證][号號]|[编編][号號]|[ _\-]{{0,2}}(?i:number|num|no\.?))?"
_DIGITS = rf"(?:{GAP}[0-9])"


class CnTravelPermit(Recognizer):
    """H/M and eight or ten digits (residents of Hong Kong, Macao), C/W/T/L permits, eight digits for Taiwan.

    The forms are no rarer than part numbers, so all take context; a bare number takes the label itself.
    """

    entity = "CN_TRAVEL_PERMIT"
    region = "CN"
    priority = 80
    policy = Policy("block", hard=True)
    label = "通行证"
    gate = GATE_DIGITS
    prefilter = rf"[0-9]{_DIGITS}{{6}}"
    needs = anywhere(
        "通行证", "通行證", "港澳", "回乡", "回鄉", "台胞", "臺胞", "台湾居民", "来往", "往来", "permit", "homereturn"
    )
    patterns = {
        "cn_travel_permit.hm": rf"{GLUED_LEFT}[HMhm]{_DIGITS}{{8}}(?:{_DIGITS}{{2}})?(?![0-9]|[A-Za-z][0-9A-Za-z])",
        "cn_travel_permit.outbound": (
            rf"{GLUED_LEFT}(?:[CWTLcwtl]{_DIGITS}{{8}}|[CWcw]{GAP}[A-HJ-NP-Za-hj-np-z]{_DIGITS}{{7}})"
            rf"{RIGHT}"
        ),
        "cn_travel_permit.taiwan": (
            rf"{_NUMBER_OF}{LINKER}{GLUED_LEFT}(?P<value>[0-9]{_DIGITS}{{7}}(?:{_DIGITS}{{2}})?){RIGHT}"
        ),
    }
    positive = r"通行证|通行證|港澳|回乡|回鄉|台胞|臺胞|台湾居民|来往内地|往来|来往大陆|(?i:permit|home ?return)"
    extents = (rf"(?<![0-9A-Za-z])[A-Za-z]{{1,2}}{GAP}[0-9](?:{GAP}[0-9]){{6,9}}(?![0-9])",)
    specimens = words("H00000000 H12345678 M12345678 C12345678 W12345678 T12345678 L12345678 12345678 H1234567890")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the form."""
        return Judgement(0.6 if rule == "cn_travel_permit.taiwan" else 0.2, self.state(value))

    def canary(self, rng: Random) -> str:
        """Return the word and an 11-character number."""
        return f"{self.label}H{random_digits(rng, 9)}7"
