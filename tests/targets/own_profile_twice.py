"""Profiles itself, and requests a second profile meanwhile: FOLDER. Imports stackglass."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass
from stackglass.errors import EngineError


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def before():
    burn(0.3)


def after():
    burn(0.3)


folder = Path(sys.argv[1])
stackglass.start_cpu_profile(str(folder / "first.pb.gz"), hz=1000)
before()
try:
    stackglass.start_cpu_profile(str(folder / "second.pb.gz"), hz=10)
    refusal = ""
except EngineError as error:
    refusal = str(error)
after()
stackglass.stop_cpu_profile()
print(json.dumps({"refusal": refusal}))
