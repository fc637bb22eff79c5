"""Names on social networks, by their label."""

from random import Random

from datacheck.pii.matching.expressions import LINKER, SAID_BETWEEN
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Labelled, random_digits, words

_HAN = ("微博", "抖音", "小红书", "小紅書", "快手", "知乎", "B站", "哔哩哔哩", "豆瓣", "推特", "脸书", "电报", "飞书")
_LATIN = tuple(
    form
    for word in (
        "weibo douyin xiaohongshu discord twitter instagram insta telegram tiktok snapchat facebook skype handle"
    ).split()
    for form in (word, word.title(), word.upper())  # written out: any mixture of cases costs a tenth of the scan
)
_NETWORK = rf"(?:{'|'.join(_HAN)}|(?<![A-Za-z])(?:{'|'.join(_LATIN)}"
_NETWORK += r"|TikTok|L(?:INE|ine)(?=[ ]?(?:ID|id))|ins(?=[ :：]?@)|IG(?=[ :：]?@))(?![a-z]))"
_NETWORK_SAYS = r"[ ]?(?:[\"']?[:：=|#][ ]?[\"']?|(?:就|应该)?是|[写填](?:的是?)?|这一栏填|(?i:is)[ ])[ ]?"
"""Telegram: mei.chen52, without what says that it is a name."""
_NUMBERED = r"(?P<value>[A-Za-z](?=[A-Za-z0-9_.\-]*[0-9]{2})[A-Za-z0-9_.\-]{3,29})"
_NUMBER = r"(?:[账帐]号|[号號]码?|ID|id|名|昵称|[ _](?:ID|id|name|username|handle|account))"
_AT = r"@(?P<value>[A-Za-z0-9_][A-Za-z0-9_.\-]{1,29}|[\u4e00-\u9fff][\u4e00-\u9fffA-Za-z0-9_\-]{1,15})"
_NAME = r"(?P<value>[A-Za-z0-9_](?=[A-Za-z0-9_.\-]*[0-9_])[A-Za-z0-9_.\-]{3,29})"


class SocialHandle(Labelled):
    """@name beside the name of a network, or a name with a digit or a low line after 抖音号, Twitter ID, …."""

    entity = "SOCIAL_HANDLE"
    priority = 305
    policy = Policy("warn")
    label = "微博@"
    prefilter = rf"@[A-Za-z0-9_\u4e00-\u9fff]|(?:{'|'.join((*_HAN, *_LATIN, 'TikTok'))}){_NUMBER}"
    prefilters = (
        rf"L(?:INE|ine){_NUMBER}{LINKER}[A-Za-z0-9]",
        (
            rf"(?:{'|'.join((*_HAN, *_LATIN, 'TikTok', 'ins', 'LINE ID', 'Line ID'))})[^0-9A-Za-z]"
            r"[^\n]{0,24}(?:\r?\n[^\n]{0,24})?[A-Za-z][A-Za-z0-9_.\-]{1,27}[0-9]{2}"
        ),
    )
    gate = "|".join(
        (
            *_HAN,
            *_LATIN,
            "TikTok",
            "LINE",
            "Line",
            *(f"{word}{sign}@" for word in ("ins", "IG") for sign in ("", " ", ":", "：")),
        )
    )
    patterns = {
        "social_handle": rf"{_NETWORK}{_NUMBER}?(?:{LINKER}){_AT}(?![A-Za-z0-9_@(]|\.[A-Za-z])",  # $handle = @fopen(
        "social_handle.name": rf"{_NETWORK}{_NUMBER}{LINKER}(?<![A-Za-z0-9_.\-]){_NAME}(?![A-Za-z0-9_@]|\.[A-Za-z])",
        "social_handle.on": (
            rf"(?<![A-Za-z0-9_.@/]){_AT}(?=\"?[ ](?i:on|at|via)[ ](?:(?i:my|her|his|their) )?{_NETWORK})"
        ),
        "social_handle.said": (
            rf"{_NETWORK}(?:{_NETWORK_SAYS}|(?:[ ]?(?:[?？]|please|呢|吗){{1,3}})?{SAID_BETWEEN})"
            rf"(?<![A-Za-z0-9_.\-]){_NUMBERED}(?<![.])(?![A-Za-z0-9_@(/:=\[-]|\.[A-Za-z0-9])"
        ),
    }
    extents = (rf"(?:{'|'.join((*_HAN, *_LATIN))})[^\n]{{0,20}}{_AT}",)
    specimens = words("USERNAME YOUR_USERNAME YOURNAME YOUR_NAME USER_NAME YOUR_HANDLE HANDLE EXAMPLE")

    def canonical(self, value: str) -> str:
        """Return it in upper case: no network tells case apart."""
        return value.upper()

    def canary(self, rng: Random) -> str:
        """Return a labelled name."""
        letters = "".join(rng.choice("abcdefghjkmnpqrstuvwxyz") for _ in range(7))
        return f"{self.label}{letters}_{random_digits(rng, 3)}"
