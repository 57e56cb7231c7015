"""The main thread ends alone, by pthread_exit. Another thread continues, and ends the program."""

import ctypes
import json
import os
import pathlib
import sys
import threading
import time


def go_on():
    state = pathlib.Path(f"/proc/self/task/{os.getpid()}/stat")
    while state.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.001)
    print(json.dumps({"ready": True}), flush=True)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    print(json.dumps({"wrong": 0}), flush=True)
    os._exit(0)


threading.Thread(target=go_on).start()
ctypes.CDLL(None).pthread_exit(None)
