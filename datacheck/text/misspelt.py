"""Common English words with one letter lost, two swapped, or one that a scan took for another: "importnt", "tbe"."""

import re
from collections.abc import Iterator

LEAST = 2  # different ones in a text
_COMMON = """
    about after also always analysis another answer around based because become before being between better business
    change children common community could customers different each environment every example experience first following
    from good great have health help however important include including increase information large learning like
    likely long made make many model more most need number often only order other others people person place possible
    problem process provide public question really reduce research result right should since small social some something
    state still such support system take than that their them then there these they this those through time together
    under understand until used using usually various very water well were what when where whether which while will with
    within without work world would years your
""".split()
# What a misprint looks like that is a word, an abbreviation, or a name in code.
_WORDS = set(
    """
    aare als any art bar base bases bee ben bot bout car cage chage che cold com ear ears ell els ever fake fan fist
    font for form fro fund god goo goof had hae han hang hat hath hav heal heath heath hee heir helm hem hen her here
    hey his hit hoe hose how ill info int ith kin lace lage lager large lean lie log lon mad mae mak make mall man mane
    may mel mist moe mode modem more mot mut nee new now nub off ofen old one ore our out ove over own pace par pat per
    perso pert port post prat pubic rally rat real red rent rest rig rom round sate sate sed she sine sing sit sol som
    soul stat stats suing sue sued suer tae taken tale tan tae tat tex text than the thee them then thing this thy tie
    till tim tine toe torough tree tun txt una und unit use user uses util val very vey wafer wan war was wat watt wed
    wel wen west wha when where whit who whole wide wil wild win wit witch wok word wold wore wrk yea year yer yes you
    ach ave cach customer earning frm leaning ned numer oder offen sch sinc stil tak tate tem ten three though trough
    ver wee wer wether
""".split()
)
_SHORTEST = 3  # letters
_LOOK_ALIKE = (
    ("rn", "m"), ("m", "rn"), ("l", "1"), ("l", "i"), ("i", "l"), ("i", "1"), ("o", "0"), ("e", "c"), ("h", "b"),
    ("cl", "d"), ("d", "cl"), ("li", "h"), ("w", "vv"), ("n", "u"), ("u", "n"), ("t", "f"), ("a", "o"),
)  # fmt: skip


def _misprints(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    for written, read in _LOOK_ALIKE:
        for found in re.finditer(written, word):
            yield word[: found.start()] + read + word[found.end() :]


MISPRINTS = sorted(
    {each for word in _COMMON for each in _misprints(word) if len(each) >= _SHORTEST} - _WORDS - {*_COMMON}
)
MISPRINT = "|".join(f" {each} " for each in MISPRINTS)  # with blanks, it is found by its literals: 350 MB/s
