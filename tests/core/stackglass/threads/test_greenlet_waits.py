"""What a greenlet waits in, by its innermost frames."""

from __future__ import annotations

import pytest

from harness.thread_reports import make_stack
from stackglass.threads.greenlet_waits import name_link, name_wait


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("gevent.hub.sleep app.poll", "sleep"),
        ("gevent._socketcommon.SocketMixin.recv app.read", "socket.recv"),
        ("gevent.pool.Pool.add gevent.pool.Pool.start gevent.pool.Group.spawn app.serve",
         "gevent.Group.spawn"),
        ("gevent.select.SelectResult.select gevent.select.select app.main", "gevent.select"),
        ("gevent.thread.LockType.acquire app.work", "threading.Lock.acquire"),
        ("gevent.thread.LockType.acquire threading.Condition.wait threading.Event.wait app.work",
         "threading.Event.wait"),
        ("eventlet.hubs.hub.BaseHub.switch eventlet.hubs.trampoline "
         "eventlet.greenio.base.GreenSocket._recv_loop eventlet.greenio.base.GreenSocket.recv "
         "app.read eventlet.greenthread.GreenThread.main", "socket.recv"),
        ("eventlet.hubs.hub.BaseHub.switch eventlet.event.Event.wait "
         "eventlet.greenthread.GreenThread.wait app.main", "eventlet.GreenThread.wait"),
        ("app.work gevent.hub.sleep", ""),  # the program's own code has switched
        ("gevent.hub.Hub.run", ""),
        ("eventlet.hubs.timer.Timer.__call__ eventlet.hubs.hub.BaseHub.run", ""),
        ("greenlets.wait", ""),  # a library that is not known
        ("", ""),
    ],
)  # fmt: skip
def test_the_outermost_call_that_waits_counts(stack: str, expected: str) -> None:
    assert name_wait(make_stack(*stack.split())) == expected


@pytest.mark.parametrize(
    ("link", "awaited", "expected"),
    [
        ("Event", "", "gevent.Event.wait"),
        ("Queue.put", "", "gevent.Queue.put"),
        ("Greenlet", "worker", "greenlet worker"),
        ("Greenlet", "", "greenlet without a name"),
        ("wait", "", "gevent.wait"),
        ("Own", "", "gevent.Own"),  # of a gevent to come
        ("", "", ""),
    ],
)
def test_what_wakes_it_names_the_wait(link: str, awaited: str, expected: str) -> None:
    assert name_link(link, awaited) == expected
