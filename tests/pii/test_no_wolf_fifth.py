"""What houses give out as their own, and ids of registers and pages, in pages that nobody had tuned to."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find


def blocked(text):
    return find(pl.Series([text])).filter(pl.col("state") == "valid")["entity"].to_list()


@pytest.mark.parametrize(
    "text",
    [
        "Tell your friends, and email us at gearbox7@redgarden.org if you want to help.",
        "send us an email ([gearbox7@redgarden.org](mailto:gearbox7@redgarden.org)).",
        "please [contact us](mailto:gearbox7@redgarden.org) before you come",
        "Contact the Red Garden team at [rgt@redgarden.org](mailto:rgt@redgarden.org) to join",
        "For technical assistance, call (202) 612-7741 or email gearbook@redgarden.org.",
        "To contact the Tall Water Tower team, email [tallwatertower@garden.org](mailto:tallwatertower@garden.org).",
        "Something new? Let us know! Email [rgconnect@garden.org](mailto:rgconnect@garden.org).",
        "find it with calc-7g@redgarden.gov on the list",
        "find it with redgarden-federation@agency.gov on the list",
        "Digital Analytics Program, via email dap@support.redgarden.gov, tells what you think",
        "| Billing | accounting@redgarden.com |",
        "DVIDS can be reached at gearboxservicedesk@redgarden.net",
        "Stuttering line, please call 404 612 7741 during business hours",
        "Room 12\nphone (732)-612-3129\nFax: (732)-612-8273",
        "Red Garden Publishing Inc.\n450 West\nSuite 7 of the tall house by the river and beyond it\nPhone: 212-612-1332",
        "Newsroom phone: 509 612 7741\n© 2019, The Red Garden Review",
        "Sign up (https://tickets.net/e/red-garden-evening-series-tickets-13365270885) for it",
        "Order reassigning the case\n 17705513126\n 14\n 5312734\n 2011-01-27",
    ],
)
def test_houses_and_registers_do_not_block(text):
    assert blocked(text) == []


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("email us at bram.kettlewood@redgarden.org if you want to help", "EMAIL_ADDRESS"),
        ("email us at gearbox.kettle@gmail.com if you want to help", "EMAIL_ADDRESS"),
        ("Contact our team at anna_gardener@redgarden.org to join", "EMAIL_ADDRESS"),
        ("my mail at the Digital Analytics Program is tkettlewood@agency.gov", "EMAIL_ADDRESS"),
        ("For the FEMA program ask Tilo Kettlewood at tkettlewood@agency.gov", "EMAIL_ADDRESS"),
        ("write to tkettlewood@agency.gov about the garden", "EMAIL_ADDRESS"),
        ("Cell: 214-939-7741 Fax: 214-939-7742", "PHONE_NUMBER"),
        ("Anna Gerber, phone 214-939-7741\n© 2019, The Red Garden Review", "PHONE_NUMBER"),
        ("call me, https://t.net/a/please-call-tel-13365270885", "CN_MOBILE"),
        ("我的电话是\n13365270885\n14\n", "CN_MOBILE"),
        ("13365270885\n13365270886\n", "CN_MOBILE"),
        ("the numbers:\n13365270885\nthat is all", "CN_MOBILE"),
    ],
)
def test_people_beside_houses_still_block(text, entity):
    assert entity in blocked(text)
