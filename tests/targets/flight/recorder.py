"""Keeps a flight recorder of itself, uses all its functions, and prints the results.

recorder.py FOLDER INTERPRETER
"""

import io
import json
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass
from stackglass.errors import EngineError, OutputError

sys.executable = sys.argv[2]  # that of an unpacked interpreter does not run by itself
folder = Path(sys.argv[1])
facts = {}


def refused(call, *arguments):
    """Return why the recorder refuses a call; "" = it does not."""
    try:
        call(*arguments)
    except EngineError as error:
        return str(error)
    return ""


def is_of_no_other_program(pid):
    """Return whether a companion is separate from the program: it holds no stream, is no child, and
    no key of the terminal reaches it. It is scheduled with the program, whose session it shares."""
    held = {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
    kinds = {each.partition(":")[0] for each in held}
    is_apart = os.getpgid(pid) == pid and os.getsid(pid) == os.getsid(0)
    return kinds <= {"/dev/null", "socket", "anon_inode"} and is_apart


class Interrupting:
    """A file whose ``write`` uses the recorder."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.n_bytes = 0
        self.refusals = []

    def write(self, content):
        if not self.n_bytes:
            self.refusals.append(refused(self.recorder.write_to, io.BytesIO()))
            self.refusals.append(refused(self.recorder.stop))
            other = threading.Thread(target=self.write_in_thread)
            other.start()
            other.join()
        self.n_bytes += len(content)
        return len(content)

    def write_in_thread(self):
        self.refusals.append(refused(self.recorder.write_to, io.BytesIO()))


class Full:
    """A file that takes nothing."""

    def write(self, content):
        raise ZeroDivisionError


recorder = stackglass.FlightRecorder(min_age_s=60)
facts["enabled"] = [recorder.enabled()]
facts["write when off"] = refused(recorder.write_to, io.BytesIO())
recorder.stop()
recorder.start()
facts["enabled"].append(recorder.enabled())
facts["started again"] = refused(recorder.start)
facts["another one"] = refused(stackglass.FlightRecorder().start)
facts["is its own"] = is_of_no_other_program(recorder.companion_pid)
try:
    facts["child"] = os.waitpid(-1, os.WNOHANG)[0]
except ChildProcessError:
    facts["child"] = 0

file = Interrupting(recorder)
facts["bytes"] = [recorder.write_to(file), file.n_bytes]
facts["while it writes"] = file.refusals
try:
    recorder.write_to(Full())
except ZeroDivisionError:
    facts["a file that fails"] = True
with stackglass.cpu_profile(io.BytesIO()), stackglass.region("before the file"):
    kept = [[number] for number in range(5000)]
n_bytes = recorder.write_to(folder / "first.sgm")
facts["bytes"] += [n_bytes, (folder / "first.sgm").stat().st_size]
try:
    recorder.write_to(folder / "nowhere" / "file.sgm")
except OutputError as error:
    facts["no folder"] = str(error)

child = os.fork()
if not child:
    is_right = not recorder.enabled() and refused(recorder.write_to, io.BytesIO())
    with stackglass.FlightRecorder() as own:
        is_right = is_right and own.write_to(folder / "child.sgm") > 0
    os._exit(0 if is_right else 1)
facts["forked child"] = os.WEXITSTATUS(os.waitpid(child, 0)[1])

recorder.stop()
recorder.stop()
facts["enabled"].append(recorder.enabled())
with recorder:
    facts["enabled"].append(recorder.enabled())
    recorder.write_to(folder / "second.sgm")
print(json.dumps(facts))
