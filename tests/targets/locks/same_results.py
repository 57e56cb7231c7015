"""All uses of locks: without hooks, with hooks, and with unreadable lock states."""

import _thread
import contextlib
import ctypes
import queue
import signal
import sys
import threading
import time

from locks import Locks, core, report, start


class Truth:
    """An argument with special truth values."""

    def __init__(self, value):
        self.value = value

    def __bool__(self):
        if self.value is None:
            raise ZeroDivisionError
        return self.value


class Alarm(Exception):
    pass


def ring(*_):
    raise Alarm


ARGUMENTS = [
    ((), {}),
    ((True,), {}),
    ((1, -1), {}),
    ((), {"timeout": -1}),
    ((False,), {}),
    ((0,), {}),
    ((None,), {}),
    ((), {"blocking": False}),
    ((), {"blocking": True, "timeout": 0.001}),
    ((True, 0.001), {}),
    ((True,), {"timeout": 0}),
    ((True, 0.0), {}),
    ((Truth(True), 0.001), {}),
    ((Truth(False),), {}),
    ((Truth(None),), {}),
    ((False, 1), {}),
    ((True, -2), {}),
    ((True, float("nan")), {}),
    ((True, 1e300), {}),
    ((True, 10**30), {}),
    ((True, "soon"), {}),
    ((True, 1, 2), {}),
    ((True,), {"blocking": True}),
    ((), {"unknown": 1}),
    ((True, None), {}),
]


def attempt(function, *arguments, **named):
    try:
        return repr(function(*arguments, **named))
    except BaseException as error:  # noqa: BLE001 - the exception is the result
        return f"{type(error).__name__}: {error}"


def is_patient(arguments, named):
    """Return whether a call would wait forever for a held lock."""
    return (arguments, named) in [ARGUMENTS[i] for i in range(4)]


def try_arguments(make):
    for arguments, named in ARGUMENTS:
        for is_held in (False, True):
            lock = make()
            if is_held:
                # Another thread takes it, so that an RLock is not taken twice.
                thread = start(lock.acquire)
                thread.join()
            for name in ("acquire", "acquire_lock"):
                method = getattr(lock, name, None)
                if method and not (is_held and is_patient(arguments, named)):
                    yield attempt(method, *arguments, **named)
                    yield attempt(lock.locked) if hasattr(lock, "locked") else ""
                    yield attempt(lock.release)


def try_misuse(make):
    lock = make()
    yield attempt(lock.release)
    yield attempt(lock.__exit__, None, None, None)
    yield attempt(lock.acquire)
    yield attempt(lock.release, 1)
    yield attempt(lock.__exit__)
    yield attempt(lock.release)
    yield attempt(lock.__enter__)
    yield attempt(lock.__enter__, 1) if sys.version_info >= (3, 15) else ""
    yield attempt(type(lock).acquire)
    yield attempt(type(lock).acquire, 1)
    yield attempt(type(lock).release, object())
    yield attempt(type(lock).__exit__, lock, 1, 2, 3)


def try_with(make):
    lock = make()
    with lock as entered:
        yield repr(entered)
    try:
        with lock:
            raise KeyError(1)
    except KeyError as error:
        yield repr(error)
    yield attempt(lock.release)
    with contextlib.ExitStack() as stack:
        stack.enter_context(lock)
    yield attempt(lock.acquire)


def try_recursion(make):
    lock = make()
    for _ in range(3):
        yield attempt(lock.acquire)
    yield attempt(lock._is_owned)
    saved = lock._release_save()
    yield repr(saved[0])
    yield attempt(lock._is_owned)
    yield attempt(lock._acquire_restore, saved)
    yield attempt(lock._acquire_restore)
    yield attempt(lock._acquire_restore, 1)
    yield attempt(lock._acquire_restore, (1, 2, 3))
    other = []
    start(lambda: other.append((attempt(lock.release), attempt(lock.acquire, False)))).join()
    yield repr(other)
    for _ in range(4):
        yield attempt(lock.release)


def try_interruption(make):
    """Interrupt a wait: a handler that raises ends it, any other does not."""
    lock = make()
    start(lock.acquire).join()
    rung = threading.Event()
    signal.signal(signal.SIGALRM, ring)
    for call in (lambda: lock.acquire(timeout=20), lock.acquire, lock.__enter__):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        yield attempt(call)
    signal.signal(signal.SIGALRM, lambda *_: rung.set())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    yield attempt(lambda: [lock.acquire(True, 0.02) for _ in iter(rung.is_set, True)][:0])


def try_hand_over(make):
    """Hand a lock from waiter to waiter; none may be forgotten."""
    lock = make()
    lock.acquire()
    got = []

    def take(how):
        if how == "with":
            with lock:
                got.append(1)
        elif lock.acquire(timeout=20):
            got.append(1)
            lock.release()

    threads = [start(take, ("with", "call")[i % 2]) for i in range(8)]
    time.sleep(0.01)
    lock.release()
    for thread in threads:
        thread.join()
    yield repr(got)


