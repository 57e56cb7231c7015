"""Threads and tasks that wait under labels, until the end of its input."""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass

ENDED = threading.Event()


def stand():
    ENDED.wait()


def read_input():
    print(json.dumps({"ready": "labelled", "pid": os.getpid()}), flush=True)
    sys.stdin.read()


def start(name, **labels):
    with stackglass.labels(**labels):
        threading.Thread(target=stand, name=name, daemon=True).start()


async def poll(event, **labels):
    with stackglass.labels(**labels):
        await event.wait()


async def run():
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    # A future's first callback keeps a context as well: the context of its waiter.
    with stackglass.labels(route="outer"):
        polls = asyncio.gather(
            asyncio.ensure_future(poll(event, route="a b", tenant="1")),
            asyncio.ensure_future(poll(event, route="")),
        )
    polls.add_done_callback(lambda _: None)
    await asyncio.sleep(0)
    with stackglass.labels(route="executor"):
        await loop.run_in_executor(None, read_input)
    event.set()
    await polls


start("plain")
start("one", route="/a")
start("two", route='"q"\n', n=7)
asyncio.run(run())
ENDED.set()
print(json.dumps({"result": "", "rounds": 1, "wrong": 0}), flush=True)
