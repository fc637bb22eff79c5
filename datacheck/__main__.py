"""`python -m datacheck`, and the console script. What guards training needs nothing installed."""

import gc
import os
import sys


def main() -> None:
    """Run the command line; `exec` and `verify` need the standard library and `cryptography` only."""
    if sys.platform == "win32":
        sys.exit(_on_windows())
    if sys.argv[1:2] in (["exec"], ["verify"]):
        from datacheck.gate.guard import main as guard

        sys.exit(guard(sys.argv[1:]))
    # Imports and tables make many objects and few cycles: most runs end before a million. What stays up collects them.
    gc.set_threshold(50_000 if sys.argv[1:2] in (["serve"], ["watch"]) else 1_000_000, 50, 100)
    from datacheck.cli.main import main as cli
    from datacheck.cli.main import with_command
    from datacheck.cli.watched import watched

    sys.argv[1:] = with_command(sys.argv[1:])
    if sys.argv[1:2] in (["run"], ["audit"], ["init"]) and "--help" not in sys.argv:
        watched(cli)
    else:
        cli()


def _on_windows() -> int:
    """Say at once what would otherwise be found out at the first file: locks, permissions and signals are of Unix."""
    from datacheck.i18n.command_line import chosen
    from datacheck.i18n.message import Message

    said = Message("datacheck runs on Linux (and was written for macOS); on Windows use WSL: wsl --install")
    sys.stderr.write(said.said(chosen(sys.argv[1:], os.environ)) + "\n")
    return 2


if __name__ == "__main__":
    main()
