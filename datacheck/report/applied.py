"""What `datacheck apply` says on the terminal: what was kept, what was dropped and why, and where it lies."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console

from datacheck.check import Status
from datacheck.report import show
from datacheck.report.derived import DerivedDataset, DerivedFile, Manifest, Reason
from datacheck.report.terminal import STYLES, Screen, make_screen
from datacheck.report.words import WORDS, Lang

_MOST = 10  # files put aside whole that are named


@dataclass(frozen=True)
class Phrases:
    """The words of this page; those of the report are in `words`."""

    title: str
    kept: str
    aside: str
    bad_aside: str
    untouched: str
    of_files: str
    why: str
    nothing: str
    rows: str
    bad: str
    left: str
    overlap: str
    whole: str
    with_rows: str
    more_whole: str
    not_mended: str
    reasons: Mapping[Reason, str]
    validated: str
    other_contract: str
    not_validated: str
    where: str
    kept_at: str
    dropped_at: str
    changes: str
    manifest: str
    report: str


PHRASES: Mapping[Lang, Phrases] = {
    "en": Phrases(
        title="Derived from the report on",
        kept="{kept} of {rows} rows kept",
        aside="{} rows put aside",
        bad_aside="{} unreadable lines put aside",
        untouched="untouched",
        of_files="{n} of {of} files changed",
        why="Dropped for",
        nothing="nothing was to be dropped",
        rows="{} rows",
        bad="{} unreadable lines",
        left="{} more places name nothing to drop",
        overlap="a row may stand under several findings; it is dropped once",
        whole="Files put aside whole",
        with_rows="{} readable rows went with it",
        more_whole="and {} more; all of them are in manifest.json",
        not_mended="Not mended by this",
        reasons={
            "no_row": "it is about the whole dataset and names no row to drop",
            "undecided": "it could not be decided",
            "not_chosen": "it was not chosen",
            "no_data": "its dataset was not named with --data",
        },
        validated="Validated again",
        other_contract="by another contract than that of the report",
        not_validated="not validated; name the contract with --contract",
        where="Where",
        kept_at="the new version",
        dropped_at="what was dropped; only you can read it",
        changes="every dropped range, with its finding",
        manifest="what was made of what, with hashes",
        report="the report on the new version",
    ),
    "zh": Phrases(
        title="依据报告生成：",
        kept="保留 {kept} / {rows} 行",
        aside="另存 {} 行",
        bad_aside="另存 {} 处无法读取的行",
        untouched="未改动",
        of_files="{of} 个文件中改动 {n} 个",
        why="按以下检查项丢弃",
        nothing="没有需要丢弃的内容",
        rows="{} 行",
        bad="{} 处无法读取的行",
        left="另有 {} 处没有可丢弃的行",
        overlap="同一行可能属于多个检查项，只丢弃一次",
        whole="整个另存的文件",
        with_rows="其中 {} 行可读取，一并另存",
        more_whole="另有 {} 个，见 manifest.json",
        not_mended="仍未解决",
        reasons={
            "no_row": "针对整个数据集，没有可丢弃的行",
            "undecided": "未能判定",
            "not_chosen": "未选择",
            "no_data": "未用 --data 指定其数据集",
        },
        validated="重新检查",
        other_contract="所用契约与原报告不同",
        not_validated="未重新检查；用 --contract 指定契约",
        where="位置",
        kept_at="新版本",
        dropped_at="丢弃的内容，仅本人可读",
        changes="每一处丢弃的范围及其检查项",
        manifest="由何而来、各文件哈希",
        report="新版本的报告",
    ),
}


def print_manifest(manifest: Manifest, console: Console, lang: Lang, *, folder: str) -> None:
    """Print what was written to `folder`."""
    words, phrases = WORDS[lang], PHRASES[lang]
    screen = make_screen(console, words)
    contract = manifest.report.contract
    screen.line(
        f"{contract.name} {words.version} {contract.version}, datacheck {manifest.datacheck}", head=f"{phrases.title} "
    )
    screen.heading(words.datasets)
    _aligned(screen, [(name, _dataset(dataset, screen, phrases)) for name, dataset in manifest.datasets.items()])
    _findings(screen, manifest, phrases)
    _whole(screen, manifest, phrases)
    _not_mended(screen, manifest, phrases)
    _validation(screen, manifest, phrases)
    screen.heading(phrases.where)
    places = [("kept/", phrases.kept_at)]
    if any(file.dropped for dataset in manifest.datasets.values() for file in dataset.files):
        places += [("dropped/", phrases.dropped_at), ("changes.jsonl", phrases.changes)]
    places += [("manifest.json", phrases.manifest)]
    if manifest.validation:
        places += [("report/", phrases.report)]
    screen.line(f"{folder}/", head="  ")
    _aligned(screen, places, indent="    ")


def _aligned(screen: Screen, lines: list[tuple[str, str]], indent: str = "  ", style: str = "bold") -> None:
    """Name and text, the texts below each other; a name that is too long gets a line of its own."""
    most = min(max((cell_len(screen.safe(name)) for name, _ in lines), default=0), 36, screen.width // 2 - 6)
    for name, text in lines:
        shown = screen.safe(name)
        if cell_len(shown) > most:
            screen.line(shown, style, indent)
            screen.line(text, head=f"{indent}{' ' * (most + 2)}")
        else:
            screen.line(text, style, f"{indent}{shown}{' ' * (most - cell_len(shown) + 2)}")


def _dataset(dataset: DerivedDataset, screen: Screen, phrases: Phrases) -> str:
    counts = [phrases.kept.format(kept=show.number(dataset.rows_kept), rows=show.number(dataset.rows))]
    if dataset.rows_dropped:
        counts.append(phrases.aside.format(show.number(dataset.rows_dropped)))
    if dataset.unreadable_dropped:
        counts.append(phrases.bad_aside.format(show.number(dataset.unreadable_dropped)))
    changed = sum(file.reassembles != "untouched" for file in dataset.files)
    files = phrases.of_files.format(n=show.number(changed), of=show.number(len(dataset.files)))
    words = screen.words
    return words.comma.join(counts) + words.semicolon + (files if changed else phrases.untouched)


def _findings(screen: Screen, manifest: Manifest, phrases: Phrases) -> None:
    words = screen.words
    screen.heading(phrases.why)
    lines = []
    for finding in manifest.findings:
        parts = [phrases.rows.format(show.number(finding.rows))] if finding.rows else []
        parts += [phrases.bad.format(show.number(finding.unreadable))] if finding.unreadable else []
        parts += [phrases.left.format(show.number(finding.left))] if finding.left else []
        lines.append((finding.id, words.comma.join(parts)))
    _aligned(screen, lines, style="")
    if not manifest.findings:
        screen.line(phrases.nothing, head="  ")
    files = [file for dataset in manifest.datasets.values() for file in dataset.files]
    whole = sum(file.source.rows for file in files if file.why)
    if sum(f.rows for f in manifest.findings) > sum(d.rows_dropped for d in manifest.datasets.values()) - whole:
        screen.line(phrases.overlap, head="  = ")


def _whole(screen: Screen, manifest: Manifest, phrases: Phrases) -> None:
    files = [(name, file) for name, dataset in manifest.datasets.items() for file in dataset.files if file.why]
    if not files:
        return
    words = screen.words
    screen.heading(phrases.whole)
    for name, file in files[:_MOST]:
        rows = phrases.with_rows.format(show.number(file.source.rows)) if _collateral(file) else ""
        text = words.comma.join(filter(None, [f"{name}/{file.path}{words.colon}{' '.join(file.why)}", rows]))
        screen.line(text, head="  - ", gutter="  | ")
    if len(files) > _MOST:
        screen.line(phrases.more_whole.format(show.number(len(files) - _MOST)), head="  ")


def _collateral(file: DerivedFile) -> bool:
    """Rows that no finding names went with the file."""
    return bool(file.source.rows) and file.why != ("nothing_left",)


def _not_mended(screen: Screen, manifest: Manifest, phrases: Phrases) -> None:
    """One line per reason, with the findings that it holds for."""
    if not manifest.not_mended:
        return
    words = screen.words
    screen.heading(phrases.not_mended)
    for reason, meaning in phrases.reasons.items():
        ids = [entry.id for entry in manifest.not_mended if entry.reason == reason]
        if ids:
            screen.line(f"{meaning}{words.colon}{words.comma.join(ids)}", head="  - ", gutter="  | ")


def _validation(screen: Screen, manifest: Manifest, phrases: Phrases) -> None:
    words, validation = screen.words, manifest.validation
    screen.heading(phrases.validated)
    if validation is None:
        screen.line(phrases.not_validated, STYLES[Status.WARN], f"  {screen.signs.marks[Status.WARN]} ")
        return
    contract = f"{validation.contract.name} {words.version} {validation.contract.version}"
    other = "" if validation.same_contract else f"{words.semicolon}{phrases.other_contract}"
    mark, word = screen.signs.marks[validation.verdict], words.statuses[validation.verdict].upper()
    meaning = words.headlines[validation.verdict]
    code = words.exit_code.format(validation.exit_code)
    screen.line(f"{meaning} ({contract}{words.comma}{code}){other}", STYLES[validation.verdict], f"  {mark} {word}  ")
    for name in validation.failed[:_MOST]:
        screen.line(name, head="    - ", gutter="    | ")
    if len(validation.failed) > _MOST:
        screen.line("...", head="    ")
