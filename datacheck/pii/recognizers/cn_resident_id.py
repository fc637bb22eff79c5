"""Resident identity numbers (GB 11643-1999), residence permits 81-83 and foreigners' cards 9…."""

from datetime import date
from random import Random

from datacheck.pii.lookalikes import is_machines
from datacheck.pii.matching.expressions import BETWEEN_GROUPS, BREAK, GAP, GATE_DIGITS, HAN, LEFT, LINKER, RIGHT, SIGNS
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

# GB/T 2260 province codes. 81-83: residence permits for Hong Kong, Macao, Taiwan; 9 opens foreigners' cards.
_PROVINCES = words(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83"
)
# ISO 3166-1 alpha-3 codes of the countries that most foreign residents come from.
_COUNTRIES = words(
    "AFG AGO ALB ARE ARG ARM AUS AUT AZE BEL BGD BGR BHR BIH BLR BOL BRA BRN BWA CAF CAN CHE CHL "
    "CIV CMR COD COG COL CRI CUB CYP CZE "
    "DEU DNK DOM DZA ECU EGY ERI ESP EST ETH FIN FJI FRA GAB GBR GEO GHA GIN GRC GTM GUY HND HRV "
    "HTI HUN IDN IND IRL IRN IRQ ISL ISR "
    "ITA JAM JOR JPN KAZ KEN KGZ KHM KOR KWT LAO LBN LBR LBY LKA LTU LUX LVA MAR MDA MDG MDV MEX "
    "MKD MLI MLT MMR MNE MNG MOZ MRT MUS "
    "MWI MYS NAM NER NGA NIC NLD NOR NPL NZL OMN PAK PAN PER PHL PNG POL PRK PRT PRY PSE QAT ROU "
    "RUS RWA SAU SDN SEN SGP SLE SLV SOM "
    "SRB SSD SUR SVK SVN SWE SYR TCD TGO THA TJK TKM TTO TUN TUR TZA UGA UKR URY USA UZB VEN VNM YEM ZAF ZMB ZWE"
)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)  # 2^(17-i) mod 11
_CHECK_DIGITS = "10X98765432"
_LENGTH, _OLD_LENGTH = 18, 15
_GLUED = r"(?<=(?<![A-Za-z0-9])(?i:id|id ?card|id ?no\.?|no\.?|sfzh?))"  # ID110105…


_LABELLED = r"(?:身份证|身分证|证件|sfz|(?<![A-Za-z])(?i:id))[号码: ：是]{0,4}"
_SIGNED = (
    rf"[1-9][0-9]{{5}}{SIGNS}(?:19|20)[0-9]{{6}}{SIGNS}[0-9]{{3}}[0-9Xx]"
    rf"|[1-9][0-9]{{3}}(?:{BETWEEN_GROUPS}[0-9]{{4}}){{3}}{BETWEEN_GROUPS}[0-9][0-9Xx]"
)
_CHECKED = ("cn_resident_id.lines", "cn_resident_id.signs", "cn_resident_id.touched")
_FIFTEEN = (  # region, YYMMDD, number in the register: before 1999
    rf"[1-8](?:{GAP}[0-9]){{7}}{GAP}(?:0{GAP}[1-9]|1{GAP}[0-2]){GAP}(?:0{GAP}[1-9]|[12]{GAP}[0-9]|3{GAP}[01])(?:{GAP}[0-9]){{3}}"
)
_BROKEN = rf"[1-9](?:(?:{BREAK})?[0-9]){{16}}(?:{BREAK})?[0-9Xx]"


