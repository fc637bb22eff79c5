"""TRL: what its trainers do to a row, each rule with the place in its source."""

from collections.abc import Mapping

from datacheck.trainers.base import Rule, Upstream

UPSTREAM = Upstream("huggingface/trl", "f2cd57710ae345ea6428ae95363267fcf38a3dc8", "trl/")
_rule = UPSTREAM.rule

_COMMON: Mapping[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", "trainer/sft_trainer.py:1422",
        "write one JSON object per record"),
    "empty_messages": _rule("fails", "a list of messages is empty (IndexError, or the template refuses it; which list "
        "is looked at differs from run to run)",
        "data_utils.py:193", "drop the row"),
    "message_not_object": _rule("fails", "a message is no object", "data_utils.py:429",
        "write messages as objects with role and content"),
    "mixed_kinds": _rule("fails", "prompt and answer are not both text or both messages", "trainer/dpo_trainer.py:1033",
        "write both as messages, or both as text"),
    "tools_malformed": _rule("fails", "tools are no JSON list of objects",
        "trainer/sft_trainer.py:1459", "write a list of JSON schemas, as JSON or as JSON text"),
    "template_kwargs_malformed": _rule("fails", "chat_template_kwargs is no object (null where other records have one)",
        "trainer/sft_trainer.py:1463",
        "write {} in the rows that need none"),
    "foreign_role": _rule("kept", "a role that templates do not know is handed on as it is (from/value is renamed to "
        "role/content, human and gpt are not)",
        "data_utils.py:1013", "rename roles to system, user, assistant, tool", silent=True),
    "role_missing": _rule("kept", "a message has no role; what the template makes of it differs", "data_utils.py:429",
        "give every message a role and a content",
        silent=True),
}  # fmt: skip

SFT_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "no_known_column": _rule("fails", "neither messages, nor prompt and completion, nor the text column (KeyError)",
        "trainer/sft_trainer.py:1518",
        "name the column `messages` (with role and content), `text`, or prompt and completion"),
    "text_expected": _rule("fails", "the text or the completion is no string",
        "trainer/sft_trainer.py:1440", "write a string; in mixed data fill nulls or split the file"),
    "no_completion": _rule("fails", "a prompt without a completion column",
        "trainer/sft_trainer.py:1476", "add the completion, or name the whole text `text`"),
    "no_assistant_token": _rule("fails", "assistant_only_loss, and no assistant message in the row",
        "trainer/sft_trainer.py:1523", "drop the row"),
    "not_conversational": _rule("fails", "assistant_only_loss needs conversations",
        "trainer/sft_trainer.py:1220", "write messages, or turn it off"),
    "user_words_trained": _rule("kept", "assistant_only_loss is off: the loss is also on what the user says",
        "trainer/sft_trainer.py:1548",
        "set assistant_only_loss: true", silent=True),
    "too_long": _rule("truncated", "more tokens than max_length", "trainer/sft_trainer.py:1576",
        "raise max_length (1024 by default), or split the row", silent=True),
    "fully_masked": _rule("dropped", "after truncation no trained token is left",
        "trainer/sft_trainer.py:1597", "raise max_length", silent=True),
}  # fmt: skip

DPO_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "missing_column": _rule("fails", "chosen or rejected is in no record (KeyError)", "data_utils.py:632",
        "name the columns chosen and rejected"),
    "text_expected": _rule("fails", "chosen, rejected or prompt is neither text nor messages",
        "trainer/dpo_trainer.py:1007", "write text or messages"),
    "nothing_shared": _rule("fails", "without a prompt column: chosen and rejected share no first message",
        "data_utils.py:638", "add a prompt column"),
    "prompt_fills": _rule("dropped", "the prompt alone fills max_length",
        "trainer/dpo_trainer.py:1079", "raise max_length", silent=True),
    "too_long": _rule("truncated", "more tokens than max_length: the answers lose their ends",
        "trainer/dpo_trainer.py:161", "raise max_length", silent=True),
}  # fmt: skip

REWARD_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "missing_column": _rule("fails", "chosen or rejected is in no record (KeyError)", "trainer/reward_trainer.py:648",
        "name the columns so"),
    "text_expected": _rule("fails", "chosen, rejected or prompt is neither text nor messages",
        "trainer/reward_trainer.py:648", "write text or messages"),
    "too_long": _rule("dropped", "chosen or rejected has more tokens than max_length", "trainer/reward_trainer.py:698",
        "raise max_length", silent=True),
}  # fmt: skip

KTO_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "missing_column": _rule("fails", "prompt and completion, or chosen and rejected, are in no record",
        "trainer/kto_trainer.py:1042", "name the columns so"),
    "text_expected": _rule("fails", "prompt or completion is neither text nor messages", "trainer/kto_trainer.py:1042",
        "write text or messages"),
    "nothing_shared": _rule("fails", "without a prompt column: chosen and rejected share no first message",
        "data_utils.py:638", "add a prompt column"),
    "no_label": _rule("fails", "the label is missing or neither true, false nor a number",
        "trainer/kto_trainer.py:1115", "write true or false"),
    "label_not_bool": _rule("changed", "the label is a number: what is not 0 counts as desirable, and as much as its "
        "value in the balance", "trainer/kto_trainer.py:1518",
        "write true or false", silent=True),
    "prompt_fills": _rule("dropped", "the prompt alone fills max_length",
        "trainer/kto_trainer.py:1094", "raise max_length", silent=True),
    "too_long": _rule("truncated", "more tokens than max_length: the answer loses its end",
        "trainer/kto_trainer.py:180", "raise max_length", silent=True),
}  # fmt: skip

GRPO_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "missing_column": _rule("fails", "no prompt column (KeyError)",
        "trainer/grpo_trainer.py:2274", "name the column prompt"),
    "text_expected": _rule("fails", "the prompt is neither text nor messages",
        "trainer/grpo_trainer.py:1779", "write text or messages"),
    "content_missing": _rule("fails", "a message of the prompt has no content (KeyError)",
        "trainer/grpo_trainer.py:1718", "give every message a content"),
    "mixed_prompts": _rule("fails", "some prompts are text and some messages: a batch that has both stops the run",
        "trainer/grpo_trainer.py:1707",
        "write all in one form"),
}  # fmt: skip
