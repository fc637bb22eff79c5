"""examples/training: what can run here runs, behind the guard as a training image has it; the rest is parsed.

With DATACHECK_TRL_PYTHON, a Python with torch, accelerate and TRL, the real ones run.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from chat_helpers import make_tokenizer
from core_helpers import GOOD, ROOT, contract, jsonl, report
from registry_helpers import manifest_id

EXAMPLES = ROOT / "examples" / "training"

# A launcher in six lines: as many processes as it is told, one after the other, each with its rank.
LAUNCHER = """#!{python}
import os, subprocess, sys
at = next(number for number, word in enumerate(sys.argv) if word.endswith(".py"))
many = next(int(sys.argv[sys.argv.index(word) + 1]) for word in ("--nproc-per-node", "--num_processes") if word in sys.argv)
ranks = ({{**os.environ, "RANK": str(rank)}} for rank in range(many))
sys.exit(max(subprocess.call([sys.executable, *sys.argv[at:]], env=rank) for rank in ranks))
"""
TRAINER = "class TrainerCallback: pass\n"  # what transformers gives
TINY = """
import sys
from transformers import AutoModelForCausalLM, GPT2Config
config = GPT2Config(vocab_size=700, n_positions=256, n_embd=16, n_layer=1, n_head=2)
AutoModelForCausalLM.from_config(config).save_pretrained(sys.argv[1])
"""


@pytest.fixture
def image(wheel, house, tmp_path):
    """A training image: the guard's wheel, whom to trust, and launchers that stand in for the real ones."""
    lib, bin_ = tmp_path / "lib", tmp_path / "bin"
    zipfile.ZipFile(wheel).extractall(lib)
    bin_.mkdir()
    for name in ("torchrun", "accelerate"):
        executable(bin_ / name, LAUNCHER.format(python=sys.executable))
    return Image(bin_, {"PYTHONPATH": str(lib), "DATACHECK_TRUST": str(house.root / "trust.json")})


