"""Bank accounts that are no payment cards, by their label."""

from random import Random

from datacheck.pii.lookalikes import is_a_row_of_figures, is_machines
from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, GLUED_LEFT, LINKER, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_BANK = (
    r"(?:(?:银行|銀行|开户|開戶|對公|对公|收款|付款|汇款|匯款|储蓄|儲蓄|存款|结算|結算|基本户|一般户|打款)(?:行|人|专用|专户|卡|存款|结算){0,2}"
    r"(?:[账帐][户号]|賬[戶號]|户|戶)?"
    r"|(?i:(?:bank|savings|checking|current|settlement|corporate|beneficiary|payee)[ _\-]{0,2}(?:account|acct|acc)"
    r"(?:[ _\-]{0,2}(?:number|num|no\.?|id))?))"
)
_ACCOUNT = (
    r"(?:[账帐][号户]|賬[號戶]|户口|[Aa]/[Cc](?: [Nn]o\.?)?"
    r"|(?i:(?:account|acct|acc)[ _\-]{0,2}(?:number|num|no\.?)|account))"
)
# What stands beside an account of a bank only: account number 8959583355 routing 021000021
_ROUTED = r"(?i:routing|sort[ -]code|ifsc|swift|(?<![A-Za-z])bic(?![A-Za-z])|(?<![A-Za-z])aba(?![A-Za-z]))"


class CnBankAccount(Recognizer):
    """9 to 25 digits after a bank's word, 12 to 25 after 账号 (which is any login, too), 8 beside a routing number."""

    entity = "CN_BANK_ACCOUNT"
    region = "CN"
    priority = 150
    policy = Policy("block", hard=True)
    label = "开户账号"
    gate = GATE_DIGITS
    prefilter = rf"{_BANK}|{_ACCOUNT}"
    needs = rf"[0-9](?:{GAP}[0-9]){{7}}"
    patterns = {
        "cn_bank_account": rf"{_BANK}{LINKER}{GLUED_LEFT}(?P<value>[0-9](?:{GAP}[0-9]){{8,24}}){RIGHT}",
        "cn_bank_account.account": rf"{_ACCOUNT}{LINKER}{GLUED_LEFT}(?P<value>[0-9](?:{GAP}[0-9]){{11,24}}){RIGHT}",
        "cn_bank_account.routed": (
            rf"{_ACCOUNT}{LINKER}{GLUED_LEFT}(?P<value>[0-9]{{8,11}}){RIGHT}(?=[^0-9]{{0,8}}{_ROUTED})"
        ),
        "cn_bank_account.behind_routing": (
            rf"{_ROUTED}[^0-9\n]{{1,16}}[0-9]{{2,9}}(?:-[0-9]{{2}}){{0,2}}[^0-9\n]{{1,6}}{_ACCOUNT}{LINKER}"
            rf"{GLUED_LEFT}(?P<value>[0-9]{{8,11}}){RIGHT}"
        ),
    }
    negative_right = r"^\s*(?:元|万|亿|美元|人民币|%)"
    specimens = words("123456789 1234567890 123456789012 1234567890123456 1234567890123456789")
    shown = (4, 4)

    def judge(self, _rule: str, value: str) -> Judgement | None:
        """The label is the evidence; a number of one or two different digits is made up."""
        number = self.canonical(value)
        made_up = number in self.specimens or len(set(number)) < 3
        return Judgement(0.6, "specimen" if made_up else "valid")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """What a machine wrote is none, nor a row of a table."""
        return is_machines(text, start, end) or is_a_row_of_figures(text[start:end])

    def canary(self, rng: Random) -> str:
        """Return a labelled account of 21 digits."""
        return f"{self.label}{rng.choice('18')}{random_digits(rng, 19)}7"
