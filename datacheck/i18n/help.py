"""The help of the command line in Chinese: put into the commands before they print it."""

from collections.abc import Mapping
from typing import Any

# command → its whole text; "" is datacheck itself.
COMMANDS: Mapping[str, str] = {
    "": "在训练开始之前，按契约检查训练数据。",
    "run": (
        "按契约检查数据：给出检查结果、报告、结论与退出码。\n\n"
        "退出码：0 通过或只有警告，1 违反契约，2 命令或契约写错，3 无法判定。"
    ),
    "plan": "按顺序列出将要运行的步骤，不打开任何数据。",
    "judge": "用另外的限值重新判定以前的一次运行；不重新度量，不写任何文件。",
    "apply": (
        "写出去掉不合格行的数据；保留的部分逐字节不变。\n\n"
        "--data 处的文件必须就是报告所检查的文件。丢弃的内容另存，不会丢失。"
        "加 --redact 时，字符串中的个人信息换成代号，行的其余部分不变。\n\n"
        "退出码：0 已写出（给出 --contract 时且已通过），1 保留的部分违反契约，2 命令写错，"
        "3 数据与报告不符，或无法判定。"
    ),
    "diff": (
        "比较两批数据：行、文件、长度、语言、标签，以及各项检查的数值。\n\n"
        "不作判定。退出码：0 已比较，2 命令写错，3 有一批数据无法读取。"
    ),
    "sample": (
        "抽取若干行供人工判断（CSV 表），或读回填好的判断，给出比率及其区间。\n\n"
        "退出码：0 已写出或已读回，2 命令写错，3 数据与报告不符。"
    ),
    "preview": (
        "按训练框架的视角展示样本：渲染文本、token id，以及哪些 token 参与训练（TRAIN）、哪些不参与（skip）。\n\n"
        "退出码：0 已展示，2 命令写错，3 分词器或其对话模板无法使用。"
    ),
    "checks": "列出全部检查：度量什么，默认限值是多少。",
    "explain": "解释一项检查（为什么重要、怎样修复、有哪些设置与限值），或坏行的代码。",
    "schema": "打印契约的 JSON Schema（供编辑器使用），或 report.json 的。",
    "init": "按给定的数据编写契约：格式、列，以及适用的检查。",
    "manifest": (
        "写出 _MANIFEST.json：表示这批数据已经齐全，并列出其文件。打印版本号。\n\n"
        "退出码：0 已写出，2 已有另一份清单，3 目录中有链接或特殊文件。"
    ),
    "keys": "生成签名密钥，并指定信任谁的签名。",
    "keys new": (
        "生成一对 ed25519 密钥：私钥（权限 0600），旁边是公钥（.pub）。\n\n"
        "设置了 DATACHECK_KEY_PASSPHRASE 时，私钥加密。"
    ),
    "keys trust": "信任一个公钥，用于一种角色。",
    "keys list": "列出受信任的密钥：编号、角色与名称。",
    "waive": (
        "由某人负责，在某日之前，允许不通过的版本带着某项问题通过。\n\n"
        "须用 approver 的密钥，不能用签署结论的密钥。无法判定的内容不能豁免。"
    ),
    "verify": "拒绝未检查、未通过或检查后被修改的版本。见 `verify --help`。",
    "exec": "只有每个 --require-pass PATH 都已通过且未被修改，才启动命令。见 `exec --help`。",
    "publish": (
        "检查一批数据，对结论签名，然后发布，或放入隔离区。\n\n"
        "数据移入登记库（在另一磁盘上则复制）。已知的版本立即给出答复。"
        "退出码：0 已发布，1 违反契约，2 命令写错，3 无法判定或记录。"
    ),
    "history": (
        "核验账本，按顺序列出决定：结论、豁免、发布、撤销。\n\n"
        "退出码：0 账本完整，2 命令写错，3 账本被修改、截断，或放回了旧副本。"
    ),
    "rescan": (
        "用现在的契约重新检查已发布的版本，撤销不通过的版本。\n\n"
        "只检查由这份契约（按名称）发布的版本，而且只在有变化时检查。"
        "退出码：0 全部保留，1 有版本被撤销，2 命令写错，3 有版本无法判定。"
    ),
    "serve": "运行流程：按时间表与事件处理新数据，并接受界面上的请求。见 `serve --help`。",
    "watch": "登记库 incoming/ 中的新数据到达时发布，每批一次。见 `watch --help`。",
    "announce": "告知 `serve` 所运行的流程：有一批数据已就绪。见 `announce --help`。",
}

