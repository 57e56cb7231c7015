"""Tests that are repeated, and what then counts: in a pytest of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from harness.pythons import CHECKOUT
from harness.second_look import MOST_RARE, N_REPEATS

CONFTEST = """
from pathlib import Path
from harness.second_look import SecondLook

def pytest_configure(config):
    config.pluginmanager.register(SecondLook())
"""
COUNTED = """
from pathlib import Path

import pytest

def run(name):
    \"\"\"How often this has been called with the name.\"\"\"
    path = Path(__file__).with_name(name)
    n = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(n))
    return n

"""


def run_pytest(folder: Path, **tests: str) -> tuple[int, str, str]:
    """Exit code, output without its last line, and this line. ``tests`` by folder of ``tests/``."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for room, code in tests.items():
        module = folder / "tests" / room / f"test_{room}.py"
        module.parent.mkdir(parents=True)
        module.write_text(COUNTED + code)
    outside = {name: it for name, it in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:stackglass", "tests"],
        cwd=folder,
        env={**outside, "PYTHONPATH": str(CHECKOUT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    output, _, last = ran.stdout.rstrip().rpartition("\n")
    return ran.returncode, output, last


def read_count(folder: Path, room: str, name: str) -> int:
    return int((folder / "tests" / room / name).read_text())


def test_what_failed_once_and_then_passes_is_shown_and_fails_no_run(tmp_path: Path) -> None:
    code = "def test_rare():\n    assert run('rare') != 1, 'the cause'\n"
    code += "@pytest.fixture(scope='module')\ndef made():\n    return run('made')\n"
    code += "def test_fixture(made):\n    assert made != 1, 'as it was made'\n"
    status, output, last = run_pytest(tmp_path, integration=code)
    assert status == 0, output
    assert "2 passed" in last
    assert "the cause" in output
    assert "as it was made" in output
    assert f"failed at first, then passed {N_REPEATS} times: 2" in output
    assert read_count(tmp_path, "integration", "rare") == 1 + N_REPEATS


def test_what_fails_again_has_failed(tmp_path: Path) -> None:
    code = f"def test_often():\n    assert run('often') not in (1, {1 + N_REPEATS})\n"
    code += "def test_always():\n    raise AssertionError\n"
    code += "def test_well():\n    run('well')\n"
    status, output, last = run_pytest(tmp_path, conformance=code)
    assert status == 1, output
    assert "2 failed, 1 passed" in last
    assert "failed at first" not in output
    assert read_count(tmp_path, "conformance", "often") == 1 + N_REPEATS
    assert read_count(tmp_path, "conformance", "well") == 1


def test_a_unit_test_is_not_repeated(tmp_path: Path) -> None:
    status, _, last = run_pytest(tmp_path, viewer="def test_it():\n    assert run('it') != 1\n")
    assert status == 1
    assert "1 failed" in last
    assert read_count(tmp_path, "viewer", "it") == 1


def test_too_many_of_them_fail_the_run(tmp_path: Path) -> None:
    code = f"@pytest.mark.parametrize('n', range({MOST_RARE + 1}))\n"
    code += "def test_rare(n):\n    assert run(f'rare{n}') != 1\n"
    status, output, last = run_pytest(tmp_path, integration=code)
    assert f"{MOST_RARE + 1} passed" in last
    assert status == 1, output
