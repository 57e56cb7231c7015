"""Profiles overlapping blocks of itself: FOLDER. Prints its findings as JSON."""

import asyncio
import contextlib
import json
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

folder = Path(sys.argv[1])
kept = []
seen = {}


def allocate():
    kept.extend(bytearray(2000) for _ in range(1000))


def hold(lock, both):
    both.wait()
    with lock:
        both.wait()


def contend():
    lock, both = threading.Lock(), threading.Barrier(2)
    with lock:
        thread = threading.Thread(target=hold, args=(lock, both))
        thread.start()
        both.wait()
        while not any("hold" in line for line in list_waiting()):
            pass
    both.wait()
    thread.join()


def list_waiting():
    """Return the functions in which the other threads wait."""
    return [str(frame.f_code.co_name) for frame in sys._current_frames().values()]


go_on = threading.Event()


def start_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def read_rates():
    return [stackglass.heap_profile_rate(), stackglass.block_profile_rate()]


def allocate_deep(n):
    return allocate_deep(n - 1) if n else kept.append(bytearray(2000))


seen["depth"] = stackglass.set_stack_depth(1024)
with stackglass.heap_profile(folder / "deep.pb.gz", rate_bytes=1):
    allocate_deep(800)

# Two blocks for one profile, of which the first ends first.
first = stackglass.heap_profile(folder / "first.pb.gz", rate_bytes=1)
second = stackglass.heap_profile(folder / "second.pb.gz", rate_bytes=1)
first.__enter__()
allocate()
second.__enter__()
allocate()
first.__exit__(None, None, None)
allocate()
second.__exit__(None, None, None)
seen["after_overlap"] = read_rates()

# Two profiles; and a rate of the program's own within.
memory = stackglass.heap_profile(folder / "memory.pb.gz", rate_bytes=1)
waits = stackglass.block_profile(folder / "waits.pb.gz")
memory.__enter__()
waits.__enter__()
allocate()
memory.__exit__(None, None, None)
contend()
waits.__exit__(None, None, None)
seen["after_both"] = read_rates()
with stackglass.heap_profile(folder / "within.pb.gz", rate_bytes=1):
    stackglass.set_block_profile_rate(1)
    contend()
seen["after_setting"] = read_rates()
seen["n_block"] = stackglass.lookup("block").count()

# Threads that a block starts, and those before it and of another block.
start_thread(int).join()
with stackglass.threadcreate_profile(folder / "created.pb.gz"):
    start_thread(int).join()
    with stackglass.threadcreate_profile(folder / "kept_alive.pb.gz"):
        lasting = start_thread(go_on.wait)
go_on.set()
lasting.join()

# A child that is forked in a block writes no file.
with contextlib.suppress(SystemExit), stackglass.heap_profile(folder / "fork.pb.gz", rate_bytes=1):
    child = os.fork()
    if not child:
        sys.exit()
    os.waitpid(child, 0)
    seen["child_wrote"] = (folder / "fork.pb.gz").exists()
if not child:
    os._exit(0)


@stackglass.heap_profile(folder / "coroutine.pb.gz", rate_bytes=1)
async def work():
    await asyncio.sleep(0)
    allocate()


asyncio.run(work())
print(json.dumps(seen))