# What stands beside options and arguments, and the words that typer adds.
WORDS: Mapping[str, str] = {
    "Arguments": "参数",
    "Options": "选项",
    "Commands": "命令",
    "[default: {}]": "[默认：{}]",
    "[env var: {}]": "[环境变量：{}]",
    "[required]": "[必填]",
    "Show this message and exit.": "显示本说明。",
    "Print the version.": "打印版本号。",
    # defaults
    "from LANG": "按 LANG",
    "by size and cores": "按数据大小与核数",
    "today": "今天",
    "all": "全部",
    "the first": "第一个",
    "the one at --data": "--data 处的数据",
    "all failed findings": "全部失败的检查项",
    "the name of the file": "文件名",
    "the name of the contract": "契约的名称",
    "the one that PATH lies in": "PATH 所在的登记库",
    # run and its kin
    "The contract, a YAML file.": "契约，YAML 文件。",
    "Where a dataset is.": "数据集的位置。",
    "A setting of the training run, as tokenizer=PATH.": "训练设置，例如 tokenizer=PATH。",
    "A setting of the training run.": "训练设置。",
    "A folder with checks of your own.": "存放自定义检查的目录。",
    "An earlier report; only what is new beside it fails.": "以前的报告；只有新增的问题才算失败。",
    "Language of the reports.": "报告与提示的语言。",
    "Language.": "语言。",
    "Show where a fault came from.": "显示故障的来源。",
    "Folder of the report; an earlier report there is replaced.": "报告目录；其中以前的报告会被替换。",
    "Warnings count as violations.": "警告按违约处理。",
    "How data is shown in reports.": "报告中如何展示数据。",
    "What to print.": "打印什么。",
    "Remote place that --data may name, as s3://bucket/.": "允许 --data 使用的远程位置，例如 s3://bucket/。",
    "Worker processes.": "工作进程数。",
    "Print nothing; the exit code and the report speak.": "不打印；只看退出码与报告。",
    "Print nothing.": "不打印。",
    "Keep tracebacks in run.json, without messages.": "在 run.json 中保留调用栈（不含消息）。",
    "The day for dates of expiry.": "判断到期时所用的日期。",
    "Copy the raw bytes of bad lines to quarantine/ too.": "把坏行的原始字节也复制到 quarantine/。",
    "Sign the verdict; a private key file, or env:NAME.": "对结论签名；私钥文件，或 env:NAME。",
    "With --sign: the data it is about.": "与 --sign 同用：结论所指的数据。",
    "Report folder of an earlier run.": "以前运行的报告目录。",
    "The contract to judge by.": "用来判定的契约。",
    # apply, diff, sample, preview, explain, schema, init
    "Folder to write; an earlier result is replaced.": "要写入的目录；以前的结果会被替换。",
    "Drop its rows.": "删除这一检查项所列的行。",
    "Replace what the contract's check pii finds, instead of dropping its rows.": (
        "替换契约中 pii 检查所发现的内容，而不删除这些行。"
    ),
    "Validate what was kept by this contract.": "用这份契约检查保留的部分。",
    "The earlier drop: a file or a folder.": "较早的一批：文件或目录。",
    "The later drop.": "较晚的一批。",
    "How to read them, and checks to compare.": "怎样读取，以及要比较哪些检查。",
    "Which dataset of the contract they are.": "它们是契约中的哪个数据集。",
    "Folder for diff.html, diff.json and rows/.": "存放 diff.html、diff.json 与 rows/ 的目录。",
    "Report folder of an earlier run, to draw rows from.": "以前运行的报告目录，从中抽取。",
    "Read a sheet with verdicts back.": "读回填好判断的表。",
    "Rows per finding, and as many that none flagged.": "每个检查项抽取的行数；未被标记的行抽同样多。",
    "Another seed draws other rows.": "换一个种子，抽到另外的行。",
    "So many rows for each value of a label.": "标签的每个取值各抽这么多行。",
    "How texts are shown.": "如何展示文本。",
    "The file to write.": "要写入的文件。",
    "Of the bounds on the rates.": "比率区间的置信度。",
    "How to print what was read.": "以何种形式打印读回的结果。",
    "A contract, or a data file.": "契约，或数据文件。",
    "The first row to show; 0 is the first one.": "从哪一行开始；0 是第一行。",
    "How many rows.": "多少行。",
    "Also show these rows as one padded batch.": "同时把这些行显示为一个补齐的 batch。",
    "Shorten no text and no list of ids.": "不缩短文本与 id 列表。",
    "A dataset of the contract.": "契约中的一个数据集。",
    "How data is shown.": "如何展示数据。",
    "A check or a code of a bad line.": "检查名，或坏行的代码。",
    "The schema of report.json instead.": "改为打印 report.json 的 schema。",
    "A data file or folder to fit.": "据以编写契约的数据文件或目录。",
    "The same.": "同上。",
    "Write here instead of standard output.": "写到这里，而不是标准输出。",
    "What you evaluate on: no question of it may be trained on.": "评测集：其中的题目不得用于训练。",
    # the gate
    "A version of data.": "一个数据版本。",
    "Private key: a file, or env:NAME.": "私钥：文件，或 env:NAME。",
    "Trusted keys.": "受信任的密钥。",
    "Replace a manifest that says something else.": "替换内容不同的清单。",
    "The private key to write.": "要写入的私钥。",
    "A public key.": "公钥。",
    "What it may sign: verdicts, or waivers.": "可签署什么：结论，或豁免。",
    "Whose key it is.": "是谁的密钥。",
    "Who answers for it.": "由谁负责。",
    "Why the data may be used even so.": "为什么仍可使用这些数据。",
    "The last day, UTC.": "最后一天，UTC。",
    "The finding, as train.pii.": "检查项，例如 train.pii。",
    "Or all findings of a check …": "或某项检查的全部结果 …",
    "… on this dataset.": "… 限于这个数据集。",
    # the registry
    "A folder with a _MANIFEST.json.": "含有 _MANIFEST.json 的目录。",
    "Folder of the registry.": "登记库的目录。",
    "Key of the validator: a file, or env:NAME.": "validator 的密钥：文件，或 env:NAME。",
    "A second place for the ledger's head.": "账本末端记录的另一存放位置。",
    "Pointer in published/.": "published/ 中的指针。",
    "Wait for another worker that has this version.": "另一进程正在处理此版本时等待。",
    "One version, by its folder or id.": "一个版本，用目录或版本号表示。",
    "Claims too.": "同时列出占用记录。",
}


def speak_chinese(command: Any, path: str = "") -> None:
    """Put a command of typer, and those below it, into Chinese; also the words that typer prints around them."""
    from typer import rich_utils  # noqa: PLC0415 - where help is printed, it is needed anyway

    for name, said in list(vars(rich_utils).items()):
        if name.isupper() and isinstance(said, str):
            setattr(rich_utils, name, WORDS.get(said, said))
    _translate(command, path)


def _translate(command: Any, path: str) -> None:
    command.help = COMMANDS.get(path, command.help)
    with command.context_class(command) as context:
        for option in command.get_params(context):
            for text in ("help", "show_default"):
                said = getattr(option, text, None)
                if isinstance(said, str):
                    setattr(option, text, WORDS.get(said, said))
    for name, below in getattr(command, "commands", {}).items():
        _translate(below, f"{path} {name}".strip())
