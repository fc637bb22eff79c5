"""Tell numbers that machines write from those of people.

Pieces of UUIDs, ids of pages and advertisements, coordinates of drawings, time stamps in the names of files. Asked only
of what a recognizer has found, so all of it is plain Python on a short window.
"""

import re

_HAN = re.compile(r"[\u3400-\u9fff]")
_FAR = 2000  # code points on each side that count as the same text: a page, and no more work than that for each value
_CHINAS = re.compile(
    r"\+ ?86|\b0086|(?i:\b(?:china|chinese|prc|beijing|shanghai|shenzhen|guangzhou|hangzhou|chengdu|wuhan|nanjing"
    r"|tianjin|chongqing|suzhou|xi'?an|wechat|weixin|alipay|taobao|qq)\b)"
)
_UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")  # RFC 9562, 4
_UUIDS = 36
# 2011-03-07-12-00-05, as logs are named when they are closed
_STAMP = re.compile(r"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][-_T][0-2][0-9]-[0-5][0-9]-[0-5][0-9]")
_STAMPS = 19
_AD = re.compile(r"(?:pub|gpt-ad)-\Z")  # AdSense's publishers, Google's slots of a page
_PAGE = re.compile(r"fb:(?:page_?ids?|pages|app_?ids?|admins|profile_?id)")  # Open Graph's names of pages
_BESIDE = 40
# d="M12.6 5.3C18.654321,21.1095195 41.1031002,…" (SVG 2, 9.3): commands of a letter, figures with points
_COMMAND = re.compile(r"[MmLlHhVvCcSsQqTtAa][ ]?-?[0-9]*[.][0-9]")
_FIGURES = re.compile(r"[0-9.,\-\sMmLlHhVvCcSsQqTtAaZze]*")
_POINTS = re.compile(r"[.][0-9]")
_EDGE, _PATH, _FEWEST = 12, 80, 4
_PICTURE = re.compile(r"[A-Za-z0-9_\-]{0,40}[.](?:jpe?g|png|gif|webp|svg|avif)(?![A-Za-z0-9])")
# …/e/open-garden-evening-tickets-13365270885: the id behind the words of a page's name
_SLUG = re.compile(
    r"https?://[^\s()\[\]<>\"']{1,160}/(?![^\s/]*(?i:tel|phone|mobile|whatsapp|call|sms)[^\s/]*\Z)(?:[A-Za-z0-9%]+-){3,}\Z"
)
_LINK = 240
_DATED = re.compile(r"_(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]_")


# What a doctest shows below its call, and what the call is given: >>> solution(10)
_SHOWN_BELOW = re.compile(r"(?:\A|\n)[ \t]*>>> [^\n]*\n[ \t]*[\[({\"']{0,3}\Z")
_GIVEN = re.compile(r">>> [A-Za-z_.]{1,40}\([\"']?\Z")
_CALL = 240

# What a program counts or converts: int64(13636411392), range(16540396478), {"hits": 3, "received": 19225135454}
_CONVERTED = re.compile(
    r"(?i:(?<![a-z])(?:u?int(?:8|16|32|64)?|float(?:32|64)?|double|long|bigint|number|decimal|range|x?range|gcd|lcm|is_?prime"
    r"|factor(?:ial|s|ize)?|isqrt|sqrt|fib(?:onacci)?|pow))\([\[]?\Z"
)
_KEY = re.compile(r"[\"'](?P<key>[A-Za-z_.\- ]{1,48})[\"'][ ]?:[ ]?\Z")
_OF_A_PERSON = re.compile(
    r"(?i:phone|mobile|tel|cell|contact|sms|whatsapp|wechat|user|account|customer|client|patient|name|num|login|uid|from|sender"
    r"|receiver|recipient|call|owner|person|value|shouji|dianhua|haoma|\bto\b|\bno\b|id\b)"
)
_A_TYPES = re.compile(r"(?i:(?:u?int(?:8|16|32|64)?|long|float|double|bytes?|[mun]?secs?)(?:val(?:ue)?)?\Z)")
_FIGURE_BEFORE = re.compile(r":[ ]?[\"']?-?[0-9]+(?:[.][0-9]+)?[\"']?[ ]?,\s*\Z")
_FIGURE_BEHIND = re.compile(r"[ ]?,\s*[\"'][^\"'\n]{1,64}[\"'][ ]?:[ ]?-?[0-9]")
_LISTED = re.compile(r"\[(?P<others>(?:[0-9]+, ?)+)\Z")  # np.array([459760394, 23467578, 19878601797])
_COUNTED = re.compile(r"(?i:\bpopulation (?:of |is |was )?)\Z")
_RECORD = 96  # characters of the fields on each side


def is_a_programs_figure(text: str, start: int, end: int) -> bool:
    """Whether a program counts or converts the digits at [start, end).

    Or they stand in a list beside a figure of another length, or are a number of a record, beside another one,
    whose key names no telephone and nobody.
    """
    if _CONVERTED.search(text, max(0, start - _EDGE), start) or _COUNTED.search(text, max(0, start - 24), start):
        return True
    listed = _LISTED.search(text, max(0, start - _RECORD), start)
    if listed and any(len(other.strip()) != end - start for other in listed["others"].split(",")[:-1]):
        return True
    key = _KEY.search(text, max(0, start - _RECORD), start)
    if key is None or _OF_A_PERSON.search(key["key"]):
        return False
    beside = _FIGURE_BEFORE.search(text, max(0, key.start() - _RECORD), key.start()) or _FIGURE_BEHIND.match(text, end)
    return beside is not None or _A_TYPES.search(key["key"]) is not None


