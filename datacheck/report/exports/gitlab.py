"""GitLab's code quality report: an issue for each of the first places of a finding.

GitLab tells issues apart by their fingerprint alone. It is made of the key of the record, not of the line, so that a
place stays the same issue where rows are added before it.
"""

import json

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang
from datacheck.report import places, shape, show
from datacheck.report.places import Finished

FILE = "gl-code-quality.json"
_SEVERITIES = {Status.ERROR: "blocker", Status.FAIL: "critical", Status.WARN: "minor", Status.INFO: "info"}


def render(finished: Finished, lang: Lang = "en") -> str:
    """The text of gl-code-quality.json; what stopped the whole run is an issue too."""
    words, report = WORDS[lang], show.told(finished.report, lang)
    issues = [
        _issue(told.message, told.rule, told.fingerprint, _SEVERITIES[finding.status], told.path, told.line)
        for finding in show.worst_first(report)
        if finding.status in _SEVERITIES
        for told in places.told(finding, finished, words)
    ]
    if report.reason or not report.findings:
        said = str(report.reason or words.not_started)
        at = (finished.run.get("typed") or {}).get("contract", report.contract.name)
        issues.append(_issue(said, "run", places.digest("run", said), "blocker", str(at), None))
    return json.dumps(issues, ensure_ascii=False, indent=1) + "\n"


def _issue(said: str, name: str, digest: str, severity: str, path: str, line: int | None) -> dict[str, object]:
    return {
        "description": shape.visible(said, 2000),
        "check_name": shape.visible(name),
        "fingerprint": digest,
        "severity": severity,
        "location": {"path": shape.visible(path, 2000), "lines": {"begin": line or 1}},
    }
