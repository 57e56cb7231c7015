"""Keeps a flight recorder of itself, and ends in the way that is requested.

dying.py FOLDER INTERPRETER kill|exit|leave
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass

folder, sys.executable, how = sys.argv[1:]
recorder = stackglass.FlightRecorder(path=f"{folder}/{{pid}}.sgm", triggers=["killed"])
recorder.start()
with stackglass.region("the last one"):
    kept = [[number] for number in range(5000)]
    recorder.write_to(f"{folder}/sent.sgm")  # so all of this has been sent
print(os.getpid(), recorder.companion_pid, flush=True)
if how == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if how == "leave":
    os._exit(0)
