"""A report for people (terminal, HTML, Markdown) and for machines (JSON, JUnit)."""
