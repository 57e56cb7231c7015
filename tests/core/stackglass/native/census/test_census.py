"""Objects by type inside each Python of this machine, driven by one small program ("probe").

As test_heap.py: the probe is a process of its own. What comes over the wire is tested in
integration/test_census_session.py.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from harness.matrix import PYTHONS, each_python
from harness.pythons import Python
from native import _core_testing as core

PROBE = Path(__file__).resolve().parents[4] / "targets" / "heap" / "census.py"


@each_python
def test_objects_are_counted_rightly(python: Python) -> None:
    """In slices of one object to all; while objects die, are born, collected, frozen; finalisers;
    the types of sampled blocks. The probe reports what was wrong, for each of its checks."""
    finished = subprocess.run(
        [python.executable, "-X", "faulthandler", PROBE, core.__file__],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    reported = json.loads(finished.stdout)
    assert reported == {check: [] for check in reported}
    assert len(reported) == 8


def test_a_census_wants_the_samplers_layout() -> None:
    """Without it nothing is touched."""
    script = (
        "import importlib.util as u, sys;"
        "s = u.spec_from_file_location('_core_testing', sys.argv[1]); m = u.module_from_spec(s);"
        "s.loader.exec_module(m);"
        "assert m.census_go_on(10**9, 10**9); assert m.census_go_on(10**9, 10**9);"
        "print(m.census_result()['problem'])"
    )
    finished = subprocess.run(
        [PYTHONS[0].executable, "-c", script, core.__file__],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert finished.stdout.strip() == "the sampler has to be prepared before a census"
