"""`datacheck-guard exec …` and `datacheck-guard verify …`, also as `python -m datacheck_guard`."""

import sys

from datacheck_guard.gate.guard import main


def run() -> None:
    """End with the exit code of the guard, or become the command."""
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
