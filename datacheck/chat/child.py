"""Rendering in a child process with limits: a template is a program that came with a model.

The sandbox of jinja2 keeps a template from the machine, but not from its time and memory ('a' * 10**9, nested loops).
So a child renders: memory is bounded (RLIMIT_AS), processor time per conversation too (RLIMIT_CPU), and the parent
waits only so long for each answer. A limit that is hit is a reply of kind "limit", never a text.

    parent → child   one JSON line: the setup; then one JSON line per batch of requests
    child → parent   one JSON line per request
"""

import datetime as dt
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

from datacheck.chat.mask import prefix_spans
from datacheck.chat.message_keys import keys_read
from datacheck.chat.template import NOW, Spans, TemplateFault, Templates
from datacheck.i18n.message import Message, SaidError
from datacheck.interrupts import end_child

_BATCH = 64  # requests in one line: a conversation of usual length has some kilobytes
_START = 60  # seconds for a child to start on a busy machine
_PATIENCE = 3  # children that may be lost before the rest is not tried any more


@dataclass(frozen=True)
class RenderLimits:
    """What one conversation may cost: seconds (processor and wall), bytes of memory, characters of text."""

    seconds: int = 10
    memory: int = 768 << 20
    characters: int = 32 << 20


class RenderRequest(NamedTuple):
    """A conversation to render. `spans`: with what is to be trained; `prompt`: with the generation prompt."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Any] | None = None
    extra: Mapping[str, Any] | None = None
    prompt: bool = False
    spans: bool = True


class Reply(NamedTuple):
    """`text` and `spans`; or a fault: its kind (see TemplateFault; "limit") and a sentence, which may hold data.

    by: "generation" or "prefix", how the spans were found; None where none were asked for.
    """

    text: str = ""
    spans: Spans | tuple[()] = ()
    by: str | None = None
    fault: str | None = None
    message: Message | None = None


@dataclass
class Renderer:
    """Renders conversations in a child, which is started when the first one comes. Use it in a `with`.

    sources, special, name: as for `Templates`; now: ISO time that strftime_now tells. handed: the trainer hands on
    these keys of messages, and those that the template reads of them (`keys_read`); the column of the messages.
    """

    sources: Mapping[str, str]
    special: Mapping[str, str]
    name: str | None = None
    limits: RenderLimits = field(default_factory=RenderLimits)
    now: str = NOW.isoformat()
    handed: tuple[str, tuple[str, ...]] | None = None
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _buffer: bytes = field(default=b"", init=False)
    _lost: int = field(default=0, init=False)

    @property
    def source(self) -> str:
        """The text of the template that is rendered."""
        return self.sources.get(self.name or "default", "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            end_child(self._child)
            self._child, self._buffer = None, b""

    def render(self, requests: Iterable[RenderRequest]) -> Iterator[Reply]:
        """One reply per request, in order. The child renders the next batch while the caller works on this one."""
        with ThreadPoolExecutor(1) as ahead:
            waiting: Future[list[Reply]] | None = None
            source = iter(requests)
            while batch := list(islice(source, _BATCH)):
                coming = ahead.submit(self._exchange, batch)
                if waiting is not None:
                    yield from waiting.result()
                waiting = coming
            if waiting is not None:
                yield from waiting.result()

    def _exchange(self, batch: list[RenderRequest]) -> list[Reply]:
        """The replies to a batch; a lost child costs the conversation at which it was, and a new one goes on."""
        replies: list[Reply] = []
        while len(replies) < len(batch):
            if self._lost >= _PATIENCE:
                replies.append(Reply(fault="limit", message=Message("not tried: rendering hit its limits too often")))
                continue
            left = batch[len(replies) :]
            try:
                self._send(left)
                for _ in left:
                    replies.append(self._receive())  # noqa: PERF401 - those before a fault must be kept
            except _LostError as lost:
                self._lost += 1
                self.close()
                replies.append(Reply(fault="limit", message=lost.message))
        return replies

    def _send(self, batch: Sequence[RenderRequest]) -> None:
        if self._child is None:
            self._start()
        self._write(json.dumps(batch, default=_named).encode() + b"\n")

    def _start(self) -> None:
        setup = {
            "sources": self.sources,
            "special": self.special,
            "name": self.name,
            "now": self.now,
            "handed": self.handed,
        }
        # Never the working folder, which may be one of data that holds a jinja2.py; an empty entry would mean it.
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, given)])
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        environment = {**kept, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "datacheck.chat.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            bufsize=0,
            start_new_session=True,
        )
        self._write(json.dumps({**setup, "limits": asdict(self.limits)}).encode() + b"\n")
        self._receive(_START)

    def _write(self, data: bytes) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[self._child.stdin.write(view) :]
        except OSError:
            raise _LostError("the rendering process ended") from None

    def _receive(self, seconds: int | None = None) -> Reply:
        """Wait for one line, as long as one conversation may take (or `seconds`)."""
        assert self._child is not None
        assert self._child.stdout is not None
        pipe = self._child.stdout
        # the child's own limit on processor time comes first, where it works
        until = time.monotonic() + (seconds or self.limits.seconds + 1)
        pieces = [self._buffer]
        ready = select.poll()
        ready.register(pipe, select.POLLIN)
        while b"\n" not in pieces[-1]:
            left = until - time.monotonic()
            if left <= 0 or not ready.poll(left * 1000):
                raise _LostError("one conversation took more than {n} s", n=self.limits.seconds)
            data = os.read(pipe.fileno(), 1 << 20)
            if not data:
                raise _LostError("rendering took more than {n} s or too much memory", n=self.limits.seconds)
            pieces.append(data)
        line, _, self._buffer = b"".join(pieces).partition(b"\n")
        *rest, said = json.loads(line)
        return Reply(*rest)._replace(message=said and Message.from_json(said))


class _LostError(SaidError):
    """The child hit a limit, or is gone."""


def main(requests: IO[bytes], replies: IO[bytes]) -> None:
    """The child: read the setup, then batches until the input ends."""
    setup = json.loads(requests.readline())
    limits = RenderLimits(**setup["limits"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    worker = _Worker(setup, limits)
    _answer(replies, Reply())
    for line in requests:
        for given in json.loads(line):
            _answer(replies, worker.reply(RenderRequest(*given)))


def _named(value: Any) -> str:
    """What is no JSON (a date that a loader made of a text) by its type, as transformers gives it to templates."""
    return f"<{type(value).__name__}>"


def _answer(replies: IO[bytes], reply: Reply) -> None:
    replies.write(json.dumps(reply, default=Message.to_json).encode() + b"\n")
    replies.flush()


class _Worker:
    """Compiles the templates when the first conversation comes: a fault of theirs is the answer to every one."""

    def __init__(self, setup: Mapping[str, Any], limits: RenderLimits) -> None:
        self._setup, self._limits = setup, limits
        self._templates: Templates | TemplateFault | None = None
        self._keys: dict[str, frozenset[str]] = {}

    def reply(self, request: RenderRequest) -> Reply:
        """Render one conversation within the limits."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        allowed = int(used.ru_utime + used.ru_stime) + self._limits.seconds
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))
        try:
            reply = self._rendered(request)
        except TemplateFault as fault:
            return Reply(fault=fault.kind, message=fault.message)
        except (MemoryError, RecursionError):
            return Reply(fault="limit", message=Message("rendering needs too much memory"))
        if len(reply.text) > self._limits.characters:
            return Reply(fault="limit", message=Message("the text has too many characters"))
        return reply

    def _rendered(self, request: RenderRequest) -> Reply:
        template = self._compiled().pick(request.tools)
        messages, tools, extra = request.messages, request.tools, request.extra
        if self._setup["handed"] is not None:
            keys = self._handed(template.source)
            messages = [{key: value for key, value in each.items() if key in keys} for each in messages]
        if not request.spans:
            prompt, nulls = request.prompt, self._setup["handed"] is not None  # such a trainer takes them out itself
            text = template.render(messages, tools=tools, add_generation_prompt=prompt, extra=extra, nulls=nulls).text
            return Reply(text)
        if template.has_generation:
            reply = Reply(*template.render(messages, tools=tools, extra=extra), by="generation")
        else:
            reply = Reply(*prefix_spans(template, messages, tools=tools, extra=extra), by="prefix")
        if not request.prompt:
            return reply
        opened = template.render(messages, tools=tools, add_generation_prompt=True, extra=extra).text
        return reply._replace(text=opened) if opened.startswith(reply.text) else reply

    def _handed(self, source: str) -> frozenset[str]:
        if source not in self._keys:
            column, always = self._setup["handed"]
            self._keys[source] = keys_read(source, column) | frozenset(always)
        return self._keys[source]

    def _compiled(self) -> Templates:
        if self._templates is None:
            now = dt.datetime.fromisoformat(self._setup["now"])
            try:
                self._templates = Templates(self._setup["sources"], self._setup["special"], self._setup["name"], now)
            except TemplateFault as fault:
                self._templates = fault
        if isinstance(self._templates, TemplateFault):
            raise self._templates
        return self._templates


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent alone answers it
    main(sys.stdin.buffer, sys.stdout.buffer)
