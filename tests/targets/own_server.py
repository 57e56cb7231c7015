"""Serves its own profiles and works meanwhile, until its standard input ends. Prints the port."""

import asyncio
import queue
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

is_over = threading.Event()
lock = threading.Lock()
kept = []


def burn():
    while not is_over.is_set():
        sum(range(2000))
        time.sleep(0)


def hold():
    while not is_over.is_set():
        with lock:
            time.sleep(0.005)


def allocate():
    while not is_over.is_set():
        kept.append(bytearray(3000))
        del kept[:-200]
        time.sleep(0.001)


def leak():
    """Wait for an item that nothing can put."""
    work = queue.Queue()
    work.get()


async def poll():
    await asyncio.sleep(1000)


async def serve_tasks():
    tasks = [asyncio.create_task(poll()) for _ in range(20)]
    while not is_over.is_set():
        await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()


LEASES = stackglass.Profile("app.leases")
LEASES.add("one")
stackglass.set_heap_profile_rate(1024)
stackglass.set_block_profile_rate(1)
stackglass.set_mutex_profile_fraction(1)
threading.Thread(target=leak, name="leaking", daemon=True).start()
loop = threading.Thread(target=asyncio.run, args=(serve_tasks(),))
threads = [loop, *(threading.Thread(target=work) for work in (burn, hold, hold, allocate))]
for thread in threads:
    thread.start()
with stackglass.serve(0) as server:
    print(server.port, flush=True)
    sys.stdin.read()
is_over.set()
for thread in threads:
    thread.join()
