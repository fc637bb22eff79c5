"""What breaks the promises of datacheck/propose."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "the_first_list_is_the_data",
        "of the lists in a document the data are taken",
        "datacheck.propose.sample._rows_inside",
        "worth > best[0]",
        "False",
        "tests/propose/test_propose.py::test_of_the_lists_in_a_document_the_data_are_taken",
    ),
    Sabotage(
        "golds_are_answers_to_learn",
        "a key that holds what is compared with is no answer to learn",
        "datacheck.propose.columns._said_to_be",
        "and not _COMPARED.search(key)",
        "",
        "tests/propose/test_propose.py::test_fits_the_file",
    ),
    Sabotage(
        "what_is_joined_is_displaced",
        "no field is offered that would take the place of what is joined to the prompt",
        "datacheck.propose.contract._became",
        "if beside.is_empty() and",
        "if",
        "tests/propose/test_propose.py::test_what_is_joined_to_the_prompt_is_not_displaced",
    ),
    Sabotage(
        "nulls_that_nobody_reads_are_faults",
        "a null under a key that nobody reads is not proposed to fail",
        "datacheck.propose.schema._rule",
        "if not read:",
        "if False:",
        "tests/propose/test_propose.py::test_numbers_written_as_strings_in_few_rows_are_a_fault",
    ),
    Sabotage(
        "links_say_nothing",
        "a snapshot of a hub's cache says what to name",
        "datacheck.propose.sample.sample_of",
        "require_some(named, found)",
        "None",
        "tests/propose/test_propose.py::test_a_snapshot_of_links_says_what_to_name",
    ),
    Sabotage(
        "limits_of_what_is_not_measured",
        "what `init` writes is a contract that runs",
        "datacheck.propose.checks.item",
        ".promised() &",
        ".metrics.keys() &",
        "tests/cli/test_cli.py::test_init_writes_a_contract_that_runs_as_it_says[contract.yaml]",
    ),
    Sabotage(
        "strangers_wait_for_an_answer",
        "conversations with roles of their own are not taken for prompts",
        "datacheck.propose.contract._contract",
        "and not strange and not",
        "and not",
        "tests/propose/test_propose.py::test_roles_that_nobody_knows_are_no_prompts",
    ),
    Sabotage(
        "splits_are_one_set",
        "a test split beside the training data is what they are compared with",
        "datacheck.propose.splits.splits_of",
        "if TRAIN in named and others else ()",
        "if False else ()",
        "tests/propose/test_splits.py::test_a_question_of_the_test_split_in_training_is_a_leak",
    ),
    Sabotage(
        "a_word_within_a_word_is_a_split",
        "a split is named by a whole word",
        "datacheck.propose.splits._split",
        "found = {_KNOWN[word] for word in _BORDER.split(name.lower()) if word in _KNOWN}",
        "found = {split for word, split in _KNOWN.items() if word in name.lower()}",
        "tests/propose/test_splits.py::test_what_is_not_clearly_made_of_splits_is_one_set",
    ),
)
