"""Running code that is a reward or holds one, in a child that is contained: with a Python of the operator's.

`Contained` (in `contained.py`) starts `child.py` with that Python, which needs nothing of ours. The child leaves the
network, the process tree and the right to write behind (`jail.py`), and answers one JSON line for each:

    parent → child   the setup; then a line for each question
    child → parent   what it found; then an answer to each

A `Grader` (`asking.py`) asks a reward function: {answers, prompt, columns, messages} → {rewards} or {error, at}. A
`ProgramRunner` (`testing.py`) runs solutions against their tests (`programs.py`), each in a process of its own:
{solution, tests, cases, …} → {outcome, error}.

No answer holds data: an error is the name of its class and the place in the function's file. What runs prints goes
nowhere. Only an operator lets code run (`--grader`, `--run-tests`); a contract cannot.
"""
