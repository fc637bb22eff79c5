"""What the command line says, and in which language: that of --lang, else of the locale. It is decided here only."""

import os
import sys
from typing import TYPE_CHECKING, Any, cast

import typer

from datacheck.errors import UsageError
from datacheck.i18n.command_line import chosen
from datacheck.i18n.message import Message, Quoted, catalogue, ids, languages

if TYPE_CHECKING:
    from datacheck.i18n.words import Lang

_PRINTED = ids(
    "Arguments",
    "Options",
    "Commands",
    "[default: {}]",
    "[env var: {}]",
    "[required]",
    "Show this message and exit.",
    "Install completion for the current shell.",
    "Show completion for the current shell, to copy it or customize the installation.",
)
# What typer finds wrong, begun with a small letter.
_WRONG = Quoted(
    "no such option: {option} (Possible options: {known})",
    "no such option: {option}",
    "no such command {command}. Did you mean {near}?",
    "no such command {command}",
    "missing command",
    "missing argument {name}",
    "missing option {name}",
    "option {option} requires an argument",
    "option {option} does not take a value",
    "got unexpected extra argument ({words})",
    "got unexpected extra arguments ({words})",
    "invalid value for {name}: {what}",
    "{given} is not one of {known}",
    "{given} does not match the formats {known}",
    "{given} does not match the format {known}",
    "input should be greater than or equal to {ge}",
    "input should be less than or equal to {le}",
    "input should be a valid integer, unable to parse string as an integer",
    "input should be a valid number, unable to parse string as a number",
)
# Of these, what pydantic says of a value stands behind typer's words; ours are plainer.
_PLAINER = {
    "input should be greater than or equal to {ge}": "expected {ge} or more",
    "input should be less than or equal to {le}": "expected {le} at most",
    "input should be a valid integer, unable to parse string as an integer": "expected a whole number",
    "input should be a valid number, unable to parse string as a number": "expected a number",
}


def language(given: str = "") -> "Lang":
    """The language of an option --lang, or of this process where it was not given. Raises UsageError."""
    if given and given not in languages():
        raise UsageError("--lang {given}: expected one of {known}", given=given, known=", ".join(languages()))
    return cast("Lang", given or chosen(sys.argv[1:], os.environ))


def say(message: Message, *, err: bool = False) -> None:
    """Print a sentence."""
    typer.echo(message.said(language()), err=err)


def wrong(said: str) -> Message:
    """What typer found wrong with a command, as a sentence of ours."""
    message = _WRONG.of(said[:1].lower() + said[1:])
    if "what" in message.params:
        return Message(message.id, **{**message.params, "what": wrong(str(message.params["what"]))})
    return Message(_PLAINER.get(message.id, message.id), **message.params)


def translate(command: Any, lang: str) -> None:
    """Put the help of a command of typer, and of those below it, into a language; also what typer prints around it."""
    from typer import rich_utils  # where help is printed, it is needed anyway

    gettext = catalogue(lang).gettext
    for name, said in list(vars(rich_utils).items()):
        if said in _PRINTED and name.isupper():
            setattr(rich_utils, name, gettext(said))
    _translate(command, gettext)


def _translate(command: Any, gettext: Any) -> None:
    command.help = command.help and gettext(command.help)
    with command.context_class(command) as context:
        for option in command.get_params(context):
            for text in ("help", "show_default"):
                said = getattr(option, text, None)
                if said and isinstance(said, str):
                    setattr(option, text, gettext(said))
    for below in getattr(command, "commands", {}).values():
        _translate(below, gettext)
