"""A BiLSTM-CRF over characters in numpy: the network for names that the package cutword carries in its wheel.

cutword 0.1.1 (Apache-2.0): 256 numbers a character, two layers of 64 cells in both directions, 69 tags (those of
CLUENER's kind: B_PERSON, M_PERSON, E_PERSON, ...). Its own code needs torch and its file is a pickle of torch. Neither
is used: the file is the one whose digest stands here, so where its numbers lie is known, and nothing is unpickled.
"""

import json
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from datacheck.text import tables
from datacheck.text.native.library import done, kernel

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

_CELLS = 64
_INPUTS = (256, 256, 128, 128)  # first layer there and back, second layer there and back
_AT_ONCE = 8192  # tokens, padding included: some dozen megabytes
# What cutword takes for one token: a Latin word or number that its vocabulary has, else each character.
_TOKEN = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?%?|[^a-z0-9\u4e00-\u9fd5]+")

_NARROW = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}


_F32 = np.float32
_remember = kernel("remember", _F32, _F32, _F32, _F32, int)
_best_paths = kernel("best_paths", _F32, np.int32, int, int, int, _F32, _F32, _F32, np.int32, returns=bool)


class Network:
    """Finds persons. It is made of the file of the model, as `free_names.model` gives it, and its tags (JSON)."""

    def __init__(self, data: bytes, tags: str) -> None:
        told = json.loads(tags)
        self.tags: dict[str, int] = told["label2id"]
        self._vocabulary: dict[str, int] = told["char2id"]
        self._of_character = _characters(self._vocabulary)
        with ZipFile(BytesIO(data)) as archive:
            stored = [np.frombuffer(archive.read(f"model_params/data/{n}"), np.float32) for n in range(7)]
        embedding, flat, weight, self._bias, self._start, self._end, between = stored
        count = len(self.tags)
        self._person = [self.tags[f"{part}_PERSON"] for part in "BME"]
        self._weight, self._between = weight.reshape(count, -1).T.copy(), between.reshape(count, count)
        layers = list(_weights(flat))
        rows = embedding.reshape(-1, _INPUTS[0])
        # What a token adds to the gates of the first layer is a row of a table
        self._tables = [rows @ inputs + bias for inputs, _, bias in layers[:2]]
        self._inputs = [(inputs, bias) for inputs, _, bias in layers[2:]]
        self._memories = [(layers[n][1], layers[n + 1][1]) for n in (0, 2)]

    def persons(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return the places of what is a person in each text: start, end (exclusive) in code points."""
        read = [self.tokens(text) for text in texts]
        tagged = self.tag([tokens for tokens, _ in read])
        return [list(self._spans(tags, at)) for tags, (_, at) in zip(tagged, read, strict=True)]

    def _spans(self, tags: Ints, at: Ints) -> Iterator[tuple[int, int]]:
        """What is tagged B M* E, or S (one token: no name that is looked for)."""
        start: int | None = None
        for number in np.flatnonzero(np.isin(tags, self._person)).tolist():
            if tags[number] == self._person[0]:
                start = number
            elif tags[number] == self._person[2] and start is not None:
                if (tags[start + 1 : number] == self._person[1]).all():
                    yield int(at[start]), int(at[number]) + 1
                start = None

    def tokens(self, text: str) -> tuple[Ints, Ints]:
        """Return the tokens of a text and where each begins; white space between two words is none."""
        small = text.translate(_NARROW).lower()
        if len(small) != len(text):  # one capital (İ) becomes two characters
            small = "".join(lower if len(lower := char.lower()) == 1 else char for char in text.translate(_NARROW))
        codes = np.frombuffer(small.encode("utf-32-le", "surrogatepass"), np.uint32)
        ids = self._of_character[np.minimum(codes, 0xFFFF)].astype(np.int32)
        kept = np.ones(len(ids), np.bool_)
        for match in _TOKEN.finditer(small):
            start, end = match.span()
            if (word := self._vocabulary.get(match[0])) is not None:
                ids[start] = word
                kept[start + 1 : end] = False
            elif match[0].isspace():
                kept[start:end] = False
        at = np.flatnonzero(kept).astype(np.int32)
        return ids[at], at

    def tag(self, sentences: Sequence[Ints]) -> list[Ints]:
        """Return the tags of each sentence (int32 tokens in, int32 tags out)."""
        found = [np.zeros(len(each), np.int32) for each in sentences]
        for some in _batches([len(each) for each in sentences]):
            emissions, lengths = self._emissions([sentences[number] for number in some])
            for number, path in zip(some, self._paths(emissions, lengths), strict=True):
                found[number] = path[: len(sentences[number])]
        return found

    def _emissions(self, sentences: Sequence[Ints]) -> tuple[Floats, Ints]:
        """Scores [length, sentences, tags], and the lengths; what lies beyond a length means nothing."""
        lengths = np.array([len(each) for each in sentences], np.int32)
        ids = np.zeros((int(lengths.max()), len(sentences)), np.int32)
        for column, each in enumerate(sentences):
            ids[: len(each), column] = each
        places, columns = np.arange(len(ids))[:, None], np.arange(len(sentences))
        # Backwards, each sentence is read from its own end
        turned = np.where(places < lengths, lengths - 1 - places, places), columns
        ahead, back = (table[given] for table, given in zip(self._tables, (ids, ids[turned]), strict=True))
        read = self._read((ahead, back), self._memories[0], turned)
        there, again = self._inputs
        ahead, back = (read @ weight + bias for weight, bias in (there, again))
        read = self._read((ahead, back[turned]), self._memories[1], turned)
        return read @ self._weight + self._bias, lengths

    @staticmethod
    def _read(gates: tuple[Floats, Floats], memories: tuple[Floats, Floats], turned: tuple[Any, Any]) -> Floats:
        """Run both directions of a layer over its gates [length, sentences, 256]: the cells' outputs side by side."""
        ahead, back = (_remembered(each, memory) for each, memory in zip(gates, memories, strict=True))
        return np.concatenate([ahead, back[turned]], axis=2)

    def _paths(self, emissions: Floats, lengths: Ints) -> Ints:
        """The best path of the CRF for each sentence: tags [sentences, length]."""
        paths = np.zeros((len(lengths), len(emissions)), np.int32)
        steps, sentences, tags = emissions.shape
        ways = self._start, self._between, self._end
        done(_best_paths(emissions, lengths, steps, sentences, tags, *ways, paths))
        return paths


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of sentences of like length; of empty ones none."""
    some: list[int] = []
    for number in sorted((n for n, length in enumerate(lengths) if length), key=lambda n: lengths[n]):
        if some and (len(some) + 1) * lengths[number] > _AT_ONCE:
            yield some
            some = []
        some.append(number)
    if some:
        yield some


def _remembered(gates: Floats, memory: Floats) -> Floats:
    """The cells of one direction, place by place: [length, sentences, 64]. Half of i, f and o is in the weights."""
    steps, count, _ = gates.shape
    cells = np.zeros((count, _CELLS), np.float32)
    out = np.zeros((steps + 1, count, _CELLS), np.float32)
    now = np.empty((count, 4 * _CELLS), np.float32)
    for step in range(steps):
        np.matmul(out[step], memory, out=now)
        _remember(now, gates[step], cells, out[step + 1], count)
    return out[1:]


def _weights(flat: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Of each layer and direction: inputs [n, 256], memory [64, 256], bias [256]; columns of i, f, g, o.

    The sigmoid of x is half of 1 + tanh(x / 2): the halves of x are in the weights of i, f and o.
    """
    half = np.repeat(np.array([0.5, 0.5, 1, 0.5], np.float32), _CELLS)
    at, bias = 0, sum(256 * (n + _CELLS) for n in _INPUTS)
    for inputs in _INPUTS:
        ends = at + 256 * inputs, at + 256 * (inputs + _CELLS)
        both = flat[at : ends[0]].reshape(256, inputs), flat[ends[0] : ends[1]].reshape(256, _CELLS)
        told = flat[bias : bias + 256] + flat[bias + 256 : bias + 512]
        yield (np.ascontiguousarray(both[0].T * half), np.ascontiguousarray(both[1].T * half), told * half)
        at, bias = ends[1], bias + 512


def _characters(vocabulary: dict[str, int]) -> Ints:
    """The token of each code point up to U+FFFF, the last one for all beyond: traditional as simplified."""
    written = {
        chr(first + n): chr(mapped[0] + n)
        for first, last, mapped in tables.read("t2s")
        for n in range(last - first + 1)
    }
    ids = np.full(0x10000, vocabulary["[UNK]"], np.int32)
    for code in range(0x10000):
        char = written.get(chr(code), chr(code))
        kind = "[NUMBER]" if char.isdigit() else "[HANZI]" if "\u4e00" <= char <= "\u9fff" else "[UNK]"
        ids[code] = vocabulary.get(char, vocabulary[kind])
    return ids
