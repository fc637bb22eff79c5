"""Random personal identifiers, written from the public standards alone, to judge the recognizers with.

Nothing here was written after the recognizers of the project or after their tests: the truth of a recall figure must
not come from the code that it measures. Every generator takes a `random.Random`, so a seed fixes every value.

- `FORMS[entity][form](rng)` yields a valid value of one written form; `generate(entity, rng)` picks the form.
- `wrap(value, entity, rng)` puts a value into a sentence, a JSON document, a CSV file or a chat.
- `DISGUISES[name](value, rng)` writes a value in another way; `DISGUISES_OF[entity]` says which ways make sense.
- `example(entity, rng)` does all three; `negative(rng)` yields a text with numbers that identify nobody.

All of them give character offsets into the text as it stands, escapes included: `text[start:end]` is the value as
written there, `value` is the value before any disguise or escape. For a URL with a password the value is the whole URL,
for `password=…` only the password: a finding is fairly judged by its overlap with the span, not by equality.
Some numbers are the same thing under two names (the number of a driving licence and the social security number *are*
the resident ID number): `SAME_NUMBER` says which other entity is an equally right answer.
"""

import base64
import calendar
import datetime as dt
import hashlib
import hmac
import ipaddress
import json
import re
import string
import zlib
from collections.abc import Callable
from random import Random
from typing import NamedTuple

Maker = Callable[[Random], str]
DIGITS = string.digits
ALNUM = string.digits + string.ascii_uppercase + string.ascii_lowercase
LETTERS_NO_IO = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # document and plate series leave out I and O


class Planted(NamedTuple):
    """One identifier in a text; `start` and `end` are character offsets."""

    text: str
    start: int
    end: int
    entity: str
    value: str


class Negative(NamedTuple):
    """A text without any identifier; `kind` says what its numbers are."""

    text: str
    kind: str


def _pick(rng: Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def _number(rng: Random, count: int) -> str:
    return _pick(rng, DIGITS, count)


def _birthday(rng: Random, first: int = 1940, last: int = 2012) -> dt.date:
    year, month = rng.randint(first, last), rng.randint(1, 12)
    return dt.date(year, month, rng.randint(1, calendar.monthrange(year, month)[1]))


# --- check characters ---


def check_mod11_2(body: str) -> str:
    """ISO 7064 MOD 11-2 as GB 11643-1999 uses it: factors 2^(n-i) mod 11; value 10 is written X."""
    total = sum(int(digit) * pow(2, len(body) - i, 11) for i, digit in enumerate(body))
    return "0123456789X"[(12 - total % 11) % 11]


def check_luhn(body: str) -> str:
    """ISO/IEC 7812-1, annex B: every second digit from the right is doubled, its digits added."""
    total = 0
    for i, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 if i % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def check_731(body: str) -> str:
    """ICAO Doc 9303-3, section 4.9: weights 7, 3, 1 repeated, letters count A=10 … Z=35, modulo 10."""
    return str(sum(int(char, 36) * (7, 3, 1)[i % 3] for i, char in enumerate(body)) % 10)


USCC_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"  # GB 32100-2015: no I, O, S, V, Z


def check_uscc(body: str) -> str:
    """GB 32100-2015 (GB/T 17710 MOD 31-3): factors 3^(i-1) mod 31 over 17 characters."""
    total = sum(USCC_ALPHABET.index(char) * pow(3, i, 31) for i, char in enumerate(body))
    return USCC_ALPHABET[-total % 31]


def check_organisation(body: str) -> str:
    """GB 11714-1997: factors 3, 7, 9, 10, 5, 8, 4, 2 over 8 characters, letters A=10 … Z=35, modulo 11, 10 is X."""
    total = sum(int(char, 36) * factor for char, factor in zip(body, (3, 7, 9, 10, 5, 8, 4, 2), strict=True))
    return "0123456789X"[-total % 11]


def check_hkid(body: str) -> str:
    """Hong Kong: weights 9 … 2 over eight places, letters A=10 … Z=35, a blank first place counts 36, modulo 11.

    The check character 10 is written A. A123456(3) is the example of the Immigration Department.
    """
    values = [36 if char == " " else int(char, 36) for char in body.rjust(8)]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return "0123456789A"[-total % 11]


TW_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"  # the letter's place here plus 10 is its number (Ministry of the Interior)


def check_taiwan(body: str) -> str:
    """Taiwan: the letter's two digits and eight digits, weights 1, 9, 8, 7, 6, 5, 4, 3, 2, 1; modulo 10."""
    digits = str(TW_LETTERS.index(body[0]) + 10) + body[1:]
    total = sum(int(digit) * weight for digit, weight in zip(digits, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1), strict=True))
    return str(-total % 10)


def check_iban(country: str, bban: str) -> str:
    """ISO 13616 / ISO 7064 MOD 97-10: two digits."""
    number = int("".join(str(int(char, 36)) for char in bban + country + "00"))
    return f"{98 - number % 97:02d}"


# --- CN_RESIDENT_ID ---

# Counties that GB/T 2260 has had, one or more for each province.
COUNTIES = (
    "110101 110105 110108 120101 130102 140105 150102 210102 220102 230102 310101 310104 310115 320102 320506 330106 "
    "330108 340102 350203 360102 370102 410102 420106 430102 440106 440305 450102 460105 500103 500112 510104 510107 "
    "520102 530102 540102 610113 620102 630102 640104 650102"
).split()


def resident_id_18(rng: Random) -> str:
    """GB 11643-1999: county (GB/T 2260), birthday, sequence (odd: male), MOD 11-2."""
    body = rng.choice(COUNTIES) + f"{_birthday(rng):%Y%m%d}" + f"{rng.randint(1, 999):03d}"
    return body + check_mod11_2(body)


def resident_id_15(rng: Random) -> str:
    """GB 11643-1989: county, birthday with a two-digit year (19xx), sequence; no check digit."""
    return rng.choice(COUNTIES) + f"{_birthday(rng, 1930, 1999):%y%m%d}" + f"{rng.randint(1, 995):03d}"


def residence_permit(rng: Random) -> str:
    """Residence permit of Hong Kong 810000, Macau 820000, Taiwan 830000 residents (State Council, 2018); GB 11643."""
    body = rng.choice(("810000", "820000", "830000")) + f"{_birthday(rng):%Y%m%d}" + f"{rng.randint(1, 999):03d}"
    return body + check_mod11_2(body)


# ISO 3166-1 alpha-3 and numeric.
COUNTRIES = {"USA": "840", "GBR": "826", "JPN": "392", "KOR": "410", "DEU": "276", "FRA": "250", "CAN": "124"} | {
    "AUS": "036", "RUS": "643", "KAZ": "398", "SGP": "702", "IND": "356", "PAK": "586", "NGA": "566",
}  # fmt: skip


def permanent_resident_2017(rng: Random) -> str:
    """Foreigner's permanent resident ID card of 2017: nationality, place of issue (4), yymmdd, sequence, 7-3-1 digit."""
    body = rng.choice(list(COUNTRIES)) + rng.choice(COUNTIES)[:2] + "00" + f"{_birthday(rng):%y%m%d}" + _number(rng, 1)
    return body + check_731(body)


def permanent_resident_2023(rng: Random) -> str:
    """The card of 2023 (National Immigration Administration): 9, province (2), nationality (3), birthday, MOD 11-2."""
    place = "9" + rng.choice(COUNTIES)[:2] + rng.choice(list(COUNTRIES.values()))
    body = place + f"{_birthday(rng):%Y%m%d}" + f"{rng.randint(1, 999):03d}"
    return body + check_mod11_2(body)


# --- telephones ---

# MIIT, allocation of network numbers and H0 as of March 2023; satellite numbers (1349, 174x, 1619) are left out.
MOBILE_PREFIXES = (
    [f"134{h}" for h in "012345678"]
    + "130 131 132 133 135 136 137 138 139 145 146 147 148 149 150 151 152 153 155 156 157 158 159".split()
    + "162 165 166 167 170 171 172 173 175 176 177 178 180 181 182 183 184 185 186 187 188 189".split()
    + "190 191 192 193 195 196 197 198 199".split()
)


def mobile(rng: Random) -> str:
    prefix = rng.choice(MOBILE_PREFIXES)
    return prefix + _number(rng, 11 - len(prefix))


def mobile_international(rng: Random) -> str:
    """ITU-T E.123: country code 86; as people write it."""
    return rng.choice(("+86", "+86 ", "+86-", "0086", "0086-", "0086 ", "86-", "(+86)", "（+86）")) + mobile(rng)


def mobile_grouped(rng: Random) -> str:
    number, separator = mobile(rng), rng.choice(" -")
    return separator.join((number[:3], number[3:7], number[7:]))


AREAS_8 = "010 020 021 022 023 024 025 027 028 029 0755 0571 0512 0531 0532 0591 0731 0411 0431 0451 0311 0371".split()
AREAS_7 = "0592 0756 0931 0991 0351 0471 0951 0971 0891".split()