_SET_APART = re.compile(r"(?:[ ]{3}|\t)\Z")
_FIGURE = re.compile(r"(?<![^ \t])[0-9]+(?![^ \t\r])")


def is_among_figures(text: str, start: int, end: int) -> bool:
    """Whether the digits stand in a column, set apart by blanks, below or above a figure of another length.

    As tables of counters have them (searches     18421725761), whose labels name no telephone and nobody.
    """
    line = text.rfind("\n", 0, start) + 1
    if not _SET_APART.search(text, line, start) or _OF_A_PERSON.search(text, line, start):
        return False
    last = text.find("\n", end)
    above = text[text.rfind("\n", 0, max(0, line - 1)) + 1 : max(0, line - 1)]
    below = text[last + 1 :].partition("\n")[0] if last >= 0 else ""
    figures = (each for other in (above, below) for each in _FIGURE.finditer(other))
    in_column = (each for each in figures if each.start() == start - line or each.end() == end - line)
    return any(len(each[0]) != end - start for each in in_column) and not speaks_of_china(text, start, end)


def is_in_a_formula(text: str, start: int, end: int) -> bool:
    """Whether the digits are all of a formula in LaTeX's dollars: $$17300182789$$ as an option."""
    return text[max(0, start - 2) : start].rstrip()[-1:] == "$" and text[end : end + 2].lstrip()[:1] == "$"


def is_a_row_of_figures(value: str) -> bool:
    """Whether groups set apart by blanks are the figures of a table, of any lengths: 324 150 308 1 (3) 2."""
    groups = value.split(" ")
    widths = {len(group) for group in groups[:-1]}  # of a number in fours the last one may be shorter
    return len(groups) > _FEWEST and len(widths) > 1 and (min(widths) == 1 or "(" in value)


def speaks_of_china(text: str, start: int, end: int) -> bool:
    """Whether a page around [start, end) has a Chinese character, China's code or the name of one of its towns."""
    page = text[max(0, start - _FAR) : end + _FAR]
    return _HAN.search(page) is not None or _CHINAS.search(page) is not None


def is_machines(text: str, start: int, end: int) -> bool:
    """Whether the digits at [start, end) are a piece of what a machine wrote."""
    return (
        _AD.search(text, max(0, start - _EDGE), start) is not None
        or _PAGE.search(text, max(0, start - _BESIDE), start) is not None
        or _PAGE.search(text, end, end + _BESIDE) is not None
        or _overlaps(_UUID, _UUIDS, text, start, end)
        or _overlaps(_STAMP, _STAMPS, text, start, end)
        or _is_drawn(text, start, end)
        or _is_in_a_doctest(text, start)
        or (text[start - 1 : start] == "-" and _SLUG.search(text, max(0, start - _LINK), start) is not None)
    )


_NUMBER_ABOVE = re.compile(r"(?:\A|\n)[ \t]*([0-9][0-9:/-]*)[ \t]*\n[ \t]*\Z")
_NUMBER_BELOW = re.compile(r"[ \t]*\n[ \t]*([0-9][0-9:/-]*)[ \t]*(?:\n|\Z)")


def is_in_a_column(text: str, start: int, end: int) -> bool:
    """Whether the digits fill a line, and a line beside it holds a number of another length: ids of a register."""
    above, below = _NUMBER_ABOVE.search(text, max(0, start - _BESIDE), start), _NUMBER_BELOW.match(text, end)
    line = text.rfind("\n", 0, start)
    alone = not text[line + 1 : start].strip() and below is not None
    others = [found[1] for found in (above, below) if found]
    return alone and any(len(other) != end - start for other in others) and not speaks_of_china(text, start, end)


def is_in_a_pictures_name(text: str, start: int, end: int) -> bool:
    """Whether the digits are a part of such a name: bigMobile-66237514-132551.jpg."""
    return text[start - 1 : start] in ("-", "_") and _PICTURE.match(text, end) is not None


def is_a_files_date(text: str, start: int, end: int) -> bool:
    """Whether the value is the date in the name of a file: stamps_in_a_passport_-_20110316_a.jpg."""
    return _DATED.fullmatch(text, max(0, start - 1), end + 1) is not None


def _is_in_a_doctest(text: str, start: int) -> bool:
    first = max(0, start - _CALL)
    if text.find(">>> ", first, start) < 0:
        return False
    return _SHOWN_BELOW.search(text, first, start) is not None or _GIVEN.search(text, first, start) is not None


def _overlaps(form: re.Pattern[str], longest: int, text: str, start: int, end: int) -> bool:
    found = form.finditer(text, max(0, start - longest), end + longest)
    return any(each.start() < end and each.end() > start for each in found)


def _is_drawn(text: str, start: int, end: int) -> bool:
    if "." not in text[max(0, start - 1) : end]:
        return False
    first, last = max(0, start - _EDGE), min(len(text), end + _EDGE)
    return (
        len(_POINTS.findall(text, first, last)) >= _FEWEST
        and _FIGURES.fullmatch(text, first, last) is not None
        and _COMMAND.search(text, max(0, start - _PATH), end) is not None
    )
