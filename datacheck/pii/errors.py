"""Errors of the PII package. They carry no text."""


class PiiTimeout(Exception):
    """A pattern took too long: the result would be incomplete, so there is none."""

    def __init__(self, rule: str, characters: int, seconds: float) -> None:
        self.rule = rule
        super().__init__(f"rule {rule}: no end within {seconds:g} s on a text of {characters} characters")
