"""Every fixed word of the reports, in English and in Chinese. English is plain ASCII: any console can show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from datacheck.status import NotKnown, Status

_VERBS = {
    "load": "加载",
    "derive": "提取",
    "summarise": "汇总",
    "group": "分组",
    "measure": "度量",
    "write": "写出",
    "verify": "复核",
}

Lang = Literal["en", "zh"]


@dataclass(frozen=True)
class Words:
    """The words of one language. Texts with {} are filled with `str.format`; no data ever is the format."""

    lang: Lang
    html_lang: str
    language: str  # the name of the language in itself
    comma: str
    colon: str
    semicolon: str
    aside: str  # "12 (144 of 1,200)"
    percent: str
    title: str
    contract: str
    version: str
    verdict: str
    statuses: Mapping[Status, str]
    tallies: Mapping[Status, str]  # "{n} passed"
    headlines: Mapping[Status, str]  # what a verdict means
    strict: str
    strict_warn: str
    exit_code: str
    checks: str
    not_started: str
    # datasets and files
    datasets: str
    dataset: str
    rows: str
    files: str
    file: str
    size: str
    formats: str
    unreadable: str
    blank: str
    dataset_line: str
    unreadable_count: str
    unknown_format: str
    not_loaded: str
    more_files: str
    # funnel
    funnel: str
    funnel_steps: Mapping[str, str]
    # findings
    findings: str
    finding: str
    status: str
    numbers: str
    details: str
    nothing_measured: str
    incomplete: str
    settings: str
    value: str
    metric: str
    slice: str
    limit: str
    counted: str
    whole: str
    at_most: str
    at_least: str
    warn_above: str
    warn_below: str
    between: str
    no_limit: str
    unmeasured: str
    more_values: str
    problems: str
    places: str
    place: str
    where: str
    problem: str
    shown: str
    score: str
    other: str
    first_places: str
    all_places: str
    figures: str
    table: str
    more_points: str
    no_numbers: str
    strip_labels: Mapping[str, str]  # what the colours of a token strip mean
    # beside a baseline
    baseline: str
    baseline_report: str
    baseline_known: str
    baseline_places: str
    baseline_mixed: str
    baseline_reasons: Mapping[NotKnown, str]
    baseline_then: str
    baseline_was: str
    baseline_counts: str
    baseline_only: str
    # the card
    about: str
    why: str
    fix: str
    more: str
    # the end
    not_checked: str
    everything_checked: str
    and_others: str
    inputs: str
    run: str
    step_times: str
    reports: str
    too_long: str


_EN = Words(
    lang="en",
    html_lang="en",
    language="English",
    comma=", ",
    colon=": ",
    semicolon="; ",
    aside="{} ({})",
    percent="{} %",
    title="Data report",
    contract="Contract",
    version="version",
    verdict="Verdict",
    statuses={
        Status.PASS: "pass",
        Status.INFO: "info",
        Status.WARN: "warn",
        Status.FAIL: "fail",
        Status.ERROR: "error",
    },
    tallies={
        Status.PASS: "{} passed",
        Status.INFO: "{} info",
        Status.WARN: "{} warned",
        Status.FAIL: "{} failed",
        Status.ERROR: "{} undecided",
    },
    headlines={
        Status.PASS: "the data keeps its contract",
        Status.INFO: "the data keeps its contract",
        Status.WARN: "the data keeps its contract, with warnings",
        Status.FAIL: "the data breaks its contract",
        Status.ERROR: "no verdict: something could not be checked, so this is not a pass",
    },
    strict="strict: a warning counts as a violation",
    strict_warn="warnings, and this run is strict: the contract counts as broken",
    exit_code="exit code {}",
    checks="{} checks",
    not_started="no check was planned",
    datasets="Datasets",
    dataset="Dataset",
    rows="Rows",
    files="Files",
    file="File",
    size="Size",
    formats="Formats",
    unreadable="Unreadable lines",
    blank="Blank lines",
    dataset_line="rows {rows}, files {files}, {size}",
    unreadable_count="unreadable lines {}",
    unknown_format="no format found",
    not_loaded="could not be loaded",
    more_files="and {} more files; all of them are in report.json",
    funnel="Rows in, rows kept",
    funnel_steps={"in": "rows in", "readable": "readable", "kept": "rows kept"},
    findings="Findings",
    finding="Finding",
    status="Status",
    numbers="Numbers",
    details="Details",
    nothing_measured="nothing was measured",
    incomplete="incomplete: only the readable rows were seen",
    settings="Settings",
    value="Value",
    metric="Metric",
    slice="Slice",
    limit="Limit",
    counted="{n} of {of}",
    whole="all rows",
    at_most="limit {}",
    at_least="minimum {}",
    warn_above="warns above {}",
    warn_below="warns below {}",
    between="{low} to {high}",
    no_limit="no limit, for information",
    unmeasured="not measured",
    more_values="and {} more values; all of them are in report.json",
    problems="Problems",
    places="Places",
    place="Place",
    where="Where",
    problem="Problem",
    shown="What stands there",
    score="Score",
    other="Compared with",
    first_places="the first {n} of {total}",
    all_places="all places: {}",
    figures="Figures",
    table="Numbers of this figure",
    more_points="the first {n} of {total} lines",
    no_numbers="nothing to draw",
    strip_labels={"train": "TRAIN: in the loss", "skip": "skip: read, not in the loss", "cut": "cut off"},
    baseline="Baseline",
    baseline_report="{name} version {version}, verdict {verdict}",
    baseline_known="known from the baseline, nothing new",
    baseline_places=" (places: {})",
    baseline_mixed="new places: {new}, known: {known}",
    baseline_reasons={
        "absent": "the baseline has no such finding, so all of it is new",
        "undecided": "the baseline could not decide this, so all of it is new",
        "measured_differently": "the baseline measured this with other settings, so all of it is new",
        "new_places": "not in the baseline",
        "worse": "worse than in the baseline",
    },
    baseline_then="then {}",
    baseline_was="would be {status} without the baseline",
    baseline_counts="known findings, which do not fail: {known}; findings with something new: {new}",
    baseline_only="no new violation; what the baseline knows is still there",
    about="About this check",
    why="why",
    fix="fix",
    more="more",
    not_checked="Not checked",
    everything_checked="nothing was left out",
    and_others=" and {} more",
    inputs="Inputs of this verdict",
    run="This run",
    step_times="Seconds of each step, the slowest first",
    reports="Reports",
    too_long="this page was shortened to stay below {size}; everything is in report.json",
)

_ZH = Words(
    lang="zh",
    html_lang="zh-CN",
    language="中文",
    comma="，",
    colon="：",
    semicolon="；",
    aside="{}（{}）",
    percent="{}%",
    title="数据检查报告",
    contract="数据契约",
    version="版本",
    verdict="结论",
    statuses={
        Status.PASS: "通过",
        Status.INFO: "参考",
        Status.WARN: "警告",
        Status.FAIL: "失败",
        Status.ERROR: "未判定",
    },
    tallies={
        Status.PASS: "{} 项通过",
        Status.INFO: "{} 项参考",
        Status.WARN: "{} 项警告",
        Status.FAIL: "{} 项失败",
        Status.ERROR: "{} 项无法判定",
    },
    headlines={
        Status.PASS: "数据符合契约",
        Status.INFO: "数据符合契约",
        Status.WARN: "数据符合契约，但有警告",
        Status.FAIL: "数据违反契约",
        Status.ERROR: "无法下结论：有内容没能检查，因此不算通过",
    },
    strict="严格模式：警告按违约处理",
    strict_warn="有警告；本次为严格模式，按违约处理",
    exit_code="退出码 {}",
    checks="共 {} 项检查",
    not_started="没有计划任何检查",
    datasets="数据集",
    dataset="数据集",
    rows="行数",
    files="文件",
    file="文件",
    size="大小",
    formats="格式",
    unreadable="无法读取的行",
    blank="空行",
    dataset_line="{rows} 行，{files} 个文件，{size}",
    unreadable_count="{} 行无法读取",
    unknown_format="未识别出格式",
    not_loaded="未能加载",
    more_files="另有 {} 个文件，见 report.json",
    funnel="进入的行数与可训练的行数",
    funnel_steps={"in": "进入", "readable": "可读取", "kept": "可训练"},
    findings="检查结果",
    finding="检查项",
    status="状态",
    numbers="数值",
    details="详情",
    nothing_measured="没有测得任何数值",
    incomplete="不完整：只检查了可读取的行",
    settings="设置",
    value="数值",
    metric="指标",
    slice="分组",
    limit="限值",
    counted="{n}/{of}",
    whole="全部",
    at_most="上限 {}",
    at_least="下限 {}",
    warn_above="高于 {} 警告",
    warn_below="低于 {} 警告",
    between="{low} 至 {high}",
    no_limit="无限值，仅供参考",
    unmeasured="未能测得",
    more_values="另有 {} 个数值，见 report.json",
    problems="问题",
    places="位置",
    place="位置",
    where="字段",
    problem="问题",
    shown="内容",
    score="得分",
    other="比较对象",
    first_places="共 {total} 处，列出前 {n} 处",
    all_places="全部位置：{}",
    figures="图表",
    table="图中数据",
    more_points="共 {total} 行，列出前 {n} 行",
    no_numbers="没有可画的数据",
    strip_labels={"train": "TRAIN：计入 loss", "skip": "skip：只读，不计入 loss", "cut": "被截断"},
    baseline="基线",
    baseline_report="{name} 版本 {version}，结论为{verdict}",
    baseline_known="基线中已有，没有新增",
    baseline_places="（{} 处）",
    baseline_mixed="新增 {new} 处，已知 {known} 处",
    baseline_reasons={
        "absent": "基线中没有这一项，全部视为新增",
        "undecided": "基线未能判定这一项，全部视为新增",
        "measured_differently": "基线以不同的设置测量这一项，全部视为新增",
        "new_places": "基线中没有",
        "worse": "比基线更差",
    },
    baseline_then="当时 {}",
    baseline_was="不看基线时为{status}",
    baseline_counts="{known} 项是已知问题，不计为失败；{new} 项有新增",
    baseline_only="没有新增违约；基线中的已知问题仍然存在",
    about="关于这项检查",
    why="现象",
    fix="修复",
    more="详见",
    not_checked="未检查的内容",
    everything_checked="没有遗漏",
    and_others="等 {} 项",
    inputs="决定本结论的输入",
    run="本次运行",
    step_times="各步骤耗时（秒），由长到短",
    reports="报告文件",
    too_long="为不超过 {size}，本页有删节；完整内容见 report.json",
)

WORDS: Mapping[Lang, Words] = {"en": _EN, "zh": _ZH}


def step_in(step: str, lang: Lang) -> str:
    """A step with its verb in `lang`; names stay as they are."""
    verb, space, rest = step.partition(" ")
    return f"{_VERBS[verb]}{space}{rest}" if lang == "zh" and verb in _VERBS else step