class CnResidentId(Recognizer):
    """Region, birth date and check digit (ISO 7064 MOD 11-2); a wrong check digit is a suspect, not a miss.

    The region is judged by its province only: abolished counties stay valid for those born there.
    """

    entity = "CN_RESIDENT_ID"
    region = "CN"
    priority = 30
    policy = Policy("block", hard=True)
    prefilter = (
        rf"[1-9](?:(?:{BREAK})?[0-9]){{14}}|{_SIGNED}|[1-9](?:{GAP}[0-9]){{14}}|[A-Za-z]{{3}}(?:{GAP}[0-9]){{12}}"
    )
    gate = GATE_DIGITS
    patterns = {
        "cn_resident_id": (
            rf"(?:{LEFT}|{_GLUED})[1-9](?:{GAP}[0-9]){{5}}{GAP}(?:1{GAP}[89]|2{GAP}0)(?:{GAP}[0-9]){{9}}{GAP}[0-9Xx]{RIGHT}"
        ),
        "cn_resident_id.before_letters": rf"{_LABELLED}(?P<value>[1-9][0-9]{{16}}[0-9Xx])(?=[A-Za-z])",
        # 号110105…a, with a right check digit
        "cn_resident_id.touched": (
            rf"(?<=[{HAN}：])(?P<value>[1-9][0-9]{{5}}(?:19|20)[0-9]{{9}}[0-9Xx])(?=[A-Za-z]{{1,4}}(?![0-9A-Za-z]))"
        ),
        # no column of figures
        "cn_resident_id.lines": rf"{LEFT}(?=[0-9]{{3,}}[ \-]?\r?\n)(?!(?:[0-9]+\r?\n){{4}}){_BROKEN}{RIGHT}",
        "cn_resident_id.signs": (
            rf"{LEFT}(?:[1-9][0-9]{{5}}(?P<sign>{SIGNS})(?:19|20)[0-9]{{6}}(?P=sign)[0-9]{{3}}[0-9Xx]"
            rf"|[1-9][0-9]{{3}}(?P<four>{BETWEEN_GROUPS})(?:[0-9]{{4}}(?P=four)){{3}}[0-9][0-9Xx]){RIGHT}"
        ),
        "cn_resident_id.15": rf"{LEFT}{_FIFTEEN}{RIGHT}",
        "cn_resident_id.15_lines": (
            rf"(?:身[份分][证證]|证件|(?<![A-Za-z])(?i:chinese|resident|identity) (?i:id|card))"
            rf"(?:[号號][码碼]?|[ ](?i:number))?{LINKER}(?P<value>[1-8](?:(?:{BREAK})?[0-9]){{14}}){RIGHT}"
        ),
        "cn_resident_id.foreigner_2017": rf"{LEFT}[A-Za-z]{{3}}(?:{GAP}[0-9]){{12}}{RIGHT}",
    }
    positive = (
        r"身份证|身分证|公民身份|证件号|身份号码|证号|居住证|居留|外国人"
        r"|(?i:identity|national_?id|id_?(?:card|no|number)|residen[ct]|chinese ?id)"
    )
    extents = (rf"(?<![0-9A-Za-z])[A-Za-z]{{3}}(?:{GAP}[0-9]){{12}}(?![0-9A-Za-z])",)
    negative_left = r"[*×÷^=≈]\s*-?$|[0-9]\.$"
    negative_right = r"^\s*[*×÷^=]\s*[0-9]"
    specimens = frozenset({"11010519491231002X", "440524188001010014", "34052419800101001X", "130503670401001"})

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge 18 digits by date, province and check digit; 15 digits have none of it and need context."""
        number = self.canonical(value)
        if number in self.specimens:
            return Judgement(1.0, "specimen")
        if rule == "cn_resident_id.foreigner_2017":
            return _foreigner(number)
        born = number[6:14] if len(number) == _LENGTH else f"19{number[6:12]}"
        if not _is_date(born) or not (number[:2] in _PROVINCES or number[0] == "9"):
            return Judgement(0.2, "suspect") if len(number) == _LENGTH else None
        if rule in _CHECKED and number[-1] != check_digit(number[:17]):
            return None
        if len(number) == _OLD_LENGTH:  # no check digit: the word beside it is all the evidence
            return Judgement(0.6 if rule.endswith("lines") else 0.2, "valid")
        if number[-1] == check_digit(number[:17]):
            return Judgement(1.0, "valid")
        return Judgement(0.3 if number[0] == "9" else 0.6, "suspect")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """What a machine wrote is none."""
        return is_machines(text, start, end)

    def mask(self, value: str) -> str:
        """Keep the six digits of the region."""
        number = self.canonical(value)
        return number[:6] + "*" * (len(number) - 6)

    def canary(self, rng: Random) -> str:
        """Return 18 characters: a real province, a date of 1950 to 2009, a right check digit."""
        born = date.fromordinal(rng.randrange(date(1950, 1, 1).toordinal(), date(2010, 1, 1).toordinal()))
        body = rng.choice(("110105", "310104", "440305", "510107")) + f"{born:%Y%m%d}" + random_digits(rng, 3)
        return body + check_digit(body)


def check_digit(body: str) -> str:
    """Return the ISO 7064 MOD 11-2 check character of 17 digits."""
    return _CHECK_DIGITS[sum(int(digit) * weight for digit, weight in zip(body, _WEIGHTS, strict=True)) % 11]


def check_731(body: str) -> str:
    """Return the check digit of ICAO Doc 9303-3, 4.9: weights 7, 3, 1, letters count 10 to 35, modulo 10.

    KAZ110090123105, an example of a card of 2017 in other validators, has it.
    """
    return str(sum(int(char, 36) * (7, 3, 1)[place % 3] for place, char in enumerate(body)) % 10)


def _foreigner(number: str) -> Judgement | None:
    """Judge a card of 2017: ISO 3166 country, place of application, YYMMDD, sequence and check digit."""
    if number[:3] not in _COUNTRIES or number[3:5] not in _PROVINCES or not _is_date(f"20{number[7:13]}"):
        return None
    return Judgement(0.8, "valid") if number[-1] == check_731(number[:-1]) else Judgement(0.5, "suspect")


def _is_date(eight: str) -> bool:
    try:
        date(int(eight[:4]), int(eight[4:6]), int(eight[6:]))
    except ValueError:
        return False
    return eight[:2] in ("18", "19", "20")
