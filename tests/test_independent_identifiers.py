"""The second generator against what others say: other implementations, and the worked examples of the standards."""

import base64
import binascii
import csv
import email.headerregistry
import io
import ipaddress
import json
import re
import string
import unicodedata
from datetime import UTC, datetime
from random import Random

import identifiers_in_texts as carried
import independent_identifiers as made
import phonenumbers
import pytest
import stdnum.cn.ric
import stdnum.cn.uscc
import stdnum.iban
import stdnum.imei
import stdnum.luhn
import stdnum.mac
import stdnum.us.ssn
import texts_without_identifiers as harmless
from stdnum import numdb
from stdnum.iso7064 import mod_11_2, mod_97_10

COUNT = 300
EVERY_FORM = [(entity, form) for entity, forms in made.FORMS.items() for form in forms]
EVERY_STYLE = [(entity, form, style) for entity, form in EVERY_FORM for style in carried.styles_of(entity, form)]
EVERY_DISGUISE = [(entity, disguise) for entity, names in carried.DISGUISES_OF.items() for disguise in names]


def values(entity: str, form: str) -> list[str]:
    rng = Random(f"{entity}/{form}")
    return [made.generate(entity, rng, form)[0] for _ in range(COUNT)]


def parses(value: str, layout: str) -> bool:
    try:
        datetime.strptime(value, layout).replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def digits(value: str) -> str:
    return re.sub(r"\D", "", value)


# --- worked examples of the standards ---


@pytest.mark.parametrize(
    ("check", "number"),
    [
        (made.check_mod11_2, "11010519491231002X"),  # GB 11643-1999, annex A
        (made.check_mod11_2, "440524188001010014"),  # GB 11643-1999, annex A
        (made.check_mod11_2, "911398199012310021"),  # foreigner's card of 2023, test value of a published validator
        (made.check_731, "KAZ110090123105"),  # foreigner's card of 2017, test value of the same validator
        (made.check_731, "L898902C36"),  # ICAO Doc 9303-4, appendix B: document number of the specimen
        (made.check_731, "7408122"),  # the same: date of birth
        (made.check_luhn, "79927398713"),  # the usual example of ISO/IEC 7812-1
        (made.check_luhn, "378282246310005"),  # American Express' test card
        (made.check_luhn, "490154203237518"),  # the IMEI that encyclopaedias use
        (made.check_uscc, "91350100M000100Y43"),  # GB 32100-2015, annex
        (made.check_organisation, "D2143569X"),  # GB 11714-1997
        (made.check_organisation, "M000100Y4"),  # the organisation code within the example of GB 32100-2015
        (made.check_hkid, "A1234563"),  # Immigration Department: A123456(3)
        (made.check_hkid, "AB9876543"),  # two letters: AB987654(3), common in documentation, checked by hand
        (made.check_taiwan, "A123456789"),  # the usual specimen
        (made.check_taiwan, "A800000014"),  # number of 2021, form fillers' specimen, checked by hand
    ],
)
def test_worked_examples(check, number):
    assert check(number[:-1]) == number[-1]


@pytest.mark.parametrize(
    "iban",  # SWIFT IBAN registry
    ["GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606", "BE68539007547034"],
)
def test_iban_examples(iban):
    assert made.check_iban(iban[:2], iban[4:]) == iban[2:4]


# --- other implementations ---


@pytest.mark.parametrize(
    ("entity", "form"), [("CN_RESIDENT_ID", "gb18"), ("CN_SOCIAL_SECURITY", "id"), ("CN_DRIVING_LICENCE", "number")]
)
def test_resident_id(entity, form):
    # python-stdnum also asks that the county existed in the year of birth. A number is given at registration, often
    # decades later, so that a county of 2000 and a birth in 1943 do go together.
    for value in values(entity, form):
        assert stdnum.cn.ric.calc_check_digit(value) == value[-1]
        assert 1940 <= stdnum.cn.ric.get_birth_date(value).year <= 2012
        assert "county" in numdb.get("cn/loc").info(value[:6])[-1][1], value


@pytest.mark.parametrize("form", ["residence", "foreigner2023"])
def test_other_18_digit_cards(form):
    for value in values("CN_RESIDENT_ID", form):
        mod_11_2.validate(value)
        assert 1940 <= stdnum.cn.ric.get_birth_date(value).year <= 2012
        assert value[:6] in {"810000", "820000", "830000"} or value[0] == "9"


