"""Greenlets of gevent or eventlet (``LIBRARY``) that each wait in another way, or have not begun;
their names say for what. The whole thread sleeps then, so that nothing changes."""

import os
import sys
import time

from rounds import announce, digest

LIBRARY = os.environ["LIBRARY"]
os.environ["EVENTLET_NO_GREENDNS"] = "yes"  # the dnspython of an index may not run on 3.9
pause = time.sleep  # before it is patched


def leave_out():
    announce(ready=LIBRARY, pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)


def make_gevent():
    from gevent import monkey

    monkey.patch_all()
    import gevent
    import gevent.lock
    import gevent.pool
    import gevent.socket

    pool = gevent.pool.Pool(1)
    pool.spawn(gevent.sleep, 9e5)
    lock = gevent.lock.RLock()
    lock.acquire()
    plain = gevent.lock.Semaphore(0)
    ways = {
        "gevent.RLock.acquire": lock.acquire,
        "gevent.Group.join": pool.join,
        "gevent.Group.spawn": lambda: pool.spawn(gevent.sleep, 9e5),
        "unknown": plain.acquire,  # by C code alone
    }
    return gevent.spawn, gevent.sleep, gevent.socket.socketpair(), ways


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


def wait_in(way):
    return way()


try:
    spawn, sleep, (near, far), ways = make_gevent() if LIBRARY == "gevent" else make_eventlet()
except ImportError:
    leave_out()

import threading  # noqa: E402  as the library has patched it

condition = threading.Condition()


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
kept = []
for name, way in ways.items():
    kept.append(spawn(wait_in, way))
    kept[-1].name = name
sleep(0.01)
kept.append(spawn(wait_in, None))
kept[-1].name = "not begun"
announce(ready=LIBRARY, pid=os.getpid(), has_library=True)
while not os.path.exists(sys.argv[1]):
    pause(0.05)
announce(result=digest(len(kept)), rounds=1, wrong=0)
os._exit(0)
