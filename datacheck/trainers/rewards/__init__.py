"""Asking a user's own reward function: it runs in a child that is contained, with a Python of the operator's.

`Grader` (in `asking.py`) starts `child.py` with that Python, which needs nothing of ours. The child leaves the network,
the process tree and the right to write behind (`jail.py`), loads the function and answers one JSON line for each:

    parent → child   the setup; then {answers, prompt, columns, messages} for each row
    child → parent   what the function asks for; then {rewards} or {error, at} for each row

No answer holds data: an error is the name of its class and the place in the function's file. What a function prints
goes nowhere. Only an operator names a function (`--grader`); a contract cannot.
"""
