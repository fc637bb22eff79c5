"""What breaks the promises of datacheck/chat."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "every_answer_is_ended",
        "an answer to which the trainer adds no end token is told",
        "datacheck.chat.rendering._plain",
        "ends = conversation.ended and",
        "ends =",
        "tests/checks/test_loss_mask_errors.py::test_a_trainer_that_adds_no_end_token",
    ),
    Sabotage(
        "turns_always_fit",
        "messages that fit no whole one by one are told",
        "datacheck.chat.turns.Turned.differs",
        "if self.ids == list(whole):",
        "if True:",
        "tests/chat/test_turns.py::test_results_of_tools_that_the_template_puts_together",
    ),
    Sabotage(
        "ranks_in_the_order_of_the_file",
        "ranks are put together as tiktoken does, the lowest rank first",
        "datacheck.chat.ranks._bpe",
        "in sorted(merges)",
        "in merges[::-1]",
        "tests/chat/test_native_tokenizers.py::test_tekken",
    ),
    Sabotage(
        "pieces_by_id",
        "pieces of SentencePiece are put together by their scores",
        "datacheck.chat.sentencepiece._by_score",
        "(-score, number)",
        "(score, number)",
        "tests/chat/test_native_tokenizers.py::test_sentencepiece[bpe-none]",
    ),
    Sabotage(
        "answers_are_not_apart",
        "LLaMA-Factory and ms-swift tokenize an answer apart from what is around it",
        "datacheck.chat.encodings.texts_of",
        "if run.pieces",
        "if not run",
        "tests/trainers/test_twin_tokens.py::test_answers_are_tokenized_apart",
    ),
    Sabotage(
        "late_end_is_forgotten",
        "with efficient_eos the end token is the label of the next question's first token",
        "datacheck.chat.samples._own_sample",
        "if late and eos is not None",
        "if not late and eos is not None",
        "tests/trainers/test_own_templates.py::test_an_end_that_comes_late_is_the_label_of_the_next_question",
    ),
    Sabotage(
        "no_token_is_spared",
        "OpenRLHF leaves a row out whose prompt leaves no more than two tokens",
        "datacheck.chat.samples._cut_sample",
        "run.max_length - len(asked) <= run.spare",
        "run.max_length - len(asked) < run.spare",
        "tests/trainers/test_twin_tokens.py::test_openrlhf_leaves_out_a_prompt_that_leaves_two_tokens",
    ),
    Sabotage(
        "cut_out_without_a_word",
        "a prompt that is no prefix of the whole is told where OpenRLHF cuts by its length",
        "datacheck.chat.rendering._from_replies",
        "not reply.text.startswith(prompted)",
        "False",
        "tests/trainers/test_twin_tokens.py::test_a_template_that_forgets_thoughts_moves_the_cut_of_openrlhf",
    ),
    Sabotage(
        "completions_begin_behind_the_prompt",
        "TRL's completions begin where the tokens of prompt and whole part",
        "datacheck.chat.samples._boundary",
        'if run.boundary == "prompt":',
        "if run.boundary:",
        "tests/trainers/test_trl_tokens.py::test_a_completion_begins_where_both_part",
    ),
)
