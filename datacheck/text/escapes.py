r"""Find what JSON writes for line ends, quotes and characters (`\n`, `\"`, `\u4f60`) in text that was encoded twice.

A backslash also belongs to LaTeX (`\neq`, `\text`, `\"o`), to regular expressions, string literals and file names, and
to texts that speak of such signs. So a line end counts where a sentence goes on behind it, not before small letters.
"""

import polars as pl

from datacheck.text.edges import ascii_edges

_LINE_END = r"(?:\\r)?\\n"
# The first pattern to try: cheap, and wider than what counts.
ESCAPE = rf'{_LINE_END}(?:[^a-z]|$)|\\t(?:[^a-z]|$)|\\"|\\u[0-9a-fA-F]{{4}}|u[0-9a-f]{{4}}u[0-9a-f]{{4}}u'
_LITERAL = ascii_edges(
    r"""(?:[(=:,+\[{<]|<<|\b(?:return|echo|print|puts))\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
)
_MENTION = (  # the sign itself: \n and, "\n", [\n\r], (\n|$), \n+
    r"""\s(?:\\[rnt])+[\s,.，。、]|['"`“‘\[(|/^\\、](?:\\r)?\\[nt]|\\[nt]['"`”’\])|/{+*?、]"""
)
_TOPIC = ascii_edges(
    r"(?i)换行符|制表符|转义|反斜杠|正则|分隔|隔开|newline|line ?(?:break|feed)|escap(?:e|ing)|backslash|regex|unicode"
    r"|[用以按]\s?\\n\s?(?:来|进行)?(?:分[割开段行]|连接|拼接|间隔|换行)"
    r"|\\r(?:[^\\]|$)|\\x[0-9a-fA-F]{2}|\bcsv\b|\.txt\b|separat|delimit"
)
_PROGRAM = r"std::|printf\(|console\.log|System\.out"
_NEXT = r"(?:[\s\p{Han}A-Z0-9•*#>（(【“-]|$)"
_SINGLE = rf"{_LINE_END}{_NEXT}|\\t[\p{{Han}}A-Z0-9]"
_SURE = (
    r"(?:\\r)?\\n(?:\\r)?\\n(?:[^\\]|\\[^\\]|$)"  # an empty line
    rf"|[\p{{Han}}\p{{L}}\p{{N}}][。！？；：，”）.!?;:,)]{_LINE_END}{_NEXT}"  # behind the end of a sentence
    rf"|\p{{Han}}{_LINE_END}\p{{Han}}{{2}}"
)
_QUOTES = r'(?:^|[^A-Za-z\\{\[,:])\\"[^"\\{}\[\]\n:]{1,200}\\"(?:[^A-Za-z:]|$)|\\"\\"\\"'
# A string literal, over several lines if need be, and not the whole text. In a text that was encoded twice each quote
# has a backslash.
_STRING = r'(?s)([^"\\])"(?:[^"\\]|\\.)*"'
_JSON = r"""^\s*["']?[\[{](?s:.*)[\]}]["']?\s*$|[{\[,]\s*\\"|\\"\s*:"""
_CODES = r"(?:\\u[0-9a-fA-F]{4}){2}|(?:u[0-9a-f]{4}){4}|\p{L}\\u(?:2019|00[c-fC-F][0-9a-fA-F])\p{L}"
_MANY = 2  # a single \n in the middle of a sentence may be the name of the sign


def left_escaped(prose: pl.Expr) -> pl.Expr:
    """Whether a text has such escapes left. `prose`: the text without its Markdown code; no code without a fence."""
    bare = prose.str.replace_all(_LITERAL, " ").str.replace_all(_MENTION, " ")
    breaks = (bare.str.count_matches(_SINGLE) >= _MANY) | bare.str.contains(_SURE)
    escapes = breaks | bare.str.replace_all(_STRING, "$1 ").str.contains(_QUOTES) | prose.str.contains(_CODES)
    program = prose.str.contains("\n", literal=True) & prose.str.contains(_PROGRAM)  # its strings, behind a lost fence
    return escapes & ~prose.str.contains(_TOPIC) & ~prose.str.contains(_JSON) & ~program
