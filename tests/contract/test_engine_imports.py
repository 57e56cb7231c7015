"""What the engine's libraries import: nothing that an old C library or new interpreter resents."""

from __future__ import annotations

import platform
import re
import shlex
import subprocess
import sysconfig
from collections import Counter
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


HEADERS = [python for python in find_pythons().present if find_headers(python)]
any_headers = pytest.mark.parametrize("python", HEADERS, ids=lambda python: python.label)
CODE = """
PyObject *take(PyObject *arguments);
PyObject *take(PyObject *arguments) {
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &size))
        return Py_BuildValue("y#", bytes, size);
    if (size > 1)
        return PyObject_CallFunction(arguments, "y#", bytes, size);
    Py_RETURN_NONE;
}
"""
MORE_CODE = """
PyObject *compare(int order);
PyObject *compare(int order) {
    if (!order)
        Py_RETURN_NOTIMPLEMENTED;
    if (order > 0)
        Py_RETURN_TRUE;
    Py_RETURN_FALSE;
}
"""


def list_calls(python: Python, folder: Path, code: str, *options: str) -> Counter[str]:
    """What the code calls, as the headers of this Python have it compiled, and how often."""
    source, made = folder / "made.c", folder / "made.o"
    source.write_text(code)
    words = [
        *shlex.split(sysconfig.get_config_var("CC") or "cc"),
        *["-std=c11", "-O0", "-fPIC", "-Wall", "-Werror", "-D_GNU_SOURCE"],
        *[f"-I{find_headers(python)}", *options, "-c", str(source), "-o", str(made)],
    ]
    subprocess.run(words, check=True)
    table = subprocess.run(
        ["readelf", "--relocs", "--wide", str(made)], capture_output=True, text=True, check=True
    )
    return Counter(re.findall(r"\b(_?Py_?[A-Z]\w+)(?= [-+] )", table.stdout))


@any_headers
def test_any_headers_build_an_engine_for_old_interpreters(python: Python, tmp_path: Path) -> None:
    """Headers of 3.13 name forms that refuse sizes of arguments up to 3.12; those of 3.12 return
    None without a reference, which ends a process of 3.11 that gets it some thousand times."""
    setup = (CHECKOUT / "setup.py").read_text(encoding="utf-8")
    listed = setup.partition("_INCLUDED_FIRST = ")[2].partition("_VIEWER")[0]
    native = CHECKOUT / "core/stackglass/native"
    first = [f"-include{native / name}" for name in re.findall(r'"(\w+/\w+\.h)"', listed)]
    options = ["-DPy_LIMITED_API=0x03090000", *first]
    calls = list_calls(python, tmp_path, CODE + MORE_CODE, *options)
    assert calls["_PyArg_ParseTuple_SizeT"] == calls["_Py_BuildValue_SizeT"] == 1
    assert calls["_PyObject_CallFunction_SizeT"] == 1
    assert calls["Py_IncRef"] == 4


@any_headers
def test_any_headers_build_a_viewer_for_3_11(python: Python, tmp_path: Path) -> None:
    if python.minor < 11:
        pytest.skip("the viewer needs 3.11")
    header = CHECKOUT / "viewer/stackglass_viewer/native/bindings.h"
    options = ["-DPy_LIMITED_API=0x030B0000", f"-include{header}"]
    code = "PyObject *none(void);\nPyObject *none(void) { Py_RETURN_NONE; }\n"
    assert list_calls(python, tmp_path, code, *options)["Py_IncRef"] == 1