def _landline(rng: Random) -> tuple[str, str]:
    """The numbering plan: area code 0 and two or three digits; local number of eight or seven digits, first 2 … 8.

    400 and 800 are no subscribers but services.
    """
    area = rng.choice(AREAS_8 + AREAS_7)
    start = rng.choice([str(n) for n in range(200, 900) if n not in {400, 800}])
    return area, start + _number(rng, 5 if area in AREAS_8 else 4)


def landline_dashed(rng: Random) -> str:
    return "-".join(_landline(rng))


def landline_written(rng: Random) -> str:
    area, local = _landline(rng)
    shapes = (f"({area}){local}", f"（{area}）{local}", f"{area} {local}", f"{area}-{local[:4]} {local[4:]}")
    abroad = (f"+86-{area[1:]}-{local}", f"+86 {area[1:]} {local}", f"0086-{area[1:]}-{local}")
    return rng.choice(shapes + abroad)


def landline_extension(rng: Random) -> str:
    return "-".join(_landline(rng)) + rng.choice(("-", "转")) + str(rng.randint(100, 8999))


def landline_compact(rng: Random) -> str:
    return "".join(_landline(rng))


# --- cards and accounts ---

UNIONPAY_BINS = {  # issuer's prefix: length, from the banks' own card pages
    "622202": 19, "621226": 19, "622848": 19, "621700": 19, "621661": 19, "621799": 19,
    "622588": 16, "621483": 16, "622700": 16, "622260": 17, "625809": 16, "628288": 16,
}  # fmt: skip


def _card(rng: Random, prefix: str, length: int) -> str:
    body = prefix + _number(rng, length - len(prefix) - 1)
    return body + check_luhn(body)


def unionpay(rng: Random) -> str:
    """UnionPay: ISO/IEC 7812 numbers that begin with 62, 16 to 19 digits, Luhn."""
    if rng.random() < 0.6:
        prefix = rng.choice(list(UNIONPAY_BINS))
        return _card(rng, prefix, UNIONPAY_BINS[prefix])
    return _card(rng, "62" + rng.choice("12345678"), rng.randint(16, 19))


def foreign_card(rng: Random) -> str:
    """Visa 4, Mastercard 51 … 55 and 2221 … 2720, JCB 3528 … 3589 (16 digits), American Express 34, 37 (15)."""
    prefix, length = rng.choice(
        (
            ("4", 16),
            (str(rng.randint(51, 55)), 16),
            (str(rng.randint(2221, 2720)), 16),
            (str(rng.randint(3528, 3589)), 16),
            (rng.choice(("34", "37")), 15),
        )
    )
    return _card(rng, prefix, length)


def card_grouped(rng: Random) -> str:
    """In groups of four, as embossed on the card."""
    number = unionpay(rng)
    return rng.choice(" -").join(number[i : i + 4] for i in range(0, len(number), 4))


def bank_account(rng: Random) -> str:
    """Accounts of firms have no national check digit; the banks use 12 to 21 digits."""
    return rng.choice("123456789") + _number(rng, rng.choice((12, 15, 17, 19, 20, 21)) - 1)


def iban(rng: Random) -> str:
    """ISO 13616, structures of the SWIFT registry; Belgium and France with their national check digits."""
    country = rng.choice(("DE", "GB", "NL", "CH", "AT", "IE", "LU", "SA", "AE", "BE", "FR"))
    bank = _pick(rng, string.ascii_uppercase, 4)
    if country == "BE":
        body = rng.choice(("001", "050", "113")) + _number(rng, 7)  # codes that the National Bank has given to banks
        bban = body + f"{int(body) % 97 or 97:02d}"
    elif country == "FR":
        branch, account = _number(rng, 10), _number(rng, 11)
        bban = branch + account + f"{97 - int(branch + account + '00') % 97:02d}"
    else:
        bban = {
            "DE": _number(rng, 18),
            "GB": bank + _number(rng, 14),
            "NL": bank + _number(rng, 10),
            "CH": _number(rng, 17),
            "AT": _number(rng, 16),
            "IE": bank + _number(rng, 14),
            "LU": _number(rng, 16),
            "SA": _number(rng, 20),
            "AE": _number(rng, 19),
        }[country]
    return country + check_iban(country, bban) + bban


def iban_printed(rng: Random) -> str:
    """ISO 13616: on paper in groups of four."""
    number = iban(rng)
    return " ".join(number[i : i + 4] for i in range(0, len(number), 4))


# --- travel documents and identity cards ---


def passport(rng: Random) -> str:
    """E and eight digits (from 2012), then E, a letter and seven digits (from 2017); G and eight digits (1997)."""
    ordinary = ("E" + _number(rng, 8), "E" + rng.choice(LETTERS_NO_IO) + _number(rng, 7), "G" + _number(rng, 8))
    return rng.choice((*ordinary, rng.choice(("DE", "SE", "PE")) + _number(rng, 7)))


def home_return_permit(rng: Random) -> str:
    """Mainland travel permit for Hong Kong (H) and Macau (M) residents: 8 digits for life, until 2013 2 of reissue."""
    return rng.choice("HM") + _number(rng, 8) + rng.choice(("", "", f"{rng.randint(0, 5):02d}"))


def exit_endorsement(rng: Random) -> str:
    """Permit to Hong Kong and Macau: C and eight digits (2014), C, a letter (not I, O), seven digits; W on paper."""
    return rng.choice(("C" + _number(rng, 8), "C" + rng.choice(LETTERS_NO_IO) + _number(rng, 7), "W" + _number(rng, 8)))


def taiwan_compatriot_permit(rng: Random) -> str:
    """Mainland travel permit for Taiwan residents: 8 digits on the card of 2015, 10 on the booklet before."""
    return rng.choice("012345678") + _number(rng, rng.choice((7, 7, 9)))


def permit_to_taiwan(rng: Random) -> str:
    """Permit of mainland residents to Taiwan: L and eight digits (card of 2017), T and eight digits (booklet)."""
    return rng.choice("LT") + _number(rng, 8)


def _hkid(rng: Random) -> tuple[str, str]:
    prefix = rng.choice((*"ABCDEFGHKMNPRSVWYZ", "WX", "XA", "XB", "XC", "XD", "XE", "XG", "XH", "EC"))
    body = prefix + _number(rng, 6)
    return body, check_hkid(body)


def hk_id(rng: Random) -> str:
    body, check = _hkid(rng)
    return f"{body}({check})"


def hk_id_compact(rng: Random) -> str:
    return "".join(_hkid(rng))


def macau_id(rng: Random) -> str:
    """Law 8/2002: 1, 5 or 7 and six digits, a check digit in brackets. Its rule is not public, so any digit serves."""
    first, body, check = rng.choice("157"), _number(rng, 6), _number(rng, 1)
    return rng.choice((f"{first}{body}({check})", f"{first}{body}（{check}）", f"{first}/{body}/{check}"))


def taiwan_id(rng: Random) -> str:
    body = rng.choice(string.ascii_uppercase) + rng.choice("12") + _number(rng, 7)
    return body + check_taiwan(body)


def taiwan_resident(rng: Random) -> str:
    """UI number of foreigners since 2021: second place 8 or 9, the same check digit."""
    body = rng.choice(string.ascii_uppercase) + rng.choice("89") + _number(rng, 7)
    return body + check_taiwan(body)


def ssn(rng: Random) -> str:
    """Social Security Administration: area not 000, 666, 900 … 999; group not 00; serial not 0000."""
    area = rng.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03d}-{rng.randint(1, 99):02d}-{rng.randint(1, 9999):04d}"


def ssn_compact(rng: Random) -> str:
    return ssn(rng).replace("-", "")


def uscc(rng: Random) -> str:
    """GB 32100-2015: authority, kind, county, organisation code with its own check character, MOD 31."""
    kind = rng.choice(("91", "92", "93", "11", "12", "51", "52", "53", "31", "Y1"))
    organisation = rng.choice(("MA", "M0", _number(rng, 2))) + _pick(rng, "0123456789ABCDEFGHJKLMNPQRTUWXY", 6)
    body = kind + rng.choice(COUNTIES) + organisation + check_organisation(organisation)
    return body + check_uscc(body)


def social_security_card(rng: Random) -> str:
    """Number printed on the social security card: a letter and eight digits."""
    return rng.choice(string.ascii_uppercase) + _number(rng, 8)


def social_security_number(rng: Random) -> str:
    """Personal number of the local insurance office; its length is local."""
    return rng.choice("123456789") + _number(rng, rng.choice((8, 9, 11)))


def driving_licence_file(rng: Random) -> str:
    """File number of a driving licence: twelve digits, the first four those of the issuing city in GB/T 2260."""
    return rng.choice(COUNTIES)[:4] + _number(rng, 8)


def medical_record(rng: Random) -> str:
    """Each hospital counts for itself: six to ten digits, some with the letters of the department."""
    return rng.choice(("", "", "ZY", "MZ", "B", "P")) + rng.choice("0123456789") + _number(rng, rng.randint(5, 9))


# --- plates ---

PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"


