"""C programs and libraries of ``tests/targets/``, compiled for a test run."""

from __future__ import annotations

import atexit
import functools
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "targets"
CORE = FOLDER.parents[1] / "core" / "stackglass" / "native"
_FLAGS = ("-O2", "-Wall", "-Werror", "-Wno-unused-parameter")


def find_compiler(name: str = "cc") -> str | None:
    """Return the path of the compiler ``cc`` or ``c++``; None if there is none."""
    return shutil.which(name) or shutil.which("gcc" if name == "cc" else "g++")


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="compiled-")  # exists until the run ends
    atexit.register(folder.cleanup)
    return folder


@functools.cache
def compile_library(source: str, binding: str = "now", *more: str) -> str:
    """Compile ``source`` to a shared library, once a run. Returns its path.

    ``binding``: when imports are resolved, at loading (``now``) or at the first call (``lazy``).
    ``more``: further options of the compiler.
    """
    options = ("-shared", "-fPIC", "-fvisibility=hidden", f"-Wl,-z,{binding}", "-pthread", *more)
    which = f"{binding}{zlib.crc32(repr(more).encode()):08x}"
    return _compile(source, options, f".{which}{Path(source).suffix}.so")


@functools.cache
def compile_rust_library(source: str) -> str | None:
    """Compile ``source`` to a shared library, once a run. Returns its path; None without rustc."""
    compiler = find_rust_compiler()
    if compiler is None:
        return None
    output = _make_path(source, ".rs.so")
    command = [compiler, "-O", "--crate-type", "cdylib", "-o", output, str(FOLDER / source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def find_rust_compiler() -> str | None:
    """Return the path of a working rustc; None if there is none, as with a bare rustup."""
    compiler = shutil.which("rustc") or shutil.which(str(Path.home() / ".cargo/bin/rustc"))
    if compiler is None:
        return None
    done = subprocess.run([compiler, "--version"], capture_output=True, check=False)
    return compiler if done.returncode == 0 else None


@functools.cache
def compile_cython_module(source: str, executable: str) -> str | None:
    """Compile ``source`` to an extension module for a Python, once a run. Returns its folder; None
    without Cython. All its functions are kept, none is inlined.

    If that Python's headers are missing, the module is compiled with the headers of the Python that
    runs the tests, for the limited API.
    """
    if importlib.util.find_spec("Cython") is None:
        return None
    code = _translate_cython(source)
    include = _find_include(executable)
    more: tuple[str, ...] = ()
    if not Path(include, "Python.h").exists():
        include = sysconfig.get_path("include")
        more = ("-DPy_LIMITED_API=0x03090000", "-DCYTHON_LIMITED_API=1")
    folder = Path(tempfile.mkdtemp(dir=_folder().name))
    output = folder / f"{Path(source).stem}.abi3.so"
    options = ("-O1", "-w", "-fno-inline", "-shared", "-fPIC", f"-I{include}", *more)
    command = [find_compiler() or "cc", *options, "-o", str(output), code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(folder)


@functools.cache
def _translate_cython(source: str) -> str:
    """Translate Cython code to C. Returns the path of the C code."""
    output = _make_path(source, ".c")
    command = [sys.executable, "-m", "cython", "-3", "-o", output, str(FOLDER / source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def _find_include(executable: str) -> str:
    code = "import sysconfig; print(sysconfig.get_path('include'))"
    command = [executable, "-I", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@functools.cache
def compile_program(source: str, *more: str) -> str:
    """Compile ``source`` to a program, once a run. Returns its path. ``more``: further options."""
    return _compile(source, more, f".{zlib.crc32(repr(more).encode()):08x}")


def _compile(source: str, options: tuple[str, ...], ending: str) -> str:
    is_c = source.endswith(".c")
    compiler = find_compiler("cc" if is_c else "c++")
    assert compiler is not None, f"there is no compiler for {source}"
    output = _make_path(source, ending)
    if is_c:
        options = ("-std=c11", *options)
    command = [compiler, *_FLAGS, *options, "-o", output, str(FOLDER / source), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def _make_path(source: str, ending: str) -> str:
    """Return a path for the result that differs for sources of one name in two folders."""
    folder = Path(_folder().name) / Path(source).parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / f"{Path(source).stem}{ending}")
