"""Random personal identifiers, written from the public standards alone, to judge the recognizers with.

Nothing here was written after the recognizers of the project or after their tests: the truth of a recall figure must
not come from the code that it measures. Every generator takes a `random.Random`, so a seed fixes every value.

- `FORMS[entity][form](rng)` yields a valid value of one written form; `generate(entity, rng)` picks the form.
- `identifiers_in_texts` puts values into texts, `texts_without_identifiers` has what looks like some.

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
import string
import zlib
from collections.abc import Callable
from random import Random

Maker = Callable[[Random], str]
DIGITS = string.digits
ALNUM = string.digits + string.ascii_uppercase + string.ascii_lowercase
LETTERS_NO_IO = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # document and plate series leave out I and O


def _pick(rng: Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def some_digits(rng: Random, count: int) -> str:
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
    body = (
        rng.choice(list(COUNTRIES)) + rng.choice(COUNTIES)[:2] + "00" + f"{_birthday(rng):%y%m%d}" + some_digits(rng, 1)
    )
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
    return prefix + some_digits(rng, 11 - len(prefix))


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
    return area, start + some_digits(rng, 5 if area in AREAS_8 else 4)


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
    body = prefix + some_digits(rng, length - len(prefix) - 1)
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
    return rng.choice("123456789") + some_digits(rng, rng.choice((12, 15, 17, 19, 20, 21)) - 1)


def iban(rng: Random) -> str:
    """ISO 13616, structures of the SWIFT registry; Belgium and France with their national check digits."""
    country = rng.choice(("DE", "GB", "NL", "CH", "AT", "IE", "LU", "SA", "AE", "BE", "FR"))
    bank = _pick(rng, string.ascii_uppercase, 4)
    if country == "BE":
        body = rng.choice(("001", "050", "113")) + some_digits(
            rng, 7
        )  # codes that the National Bank has given to banks
        bban = body + f"{int(body) % 97 or 97:02d}"
    elif country == "FR":
        branch, account = some_digits(rng, 10), some_digits(rng, 11)
        bban = branch + account + f"{97 - int(branch + account + '00') % 97:02d}"
    else:
        bban = {
            "DE": some_digits(rng, 18),
            "GB": bank + some_digits(rng, 14),
            "NL": bank + some_digits(rng, 10),
            "CH": some_digits(rng, 17),
            "AT": some_digits(rng, 16),
            "IE": bank + some_digits(rng, 14),
            "LU": some_digits(rng, 16),
            "SA": some_digits(rng, 20),
            "AE": some_digits(rng, 19),
        }[country]
    return country + check_iban(country, bban) + bban


def iban_printed(rng: Random) -> str:
    """ISO 13616: on paper in groups of four."""
    number = iban(rng)
    return " ".join(number[i : i + 4] for i in range(0, len(number), 4))


# --- travel documents and identity cards ---


def passport(rng: Random) -> str:
    """E and eight digits (from 2012), then E, a letter and seven digits (from 2017); G and eight digits (1997)."""
    ordinary = (
        "E" + some_digits(rng, 8),
        "E" + rng.choice(LETTERS_NO_IO) + some_digits(rng, 7),
        "G" + some_digits(rng, 8),
    )
    return rng.choice((*ordinary, rng.choice(("DE", "SE", "PE")) + some_digits(rng, 7)))


def home_return_permit(rng: Random) -> str:
    """Mainland travel permit for Hong Kong (H) and Macau (M) residents: 8 digits for life, until 2013 2 of reissue."""
    return rng.choice("HM") + some_digits(rng, 8) + rng.choice(("", "", f"{rng.randint(0, 5):02d}"))


def exit_endorsement(rng: Random) -> str:
    """Permit to Hong Kong and Macau: C and eight digits (2014), C, a letter (not I, O), seven digits; W on paper."""
    return rng.choice(
        ("C" + some_digits(rng, 8), "C" + rng.choice(LETTERS_NO_IO) + some_digits(rng, 7), "W" + some_digits(rng, 8))
    )


def taiwan_compatriot_permit(rng: Random) -> str:
    """Mainland travel permit for Taiwan residents: 8 digits on the card of 2015, 10 on the booklet before."""
    return rng.choice("012345678") + some_digits(rng, rng.choice((7, 7, 9)))


def permit_to_taiwan(rng: Random) -> str:
    """Permit of mainland residents to Taiwan: L and eight digits (card of 2017), T and eight digits (booklet)."""
    return rng.choice("LT") + some_digits(rng, 8)


def _hkid(rng: Random) -> tuple[str, str]:
    prefix = rng.choice((*"ABCDEFGHKMNPRSVWYZ", "WX", "XA", "XB", "XC", "XD", "XE", "XG", "XH", "EC"))
    body = prefix + some_digits(rng, 6)
    return body, check_hkid(body)


def hk_id(rng: Random) -> str:
    body, check = _hkid(rng)
    return f"{body}({check})"


def hk_id_compact(rng: Random) -> str:
    return "".join(_hkid(rng))


def macau_id(rng: Random) -> str:
    """Law 8/2002: 1, 5 or 7 and six digits, a check digit in brackets. Its rule is not public, so any digit serves."""
    first, body, check = rng.choice("157"), some_digits(rng, 6), some_digits(rng, 1)
    return rng.choice((f"{first}{body}({check})", f"{first}{body}（{check}）", f"{first}/{body}/{check}"))


def taiwan_id(rng: Random) -> str:
    body = rng.choice(string.ascii_uppercase) + rng.choice("12") + some_digits(rng, 7)
    return body + check_taiwan(body)


def taiwan_resident(rng: Random) -> str:
    """UI number of foreigners since 2021: second place 8 or 9, the same check digit."""
    body = rng.choice(string.ascii_uppercase) + rng.choice("89") + some_digits(rng, 7)
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
    organisation = rng.choice(("MA", "M0", some_digits(rng, 2))) + _pick(rng, "0123456789ABCDEFGHJKLMNPQRTUWXY", 6)
    body = kind + rng.choice(COUNTIES) + organisation + check_organisation(organisation)
    return body + check_uscc(body)


def social_security_card(rng: Random) -> str:
    """Number printed on the social security card: a letter and eight digits."""
    return rng.choice(string.ascii_uppercase) + some_digits(rng, 8)


def social_security_number(rng: Random) -> str:
    """Personal number of the local insurance office; its length is local."""
    return rng.choice("123456789") + some_digits(rng, rng.choice((8, 9, 11)))


def driving_licence_file(rng: Random) -> str:
    """File number of a driving licence: twelve digits, the first four those of the issuing city in GB/T 2260."""
    return rng.choice(COUNTIES)[:4] + some_digits(rng, 8)


def medical_record(rng: Random) -> str:
    """Each hospital counts for itself: six to ten digits, some with the letters of the department."""
    return rng.choice(("", "", "ZY", "MZ", "B", "P")) + rng.choice("0123456789") + some_digits(rng, rng.randint(5, 9))


# --- plates ---

PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"


def _plate(rng: Random) -> tuple[str, str]:
    """GA 36-2018: province, authority, five places with at most two letters, no I and O."""
    places = list(some_digits(rng, 5))
    for place in rng.sample(range(5), rng.choice((0, 1, 1, 2))):
        places[place] = rng.choice(LETTERS_NO_IO)
    return rng.choice(PROVINCES) + rng.choice("ABCDEFGHJKLMN"), "".join(places)


def plate(rng: Random) -> str:
    return rng.choice(("", "", "·", " ")).join(_plate(rng))


def plate_new_energy(rng: Random) -> str:
    """GA 36-2018: small D … or F …, a place of either kind, four digits; large five digits, then D or F."""
    head, _ = _plate(rng)
    # D, A, B, C, E: battery only; F, G, H, J, K: others. D and F are by far the commonest.
    small = rng.choice("DDDDFFFFABCEGHJK") + rng.choice(DIGITS + LETTERS_NO_IO) + some_digits(rng, 4)
    return head + rng.choice(("", "", "·")) + rng.choice((small, small, some_digits(rng, 5) + rng.choice("DF")))


def plate_special(rng: Random) -> str:
    """Police, learner and trailer plates; cars from Hong Kong and Macau (粤Z)."""
    head, places = _plate(rng)
    return rng.choice((head + places[:4] + rng.choice("警学挂"), "粤Z" + places[:4] + rng.choice("港澳")))


# --- accounts on the net, addresses of machines ---


def qq(rng: Random) -> str:
    """Five to eleven digits, the first not 0."""
    return rng.choice("123456789") + some_digits(rng, rng.choice((4, 5, 6, 7, 8, 8, 9, 9, 10)))


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
    body = rng.choice(("35", "86", "01", "99")) + some_digits(rng, 12)
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
    body = _pick(rng, string.ascii_letters, rng.randint(5, 9)) + some_digits(rng, rng.randint(4, 6))
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
