"""The endpoints as an ASGI application: each request on a thread of its own, ended when the client
hangs up."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Collection, MutableMapping
from typing import Any, Callable

from stackglass.http import endpoints, hosts, paths
from stackglass.http.messages import Request, Response, Source

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

_SLICE_S = 0.1


def make_application(source: Source, names: Collection[str] = ()) -> Application:
    """An application that serves ``/debug/pprof/``, mounted there, at the root or elsewhere.

    ``names``: host names that requests may use, besides addresses and localhost.
    """
    names = hosts.read_names(names)

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            has_left = threading.Event()
            listening = asyncio.ensure_future(_listen(receive, has_left))
            try:
                response = await _respond(_read(scope), source, names, has_left)
            finally:
                has_left.set()
                listening.cancel()
            await _send(response, scope["method"], send)

    return application


async def _respond(
    request: Request, source: Source, names: Collection[str], has_left: threading.Event
) -> Response:
    """Answer a request on a thread of its own: the request may wait for minutes."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[Response] = loop.create_future()

    def settle(response: Response | None, error: BaseException | None) -> None:
        if answered.done():
            return
        if response is not None:
            answered.set_result(response)
        else:
            answered.set_exception(error or RuntimeError("no response"))

    def run() -> None:
        response, failure = None, None
        try:
            response = endpoints.respond(
                request, source, lambda seconds: _wait(seconds, has_left), names
            )
        except BaseException as error:  # noqa: BLE001 # raised again where it is awaited
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, response, failure)

    threading.Thread(target=run, name="stackglass http", daemon=True).start()
    return await answered


def _wait(seconds: float, has_left: threading.Event) -> bool:
    """Wait; False as soon as the client has left. By sleep: a wait for an event is a wait for a
    lock, and would be in the program's block profile."""
    until_s = time.monotonic() + seconds
    while not has_left.is_set():
        left_s = until_s - time.monotonic()
        if left_s <= 0:
            return True
        time.sleep(min(left_s, _SLICE_S))
    return False


def _read(scope: Message) -> Request:
    path, base_path = paths.locate(scope.get("root_path", ""), scope["path"])
    headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
    return Request(
        scope["method"],
        path,
        scope.get("query_string", b"").decode("latin-1"),
        hosts.complete(
            headers.get(b"host", b"").decode("latin-1"), str(scope.get("http_version", ""))
        ),
        base_path,
    )


async def _listen(receive: Receive, has_left: threading.Event) -> None:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            has_left.set()
            return


async def _send(response: Response, method: str, send: Send) -> None:
    headers = [*response.headers, ("Content-Length", str(len(response.body)))]
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": [
                (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
            ],
        }
    )
    body = b"" if method == "HEAD" else response.body
    await send({"type": "http.response.body", "body": body})


async def _live(receive: Receive, send: Send) -> None:
    """Acknowledge the server's start and end; the application has no state of its own."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