def try_conditions():
    for make in (threading.Lock, threading.RLock):
        condition = threading.Condition(make())
        yield attempt(condition.wait)
        yield attempt(condition.notify)
        with condition:
            yield attempt(condition.wait, 0.001)
        reported = []

        def wait(condition=condition, reported=reported):
            with condition:
                reported.append(condition.wait_for(lambda: len(reported) >= 0, 20))

        threads = [start(wait) for _ in range(4)]
        for thread in threads:
            thread.join()
        yield repr(reported)
    event = threading.Event()
    yield attempt(event.wait, 0.001)
    threads = [start(event.wait) for _ in range(4)]
    event.set()
    for thread in threads:
        thread.join()
    yield attempt(event.wait)
    semaphore = threading.BoundedSemaphore(2)
    yield attempt(semaphore.acquire)
    yield attempt(semaphore.acquire)
    yield attempt(semaphore.acquire, True, 0.001)
    yield attempt(semaphore.release, 2)
    yield attempt(semaphore.release)
    barrier = threading.Barrier(4)
    ranks = []
    threads = [start(lambda: ranks.append(barrier.wait())) for _ in range(4)]
    for thread in threads:
        thread.join()
    yield repr(sorted(ranks))


def try_queues():
    for make in (queue.Queue, queue.SimpleQueue, queue.LifoQueue):
        numbers = make()
        yield attempt(numbers.get, False)
        yield attempt(numbers.get, True, 0.001)
        yield attempt(numbers.get, timeout=0.001)
        yield attempt(numbers.get, timeout=-1)
        yield attempt(numbers.get, block=False)
        yield attempt(numbers.get, 1, 2, 3)
        yield attempt(numbers.get, unknown=1)
        got = []
        threads = [start(lambda n=numbers, got=got: got.append(n.get())) for _ in range(4)]
        for i in range(5):
            numbers.put(i)
        for thread in threads:
            thread.join()
        yield repr(sorted([*got, numbers.get()]))


def try_joins():
    done = threading.Event()
    thread = threading.Thread(target=done.wait, daemon=True)
    yield attempt(thread.join)
    thread.start()
    for timeout in (0, 0.001, -1, 1e300):
        yield attempt(thread.join, timeout).split(":")[0]
    yield repr(thread.is_alive())
    done.set()
    yield attempt(thread.join)
    yield attempt(thread.join)
    yield attempt(threading.current_thread().join).split(":")[0]


class Own(type(threading.RLock())):
    """A subclass of RLock."""

    def acquire(self, *arguments, **named):
        return super().acquire(*arguments, **named)


def write_down():
    lines = []
    for make in (threading.Lock, threading.RLock, Own):
        trials = [try_arguments, try_misuse, try_with, try_interruption, try_hand_over]
        if make is not threading.Lock:
            trials += [try_recursion]
        for trial in trials:
            lines += [f"{make.__name__} {trial.__name__}: {line}" for line in trial(make)]
    for trial in (try_conditions, try_queues, try_joins):
        lines += [f"{trial.__name__}: {line}" for line in trial()]
    return lines


def find_differences(lines, others):
    return [pair for pair in zip(lines, others) if pair[0] != pair[1]] + (
        [(len(lines), len(others))] if len(lines) != len(others) else []
    )


def list_methods():
    """Return the C functions behind bound methods that a program keeps."""
    lock, recursive = threading.Lock(), threading.RLock()
    return [lock.acquire, lock.release, lock.__enter__, recursive.acquire, recursive.release]


def list_pointers():
    """Return the C functions of all methods, and tp_dealloc."""
    word, found = ctypes.c_void_p.from_address, []
    handle = getattr(_thread, "_ThreadHandle", None)
    for type_ in filter(None, (_thread.LockType, _thread.RLock, queue.SimpleQueue, handle)):
        found.append(word(id(type_) + 48).value)
        for name, method in sorted(vars(type_).items()):
            if type(method).__name__ == "method_descriptor":
                found.append((name, word(word(id(method) + 40).value + 8).value))
    return found


kept, pointers = list_methods(), list_pointers()
definitions = {name: vars(type(kept[0].__self__))[name] for name in ("acquire", "release")}
before = write_down()
with Locks():
    with_words = core.lock_source()
    n_swapped = sum(one != other for one, other in zip(pointers, list_pointers()))
    hooked = write_down()
    kept_results = [attempt(method) for method in kept]
    are_same = all(
        vars(type(kept[0].__self__))[name] is method for name, method in definitions.items()
    )
with Locks(is_try_first=True):
    without = core.lock_source()
    tried = write_down()
after = write_down()
core.lock_install()  # without tables
core.lock_remove()
report(
    n_lines=len(before),
    sources=[with_words, without, core.lock_source()],
    hooked=find_differences(before, hooked),
    tried=find_differences(before, tried),
    after=find_differences(before, after),
    kept=kept_results,
    are_same_objects=are_same,
    n_swapped=n_swapped,
    is_undone=list_pointers() == pointers,
)
