"""A run as the command line makes it: with a bar while it goes on, and its report on standard output."""
# As in main.py: what is heavy is imported where it is used.

import os
import sys
from typing import TYPE_CHECKING, Literal

from datacheck.cli.options import screen, steps_told
from datacheck.interrupts import InterruptedRunError, ignore_signals

if TYPE_CHECKING:
    from datacheck.i18n.words import Lang
    from datacheck.session.options import Options
    from datacheck.session.session import Session
    from datacheck.verdict.model import Report

# How data is shown; findings of personal data are masked in every mode.
Excerpts = Literal["redacted", "masked", "full"]
# What is printed on standard output; only a verdict can annotate.
OutputFormat = Literal["text", "json", "github"]


def execute(session: "Session", lang: "Lang", *, quiet: bool) -> InterruptedRunError | None:
    """Run the plan. Afterwards signals are ignored: what is left is to write down what was found."""
    stopped = None
    try:
        with steps_told(lang, quiet=quiet) as tell:
            session.run(tell)
    except InterruptedRunError as stop:
        stopped = stop
    ignore_signals()
    return stopped


def show(report: "Report", session: "Session", options: "Options", fmt: OutputFormat, *, quiet: bool) -> None:
    """Print the report, in the form that was asked for."""
    if quiet:
        return
    if fmt == "json":
        sys.stdout.write(report.to_json())
    elif fmt == "github":
        from datacheck.report.github import github_lines

        roots = {name: os.path.relpath(dataset.path) for name, dataset in session.contract.datasets.items()}
        sys.stdout.writelines(line + "\n" for line in github_lines(report, options.lang, roots))
    else:
        from datacheck.report.terminal import print_report

        print_report(report, screen(), options.lang, folder=str(options.out))
