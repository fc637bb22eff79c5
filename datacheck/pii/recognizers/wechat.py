"""WeChat names, by their label."""

from random import Random

from datacheck.pii.expressions import LINKER
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_STRONG = (
    r"(?:微信(?:号码?|[账帐]号|ID|id)|[薇威徽v]信|微[❤♥]\ufe0f?|卫星号|绿泡泡|加微|[加+＋➕][ ]?[Vv]|微信"
    r"|(?i:wechat|weixin)(?:[ _\-]{0,2}(?i:id|account|number|num|no\.?|name))?|[Vv][Xx]|[Ww][Xx]|V信|v信)"
)
# Without a sign between them a name needs a digit or a low line, and must not be a device or a product.
_NUMBERED = (
    rf"{LINKER}(?<![A-Za-z0-9_\-])(?!(?i:android|iphone|ipad|ios|win|mac|linux|version|v[0-9]|web|pay|app|sdk|api|mini))"
    r"(?:wxid_|wx[_\-]|[A-Za-z][A-Za-z0-9\-]{0,18}?(?:_|[0-9]{2}|[0-9](?![A-Za-z0-9]))"
    # a word with a digit inside, longer than names of formats are
    r"|(?!mp[0-9]|html5|css3|vue[0-9]|web[0-9]|base[0-9]|[a-z]{1,4}[0-9][a-z]{1,4}(?![a-z0-9]))"
    r"[a-z]{2,16}[0-9](?=[a-z0-9]{1,16}(?![A-Za-z0-9])))"
)
_HANDLE = "[a-z]{3,12}(?:[_-]?[a-z]{1,12})?_?"
_TOUCHED = "(?:[vw]x|[加+＋]v|[Ww]e[Cc]hat|卫星[:：][ ]?)"  # 卫星 sounds like 微信
_TIGHT = f"{_TOUCHED}{_HANDLE}[0-9]{{2}}"
_VALUE = r"[A-Za-z][A-Za-z0-9_\-]{5,19}"


class Wechat(Recognizer):
    """6 to 20 letters, digits, - and _ after 微信号, vx, WeChat (with a colon or 是 between)."""

    entity = "WECHAT"
    priority = 200
    policy = Policy("block", hard=True)
    label = "微信号:"
    prefilter = rf"{_STRONG}{LINKER}[A-Za-z]|wxid_[a-z0-9]|[Vv]：[A-Za-z]|{_TIGHT}"
    patterns = {
        "wechat": (
            rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9)_] ?(?=[+]))(?:{_STRONG})"
            rf"(?=号|[ \"']{{0,2}}[:：=是为]|{_NUMBERED}){LINKER}"
            rf"(?<![A-Za-z0-9_\-])(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])"
        ),
        "wechat.wxid": (
            r"(?<=(?:(?<![A-Za-z0-9])[vw]x[ :：]?|(?<![A-Za-z0-9_])))(?P<value>wxid_[a-z0-9]{6,20})(?![A-Za-z0-9_])"
        ),
        "wechat.v": rf"(?<![A-Za-z0-9])[Vv]：(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])",
        "wechat.glued": (rf"(?<![A-Za-z0-9]){_TOUCHED}(?!id)(?P<value>{_HANDLE}[0-9]{{2,5}})(?![A-Za-z0-9_])"),
        "wechat.number": (
            rf"(?:微信号码?|微信ID|[加+＋]微信?|加[ ]?[Vv薇威](?![A-Za-z0-9])|[徽薇威]信|绿泡泡"
            rf"|(?<![A-Za-z0-9])(?:[VvWw][Xx]号?|[Vv]信)){LINKER}"
            rf"(?<![0-9A-Za-z])(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])"
        ),
    }
    extents = (rf"(?:{_STRONG}){LINKER}(?<![A-Za-z0-9_\-])(?P<value>{_VALUE})", f"{_TIGHT}[0-9]{{0,3}}")
    specimens = words(
        "WECHAT WEIXIN ABCDEFG ABC123 TEST123 WXID_XXXXXX YOUR_ID YOURWECHATID EXAMPLE WECHATID WECHAT_ID"
    )

    def judge(self, rule: str, value: str) -> Judgement | None:
        """The label is the evidence; a lower-case word of a language may follow it too, so letters alone warn."""
        if value.upper() in self.specimens:
            return Judgement(1.0, "specimen")
        if rule in ("wechat.v", "wechat.glued"):
            return Judgement(0.5, "suspect") if sum(map(str.isdigit, value)) > 1 else None
        return Judgement(0.7, "valid") if any(not char.isalpha() for char in value) else Judgement(0.5, "suspect")

    def canonical(self, value: str) -> str:
        """Return it in lower case: WeChat does not tell case apart."""
        return value.lower()

    def canary(self, rng: Random) -> str:
        """Return a labelled name."""
        letters = "".join(rng.choice("abcdefghjkmnpqrstuvwxyz") for _ in range(7))
        return f"{self.label}{letters}_{random_digits(rng, 4)}"
