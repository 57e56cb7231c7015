"""``pytest --stackglass`` in a pytest of its own, alone and with xdist's workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.saved_profile import SavedProfile
from harness.targets import FOLDER

TESTS = """
import time

def burn():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        sum(range(1000))

def test_slow():
    time.perf_counter_ns = time.process_time_ns = lambda: 10**18  # as freezegun does
    burn()

def test_changes():
    import stackglass
    stackglass.withdraw_profile_rates()
    stackglass.stop_cpu_profile()

def test_large():
    kept.append([bytes(1_000_000) for _ in range(80)])

kept = []
"""


def run_pytest(folder: Path, *options: str) -> tuple[int, str]:
    """Exit status, and what it printed. Plug-ins are named, so that none needs to be installed."""
    names = ["-p", "stackglass.pytest_plugin.plugin", "-p", "no:cacheprovider", "-c", os.devnull]
    (folder / "test_some.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *names, "--rootdir", str(folder), *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={
            **{name: value for name, value in os.environ.items() if "PYTEST" not in name},
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": str(FOLDER.parents[1] / "core"),
        },
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("-p", "xdist.plugin", "-n", "2")], ids=["one", "xdist"])
def test_each_test_has_a_file_and_the_costly_ones_are_listed(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    status, text = run_pytest(tmp_path, "--stackglass=cpu,heap", *options)
    assert status == 0, text
    slowest, largest = text.split("most allocating tests")
    assert "slowest tests (files in profiles)" in slowest
    assert slowest.index("::test_slow") < slowest.index("::test_large")
    (slow_row,) = [line for line in slowest.splitlines() if "::test_slow" in line]
    elapsed_s, _, cpu_s = slow_row.split()[:3]
    assert float(elapsed_s) < 10_000
    assert float(cpu_s) < 10_000
    assert "::test_large" in largest
    assert "B  test_some.py::test_changes" not in largest
    assert "::test_changes: the code has changed or ended the profile cpu, heap itself" in largest
    assert sorted(path.name for path in (tmp_path / "profiles").iterdir()) == [
        f"test_some.py.test_{name}.{profile}.pb.gz"
        for name in ("large", "slow")
        for profile in ("cpu", "heap")
    ]
    slow = SavedProfile.read(tmp_path / "profiles" / "test_some.py.test_slow.cpu.pb.gz")
    burnt = sum(row.values[1] for row in slow.rows if any("burn" in name for name in row.stack))
    assert 250_000_000 <= burnt <= 800_000_000, slow.rows
    large = SavedProfile.read(tmp_path / "profiles" / "test_some.py.test_large.heap.pb.gz")
    # 80 MB, each block sampled with p = 0.85: less than 50 MB once in 10^11.
    assert 50_000_000 <= sum(row.values[1] for row in large.rows) <= 120_000_000


def test_an_unknown_profile_is_wrong_usage(tmp_path: Path) -> None:
    status, text = run_pytest(tmp_path, "--stackglass", "test_some.py")
    assert status == 4
    assert "there is no profile 'test_some.py'" in text
    assert "give it after the paths, or as --stackglass=cpu" in text
    assert not (tmp_path / "profiles").exists()
