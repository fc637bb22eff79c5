import random

import phonenumbers
import polars as pl
import pytest
from core_helpers import mostly_slow
from faker import Faker
from stdnum import luhn as stdnum_luhn
from stdnum.cn import ric

from datacheck.pii.analyzer import find
from datacheck.pii.recognizers import RECOGNIZERS, severity
from datacheck.pii.recognizers.cn_bank_card import luhn
from datacheck.pii.recognizers.cn_resident_id import check_digit

# GB 11643 numbers of the standard's examples and made-up ones; telephone numbers, cards: made up.
MOBILE, ID, CARD = "13912348765", "310104198807219873", "6228480402564891057"
ID = ID[:17] + ric.calc_check_digit(ID)
KEY = "sk-Kd93jfK2ls0vBnQ4mZx7Yt6Rw5"
FRAMES = ["{}", "号{}号", "：{}。", "({})", "a，{} b", "\n{}\n", "，{}，", '"{}"']


def found(text: str) -> list[tuple[str, str, str]]:
    """Entity, state and the text of each finding."""
    frame = find(pl.Series([text]))
    return [(row["entity"], row["state"], text[row["start"] : row["end"]]) for row in frame.iter_rows(named=True)]


@pytest.mark.parametrize(
    ("value", "entity"),
    [
        (MOBILE, "CN_MOBILE"),
        ("139 1234 8765", "CN_MOBILE"),
        ("139-1234-8765", "CN_MOBILE"),
        ("139.1234.8765", "CN_MOBILE"),
        ("+8613912348765", "CN_MOBILE"),
        ("+86 139 1234 8765", "CN_MOBILE"),
        ("0086-13912348765", "CN_MOBILE"),
        ("86-13912348765", "CN_MOBILE"),
        ("1391234-8765", "CN_MOBILE"),
        (ID, "CN_RESIDENT_ID"),
        (f"{ID[:6]} {ID[6:14]} {ID[14:]}", "CN_RESIDENT_ID"),
        (" ".join(ID), "CN_RESIDENT_ID"),
        (CARD, "CN_BANK_CARD"),
        ("4539 5787 6362 1486", "CN_BANK_CARD"),
        ("4539-5787-6362-1486", "CN_BANK_CARD"),
        ("zhangsan@sina.com.cn", "EMAIL_ADDRESS"),
        ("San.Zhang+tag@corp-mail.io", "EMAIL_ADDRESS"),
        (KEY, "SECRET"),
        ("AKIAQ4RT7YUP2MNBVC5X", "SECRET"),
        ("ghp_a8Kd93jfK2ls0vBnQ4mZx7Yt6Rw5Ee1Uu9Ii", "SECRET"),
        ("github_pat_11KD93JFK0aVcXeMgQiTkLw", "SECRET"),
        ("glpat-x8Kd93jfK2ls0vBnQ4mZ", "SECRET"),
        ("AIzaSyD8Kd93jfK2ls0vBnQ4mZx7Yt6Rw5Ee1Uu", "SECRET"),
        ("LTAI5tQ8Kd93jfK2ls0vBnQ4", "SECRET"),
        ("hf_qWcXeMgTiJkLmNoPqRsTuVwXyZa2c4e6g8", "SECRET"),
        ("xoxb-2748592017-qWcXeMgTiJkL", "SECRET"),
        ("39.12.216.7", "IP_ADDRESS"),
    ],
)
@pytest.mark.parametrize("frame", mostly_slow(FRAMES, ["{}", "号{}号", "({})"]))
def test_found_at_every_boundary(value, entity, frame):
    assert found(frame.format(value)) == [(entity, "valid", value)]


