"""Two hundred threads that wait for each other in every way, and compute one result.

A lost wake-up hangs the round; two threads in one critical section change the result.
"""

import asyncio
import queue
import threading

N_THREADS, N_TURNS, N_TASKS = 200, 12, 40
N_SHARED = 16
RECURSIVE = type(threading.RLock())


def contend():
    """Run threads and tasks. Returns their counts."""
    return count_together(), pass_on(), asyncio.run(wait_as_tasks())


def count_together():
    """Count under shared locks, inside thousands of new locks."""
    shared = [threading.Lock() if i % 2 else threading.RLock() for i in range(N_SHARED)]
    counts = [0] * N_SHARED
    begin, arrived, n_arrived = threading.Event(), threading.Condition(), 0

    def work(number):
        nonlocal n_arrived
        begin.wait()
        for turn in range(N_TURNS):
            own = threading.Lock() if turn % 2 else threading.RLock()
            at = (number + turn) % N_SHARED
            with own, shared[at]:
                before = counts[at]
                if turn % 5 == 0 and isinstance(own, RECURSIVE):
                    with own:  # again, which only an RLock allows
                        counts[at] = before + 1
                else:
                    counts[at] = before + 1
        with arrived:
            n_arrived += 1
            arrived.notify()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(N_THREADS)]
    for thread in threads:
        thread.start()
    begin.set()
    with arrived:
        while n_arrived < N_THREADS:
            arrived.wait()
    for thread in threads:
        thread.join()
    return counts, shared[1].acquire(timeout=0.001), shared[1].acquire(timeout=0.001)


def pass_on():
    """Pass items through queues of different kinds, all of them too small."""
    jobs, halves, done = queue.Queue(3), queue.PriorityQueue(3), queue.SimpleQueue()
    room = threading.BoundedSemaphore(4)
    together = threading.Barrier(4)

    def halve():
        together.wait()
        while True:
            job = jobs.get()
            if job is None:
                halves.put(1 << 30)
                return
            with room:
                halves.put(job // 2)

    def collect():
        n_ended = 0
        while n_ended < 4:
            half = halves.get()
            n_ended += half == 1 << 30
            done.put(half)

    threads = [threading.Thread(target=halve) for _ in range(4)]
    threads.append(threading.Thread(target=collect))
    for thread in threads:
        thread.start()
    for job in range(100):
        jobs.put(job)
    for _ in range(4):
        jobs.put(None)
    for thread in threads:
        thread.join()
    return sorted(done.get() for _ in range(104))


async def wait_as_tasks():
    lock, room, reported = asyncio.Lock(), asyncio.Semaphore(3), asyncio.Condition()
    counted, jobs = [0], asyncio.Queue(2)

    async def work(number):
        async with room:
            await asyncio.sleep(0)
            async with lock:
                before = counted[0]
                await asyncio.sleep(0)
                counted[0] = before + number
        await jobs.put(number)
        async with reported:
            reported.notify_all()

    tasks = [asyncio.ensure_future(work(number)) for number in range(N_TASKS)]
    got = [await jobs.get() for _ in range(N_TASKS)]
    async with reported:
        await reported.wait_for(lambda: counted[0] == sum(range(N_TASKS)))
    await asyncio.gather(*tasks)
    return counted[0], sorted(got)
