"""A service that keeps route and tenant of a request in context variables, without using
Stackglass."""

import contextvars
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rounds import run_rounds

ROUTE = contextvars.ContextVar("route")
TENANT = contextvars.ContextVar("tenant", default=0)


def burn():
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        sum(range(100))


def serve_a():
    burn()
    time.sleep(0.002)


def serve_b():
    burn()


def serve_nothing():
    burn()
    time.sleep(0.002)


def serve(route, tenant, function):
    while True:
        ROUTE.set(route)
        TENANT.set(tenant)
        function()


def serve_without():
    while True:
        serve_nothing()


threading.Thread(target=serve, args=("/a", 1, serve_a), daemon=True).start()
threading.Thread(target=serve, args=("/b", 2, serve_b), daemon=True).start()
threading.Thread(target=serve_without, daemon=True).start()
run_rounds("variables", lambda: time.sleep(0.05) is None)
