"""Two threads that serve two routes under labels, from the first round on."""

import sys
import threading
import time
from pathlib import Path

from rounds import run_rounds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass


def burn():
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        sum(range(100))


def serve_a():
    burn()
    time.sleep(0.002)


def serve_b():
    burn()


def serve(route, function):
    while True:
        with stackglass.labels(route=route):
            function()


for arguments in (("/a", serve_a), ("/b", serve_b)):
    threading.Thread(target=serve, args=arguments, daemon=True).start()
run_rounds("labelled service", lambda: time.sleep(0.05) is None)