def test_old_resident_id_becomes_valid_with_century_and_check_digit():
    for value in values("CN_RESIDENT_ID", "gb15"):
        longer = value[:6] + "19" + value[6:]
        whole = longer + stdnum.cn.ric.calc_check_digit(longer + "0")
        assert len(value) == 15
        assert mod_11_2.is_valid(whole)
        assert 1930 <= stdnum.cn.ric.get_birth_date(whole).year <= 1999
        assert "county" in numdb.get("cn/loc").info(value[:6])[-1][1], value


def test_foreigner_2017():
    for value in values("CN_RESIDENT_ID", "foreigner2017"):
        assert re.fullmatch(r"[A-Z]{3}[0-9]{12}", value)
        assert parses(value[7:13], "%y%m%d"), value
        # ICAO 7-3-1 with the letters' values taken from their place in the alphabet.
        numbers = [string.ascii_uppercase.index(char) + 10 if char.isalpha() else int(char) for char in value[:14]]
        assert (7 * sum(numbers[::3]) + 3 * sum(numbers[1::3]) + sum(numbers[2::3])) % 10 == int(value[14])


@pytest.mark.parametrize("form", ["national", "international", "grouped"])
def test_mobile(form):
    for value in values("CN_MOBILE", form):
        number = digits(value)[-11:]
        parsed = phonenumbers.parse("+86" + number)
        assert phonenumbers.is_possible_number(parsed), value
        assert re.fullmatch(r"1[3-9]\d{9}", number)
        assert not number.startswith(("1349", "174", "1619"))  # satellite


def test_mobile_prefixes_are_known_to_another_table():
    # The table of libphonenumber lacks three networks that the ministry's has: 146, 148, 149.
    rng = Random(11)
    for prefix in made.MOBILE_PREFIXES:
        number = prefix + "".join(rng.choice("0123456789") for _ in range(11 - len(prefix)))
        kind = phonenumbers.number_type(phonenumbers.parse("+86" + number))
        assert (kind == phonenumbers.PhoneNumberType.MOBILE) == (prefix not in {"146", "148", "149"}), prefix


@pytest.mark.parametrize("form", ["dashed", "written", "extension", "compact"])
def test_landline(form):
    for value in values("CN_LANDLINE", form):
        without_extension = re.sub(r"(?:转|(?<=\d{7})-)\d{3,4}$", "", value)
        parsed = phonenumbers.parse(without_extension.replace("（", "(").replace("）", ")"), "CN")
        assert phonenumbers.is_possible_number(parsed), value
        assert phonenumbers.number_type(parsed) == phonenumbers.PhoneNumberType.FIXED_LINE, value


@pytest.mark.parametrize("form", ["unionpay", "foreign", "grouped"])
def test_bank_card(form):
    for value in values("CN_BANK_CARD", form):
        number = digits(value)
        assert stdnum.luhn.is_valid(number)
        assert 15 <= len(number) <= 19
        assert form == "foreign" or number.startswith("62")


@pytest.mark.parametrize("form", ["electronic", "printed"])
def test_iban(form):
    for value in values("IBAN", form):
        compact = value.replace(" ", "")
        stdnum.iban.validate(compact)
        if compact.startswith("FR"):  # the key of the RIB makes the whole divisible by 97
            assert int(compact[4:]) % 97 == 0
        mod_97_10.validate(compact[4:] + compact[:4])


def test_uscc():
    for value in values("CN_USCC", "number"):
        assert stdnum.cn.uscc.calc_check_digit(value) == value[-1]
        # python-stdnum does not know the authority Y (others) of the standard's table 1.
        assert stdnum.cn.uscc.is_valid(value) or value.startswith("Y1")
        places = string.digits + string.ascii_uppercase
        total = sum(places.index(char) * w for char, w in zip(value[8:16], (3, 7, 9, 10, 5, 8, 4, 2), strict=True))
        assert (total + (10 if value[16] == "X" else int(value[16]))) % 11 == 0


@pytest.mark.parametrize("form", ["number", "printed"])
def test_imei(form):
    for value in values("IMEI", form):
        assert stdnum.imei.validate(value)
        assert stdnum.imei.imei_type(value) == "IMEI"


def test_ssn():
    for value in values("US_SSN", "dashed"):
        stdnum.us.ssn.validate(value)
    assert all(re.fullmatch(r"\d{9}", value) for value in values("US_SSN", "compact"))


