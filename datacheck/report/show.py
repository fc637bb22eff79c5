"""How numbers and findings are shown: no rounding that hides a violation."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from rich.cells import cell_len

from datacheck.check import Status
from datacheck.i18n.message import Message
from datacheck.i18n.words import Lang, Words
from datacheck.i18n.words import told as _told
from datacheck.loading.codes import CODES
from datacheck.report.shape import fit, shorten
from datacheck.verdict.model import CoverageEntry, Finding, Place, Report, Sentence, ValueEntry, all_known

CLUSTERS = "largest_clusters"  # the figure of that name, which is a list


def number(value: float | None, *, apart_from: Iterable[float] = (), digits: int = 3) -> str:
    """A number for people: 1,200 and 0.12; more digits where it would look equal to a bound that it is not."""
    if value is None:
        return "–"
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    bounds = [_digits(bound, 12) for bound in apart_from]
    return next((s for d in range(digits, 13) if (s := _digits(value, d)) not in bounds), _digits(value, 17))


def _digits(value: float, digits: int) -> str:
    rounded = Decimal(f"{value:.{digits}g}")
    tiny, huge = 1e-9, 1e15
    return (
        f"{rounded:,f}" if rounded.is_finite() and (value == 0 or tiny < abs(value) < huge) else f"{value:.{digits}g}"
    )


def percent(value: float, *, apart_from: Iterable[float] = (), digits: int = 3, form: str = "{} %") -> str:
    """A share in percent, 12.5 %; `form` as the language writes it."""
    exact = float(Decimal(repr(float(value))) * 100)
    bounds = [float(Decimal(repr(float(bound))) * 100) for bound in apart_from]
    return form.format(number(exact, apart_from=bounds, digits=digits))


def size(count: int) -> str:
    """Bytes for people, in powers of 1,024."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{number(round(amount, 1))} {unit}"
        amount /= 1024
    return f"{number(round(amount, 1))} TiB"


def exact(value: ValueEntry) -> Fraction | None:
    """The number as the judge compared it: integers where there are some."""
    if value.value is None or not math.isfinite(value.value):
        return None
    return Fraction(value.count, value.of) if value.count is not None and value.of else Fraction(value.value)


def amount(value: ValueEntry, words: Words) -> str:
    """The number as people say it: "12 % (144 of 1,200)", "0.71", "not measured"."""
    if value.value is None:
        return words.unmeasured
    bounds = [*value.limit.values()]
    if value.of is None or value.count is None:
        return number(value.value, apart_from=[b for b in bounds if b != value.value])
    share = percent(value.value, apart_from=[b for b in bounds if b != value.value], form=words.percent)
    return words.aside.format(share, _counted(value, words))


def limits(value: ValueEntry, words: Words) -> str:
    """The bounds in force: "limit 3 %, warns above 1 %"; empty without one."""
    forms = {"max": words.at_most, "min": words.at_least, "warn_max": words.warn_above, "warn_min": words.warn_below}
    same = {f"warn_{end}" for end in ("max", "min") if value.limit.get(end) == value.limit.get(f"warn_{end}")}
    shown = {name: form for name, form in forms.items() if name in value.limit and name not in same}
    return words.comma.join(form.format(bound(value, value.limit[name], words)) for name, form in shown.items())


def bound(value: ValueEntry, limit: float, words: Words) -> str:
    """One bound, in percent if the number is a share."""
    return percent(limit, digits=12, form=words.percent) if value.of is not None else number(limit, digits=12)


def name_of(value: ValueEntry) -> str:
    """Name a number: "rate", or "rate[source=forum]" for a slice."""
    inside = ", ".join(f"{key}={part}" for key, part in value.slice.items())
    return f"{value.name}[{inside}]" if inside else value.name


def relation(value: ValueEntry, words: Words) -> str:
    """The comparison in the contract's own numbers: "0.12 > 0.03 (144 of 1,200)"."""
    number_of = exact(value)
    if number_of is None or value.value is None:
        return words.unmeasured
    name, sign = _binding(value, number_of)
    shown = number(value.value, apart_from=[b for b in value.limit.values() if b != value.value])
    compared = f"{shown} {sign} {number(value.limit[name], digits=12)}" if name else shown
    counted = value.count is not None and value.of is not None
    return words.aside.format(compared, _counted(value, words)) if counted else compared


