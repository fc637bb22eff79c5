r"""Constraints of IFEval: which there are, what their arguments must be, which exclude each other, who follows them.

Source: google-research/instruction_following_eval (instructions_registry.py: INSTRUCTION_DICT; instructions.py:
`build_description` and `check_following`; evaluation_lib.py), read at 3f357bde; of allenai/open-instruct e6c3044a the
names that its registry (open_instruct/IFEvalG/instructions_registry.py) has beyond those.

INSTRUCTION_CONFLICTS of the registry is no rule for data: it keeps a generator from drawing two of a kind, and google's
own 541 rows have "at least 20" and "less than 26" sentences in one row. What excludes each other is told here from
what `check_following` computes.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import jiter

RELATIONS = ("less than", "at least")
_LANGUAGES = frozenset(
    "en es pt ar hi fr ru de ja it bn uk th ur ta te bg ko pl he fa vi ne sw kn mr gu pa ml fi".split()
)
_LONGEST = 1_000  # characters of a keyword that is looked at
_LONGEST_ANSWER = 20_000  # characters: what the patterns below need grows with the square of white space
_LITERAL = re.compile(r"[\w\s,;:'\"!-]+")  # a keyword that says the same as a pattern and as a text

Arguments = Mapping[str, Any]


class Constraint(NamedTuple):
    """An id of the registry and its arguments, without those that are null."""

    id: str
    arguments: Arguments


# ── arguments ─────────────────────────────────────────────────────────────────────────────────────────
def _count(value: Any) -> bool:
    """A whole number that is not negative (a negative one is replaced by a random one); 3.0 serves as 3 does."""
    return type(value) in (int, float) and value >= 0 and value == value // 1


def _place(value: Any) -> bool:
    """The number of a paragraph, used as an index."""
    return type(value) is int and value >= 1


def _relation(value: Any) -> bool:
    return value in RELATIONS


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _pattern(value: Any) -> bool:
    """A text that `re` takes: keywords are handed to it as they are."""
    if not _text(value) or len(value) > _LONGEST:
        return False
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _patterns(value: Any) -> bool:
    """A list: of a text, `sorted` would make its letters keywords."""
    return isinstance(value, list) and bool(value) and all(map(_pattern, value))


def _sign(value: Any) -> bool:
    """One sign; a longer text is replaced by a random letter. Not only letters: google's rows count "!" and "#"."""
    return isinstance(value, str) and len(value) == 1


def _language(value: Any) -> bool:
    return isinstance(value, str) and value in _LANGUAGES


_KINDS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "keywords:existence": {"keywords": _patterns},
    "keywords:frequency": {"keyword": _pattern, "frequency": _count, "relation": _relation},
    "keywords:forbidden_words": {"forbidden_words": _patterns},
    "keywords:letter_frequency": {"letter": _sign, "let_frequency": _count, "let_relation": _relation},
    "language:response_language": {"language": _language},
    "length_constraints:number_sentences": {"num_sentences": _count, "relation": _relation},
    "length_constraints:number_paragraphs": {"num_paragraphs": _count},
    "length_constraints:number_words": {"num_words": _count, "relation": _relation},
    "length_constraints:nth_paragraph_first_word": {
        "num_paragraphs": _count, "nth_paragraph": _place, "first_word": _text,
    },
    "detectable_content:number_placeholders": {"num_placeholders": _count},
    "detectable_content:postscript": {"postscript_marker": _pattern},
    "detectable_format:number_bullet_lists": {"num_bullets": _count},
    "detectable_format:constrained_response": {},
    "detectable_format:number_highlighted_sections": {"num_highlights": _count},
    "detectable_format:multiple_sections": {"section_spliter": _pattern, "num_sections": _count},
    "detectable_format:json_format": {},
    "detectable_format:title": {},
    "combination:two_responses": {},
    "combination:repeat_prompt": {"prompt_to_repeat": _text},
    "startend:end_checker": {"end_phrase": _text},
    "change_case:capital_word_frequency": {"capital_frequency": _count, "capital_relation": _relation},
    "change_case:english_capital": {},
    "change_case:english_lowercase": {},
    "punctuation:no_comma": {},
    "startend:quotation": {},
}  # fmt: skip
IFEVAL = frozenset(_KINDS)
OPEN_INSTRUCT = IFEVAL | frozenset(
    """
    copy:repeat_phrase copy:copy new:copy_span_idx detectable_format:sentence_hyphens keywords:no_adjacent_consecutive
    detectable_format:square_brackets keywords:word_once keywords:word_count_different_numbers
    keywords:exclude_word_harder paragraphs:paragraphs paragraphs:paragraphs2 first_word:first_word_sent
    first_word:first_word_answer last_word:last_word_sent last_word:last_word_answer detectable_format:bigram_wrapping
    copy:copying_simple copy:copying_multiple punctuation:punctuation_dot punctuation:punctuation_exclamation
    count:lowercase_counting letters:letter_counting letters:letter_counting2 count:counting_composition
    count:count_unique count:count_increment_word keywords:palindrome keywords:keyword_specific_position
    keywords:start_end
    """.split()
)


