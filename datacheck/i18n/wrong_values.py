"""What pydantic finds wrong with a value, as a sentence of ours."""

from collections.abc import Mapping
from typing import Any

from datacheck.i18n.message import Message, SaidError

# What a mistake of the usual kinds should have been, in plainer words than pydantic's; holes are named as its context.
_FORMS: Mapping[str, Message] = {
    "string_pattern_mismatch name": Message("expected letters, digits, _ - . (at most 80)"),
    "string_pattern_mismatch sha256": Message("expected 64 hexadecimal digits in lower case"),
    "string_pattern_mismatch": Message("expected a text of the form {pattern}"),
    "string_too_short": Message.plural("expected {n} character or more", "expected {n} characters or more", 0),
    "string_too_long": Message.plural("expected {n} character at most", "expected {n} characters at most", 0),
    "too_short": Message.plural("expected {n} item or more", "expected {n} items or more", 0),
    "too_long": Message.plural("expected {n} item at most", "expected {n} items at most", 0),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), Message("expected a map (key: value)")),
    **dict.fromkeys(("tuple_type", "list_type"), Message("expected a list")),
    "string_type": Message('expected a string, as "text"'),
    **dict.fromkeys(("bool_parsing", "bool_type"), Message("expected true or false")),
    **dict.fromkeys(("float_parsing", "float_type"), Message("expected a number")),
    "finite_number": Message("expected a finite number"),
    **dict.fromkeys(
        ("int_parsing", "int_type", "int_from_float", "int_parsing_size"), Message("expected a whole number")
    ),
    **dict.fromkeys(
        ("date_type", "date_parsing", "date_from_datetime_parsing"), Message("expected a day as 2026-12-31")
    ),
    "greater_than": Message("expected more than {gt}"),
    "greater_than_equal": Message("expected {ge} or more"),
    "less_than": Message("expected less than {lt}"),
    "less_than_equal": Message("expected {le} at most"),
    **dict.fromkeys(("literal_error", "enum"), Message("expected one of {expected}")),
    "union_tag_invalid": Message("'{tag}' is none of {expected_tags}"),
}


def wrong_value(error: Any, last: str | int = "") -> Message:
    """What pydantic found wrong, as a sentence of ours; `last` is the name of the setting where it was found."""
    context = {name: _number(value) for name, value in error.get("ctx", {}).items()}
    cause = context.pop("error", None)
    if isinstance(cause, SaidError):
        return cause.message
    if hasattr(cause, "said"):  # of datacheck.pii, which knows no Message
        return Message(cause.said[0], **cause.said[1])
    if "expected" in context:
        context["expected"] = context["expected"].replace(" or ", ", ")
    known = _FORMS.get(f"{error['type']} {last}") or _FORMS.get(error["type"])
    if known is None:  # of a check of the user's own, or of a kind that no check of ours has
        said = error["msg"].removeprefix("Value error, ")
        return Message("{said}", said=said[:1].lower() + said[1:])
    if known.many:
        return Message.plural(known.id, known.many, context.get("min_length", context.get("max_length", 0)))
    return Message(known.id, **context) if "{" in known.id else known


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
