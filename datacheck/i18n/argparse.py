"""`argparse` that speaks the chosen language, for the commands that read their own words."""

import argparse
from typing import NoReturn

from datacheck.i18n.language import chosen, told


class Parser(argparse.ArgumentParser):
    """A parser whose help and complaints are put into Chinese when they are printed."""

    def format_help(self) -> str:
        """The help; in Chinese where that is the language."""
        if chosen() == "zh":
            self.description, self.epilog = told(self.description or ""), told(self.epilog or "")
            for group in self._action_groups:
                group.title = told(group.title or "")
            for action in self._actions:
                action.help = told(action.help or "")
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and end with exit code 2."""
        self.exit(2, told(f"{self.prog}: {message}; see {self.prog} --help") + "\n")
