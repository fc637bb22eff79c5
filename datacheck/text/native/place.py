"""Where compiled kernels lie, and which of them this machine can run. Only the standard library: a build asks, too.

One file for each kind of machine, none for a version of Python. Their names hold a digest of the sources, so that
kernels of other sources are never taken for these.
"""

import platform
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parent
# What zig calls each kind of machine: system, processor; and how its libraries end. manylinux2014 has glibc 2.17.
# x86_64_v3 (psABI) has AVX2; every x86-64 processor made for servers since 2013 does.
TARGETS = {
    "linux-x86_64_v3": ("x86_64-linux-gnu.2.17", "x86_64_v3", ".so"),
    "linux-x86_64": ("x86_64-linux-gnu.2.17", "x86_64", ".so"),
    "linux-aarch64": ("aarch64-linux-gnu.2.17", "generic", ".so"),
    "darwin-x86_64": ("x86_64-macos.11.0", "x86_64", ".dylib"),
    "darwin-arm64": ("aarch64-macos.11.0", "apple_m1", ".dylib"),
}
CPUINFO = Path("/proc/cpuinfo")
_NEEDED = {"avx2", "bmi2", "fma"}  # of x86_64_v3


def sources() -> list[Path]:
    """The C sources, headers among them."""
    return sorted(FOLDER.glob("*.[ch]"))


@cache
def digest() -> str:
    """Of all sources: 16 hex digits."""
    return sha256(b"\0".join(file.name.encode() + b"\0" + file.read_bytes() for file in sources())).hexdigest()[:16]


def built(target: str) -> Path:
    """The library for one of TARGETS, whether it is there or not."""
    return FOLDER / "built" / f"kernels-{digest()}-{target}{TARGETS[target][2]}"


def candidates() -> list[str]:
    """Which of TARGETS this machine can run, the best one first."""
    machine = platform.machine().lower()
    name = f"{sys.platform}-{'x86_64' if machine == 'amd64' else machine}"
    if name == "linux-x86_64" and _has_avx2():
        return ["linux-x86_64_v3", name]
    return [name] if name in TARGETS else []


def _has_avx2() -> bool:
    try:
        with CPUINFO.open(encoding="ascii", errors="replace") as file:
            return any(line.startswith("flags") and set(line.split()) >= _NEEDED for line in file)
    except OSError:
        return False  # the other library runs as well
