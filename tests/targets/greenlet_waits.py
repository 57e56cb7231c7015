"""Greenlets of gevent or eventlet (``LIBRARY``) that each wait in another way, or have not begun.
Their names say in which way. Then the whole thread sleeps, so that nothing changes."""

import os
import sys
import time

from rounds import announce, digest

LIBRARY = os.environ["LIBRARY"]
os.environ["EVENTLET_NO_GREENDNS"] = "yes"  # its dnspython may not run on 3.9
pause = time.sleep  # before it is patched


def leave_out():
    announce(ready=LIBRARY, pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)


def make_gevent():
    from gevent import monkey

    monkey.patch_all()
    import gevent
    import gevent.event
    import gevent.hub
    import gevent.lock
    import gevent.pool
    import gevent.queue
    import gevent.socket

    pool = gevent.pool.Pool(1)
    pool.spawn(gevent.sleep, 9e5)
    lock = gevent.lock.RLock()
    lock.acquire()
    worker = gevent.spawn(gevent.sleep, 9e5)
    worker.name = "worker"
    full, channels = gevent.queue.Queue(1), [gevent.queue.Channel(), gevent.queue.Channel()]
    full.put(gevent.hub.Waiter())
    events = [gevent.event.Event(), gevent.event.AsyncResult()]

    class Signal(gevent.event.Event):
        """A primitive of the program's own."""

    # From the signal on all wait in compiled code.
    ways = {
        "gevent.RLock.acquire": lock.acquire,
        "gevent.Group.join": pool.join,
        "gevent.Group.spawn": lambda: pool.spawn(gevent.sleep, 9e5),
        "gevent.Event.wait": Signal().wait,
        "gevent.AsyncResult.get": gevent.event.AsyncResult().get,
        "gevent.Semaphore.acquire": gevent.lock.Semaphore(0).acquire,
        "gevent.SimpleQueue.get": gevent.queue.SimpleQueue().get,
        "gevent.LifoQueue.get": gevent.queue.LifoQueue().get,
        "gevent.Queue.put": lambda: full.put(1),
        "gevent.Channel.get": channels[0].get,
        "gevent.Channel.put": lambda: channels[1].put(1),
        "greenlet worker": worker.join,
        "gevent.wait": lambda: gevent.wait(events),
        "unknown": gevent.hub.Waiter().get,
        "unknown, two": lambda: wait_for_two(events),
        "unknown, queued": lambda: wait_as_item(gevent.hub.Waiter()),
        "unknown, to be killed": lambda: wait_until_killed(events[0]),
    }
    return gevent.spawn, gevent.sleep, gevent.socket.socketpair(), ways


def wait_for_two(events):
    """Wait for two events, linked by hand, each of which wakes the greenlet."""
    import gevent

    for event in events:
        event.rawlink(gevent.getcurrent().switch)
    gevent.get_hub().switch()


def wait_as_item(waiter):
    """Wait for an object that is also an item of a queue."""
    import gevent.queue

    queued.append(gevent.queue.Queue(items=[waiter]))
    waiter.get()


def make_eventlet():
    import eventlet

    eventlet.monkey_patch()
    import eventlet.event
    import eventlet.queue
    import eventlet.semaphore
    from eventlet.green import socket

    ways = {
        "eventlet.Event.wait": eventlet.event.Event().wait,
        "eventlet.Semaphore.acquire": eventlet.semaphore.Semaphore(0).acquire,
        "eventlet.LightQueue.get": eventlet.queue.LightQueue().get,
        "eventlet.GreenThread.wait": eventlet.spawn(eventlet.sleep, 9e5).wait,
    }
    return eventlet.spawn, eventlet.sleep, socket.socketpair(), ways


def wait_until_killed(event):
    """Wait for a kill; the event ends the greenlet, but is not what it waits for."""
    import gevent

    event.rawlink(gevent.getcurrent().kill)
    gevent.hub.Waiter().get()


def wait_in(way):
    return way()


try:
    spawn, sleep, (near, far), ways = make_gevent() if LIBRARY == "gevent" else make_eventlet()
except ImportError:
    leave_out()

import threading  # noqa: E402  as the library has patched it

condition = threading.Condition()
kept, queued = [], []


def wait_for_condition():
    with condition:
        condition.wait()


ways.update(
    {
        "sleep": lambda: sleep(9e5),
        "socket.recv": lambda: near.recv(1),
        "threading.Condition.wait": wait_for_condition,
    }
)
for name, way in ways.items():
    kept.append(spawn(wait_in, way))
    kept[-1].name = name
bare = "gevent.BoundedSemaphore.acquire"  # not even a function of the program around it
if LIBRARY == "gevent":
    from gevent.lock import BoundedSemaphore

    lock = BoundedSemaphore(1)
    lock.acquire()
    kept.append(spawn(lock.acquire))
    kept[-1].name = bare
sleep(0.01)


def stay():
    kept.append(spawn(wait_in, None))
    kept[-1].name = "not begun"
    announce(ready=LIBRARY, pid=os.getpid(), has_library=True, bare=bare, n=len(kept))
    while not os.path.exists(sys.argv[1]):
        pause(0.05)
    announce(result=digest(len(kept)), rounds=1, wrong=0)
    os._exit(0)


def run_linked(event):
    """Run while an event is linked to this greenlet."""
    import gevent

    event.rawlink(gevent.getcurrent().switch)
    queued.append(event)
    sleep(0)  # it has been suspended, too
    stay()


if LIBRARY == "eventlet":
    stay()
import gevent.event  # noqa: E402  as above

runs = spawn(run_linked, gevent.event.Event())
runs.name = "running"
runs.join()
