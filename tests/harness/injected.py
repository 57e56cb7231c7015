"""Injection of ``fake_engine.c`` into a process, and programs to inject it into."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.compiled import compile_library
from stackglass.attach import injection

ENTERED = 7
"""Return value of ``fake_engine.c``."""
PATIENCE_S = 20.0


@contextlib.contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program, wait for its first line, and kill it at the end."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            yield process
        finally:
            process.kill()


def enter(
    pid: int,
    symbol: str = injection.ENTRY,
    path: Path | None = None,
    timeout_ns: int = injection.SEARCH_TIMEOUT_NS,
    meanwhile: Callable[[], None] = lambda: None,
) -> injection.Injection:
    arguments = b"file=" + os.fsencode(path or os.devnull) + b"\0\0"
    library = compile_library("fake_engine.c")
    return injection.inject(
        pid, library, arguments, symbol=symbol, timeout_ns=timeout_ns, meanwhile=meanwhile
    )