def _counted(value: ValueEntry, words: Words) -> str:
    return words.counted.format(n=number(value.count), of=number(value.of))


def _binding(value: ValueEntry, shown: Fraction) -> tuple[str, str]:
    """The bound that decided, and the sign between: the worst one broken, else the first that is kept."""
    for names, broken, kept in ((("max", "warn_max"), ">", "≤"), (("min", "warn_min"), "<", "≥")):
        for name in names:
            if name in value.limit and _is_beyond(shown, value.limit[name], broken):
                return name, broken
        if names[0] in value.limit and len(value.limit) <= 2 and value.status is Status.PASS:
            return names[0], kept
    last = next((n for n in ("max", "min", "warn_max", "warn_min") if n in value.limit), "")
    return last, "≤" if last.endswith("max") else "≥"


def _is_beyond(shown: Fraction, limit: float, sign: str) -> bool:
    other = Fraction(str(limit))
    return shown > other if sign == ">" else shown < other


def key_value(finding: Finding) -> ValueEntry | None:
    """The number that speaks for a finding: the first with its status, the whole dataset before a slice."""
    status = finding.baseline.judged if finding.baseline else finding.status
    ranked = sorted(finding.values, key=lambda v: (v.status is not status, bool(v.slice)))
    return ranked[0] if ranked else None


def faults(finding: Finding) -> list[str]:
    """What a finding is about, as a card may name it: its numbers beyond a limit, the problems shown, and the others.

    The metric that failed comes first: of what is only warned of, nobody needs to be told how to mend it before. So
    where one failed, a problem that has the name of a metric that only warns comes last.
    """
    beyond = [value for value in finding.values if value.status in (Status.FAIL, Status.WARN)]
    failed, warned = (
        [value.name for value in beyond if value.status is status] for status in (Status.FAIL, Status.WARN)
    )
    problems = [*(place.problem for place in finding.evidence.first), *finding.evidence.problems]
    if not failed:
        return [*warned, *problems]
    return [*failed, *(problem for problem in problems if problem not in warned), *warned]


def summary(finding: Finding, words: Words) -> str:
    """A finding in a few words: the number that decided, or why there is none."""
    value = key_value(finding)
    blind = finding.status is Status.ERROR and value is not None and value.status is not Status.ERROR
    if value is None or (finding.error and (value.value is None or blind)):
        return str(finding.error or words.nothing_measured)
    said = [f"{name_of(value)} {relation(value, words)}"]
    said += [read_of(entry, words) for entry in (finding.coverage or {}).values() if entry.unread]
    said += [beside_baseline(finding, words)] if finding.baseline else []
    said += [words.suppressed.format(number(value.suppressed))] if value.suppressed else []
    return words.semicolon.join(said)


def decision_lines(report: Report, words: Words) -> list[str]:
    """The decisions that were given to the run: whose they are, and what each did or why it did nothing."""
    entry = report.decisions
    if entry is None:
        return []
    if entry.refused is not None:
        return [words.decisions_refused.format(file=entry.file, why=entry.refused.said(words.lang))]
    head = words.decisions_by.format(file=entry.file, signer=entry.signer, sha256=entry.sha256[:16])
    return [head, *(each.said.said(words.lang) for each in entry.decisions)]


def read_of(entry: CoverageEntry, words: Words) -> str:
    """How many of the rows that should be readable a check has read."""
    return words.read_of.format(read=number(entry.read), due=number(entry.read + entry.unread))


def coverage(finding: Finding, words: Words) -> list[str]:
    """What a check could read: a line per dataset that it looked at, its own without a name."""
    lines = []
    for name, entry in (finding.coverage or {}).items():
        said = [read_of(entry, words)]
        if entry.share is not None and entry.unread:
            said = [words.aside.format(said[0], percent(entry.share, form=words.percent))]
        said += [_told(words.read_none, words.lang, number(entry.none))] if entry.none else []
        lines.append(("" if name == finding.dataset else name + words.colon) + words.semicolon.join(said))
    return lines


def all_read(report: Report) -> bool:
    """Whether no check met a row that it should have been able to read and could not."""
    entries = [entry for finding in report.findings for entry in (finding.coverage or {}).values()]
    return bool(entries) and not any(entry.unread for entry in entries)


