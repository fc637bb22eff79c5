"""From measurements to a report: limits, baseline, and the model of report.json."""
