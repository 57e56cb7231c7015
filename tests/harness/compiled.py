"""C programs and libraries of ``tests/targets/``, compiled for a test run."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "targets"
_FLAGS = ("-std=c11", "-O2", "-Wall", "-Werror", "-Wno-unused-parameter")


def find_compiler() -> str | None:
    """The C compiler; None if there is none."""
    return shutil.which("cc") or shutil.which("gcc")


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="compiled-")  # kept until the run ends


@functools.cache
def compile_library(source: str) -> str:
    """Path of the shared library made of ``source``, once a run."""
    return _compile(source, ("-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-z,now", "-pthread"))


@functools.cache
def compile_program(source: str) -> str:
    """Path of the program made of ``source``, once a run."""
    return _compile(source, ())


def _compile(source: str, options: tuple[str, ...]) -> str:
    compiler = find_compiler()
    assert compiler is not None, "there is no C compiler"
    output = str(Path(_folder().name) / source.replace(".c", ".so" if options else ""))
    command = [compiler, *_FLAGS, *options, "-o", output, str(FOLDER / source), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output