def wrong_arguments(one: Constraint) -> Iterator[tuple[str, str]]:
    """(problem, name of the argument) of what is missing, of a wrong type, or not known to `build_description`."""
    kinds = _KINDS.get(one.id)
    if kinds is None:
        return
    for name, right in kinds.items():
        if name not in one.arguments:
            yield "missing_argument", name
        elif not right(one.arguments[name]):
            yield "wrong_argument", name
    for name in one.arguments:
        if name not in kinds:
            yield "unknown_argument", name
    place, paragraphs = one.arguments.get("nth_paragraph"), one.arguments.get("num_paragraphs")
    if "nth_paragraph" in kinds and place is not None and _place(place) and _count(paragraphs) and place > paragraphs:
        yield "wrong_argument", "nth_paragraph"


# ── constraints that exclude each other ───────────────────────────────────────────────────────────────
_MEASURED = {  # id → what is counted, the number, the relation
    "keywords:frequency": ("keyword", "frequency", "relation"),
    "keywords:letter_frequency": ("letter", "let_frequency", "let_relation"),
    "length_constraints:number_sentences": (None, "num_sentences", "relation"),
    "length_constraints:number_words": (None, "num_words", "relation"),
    "change_case:capital_word_frequency": (None, "capital_frequency", "capital_relation"),
}
_EXACT = {  # id → the argument of which there can be one value only
    "length_constraints:number_paragraphs": "num_paragraphs",
    "detectable_format:number_bullet_lists": "num_bullets",
    "language:response_language": "language",
}
_CAPITAL, _LOWER = "change_case:english_capital", "change_case:english_lowercase"


def conflicts(constraints: Sequence[Constraint]) -> Iterator[tuple[int, int]]:
    """Pairs (by place, the earlier first) that no answer can follow both; their arguments are right."""
    for (first, one), (second, other) in combinations(enumerate(constraints), 2):
        if _apart(one, other) or _apart(other, one):
            yield first, second


def _apart(one: Constraint, other: Constraint) -> bool:
    return _out_of_range(one, other) or _other_value(one, other) or _other_case(one, other) or _demanded(one, other)


def _out_of_range(one: Constraint, other: Constraint) -> bool:
    """At least 500 and less than 100 of the same."""
    if one.id != other.id or one.id not in _MEASURED:
        return False
    of, number, relation = _MEASURED[one.id]
    if of is not None and one.arguments[of].strip().lower() != other.arguments[of].strip().lower():
        return False
    at_least, less = one.arguments[relation] == RELATIONS[1], other.arguments[relation] == RELATIONS[0]
    return bool(at_least and less and one.arguments[number] >= other.arguments[number])


def _other_value(one: Constraint, other: Constraint) -> bool:
    """Three bullets and five; two languages; two ends of which neither ends with the other."""
    if one.id != other.id:
        return False
    if one.id == "startend:end_checker":
        ends = [each.arguments["end_phrase"].strip().lower() for each in (one, other)]
        return not ends[0].endswith(ends[1]) and not ends[1].endswith(ends[0])
    name = _EXACT.get(one.id)
    return name is not None and one.arguments[name] != other.arguments[name]


