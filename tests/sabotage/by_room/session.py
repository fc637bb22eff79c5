"""What breaks the promises of datacheck/session."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "suppressed_secrets",
        "no decision hides secrets or a red line",
        "datacheck.session.decided._why_not",
        "return _GUARDS if guards else None",
        "return None",
        "tests/gate/test_decisions.py::test_secrets_and_red_lines_are_never_hidden[red line]",
    ),
    Sabotage(
        "allowed_secrets",
        "no decision lets a secret stay",
        "datacheck.session.decided._why_not",
        "decision.entity in SECRETS",
        "False",
        "tests/gate/test_decisions.py::test_secrets_and_red_lines_are_never_hidden[allowed secret]",
    ),
    Sabotage(
        "decisions_never_expire",
        "decisions expire",
        "datacheck.session.decided._why_idle",
        "decision.expired(day)",
        "False",
        "tests/gate/test_decisions.py::test_an_expired_one_does_not_apply",
    ),
    Sabotage(
        "decisions_outside_the_question",
        "what was decided is part of what a verdict answers",
        "datacheck.session.decided.decide",
        "{**contract.inputs, DECISIONS: digest}",
        "contract.inputs",
        "tests/registry/test_rescan.py::test_decisions_are_part_of_the_question_until_they_expire",
    ),
    Sabotage(
        "contracts_name_no_trainer",
        "the version of the trainer that a contract names is in the verdict",
        "datacheck.session.session.trainers_of",
        "tuple(sorted(named))",
        "()",
        "tests/gate/test_checkpoint.py::test_the_installed_trainer_is_the_one_that_the_contract_names[None-1.18.0-14]",
    ),
    Sabotage(
        "kept_index_signed",
        "what is signed is measured anew",
        "datacheck.session.session.Session.__init__",
        "options.sign is None and not options.whole",
        "True",
        "tests/engine/test_kept.py::test_a_run_whose_verdict_another_process_signs_looks_nowhere",
    ),
    Sabotage(
        "a_table_is_quoted",
        "an error about a table in memory quotes no row",
        "datacheck.session.tables._written",
        "failed = True",
        "raise",
        "tests/session/test_tables.py::test_a_column_that_cannot_be_written_quotes_nothing",
    ),
    Sabotage(
        "decisions_end_at_a_waiver",
        "one file of decisions waives and suppresses, in any order",
        "datacheck.session.decided.decide",
        "if isinstance(each, Waiver):\n            continue",
        "if isinstance(each, Waiver):\n            break",
        "tests/gate/test_decisions.py::test_one_file_waives_too",
    ),
)