def beside_baseline(finding: Finding, words: Words) -> str:
    """What of a finding is new, in a few words; empty without a baseline."""
    found = finding.baseline
    if found is None:
        return ""
    if found.known:
        known = words.baseline_places.format(number(found.places_known)) if found.places_known else ""
        return words.baseline_known + known
    if found.reason == "new_places":
        return words.baseline_mixed.format(new=number(found.places_new), known=number(found.places_known))
    return words.baseline_reasons[found.reason] if found.reason else ""


def baseline_lines(finding: Finding, words: Words) -> list[str]:
    """All that the baseline has to say of a finding: what is new, what it would be without, the numbers of then."""
    found = finding.baseline
    if found is None:
        return []
    lines = [beside_baseline(finding, words)]
    if found.judged is not finding.status:
        lines.append(words.baseline_was.format(status=words.statuses[found.judged]))
    for old in found.values:
        value = ValueEntry(**old.model_dump(), status=Status.INFO)
        lines.append(words.baseline_then.format(f"{name_of(value)} {amount(value, words)}"))
    return lines


def baseline_counts(report: Report, words: Words) -> list[str]:
    """The baseline of a report and how many findings it changes; nothing without one."""
    entry = report.baseline
    if entry is None:
        return []
    compared = [finding.baseline for finding in report.findings if finding.baseline]
    known = sum(found.known for found in compared)
    verdict = words.statuses[entry.verdict]
    return [
        words.baseline_counts.format(known=number(known), new=number(len(compared) - known)),
        words.baseline_report.format(name=entry.contract.name, version=entry.contract.version, verdict=verdict),
        f"sha256 {entry.sha256[:16]}",
    ]


def told(report: Report, lang: Lang) -> Report:
    """The report with its sentences (errors, notes, what checks say of places) in `lang`, as far as it has them."""
    if lang == "en":
        return report

    def said(old: Sentence) -> Sentence:
        return Sentence(text=old.said(lang))

    def place(old: Place) -> Place:
        words = old.compared and old.compared.said
        compared = old.compared.model_copy(update={"said": said(words)}) if old.compared and words else old.compared
        return old.model_copy(update={"detail": old.detail and said(old.detail), "compared": compared})

    def finding(old: Finding) -> Finding:
        first = map(place, old.evidence.first)
        return old.model_copy(
            update={
                "error": old.error and said(old.error),
                "not_checked": tuple(map(said, old.not_checked)),
                "evidence": old.evidence.model_copy(update={"first": tuple(first)}),
            }
        )

    return report.model_copy(
        update={
            "findings": tuple(map(finding, report.findings)),
            "not_checked": tuple(map(said, report.not_checked)),
            "reason": report.reason and said(report.reason),
        }
    )


def words_of(place: Place) -> str:
    """What is said of a place beside its two texts, where these are shown by themselves; else all of it."""
    if place.compared and place.compared.differs:
        return str(place.compared.said or "")
    return str(place.detail or "")


def side(place: Place, name: str) -> list[tuple[str, str]]:
    """The pieces of one of the two texts, `other` or `here`: what both have, and what is marked."""
    return [piece for piece in place.compared.pieces if piece[0] in ("both", name)] if place.compared else []


@dataclass(frozen=True)
class Cluster:
    """Rows that repeat one another: how many, and the place and the beginning of the one that stays."""

    size: int
    at: str
    text: str


def clusters(finding: Finding) -> list[Cluster]:
    """The largest clusters of a finding that has some, the largest first."""
    table = finding.figures.get(CLUSTERS, {})
    if not {"size", "at", "text"} <= table.keys():
        return []
    lines = zip(table["size"], table["at"], table["text"], strict=False)
    return [Cluster(int(size), str(at or ""), str(text or "")) for size, at, text in lines]


def marked(pieces: Iterable[tuple[str, str]]) -> str:
    """Pieces as a line of plain text: what only the other text has in [-…-], what stands only here in {+…+}."""
    forms = {"both": "{}", "other": "[-{}-]", "here": "{{+{}+}}"}
    return "".join(forms[name].format(text) for name, text in pieces)


def headline(report: Report, words: Words) -> str:
    """What the verdict means, in one sentence."""
    if report.verdict is Status.WARN and report.baseline and all_known(report):
        return words.baseline_only
    if report.strict and report.verdict is Status.WARN:
        return words.strict_warn
    return words.headlines[report.verdict]