@pytest.mark.parametrize(
    "text",
    [
        "2^34=17179869184",
        "2^34 = 17179869184",
        "x = 17179869184",
        "= -16666579378",
        "共13000000000人参加",
        "合计13912348765元",
        "文件大小13912348765字节",
        "￥13912348765",
        "13912348765 * 2",
        "0.13912348765",
        "13912348765.5",
        "a13912348765",
        "139123487651",
        "1391234876",
        "162000 - 12000 = 150000",
        "+1-984-182-0190 mobile",
        "13 500 138 000",
        "12912348765",
        "20261120103000123456",
        "1732100000000",
        "9787302511854",
        "6222020200112233446123",
        "4539578763621487",
        "= 4539578763621486",
        "0.4539578763621486",
        "4444444444444448",
        "git@github.com:owner/name.git",
        "logo@2x.png",
        "@decorator",
        "sk-learn-pipeline-visualisation-of-steps",
        "sk-toggleable__content-arrow-0",
        "version 12.3.44.5",
        "256.1.1.1",
        "1.2.3.4.5",
        "310104198813219873",
        "310104201902299873",
        "990104",
        "id 130503670401001x",
    ],
)
def test_not_found(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (f"{ID[:17]}{'0' if ID[17] != '0' else '1'}", "suspect"),
        ("身份证号 310104880721987", "valid"),
        ("440524188001010014", "specimen"),
        ("11010519491231002X", "specimen"),
        ("11010519491231002x", "specimen"),
        ("13800138000", "specimen"),
        ("13888888888", "specimen"),
        ("4111 1111 1111 1111", "specimen"),
        ("someone@example.com", "specimen"),
        ("someone@mail.example.org", "specimen"),
        ("me@yourcompany.com", "specimen"),
        ("John.Doe-123%+@example-domain.com", "specimen"),
        ("bob@gmail.com", "specimen"),  # Gmail gives names of 6 characters and more
        ("bobbie@gmail.com", "valid"),
        ("fax: 555-2428", "specimen"),
        ("obj@other.transpose", "suspect"),
        ("AKIAIOSFODNN7EXAMPLE", "specimen"),
        ("sk-xxxxxxxxxxxxxxxxxxxxxxxx", "specimen"),
        ("开户账号6222020200112233446", "valid"),
        ("卡号6222020200112233447", "suspect"),
        ("127.0.0.1", "specimen"),
        ("192.168.1.1", "specimen"),
        ("3.2.4.1", "suspect"),
        ("1 3 9 1 2 3 4 8 7 6 5", "suspect"),
        ("手机 1 3 9 1 2 3 4 8 7 6 5", "valid"),
        ("电 话 1 3 9 1 2 3 4 8 7 6 5", "valid"),
        ("联系电话 = 13912348765", "valid"),
        ("手机16000000000", "suspect"),
        ("-----BEGIN PRIVATE KEY-----", "suspect"),
        ("-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7\n" * 8 + "-----END RSA PRIVATE KEY-----", "valid"),
    ],
)
def test_states(text, state):
    assert [each[1] for each in found(text)] == [state]


def test_a_wrong_unionpay_number_needs_a_word_like_account():
    assert found("编号6222020200112233447") == []


def test_a_fifteen_digit_number_needs_the_word():
    assert found("310104880721987") == []


