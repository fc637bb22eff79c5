"""What breaks the promises of datacheck/cli."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "a_checkout_runs_old_flows",
        "in a checkout the commands run the flows of the tree",
        "datacheck.cli.flows._flows",
        '("flows", "datacheck_flows") if checkout',
        '("datacheck_flows", "flows") if checkout',
        "tests/cli/test_flows_of_the_tree.py::test_a_checkout_runs_its_own_flows",
    ),
    Sabotage(
        "an_option_over_the_file",
        "what the file of channels says, no option says otherwise",
        "datacheck.cli.registry._rules",
        "if value and",
        "if False and",
        "tests/registry/test_channels.py::test_what_the_file_says_no_option_says_otherwise",
    ),
    Sabotage(
        "explain_gives_no_reason",
        "`datacheck explain` says why default limits are what they are",
        "datacheck.cli.explain._reasons",
        "if section else",
        "if False else",
        "tests/end_to_end/test_every_check.py::test_reasons_stand_beside_their_limits_in_explain_and_in_the_report[pii]",
    ),
    Sabotage(
        "wide_cells_are_cut",
        "a page on a terminal shows every word of its tables",
        "datacheck.cli.pages._Folding.__rich_console__",
        '"fold"',
        '"ellipsis"',
        "tests/cli/test_pages.py::test_a_wide_cell_of_a_table_is_broken_and_not_cut",
    ),
    Sabotage(
        "init_does_not_try",
        "init says what its contract could not judge",
        "datacheck.cli.init._unread",
        "finding.status is Status.ERROR or",
        "False and",
        "tests/propose/test_propose.py::test_what_could_not_be_judged_is_said_before_anybody_runs_it",
    ),
    Sabotage(
        "who_dies_has_ended",
        "a run whose process dies is done step by step",
        "datacheck.cli.watched._exit_code",
        "if ended and code >= 0",
        "if code >= 0",
        "tests/cli/test_watched.py::test_only_who_says_so_has_ended",
    ),
)
