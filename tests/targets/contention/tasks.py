"""Tasks that wait for asyncio's primitives; the program also measures each wait.

A row is [primitive, frames, number of the lock, count, total_ns]. ``delay_ns`` is how long the
thread was ready meanwhile and had no processor.
"""

import asyncio
import contextlib
import sys
import time

from contention import MUTEX, PAIR, TASK, Contention, core, report

PAUSE_S = 0.02
OWNERS = [name for name, *_ in core.contention_primitives()]


class Measured:
    """Measures a wait of a task; a context manager."""

    total_ns = 0

    def __enter__(self):
        self.began_ns = time.monotonic_ns()

    def __exit__(self, *error):
        Measured.total_ns += time.monotonic_ns() - self.began_ns


async def take_lock(lock):
    with Measured():
        async with lock:
            pass


async def hold_lock(lock):
    async with lock:
        await asyncio.sleep(PAUSE_S)


async def have_lock_held():
    lock = asyncio.Lock()
    holder = asyncio.ensure_future(hold_lock(lock))
    await asyncio.sleep(0)
    await asyncio.gather(*(take_lock(lock) for _ in range(3)))
    await holder


async def take_semaphore(semaphore):
    with Measured():
        await semaphore.acquire()


async def have_semaphore_held():
    semaphore = asyncio.BoundedSemaphore(1)
    await semaphore.acquire()
    waiting = asyncio.ensure_future(take_semaphore(semaphore))
    await asyncio.sleep(PAUSE_S)
    semaphore.release()
    await waiting


def release_first(semaphore):
    semaphore.release()


def release_second(semaphore):
    semaphore.release()


async def have_semaphore_released_twice():
    """Release twice: at the second release the first task is woken, and waits only for the loop."""
    semaphore = asyncio.Semaphore(0)
    waiting = [asyncio.ensure_future(take_semaphore(semaphore)) for _ in range(2)]
    await asyncio.sleep(PAUSE_S)
    release_first(semaphore)
    time.sleep(PAUSE_S)
    release_second(semaphore)
    await asyncio.gather(*waiting)


async def wait_for_event(event):
    with Measured():
        await event.wait()


async def set_event(event):
    await asyncio.sleep(PAUSE_S)
    event.set()


async def have_event_set():
    event = asyncio.Event()
    await asyncio.gather(wait_for_event(event), wait_for_event(event), set_event(event))


async def wait_for_condition(condition, state):
    with Measured():
        async with condition:
            await condition.wait_for(lambda: state)


async def have_condition_notified():
    condition, state = asyncio.Condition(), []
    waiting = asyncio.ensure_future(wait_for_condition(condition, state))
    await asyncio.sleep(PAUSE_S)
    async with condition:
        state.append(1)
        condition.notify()
        await asyncio.sleep(PAUSE_S)
    await waiting


async def get_item(queue):
    with Measured():
        return await queue.get()


async def put_item(queue):
    with Measured():
        await queue.put(1)


async def join_queue(queue):
    with Measured():
        await queue.join()


async def have_queue_used():
    queue = asyncio.Queue(1)
    getting = asyncio.ensure_future(get_item(queue))
    await asyncio.sleep(PAUSE_S)
    await put_item(queue)
    assert await getting == 1
    await put_item(queue)
    putting = asyncio.ensure_future(put_item(queue))
    joining = asyncio.ensure_future(join_queue(queue))
    await asyncio.sleep(PAUSE_S)
    for _ in range(2):
        await get_item(queue)
        await asyncio.sleep(0)
    for _ in range(3):
        queue.task_done()
    await asyncio.gather(putting, joining)


async def wait_at_barrier(barrier):
    with Measured():
        await barrier.wait()


async def have_barrier_passed():
    barrier = asyncio.Barrier(2)
    first = asyncio.ensure_future(wait_at_barrier(barrier))
    await asyncio.sleep(PAUSE_S)
    await wait_at_barrier(barrier)
    await first


async def have_wait_end_otherwise():
    """End waits by a timeout, by cancellation, and never: the loop is closed."""
    lock = asyncio.Lock()
    await lock.acquire()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(take_lock(lock), PAUSE_S)
    cancelled = asyncio.ensure_future(take_lock(lock))
    await asyncio.sleep(PAUSE_S)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)


async def hurry():
    """Use primitives without any wait."""
    lock, event, semaphore, queue = (
        asyncio.Lock(),
        asyncio.Event(),
        asyncio.Semaphore(2),
        asyncio.Queue(),
    )
    event.set()
    await take_lock(lock)
    await take_semaphore(semaphore)
    await wait_for_event(event)
    await put_item(queue)
    await get_item(queue)
    await asyncio.sleep(0)


def read_delay_ns():
    """Return the thread's time without a processor; 0 if the system does not report it."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1])
    except FileNotFoundError:
        return 0


def run(session, function):
    """Return rows of tasks, of releases and of pairs, and the tasks' own measurements, in ns."""
    Measured.total_ns = 0
    delay_ns = read_delay_ns()
    asyncio.run(function())
    delay_ns = read_delay_ns() - delay_ns
    facts = {
        "measured_ns": Measured.total_ns,
        "delay_ns": delay_ns,
        "n_waits": core.asyncio_waits(),
    }
    rows = session.read(only_changed=True)
    for kind, name in ((TASK, "tasks"), (MUTEX, "releases"), (PAIR, "pairs")):
        facts[name] = sorted(
            [OWNERS[row.primitive], row.names, row.lock, row.count, row.total_ns]
            for row in rows
            if row.kind == kind
        )
    facts["others"] = [row.others for row in rows if row.kind == PAIR]
    return facts


with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_are_due()
    assert core.asyncio_maintain()
    core.contention_learn()
    scenes = [
        hurry,
        have_lock_held,
        have_semaphore_held,
        have_semaphore_released_twice,
        have_event_set,
        have_condition_notified,
        have_queue_used,
        have_wait_end_otherwise,
    ]
    if sys.version_info >= (3, 11):
        scenes.append(have_barrier_passed)
    facts = {scene.__name__: run(session, scene) for scene in scenes}
    facts["n_locks"] = len(core.contention_locks())
    facts["n_dead"] = sum(is_dead for *_, is_dead in core.contention_locks())
    facts["n_bad_walks"] = core.contention_status()["n_bad_walks"]
    core.asyncio_close()
    facts["after"] = run(session, have_lock_held)
report(**facts)