def _plate(rng: Random) -> tuple[str, str]:
    """GA 36-2018: province, authority, five places with at most two letters, no I and O."""
    places = list(_number(rng, 5))
    for place in rng.sample(range(5), rng.choice((0, 1, 1, 2))):
        places[place] = rng.choice(LETTERS_NO_IO)
    return rng.choice(PROVINCES) + rng.choice("ABCDEFGHJKLMN"), "".join(places)


def plate(rng: Random) -> str:
    return rng.choice(("", "", "·", " ")).join(_plate(rng))


def plate_new_energy(rng: Random) -> str:
    """GA 36-2018: small D … or F …, a place of either kind, four digits; large five digits, then D or F."""
    head, _ = _plate(rng)
    # D, A, B, C, E: battery only; F, G, H, J, K: others. D and F are by far the commonest.
    small = rng.choice("DDDDFFFFABCEGHJK") + rng.choice(DIGITS + LETTERS_NO_IO) + _number(rng, 4)
    return head + rng.choice(("", "", "·")) + rng.choice((small, small, _number(rng, 5) + rng.choice("DF")))


def plate_special(rng: Random) -> str:
    """Police, learner and trailer plates; cars from Hong Kong and Macau (粤Z)."""
    head, places = _plate(rng)
    return rng.choice((head + places[:4] + rng.choice("警学挂"), "粤Z" + places[:4] + rng.choice("港澳")))


# --- accounts on the net, addresses of machines ---


def qq(rng: Random) -> str:
    """Five to eleven digits, the first not 0."""
    return rng.choice("123456789") + _number(rng, rng.choice((4, 5, 6, 7, 8, 8, 9, 9, 10)))


def wechat(rng: Random) -> str:
    """Tencent: 6 to 20 letters, digits, underscores and hyphens, the first a letter; wxid_ and 14 as given at first."""
    name = rng.choice(PINYIN) + rng.choice(PINYIN)
    made = (f"{name}{rng.randint(10, 99999)}", f"{name}_{rng.randint(100, 9999)}", f"wx-{name}{rng.randint(1, 999)}")
    return rng.choice((*made, "wxid_" + _pick(rng, DIGITS + string.ascii_lowercase, 14)))[:20]


PINYIN = "zhang wang li zhao chen liu yang huang zhou xiao ming hua fang jing lei tao min jun yan qiang".split()
MAIL_HOSTS = (
    "qq.com 163.com 126.com foxmail.com gmail.com outlook.com sina.com.cn mail.tsinghua.edu.cn hotmail.com".split()
)


def email(rng: Random) -> str:
    """RFC 5321 addresses as people have them."""
    name, other = rng.choice(PINYIN), rng.choice(PINYIN)
    number = str(rng.randint(1, 99999))
    local = rng.choice((name + other, f"{name}.{other}", f"{name}_{other}{number}", name + number, f"{name}+{other}"))
    if rng.random() < 0.2:
        return qq(rng) + "@qq.com"
    corporate = f"{other}{rng.choice(PINYIN)}-tech.{rng.choice(('com', 'cn', 'com.cn', 'io', 'net'))}"
    return f"{local}@{rng.choice((*MAIL_HOSTS, corporate))}"


def ipv4(rng: Random) -> str:
    """A globally routable address (IANA special-purpose registry)."""
    while True:
        address = ipaddress.IPv4Address(rng.getrandbits(32))
        if address.is_global and not address.is_multicast:
            return str(address)


def ipv6(rng: Random) -> str:
    """A global address of APNIC, RIPE or ARIN, written after RFC 5952 or in full."""
    head = rng.choice((0x2408, 0x2409, 0x240E, 0x2A02, 0x2600))
    tail = rng.getrandbits(64) if rng.random() < 0.6 else rng.getrandbits(16)
    address = ipaddress.IPv6Address((head << 112) | (rng.getrandbits(48) << 64) | tail)
    return rng.choice((str(address), str(address), address.exploded))


def mac(rng: Random) -> str:
    """IEEE 802: a universally administered unicast address, with colons, hyphens or Cisco's dots."""
    digits = f"{rng.getrandbits(48) & ~0x030000000000:012x}"
    pairs = [digits[i : i + 2] for i in range(0, 12, 2)]
    dotted = ".".join(digits[i : i + 4] for i in range(0, 12, 4))
    return rng.choice((":".join(pairs), ":".join(pairs).upper(), "-".join(pairs).upper(), dotted))


def imei(rng: Random) -> str:
    """3GPP TS 23.003: type allocation code (8, reporting body 01, 35, 86, 99), serial (6), Luhn."""
    body = rng.choice(("35", "86", "01", "99")) + _number(rng, 12)
    return body + check_luhn(body)


def imei_printed(rng: Random) -> str:
    """As on the box: reporting body, rest of the type code, serial, check digit."""
    number = imei(rng)
    return "-".join((number[:2], number[2:8], number[8:14], number[14:]))


def gps_decimal(rng: Random) -> str:
    """A place in China, latitude first, five or more decimals (about a metre)."""
    places = rng.randint(5, 7)
    separator = rng.choice((",", ", ", "，"))
    return f"{rng.uniform(21, 45):.{places}f}{separator}{rng.uniform(98, 126):.{places}f}"


def gps_dms(rng: Random) -> str:
    """Degrees, minutes, seconds (ISO 6709 annex D)."""
    latitude, longitude = (
        f"{degrees}°{rng.randint(0, 59):02d}'{rng.uniform(0, 59.9):04.1f}\""
        for degrees in (rng.randint(21, 44), rng.randint(98, 125))
    )
    return rng.choice((f"{latitude}N, {longitude}E", f"N{latitude} E{longitude}", f"北纬{latitude}，东经{longitude}"))


def gps_words(rng: Random) -> str:
    latitude, longitude = rng.uniform(21, 45), rng.uniform(98, 126)
    shapes = (f"北纬{latitude:.6f}度，东经{longitude:.6f}度", f"北纬{latitude:.5f}°东经{longitude:.5f}°")
    return rng.choice((*shapes, f"lat={latitude:.6f}&lng={longitude:.6f}", f"geo:{latitude:.6f},{longitude:.6f}"))


# --- people and places ---

SURNAMES = "王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 郭 何 林 高 罗 郑 梁 谢 宋 唐 许 邓 冯 韩 曹 欧阳 司马 上官 诸葛".split()
GIVEN = (
    "伟 芳 娜 敏 静 磊 洋 勇 艳 杰 涛 超 霞 刚 桂英 建国 志强 秀兰 晓东 雨欣 子涵 浩然 梓萱 思远 佳怡 俊熙 文博 海燕 丽华 国庆 "
    "春梅 立新 一诺 嘉豪 诗琪 振华 永康 雪梅"
).split()
FIRST_NAMES = (
    "James Mary Robert Patricia John Jennifer Michael Linda David Emily Sarah Daniel Olivia Thomas Karen".split()
)
LAST_NAMES = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Anderson Taylor Thompson Walker Nguyen O'Brien".split()
)


def person_zh(rng: Random) -> str:
    return rng.choice(SURNAMES) + rng.choice(GIVEN)


def person_en(rng: Random) -> str:
    middle = rng.choice(("", "", f" {rng.choice('ABCDEFGHJKLMRST')}."))
    return f"{rng.choice(FIRST_NAMES)}{middle} {rng.choice(LAST_NAMES)}"


DISTRICTS = (
    "北京市朝阳区 北京市海淀区 上海市浦东新区 上海市徐汇区 天津市和平区 重庆市渝中区 广东省深圳市南山区 广东省广州市天河区 "
    "浙江省杭州市西湖区 江苏省南京市玄武区 江苏省苏州市吴中区 四川省成都市武侯区 湖北省武汉市武昌区 陕西省西安市雁塔区 "
    "福建省厦门市思明区 山东省济南市历下区 河南省郑州市中原区 湖南省长沙市芙蓉区 辽宁省沈阳市和平区 广西壮族自治区南宁市兴宁区"
).split()
ROADS = (
    "人民路 中山北路 建设大道 解放西路 文一西路 科苑南路 长江路 学院路 和平街 幸福巷 新华大街 滨河东路 光明胡同".split()
)
ESTATES = "阳光花园 锦绣家园 翠湖小区 金色家园 碧水湾 紫荆苑 幸福里".split()


def address(rng: Random) -> str:
    """Down to the door: district, road and number, then estate, building, unit and room."""
    street = rng.choice(DISTRICTS) + rng.choice(ROADS) + f"{rng.randint(1, 999)}号"
    block, unit, room = rng.randint(1, 30), rng.randint(1, 6), f"{rng.randint(1, 32)}{rng.randint(1, 8):02d}"
    flat = f"{rng.choice(ESTATES)}{block}{rng.choice(('栋', '号楼', '幢'))}"
    return street + rng.choice((f"{flat}{unit}单元{room}室", f"{flat}{room}室", f"{block}号楼{room}", f"{room}室"))


def address_village(rng: Random) -> str:
    county = rng.choice(("河北省保定市易县", "安徽省六安市金寨县", "贵州省遵义市湄潭县", "河南省周口市太康县"))
    place = rng.choice(("城关镇", "大王庄镇", "马头乡", "清水乡")) + rng.choice(("东风村", "李家村", "石桥村"))
    return county + place + rng.choice((f"{rng.randint(1, 18)}组{rng.randint(1, 99)}号", f"{rng.randint(1, 299)}号"))


