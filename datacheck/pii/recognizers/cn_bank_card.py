"""Payment card numbers: brand, length and Luhn; UnionPay first."""

import re
from random import Random

from datacheck.pii.lookalikes import is_machines
from datacheck.pii.matching.expressions import (
    ARITHMETIC_LEFT,
    ARITHMETIC_RIGHT,
    BETWEEN_GROUPS,
    BREAK,
    FIELD_LEFT,
    GAP,
    GATE_DIGITS,
    LEFT,
    RIGHT,
    SEPARATOR,
    worded,
)
from datacheck.pii.policy import Policy, State
from datacheck.pii.recognizers.base import Judgement, Recognizer, completed, digits_of, random_digits, words

# ISO/IEC 7812 prefixes and lengths. 13-digit Visa is left out, but for those behind a word (`_SHORT`): none is issued
# any more, and one in ten random numbers would pass. 9558 (ICBC) and 4367 (CCB) of 19 digits are older debit cards.
_BRANDS = re.compile(
    r"62[0-9]{14,17}|9558[0-9]{15}|4[0-9]{15}(?:[0-9]{3})?|5[1-5][0-9]{14}"
    r"|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}|35[0-9]{14}|3[47][0-9]{13}"
    r"|6(?:011|5[0-9]{2})[0-9]{12}"
)
_OTHER = "(?:30|36|38)[0-9]{12}|(?:1[0-9]|5[06-9]|6[0-9])[0-9]{13,14}"  # Diners, UATP, Maestro: beside a word only
_SHORT = "(?:4[0-9]{12}|(?:50|5[6-8]|6[0-9])[0-9]{10}|(?:2131|1800)[0-9]{11})"  # Visa, Maestro, JCB
_CALLED_CARD = r"(?:(?<![A-Za-z])(?i:cards?|visa|maestro|jcb)(?![a-z])|卡)[^0-9\n]{0,24}"
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


_GLUED = rf"(?:{LEFT}|(?<=(?<![A-Za-z0-9])(?i:no\.?|bank|card|card ?no\.?|acct|account|visa|amex)))"  # 账号No6222…
# A table of numbers of four digits (2749 2753 2767 …) is no row of cards.
_NO_ROW_LEFT, _NO_ROW_RIGHT = r"(?<!(?:[0-9]{4}\s{1,2}){5})", r"(?!(?:\s{1,2}[0-9]{4}){5})"
_LISTED = re.compile(r"(?:(?<=[0-9]{14})|(?<=[0-9]{15})), \Z"), re.compile(r", (?P<next>[0-9]{14,19})(?![0-9])")
# … and in English, where a line goes on in the next one
_HALVES = rf"[345][0-9]{{3}}(?:(?:[ \-]?|{BREAK})[0-9]{{4}}){{3}}"
_BROKEN = rf"62(?:(?:{BREAK})?[0-9]){{14}}(?:(?:(?:{BREAK})?[0-9]){{3}})?"
_SIGNED = rf"[2-69][0-9]{{3}}(?:{BETWEEN_GROUPS}[0-9]{{4}}){{3}}"

_SAME_FOUR = re.compile(
    r"(?:[0-9]{4})*([1-9])\1{3}([1-9])\2{3}[0-9]*"
)  # 1234 2222 3333 4444: nobody's, but 0000 0000 begins many a serial


