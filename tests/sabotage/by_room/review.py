"""What breaks the promises of datacheck/review."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "drafts_of_any_report",
        "drafts of decisions are for the report of the verdict",
        "datacheck.review.marks.to_waive",
        "drafts.report != report",
        "False",
        "tests/gate/test_waivers.py::test_drafts_are_for_the_report_of_the_verdict",
    ),
)