MONTHS = "January February March April May June July August September October November December".split()


def birth_date(rng: Random) -> str:
    """GB/T 7408 (ISO 8601) and the ways that people write a date."""
    day = _birthday(rng)
    iso = (f"{day:%Y-%m-%d}", f"{day:%Y/%m/%d}", f"{day:%Y.%m.%d}")
    return rng.choice((*iso, f"{day.year}年{day.month}月{day.day}日", f"{day:%Y}年{day:%m}月{day:%d}日"))


def birth_date_written(rng: Random) -> str:
    day = _birthday(rng)
    return f"{day.year}年{day.month}月{day.day}日"


def birth_date_en(rng: Random) -> str:
    day = _birthday(rng)
    month = MONTHS[day.month - 1]
    shapes = (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{month[:3]} {day.day}, {day.year}")
    return rng.choice((*shapes, f"{day:%m/%d/%Y}", f"{day:%Y-%m-%d}"))


def birth_date_compact(rng: Random) -> str:
    return f"{_birthday(rng):%Y%m%d}"


# --- secrets: the shapes that the vendors publish for their secret scanners ---


def aws_key_id(rng: Random) -> str:
    """AWS IAM: AKIA (long-term) or ASIA (temporary) and 16 characters of base 32."""
    return rng.choice(("AKIA", "ASIA")) + _pick(rng, string.ascii_uppercase + "234567", 16)


def openai_key(rng: Random) -> str:
    """OpenAI: sk-, 20 characters, the marker T3BlbkFJ, 20 characters; project keys with 74 on both sides."""
    if rng.random() < 0.5:
        return f"sk-{_pick(rng, ALNUM, 20)}T3BlbkFJ{_pick(rng, ALNUM, 20)}"
    return f"sk-proj-{_pick(rng, ALNUM + '_-', 74)}T3BlbkFJ{_pick(rng, ALNUM, 74)}"


def github_token(rng: Random) -> str:
    """GitHub: prefix, 30 characters, CRC-32 of them in six places of base 62."""
    body = _pick(rng, ALNUM, 30)
    crc, check = zlib.crc32(body.encode()), ""
    for _ in range(6):
        crc, place = divmod(crc, 62)
        check = ALNUM[place] + check
    return rng.choice(("ghp_", "gho_", "ghs_")) + body + check


def github_fine_grained(rng: Random) -> str:
    """GitHub's fine-grained token: 22 characters, underscore, 59 characters."""
    return f"github_pat_{_pick(rng, ALNUM, 22)}_{_pick(rng, ALNUM, 59)}"


def gitlab_token(rng: Random) -> str:
    return "glpat-" + _pick(rng, ALNUM + "_-", 19) + rng.choice(ALNUM)


def slack_token(rng: Random) -> str:
    """Slack: bot xoxb- and user xoxp- tokens."""
    numbers = f"{rng.randint(10**11, 10**12 - 1)}-{rng.randint(10**12, 10**13 - 1)}"
    bot = f"xoxb-{numbers}-{_pick(rng, ALNUM, 24)}"
    return rng.choice((bot, f"xoxp-{numbers}-{rng.randint(10**12, 10**13 - 1)}-{rng.getrandbits(128):032x}"))


def google_key(rng: Random) -> str:
    return "AIza" + _pick(rng, ALNUM + "_-", 34) + rng.choice(ALNUM)


def aliyun_key_id(rng: Random) -> str:
    """Alibaba Cloud: LTAI and 12, since 2020 LTAI5t and 18 characters."""
    return rng.choice(("LTAI" + _pick(rng, ALNUM, 12), "LTAI5t" + _pick(rng, ALNUM, 18)))


def tencent_key_id(rng: Random) -> str:
    """Tencent Cloud SecretId: AKID and 32 characters."""
    return "AKID" + _pick(rng, ALNUM, 32)


def hugging_face_token(rng: Random) -> str:
    return "hf_" + _pick(rng, string.ascii_letters, 34)


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def jwt(rng: Random) -> str:
    """RFC 7519: a token that is truly signed with HMAC-SHA-256 (RFC 7515)."""
    claims = {"sub": str(rng.randint(1, 10**9)), "iat": rng.randint(16 * 10**8, 18 * 10**8)}
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    signed = ".".join(_base64url(part) for part in parts)
    return f"{signed}.{_base64url(hmac.digest(rng.randbytes(32), signed.encode(), hashlib.sha256))}"


def pem_block(rng: Random) -> str:
    """RFC 7468: a private key, base 64 in lines of 64 characters."""
    label = rng.choice(("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"))
    body = base64.b64encode(rng.randbytes(rng.choice((121, 300, 609)))).decode()
    lines = [body[i : i + 64] for i in range(0, len(body), 64)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"))


def password(rng: Random) -> str:
    """Twelve to eighteen characters with all of letters, digits and a mark."""
    body = _pick(rng, string.ascii_letters, rng.randint(5, 9)) + _number(rng, rng.randint(4, 6))
    mixed = list(body + rng.choice("!#$%^*_") + rng.choice("@!#"))
    rng.shuffle(mixed)
    return rng.choice(string.ascii_letters) + "".join(mixed) + rng.choice(ALNUM)


def url_with_password(rng: Random) -> str:
    """RFC 3986 userinfo."""
    scheme, port = rng.choice((("mysql", 3306), ("postgresql", 5432), ("mongodb", 27017), ("amqp", 5672), ("ftp", 21)))
    secret = _pick(rng, ALNUM, rng.randint(10, 16))
    host = rng.choice(("db.internal", "10.20.3.4", "prod-db.corp-net.cn"))
    return f"{scheme}://{rng.choice(('root', 'admin', 'app_user'))}:{secret}@{host}:{port}/{rng.choice(PINYIN)}"


# --- which forms an entity has ---

FORMS: dict[str, dict[str, Maker]] = {
    "CN_RESIDENT_ID": {
        "gb18": resident_id_18,
        "gb15": resident_id_15,
        "residence": residence_permit,
        "foreigner2017": permanent_resident_2017,
        "foreigner2023": permanent_resident_2023,
    },
    "CN_MOBILE": {"national": mobile, "international": mobile_international, "grouped": mobile_grouped},
    "CN_LANDLINE": {
        "dashed": landline_dashed,
        "written": landline_written,
        "extension": landline_extension,
        "compact": landline_compact,
    },
    "CN_BANK_CARD": {"unionpay": unionpay, "foreign": foreign_card, "grouped": card_grouped},
    "CN_PASSPORT": {"number": passport},
    "HK_MACAU_PERMIT": {"home_return": home_return_permit, "mainland": exit_endorsement},
    "TW_PERMIT": {"compatriot": taiwan_compatriot_permit, "mainland": permit_to_taiwan},
    "HK_ID": {"brackets": hk_id, "compact": hk_id_compact},
    "MACAU_ID": {"brackets": macau_id},
    "TW_ID": {"national": taiwan_id, "resident": taiwan_resident},
    "CN_PLATE": {"ordinary": plate, "new_energy": plate_new_energy, "special": plate_special},
    "CN_USCC": {"number": uscc},
    "CN_SOCIAL_SECURITY": {"card": social_security_card, "office": social_security_number, "id": resident_id_18},
    "CN_DRIVING_LICENCE": {"number": resident_id_18, "file": driving_licence_file},
    "MEDICAL_RECORD": {"number": medical_record},
    "CN_BANK_ACCOUNT": {"firm": bank_account},
    "QQ": {"number": qq},
    "WECHAT": {"name": wechat},
    "EMAIL_ADDRESS": {"address": email},
    "IP_ADDRESS": {"v4": ipv4, "v6": ipv6},
    "MAC_ADDRESS": {"eui48": mac},
    "IMEI": {"number": imei, "printed": imei_printed},
    "GPS": {"decimal": gps_decimal, "dms": gps_dms, "words": gps_words},
    "CN_ADDRESS": {"town": address, "village": address_village},
    "DATE_OF_BIRTH": {
        "zh": birth_date,
        "written": birth_date_written,
        "en": birth_date_en,
        "compact": birth_date_compact,
    },
    "PERSON": {"zh": person_zh, "en": person_en},
    "SECRET": {
        "aws": aws_key_id,
        "openai": openai_key,
        "github": github_token,
        "github_pat": github_fine_grained,
        "gitlab": gitlab_token,
        "slack": slack_token,
        "google": google_key,
        "aliyun": aliyun_key_id,
        "tencent": tencent_key_id,
        "hugging_face": hugging_face_token,
        "jwt": jwt,
        "pem": pem_block,
        "url": url_with_password,
        "password": password,
    },
    "US_SSN": {"dashed": ssn, "compact": ssn_compact},
    "IBAN": {"electronic": iban, "printed": iban_printed},
}
ENTITIES = tuple(FORMS)

SAME_NUMBER: dict[tuple[str, str], str] = {
    ("CN_SOCIAL_SECURITY", "id"): "CN_RESIDENT_ID",
    ("CN_DRIVING_LICENCE", "number"): "CN_RESIDENT_ID",
}

# Forms that a reader can tell without any word beside them; every other form always comes with its label.
BARE_FORMS: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("gb18", "residence", "foreigner2023"),
    "CN_MOBILE": ("national", "international", "grouped"),
    "CN_LANDLINE": ("dashed", "written", "extension"),
    "CN_BANK_CARD": ("unionpay", "foreign", "grouped"),
    "HK_ID": ("brackets",),
    "CN_PLATE": ("ordinary", "new_energy", "special"),
    "CN_USCC": ("number",),
    "EMAIL_ADDRESS": ("address",),
    "IP_ADDRESS": ("v4", "v6"),
    "MAC_ADDRESS": ("eui48",),
    "GPS": ("decimal", "dms", "words"),
    "CN_ADDRESS": ("town", "village"),
    "SECRET": tuple(form for form in FORMS["SECRET"] if form != "password"),
    "US_SSN": ("dashed",),
    "IBAN": ("electronic", "printed"),
}


def generate(entity: str, rng: Random, form: str | None = None) -> tuple[str, str]:
    """A valid value and the name of its form."""
    chosen = form or rng.choice(list(FORMS[entity]))
    return FORMS[entity][chosen](rng), chosen


# --- labels and sentences ---


class Labels(NamedTuple):
    """What people call the thing: in Chinese, in English, as the key of a record."""

    zh: tuple[str, ...]
    en: tuple[str, ...]
    keys: tuple[str, ...]


LABELS: dict[str, Labels] = {
    "CN_RESIDENT_ID": Labels(
        ("身份证号", "身份证号码", "公民身份号码", "证件号码"),
        ("ID card number", "national ID"),
        ("id_card", "idNo", "身份证号"),
    ),
    "CN_RESIDENT_ID/residence": Labels(
        ("港澳台居民居住证号", "居住证号码"), ("residence permit number",), ("residence_permit_no", "居住证号")
    ),
    "CN_RESIDENT_ID/foreigner2017": Labels(
        ("外国人永久居留身份证号", "永久居留证号码"), ("permanent residence card number",), ("pr_card_no", "永居证号")
    ),
    "CN_RESIDENT_ID/foreigner2023": Labels(
        ("外国人永久居留身份证号", "永居证号码"), ("permanent residence card number",), ("pr_card_no", "永居证号")
    ),
    "CN_MOBILE": Labels(
        ("手机号", "手机", "联系电话", "电话"), ("mobile", "phone number", "cell phone"), ("mobile", "phone", "手机号")
    ),
    "CN_LANDLINE": Labels(
        ("固定电话", "座机", "办公电话", "电话"), ("office phone", "telephone", "tel"), ("tel", "telephone", "座机")
    ),
    "CN_BANK_CARD": Labels(
        ("银行卡号", "卡号", "储蓄卡号"), ("bank card number", "card number"), ("card_no", "bankCard", "银行卡号")
    ),
    "CN_PASSPORT": Labels(
        ("护照号", "护照号码", "护照"), ("passport number", "passport no."), ("passport_no", "passport", "护照号")
    ),
    "HK_MACAU_PERMIT/home_return": Labels(
        ("港澳居民来往内地通行证号", "回乡证号", "回乡证"),
        ("home return permit", "Mainland Travel Permit"),
        ("home_return_permit", "回乡证号"),
    ),
    "HK_MACAU_PERMIT/mainland": Labels(
        ("港澳通行证号", "往来港澳通行证号码"), ("Hong Kong and Macau permit",), ("hk_macau_permit", "港澳通行证")
    ),
    "TW_PERMIT/compatriot": Labels(
        ("台胞证号", "台湾居民来往大陆通行证号码", "台胞证"),
        ("Taiwan compatriot permit",),
        ("taiwan_compatriot_permit", "台胞证号"),
    ),
    "TW_PERMIT/mainland": Labels(
        ("大陆居民往来台湾通行证号", "台湾通行证号"), ("Taiwan travel permit",), ("taiwan_permit", "台湾通行证")
    ),
    "HK_ID": Labels(("香港身份证号", "香港身份證號碼"), ("HKID", "Hong Kong ID card number"), ("hkid", "香港身份证")),
    "MACAU_ID": Labels(
        ("澳门身份证号", "澳門居民身份證編號"), ("Macau ID card number", "BIR number"), ("macau_id", "澳门身份证")
    ),
    "TW_ID/national": Labels(
        ("身分證字號", "台湾身份证号"), ("Taiwan ID number", "national ID (Taiwan)"), ("tw_id", "身分證字號")
    ),
    "TW_ID/resident": Labels(
        ("居留證號碼", "外來人口統一證號"), ("Taiwan ARC number", "ARC number"), ("arc_no", "居留證號碼")
    ),
    "CN_PLATE": Labels(
        ("车牌号", "车牌", "车牌号码"), ("license plate", "plate number"), ("plate_no", "plate", "车牌号")
    ),
    "CN_USCC": Labels(
        ("统一社会信用代码", "社会信用代码", "纳税人识别号"),
        ("unified social credit code", "USCC"),
        ("uscc", "credit_code", "统一社会信用代码"),
    ),
    "CN_SOCIAL_SECURITY": Labels(
        ("社保卡号", "社会保障卡号"), ("social security card number",), ("social_security_card", "社保卡号")
    ),
    "CN_SOCIAL_SECURITY/office": Labels(
        ("社保编号", "个人社保号", "社保电脑号"), ("social insurance number",), ("social_security_no", "社保编号")
    ),
    "CN_SOCIAL_SECURITY/id": Labels(
        ("社会保障号码", "社保号"), ("social security number",), ("social_security_no", "社会保障号码")
    ),
    "CN_DRIVING_LICENCE": Labels(
        ("驾驶证号", "驾照号", "机动车驾驶证号码"),
        ("driver's license number", "driving licence no."),
        ("driving_licence", "驾驶证号"),
    ),
    "CN_DRIVING_LICENCE/file": Labels(
        ("驾驶证档案编号", "驾照档案编号"), ("driving licence file number",), ("licence_file_no", "驾驶证档案编号")
    ),
    "MEDICAL_RECORD": Labels(
        ("病历号", "住院号", "门诊号", "病案号"),
        ("medical record number", "MRN", "patient ID"),
        ("mrn", "medical_record_no", "病历号"),
    ),
    "CN_BANK_ACCOUNT": Labels(
        ("银行账号", "对公账号", "收款账号", "开户行账号"),
        ("bank account number", "account no."),
        ("account_no", "bankAccount", "银行账号"),
    ),
    "QQ": Labels(("QQ号", "QQ", "qq号码", "企鹅号"), ("QQ", "QQ number"), ("qq", "qq_number", "QQ号")),
    "WECHAT": Labels(("微信号", "微信", "微信ID"), ("WeChat ID", "WeChat"), ("wechat", "wechat_id", "微信号")),
    "EMAIL_ADDRESS": Labels(("邮箱", "电子邮箱", "邮箱地址"), ("email", "e-mail address"), ("email", "mail", "邮箱")),
    "IP_ADDRESS": Labels(("IP地址", "登录IP", "客户端IP"), ("IP address", "client IP"), ("ip", "client_ip", "IP地址")),
    "MAC_ADDRESS": Labels(("MAC地址", "网卡地址", "设备MAC"), ("MAC address",), ("mac", "mac_addr", "MAC地址")),
    "IMEI": Labels(("IMEI", "手机串号", "IMEI码"), ("IMEI", "IMEI number"), ("imei", "IMEI")),
    "GPS": Labels(
        ("GPS坐标", "定位", "经纬度", "位置坐标"), ("GPS coordinates", "location"), ("gps", "location", "坐标")
    ),
    "CN_ADDRESS": Labels(
        ("家庭住址", "收货地址", "地址", "住址"), ("home address", "shipping address"), ("address", "addr", "地址")
    ),
    "DATE_OF_BIRTH": Labels(
        ("出生日期", "生日", "出生年月日"), ("date of birth", "DOB", "birthday"), ("birth_date", "dob", "出生日期")
    ),
    "PERSON": Labels(
        ("姓名", "联系人", "收件人", "患者姓名"),
        ("full name", "patient name", "contact person"),
        ("name", "contact_name", "姓名"),
    ),
    "SECRET": Labels(
        ("密钥", "API密钥", "访问令牌"), ("API key", "access token", "secret"), ("api_key", "token", "secret")
    ),
    "SECRET/password": Labels(
        ("密码", "登录密码", "数据库密码"), ("password", "passwd"), ("password", "pwd", "db_password")
    ),
    "SECRET/url": Labels(("数据库连接", "连接串"), ("connection string", "DATABASE_URL"), ("database_url", "dsn")),
    "SECRET/pem": Labels(("私钥", "证书私钥"), ("private key",), ("private_key", "ssh_key")),
    "US_SSN": Labels(("美国社会安全号", "SSN"), ("SSN", "Social Security number"), ("ssn", "social_security_number")),
    "IBAN": Labels(("IBAN", "国际银行账号", "IBAN账号"), ("IBAN", "IBAN number"), ("iban", "IBAN")),
}

SLOT = "\ue000"  # a private-use character stands for the value while a text is composed
LABELLED_ZH = (
    "{label}：{slot}",
    "{label}: {slot}，其余信息见附件。",
    "{label}是{slot}。",
    "客户预留的{label}为{slot}，请尽快核实。",
    "【{label}】{slot}",
    "补充一下，{label}（{slot}）之前登记有误。",
    "以下是登记信息。\n{label}\t{slot}\n备注：无",
)
LABELLED_TIGHT = (
    "我的{label}是{slot}麻烦帮忙查一下",
    "系统里{label}为{slot}的记录已经注销",
    "登记的{label}{slot}已经核实过了",
    "请把{label}改成{slot}谢谢",
)
LABELLED_EN = (
    "{label}: {slot}",
    "My {label} is {slot}.",
    "Please update the {label} to {slot} before Friday.",
    "The {label} on file ({slot}) is out of date.",
    "{label} = {slot}; see the attached form",
)
LABELLED_MIXED = (
    "这个 case 的 {en} 是 {slot}，pls check 一下",
    "Hi 老师，{label}：{slot}，thx!",
    "用户 profile 里 {label}={slot} 需要 update",
    "{en}（{label}）: {slot}",
)
LABELLED_CHAT = (
    "客服：您好，请提供一下{label}\n用户：{slot}",
    "[10:32] 小助手: 麻烦发下{label}\n[10:33] 我: {slot} 这个",
    "user: what's the {label} again?\nassistant: {label} is {slot}",
    "在吗？{label}{slot}，急[抱拳]",
    "{label} {slot} 收到请回复哈～",
)
BARE_ZH: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("{slot}，这个人上次来登记过。", "麻烦帮我查下{slot}有没有违章", "名单里的{slot}已经核销。"),
    "CN_MOBILE": (
        "有事打{slot}找我",
        "快递到了打{slot}就行，谢谢",
        "他换号了，新的是{slot}。",
        "{slot}晚上八点以后方便",
    ),
    "CN_LANDLINE": ("有问题请拨打{slot}咨询。", "前台是{slot}，上班时间都有人", "投诉请打{slot}，我们会回复"),
    "CN_BANK_CARD": ("钱打到{slot}就行", "请转到{slot}，工商银行的。", "{slot}这张已经挂失了"),
    "HK_ID": ("{slot}已于上周登记。", "申请人持{slot}入境"),
    "CN_PLATE": ("{slot}违停被拍了", "那辆{slot}的白色轿车挡住出口了。", "请{slot}的车主尽快挪车"),
    "CN_USCC": ("开票抬头发你了，{slot}。", "经查询{slot}状态为存续"),
    "EMAIL_ADDRESS": ("简历请发到{slot}谢谢", "资料发我{slot}就好。", "已抄送{slot}，请查收。"),
    "IP_ADDRESS": ("昨晚{slot}一直在扫我们的端口", "来自{slot}的请求被拒绝。", "我ping {slot}不通"),
    "MAC_ADDRESS": ("把{slot}加进白名单", "交换机上看到{slot}在频繁漂移。"),
    "GPS": ("我在{slot}附近，过来接我", "车最后停在{slot}。"),
    "CN_ADDRESS": ("快递送到{slot}放门口就行", "我住{slot}，到了打电话。", "寄到{slot}，谢谢"),
    "SECRET": ("先用 {slot} 顶一下，明天换掉", "配置里写的是 {slot} 。"),
    "US_SSN": ("表格里填的是{slot}。", "{slot} 已提交给国税局"),
    "IBAN": ("请汇款至 {slot} ，谢谢。", "货款打到{slot}即可"),
}
BARE_EN: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("Found a record for {slot} in the old table.",),
    "CN_MOBILE": ("Call me at {slot} tomorrow.", "text {slot} when you arrive"),
    "CN_LANDLINE": ("You can reach the front desk at {slot}.",),
    "CN_BANK_CARD": ("I paid with {slot} yesterday.", "Charge {slot} please, exp 09/29."),
    "HK_ID": ("The applicant {slot} arrived on Monday.",),
    "CN_PLATE": ("The car {slot} was towed.",),
    "CN_USCC": ("The invoice goes to {slot}.",),
    "EMAIL_ADDRESS": ("Write to {slot} for details.", "cc: {slot}"),
    "IP_ADDRESS": ("Failed login from {slot} at 03:14", "ssh root@{slot} does not answer"),
    "MAC_ADDRESS": ("Device {slot} joined the network.",),
    "GPS": ("Meet me at {slot}.", "The phone was last seen at {slot}"),
    "CN_ADDRESS": ("Please deliver to {slot} by noon.",),
    "SECRET": ("export X={slot}", "Authorization: Bearer {slot}"),
    "US_SSN": ("He wrote {slot} on the form.",),
    "IBAN": ("Please transfer 250 EUR to {slot}.",),
}
# A name between Han characters needs a word that ends it for a reader.
PERSON_TIGHT = (
    "患者{slot}的检查报告已出",
    "申请人{slot}已到场",
    "收件人{slot}的包裹在驿站",
    "联系人{slot}的资料已归档",
)

