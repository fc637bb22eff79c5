"""Asking an installed trainer what it makes of rows: scripts that run in the trainer's own environment.

`ask` (in `asking.py`) writes a folder and starts `child.py` with the other Python, which needs nothing of ours. That
loads the script of a trainer's family (`trl.py`, …), which gives rows to the installed package from its front door.

    request.json   family, mode, settings, tokenizer (a folder), plain (whether that is ours, where
                   none is named: tokens are then not compared), files (rows of each), seconds, memory
    rows.jsonl     one record a line
    answer.jsonl   the first line: the versions of the packages, and notes; then one line for each row:
                   row, fate (kept, dropped, failed, unknown), examples [{part, ids, labels}], error, at

No answer holds data: an error is the name of its class and the place in the package's source.
"""
