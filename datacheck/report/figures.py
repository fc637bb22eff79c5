"""Figures in Chinese: their names, the names of their columns, and those of their words that are not data."""

from collections.abc import Mapping
from typing import Any

from datacheck.i18n.words import Lang

NAMES: Mapping[str, str] = {
    "arithmetic": "训练步数计算",
    "categories": "词表类别",
    "clusters": "重复组的大小",
    "codes": "坏行代码",
    "containment": "题目被包含的程度",
    "cut_at": "各长度下被截断的行数",
    "doublings": "长度相差的倍数（2 的幂）",
    "entities": "发现的个人信息",
    "gaps": "分差分布",
    "kinds": "问题种类",
    "languages": "语言",
    "ledger": "进入与训练的行",
    "lengths": "长度分布",
    "letters": "正确选项",
    "lsh_recall": "候选召回率",
    "masks": "损失掩码",
    "mix": "来源配比",
    "nearest": "与最近一行的余弦相似度",
    "openings": "常见开头",
    "pass_rates": "通过率",
    "planted": "埋入样例的检出",
    "problems": "问题",
    "random_pairs": "随机抽取的行对",
    "ratings": "标注取值",
    "recall_curve": "召回率曲线",
    "score": "得分分布",
    "score_chosen": "chosen 的得分分布",
    "score_rejected": "rejected 的得分分布",
    "settings": "训练设置",
    "similarity": "相似度分布",
    "sources": "来源",
    "steps": "解答步数",
    "templates": "模板",
    "tokens": "token 与损失掩码",
    "types": "字段类型",
}
COLUMNS: Mapping[str, str] = {
    "alike": "达到阈值",
    "category": "类别",
    "characters": "字符数",
    "chars": "字符数",
    "clusters": "组数",
    "code": "代码",
    "containment": "包含度",
    "conversations": "对话数",
    "cosine": "余弦相似度",
    "doublings": "倍数（2 的幂）",
    "entity": "实体类型",
    "evaluation_rows": "评测行数",
    "field": "字段",
    "found": "检出",
    "found_or_review": "检出或待复核",
    "gap": "分差",
    "golds": "标准答案数",
    "hits": "命中数",
    "kind": "种类",
    "label": "标签",
    "language": "语言",
    "letter": "选项",
    "level": "级别",
    "mask": "掩码",
    "max_length": "最大长度",
    "number": "数值",
    "opening": "开头",
    "pairs": "对数",
    "pass_rate": "通过率",
    "places": "处数",
    "plants": "埋入",
    "problem": "问题",
    "rank": "名次",
    "rater": "标注者",
    "ratings": "标注数",
    "recall": "召回率",
    "rows": "行数",
    "score": "得分",
    "setting": "设置",
    "share": "占比",
    "similarity": "相似度",
    "size": "大小",
    "solutions": "解答数",
    "source": "来源",
    "state": "状态",
    "step": "环节",
    "steps": "步数",
    "target": "目标",
    "template": "模板",
    "texts": "文本数",
    "threshold": "阈值",
    "tokens": "token 数",
    "type": "类型",
    "value": "取值",
    "what": "项目",
}
_CELLS: Mapping[str, Mapping[str, str]] = {
    "kind": {
        "1 % edits": "改动 1%",
        "2 % edits": "改动 2%",
        "5 % edits": "改动 5%",
        "5 % edits, embedded": "改动 5% 并嵌入长文",
        "10 % edits": "改动 10%",
        "a sentence left out": "删去一句",
        "copy": "原样副本",
        "embedded": "嵌入长文",
        "embedded in four times as much": "嵌入四倍长的文本",
        "fullwidth": "全角",
        "inserted spaces": "插入空格",
        "letter case": "大小写",
        "line breaks": "换行",
        "options relabelled": "选项重新编号",
        "options shuffled": "选项打乱",
        "prefix": "加前缀",
        "punctuation": "标点",
        "question without options": "去掉选项",
        "shuffled sentences": "句子打乱",
        "suffix": "加后缀",
        "traditional": "繁体",
        "verbatim": "原文",
    },
    "level": {"block": "阻断", "warn": "警告", "profile": "仅统计", "error": "错误", "limit": "超限", "blank": "空行"},
    "type": {"(missing)": "（缺失）"},
    "state": {"valid": "有效", "suspect": "疑似", "specimen": "示例号码"},
    "what": {
        "rows": "行数",
        "processes": "进程数",
        "rollouts or batches": "rollout 或批数",
        "updates": "更新次数",
        "updates of the warm-up": "预热的更新次数",
        "rows of an epoch in no batch": "每轮未进入任何批的行数",
    },
}


def name_of(figure: str, lang: Lang) -> str:
    """The name of a figure; one of a user's check stays as it is."""
    return NAMES.get(figure, figure) if lang == "zh" else figure


def table_of(table: Mapping[str, list[Any]], lang: Lang) -> dict[str, list[Any]]:
    """A figure's table with the names of its columns, and its own words, in `lang`; data stays as it is."""
    if lang == "en":
        return dict(table)
    said = {
        column: [cells.get(value, value) if isinstance(value, str) else value for value in values]
        for column, values in table.items()
        for cells in [_CELLS.get(column, {})]
    }
    names = {column: COLUMNS.get(column, column) for column in table}
    apart = len(set(names.values())) == len(names)
    return {names[column] if apart else column: values for column, values in said.items()}
