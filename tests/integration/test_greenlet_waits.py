"""What greenlets of gevent and eventlet wait in, as ``stackglass threads`` reports it."""

from __future__ import annotations

import json

import pytest

from harness.matrix import each_python
from harness.pythons import Python, list_green_environment
from harness.recorder import run_command
from harness.targets import Target

pytestmark = pytest.mark.attach


@each_python
@pytest.mark.parametrize("library", ["gevent", "eventlet"])
def test_each_says_what_it_waits_in_or_that_it_has_not_begun(python: Python, library: str) -> None:
    """By its name the program says what is right. One that runs is not among them."""
    environment = {"LIBRARY": library, **list_green_environment(python)}
    with Target(python, "greenlet_waits.py", has_stdin=False, **environment) as target:
        if not target.ready["has_library"]:
            pytest.skip(f"no {library} for {python.label}: packaging/target_packages green")
        status, out, err = run_command("threads", target.pid, "--json")
        assert (status, err) == (0, "")
        target.finish()
    found = json.loads(out)["greenlets"]
    named = [each for each in found if each["name"] and each["name"] != "worker"]
    assert len(named) == target.ready["n"]
    for greenlet in named:
        is_new = greenlet["name"] == "not begun"
        assert greenlet["state"] == ("not begun" if is_new else "suspended")
        has_frames = not is_new and greenlet["name"] != target.ready["bare"]
        assert bool(greenlet["stack"]) is has_frames
        assert bool(greenlet["tid"]) is not is_new
        is_known = not greenlet["name"].startswith(("not begun", "unknown"))
        assert greenlet["waits_in"] == (greenlet["name"] if is_known else None)
