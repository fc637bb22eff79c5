"""What breaks the promises of flows."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "links_are_passed_over",
        "a link to a drop is never taken, and each look says so",
        "flows.look.strays",
        "registry.linked(rules.channel if rules.folder else None)",
        "()",
        "tests/flows/test_looks.py::test_a_link_to_a_drop_is_not_passed_over_in_silence",
    ),
    Sabotage(
        "an_event_into_the_void",
        "who announces a drop is told where no server took the event",
        "flows.announce.announce",
        'raise DatacheckError("{reason}", reason=unanswered(error)) from None',
        "return",
        "tests/flows/test_looks.py::test_an_event_that_no_server_took_is_no_success",
    ),
    Sabotage(
        "a_drop_writes_the_log",
        "the name of a drop forges no line of a log",
        "flows.look.summary",
        "drop=shown_line(name)",
        "drop=name",
        "tests/flows/test_looks.py::test_a_drop_whose_name_holds_a_line_end_forges_no_line",
    ),
    Sabotage(
        "any_channel_of_a_request",
        "a request names a channel that is served",
        "flows.rules.current",
        "if one.channel == channel:",
        "if True:",
        "tests/flows/test_channels_served.py::test_a_request_names_one_of_the_channels",
    ),
    Sabotage(
        "the_doctor_passes_a_fault",
        "what would fail at night fails when the doctor looks",
        "flows.doctor._asked",
        'Answer(name, "fail", error.message)',
        'Answer(name, "warn", error.message)',
        "tests/flows/test_doctor.py::test_what_would_fail_at_night_fails_now[readable]",
    ),
    Sabotage(
        "the_doctor_knows_no_versions",
        "versions that break the scheduler are named",
        "flows.doctor._versions",
        "not each.specifier.contains(found, prereleases=True)",
        "False",
        "tests/flows/test_doctor.py::test_a_version_that_breaks_the_scheduler_is_seen[sqlalchemy]",
    ),
    Sabotage(
        "nobody_hears_the_alarm",
        "a service that does not look tells its webhooks",
        "flows.notify.alarm",
        "send(webhook, excerpt(what.said(webhook.lang), limit=1000))",
        "None",
        "tests/flows/test_notify.py::test_an_alarm_is_posted_to_all_in_their_language",
    ),
    Sabotage(
        "a_link_to_nowhere_is_posted",
        "a webhook is told where the report lies",
        "flows.notify.message",
        "number.join(excerpt(part, limit=300) for part in link.split(number))",
        "excerpt(link, limit=300)",
        "tests/flows/test_notify.py::test_without_an_address_of_reports_the_folder_is_told",
    ),
)
