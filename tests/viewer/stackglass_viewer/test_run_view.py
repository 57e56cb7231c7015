"""``run --view`` and ``STACKGLASS_VIEW=1``: the viewer beside the program, from its start to after
its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.recorder import wait_until

pytestmark = [pytest.mark.gui, pytest.mark.attach]

PROGRAM = """
import glob, json, os, sys, time

def find_viewers():
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\\0")
        except OSError:
            continue
        if words[-3:-1] == [b"attach", str(os.getpid()).encode()]:
            found.append(int(name))
    return found

def count_sockets():
    links = []
    for folder in glob.glob("/proc/self/task/*/fd"):  # the engine has a table of its own
        try:
            links += [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
        except OSError:
            continue
    return len({link for link in links if link.startswith("socket:")})

def count_children():
    with open("/proc/self/task/%d/children" % os.getpid()) as file:
        return len(file.read().split())

end = time.monotonic() + 40
while count_sockets() < int(sys.argv[1]) and time.monotonic() < end:
    time.sleep(0.05)
print(json.dumps([find_viewers(), count_sockets(), count_children()]))
"""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.parametrize("way", ["run --view", "STACKGLASS_VIEW"])
def test_the_viewer_watches_the_program_and_outlives_it(way: str, tmp_path: Path) -> None:
    is_run = way == "run --view"
    n_sockets = 3 if is_run else 2  # the listener, the viewer, with run the recorder
    words = ("-m", "stackglass", "run", "--view") if is_run else ()
    program = PROGRAM if is_run else f"import stackglass\n{PROGRAM}"
    request = {} if is_run else {"STACKGLASS_VIEW": "1"}
    done = subprocess.run(
        [sys.executable, *words, "-c", program, str(n_sockets)],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={
            **os.environ,
            **request,
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_CONFIG_HOME": str(tmp_path),
        },
        check=True,
        timeout=90,  # the program's output ends with the program, while the viewer is there
    )
    viewers, n_found, n_children = json.loads(done.stdout)
    (viewer,) = viewers
    try:
        assert n_found >= n_sockets, "the viewer has attached"
        assert n_children == 0, "the program has no child that it did not start"
        assert is_running(viewer), "its profile stays on view"
        assert os.getsid(viewer) == viewer, "Ctrl+C ends the program alone"
        status = Path(f"/proc/{viewer}/status").read_text()
        (blocked,) = [line.split()[1] for line in status.splitlines() if "SigBlk" in line]
        assert int(blocked, 16) == 0, "what the recorder forwards is not blocked there"
    finally:
        os.kill(viewer, signal.SIGTERM)
    wait_until(lambda: not is_running(viewer), "the viewer's end")
    files = [path.name.split(".", 2)[2] for path in tmp_path.glob("python.*")]
    assert files == (["cpu.pb.gz"] if is_run else [])
