"""Takes a CPU profile of itself in every round, until the stop file exists. Uses stackglass."""

import io
import sys
import time
from pathlib import Path

from rounds import run_rounds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def profile_myself():
    file = io.BytesIO()
    stackglass.start_cpu_profile(file, hz=1000)
    burn(0.1)
    stackglass.stop_cpu_profile()
    return file.getvalue()[:2] == b"\x1f\x8b"


run_rounds("own profile", profile_myself)
