"""Driving licences and their file numbers, by their label."""

from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, GLUED_LEFT, IS_MINE, LEFT, LINKER, RIGHT, english
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Labelled, random_digits, words

_LABEL = (
    r"(?:驾驶证|駕駛證|驾驶證|驾照|駕照|驾驶执照|駕駛執照|行驶证|行駛證|档案编号|檔案編號)"
    r"(?:[ ]?(?:档案|檔案|编号|編號|[号號证證])){0,3}|"
) + english(
    r"driv(?:er[’']?s?|ing) (?:licen[cs]e|permit)(?: file)?", r"licen[cs]e file", r"driver licen[cs]e", r"jiashizheng"
)


class CnDrivingLicence(Labelled):
    """12 digits (file number) or 18 (the resident ID, which is then what is reported) after the label."""

    entity = "CN_DRIVING_LICENCE"
    region = "CN"
    priority = 40
    policy = Policy("block", hard=True)
    label = "驾驶证"
    gate = GATE_DIGITS
    prefilter = _LABEL
    needs = rf"[0-9](?:{GAP}[0-9]){{11}}"
    patterns = {
        "cn_driving_licence": (
            rf"(?:{_LABEL}){LINKER}{GLUED_LEFT}(?P<value>[0-9](?:{GAP}[0-9]){{11}}(?:(?:{GAP}[0-9]){{5}}"
            rf"{GAP}[0-9Xx])?){RIGHT}"
        ),
        "cn_driving_licence.behind": rf"{LEFT}(?P<value>[0-9]{{12}}){IS_MINE}(?:{_LABEL})",
    }
    specimens = words("123456789012 000000000000")

    def canary(self, rng: Random) -> str:
        """Return a labelled file number."""
        return f"{self.label}{rng.choice(('1101', '3101', '4403'))}{random_digits(rng, 7)}7"
