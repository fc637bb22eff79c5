"""The server: on 127.0.0.1 alone, until Ctrl-C."""

import contextlib
import html
import socket
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Protocol

import uvicorn
from starlette.applications import Starlette

from datacheck.errors import UsageError
from datacheck.interrupts import handled
from datacheck.view.access import Access, new_base


class Makes(Protocol):
    """Pages, of a report or of a registry."""

    def app(self) -> Starlette:
        """The application."""


def serve(make: Callable[[str], Makes], port: int, tell: Callable[[str], None], *, opened: bool = False) -> None:
    """Answer until SIGINT or SIGTERM.

    Args:
        make: the pages, below a path.
        port: 0 for any that is free.
        tell: hears the address, once connections are taken.
        opened: whether a browser opens it.

    Raises UsageError where the port is taken.
    """
    base = new_base()
    pages = make(base).app()
    with _listening(port) as taken:
        access = Access(pages, taken.getsockname()[1], base)
        # Its logs would hold what is asked for, and tracebacks what stands in the data.
        config = uvicorn.Config(
            access, log_config=None, access_log=False, lifespan="off", ws="none", proxy_headers=False,
            server_header=False, timeout_graceful_shutdown=2,
        )  # fmt: skip
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]

        def stop(_number: int, _frame: FrameType | None) -> None:
            server.should_exit = True

        with handled(stop), contextlib.ExitStack() as stack:
            tell(access.first)
            if opened:
                webbrowser.open(stack.enter_context(_page_to(access.first)))
            server.run(sockets=[taken])


def _listening(port: int) -> socket.socket:
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(("127.0.0.1", port))
        taken.listen(64)  # from here on the address answers
    except OSError as error:
        taken.close()
        raise UsageError("--port {port}: cannot be used ({reason})", port=port, reason=error.strerror or "") from None
    return taken


@contextlib.contextmanager
def _page_to(address: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """A file that leads to an address: other users see the arguments of a browser, but not this."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "view.html"
        page.touch(0o600)
        page.write_text(f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">', encoding="utf-8")
        yield page.as_uri()