class Image:
    def __init__(self, bin_: Path, env: dict[str, str]) -> None:
        self.bin, self.env = bin_, env
        self.use(sys.executable)

    def use(self, python: str) -> None:
        """Let this Python be the image's; its launchers come first."""
        executable(self.bin / "datacheck-guard", f"#!{python}\nfrom datacheck_guard.__main__ import run\nrun()\n")
        self.python = python
        self.env["PATH"] = os.pathsep.join([str(self.bin), str(Path(python).parent), os.environ["PATH"]])

    def run(self, *words, **env):
        env = {**self.env, "HF_HUB_OFFLINE": "1", "LANG": "C.UTF-8", "HOME": str(self.bin), **env}
        words = list(map(str, words))
        return subprocess.run(words, env=env, cwd=self.bin, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def real(image):
    """The image with a Python that has what is trained with."""
    python = os.environ.get("DATACHECK_TRL_PYTHON")
    needs = "import torch, accelerate, trl, cryptography"
    if not python or subprocess.run([python, "-c", needs], capture_output=True, check=False).returncode:
        pytest.skip("DATACHECK_TRL_PYTHON names no Python with torch, accelerate, TRL and cryptography")
    for name in ("torchrun", "accelerate"):
        (image.bin / name).unlink()
    image.use(python)
    return image


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def every_rank_trains_or_none(image, script, house, ranks=2):
    image.env["RANKS"] = str(ranks)
    done = image.run(EXAMPLES / script, DATA=str(house.good))
    said = sorted(line for line in done.stdout.splitlines() if line.startswith("rank"))
    version = manifest_id(house.good)
    assert (done.returncode, said) == (0, [f"rank {n}: 1 rows of {version}" for n in range(ranks)]), done.stderr
    (house.good / "a.jsonl").write_text("{}\n")
    done = image.run(EXAMPLES / script, DATA=str(house.good))
    assert (done.returncode, "rank" in done.stdout) == (12, False), done.stderr


@pytest.mark.parametrize("script", ["torchrun.sh", "accelerate.sh"])
def test_every_rank_trains_on_what_passed_or_none_does(image, script, house):
    every_rank_trains_or_none(image, script, house)


@pytest.mark.slow
@pytest.mark.parametrize(("script", "ranks"), [("torchrun.sh", 2), ("accelerate.sh", 1)])
def test_so_it_is_with_the_real_launchers(real, script, ranks, house):
    """Accelerate starts several processes on several GPUs only (or by MPI)."""
    every_rank_trains_or_none(real, script, house, ranks)


def test_a_rank_that_is_started_alone_hashes_itself(image, house):
    assert image.run(image.python, EXAMPLES / "train.py", house.good).returncode == 0
    done = image.run(image.python, EXAMPLES / "train.py", house.bad)
    assert (done.returncode, "FailedError" in done.stderr, done.stdout) == (1, True, "")


def test_the_callback_asks_when_training_begins_and_before_it_saves(image, house):
    (Path(image.env["PYTHONPATH"]) / "transformers.py").write_text(TRAINER)
    lines = ["import sys", f"sys.path.append({str(EXAMPLES)!r})", "from trl_callback import RequirePassed"]
    asks = [
        "asked = RequirePassed(sys.argv[1])",
        "asked.on_train_begin(None, None, None, model=None)",
        "print('begun')",
    ]
    changes = ["open(sys.argv[1] + '/a.jsonl', 'a').write('x')", "asked.on_save(None, None, None)", "print('saved')"]
    for rest, said in (([], "begun\n"), (changes, "begun\n")):
        done = image.run(image.python, "-c", "\n".join([*lines, *asks, *rest]), house.good)
        assert (done.returncode, done.stdout) == (int(bool(rest)), said), done.stderr
    assert "TamperedError" in done.stderr


@pytest.mark.slow
def test_so_it_is_in_a_real_step_of_trl(real, house):
    model, out = real.bin / "model", real.bin / "out"
    make_tokenizer(model)
    made = real.run(real.python, "-c", TINY, model)
    assert made.returncode == 0, made.stderr[-2000:]
    done = real.run(real.python, EXAMPLES / "trl_callback.py", model, house.good, out)
    assert (done.returncode, (out / "checkpoint-1").is_dir()) == (0, True), done.stderr[-3000:]
    shutil.rmtree(out)
    done = real.run(real.python, EXAMPLES / "trl_callback.py", model, house.bad, out)
    assert (done.returncode, "FailedError" in done.stderr, (out / "checkpoint-1").exists()) == (1, True, False)


# --- what does not run here ---

# `man sbatch`: the long options that a training needs.
SBATCH = set(
    """
    account array begin chdir constraint cpus-per-gpu cpus-per-task dependency error exclude exclusive export gpus
    gpus-per-node gpus-per-task gres hint job-name kill-on-invalid-dep mail-type mail-user mem mem-per-cpu mem-per-gpu
    no-requeue nodelist nodes ntasks ntasks-per-node open-mode output partition qos requeue reservation signal time
""".split()
)


@pytest.mark.parametrize(
    "script", sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".sh", ".sbatch"))
)
def test_the_scripts_are_bash(script):
    text = (EXAMPLES / script).read_text()
    done = subprocess.run(["bash", "-n", EXAMPLES / script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "datacheck-guard exec --require-pass" in text
    options = re.findall(r"^#SBATCH --([a-z-]+)=\S+$", text, re.MULTILINE)
    assert set(options) <= SBATCH
    assert len(options) == text.count("#SBATCH")  # each of the form --NAME=VALUE, and before the first command
    assert not options or text.index("set -e") > text.rindex("#SBATCH")


def test_llamafactory_knows_every_key(tmp_path, command):
    folder = EXAMPLES / "llamafactory"
    listed = yaml.safe_load((folder / "dataset_info.json").read_text())
    settings = yaml.safe_load((folder / "sft.yaml").read_text())
    assert (settings["dataset"] in listed, settings["dataset_dir"]) == (True, ".")
    jsonl(tmp_path / "data" / "train.jsonl", GOOD)
    path = contract(tmp_path, ["unknown_config_keys"])
    run = ["--run", "trainer=llamafactory.sft", "--run", f"config={folder / 'sft.yaml'}"]
    code, _, said = command("run", path, *run, "--out", tmp_path / "out", "--quiet")
    assert code == 0, said
    found = {f["check"]: f for f in report(tmp_path / "out")["findings"]}["unknown_config_keys"]
    assert (found["status"], found["values"][0]["value"]) == ("pass", 0)


def test_kubernetes_mounts_what_it_reads_and_writes_none_of_it():
    job = yaml.safe_load((EXAMPLES / "kubernetes.yaml").read_text())
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    pod = job["spec"]["template"]["spec"]
    assert pod.keys() <= {"restartPolicy", "initContainers", "containers", "volumes"}
    assert pod["restartPolicy"] in ("Never", "OnFailure")  # what a Job takes
    volumes = {volume["name"] for volume in pod["volumes"]}
    for one in [*pod["initContainers"], *pod["containers"]]:
        assert one.keys() <= {"name", "image", "command", "args", "env", "volumeMounts", "resources"}
        words = [*one["command"], *one.get("args", [])]
        assert all(isinstance(word, str) for word in words)
        assert words[:2] in (["datacheck-guard", "verify"], ["datacheck-guard", "exec"])
        assert {mount["name"] for mount in one["volumeMounts"]} == volumes
        assert all(mount["readOnly"] is True for mount in one["volumeMounts"])
        paths = [*(variable["value"] for variable in one["env"]), *(word for word in words if word.startswith("/"))]
        mounted = [mount["mountPath"] for mount in one["volumeMounts"]]
        assert all(any(Path(path).is_relative_to(place) for place in mounted) for path in paths)


def test_the_workflow_is_one():
    flow = yaml.safe_load((EXAMPLES / "github_actions.yml").read_text())
    assert flow.keys() == {"name", True, "jobs"}  # PyYAML reads the key `on` as true; GitHub does not
    for job in flow["jobs"].values():
        assert job.keys() <= {"needs", "runs-on", "steps"}
        assert {*([job["needs"]] if "needs" in job else [])} <= flow["jobs"].keys()
        assert all(
            step.keys() <= {"uses", "run", "env"} and len(step.keys() & {"uses", "run"}) == 1 for step in job["steps"]
        )
    said = str(flow["jobs"]["train"])
    assert ("datacheck-guard exec" in said, "secrets." in said) == (True, False)


def test_the_table_names_every_example():
    text = (EXAMPLES / "README.md").read_text()
    names = {path.name for path in EXAMPLES.iterdir()} - {"README.md", "__pycache__"}
    assert [name for name in names if name not in text] == []
