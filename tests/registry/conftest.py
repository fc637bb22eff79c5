"""Fixtures of the registry's tests: a registry, a signed house, and a disk of 2 MB where one may be mounted."""

import shutil
import subprocess

import pytest
from gate_house import built, guarded, house  # noqa: F401 - fixtures
from registry_helpers import site  # noqa: F401 - a fixture


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False
    )
    if not done or done.returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
