"""A record that is not loaded."""


class Rejected(Exception):  # noqa: N818 (a finding about the data, not a fault)
    """The record is bad; `code` names why, see codes.py."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.message = message
