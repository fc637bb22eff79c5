"""How a selftest is said on the terminal: what would pass first, and what to do about it last."""

from rich.console import Console

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.report import show
from datacheck.report.screen import STYLES, Screen, make_screen
from datacheck.selftest.run import FaultSeen, Outcome, Selftest

_PHRASES: dict[str, Phrase] = {
    "title": "Selftest of {}",
    "rows": ("{} row", "{} rows"),
    "kinds": ("{} kind of fault was planted", "{} kinds of faults were planted"),
    "sum": "{planted} faults planted, {found} found, {placed} at their place",
    "copy": "planted into copies of the rows, as JSON lines; nothing is kept",
    "not_found": "Not found: these would pass",
    "error": "The check could not decide",
    "in_part": "Found in some rows only",
    "not_looked_for": "No check of this contract looks for these: they would pass",
    "below_limit": "Found, but so few of them would pass",
    "warn": "Would warn",
    "fail": "Would fail",
    "placed": "; {placed} at their place",
    "missed": "not in {}",
    "passes": "; {metric} passes up to {limit}",
    "counted": "; {metric} has no limit",
    "says": "the check says: {}",
    "do": "What to do",
    "add": "add to the contract's checks: - check: {}",
    "add_leakage": "name what you evaluate on as a dataset (eval), and add: - {check: leakage, against: [eval]}",
    "tighten": "to let none of these pass: - check: {check}, limits: {{{metric}: {{max: 0}}}}",
    "excused": "a rule leaves some alone, mostly where a question asks for such a thing: datacheck explain {}",
}
_MARKS: dict[Outcome, Status] = {
    "not_found": Status.FAIL,
    "error": Status.ERROR,
    "in_part": Status.WARN,
    "not_looked_for": Status.WARN,
    "below_limit": Status.WARN,
    "warn": Status.PASS,
    "fail": Status.PASS,
}
_SHOWN = 3  # rows that are named


def print_selftest(result: Selftest, console: Console, lang: Lang) -> None:
    """Print what became of each kind of fault, grouped, and hints."""
    words = WORDS[lang]
    screen = make_screen(console, words)
    planted = [kind for kind in result.kinds if kind.planted]
    counts = [_say(lang, "rows", show.number(result.rows)), _say(lang, "kinds", show.number(len(planted)))]
    screen.line(words.comma.join(counts), "bold", _say(lang, "title", result.dataset) + words.colon)
    sums = {name: show.number(sum(getattr(k, name) for k in planted)) for name in ("planted", "found", "placed")}
    screen.line(_say(lang, "sum").format(**sums), head="  ")
    screen.line(_say(lang, "copy"), head="  ")
    for outcome, status in _MARKS.items():
        kinds = result.of(outcome)
        if kinds:
            screen.heading(f"{_say(lang, outcome)} ({show.number(len(kinds))})")
            for check in dict.fromkeys(kind.check for kind in kinds):
                _check(screen, check, [kind for kind in kinds if kind.check == check], status, lang)
            for note in dict.fromkeys(why.message.said(lang) for kind in kinds for why in kind.why):
                screen.line(_say(lang, "says", note), head="    ")
    _hints(result, screen, lang)


def _say(lang: Lang, phrase: str, *values: object) -> str:
    return told(_PHRASES[phrase], lang, *values)


def _check(screen: Screen, check: str, kinds: list[FaultSeen], status: Status, lang: Lang) -> None:
    """The kinds of one check; of those that were not planted only the names."""
    mark = f"  {screen.signs.marks[status]} "
    if kinds[0].planted:
        screen.line(check, STYLES[status], mark)
        screen.table([("      ", "", kind.fault, _line(kind, screen, lang)) for kind in kinds])
    else:
        names = screen.words.semicolon.join(kind.fault for kind in kinds)
        screen.line(names, STYLES[status], mark, check + screen.words.colon)


def _line(kind: FaultSeen, screen: Screen, lang: Lang) -> str:
    said = screen.words.counted.format(n=kind.found, of=kind.planted)
    if kind.placed < kind.found:
        said += _say(lang, "placed").format(placed=kind.placed)
    if kind.missed:
        places = screen.words.comma.join(kind.missed[:_SHOWN])
        return said + screen.words.semicolon + _say(lang, "missed", places)
    if kind.outcome == "below_limit":
        bounds = [value for name, value in kind.limit.items() if name in ("max", "warn_max")]
        more = _say(lang, "passes" if bounds else "counted")
        return said + more.format(metric=kind.metric, limit=f"{min(bounds, default=0):g}")
    return said


def _hints(result: Selftest, screen: Screen, lang: Lang) -> None:
    lacking = dict.fromkeys(kind.check for kind in result.of("not_looked_for"))
    hints = [_say(lang, "add_leakage") if name == "leakage" else _say(lang, "add", name) for name in lacking]
    loose = dict.fromkeys((kind.check, kind.metric) for kind in result.of("below_limit"))
    hints += [_say(lang, "tighten").format(check=check, metric=metric) for check, metric in loose]
    hints += [_say(lang, "excused", name) for name in dict.fromkeys(kind.check for kind in result.of("in_part"))]
    if hints:
        screen.heading(_say(lang, "do"))
        for hint in hints:
            screen.line(hint, head="  ")
