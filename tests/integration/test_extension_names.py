"""Names of functions in stripped extension modules of Cython, and of pybind11 and nanobind where
these are installed: they take minutes to compile. The layouts themselves are tested by
``core/stackglass/native/frames/test_function_names.py``."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.targets import FOLDER

pytestmark = pytest.mark.attach
SOURCES = FOLDER / "extensions"
INCLUDE = sysconfig.get_path("include")


def build(compiler: str, folder: Path, name: str, *more: str | Path) -> None:
    if not Path(INCLUDE, "Python.h").exists():
        pytest.skip("this Python has no headers")
    options = ("-O2", "-w", "-fPIC", "-shared", "-s", f"-I{INCLUDE}")
    output = str(folder / f"{name}.so")
    subprocess.run([compiler, *options, *map(str, more), "-o", output], check=True, timeout=240)


def list_names(folder: Path, module: str) -> dict[str, tuple[str, int]]:
    """File and first line by name, of what samples are in."""
    output = folder / "cpu.pb.gz"
    words = [sys.executable, "-m", "stackglass", "record", "--native", "--cpu-hz", "1000"]
    command = [sys.executable, str(SOURCES / "call_all.py"), str(folder), module, "8"]
    subprocess.run([*words, "-o", str(output), "--", *command], check=True, timeout=120)
    rows = re.findall(rf"{module}: (.+?) (\S+?):0:0 s=(\d+)", run_pprof("-raw", output))
    return {name: (Path(file).name, int(line)) for name, file, line in rows}


def test_cython(tmp_path: Path) -> None:
    pytest.importorskip("Cython", reason="Cython is not installed")
    source = tmp_path / "cython_demo.pyx"
    source.write_bytes((SOURCES / "cython_demo.pyx").read_bytes())
    subprocess.run([sys.executable, "-m", "cython", "-3", str(source)], check=True, timeout=120)
    build("cc", tmp_path, "cython_demo", source.with_suffix(".c"))
    names = list_names(tmp_path, "cython_demo")
    assert names["spin"] == ("cython_demo.pyx", 4)
    assert names["Plain.turn"] == ("cython_demo.pyx", 13)
    assert names["Fast.roll"] == ("cython_demo.pyx", 22)


def test_pybind11(tmp_path: Path) -> None:
    pybind11 = pytest.importorskip("pybind11", reason="pybind11 is not installed")
    more = ("-std=c++17", "-fvisibility=hidden", f"-I{pybind11.get_include()}")
    build("c++", tmp_path, "pybind11_demo", *more, SOURCES / "pybind11_demo.cpp")
    names = list_names(tmp_path, "pybind11_demo")
    assert {"spin", "both", "Vec.norm", "pybind11 dispatcher"} <= set(names), names


def test_nanobind(tmp_path: Path) -> None:
    nanobind = pytest.importorskip("nanobind", reason="nanobind is not installed")
    root = Path(nanobind.source_dir()).parent
    folders = ("include", "ext/robin_map/include", "src")
    more = ("-std=c++17", "-fvisibility=hidden", "-DNDEBUG", *(f"-I{root / f}" for f in folders))
    sources = (SOURCES / "nanobind_demo.cpp", root / "src" / "nb_combined.cpp")
    build("c++", tmp_path, "nanobind_demo", *more, *sources)
    names = list_names(tmp_path, "nanobind_demo")
    assert {"spin", "Vec.norm", "nanobind dispatcher"} <= set(names), names