def test_hong_kong():
    for value in values("HK_ID", "brackets"):
        letters, number, check = re.fullmatch(r"([A-Z]{1,2})(\d{6})\(([0-9A])\)", value).groups()
        # The other statement of the rule: the whole sum with the check digit is divisible by 11; a blank counts 58.
        first, second = (58, ord(letters) - 55) if len(letters) == 1 else (ord(letters[0]) - 55, ord(letters[1]) - 55)
        total = 9 * first + 8 * second + sum(int(d) * w for d, w in zip(number, range(7, 1, -1), strict=True))
        assert (total + int(check, 16)) % 11 == 0


@pytest.mark.parametrize("form", ["national", "resident"])
def test_taiwan(form):
    # The other way to state the rule: one weight for each letter.
    letters = dict(zip(string.ascii_uppercase, map(int, "10987654932210898765431320"), strict=True))
    for value in values("TW_ID", form):
        total = letters[value[0]] + sum(int(d) * w for d, w in zip(value[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True))
        assert total % 10 == 0


def test_addresses_of_machines():
    for version in (4, 6):
        for value in values("IP_ADDRESS", f"v{version}"):
            address = ipaddress.ip_address(value)
            assert (address.version, address.is_global) == (version, True)
    for value in values("MAC_ADDRESS", "eui48"):
        pairs = re.findall("..", re.sub(r"[.:-]", "", value))
        assert stdnum.mac.is_valid(":".join(pairs), validate_manufacturer=False), value
        assert stdnum.mac.is_unicast(":".join(pairs))
        assert stdnum.mac.is_universally_administered(":".join(pairs))


def test_email():
    for value in values("EMAIL_ADDRESS", "address"):
        assert email.headerregistry.Address(addr_spec=value).addr_spec == value


def test_dates_of_birth():
    formats = (
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%Y.%m.%d",
        "%Y年%m月%d日",
        "%d %B %Y",
        "%B %d, %Y",
        "%b %d, %Y",
        "%m/%d/%Y",
        "%Y%m%d",
    )
    for form in made.FORMS["DATE_OF_BIRTH"]:
        for value in values("DATE_OF_BIRTH", form):
            assert any(parses(value, layout) for layout in formats), value


def test_secrets():
    shapes = {
        "aws": r"(?:AKIA|ASIA)[A-Z2-7]{16}",
        "openai": r"sk-(?:proj-)?[\w-]+T3BlbkFJ\w+",
        "github": r"gh[pos]_[A-Za-z0-9]{36}",
        "github_pat": r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
        "gitlab": r"glpat-[\w-]{20}",
        "slack": r"xox[bp]-\d{12}-\d{13}-[\w-]+",
        "google": r"AIza[\w-]{35}",
        "aliyun": r"LTAI(?:[A-Za-z0-9]{12}|[A-Za-z0-9]{20})",
        "tencent": r"AKID[A-Za-z0-9]{32}",
        "hugging_face": r"hf_[A-Za-z]{34}",
    }
    for form, shape in shapes.items():
        assert all(re.fullmatch(shape, value, re.ASCII) for value in values("SECRET", form)), form
    for value in values("SECRET", "github"):
        base62 = (string.digits + string.ascii_uppercase + string.ascii_lowercase).index
        number = sum(base62(char) * 62**i for i, char in enumerate(reversed(value[-6:])))
        assert number == binascii.crc32(value[4:-6].encode())
    for value in values("SECRET", "jwt"):
        header, claims, signature = (
            base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in value.split(".")
        )
        assert json.loads(header) == {"alg": "HS256", "typ": "JWT"}
        assert set(json.loads(claims)) == {"sub", "iat"}
        assert len(signature) == 32
    for value in values("SECRET", "pem"):
        head, *body, foot = value.splitlines()
        assert head.replace("BEGIN", "END") == foot
        assert len(base64.b64decode("".join(body), validate=True)) in {121, 300, 609}


SHAPES = {
    ("CN_PASSPORT", "number"): r"[EG]\d{8}|E[A-HJ-NP-Z]\d{7}|[DSP]E\d{7}",
    ("HK_MACAU_PERMIT", "home_return"): r"[HM]\d{8}(?:\d\d)?",
    ("HK_MACAU_PERMIT", "mainland"): r"[CW]\d{8}|C[A-HJ-NP-Z]\d{7}",
    ("TW_PERMIT", "compatriot"): r"\d{8}|\d{10}",
    ("TW_PERMIT", "mainland"): r"[LT]\d{8}",
    ("MACAU_ID", "brackets"): r"[157]\d{6}[(（]\d[)）]|[157]/\d{6}/\d",
    ("CN_PLATE", "ordinary"): r"[\u4e00-\u9fff][A-HJ-N][· ]?[A-HJ-NP-Z0-9]{5}",
    ("CN_PLATE", "new_energy"): r"[\u4e00-\u9fff][A-HJ-N]·?(?:[A-HJK][A-HJ-NP-Z0-9]\d{4}|\d{5}[DF])",
    ("CN_PLATE", "special"): r"[\u4e00-\u9fff][A-HJ-NZ][A-HJ-NP-Z0-9]{4}[警学挂港澳]",
    ("QQ", "number"): r"[1-9]\d{4,10}",
    ("WECHAT", "name"): r"[a-z][a-z0-9_-]{5,19}",
    ("CN_DRIVING_LICENCE", "file"): r"\d{12}",
    ("CN_BANK_ACCOUNT", "firm"): r"[1-9]\d{11,20}",
    ("CN_SOCIAL_SECURITY", "card"): r"[A-Z]\d{8}",
    ("MEDICAL_RECORD", "number"): r"(?:ZY|MZ|B|P)?\d{6,10}",
    ("SECRET", "url"): r"[a-z]+://\w+:\w+@[\w.-]+:\d+/\w+",
}


@pytest.mark.parametrize(("entity", "form"), SHAPES)
def test_numbers_without_a_check_digit_have_their_published_shape(entity, form):
    for value in values(entity, form):
        assert re.fullmatch(SHAPES[entity, form], value, re.ASCII), value


# --- carriers ---


def readable(text: str) -> str:
    """The text as a reader of a JSON document sees it."""
    return json.dumps(json.loads(text), ensure_ascii=False) if text.startswith("{") else text


@pytest.mark.parametrize(("entity", "form", "style"), EVERY_STYLE)
def test_the_span_is_the_value(entity, form, style):
    rng = Random(f"{entity}/{form}/{style}")
    for _ in range(20):
        planted = carried.example(entity, rng, form=form, style=style)
        span = planted.text[planted.start : planted.end]
        assert (planted.entity, carried.SLOT in planted.text) == (entity, False)
        if style.startswith("json"):
            document = json.loads(planted.text)
            assert json.loads(f'"{span}"') == planted.value
            assert any(planted.value in str(member) for member in document.values())
            assert style == "json" or planted.text.isascii()
        elif style == "csv":
            (header, row) = csv.reader(io.StringIO(planted.text))
            assert (len(header), row[1], row[2]) == (3, planted.value, "已审核")
        else:
            assert span == planted.value


@pytest.mark.parametrize(("entity", "form"), EVERY_FORM)
def test_forms_that_need_a_label_have_one(entity, form):
    rng = Random(f"label {entity}/{form}")
    labels = carried.LABELS.get(f"{entity}/{form}") or carried.LABELS[entity]
    words = {
        *labels.zh,
        *labels.en,
        *labels.keys,
        *(("患者", "申请人", "收件人", "联系人") if entity == "PERSON" else ()),
    }
    if form not in made.BARE_FORMS.get(entity, ()):
        for _ in range(100):
            text = readable(carried.example(entity, rng, form=form).text)
            assert any(word in text for word in words), text
        with pytest.raises(ValueError, match="needs a label"):
            carried.wrap("1", entity, rng, form, "bare_zh")
    else:
        assert "bare_en" in carried.styles_of(entity, form)


def test_tight_and_between_han_stand_between_han_characters():
    rng = Random(5)
    for _ in range(COUNT):
        planted = carried.example("CN_MOBILE", rng, disguise="between_han")
        assert "\u4e00" <= planted.text[planted.start - 1] <= "\u9fff"
        assert "\u4e00" <= planted.text[planted.end] <= "\u9fff"


# --- disguises ---

SEPARATORS = re.compile("[ .\u200b-]")


def undone(written: str) -> str:
    """Compatibility forms, numerals and separators taken off by the Unicode database, not by the generator's tables."""
    plain = ""
    for char in written:
        folded = unicodedata.normalize("NFKC", char)
        numeral = unicodedata.name(char, "").startswith("CJK UNIFIED IDEOGRAPH") or char == "〇"
        number = unicodedata.numeric(char, -1) if numeral else -1
        plain += str(int(number)) if 0 <= number <= 9 else folded
    return SEPARATORS.sub("", plain)


@pytest.mark.parametrize(("entity", "disguise"), EVERY_DISGUISE)
def test_a_disguise_can_be_undone(entity, disguise):
    rng = Random(f"{entity}/{disguise}")
    changed = 0
    for _ in range(60):
        planted = carried.example(entity, rng, disguise=disguise)
        span = planted.text[planted.start : planted.end]
        if planted.text.startswith("{"):
            assert json.loads(f'"{span}"') == planted.value
        elif planted.text.startswith("序号"):
            assert span.replace('""', '"') == planted.value
        elif disguise == "chinese_numerals" and "十" in span:
            assert entity in {"CN_ADDRESS", "DATE_OF_BIRTH"}
        else:
            assert undone(span) == undone(planted.value)
        changed += span != planted.value
    assert changed or disguise in {"plain", "between_han", "json_string"}


@pytest.mark.parametrize(
    ("disguise", "value", "written"),
    [
        ("fullwidth", "110-X@a", "１１０－Ｘ＠ａ"),
        ("zero_width", "138", "1\u200b3\u200b8"),
        ("spaced", "13812345678", "138 1234 5678"),
        ("spaced", "11010519491231002X", "110105 19491231 002X"),
        ("spaced", "E12345678", "E 1234 5678"),
        ("spaced", "07551234567", "0755 123 4567"),
        ("spaced_digits", "138", "1 3 8"),
        ("dashed", "01012345678", "010-1234-5678"),
        ("dotted", "6222021234567890123", "6222.0212.3456.7890.123"),
        ("circled", "10293", "①⓪②⑨③"),
        ("chinese_numerals", "1234567891", "一二三四五六七八九一"),
        ("chinese_numerals", "1991年12月31日", "一九九一年十二月三十一日"),
        ("chinese_numerals", "20号楼511室", "二十号楼五一一室"),
    ],
)
def test_disguises_by_hand(disguise, value, written):
    assert carried.DISGUISES[disguise](value, Random(0)) == written


def test_between_han_and_json_string_as_plain_functions():
    assert carried.between_han("13812345678", Random(1), "手机号").count("13812345678") == 1
    texts = [carried.json_string("京A12345", Random(seed)) for seed in range(40)]
    assert all("京A12345" in json.loads(text)["msg"] and text.isascii() for text in texts)
    assert {"A12345" in text for text in texts} == {True, False}  # some escape every character


def test_the_tables_are_complete():
    assert set(carried.DISGUISES_OF) == set(made.ENTITIES)
    assert {name for names in carried.DISGUISES_OF.values() for name in names} == set(carried.DISGUISES)
    assert all(form in made.FORMS[entity] for entity, forms in carried.DISGUISED_FORMS.items() for form in forms)
    assert all(form in made.FORMS[entity] for entity, forms in made.BARE_FORMS.items() for form in forms)
    assert set(carried.BARE_ZH) == set(carried.BARE_EN) == set(made.BARE_FORMS)
    with pytest.raises(ValueError, match="makes no sense"):
        carried.example("SECRET", Random(0), disguise="circled")


# --- negatives ---


@pytest.mark.parametrize("kind", harmless.NEGATIVES)
def test_negatives_hold_no_identifier_that_speaks_for_itself(kind):
    rng = Random(kind)
    texts = {harmless.negative(rng, kind).text for _ in range(COUNT)}
    assert len(texts) >= 3
    for text in texts:
        runs = re.findall(r"(?<![0-9A-Za-z.])\d+[Xx]?(?![0-9A-Za-z])", text)
        assert not any(stdnum.cn.ric.is_valid(run) for run in runs), text
        # Authorities of GB 32100-2015 that register many: 1, 5, 9; a date that begins with 20 is none of them.
        assert not any(stdnum.cn.uscc.is_valid(run) and run[0] in "159" for run in runs), text
        assert not any(run.startswith("62") and 16 <= len(run) <= 19 and stdnum.luhn.is_valid(run) for run in runs), (
            text
        )
        assert not re.search(r"[\w.]+@[\w-]+\.[a-z]{2,}", text), text
        assert not re.search(r"(?:AKIA|ghp_|sk-[A-Za-z0-9]{20}|-----BEGIN)", text), text


def test_negatives_carry_their_kind():
    rng = Random(3)
    assert {harmless.negative(rng).kind for _ in range(2000)} == set(harmless.NEGATIVES)


# --- determinism ---


def drawn(seed: int) -> list[object]:
    rng = Random(seed)
    examples: list[object] = [
        carried.example(entity, rng, disguise=disguise) for entity, disguise in EVERY_DISGUISE for _ in range(3)
    ]
    return examples + [harmless.negative(rng, kind) for kind in harmless.NEGATIVES]


def test_the_seed_fixes_everything():
    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)
