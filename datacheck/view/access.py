"""Who may see the page: whoever has the token of the printed address, once, and from then on that browser.

Any other user of the machine reaches 127.0.0.1, too, and any page that the browser has open can send requests here: so
nothing is answered without the cookie, under another name of this host, or to a form of another page. Cookies know no
ports; this one is bound to a path that only this process knows, or whatever else listens here would be sent it.
"""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none at all, browsers hide where a form of ours comes from
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
_REFUSED = "403: open the address that `datacheck view` printed; it works once, for one browser\n"
_COOKIE = "datacheck"


class Access:
    """An application behind the token; `first` is the address to print."""

    def __init__(self, app: ASGIApp, port: int, base: str) -> None:
        """base: the path below which the application answers, as `new_base` makes it."""
        self._app, self._base = app, base
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._token, self._secret = secrets.token_urlsafe(24), secrets.token_urlsafe(32)
        self._used = False
        self.first = f"http://{self._hosts[0]}/{self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        answer: ASGIApp = PlainTextResponse(_REFUSED, 403)
        headers = Headers(scope=scope)
        if self._host_is_ours(headers):
            if self._is_let_in(scope, headers):
                answer = self._app
            elif self._exchanges(scope):
                answer = self._welcome()
        await answer(scope, receive, sent)

    def _host_is_ours(self, headers: Headers) -> bool:
        """Under a name of somebody else's, a page of theirs would be of one origin with ours."""
        return headers.getlist("host") in ([host] for host in self._hosts)

    def _is_let_in(self, scope: Scope, headers: Headers) -> bool:
        given = _cookie(headers.get("cookie", ""))
        if not hmac.compare_digest(given.encode(), self._secret.encode()) or not scope["path"].startswith(self._base):
            return False
        own = f"http://{headers['host']}"
        return scope["method"] in ("GET", "HEAD") or headers.getlist("origin") == [own]

    def _exchanges(self, scope: Scope) -> bool:
        """Whether it is the token, for the first time."""
        path = scope["path"].encode("utf-8", "surrogateescape")
        fits = scope["method"] == "GET" and hmac.compare_digest(path, f"/{self._token}".encode())
        first = fits and not self._used
        self._used |= fits
        return first

    def _welcome(self) -> HTMLResponse:
        """A page that goes on by itself: a redirection out of another program would come without a strict cookie."""
        page = f'<!doctype html><meta charset="utf-8"><title>datacheck</title><a href="{self._base}">datacheck</a>'
        answer = HTMLResponse(page, headers={"refresh": f"0; url={self._base}"})
        answer.set_cookie(_COOKIE, self._secret, path=self._base, httponly=True, samesite="strict")
        return answer


def new_base() -> str:
    """A path that nobody else knows."""
    return f"/{secrets.token_hex(16)}/"


def _cookie(given: str) -> str:
    try:
        found = SimpleCookie(given).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
