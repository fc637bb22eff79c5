"""Assemble the sample datasets from the hand-written texts in pieces/.

    python sample_data/make.py            write the files beside this script
    python sample_data/make.py --check    exit 1 if a file differs from what would be written

A piece is a block of lines between blank lines; the first characters of a line say what it is:

    @ UID SRC       a conversation; in sft_bad.txt "@17 UID SRC" puts it on line 17 of the file
    S U A           a message of the system, user or assistant; "\\n" is a line break
    N               an assistant message whose content is null
    R ROLE TEXT     a message with any role
    C NAME JSON     a tool call; C lines in a row are parallel calls of one message
    T JSON          the result of the next open call
    = UID           the messages of another conversation, unchanged
    ! JSON          columns to set; "- NAME" leaves one out

In rlvr_*.txt Q is the question, A the way to the answer, # the answer, % the pass rate. In pictures.txt "." and "#" are white
and black dots. The other pieces are tables: one record per line, its cells parted by " | ".

Nothing here is random: the same pieces give the same bytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Row = dict[str, Any]

# The tools of the "tools" conversations: name → parameters (name → JSON type); all are required.
TOOLS: dict[str, dict[str, str]] = {
    "book_room": {"room": "string", "day": "string", "start": "string", "end": "string"},
    "book_table": {"name": "string", "slot": "string", "party": "integer"},
    "convert": {"value": "number", "from": "string", "to": "string"},
    "get_air": {"city": "string"},
    "get_rate": {"base": "string", "quote": "string"},
    "get_time": {"city": "string"},
    "get_weather": {"city": "string", "day": "string"},
    "loan_payment": {"principal": "number", "annual_rate": "number", "months": "integer"},
    "query_stock": {"item": "string", "colour": "string", "size": "integer"},
    "read_meter": {"month": "string", "group_by": "string"},
    "read_sensor": {"plant": "string"},
    "reserve_book": {"title": "string"},
    "route_time": {"from": "string", "to": "string", "mode": "string"},
    "search_books": {"title": "string"},
    "search_recipes": {"ingredients": "array"},
    "search_restaurants": {"party": "integer", "day": "string", "diet": "string"},
    "send_reminder": {"group": "string", "text": "string"},
    "start_timer": {"minutes": "integer", "label": "string"},
}


def blocks(name: str) -> list[list[str]]:
    """Return the blocks of a piece file, each as its lines."""
    text = (HERE / "pieces" / name).read_text("utf-8")
    return [[line for line in block.split("\n") if line] for block in text.split("\n\n") if block.strip("\n")]


def dump(row: Row) -> str:
    """Return one line of JSON."""
    return json.dumps(row, ensure_ascii=False)


def jsonl(rows: list[Row]) -> bytes:
    """Return the bytes of a JSONL file."""
    return "".join(dump(row) + "\n" for row in rows).encode()


def tool_schema(name: str) -> Row:
    """Describe one tool as JSON schema."""
    properties = {key: {"type": kind} for key, kind in TOOLS[name].items()}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


class Conversation:
    """Collects the messages of one block."""

    def __init__(self) -> None:
        self.messages: list[Row] = []
        self.open: list[Row] = []
        self.calls = 0

    def call(self, name: str, arguments: str) -> None:
        """Add a call; right after another call it joins that message."""
        self.calls += 1
        function = {"name": name, "arguments": arguments}
        call = {"id": f"call_{self.calls}", "type": "function", "function": function}
        last = self.messages[-1]
        if last["role"] == "assistant" and "tool_calls" in last:
            last["tool_calls"].append(call)
        else:
            self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        self.open.append(call)

    def result(self, content: str) -> None:
        """Answer the oldest open call."""
        call = self.open.pop(0)
        name = call["function"]["name"]
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "name": name, "content": content})

    def line(self, line: str) -> None:
        """Read one line of a block."""
        kind, rest = line[:1], line[2:].replace("\\n", "\n")
        if kind == "C":
            self.call(*line[2:].split(" ", 1))
        elif kind == "T":
            self.result(line[2:])
        elif kind == "R":
            role, _, rest = rest.partition(" ")
            self.messages.append({"role": role, "content": rest})
        elif kind == "N":
            self.messages.append({"role": "assistant", "content": None})
        else:
            role = {"S": "system", "U": "user", "A": "assistant"}[kind]
            self.messages.append({"role": role, "content": rest})


def conversation(block: list[str], fold: str, known: dict[str, Row]) -> Row:
    """Turn one block into a record."""
    _, uid, src = block[0].split(" ")
    row: Row = {"uid": uid, "src": src, "fold": fold}
    talk, own, dropped = Conversation(), {}, []
    for line in block[1:]:
        if line.startswith("= "):
            talk.messages = known[line[2:]]["messages"]
        elif line.startswith("! "):
            own = json.loads(line[2:])
        elif line.startswith("- "):
            dropped.append(line[2:])
        else:
            talk.line(line)
    row["messages"] = talk.messages
    names = [call["function"]["name"] for message in talk.messages for call in message.get("tool_calls", [])]
    if names:
        row["tools"] = [tool_schema(name) for name in sorted(set(names))]
    row.update(own)
    return {key: value for key, value in row.items() if key not in dropped}


def sft_good() -> list[Row]:
    """Return the conversations of the three languages, mixed in a fixed order."""
    groups = [[conversation(b, "train", {}) for b in blocks(f"sft_good_{n}.txt")] for n in (1, 2, 3)]
    rows: list[Row] = []
    while any(groups):
        for group, count in zip(groups, (2, 2, 1), strict=True):
            rows += group[:count]
            del group[:count]
    return rows


def sft_bad(good: list[Row]) -> list[Row]:
    """Put each faulty conversation on the line that its header names, and sound ones on all other lines up to 70."""
    known = {row["uid"]: row for row in good}
    planted = {int(b[0].split(" ")[0][1:]): conversation(b, "train", known) for b in blocks("sft_bad.txt")}
    sound = iter(good)
    return [planted.get(line) or next(sound) for line in range(1, 71)]


def broken() -> bytes:
    """Return a file in which every second line or so cannot be read."""
    text = [dump(conversation(block, "train", {})) for block in blocks("broken.txt")]
    lines = [
        text[0].encode(),
        text[1].replace('"src": ', '"src" ').encode(),  # 2: a colon is missing
        f"{text[2]} {text[3]}".encode(),  # 3: two objects
        b"",  # 4: a blank line, no fault
        text[4].encode("gbk"),  # 5: not UTF-8
        text[5].replace("{", '{"src": "wiki", ', 1).encode(),  # 6: "src" twice, with different values
        text[6].encode(),
        text[7].encode(),
        text[8][:-20].encode(),  # 9: cut inside a string, and no line end
    ]
    return b"\n".join(lines)


def preference(name: str) -> list[Row]:
    """Return pairs; "@conv" blocks are lists of messages, "@std" blocks plain strings."""
    rows: list[Row] = []
    for block in blocks(name):
        (style, uid), body = block[0].split(" "), {line[0]: line[2:] for line in block[1:]}
        chosen, rejected = (json.loads(score) for score in body["S"].split(" "))
        row: Row = {"uid": uid, "prompt": body["P"], "chosen": body["C"], "rejected": body["R"]}
        if style == "@conv":
            row["prompt"] = [{"role": "user", "content": body["P"]}]
            row["chosen"] = [{"role": "assistant", "content": body["C"]}]
            row["rejected"] = [{"role": "assistant", "content": body["R"]}]
        rows.append(row | {"score_chosen": chosen, "score_rejected": rejected})
    return rows


def questions() -> list[Row]:
    """Return the questions with a free answer."""
    pairs = [(block[0][2:], block[1][2:]) for block in blocks("eval_questions.txt")]
    return [
        {"id": f"q-{n:03}", "lang": "en" if question.isascii() else "zh", "question": question, "answer": answer}
        for n, (question, answer) in enumerate(pairs, 1)
    ]


def choices(name: str) -> list[Row]:
    """Return multiple-choice questions."""
    lines = keyed(name, "question", "A", "B", "C", "D", "answer")
    return [{"id": f"c-{n:03}", **line} for n, line in enumerate(lines, 1)]


def gsm(name: str) -> list[Row]:
    """Return word problems whose answer ends in "#### NUMBER", with the share of attempts that solved them."""
    rows: list[Row] = []
    for block in blocks(name):
        answer = block[1][2:] + "".join(f"\n#### {line[2:]}" for line in block if line.startswith("# "))
        rows.append({"question": block[0][2:], "answer": answer, "pass_rate": json.loads(block[-1][2:])})
    return rows


def table(name: str) -> list[list[str]]:
    """Return the cells of each line, which are parted by " | "."""
    return [line.split(" | ") for block in blocks(name) for line in block]


def judged(name: str) -> list[Row]:
    """Return pairs of whole conversations, which three people have rated and a judge has scored.

    "ONE >> OTHER" as the question asks the two sides different things.
    """
    rows: list[Row] = []
    for uid, src, question, better, worse, ratings, scores in table(name):
        asked = (question.split(" >> ") * 2)[:2]
        sides = [
            [{"role": "user", "content": q}, {"role": "assistant", "content": a}]
            for q, a in zip(asked, (better, worse), strict=True)
        ]
        row: Row = {"uid": uid, "src": src, "chosen": sides[0], "rejected": sides[1]}
        row |= {f"rater_{n}": rating for n, rating in enumerate(ratings, 1)}
        high, low = (float(s) if s[0].isdigit() else s for s in scores.split(" "))
        rows.append(row | {"score_chosen": high, "score_rejected": low})
    return rows


def mix(name: str) -> list[Row]:
    """Return conversations about things of the catalogue."""
    rows: list[Row] = []
    for uid, src, items, question, answer in table(name):
        messages = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        rows.append({"uid": uid, "src": src, "items": items.split(", "), "messages": messages})
    return rows


def crawl(name: str) -> list[Row]:
    """Return conversations as pages gave them; cells are the insides of JSON strings (a line break, an escape, a sign)."""
    rows: list[Row] = []
    for uid, question, answer in (line.split(" | ", 2) for block in blocks(name) for line in block):
        asked, said = (json.loads(f'"{cell.replace(chr(34), chr(92) + chr(34))}"') for cell in (question, answer))
        messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": said}]
        rows.append({"uid": uid, "messages": messages})
    return rows


def vision(name: str) -> list[Row]:
    """Return conversations about pictures, named in a column; after "=" in a part of the message."""
    rows: list[Row] = []
    for uid, pictures, question, answer in table(name):
        row: Row = {"uid": uid}
        asked: str | list[Row] = question
        if pictures.startswith("="):
            asked = [{"type": "image", "value": pictures[1:]}, {"type": "text", "value": question}]
        else:
            row["images"] = [picture for picture in pictures.split(", ") if picture]
        row["messages"] = [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
        rows.append(row)
    return rows


def service(name: str) -> list[Row]:
    """Return conversations of one question and one answer; "\\n" is a line break."""
    return [
        {
            "uid": uid,
            "messages": [
                {"role": "user", "content": question},
                {"role": "assistant", "content": answer.replace("\\n", "\n")},
            ],
        }
        for uid, question, answer in table(name)
    ]


def pictures() -> dict[str, bytes]:
    """Return the drawings as bitmaps (plain PBM: "P1", width and height, one digit per dot)."""
    drawn = {
        block[0][2:]: [line.replace(".", "0").replace("#", "1") for line in block[1:]]
        for block in blocks("pictures.txt")
    }
    return {
        f"media/{name}": "\n".join(["P1", f"{len(lines[0])} {len(lines)}", *lines, ""]).encode()
        for name, lines in drawn.items()
    }


def keyed(name: str, *keys: str) -> list[Row]:
    """Return the lines of a table with the names of its columns."""
    return [dict(zip(keys, cells, strict=True)) for cells in table(name)]


KINDS = {
    "judged": judged,
    "quiz": lambda name: keyed(name, "question", "answer"),
    "exam": choices,
    "mix": mix,
    "crawl": crawl,
    "vision": vision,
    "service": service,
    "basket": lambda name: keyed(name, "uid", "history_item_sid", "item_sid"),
}


def build() -> dict[str, bytes]:
    """Return every file: its path under sample_data/ and its bytes."""
    good = sft_good()
    valid = [conversation(block, "valid", {}) for block in blocks("sft_good_valid.txt")]
    return {
        "sft_good/train.jsonl": jsonl(good),
        "sft_good/valid.jsonl": jsonl(valid),
        "sft_bad/broken.jsonl": broken(),
        "sft_bad/train.jsonl": jsonl(sft_bad(good)),
        "preference_good/pairs.jsonl": jsonl(preference("preference_good.txt")),
        "preference_bad/pairs.jsonl": jsonl(preference("preference_bad.txt")),
        "rlvr_good/gsm_style.jsonl": jsonl(gsm("rlvr_good.txt")),
        "rlvr_bad/gsm_style.jsonl": jsonl(gsm("rlvr_bad.txt")),
        "eval/questions.jsonl": jsonl(questions()),
        "eval/choices.jsonl": jsonl(choices("eval_choices.txt")),
        **pictures(),
        "catalogue/things.jsonl": jsonl(keyed("catalogue.txt", "id", "name")),
        "catalogue/codes.jsonl": jsonl(keyed("codes.txt", "token")),
        **{
            f"{kind}_{which}/{kind}.jsonl": jsonl(rows(f"{kind}_{which}.txt"))
            for kind, rows in KINDS.items()
            for which in ("good", "bad")
        },
    }


def main() -> int:
    """Write the files, or with --check compare them."""
    differ = 0
    for name, data in build().items():
        path = HERE / name
        if "--check" in sys.argv:
            if not path.is_file() or path.read_bytes() != data:
                differ = 1
                print(f"{name}: differs")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return differ


if __name__ == "__main__":
    sys.exit(main())