STYLES = ("zh", "tight", "en", "mixed", "chat", "json", "json_escaped", "csv", "bare_zh", "bare_en")
LABELLED_STYLES = tuple(style for style in STYLES if not style.startswith("bare"))


def styles_of(entity: str, form: str) -> tuple[str, ...]:
    """The carriers that make sense: without a label only where the form speaks for itself."""
    if form == "pem":  # a block of many lines does not stand within a sentence
        return ("zh", "en", "chat", "json", "json_escaped", "csv", "bare_en")
    return STYLES if form in BARE_FORMS.get(entity, ()) else LABELLED_STYLES


def _labels(entity: str, form: str) -> Labels:
    return LABELS.get(f"{entity}/{form}") or LABELS[entity]


def _zh_label(value: str, entity: str, form: str, rng: Random) -> str:
    """A Chinese label; none that ends in Latin letters which a reader could take for the value's first ones."""
    blurs = value[:1].isalpha() or entity in {"IP_ADDRESS", "MAC_ADDRESS"}
    return rng.choice([label for label in _labels(entity, form).zh if not (blurs and label[-1].isascii())])


def _template(value: str, entity: str, form: str, style: str, rng: Random) -> str:
    """A sentence with the slot in it."""
    if style == "bare_zh":
        return rng.choice(BARE_ZH[entity]).format(slot=SLOT)
    if style == "bare_en":
        return rng.choice(BARE_EN[entity]).format(slot=SLOT)
    sentences = {"tight": LABELLED_TIGHT, "en": LABELLED_EN, "mixed": LABELLED_MIXED, "chat": LABELLED_CHAT}
    chosen = rng.choice(PERSON_TIGHT if (entity, style) == ("PERSON", "tight") else sentences.get(style, LABELLED_ZH))
    labels = _labels(entity, form)
    english = rng.choice(labels.en)
    label = english if style == "en" or chosen.startswith("user:") else _zh_label(value, entity, form, rng)
    if (entity, form, style) == ("SECRET", "password", "en") and rng.random() < 0.5:
        chosen = "{label}={slot}"
    return chosen.format(label=label, en=english, slot=SLOT)


