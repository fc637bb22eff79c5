"""What mailboxes, folders and greetings of a record tell about names that stand elsewhere in it."""

import pytest

from datacheck.pii.normalise import fold
from datacheck.pii.redact.addressed import addressed
from datacheck.pii.redact.owners import owners, users
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces
from datacheck.pii.redact.unsure import unsure
from datacheck.pii.redact.users import folders


def _named(*texts: str) -> set[str]:
    """The names in the texts of one record."""
    found = row_names(texts, [addressed(texts)] * len(texts))
    return {texts[number][name.start : name.end] for number, names in found.items() for name in names}


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("Hi Tendayi, it is done.", "Owner is Tendayi Mavhunga since May"), "Tendayi Mavhunga"),
        (("mail tmavhunga@brook.example", "Tendayi Mavhunga signed"), "Tendayi Mavhunga"),
        (("mail tendayimavhunga@brook.example", "see you. – Tendayi"), "Tendayi"),
        (("[10:02] Tendayi: nope",), "Tendayi"),
        (("Attendees: Mavhunga, Tendayi; Bell, Ewan",), "Mavhunga, Tendayi"),
        (("Danny is late.",), "Danny"),
        (("seen by Dr. Korhonen",), "Korhonen"),
        (("seen by Prof. Day",), "Day"),
        (("Last name Korhonen, thanks",), "Korhonen"),
        (("my daughter Siti starts on Monday",), "Siti"),
        (("我的英文名是Dominika，谢谢",), "Dominika"),
        (("| Name | Phone |\n|---|---|\n| Mavhunga, Ruby | 1 |",), "Mavhunga, Ruby"),
        (("this is philip.long, again",), "philip.long"),
        (("this is rachel suharto speaking",), "rachel suharto"),
        (("[10:02] ruby-sinclair: hey\n[10:03] zpark9: yo\n[10:04] ruby-sinclair: ok", "Ruby drives"), "Ruby"),
        (("Attendees: Tendayi Mavhunga, Ewan Bell",), "Tendayi Mavhunga"),
        (("ask Tendayi from payroll (Tendayi Mavhunga, 555-0100)",), "Tendayi Mavhunga"),
    ],
)
def test_one_place_tells_a_name_in_another(texts: tuple[str, ...], name: str) -> None:
    assert name in _named(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("Hi Team, please", "Dear Customer, thanks"),
        ("write to customerservice@brook.example", "Our Service is open"),
        ("write to europe.sales@brook.example", "Sales in Europe, at last"),
        ("Certainly, the Terms apply", "Members: Terms, Conditions"),
        ('{"city": "Charlotte", "phone": "7045550100"}',),
        ('{"city": "Charlotte"}', "Charlotte, NC is where it goes"),
    ],
)
def test_a_word_or_a_place_is_no_name(texts: tuple[str, ...]) -> None:
    assert _named(*texts) == set()


def test_a_mailbox_names_its_owner_and_a_name_of_a_user() -> None:
    values = [Original("EMAIL_ADDRESS", "sarah.mavhunga [at] brook [dot] example"), Original("PERSON", "Ewan Bell")]
    assert list(owners([], values)) == ["Sarah Mavhunga"]
    texts = [r"C:\Users\ebell\tax.xlsx, later ebell again", "customer.service@brook.example"]
    assert list(users(texts, values)) == ["sarah.mavhunga", "ebell"]
    assert list(owners([], [Original("EMAIL_ADDRESS", "customer.service@brook.example")])) == []


def test_a_name_of_a_user_is_found_wherever_it_stands() -> None:
    values = [Original("PERSON", "郑文轩")]
    told = [Original("SOCIAL_HANDLE", user) for user in users(["@author zhengwx (郑文轩)", "作者是 zhengwx。"], values)]
    (trace,) = Traces(told).find("作者是 zhengwx。")
    assert (trace.start, trace.end) == (4, 11)


def test_behind_the_folder_of_users_no_escape_begins() -> None:
    assert fold(r"C:\Users\nadia\x").text == r"C:\Users\nadia\x"
    assert fold(r"Users\nNadia").text != fold("line\\nNadia").text
    assert fold(r"line\nNadia").text == "line\nNadia"
    assert list(folders(r"C:\Users\nadia\x, /home/ubuntu/x")) == ["nadia"]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Drew Park", "hey, its Drew frm work", "Drew"),
        ("William Park", "Bill from payroll", "Bill"),
        ("Philip Park", "ask Pip.", "Pip"),
        ("王雅妮", "英文名：Yani", "Yani"),
        ("廖欣", "写成 liaoxin 可以吗", "liaoxin"),
    ],
)
def test_a_short_or_spelt_name_is_found(name: str, text: str, found: str) -> None:
    assert [text[each.start : each.end] for each in Traces([Original("PERSON", name)]).find(text)] == [found]


def test_two_syllables_that_are_a_word_are_no_name() -> None:
    assert Traces([Original("PERSON", "唐乐"), Original("PERSON", "李宁")]).find("a tangle of lining") == []


def _is_made(written: str) -> bool:
    return not written


def test_what_may_be_a_name_is_told() -> None:
    assert list(unsure(["Slack: Zuberi Tembo", "Zuberi, ok"], _is_made)) == [0]
    assert list(unsure(["Visit Pacific Heights", "the pacific. Pacific, they say"], _is_made)) == []
    assert list(unsure(["Red Valley", "Red, they say"], _is_made)) == []


@pytest.mark.parametrize(
    "talk",
    [
        "[10:02] zpark9: hey\n[10:03] e.bell: yo\n[10:04] zpark9: ok",
        "<zpark9> hey\n<e.bell> yo\n<zpark9> ok",
        "10:02 zpark9 | hey\n10:03 e.bell | yo\n10:04 zpark9 | ok",
        "zpark9 10:02\nhey\ne.bell 10:03\nyo\nzpark9 10:04\nok",
        "zpark9：来吗\ne.bell：来\nzpark9：好",
    ],
)
def test_who_speaks_in_a_talk_is_a_user(talk: str) -> None:
    assert list(users([talk], [])) == ["e.bell", "zpark9"]


@pytest.mark.parametrize(
    "text",
    [
        "10:02 INFO db: up\n10:03 sshd: in\n10:04 sshd: out\n10:05 crond: run",
        "[10:02] zpark9: one line",
        "<name> is\n<age> x",
    ],
)
def test_programs_are_no_users(text: str) -> None:
    assert list(users([text], [])) == []


def test_who_is_mentioned_and_speaks_is_a_user() -> None:
    """@zpark77: … at the beginning of a line; @param of a comment is none."""
    texts = ["@zpark77: who has the keys?\n@minh100: @zpark77 I do\n@param: x"]
    assert set(users(texts, [])) == {"zpark77", "minh100"}