@pytest.mark.parametrize("prefix", ["810000", "820000", "830000", "911156", "110105"])
def test_permit_and_foreigner_prefixes(prefix):
    body = prefix + "19880721" + "987"
    number = body + ric.calc_check_digit(body + "0")
    assert found(number) == [("CN_RESIDENT_ID", "valid", number)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the check digit of ICAO 9303 is right: KAZ110090123105 stands in other validators' tests
        ("卡号KAZ110090123105", [("CN_RESIDENT_ID", "valid", "KAZ110090123105")]),
        ("永久居留证KAZ110090123106", [("CN_RESIDENT_ID", "suspect", "KAZ110090123106")]),
        ("永久居留证KAZ990090123105", []),  # no such province
        ("永久居留证KAZ110090133105", []),  # no such date
        ("part XYZ110090123105", []),  # no such country
    ],
)
def test_cards_of_foreigners_of_2017(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("服务器地址 8.8.4.0/24, 34.64.0.0/10", []),
        ("8.8.4.0/24, 34.64.0.0/10", []),
        ("内网 192.168.1.0/24 和 10.0.0.0/8", []),
        ("host 39.12.216.0 / 24", ["39.12.216.0"]),  # a division
        ("inet 39.12.216.7/24 scope global", ["39.12.216.7/24"]),
        ("39.12.216.7/32", ["39.12.216.7/32"]),
        ("http://39.12.216.7/240", ["39.12.216.7/240"]),
        ("http://39.12.216.7/2026/", ["39.12.216.7"]),
        ("2400:3200::/32 2400:3200::1/64", ["2400:3200::1/64"]),
    ],
)
def test_networks_are_nobodys_addresses(text, expected):
    assert [value for _, _, value in found(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. John Smith went home.", []),  # a novel
        ("Mr. John Smith, tel 13912348765", [("PERSON", "valid", "John Smith")]),
        ("tel 13912348765 (Dr Alice B. Jones)", [("PERSON", "valid", "Alice B. Jones")]),
        ("Ms. Wu: 13912348765", [("PERSON", "suspect", "Wu")]),
        ("Mr. Smith" + "." * 70 + "13912348765", []),
        ("Ms. Perez. I have 13912348765", [("PERSON", "suspect", "Perez")]),  # a sentence ends
        ("My name is Sarah. My order is late", [("PERSON", "suspect", "Sarah")]),
        ("Contact: Joseph Hernandez Tel: 13912348765", [("PERSON", "valid", "Joseph Hernandez")]),
        ("Best,\nLisa Okafor Tel: 13912348765", [("PERSON", "suspect", "Lisa Okafor")]),
        ("本人易梅玉。", [("PERSON", "valid", "易梅玉")]),
        ("Priya O'Brien, 13912348765", [("PERSON", "suspect", "Priya O'Brien")]),
        ("申请人：13912348765", []),
        ("李静怡，收货地址 杭州市西湖区望京东路81号8栋2单元1598室", [("PERSON", "suspect", "李静怡")]),
    ],
)
def test_a_title_is_a_label_beside_an_identifier_only(text, expected):
    assert [each for each in found(text) if each[0] == "PERSON"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("email me at sunnyh652 @ hengda.com.cn。", [("EMAIL_ADDRESS", "suspect", "sunnyh652 @ hengda.com.cn")]),
        ("y = W @ model.net.cn", []),
        ("email: y = W @ x.shape", []),
        ("The Social Security number on file (768964869) is out of date.", [("US_SSN", "valid", "768964869")]),
        ("the social security number of the page 768964869", []),
        ("SSN on file 768-96-4869", [("US_SSN", "valid", "768-96-4869")]),
        ("【密码】uC^DNV@7D2uEr92R", [("CREDENTIAL", "valid", "uC^DNV@7D2uEr92R")]),
        ("登录密码\tv50Om#19NMls9x", [("CREDENTIAL", "valid", "v50Om#19NMls9x")]),
        ("密码\t长度至少8位 abc12345", []),
        ("【密码】管理", []),
        ("澳门居民，生日:1990-12-11", [("DATE_OF_BIRTH", "valid", "1990-12-11")]),
    ],
)
def test_labels_of_other_shapes(text, expected):
    assert found(text) == expected


def test_severities():
    assert severity("CN_RESIDENT_ID", "valid") == severity("CN_MOBILE", "valid") == "block"
    assert (
        severity("CN_BANK_CARD", "valid")
        == severity("SECRET", "valid")
        == severity("EMAIL_ADDRESS", "valid")
        == "block"
    )
    assert severity("IP_ADDRESS", "valid") == "warn"
    assert {severity(entity, state) for entity in RECOGNIZERS for state in ("suspect", "specimen")} == {
        "warn",
        "profile",
    }
    assert severity("PERSON", "suspect", linked=True) == "profile"  # an unlabelled name never blocks
    assert (severity("PERSON", "valid"), severity("PERSON", "valid", linked=True)) == ("warn", "block")


def test_specimens_are_found_and_named():
    every = [(entity, each.label, value) for entity, each in RECOGNIZERS.items() for value in each.specimens]
    texts = [
        f"身份证{value}" if len(value) == 15 and entity == "CN_RESIDENT_ID" else f"见{label}{value}。"
        for entity, label, value in every
    ]
    hits = find(pl.Series(texts).str.replace("姓名：J", "Name: J", literal=True), tuple(RECOGNIZERS))
    other = {"CN_PASSPORT": {"CN_PASSPORT", "PASSPORT"}}  # A12345678 is none of China's
    assert hits.select("index", "state").rows() == [(at, "specimen") for at in range(len(every))]
    assert all(hit in other.get(entity, {entity}) for hit, (entity, _, _) in zip(hits["entity"], every, strict=True))


