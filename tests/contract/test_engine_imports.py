"""What the engine's libraries import: nothing that an old C library or new interpreter resents."""

from __future__ import annotations

import platform
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest

from harness.pythons import Python, find_pythons
from stackglass.native import _core, _flight

CHECKOUT = Path(__file__).resolve().parents[2]

OLDEST_GLIBC = (2, 28)


def list_imports(library: str = _core.__file__) -> list[str]:
    """Undefined dynamic symbols, with their versions: ``name@VERSION``."""
    table = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", library],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in table.stdout.splitlines()]
    return [row[7] for row in rows if len(row) > 7 and row[6] == "UND"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="glibc_floor.h is of x86-64")
@pytest.mark.parametrize("library", [_core.__file__, _flight.__file__], ids=["_core", "_flight"])
def test_old_systems_load_it(library: str) -> None:
    """Debian 11 has glibc 2.31; one symbol of a later version, and its loader refuses us."""
    versions = {
        name: tuple(int(part) for part in version.split("."))
        for name, version in re.findall(r"(\S+)@GLIBC_([\d.]+)", "\n".join(list_imports(library)))
    }
    assert versions
    assert {name: version for name, version in versions.items() if version > OLDEST_GLIBC} == {}


def test_attributes_are_read_by_interned_names() -> None:
    """The interpreter's cache of lookups would keep each string that these make of a name."""
    imports = list_imports()
    assert "PyObject_GetAttr" in imports
    made_anew = {
        *("PyObject_GetAttrString", "PyObject_SetAttrString", "PyObject_HasAttrString"),
        *("PyObject_CallMethod", "_PyObject_CallMethod_SizeT"),
    }
    assert made_anew.isdisjoint(imports)


def test_reference_counts_are_changed_by_calls() -> None:
    """In-place changes, which bring _Py_Dealloc along, wear immortal objects' counts down."""
    imports = list_imports()
    assert "Py_DecRef" in imports
    assert "_Py_Dealloc" not in imports


def find_headers(python: Python) -> Path | None:
    folder = Path(python.executable).resolve().parents[1] / "include" / f"python3.{python.minor}"
    return folder if (folder / "Python.h").exists() else None


@pytest.mark.parametrize(
    "python", list(filter(find_headers, find_pythons().present)), ids=lambda python: python.label
)
def test_any_headers_build_what_old_interpreters_run(python: Python, tmp_path: Path) -> None:
    """Headers of 3.13 name the plain forms, which refuse sizes of arguments up to 3.12."""
    setup = (CHECKOUT / "setup.py").read_text(encoding="utf-8")
    first = re.findall(
        r'"(\w+/\w+\.h)"', setup.partition("_INCLUDED_FIRST")[2].partition("_VIEWER")[0]
    )
    native = CHECKOUT / "core/stackglass/native"
    made = tmp_path / "made.o"
    words = [
        *shlex.split(sysconfig.get_config_var("CC") or "cc"),
        *["-std=c11", "-fPIC", "-w", "-D_GNU_SOURCE", "-DPy_LIMITED_API=0x03090000"],
        *[f"-I{find_headers(python)}", f"-iquote{native}"],
        *[f"-include{native / name}" for name in first],
        *["-c", str(native / "flight/module.c"), "-o", str(made)],
    ]
    subprocess.run(words, check=True)
    table = subprocess.run(["nm", "-u", str(made)], capture_output=True, text=True, check=True)
    imports = set(table.stdout.split())
    assert {"_PyArg_ParseTuple_SizeT", "_Py_BuildValue_SizeT"} <= imports
    assert {"PyArg_ParseTuple", "Py_BuildValue"}.isdisjoint(imports)