def notes(report: Report, words: Words) -> list[tuple[str, str]]:
    """What was not checked, each sentence once: (the findings it is of, or "" for the whole run; the sentence)."""
    said: dict[str, list[str]] = {}
    for finding in report.findings:
        undecided = (finding.error,) if finding.status is Status.ERROR and finding.error else ()
        for note in finding.not_checked or undecided:
            said.setdefault(str(note), []).append(finding.id)
    whole = [("", str(note)) for note in report.not_checked]
    return whole + [(_names(ids, words), note) for note, ids in said.items()]


def _names(ids: list[str], words: Words, most: int = 5) -> str:
    more = words.and_others.format(len(ids) if words.lang == "zh" else len(ids) - most) if len(ids) > most else ""
    return ("、" if words.lang == "zh" else ", ").join(ids[:most]) + more


def tally(report: Report) -> dict[Status, int]:
    """How many findings have each status, worst first, zeros left out."""
    counts = {status: sum(f.status is status for f in report.findings) for status in reversed(Status)}
    return {status: count for status, count in counts.items() if count}


@dataclass(frozen=True)
class CodeLine:
    """A code of unreadable lines as a reader needs it: how often, what it is, why it hurts, what to do."""

    code: str
    count: int
    title: str
    why: str
    fix: str


def codes(finding: Finding, lang: Lang) -> list[CodeLine]:
    """The problems of a finding that are codes of lines or files, the most frequent first; each explained by itself."""
    known = [(name, count, CODES[name]) for name, count in finding.evidence.problems.items() if name in CODES]
    ranked = sorted(known, key=lambda entry: -entry[1])
    return [
        CodeLine(name, count, *(Message(part).said(lang) for part in (c.title, c.why, c.fix)))
        for name, count, c in ranked
    ]


def worst_first(report: Report) -> list[Finding]:
    """Findings by status, worst first; in the order of the contract where they are equal."""
    order = list(reversed(Status))
    return sorted(report.findings, key=lambda finding: order.index(finding.status))


def hits(finding: Finding) -> int:
    """How many rows a finding names, or places where it names no row."""
    return finding.evidence.rows or finding.evidence.lines


def gravest(report: Report) -> list[Finding]:
    """Findings by status, and of one status by how many rows they hit; of those that one error stopped the first."""
    ranked = sorted(worst_first(report), key=lambda f: (list(reversed(Status)).index(f.status), -hits(f)))
    seen: set[tuple[str, str]] = set()
    first: list[Finding] = []
    again: list[Finding] = []
    for finding in ranked:
        cause = (finding.dataset, str(finding.error)) if finding.error and not finding.values else ("", finding.id)
        (again if cause in seen else first).append(finding)
        seen.add(cause)
    return sorted([*first, *again], key=lambda f: list(reversed(Status)).index(f.status))


def examples(finding: Finding) -> list[Place]:
    """Two places that differ as far as they can: in their problem, or else in where they are."""
    first, *others = finding.evidence.first or (None,)
    if first is None:
        return []
    second = sorted(others, key=lambda other: (other.problem == first.problem, other.at == first.at))
    return [first, *second[:1]]


def both_ends(text: str, cells: int = 84) -> str:
    """A text of two short lines: its beginning and its end, for an answer may be wrong at either."""
    half = cells // 2
    if cell_len(text) <= cells:
        return text
    return f"{fit(text, half)}…{fit(text[::-1], half)[::-1]}"


def inline(place: Place, room: int = 16) -> list[tuple[str, str]]:
    """The two texts of a place as one line, of what both have only `room` characters around what tells them apart."""
    pieces = list(place.compared.pieces) if place.compared else []
    return [
        (name, _around(text, room, at, len(pieces) - 1) if name == "both" else shorten(text, 4 * room))
        for at, (name, text) in enumerate(pieces)
    ]


def _around(text: str, room: int, at: int, last: int) -> str:
    head, tail = (text[:room] if at else ""), (text[-room:] if at < last else "")
    return text if len(text) <= len(head) + len(tail) + 1 else f"{head}…{tail}"


def formats(files: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Sum the formats of files, most rows first."""
    totals: Counter[str] = Counter()
    for counted in files:
        totals.update(counted)
    return dict(sorted(totals.items(), key=lambda entry: (-entry[1], entry[0])))