def _fill(text: str, slot: str, written: str, entity: str, value: str) -> Planted:
    start = text.index(slot)
    return Planted(text.replace(slot, written), start, start + len(written), entity, value)


def _in_json(value: str, entity: str, form: str, rng: Random, *, escaped: bool) -> Planted:
    """RFC 8259: the value as a member, or a sentence with it; `escaped` writes all but ASCII as \\uXXXX."""
    if rng.random() < 0.5:
        document = {"id": rng.randint(1, 9999), rng.choice(_labels(entity, form).keys): SLOT, "status": "ok"}
    else:
        document = {"role": "user", "content": _template(value, entity, form, "zh", rng), "turn": rng.randint(1, 9)}
    text, slot, written = (json.dumps(part, ensure_ascii=escaped) for part in (document, SLOT, value))
    return _fill(text, slot[1:-1], written[1:-1], entity, value)


def _in_csv(value: str, entity: str, form: str, rng: Random) -> Planted:
    """RFC 4180: a header and a row; a field with a comma, a quote or a line end stands in quotes."""
    written = value.replace('"', '""')
    field = f'"{SLOT}"' if any(char in value for char in ',"\n') else SLOT
    key = rng.choice(_labels(entity, form).keys)
    return _fill(f"序号,{key},状态\n{rng.randint(1, 999)},{field},已审核\n", SLOT, written, entity, value)


