"""Takes a CPU profile of itself, while tasks or greenlets of a library alternate under labels.

Arguments: the library, gevent or uvloop, and the path to write to. Prints whether it is there.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass

LIBRARY, PATH = sys.argv[1:3]
TURNS = 12


def burn():
    end = time.thread_time() + 0.005
    while time.thread_time() < end:
        sum(range(50))


def under_x():
    burn()


def under_y():
    burn()


def under_none():
    burn()


def take_greenlet_turns(function, labels):
    with stackglass.labels(**labels):
        for _ in range(TURNS):
            function()
            gevent.sleep(0)


async def take_task_turns(function, labels):
    with stackglass.labels(**labels):
        for _ in range(TURNS):
            function()
            await asyncio.sleep(0)


CASES = ((under_x, {"task": "x"}), (under_none, {}), (under_y, {"task": "y"}))


def run_greenlets():
    gevent.joinall([gevent.spawn(take_greenlet_turns, *case) for case in CASES])


def run_tasks():
    async def run():
        await asyncio.gather(*(take_task_turns(*case) for case in CASES))

    loop = uvloop.new_event_loop()
    loop.run_until_complete(run())
    loop.close()


try:
    if LIBRARY == "gevent":
        import gevent
        import gevent.monkey

        gevent.monkey.patch_all()
    else:
        import uvloop
except ImportError:
    print(json.dumps({"has_library": False}))
else:
    with stackglass.cpu_profile(PATH, hz=1000):
        run_greenlets() if LIBRARY == "gevent" else run_tasks()
    print(json.dumps({"has_library": True}))
