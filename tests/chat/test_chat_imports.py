"""transformers is the reference in tests; at run time it is never imported, and tokenizers only for a tokenizer."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_source_names_transformers_as_an_import():
    for path in [*(ROOT / "datacheck").rglob("*.py"), *(ROOT / "flows").rglob("*.py")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not line.strip().startswith(("import transformers", "from transformers")), path


def test_measuring_tokens_does_not_load_transformers(tokenizer_folder):
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path\n"
        "from chat_helpers import token_run\n"
        "from datacheck.testing import dataset, measure\n"
        "from datacheck.checks.loss_mask_errors import LossMaskErrors\n"
        f"run = token_run(Path({str(tokenizer_folder)!r}))\n"
        "measure(LossMaskErrors(run=run), dataset('user: 你好 | assistant: 在的'))\n"
        "assert 'tokenizers' in sys.modules\n"
        "assert not {'transformers', 'torch'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, env={"PYTHONPATH": str(ROOT)})


def test_a_contract_without_a_tokenizer_loads_none():
    code = (
        "import sys\n"
        "from datacheck.contract.discover import check_class, check_names\n"
        "from datacheck.testing import dataset, measure\n"
        "measure(check_class('role_errors')(), dataset('user: a | assistant: b'))\n"
        "assert 'tokenizers' not in sys.modules, 'tokenizers'\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, env={"PYTHONPATH": str(ROOT)})
