"""Enters the engine as an entry script does, without any client. Reports whether the engine is
there while the caller's file exists, and after it is removed."""

import os
import runpy
import sys
import time

from probe import report

PATIENCE_S = 20.0  # less than an engine waits for its first client

_, _, bootstrap, library, folder = sys.argv
wanted = os.path.join(folder, "wanted")
arguments = f"socket={folder}/engine.sock\0hz=0\0\0".encode()


def has_engine():
    return len(os.listdir("/proc/self/task")) > 1


open(wanted, "x").close()
runpy.run_path(bootstrap)["enter_if_wanted"](library, arguments, wanted)
while not os.path.exists(f"{folder}/engine.sock"):
    time.sleep(0.001)
time.sleep(0.2)  # the engine looks several times
is_there = has_engine()
os.remove(wanted)
deadline = time.monotonic() + PATIENCE_S
while has_engine() and time.monotonic() < deadline:
    time.sleep(0.001)
report(wanted=is_there, given_up=has_engine())