def test_check_digits_against_stdnum():
    rng = random.Random(3)
    for _ in range(500):
        body = "".join(rng.choices("0123456789", k=17))
        assert check_digit(body) == ric.calc_check_digit(body + "0")
        assert luhn(body) == stdnum_luhn.is_valid(body)


def test_mobile_ranges_against_phonenumbers():
    """All 10,000 four-digit prefixes: the own table equals the metadata of phonenumbers."""
    judge = RECOGNIZERS["CN_MOBILE"].judge
    for prefix in range(1000, 2000):
        number = f"{prefix}1234876"
        parsed = phonenumbers.parse(number, "CN")
        expected = (
            phonenumbers.is_valid_number(parsed)
            and phonenumbers.number_type(parsed) == phonenumbers.PhoneNumberType.MOBILE
        )
        assert (judge("cn_mobile", number).state == "valid") == expected, number


def test_faker_resident_ids_are_found():
    fake = Faker("zh_CN")
    fake.seed_instance(20261121)
    numbers = [fake.ssn() for _ in range(500)]
    assert all(ric.calc_check_digit(number) == number[-1] for number in numbers)
    frame = find(pl.Series([f"他的证件是{number}，请核对" for number in numbers]))
    assert frame["entity"].to_list() == ["CN_RESIDENT_ID"] * 500
    assert set(frame["state"]) <= {"valid", "specimen"}


def test_faker_mobiles_in_assigned_ranges_are_found():
    fake = Faker("zh_CN")
    fake.seed_instance(20261121)
    numbers = [fake.phone_number() for _ in range(500)]
    valid = [n for n in numbers if phonenumbers.is_valid_number(phonenumbers.parse(n, "CN"))]
    assert len(valid) > 450
    frame = find(pl.Series([f"打给{number}吧" for number in valid]))
    assert frame["index"].to_list() == list(range(len(valid)))
    assert set(frame["entity"]) == {"CN_MOBILE"}


def test_faker_cards_of_the_covered_brands_are_found():
    fake = Faker("en_US")
    fake.seed_instance(20261121)
    numbers = [
        fake.credit_card_number(brand) for brand in ("visa16", "mastercard", "amex", "jcb16") for _ in range(100)
    ]
    frame = find(pl.Series([f"刷{number}卡" for number in numbers]))
    assert frame["index"].to_list() == list(range(400))
    assert set(frame["entity"]) == {"CN_BANK_CARD"}


def test_random_eighteen_digit_numbers_are_rarely_an_id():
    """pii.md measured 0.05 % for valid ones on random digits; the bound here is six times that."""
    rng = random.Random(5)
    texts = [f"数{rng.randrange(10**17, 10**18)}数" for _ in range(4000)]
    frame = find(pl.Series(texts), ("CN_RESIDENT_ID",)).filter(pl.col("state") == "valid")
    assert frame.height <= 12


def test_a_published_helpline_is_nobodys_number():
    assert found("请拨打北京心理援助热线010-82951332") == [("CN_LANDLINE", "specimen", "010-82951332")]


def test_letters_that_end_in_vx_are_no_label():
    assert found("jbeuvgkk pdqvxgk qvx vmbefmk sffy -> princes") == []
    assert found("加我vx：zhangwei_1987") == [("WECHAT", "valid", "zhangwei_1987")]


@pytest.mark.parametrize("label", ["Game", "Character", "Company", "Team"])
def test_the_name_of_a_game_or_a_character_is_nobodys(label):
    texts = pl.Series(
        [f"{label} Name: Jack Spriggins; Charge: none", "Name: Jack Spriggins", "Customer Name: Jack Spriggins"]
    )
    assert find(texts, ("PERSON",))["index"].to_list() == [1, 2]
