"""What every test may use: the folder of real public data, and one hypothesis profile."""

import csv
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Tables of a few rows: waking a second thread costs more than it does. Workers are told their own number.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ["DATACHECK_CACHE"] = "off"  # what a test broke must not be found by the next one

import pytest
from core_helpers import command, here  # noqa: F401 - fixtures
from hypothesis import settings

from datacheck.contract import discover

# The first call of a function may build a table; that says nothing about the algorithm's speed. The examples are the
# same each time: a run that fails can be repeated.
settings.register_profile("datacheck", deadline=None, derandomize=True)
settings.load_profile("datacheck")

gc.set_threshold(50_000, 50, 100)  # tables make many objects and few cycles
# Tests write and delete a hundred thousand small files: where memory is plenty, they do so there.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 << 30 and "TMPDIR" not in os.environ:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


# The files of slow tests that take longest, first: who begins one of them last keeps all others waiting for it.
LONGEST = """
    sabotage/test_first_half sabotage/test_second_half flows/test_served seeds/test_seeds flows/test_gate_flows
    engine/test_work flows/test_validate_flow registry/test_faults pii/test_equality flows/test_decisions_served
    selftest/test_selftest flows/test_channels_served loading/test_loading_fuzz
""".split()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put these first: pytest-xdist deals out files in the order of their tests (`--no-loadscope-reorder`)."""
    place = {f"tests/{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], len(place)))


@pytest.fixture(scope="session")
def realdata() -> Path:
    """Real public data beside the repository, or where DATACHECK_REALDATA says; never part of the project."""
    beside = Path(__file__).parents[2] / "shared" / "realdata"
    folder = Path(os.environ.get("DATACHECK_REALDATA") or beside)
    if not folder.is_dir():
        pytest.skip("realdata is absent")
    return folder.resolve()  # the loader goes through no link


@pytest.fixture(autouse=True)
def _no_user_checks() -> Iterator[None]:
    """No test sees the checks of a folder that another one named."""
    yield
    discover.use_folder(None)
    csv.field_size_limit(131_072)  # of the whole process; what is read with small limits sets it


@pytest.fixture(scope="session")
def tokenizer_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tokenizer with a ChatML template that marks what is generated."""
    from chat_helpers import make_tokenizer

    return make_tokenizer(tmp_path_factory.mktemp("tokenizer"))


# A skip is a test that says nothing. Where CI is set (.ci/run sets it) only these reasons are accepted; any other one
# fails the run. Elsewhere a test may lack what a machine lacks: root, namespaces.
ACCEPTED_SKIPS = (
    "realdata is absent",
    "no tmpfs can be mounted here",
    "needs root to become another user",
    "is not installed (the extra",
    "no PostgreSQL server is installed here",
    "_PYTHON names no Python with",  # trainers' own environments, of the probes' slow tests
    "no Chromium is installed; DATACHECK_CHROMIUM names one",
    "no Python 3.",  # of the guard's wheel, which is installed on each that is there
    "characters of later Unicode versions differ by design",
    "the table is made with Unicode 14.0 (Python 3.11)",
)
_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        _skipped.append(f"{report.nodeid}: {report.longrepr[2]}")


def _unexpected() -> list[str]:
    if not os.environ.get("CI"):
        return []
    return [line for line in _skipped if not any(reason in line for reason in ACCEPTED_SKIPS)]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _unexpected():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Beside the failures: of a long log only the end is kept."""
    for line in _unexpected():
        terminalreporter.write_line(f"skipped for a reason that is not accepted: {line}", red=True)
