"""Start training only on data that passed: `datacheck exec`, `datacheck verify`, `datacheck.require_passed`.

Needs the standard library and `cryptography` only, and nothing that a trainer could pin differently: it works from a
`--no-deps` install in a bare image, also as `python -m datacheck.gate.guard exec …`.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from datacheck.errors import DatacheckError, UsageError, crash, reason_of
from datacheck.files.versions import amount, shown
from datacheck.gate.trust import Trust, read_trust
from datacheck.gate.verify import LedgerHead, Standing, Verified, verify
from datacheck.i18n.command_line import Parser, chosen
from datacheck.i18n.message import Message

_RESULTS = {"PASSED": Message("PASSED"), "WARNED": Message("WARNED")}
_PROGRAM = (__package__ or "datacheck").partition(".")[0].replace("_", "-")  # or datacheck-guard, in its own wheel
PASSED = "DATACHECK_PASSED"  # JSON: path → version id of what the launcher verified


def require_passed(
    path: str | os.PathLike[str],
    *,
    trust: str | os.PathLike[str] | None = None,
    contract: str | None = None,
    strict: bool = False,
    trust_launcher: bool = False,
    ledger_head: LedgerHead | None = None,
) -> Verified:
    """Return only if the version at `path` was validated, passed and is unchanged; the notices go to standard error.

    Args:
        path: the version, a folder or a file.
        trust: file of trusted keys; else $DATACHECK_TRUST, else ~/.config/datacheck/trust.json.
        contract: digest of the only contract that counts.
        strict: refuse warnings too.
        trust_launcher: in the ranks of `datacheck exec`: believe $DATACHECK_PASSED that the data was hashed. Whoever
            can set the variable can then change the data; signature, manifest and names are verified even so.
        ledger_head: asks a ledger about newer verdicts; by default that of the registry that
            $DATACHECK_REGISTRY names, else of the one around `path`.

    Raises:
        RefusedError: FailedError, NotValidatedError, TamperedError, WaiverError or UnknownKeyError.

    """
    place = _path(path)
    known = launched().get(str(place.resolve())) if trust_launcher else None
    keys = read_trust(trust)
    found = verify(
        place,
        keys,
        contract=contract,
        strict=strict,
        ledger_head=ledger_head or partial(in_reach, trust=keys),
        hashed=known,
    )
    _tell(found.notices, found, chosen((), os.environ))
    return found


def _path(named: str | os.PathLike[str]) -> Path:
    """The path of a version; an empty one, as of a variable that is not set, would be the folder that one is in."""
    if not os.fspath(named):
        raise UsageError("expected the path of a version; it is empty (a variable that is not set?)")
    return Path(named)


def in_reach(path: Path, number: str, trust: Trust | None = None) -> Standing | None:
    """What a ledger or a checkpoint in reach says of a version; None where there is none, or Python has no SQLite."""
    try:
        from datacheck.gate.standing import standing
    except ImportError:
        return None
    return standing(path, number, trust)


def launched() -> dict[str, str]:
    """What `datacheck exec` says to have verified before it started this process: path → version id."""
    try:
        value = json.loads(os.environ.get(PASSED, "{}"))
    except ValueError:
        return {}
    return {str(path): str(number) for path, number in value.items()} if isinstance(value, dict) else {}


def _tell(lines: Sequence[Message], found: Verified, lang: str) -> None:
    for line in lines:
        _say(Message("datacheck: {path}: {what}", path=shown(found.path), what=line), lang)


def _say(message: Message, lang: str) -> None:
    sys.stderr.write(f"{message.said(lang)}\n")


# --- the commands ---


def main(arguments: Sequence[str]) -> int:
    """`exec …` or `verify …`; returns the exit code, unless the process has become the command."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    lang = chosen(arguments, os.environ)
    try:
        return _run(list(arguments), lang)
    except KeyboardInterrupt:
        return 130
    except DatacheckError as error:
        with suppress(OSError):  # standard error can be full: the exit code still says it
            _say(error.message, lang)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - whatever goes wrong, nothing starts
        with suppress(OSError):
            _say(crash(error), lang)
        return DatacheckError.exit_code


def _run(arguments: list[str], lang: str) -> int:
    if arguments[:1] == ["exec"]:
        _exec(arguments[1:], lang)
    if arguments[:1] == ["verify"]:
        return _verify(arguments[1:], lang)
    raise UsageError("expected: exec --require-pass PATH -- COMMAND, or: verify PATH")


def _parser(command: str, lang: str, **about: str) -> Parser:
    parser = Parser(f"{_PROGRAM} {command}", lang=lang, allow_abbrev=False, **about)
    parser.add_argument("--trust", metavar="FILE", help="trusted keys (default: $DATACHECK_TRUST)")
    parser.add_argument("--contract", metavar="SHA256", help="the only contract that counts, by its digest")
    parser.add_argument("--strict", action="store_true", help="refuse warnings too")
    return parser


def _exec(arguments: list[str], lang: str) -> NoReturn:
    """Verify every path, then become the command: its exit code and its signals are those of this process."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = _parser(
        "exec",
        lang,
        description="Start COMMAND only if every PATH passed and is unchanged.",
        epilog="Exit code: 10 failed, 11 never validated, 12 tampered, 13 waiver, 14 unknown key or contract; "
        "else that of COMMAND (126, 127: it cannot be started).",
    )
    parser.usage = f"{_PROGRAM} exec --require-pass PATH [--require-pass PATH] [options] -- COMMAND [ARGUMENTS]"
    parser.add_argument("--require-pass", metavar="PATH", action="append", required=True, help="version of data")
    given = parser.parse_args(arguments[:at])
    command = arguments[at + 1 :]
    if not command:
        raise UsageError("datacheck exec: no command; expected -- COMMAND after the options")
    keys = read_trust(given.trust)
    found = [_one(path, keys, given, lang) for path in given.require_pass]
    os.environ[PASSED] = json.dumps({str(one.path): one.version for one in found})
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvp(command[0], command)  # noqa: S606 - what the user asked for, without a shell
    except OSError as error:
        what = "datacheck exec: {command}: {reason}; expected a command on PATH"
        _say(Message(what, command=shown(command[0]), reason=reason_of(error)), lang)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def _verify(arguments: list[str], lang: str) -> int:
    parser = _parser(
        "verify",
        lang,
        description="Say whether PATH was validated, passed and is unchanged.",
        epilog="Exit code: 10 failed, 11 never validated, 12 tampered, 13 waiver, 14 unknown key or contract.",
    )
    parser.add_argument("path", metavar="PATH", help="version of data")
    parser.add_argument("--report", metavar="DIR", type=Path, help="this report folder must be that of the verdict")
    given = parser.parse_args(arguments)
    _one(given.path, read_trust(given.trust), given, lang, report=given.report)
    return 0


def _one(named: str, keys: Trust, given: argparse.Namespace, lang: str, report: Path | None = None) -> Verified:
    path = _path(named)
    start = time.monotonic()
    ledger_head = partial(in_reach, trust=keys)
    found = verify(path, keys, contract=given.contract, strict=given.strict, report=report, ledger_head=ledger_head)
    seconds = time.monotonic() - start
    line = Message(
        "{result}, {amount}, {version}, verified in {seconds:.1f} s",
        result=Message("FAILED, but waived") if found.waived else _RESULTS[found.result],
        amount=amount(found.files, found.bytes),
        version=found.version,
        seconds=seconds,
    )
    _tell([line, *found.notices], found, lang)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