def _other_case(one: Constraint, other: Constraint) -> bool:
    """All in capitals or in small letters, and a thing that is not: the other, words in capitals, another language."""
    if one.id not in (_CAPITAL, _LOWER):
        return False
    cased = str.upper if one.id == _CAPITAL else str.lower
    found = other.arguments
    return (
        other.id in ({_CAPITAL, _LOWER} - {one.id})
        or other.id == "detectable_format:constrained_response"  # "My answer is yes."
        or (other.id == "language:response_language" and found["language"] != "en")
        or (
            other.id == "detectable_format:multiple_sections"
            and found["num_sections"] > 0
            and _plain(found["section_spliter"])
            and cased(found["section_spliter"]) != found["section_spliter"]
        )
        or (
            (one.id, other.id) == (_LOWER, "change_case:capital_word_frequency")
            and found["capital_relation"] == RELATIONS[1]
            and found["capital_frequency"] > 0
        )
    )


_HELD = {"combination:repeat_prompt": "prompt_to_repeat", "startend:end_checker": "end_phrase"}
# What a longer answer can only break further.
_ONLY_MORE = {
    "punctuation:no_comma", "keywords:forbidden_words", "keywords:frequency", "keywords:letter_frequency",
    "length_constraints:number_words",
}  # fmt: skip


def _demanded(one: Constraint, other: Constraint) -> bool:
    """A text that every answer holds, and a constraint that this text alone breaks, whatever else is said."""
    if one.id == "keywords:existence":
        texts = [keyword for keyword in one.arguments["keywords"] if _plain(keyword)]
    else:
        texts = [one.arguments[_HELD[one.id]].strip()] if one.id in _HELD else []
    if one.id == "combination:repeat_prompt" and other.id == "startend:quotation":
        return not texts[0].startswith('"')
    at_least = RELATIONS[1] in other.arguments.values()
    return other.id in _ONLY_MORE and not at_least and any(follows(other, text) is False for text in texts)


# ── answers ───────────────────────────────────────────────────────────────────────────────────────────
def follows(one: Constraint, answer: str) -> bool | None:
    """What `check_following` says of an answer (the strict one); None where it is not computed here.

    Not computed: sentences and words in capitals (they hang on nltk's models), languages, and keywords that are
    patterns. Of english_capital and english_lowercase the letters only, not the language.
    """
    judge = _JUDGES.get(one.id)
    if judge is None or len(answer) > _LONGEST_ANSWER or not _readable(one.arguments):
        return None
    return bool(answer.strip()) and judge(answer, one.arguments)


def _plain(keyword: str) -> bool:
    return len(keyword) <= _LONGEST and _LITERAL.fullmatch(keyword) is not None


def _readable(found: Arguments) -> bool:
    words = [found.get("keyword"), *found.get("keywords", ()), *found.get("forbidden_words", ())]
    marks = [found.get("section_spliter"), found.get("postscript_marker", "").replace(".", "")]
    return all(_plain(word) for word in (*words, *marks) if word)


def _related(counted: int, number: float, relation: str) -> bool:
    return counted < number if relation == RELATIONS[0] else counted >= number


def _keywords(answer: str, found: Arguments) -> bool:
    return all(re.search(word, answer, re.IGNORECASE) for word in found["keywords"])


def _keyword_frequency(answer: str, found: Arguments) -> bool:
    counted = len(re.findall(found["keyword"].strip(), answer, re.IGNORECASE))
    return _related(counted, found["frequency"], found["relation"])


def _forbidden(answer: str, found: Arguments) -> bool:
    return not any(re.search(rf"\b{word}\b", answer, re.IGNORECASE) for word in found["forbidden_words"])


def _letters(answer: str, found: Arguments) -> bool:
    counted = answer.lower().count(found["letter"].strip().lower()) if found["letter"].strip() else 0
    return _related(counted, found["let_frequency"], found["let_relation"])


def _words(answer: str, found: Arguments) -> bool:
    return _related(len(re.findall(r"\w+", answer)), found["num_words"], found["relation"])


