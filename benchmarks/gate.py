"""What the gate costs: appending to and verifying the ledger, hashing, answering for a known version.

Usage: python benchmarks/gate.py [FOLDER]. The folder (default: a new one under the temporary folder) decides the disk;
every append waits for it. Prints one line per figure; takes about half a minute.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from datacheck.files.versions import scan, write_manifest
from datacheck.gate.ledger import Ledger, head_of

T = TypeVar("T")
ENTRIES = 1_000
SIZE = 512 * 1024**2  # bytes to hash
DATACHECK = [sys.executable, "-m", "datacheck"]
WRITER = """
import sys
from pathlib import Path
from datacheck.gate.ledger import Ledger
with Ledger(Path(sys.argv[1])) as ledger:
    for number in range(int(sys.argv[2])):
        ledger.append("verdict", f"sha256:{number}", "sft", {"number": number})
"""


def timed(act: Callable[[], T]) -> tuple[float, float, T]:
    """Seconds on the clock and of the processor (user and system, children included), and the result."""
    wall, before = time.perf_counter(), os.times()
    result = act()
    after = os.times()
    return time.perf_counter() - wall, sum(after[:4]) - sum(before[:4]), result


def say(name: str, value: str) -> None:
    print(f"{name:58}{value}")


def appends(folder: Path, anchors: tuple[Path, ...], name: str) -> None:
    with Ledger(folder / f"{len(anchors)}.sqlite", anchors) as ledger:

        def act() -> None:
            for number in range(ENTRIES):
                ledger.append("verdict", f"sha256:{number}", "sft", {"number": number})

        wall, cpu, _ = timed(act)
        say(f"append, one writer, {name}", f"{ENTRIES / wall:,.0f} entries/s ({cpu / ENTRIES * 1e3:.2f} ms CPU each)")
        wall, cpu, head = timed(lambda: head_of(ledger.verified()))
        say(f"verify the chain of {head.seq:,}", f"{wall / head.seq * 1e6:.0f} ms per 1,000 entries ({cpu:.3f} s CPU)")


def writers(folder: Path, count: int) -> None:
    path = folder / "many.sqlite"

    def act() -> list[int]:
        each = [sys.executable, "-c", WRITER, str(path), str(ENTRIES // count)]
        processes = [subprocess.Popen(each) for _ in range(count)]
        return [process.wait() for process in processes]

    wall, _, ended = timed(act)
    with Ledger(path) as ledger:
        assert head_of(ledger.verified()).seq == ENTRIES // count * count
    assert set(ended) == {0}
    say(f"append, {count} writers beside each other", f"{ENTRIES / wall:,.0f} entries/s, their start included")


def hashing(folder: Path) -> None:
    data = folder / "data"
    data.mkdir()
    block = os.urandom(1024**2)
    for number in range(4):
        with (data / f"{number}.jsonl").open("wb") as file:
            for _ in range(SIZE // 4 // len(block)):
                file.write(block)
    scan(data)  # into the page cache
    for threads in (1, 2):
        wall, cpu, _ = timed(lambda threads=threads: scan(data, threads))
        say(f"hash {SIZE // 1024**2} MiB, {threads} thread(s)", f"{SIZE / wall / 1e9:.2f} GB/s ({cpu:.2f} s CPU)")


def known(folder: Path) -> None:
    from datacheck.gate.keys import load_private, load_public, new_key
    from datacheck.gate.trust import add_trust, read_trust
    from datacheck.registry.publish import PublishRules, publish
    from datacheck.registry.registry import Registry

    new_key(folder / "v.pem")
    add_trust(folder / "trust.json", "v", "validator", load_public(folder / "v.pub"))
    contract = folder / "c.yaml"
    contract.write_text("name: sft\ndatasets: {train: {checks: [role_errors, exact_duplicates]}}\n")
    row = {"messages": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "你好！"}]}
    for name in ("first", "again"):
        (folder / name).mkdir()
        lines = [json.dumps({**row, "id": number}, ensure_ascii=False) for number in range(20_000)]
        (folder / name / "data.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        write_manifest(folder / name)
    rules = PublishRules(contract, load_private(str(folder / "v.pem")), read_trust(folder / "trust.json"))
    registry = Registry(folder / "reg")
    wall, cpu, found = timed(lambda: publish(folder / "first", rules, registry))
    assert found.status == "published"
    say("publish a new drop of 20,000 rows, two checks", f"{wall:.2f} s ({cpu:.2f} s CPU)")
    wall, cpu, found = timed(lambda: publish(folder / "again", rules, registry))
    assert found.known
    say("the same again, in a process that runs", f"{wall * 1e3:.0f} ms ({cpu * 1e3:.0f} ms CPU)")
    options = ["--contract", contract, "--registry", folder / "reg", "--sign", folder / "v.pem"]
    trust = ["--trust", folder / "trust.json"]
    command = [*DATACHECK, "publish", folder / "again", *options, *trust, "--format", "json"]
    wall, cpu, done = timed(lambda: subprocess.run(command, check=True, capture_output=True))
    assert json.loads(done.stdout)[0]["known"]
    say("the same again, as a command", f"{wall:.2f} s ({cpu:.2f} s CPU), starting Python included")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = Path(name)
        appends(folder, (), "no anchor")
        appends(folder, (folder / "head.json", folder / "anchor.json"), "head.json and an anchor")
        writers(folder, 4)
        hashing(folder)
        known(folder)
        for path in (folder / "reg" / "versions").rglob("*"):
            path.chmod(0o755)
        (folder / "reg" / "versions").chmod(0o755)


if __name__ == "__main__":
    main()