class CnBankCard(Recognizer):
    """A brand's prefix and length with a right Luhn digit; UnionPay also without, beside a word like 账号."""

    entity = "CN_BANK_CARD"
    priority = 140
    policy = Policy("block", hard=True)
    gate = GATE_DIGITS
    prefilter = rf"[2-69](?:{GAP}[0-9]){{14}}|{_OTHER}|{_BROKEN}|{_HALVES}|{_SIGNED}|{_SHORT}"
    patterns = {
        "cn_bank_card": (
            rf"{_GLUED}(?:[2-69][0-9]{{14,18}}"
            rf"|{_NO_ROW_LEFT}[2-69][0-9]{{3}}(?:{SEPARATOR}{{1,3}}[0-9]{{4}}){{3}}(?:{GAP}[0-9]{{1,3}})?{_NO_ROW_RIGHT}"
            rf"|[2-69][0-9]{{5}}{SEPARATOR}{{1,3}}[0-9]{{10,13}}"
            rf"|3[47][0-9]{{2}}{SEPARATOR}{{1,3}}[0-9]{{6}}{SEPARATOR}{{1,3}}[0-9]{{5}}){RIGHT}"
        ),
        "cn_bank_card.spaced": (
            rf"{LEFT}(?<![0-9]{SEPARATOR})[2-69](?:{GAP}[0-9]){{14,18}}{RIGHT}(?!{SEPARATOR}{{1,2}}[0-9])"
        ),
        "cn_bank_card.before_letters": (
            r"(?:卡号?|[账帐][号户]|(?<![A-Za-z])(?i:acct|account|card(?:[ _]?(?:no\.?|number))?))[ ]?[:：是为=]?[ ]?"
            r"(?P<value>[2-69][0-9]{15,18})(?=[A-Za-z])"
        ),
        "cn_bank_card.lines": rf"{LEFT}(?=[0-9]{{3,}}[ \-]?\r?\n)(?!(?:[0-9]+\r?\n){{5}}){_BROKEN}{RIGHT}",
        "cn_bank_card.halves": (
            rf"(?:(?<=[^\s,;|0-9A-Za-z])|(?<=[^\s,;|][ ]))(?=[0-9 \-]+\r?\n)(?P<value>{_HALVES}){RIGHT}(?!{BREAK}[0-9]"
            rf"|[ \-]?[0-9])"
        ),
        "cn_bank_card.signs": (
            rf"{LEFT}[2-69][0-9]{{3}}(?P<sign>{BETWEEN_GROUPS})[0-9]{{4}}(?P=sign)[0-9]{{4}}(?P=sign)[0-9]{{4}}"
            rf"(?:(?P=sign)[0-9]{{1,3}})?{RIGHT}(?!(?P=sign)[0-9])"
        ),
        "cn_bank_card.other": rf"{LEFT}(?:{_OTHER}){RIGHT}",
        "cn_bank_card.short": rf"{_CALLED_CARD}{LEFT}(?P<value>{_SHORT}){RIGHT}",
    }
    positive = (
        r"银行|行卡|卡号|账号|账户|帐号|帐户|储蓄|信用卡|借记卡|开户|汇款|转账|转[到给至]|打[到给至]|汇[到给至入]|尾款|打款|收款|退款|还款|存折|工资卡"
        r"|副卡|(?:我的|我|张|[绑捆]定的)卡|转回|扣款|"
    ) + worded("card", "visa", "master", "mastercard", "unionpay", "bank", "account", "amex")
    negative_left = f"{ARITHMETIC_LEFT}|{FIELD_LEFT}"
    negative_right = ARITHMETIC_RIGHT
    specimens = words(  # test numbers of Stripe and PayPal, of Exercism's Luhn, and those of Chinese tutorials
        "4539319503436467 "
        # ... and those that the brands show: digits of the brand, zeros, the check digit
        "5500000000000004 340000000000009 30000000000004 6011000000000004 3088000000000009 201400000000009 "
        "4111111111111111 4242424242424242 4012888888881881 4000056655665556 5555555555554444 "
        "5105105105105100 5200828282828210 2223003122003222 378282246310005 371449635398431 378734493671000 "
        "6011111111111117 6011000990139424 6011981111111113 3056930009020004 36227206271667 30569309025904 "
        "4000002500003155 4000002760003184 4000000000003220 4000000000009995 4000000000000341 "
        "38520000023237 6555900000604105 3530111333300000 3566002020360505 "
        "4444333322221111 5454545454545454 6200000000000005 6200000000000047 "
        "6222020200112233445 6222021234567890123 6228480402564890018"
    )

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by brand, length and Luhn."""
        number = digits_of(value)
        if number in self.specimens:
            return Judgement(1.0, "specimen")
        state: State = "specimen" if _SAME_FOUR.fullmatch(number) else "valid"
        if rule == "cn_bank_card.other":
            return Judgement(0.2, state) if luhn(number) else None
        if rule == "cn_bank_card.short":
            return Judgement(0.6, state) if luhn(number) else None
        if not _BRANDS.fullmatch(number) or len(set(number)) < 3:
            return None
        if not luhn(number):
            if rule == "cn_bank_card.signs":
                return None
            return Judgement(0.2, "suspect") if number.startswith("62") else None
        return (
            Judgement(0.3, state)
            if rule in ("cn_bank_card.spaced", "cn_bank_card.lines", "cn_bank_card.halves", "cn_bank_card.signs")
            else Judgement(0.7, state)
        )

    def is_other(self, text: str, start: int, end: int) -> bool:
        """What a machine wrote is none, nor is one of a list of ids of which the next is no card at all."""
        behind = _LISTED[1].match(text, end)
        listed = behind is not None and _LISTED[0].search(text, max(0, start - 20), start) is not None
        return is_machines(text, start, end) or bool(listed and behind and not _BRANDS.fullmatch(behind["next"]))

    def canonical(self, value: str) -> str:
        """Return the digits."""
        return digits_of(value)

    def mask(self, value: str) -> str:
        """Keep four and four digits."""
        number = digits_of(value)
        return number[:4] + "*" * (len(number) - 8) + number[-4:]

    def canary(self, rng: Random) -> str:
        """Return a 19-digit UnionPay number with a right Luhn digit."""
        return completed("6228" + random_digits(rng, 14), luhn)


def luhn(number: str) -> bool:
    """Whether the last digit is right (ISO/IEC 7812-1 annex B)."""
    values = [int(digit) for digit in reversed(number)]
    return (sum(values[::2]) + sum(_DOUBLED[value] for value in values[1::2])) % 10 == 0