def _paragraphs(answer: str, found: Arguments) -> bool:
    paragraphs = re.split(r"\s?\*\*\*\s?", answer)
    if not all(each.strip() for each in paragraphs[1:-1]):
        return False
    ends = paragraphs if len(paragraphs) == 1 else [paragraphs[0], paragraphs[-1]]
    return bool(len(paragraphs) - sum(not each.strip() for each in ends) == found["num_paragraphs"])


def _first_word(answer: str, found: Arguments) -> bool:
    paragraphs = answer.split("\n\n")
    counted = sum(bool(each.strip()) for each in paragraphs)
    nth = found["nth_paragraph"]
    paragraph = paragraphs[nth - 1].strip() if nth <= counted else ""
    if not paragraph:
        return False
    word = re.split(r"[.,?!'\"]", paragraph.split()[0].lstrip("'").lstrip('"'))[0].lower()
    return bool(counted == found["num_paragraphs"] and word == found["first_word"].lower())


def _placeholders(answer: str, found: Arguments) -> bool:
    return bool(len(re.findall(r"\[.*?\]", answer)) >= found["num_placeholders"])


def _postscript(answer: str, found: Arguments) -> bool:
    marker = found["postscript_marker"].strip()
    own = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    return re.search(own.get(marker, marker.lower()), answer.lower()) is not None


def _bullets(answer: str, found: Arguments) -> bool:
    stars = re.findall(r"^\s*\*[^\*].*$", answer, re.MULTILINE)
    return bool(len(stars) + len(re.findall(r"^\s*-.*$", answer, re.MULTILINE)) == found["num_bullets"])


def _options(answer: str, _found: Arguments) -> bool:
    return any(option in answer for option in ("My answer is yes.", "My answer is no.", "My answer is maybe."))


def _highlights(answer: str, found: Arguments) -> bool:
    single = [each.strip("*") for each in re.findall(r"\*[^\n\*]*\*", answer)]
    double = [each[2:-2] for each in re.findall(r"\*\*[^\n\*]*\*\*", answer)]
    return bool(sum(bool(each.strip()) for each in (*single, *double)) >= found["num_highlights"])


def _sections(answer: str, found: Arguments) -> bool:
    return bool(len(re.findall(rf"\s?{found['section_spliter'].strip()}\s?\d+\s?", answer)) >= found["num_sections"])


def _json(answer: str, _found: Arguments) -> bool:
    text = answer.strip()
    for mark in ("```json", "```Json", "```JSON", "```"):
        text = text.removeprefix(mark)
    try:
        jiter.from_json(text.removesuffix("```").strip().encode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return True


def _title(answer: str, _found: Arguments) -> bool:
    return any(each.lstrip("<").rstrip(">").strip() for each in re.findall(r"<<[^\n]+>>", answer))


def _two_responses(answer: str, _found: Arguments) -> bool:
    responses = answer.split("******")
    said = [each.strip() for each in responses if each.strip()]
    return all(each.strip() for each in responses[1:-1]) and len(said) == 2 and said[0] != said[1]


def _repeats(answer: str, found: Arguments) -> bool:
    return answer.strip().lower().startswith(found["prompt_to_repeat"].strip().lower())


def _ends(answer: str, found: Arguments) -> bool:
    return answer.strip().strip('"').lower().endswith(found["end_phrase"].strip().lower())


def _quoted(answer: str, _found: Arguments) -> bool:
    text = answer.strip()
    return len(text) > 1 and text[0] == text[-1] == '"'


_JUDGES: dict[str, Callable[[str, Arguments], bool]] = {
    "keywords:existence": _keywords,
    "keywords:frequency": _keyword_frequency,
    "keywords:forbidden_words": _forbidden,
    "keywords:letter_frequency": _letters,
    "length_constraints:number_words": _words,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:nth_paragraph_first_word": _first_word,
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:constrained_response": _options,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:json_format": _json,
    "detectable_format:title": _title,
    "combination:two_responses": _two_responses,
    "combination:repeat_prompt": _repeats,
    "startend:end_checker": _ends,
    "change_case:english_capital": lambda answer, _: answer.isupper(),
    "change_case:english_lowercase": lambda answer, _: answer.islower(),
    "punctuation:no_comma": lambda answer, _: "," not in answer,
    "startend:quotation": _quoted,
}
