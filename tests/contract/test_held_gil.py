"""The check of what is called with the GIL held (packaging/held_gil.py) finds waits for the
loader's lock."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "held_gil.py"
pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("objdump") is None,
    reason="there is no cc, or no objdump",
)

JOBS = """\
void sg_below(void);
static void run(void) { sg_below(); }
static void (*const RUN[])(void) = {run, run};
void sg_gil_jobs_run(int job) { RUN[job](); }
"""
SEARCH = """\
#include <link.h>
static int see(struct dl_phdr_info *info, size_t size, void *context) { return 1; }
void sg_search(void) { dl_iterate_phdr(see, 0); }
"""


def find_faults(root: Path, below: str) -> list[str]:
    folder = root / "core/stackglass/native"
    folder.mkdir(parents=True)
    sources = {"jobs.c": JOBS, "search.c": SEARCH, "below.c": f"void sg_search(void);\n{below}"}
    for name, text in sources.items():
        (folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(root)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.returncode in (0, 1)
    return done.stdout.splitlines() if done.returncode else []


def test_what_no_job_calls_may_wait(tmp_path: Path) -> None:
    below = "void sg_below(void) {}\nvoid sg_apart(void) { sg_search(); }\n"
    assert find_faults(tmp_path, below) == []


def test_the_way_to_a_wait_is_named(tmp_path: Path) -> None:
    (fault,) = find_faults(tmp_path, "void sg_below(void) { sg_search(); }\n")
    steps = ["sg_gil_jobs_run", "RUN", "run", "sg_below", "sg_search", "dl_iterate_phdr"]
    assert fault == " → ".join(steps)


def test_a_function_that_is_handed_over_counts_as_called(tmp_path: Path) -> None:
    below = "void (*sg_hook)(void);\nvoid sg_below(void) { sg_hook = sg_search; }\n"
    (fault,) = find_faults(tmp_path, below)
    assert fault.endswith("sg_below → sg_search → dl_iterate_phdr")
