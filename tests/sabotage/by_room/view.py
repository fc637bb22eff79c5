"""What breaks the promises of datacheck/view."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "view_asks_no_token",
        "no user without the token sees the page",
        "datacheck.view.access.Access._is_let_in",
        "not hmac.compare_digest(given.encode(), self._secret.encode())",
        "False",
        "tests/view/test_access.py::test_a_second_user_without_the_token_is_refused_everywhere",
    ),
    Sabotage(
        "view_token_works_again",
        "the token of the page is exchanged once",
        "datacheck.view.access.Access._exchanges",
        "fits and not self._used",
        "fits",
        "tests/view/test_access.py::test_the_token_is_exchanged_once",
    ),
    Sabotage(
        "view_takes_any_host",
        "the page answers under its own names only",
        "datacheck.view.access.Access._host_is_ours",
        "in ([host] for host in self._hosts)",
        "is not None",
        "tests/view/test_access.py::test_another_name_of_this_host_is_refused",
    ),
    Sabotage(
        "view_takes_forms_of_others",
        "marks are taken from its own page only",
        "datacheck.view.access.Access._is_let_in",
        '("GET", "HEAD")',
        '("GET", "HEAD", "POST")',
        "tests/view/test_access.py::test_a_form_of_another_page_marks_nothing",
    ),
    Sabotage(
        "view_shows_rows_unmasked",
        "whole rows are masked unless they are asked for in full",
        "datacheck.view.rows._parts",
        "excerpt(text, mode, _EACH)",
        'excerpt(text, "full", _EACH)',
        "tests/view/test_view.py::test_whole_rows_are_masked_and_open_only_where_asked",
    ),
    Sabotage(
        "view_shows_changed_data",
        "rows are shown of the very data that was judged",
        "datacheck.view.rows.WholeRows._require_unchanged",
        "!= listed.sha256",
        '== ""',
        "tests/view/test_view.py::test_changed_or_missing_data_is_told_and_not_shown",
    ),
)
