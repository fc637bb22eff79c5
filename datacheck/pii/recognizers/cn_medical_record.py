"""Patients' numbers, by their label."""

from itertools import pairwise
from random import Random
from string import ascii_letters

from datacheck.pii.matching.expressions import GAP, GATE_FIVE_DIGITS, IS_MINE, LEFT, LINKER, NO_WORD, RIGHT
from datacheck.pii.policy import Policy, State
from datacheck.pii.recognizers.base import Labelled, compact, digits_of, random_digits, words

_LABEL = (
    r"(?:病历|病歷|病案|住院|门诊|門診|急诊|急診|就诊|就診|诊疗|診療|病理|患者|病人|体检)(?:编|卡)?(?:[号號]|编码|ID|id)"
    r"|(?:病历|病歷|病案|就诊|诊疗)[卡本]"
    r"|(?i:mrn|(?:medical|health|patient|clinical|hospital)[ _\-]{0,2}(?:record|chart|case)"
    r"(?:[ _\-]{0,2}(?:number|num|no\.?|id))?"
    r"|(?:patient|admission|inpatient|outpatient|hospitali[sz]ation)[ _\-]{0,2}(?:number|num|no\.?|id))"
)
_VALUE = rf"(?:[A-Za-z]{GAP}){{0,4}}[0-9](?:{GAP}[0-9]){{4,17}}"


class CnMedicalRecord(Labelled):
    """A number after 病历号, 住院号, 就诊卡号, MRN."""

    entity = "CN_MEDICAL_RECORD"
    region = "CN"
    priority = 60
    policy = Policy("block", hard=True)
    label = "住院号"
    prefilter = _LABEL
    gate = GATE_FIVE_DIGITS
    patterns = {
        "cn_medical_record": rf"(?:{_LABEL}){LINKER}(?<![0-9A-Za-z]){NO_WORD}(?P<value>{_VALUE}){RIGHT}",
        "cn_medical_record.behind": rf"{LEFT}(?P<value>[A-Za-z]{{0,4}}[0-9]{{5,18}}){IS_MINE}(?:{_LABEL})(?!段)",
    }
    extents = (rf"(?:{_LABEL}){LINKER}(?<![0-9A-Za-z]){NO_WORD}(?P<value>{_VALUE})",)
    specimens = words("12345 123456 1234567 12345678 123456789 00000 000000 00000000")

    def state(self, value: str) -> State:
        """24680 and 54321 were typed as examples: each digit is as far from the one before as the next from it."""
        digits = digits_of(value)
        steps = {(int(after) - int(before)) % 10 for before, after in pairwise(digits)}
        stepped = len(steps) == 1 and compact(value).lstrip(ascii_letters) == digits  # M123456789, too
        return "specimen" if stepped else super().state(value)

    def canary(self, rng: Random) -> str:
        """Return a labelled number."""
        return f"{self.label}{rng.choice('4567')}{random_digits(rng, 7)}9"
