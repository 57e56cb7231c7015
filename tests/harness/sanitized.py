"""Build of the engine with AddressSanitizer and UBSan, and the environment to load it in Python."""

from __future__ import annotations

import fcntl
import functools
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "sanitized" / "_core.abi3.so"
_LOCK = ROOT / "build" / "sanitized.lock"
_SUPPRESSIONS = Path(__file__).with_name("sanitizer_suppressions.txt")
_RUNTIMES = ("libasan.so", "libubsan.so")
# No leak check, because Python frees little at its end; and programs handle SIGSEGV themselves.
_OPTIONS = (
    "detect_leaks=0:allocator_may_return_null=1:handle_segv=0:abort_on_error=1:print_stacktrace=1"
)


@functools.cache
def find_refusal() -> str:
    """Return why it cannot be built here; empty = it can."""
    compiler = shutil.which("gcc")
    if compiler is None or shutil.which("make") is None:
        return "there is no gcc or no make"
    missing = [name for name in _RUNTIMES if not Path(_find_runtime(compiler, name)).is_absolute()]
    return f"gcc has no {' and no '.join(missing)}" if missing else ""


def build() -> Path:
    """Build the library if a source has changed; one process at a time. Returns its path. Raises
    AssertionError with the compiler's output."""
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    with _LOCK.open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-j2", str(LIBRARY.relative_to(ROOT))]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return LIBRARY


def list_environment(log: str) -> dict[str, str]:
    """Return environment variables for a Python that loads it. Findings go to the file ``log``.PID,
    because the engine's writer has a descriptor table without standard error."""
    compiler = shutil.which("gcc") or "gcc"
    preloaded = ":".join(_find_runtime(compiler, name) for name in _RUNTIMES)
    options = f"{_OPTIONS}:log_path={log}"
    return {
        "LD_PRELOAD": preloaded,
        "SANITIZED": str(LIBRARY),
        "ASAN_OPTIONS": f"{options}:suppressions={_SUPPRESSIONS}",
        "UBSAN_OPTIONS": options,
    }


def _find_runtime(compiler: str, name: str) -> str:
    """Return the path of a runtime library; its name if the compiler does not know the path."""
    command = [compiler, f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
