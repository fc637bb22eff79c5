"""What a fifth author's generator of conversations left after a redaction: handles, bold and quoted numbers, parts."""

import polars as pl
import pytest

from datacheck.pii.publicity import is_public
from datacheck.pii.redact.doubtful import LIKELY, plain, rough_values
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces


def found(name: str, text: str) -> list[str]:
    """The places at which somebody is found again."""
    return [text[each.start : each.end] for each in Traces([Original("PERSON", name)]).find(text)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Nadia Petrov", "user=petrov.nadia ok", ["petrov.nadia"]),
        ("Nadia Petrov", "see resume_petrov_n90.pdf", ["petrov_n90"]),
        ("Clara Petrov", r"C:\Users\cpetrov\Documents", ["cpetrov"]),
        ("罗燕", r"C:\Users\yluo\Desktop", ["yluo"]),
        ("唐雨", "mail <tang-yu@qq.com>, user @tangyu", ["tang-yu", "tangyu"]),
        ("刘志明", "旅客 LIU, ZHIMING", ["LIU, ZHIMING"]),
        ("Sarah Whitfield", "spelled S-A-R-A-H, yes", ["S-A-R-A-H"]),
        ("K. Moreau", "Sorry, Kwame.", ["Kwame"]),
        ("E. D'Angelo", "Sorry, Elizabeth.", ["Elizabeth"]),
        ("卢·晨", "卢师傅陪同", ["卢"]),
        ("陆海", "给陆局（领导）的短信", ["陆"]),
    ],
)
def test_a_name_is_found_as_people_write_it_in_machines(name: str, text: str, expected: list[str]) -> None:
    assert found(name, text) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ben Read", "bread is cheap, and so is the price"),
        ("K. Moreau", "Known issues remain in Kansas"),
        ("陆海", "陆处理完了这些"),
    ],
)
def test_a_word_stays_a_word(name: str, text: str) -> None:
    assert found(name, text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("改成**188** **8628** **7717**，谢谢", "18886287717"),
        ("（180\n> 9209\n> 5638）", "18092095638"),
        ("电话 18 07 40 54 82 6。", "18074054826"),
        ("身份证 110101 / 1999 / 0101 / 0010。", "110101199901010010"),
        ('("6462439054", "a")', "6462439054"),
        ("M: (713) 9763528", "7139763528"),
        ("phone 21 57 54 19 30.", "2157541930"),
        ("(SSN 313 / 95 / 1094)", "313951094"),
        ("Leasing | 3 1 2 2 6 8 7 9 1 5", "3122687915"),
        ("7 3 1 2 2 6 8 7 9 1 5 2", ""),
        ("numbers 61 77 80 38 03 12", ""),
    ],
)
def test_a_number_in_bold_in_pairs_or_over_quoted_lines(text: str, value: str) -> None:
    values = [plain(text[each.start : each.end]) for each in rough_values(text, [])]
    assert values == [value] * bool(value)


def test_digits_that_are_said_one_by_one_have_a_plain_form() -> None:
    assert plain("幺、三、八、二、二、三、三、五、五、六、六") == "13822335566"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Witness: Wexler, Thomas, phone 1", "Wexler, Thomas"),
        ("Employee Donnelly, Michael (SSN 1)", "Donnelly, Michael"),
        ("<firstName>Fatima</firstName><lastName>Tierney</lastName>", "Tierney"),
        ("INSERT INTO c (first_name, last_name) VALUES ('Nadia', 'O''Brien');", "O''Brien"),
        ("last_name,first_name,phone\nDonnelly,Owen,1\nLarkin,Theo,2", "Larkin"),
        ("Patient: G. Vaughn\n", "G. Vaughn"),
        ("[10:03 AM] Jerome_Kowalski: hi", "Jerome_Kowalski"),
    ],
)
def test_names_in_parts_and_in_other_orders(text: str, name: str) -> None:
    assert name in {text[each.start : each.end] for each in row_names([text]).get(0, [])}


def test_an_answer_is_no_name() -> None:
    (name,) = row_names(["Assistant: Sure, Thomas"])[0]
    assert (name.start, name.end) == (17, 23)


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("Tel: 704.463.4855\nCard no.: <CN_BANK_CARD_v1>", ""),
        ("<CN_BANK_CARD_v1> is the card, 704.463.4855", ""),
        ("She can be reached at 704.463.4855.", "Filed at https://intranet.corp-a.cn/u/mary?tab=profile"),
        ("She can be reached at 704.463.4855.", "Mary paid with <CN_BANK_CARD_v1>."),
    ],
)
def test_a_pseudonym_or_a_host_is_no_institution(text: str, before: str) -> None:
    """A redaction reads what it has written: beside `<CN_BANK_CARD_v1>` a telephone was a bank's, and stayed."""
    start = text.index("704")
    assert not is_public("PHONE_NUMBER", text, start, start + 12, before)
    assert is_public("PHONE_NUMBER", "The bank can be reached at 704.463.4855.", 27, 39)


@pytest.mark.parametrize(
    "text",
    [
        "call the vendor at 𝟔𝟒𝟔𝟓𝟑𝟗𝟏𝟖𝟗𝟑",
        "Tel: 2159413852",
        "phone 21 57 54 19 30.",
        "2️⃣0️⃣6️⃣7️⃣4️⃣6️⃣4️⃣2️⃣2️⃣4️⃣",
        "six zero two two seven nine nine one two seven",
        "(SSN 313 / 95 / 1094)",
    ],
)
def test_a_number_of_america_makes_a_row_worth_a_look(text: str) -> None:
    likely = pl.Series([text, "at 1732961234 seconds, 2024-11-30", "one two three, go"]).str.contains(LIKELY)
    assert likely.to_list() == [True, False, False]
