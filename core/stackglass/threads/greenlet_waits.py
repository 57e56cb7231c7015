"""Greenlet waits: what a suspended greenlet waits in, as in ``sleep`` or ``gevent.Event.wait``.

::

    gevent._socketcommon.SocketMixin.recv   ◀ leaf
    app.handle                              the program's: the search ends here

Only frames of gevent, eventlet and of the standard library, which both patch, are searched. The
outermost waiting call among them is the one that the program made.

gevent's compiled primitives have no frames. For them the engine finds the object that will wake the
greenlet (`native/threads/greenlet_links.h`), and its type says what the greenlet waits in.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stackglass.wire.definitions import Line

_LIBRARIES = ("gevent.", "eventlet.")
_PATCHED = ("threading.", "queue.", "concurrent.futures.", "socket.", "ssl.", "subprocess.")
_SOCKETS = (
    "gevent._socket3.socket.",
    "gevent._socketcommon.SocketMixin.",
    "gevent.ssl.SSLSocket.",
    "eventlet.greenio.base.GreenSocket.",
    "eventlet.green.ssl.GreenSSLSocket.",
)
_PATCHED_LOCK = "gevent.thread.LockType.acquire"
_CALLS = frozenset(
    [
        "accept",
        "acquire",
        "add",
        "apply",
        "connect",
        "connect_ex",
        "do_handshake",
        "get",
        "idle",
        "join",
        "joinall",
        "poll",
        "put",
        "read",
        "recv",
        "recv_into",
        "recvfrom",
        "recvfrom_into",
        "recvmsg",
        "result",
        "select",
        "send",
        "sendall",
        "sendmsg",
        "sendto",
        "sleep",
        "spawn",
        "spawn_n",
        "wait",
        "wait_all",
        "waitall",
        "write",
    ]
)

_WAITS_IN = {
    "AsyncResult": "get",
    "BoundedSemaphore": "acquire",
    "Event": "wait",
    "Semaphore": "acquire",
}
"""By gevent's type: the method that waits; of a type with several, the usual one."""

_GREENLET = "Greenlet"


def name_wait(stack: Sequence[Line]) -> str:
    """The call in which a greenlet with this stack, leaf first, waits; empty = it is not known."""
    found = ""
    for line in stack:
        if not line.function.startswith((*_LIBRARIES, *_PATCHED)):
            break
        if line.function.rpartition(".")[2] in _CALLS:
            found = line.function
    return _shorten(found) if found.startswith(_LIBRARIES) else found


def name_link(link: str, awaited: str) -> str:
    """What a greenlet waits in; empty = it is not known. ``link``: the type of the object that will
    wake it (``Event``, ``Queue.get``); ``awaited``: that object's name, if it is a greenlet."""
    if link == _GREENLET:
        return f"greenlet {awaited or 'without a name'}"
    method = _WAITS_IN.get(link)
    return f"gevent.{link}.{method}" if method else f"gevent.{link}" if link else ""


def _shorten(function: str) -> str:
    """As the program writes it: ``gevent.Group.join`` of ``gevent.pool.Group.join``."""
    library, *path, call = function.split(".")
    if function.startswith(_SOCKETS):
        return f"socket.{call}"
    if function == _PATCHED_LOCK:
        return "threading.Lock.acquire"
    if call == "sleep":
        return call
    owner = path[-1] if path else ""
    is_class = owner[:1].isupper()
    return f"{library}.{owner}.{call}" if is_class else f"{library}.{call}"