def wrap(value: str, entity: str, rng: Random, form: str | None = None, style: str | None = None) -> Planted:
    """The value in a natural text of the given style (`STYLES`), its place marked.

    Without `form` the first form of the entity is assumed; without `style` one that suits the form is drawn.
    """
    form = form or next(iter(FORMS[entity]))
    style = style or rng.choice(styles_of(entity, form))
    if style not in styles_of(entity, form):
        raise ValueError(f"{entity}/{form} needs a label, style {style} has none")
    if style.startswith("json"):
        return _in_json(value, entity, form, rng, escaped=style == "json_escaped")
    if style == "csv":
        return _in_csv(value, entity, form, rng)
    return _fill(_template(value, entity, form, style, rng), SLOT, value, entity, value)


# --- disguises ---


def plain(value: str, _rng: Random) -> str:
    return value


def fullwidth(value: str, _rng: Random) -> str:
    """ASCII as U+FF01 … U+FF5E, as a Chinese input method writes it."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value)


def zero_width(value: str, _rng: Random) -> str:
    return "\u200b".join(value)


def _groups(value: str) -> list[str]:
    """As people group the number when they read it out: by its length, the letters of a document apart."""
    letters = re.match(r"[A-Z]+(?=\d{7,10}$)", value)
    if letters:
        return [letters[0], *_groups(value[letters.end() :])]
    if len(value) == 18:
        sizes = [6, 8, 4]
    elif len(value) == 11 and value[:2] not in {"01", "02"} and value[0] == "0":
        sizes = [4, 3, 4]
    elif len(value) == 11:
        sizes = [3, 4, 4]
    else:
        sizes = [4] * (len(value) // 4 + 1)
    parts, at = [], 0
    for size in sizes:
        parts.append(value[at : at + size])
        at += size
    return [part for part in parts if part]


def spaced(value: str, _rng: Random) -> str:
    return " ".join(_groups(value))


def spaced_digits(value: str, _rng: Random) -> str:
    return " ".join(value)


def dashed(value: str, _rng: Random) -> str:
    return "-".join(_groups(value))


def dotted(value: str, _rng: Random) -> str:
    return ".".join(_groups(value))


def circled(value: str, _rng: Random) -> str:
    """U+24EA and U+2460 … U+2468."""
    return value.translate(str.maketrans(DIGITS, "⓪①②③④⑤⑥⑦⑧⑨"))


def chinese_numerals(value: str, rng: Random) -> str:
    """Digit by digit (二〇二四, 五〇一室); one or two digits before Han as a number (十二月, 三十一日)."""
    digits = str.maketrans(DIGITS, rng.choice("〇零") + "一二三四五六七八九")

    def cardinal(match: re.Match[str]) -> str:
        number = int(match[0])
        tens, ones = divmod(number, 10)
        if number < 10:
            return match[0].translate(digits)
        head = "" if tens == 1 else str(tens)
        return f"{head}十{ones or ''}".translate(digits)

    return re.sub(r"(?<!\d)\d{1,2}(?=[\u4e00-\u9fff])", cardinal, value).translate(digits)


def _between_han(rng: Random, label: str) -> str:
    before, after = rng.choice((("就是这个", "别记错了"), ("我填的", "对吗"), ("上面写着", "请核对")))
    return f"{before}{label}{SLOT}{after}"


def _json_string(value: str, rng: Random, label: str) -> tuple[str, str]:
    """The document with an escaped slot, and the value as escaped in it."""
    text = json.dumps({"type": "text", "msg": f"{label}：{SLOT}，请查收"})
    # UTF-16 code units, so that the escape is right for every character.
    raw = value.encode("utf-16-be")
    units = [raw[i : i + 2].hex() for i in range(0, len(raw), 2)]
    everything = "".join(f"\\u{unit}" for unit in units)
    return text, everything if rng.random() < 0.25 else json.dumps(value)[1:-1]


def between_han(value: str, rng: Random, label: str = "") -> str:
    """Directly between Han characters, no space on either side."""
    return _between_han(rng, label).replace(SLOT, value)


def json_string(value: str, rng: Random, label: str = "") -> str:
    r"""A JSON document whose string holds the value; Han, in one of four also the value itself, as \uXXXX."""
    text, written = _json_string(value, rng, label)
    return text.replace(json.dumps(SLOT)[1:-1], written)


DISGUISES: dict[str, Callable[[str, Random], str]] = {
    "plain": plain,
    "fullwidth": fullwidth,
    "zero_width": zero_width,
    "spaced": spaced,
    "spaced_digits": spaced_digits,
    "dashed": dashed,
    "dotted": dotted,
    "circled": circled,
    "chinese_numerals": chinese_numerals,
    "between_han": between_han,
    "json_string": json_string,
}
WHOLE_TEXT = ("between_han", "json_string")  # these make a text around the value, not another writing of it

_ALL = tuple(DISGUISES)
_LETTERED = ("plain", "fullwidth", "zero_width", "spaced", "circled", "between_han", "json_string")
_CODE = ("plain", "fullwidth", "zero_width", "between_han", "json_string")
DISGUISES_OF: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": _ALL,
    "CN_MOBILE": _ALL,
    "CN_LANDLINE": _ALL,
    "CN_BANK_CARD": _ALL,
    "CN_BANK_ACCOUNT": _ALL,
    "CN_DRIVING_LICENCE": _ALL,
    "CN_SOCIAL_SECURITY": _ALL,
    "QQ": ("plain", "fullwidth", "zero_width", "spaced_digits", "circled", "chinese_numerals", *WHOLE_TEXT),
    "IMEI": ("plain", "fullwidth", "zero_width", "spaced", "dashed", "circled", *WHOLE_TEXT),
    "CN_PASSPORT": (*_LETTERED, "chinese_numerals"),
    "HK_MACAU_PERMIT": (*_LETTERED, "chinese_numerals"),
    "TW_PERMIT": (*_LETTERED, "chinese_numerals"),
    "HK_ID": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "MACAU_ID": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "TW_ID": _LETTERED,
    "CN_PLATE": ("plain", "fullwidth", "zero_width", "spaced_digits", "circled", *WHOLE_TEXT),
    "CN_USCC": ("plain", "fullwidth", "zero_width", "spaced", "dashed", *WHOLE_TEXT),
    "MEDICAL_RECORD": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "WECHAT": _CODE,
    "EMAIL_ADDRESS": _CODE,
    "IP_ADDRESS": _CODE,
    "MAC_ADDRESS": _CODE,
    "GPS": ("plain", "fullwidth", "zero_width", *WHOLE_TEXT),
    "CN_ADDRESS": ("plain", "fullwidth", "zero_width", "chinese_numerals", *WHOLE_TEXT),
    "DATE_OF_BIRTH": ("plain", "fullwidth", "zero_width", "circled", "chinese_numerals", *WHOLE_TEXT),
    "PERSON": ("plain", "zero_width", "spaced_digits", "json_string"),
    "SECRET": ("plain", "zero_width", *WHOLE_TEXT),
    "US_SSN": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "IBAN": ("plain", "fullwidth", "zero_width", "spaced", "dashed", *WHOLE_TEXT),
}

# Only these forms are disguised: a number without separators of its own, or the commonest writing.
DISGUISED_FORMS: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("gb18", "residence", "foreigner2023"),
    "CN_MOBILE": ("national",),
    "CN_LANDLINE": ("compact",),
    "CN_BANK_CARD": ("unionpay", "foreign"),
    "CN_SOCIAL_SECURITY": ("office", "id"),
    "CN_PLATE": ("ordinary", "new_energy"),
    "GPS": ("decimal",),
    "DATE_OF_BIRTH": ("written",),
    "PERSON": ("zh",),
    "SECRET": tuple(form for form in FORMS["SECRET"] if form not in {"pem", "url", "password"}),
    "US_SSN": ("dashed",),
    "IBAN": ("electronic",),
    "IMEI": ("number",),
}


def example(
    entity: str, rng: Random, *, form: str | None = None, style: str | None = None, disguise: str = "plain"
) -> Planted:
    """A random value in its disguise in a text of the style; `value` stays as it was before the disguise.

    Disguised values other than plain ones come with their label in Chinese, as people who write so do.
    """
    if disguise not in DISGUISES_OF[entity]:
        raise ValueError(f"{disguise} makes no sense for {entity}")
    if disguise == "plain":
        value, form = generate(entity, rng, form)
        return wrap(value, entity, rng, form, style)
    form = form or rng.choice(DISGUISED_FORMS.get(entity, tuple(FORMS[entity])))
    value, form = generate(entity, rng, form)
    label = _zh_label(value, entity, form, rng)
    if disguise == "between_han":
        return _fill(_between_han(rng, label), SLOT, value, entity, value)
    if disguise == "json_string":
        text, written = _json_string(value, rng, label)
        return _fill(text, json.dumps(SLOT)[1:-1], written, entity, value)
    written = DISGUISES[disguise](value, rng)
    planted = wrap(written, entity, rng, form, style or rng.choice(("zh", "tight", "chat", "mixed")))
    return planted._replace(value=value)


# --- texts without identifiers ---


def _isbn13(rng: Random) -> str:
    """ISO 2108: 978, weights 1 and 3."""
    body = "9787" + _number(rng, 8)
    return body + str(-sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(body)) % 10)


def _order_number(rng: Random) -> str:
    """A date, a time and a counter, 18 to 20 digits; the first two digits are no province, the first no card."""
    moment = f"20{rng.randint(19, 25)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}{rng.randint(0, 23):02d}"
    return moment + _number(rng, rng.randint(8, 10))


def _round_large(rng: Random) -> str:
    return rng.choice(("130", "138", "150", "156", "186", "199")) + "0" * 8


NEGATIVES: dict[str, Callable[[Random], tuple[str, ...]]] = {
    "order_number": lambda r: (
        f"订单号：{_order_number(r)}，预计明天送达。",
        f"Your order no. {_order_number(r)} has shipped.",
        f"快递单号SF{_number(r, 13)}已揽收",
    ),
    "timestamp": lambda r: (
        f"ts={r.randint(16 * 10**8, 18 * 10**8)}{_number(r, 3)} level=INFO msg=started",
        f"时间戳{r.randint(16 * 10**8, 18 * 10**8)}对应的是北京时间。",
        f"2024-0{r.randint(1, 9)}-1{r.randint(0, 9)}T08:{r.randint(10, 59)}:33.{_number(r, 6)}Z job done",
    ),
    "price": lambda r: (
        f"原价{r.randint(1000, 99999)}元，现价{r.randint(100, 999)}.{r.randint(10, 99)}元。",
        f"The total came to ${r.randint(1, 999)},{r.randint(100, 999)},{r.randint(100, 999)}.00.",
        f"合同金额人民币{r.randint(10**7, 10**8)}.00元整",
    ),
    "measure": lambda r: (
        f"预计到那时全球将有{_round_large(r)}人。",
        f"项目总投资{_round_large(r)}元，分三年到位",
        f"距离地球约{_round_large(r)}公里。",
        f"全年发电{_round_large(r)}千瓦时",
    ),
    "mathematics": lambda r: (
        f"{(a := r.randint(10**4, 10**6))} × {(b := r.randint(10**4, 10**5))} = {a * b}",
        "圆周率约等于3.14159265358979323846，自然常数约等于2.71828182845904523536。",
        f"2的{(n := r.randint(34, 63))}次方等于{2**n}。",
        f"{(n := r.randint(13, 18))}! = {_factorial(n)}",
    ),
    "isbn": lambda r: (f"ISBN：{_isbn13(r)}，人民邮电出版社。", f"See ISBN {_isbn13(r)}, chapter {r.randint(1, 20)}."),
    "version": lambda r: (
        f"软件已升级到版本 {r.randint(1, 9)}.{r.randint(0, 20)}.{r.randint(0, 20)}.{r.randint(1000, 9999)}。",
        f"Chrome/{r.randint(90, 130)}.0.{r.randint(4000, 6999)}.{r.randint(10, 200)} Safari/537.36",
        f"pip install numpy=={r.randint(1, 2)}.{r.randint(10, 26)}.{r.randint(0, 4)}",
    ),
    "score": lambda r: (
        f"他数学考了{r.randint(60, 150)}分，全班第{r.randint(1, 50)}名。",
        f"最终比分21-{r.randint(5, 19)}，21-{r.randint(5, 19)}。",
        f"BLEU {r.randint(20, 45)}.{r.randint(10, 99)}, F1 0.{_number(r, 4)}",
    ),
    "coarse_coordinates": lambda r: (
        f"北京大致位于北纬{r.randint(39, 40)}度、东经{r.randint(115, 117)}度。",
        f"The city lies near {r.randint(20, 45)}.{r.randint(1, 9)}, {r.randint(100, 125)}.{r.randint(1, 9)}.",
        f"点P的坐标是({r.randint(1, 99)}.{r.randint(1, 9)}, {r.randint(1, 99)}.{r.randint(1, 9)})",
    ),
    "gene": lambda r: (
        f"BRCA1、TP53与rs{r.randint(10**5, 10**8)}相关。",
        f"The variant NM_{r.randint(10**5, 10**6 - 1):06d}.{r.randint(1, 5)} in CYP2D6 was found.",
        f"ENSG{_number(r, 11)} is expressed in the liver",
    ),
    "code": lambda r: (
        f"for (int i = 0; i < {r.randint(10, 10**6)}; i++) {{ sum += a[i] * {r.randint(2, 99)}; }}",
        f"#define MASK 0x{r.getrandbits(32):08X}u  // {r.randint(1, 31)} bits",
        f"commit {r.getrandbits(160):040x}",
        f"uuid = {str(_uuid4(r))!r}",
        f"npm install react@{r.randint(16, 19)}.{r.randint(0, 9)}.{r.randint(0, 9)}",
        "@app.route('/users/<int:user_id>')\ndef show(user_id): return user_id + 10000",
        "color: rgba(12, 34, 56, 0.5); margin: 0 10px 10px 0;",
    ),
    "placeholder_secret": lambda r: (
        "password=<your-password>",
        "api_key = os.environ['API_KEY']",
        "密码不能少于8位，且必须包含数字。",
        "mysql -u root -p  # then type the password",
        f"token count: {r.randint(100, 9999)}, max_tokens={r.randint(256, 8192)}",
    ),
    "plain_date": lambda r: (
        f"会议定于{r.randint(2019, 2026)}年{r.randint(1, 12)}月{r.randint(1, 28)}日上午9点召开。",
        f"Released on {r.randint(2010, 2025)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}.",
        f"本法自{r.randint(1990, 2024)}年{r.randint(1, 12)}月1日起施行。",
    ),
    "reference": lambda r: (
        f"doi:10.{r.randint(1000, 9999)}/{r.randint(10**6, 10**7)}.{r.randint(10**6, 10**7)}",
        f"arXiv:{r.randint(10, 25)}0{r.randint(1, 9)}.{_number(r, 5)}v{r.randint(1, 4)}",
        f"根据《民法典》第{r.randint(100, 1260)}条第{r.randint(1, 4)}款",
        f"（{r.randint(2015, 2024)}）最高法民终{r.randint(1, 1500)}号",
    ),
    "product": lambda r: (
        f"乘坐G{r.randint(1, 9999)}次列车，{r.randint(1, 16)}车厢检票。",
        f"股票代码60{_number(r, 4)}，收盘涨{r.randint(1, 9)}.{r.randint(10, 99)}%",
        f"型号RTX {r.randint(30, 50)}{r.choice('6789')}0，显存{r.choice((8, 12, 16, 24))}GB",
        f"航班MU{r.randint(1000, 9999)}延误{r.randint(1, 9)}小时",
        f"条形码69{_number(r, 11)}，净含量{r.randint(100, 999)}克",
    ),
    "coarse_place": lambda _r: (
        "公司总部位于广东省深圳市南山区。",
        "我们去了北京市海淀区的中关村。",
        "长江路上新开了3家店",
    ),
    "special_ip": lambda _r: ("listen 0.0.0.0:8080", "子网掩码为255.255.255.0。", "curl http://127.0.0.1:5000/health"),
    "part_number": lambda r: (
        f"系统报错，错误码E{_number(r, 8)}，请联系管理员。",
        f"批次号H{_number(r, 8)}的药品已召回",
        f"Part C{_number(r, 8)} is out of stock.",
        f"物料编码{r.randint(10**9, 10**10 - 1)}已停用",
    ),
    "count": lambda r: (
        f"播放量{r.randint(10**7, 10**9)}次，点赞{r.randint(1000, 99999)}",
        f"共{r.randint(10**5, 10**7)}条记录，耗时{r.randint(10, 9999)}毫秒",
        f"Downloads: {r.randint(10**6, 10**9)} this year",
    ),
    "masked": lambda r: (
        f"手机号：138****{_number(r, 4)}",
        f"身份证号1101**********{_number(r, 3)}X已脱敏",
        f"card ending in {_number(r, 4)}",
    ),
    "service_number": lambda _r: (
        "话费问题请拨打10086。",
        "报警请打110，急救请打120",
        "市民热线12345全天开通。",
        "银行客服95588会回电",
    ),
    "statistics": lambda r: (
        f"均值{r.uniform(0, 100):.12f}，方差{r.uniform(0, 10):.15f}",
        f"样本量n={r.randint(1000, 99999)}, p=0.0{_number(r, 8)}, χ²={r.uniform(1, 99):.4f}",
        f"第七次人口普查结果为{r.randint(14 * 10**8, 15 * 10**8)}人",
        f"0.{_number(r, 18)} 1.{_number(r, 10)}e-0{r.randint(1, 9)}",
    ),
    "famous_name": lambda _r: (
        "李白写了《静夜思》，杜甫写了《春望》。",
        "小明有5个苹果，小红有3个。",
        "牛顿生活在17世纪",
    ),
}


def _factorial(n: int) -> int:
    result = 1
    for factor in range(2, n + 1):
        result *= factor
    return result


def _uuid4(rng: Random) -> str:
    """RFC 9562, version 4."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{rng.choice('89ab')}{digits[17:20]}-{digits[20:]}"


def negative(rng: Random, kind: str | None = None) -> Negative:
    """A realistic text with numbers, or with what only looks like an identifier."""
    kind = kind or rng.choice(list(NEGATIVES))
    return Negative(rng.choice(NEGATIVES[kind](rng)), kind)
