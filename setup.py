"""The two extensions; everything else about the distribution is in pyproject.toml."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Extension, setup

_WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-parameter"]
if Path(".git").exists():  # ours to mend; no reason for a user's newer compiler to refuse
    _WARNINGS.append("-Werror")
_CORE = Path("core/stackglass/native")
_INCLUDED_FIRST = ("platform/glibc_floor.h", "interpreter/reference_counts.h")
_VIEWER = Path("viewer/stackglass_viewer/native")


def _extension(
    name: str, folder: Path, limited_api: str, libraries: list[str], options: list[str]
) -> Extension:
    return Extension(
        name,
        sources=sorted(str(source) for source in folder.rglob("*.c")),
        depends=sorted(str(header) for header in folder.rglob("*.h")),
        define_macros=[("Py_LIMITED_API", limited_api), ("_GNU_SOURCE", None)],
        extra_compile_args=["-std=c11", "-O2", "-g", "-fvisibility=hidden", *_WARNINGS, *options],
        # Symbols are bound when the library enters a process, never at first use: a process
        # that turns out not to be Python refuses it there, and nothing has been touched.
        extra_link_args=["-Wl,-z,now"],
        libraries=libraries,
        py_limited_api=True,
    )


_extensions = [
    _extension(
        *("stackglass.native._core", _CORE, "0x03090000", ["pthread", "dl", "m"]),
        [f"-iquote{_CORE}", *[f"-include{_CORE / header}" for header in _INCLUDED_FIRST]],
    )
]
if sys.version_info >= (3, 11):  # the viewer's floor; a server's Python may be older
    _extensions.append(
        _extension("stackglass_viewer.native._loops", _VIEWER, "0x030B0000", ["m"], [])
    )

setup(ext_modules=_extensions, options={"bdist_wheel": {"py_limited_api": "cp39"}})
