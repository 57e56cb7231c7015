"""Threads, named after what wakes them, and one that nothing wakes."""

import contextvars
import functools
import os
import queue
import signal
import threading
import weakref

from waiting import BY_FINALIZE, BY_FINALIZER, WAKERS, start_thread

CONTEXT = contextvars.ContextVar("queue")


def wake_by_signal():
    event = threading.Event()
    start_thread("thread by a signal", event.wait)
    signal.signal(signal.SIGUSR2, lambda *_: event.set())
    WAKERS.append(lambda: os.kill(os.getpid(), signal.SIGUSR2))


def wake_by_pipe():
    """Wake by a thread that has the event and sleeps in a system call."""
    event, (near, far) = threading.Event(), os.pipe()
    start_thread("thread by a thread", event.wait)
    start_thread("thread by a pipe", lambda: os.read(near, 1) and event.set())
    WAKERS.append(functools.partial(os.write, far, b"x"))


def wake_by_generator():
    event = threading.Event()

    def generate():
        mine = event
        yield
        mine.set()

    generator = generate()
    next(generator)
    start_thread("thread by a generator", event.wait)
    WAKERS.append(lambda: list(generator))


def wake_by_context():
    context, work = contextvars.copy_context(), queue.Queue()
    context.run(CONTEXT.set, work)
    start_thread("thread by a context", work.get)
    WAKERS.append(lambda: context.run(lambda: CONTEXT.get().put(1)))


def wake_by_thread_local():
    """Wake by a running thread, which has the event in a threading.local."""
    near, far = os.pipe()
    values, ready = threading.local(), threading.Event()

    def hold():
        values.work = queue.Queue()
        start_thread("thread by a thread's value", values.work.get)
        ready.set()
        os.read(near, 1)
        values.work.put(1)

    start_thread("thread with a value", hold)
    ready.wait()
    WAKERS.append(lambda: os.write(far, b"x"))


def wake_by_finalizer():
    class Closing:
        def __init__(self, event):
            self.event, self.own = event, self

        def __del__(self):
            self.event.set()

    event = threading.Event()
    start_thread(BY_FINALIZER, event.wait)
    Closing(event)


def wake_by_finalize():
    class Referent:
        def __init__(self):
            self.own = self

    event = threading.Event()
    start_thread(BY_FINALIZE, event.wait)
    weakref.finalize(Referent(), event.set)


def wake_by_sqlite():
    """Wake by a function that only C code holds."""
    try:
        import sqlite3
    except ImportError:
        return
    event, connection = threading.Event(), sqlite3.connect(":memory:", check_same_thread=False)
    connection.create_function("wake", 0, lambda: event.set() or 1)
    start_thread("thread by sqlite", event.wait)
    WAKERS.append(lambda: connection.execute("select wake()").fetchall())


def wake_by_bound_methods():
    """Wake by the lock's bound release, and by a condition that the program refers to weakly."""
    lock = threading.Lock()
    lock.acquire()
    release = lock.release
    start_thread("thread by a bound method", lock.acquire)
    WAKERS.append(release)
    condition = threading.Condition()

    def wait():
        with condition:
            condition.wait()

    start_thread("thread by a condition", wait)

    condition_of = weakref.ref(condition)

    def wake():
        with condition_of():
            condition_of().notify_all()

    WAKERS.append(wake)


def get(work):
    work.get()


def start_threads():
    for start in (
        *(wake_by_signal, wake_by_pipe, wake_by_generator, wake_by_context, wake_by_thread_local),
        *(wake_by_finalizer, wake_by_finalize, wake_by_sqlite, wake_by_bound_methods),
    ):
        start()
    threading.Thread(target=get, args=(queue.Queue(),), name="leaked thread", daemon=True).start()
