"""Social security and medical insurance numbers, by their label."""

from random import Random

from datacheck.pii.recognizers.base import GAP, GATE_DIGITS, LINKER, RIGHT, Judgement, Recognizer, random_digits, words

_LABEL = (
    r"(?:社保|社会保障|社會保障|社会保险|社會保險|医保|醫保|医疗保险|公积金|公積金)(?:个人)?(?:卡"
    r"|账户|帐户|账号|编号|卡号)?"
)


class CnSocialSecurity(Recognizer):
    """A number after 社保, 医保 or 公积金; where it is the resident ID, that is what is reported."""

    entity = "CN_SOCIAL_SECURITY"
    label = "社保卡"
    gate = GATE_DIGITS
    prefilter = rf"{_LABEL}{LINKER}(?:[A-Za-z]{GAP}){{0,2}}[0-9](?:{GAP}[0-9]){{6}}"
    patterns = {
        "cn_social_security": (
            rf"{_LABEL}{LINKER}(?<![0-9A-Za-z])(?P<value>(?:[A-Za-z]{GAP}){{0,2}}[0-9](?:{GAP}[0-9]){{6,18"
            rf"}}(?:{GAP}[Xx])?){RIGHT}"
        )
    }
    specimens = words("123456789 1234567890 12345678 123456789012 000000000")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """The label is the evidence."""
        del rule
        return Judgement(0.7, "specimen" if self.canonical(value) in self.specimens else "valid")

    def canary(self, rng: Random) -> str:
        """Return a labelled number."""
        return f"{self.label}{rng.choice('4567')}{random_digits(rng, 7)}7"


RECOGNIZER = CnSocialSecurity()
