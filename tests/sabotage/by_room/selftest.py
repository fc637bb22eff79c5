"""What breaks the promises of datacheck/selftest."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "selftest_forgives_a_miss",
        "selftest ends with 1 where a check misses what it looks for",
        "datacheck.selftest.run.Selftest.exit_code",
        '"not_found", "error",',
        '"error",',
        "tests/selftest/test_selftest.py::test_a_check_that_misses_its_faults_is_told_first",
    ),
    Sabotage(
        "selftest_takes_any_place",
        "a planted fault counts as placed only where it stands",
        "datacheck.selftest.run._found",
        "any(not where or",
        "any(True or",
        "tests/selftest/test_selftest.py::test_a_finding_that_points_elsewhere_is_not_at_its_place",
    ),
    Sabotage(
        "selftest_counts_what_was_there",
        "a fault is planted only where its check finds nothing so far",
        "datacheck.selftest.run._Field.spots",
        "row + 1 in flagged",
        "row < 0",
        "tests/selftest/test_selftest.py::test_what_is_wrong_anyway_is_not_taken_for_found",
    ),
    Sabotage(
        "selftest_hides_what_nobody_looks_for",
        "selftest tells which faults no check of the contract looks for",
        "datacheck.selftest.run._Field.unseen",
        "fault.check not in self.checks and",
        "False and",
        "tests/selftest/test_selftest.py::test_without_leakage_leaks_would_pass",
    ),
    Sabotage(
        "no_row_is_copied",
        "selftest plants copies of other rows",
        "datacheck.selftest.run._Field.__init__",
        "max(1, len(rows) // 4) if len(rows) > 1 else 0",
        "0",
        "tests/selftest/test_selftest.py::test_copies_of_other_rows_are_planted",
    ),
)
