"""ms-swift: what its preprocessor and its encoder do to a row, each rule with the place in its source."""

from collections.abc import Mapping

from datacheck.trainers.base import Rule, Upstream

UPSTREAM = Upstream("modelscope/ms-swift", "3602360a562313afbf2ef6065fdf61f271a2c5b9", "swift/")
_rule = UPSTREAM.rule
_CORE, _BASE = "dataset/preprocessor/core.py:", "template/base.py:"
RULES: Mapping[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", "dataset/loader.py:58",
        "write one JSON object per record"),
    "strict_stop": _rule("fails", "strict is true, and the row would be deleted",
        _CORE + "200", "mend the row, or let it be deleted (strict: false)"),
    "no_messages": _rule("dropped", "messages are missing, empty or text that is no list", _CORE + "641",
        "write messages as a list", silent=True),
    "text_not_literal": _rule("dropped", "messages or history are text that is no Python literal (JSON with true, "
        "false or null is none)",
        _CORE + "434",
        "store lists as lists, not as text"),
    "message_malformed": _rule("dropped", "a message is no object with role and content, or user and assistant",
        _CORE + "81", "write role and content in every message"),
    "unknown_role": _rule("dropped", "a role is none of system, user, assistant, tool, tool_call, tool_response",
        _CORE + "83", "rename the role"),
    "content_null": _rule("dropped", "a message has no content", _CORE + "84",
        "write the content; calls belong into tool_calls or a tool_call message"),
    "tool_calls_malformed": _rule("dropped", "tool_calls is no list of calls with a name",
        "template/template_inputs.py:41", "write OpenAI's form"),
    "content_part_unknown": _rule("dropped", "a part of a content is none that the loader knows", _CORE + "602",
        "write text, image, tool_use or tool_result parts"),
    "history_malformed": _rule("dropped", "history is no list of pairs",
        "template/utils.py:192",
        "write history as [[query, response], …]"),
    "query_not_text": _rule("dropped", "instruction and input are both no text",
        _CORE + "419", "write them as text"),
    "no_text": _rule("dropped", "neither query nor response, nor history",
        _CORE + "73", "name the columns query and response, or messages"),
    "response_empty_list": _rule("dropped", "the response is an empty list", _CORE + "399",
        "write the answer"),
    "first_of_several": _rule("changed", "the response is a list: the first of them is trained", _CORE + "399",
        "write one row per answer", silent=True),
    "rejected_missing": _rule("dropped", "rejected_response is null (other rows have one)", _CORE + "116",
        "drop the row, or take the column out for SFT"),
    "rejected_equal": _rule("dropped", "rejected_response equals the last message",
        _CORE + "116", "drop the pair"),
    "objects_malformed": _rule("dropped", "objects has no bbox of 2 or 4 numbers",
        _CORE + "167", "write ref and bbox"),
    "media_twice": _rule("dropped", "images stand in the parts of contents and in a column",
        _CORE + "647", "keep one of them"),
    "not_loadable": _rule("dropped", "the loader stumbles over the row's types", _CORE + "197",
        "compare the row with one that is kept"),
    "keys_removed": _rule("changed", "keys of a message other than role, content, loss and loss_scale are taken away",
        _CORE + "78", "nothing, if you do not need them",
        silent=True),
    "system_in_middle": _rule("dropped", "a system message that is not the first: the encoder refuses, and another row "
        "is drawn instead", _BASE + "1369", "move it to the front"),
    "no_answer": _rule("masked", "the conversation ends without an answer: nothing of its last turn is trained",
        _BASE + "1183", "cut it after the last answer", silent=True),
    "message_masked": _rule("masked", "a message has loss false", "loss_scale/base.py:98",
        "leave it out to train the message"),
    "no_rejected": _rule("dropped", "no rejected answer: the encoder refuses, and another row is drawn instead",
        _BASE + "536", "write rejected_response or rejected_messages"),
    "not_encodable": _rule("dropped", "the encoder stumbles over the row's types: another row is drawn instead",
        "dataset/utils.py:95", "compare the row with one that is kept"),
    "label_missing": _rule("changed", "the label is null or missing: it counts as undesirable",
        _BASE + "552", "write true or false", silent=True),
    "too_long": _rule("dropped", "more tokens than max_length: another row is drawn instead", _BASE + "1502",
        "raise max_length", silent=True),
    "too_long_cut": _rule("truncated", "more tokens than max_length", _BASE + "1498",
        "raise max_length", silent=True),
}  # fmt: skip
# Rules of the encoder: the loader itself keeps these rows.
ENCODER = frozenset({"system_in_middle", "no_rejected", "not_encodable"})
