"""The extensions; everything else about the distribution is in pyproject.toml."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

_WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-parameter"]
if Path(".git").exists():  # a user's newer compiler may warn, and must not refuse
    _WARNINGS.append("-Werror")
_CORE = Path("core/stackglass/native")
_FLIGHT = _CORE / "flight"
# Sources of the engine that a flight recorder's fold uses, to decode and encode event blocks.
_USED_BY_FLIGHT = (
    *("platform/encoder.c", "platform/hash_index.c", "platform/lz4.c", "platform/lz4_unpack.c"),
    *("platform/memory.c", "platform/vector.c", "trace/address_coder.c", "trace/address_decoder.c"),
    *("trace/block.c", "trace/block_decoder.c", "trace/columns.c"),
)
_INCLUDED_FIRST = (
    *("platform/glibc_floor.h", "interpreter/argument_sizes.h"),
    "interpreter/reference_counts.h",
)
_VIEWER = Path("viewer/stackglass_viewer/native")
_TESTS = Path("tests/native")
# Symbols are bound when a process loads the library, never at first use: so a process that is not
# Python refuses the library before anything has been touched.
_BOUND_AT_ONCE = "-Wl,-z,now"


def _list_sources(folder: Path) -> list[str]:
    return sorted(str(source) for source in folder.rglob("*.c"))


def _list_headers(folder: Path) -> list[str]:
    return sorted(str(header) for header in folder.rglob("*.h"))


def _extension(
    name: str,
    folder: Path,
    sources: list[str],
    limited_api: str,
    libraries: list[str],
    options: list[str],
    link_options: list[str],
) -> Extension:
    return Extension(
        name,
        sources=sources,
        depends=_list_headers(folder),
        define_macros=[("Py_LIMITED_API", limited_api), ("_GNU_SOURCE", None)],
        extra_compile_args=["-std=c11", "-O2", "-g", "-fvisibility=hidden", *_WARNINGS, *options],
        extra_link_args=[_BOUND_AT_ONCE, *link_options],
        libraries=libraries,
        py_limited_api=True,
    )


def _core_extension(name: str, sources: list[str]) -> Extension:
    """Return an extension of sources below ``_CORE``.

    Each function and each datum has a section of its own, and the linker leaves out the sections
    that are not used.
    """
    return _extension(
        *(name, _CORE, sources, "0x03090000", ["pthread", "dl", "m"]),
        [
            *("-ffunction-sections", "-fdata-sections", f"-iquote{_CORE}"),
            *[f"-include{_CORE / header}" for header in _INCLUDED_FIRST],
        ],
        ["-Wl,--gc-sections"],
    )


_flight_sources = _list_sources(_FLIGHT)
# The library that enters programs, and the one that only a flight recorder's companion loads.
_engine = _core_extension(
    "stackglass.native._core",
    [source for source in _list_sources(_CORE) if source not in _flight_sources],
)
_flight = _core_extension(
    "stackglass.native._flight",
    [*_flight_sources, *(str(_CORE / source) for source in _USED_BY_FLIGHT)],
)
_extensions = [_engine, _flight]
if sys.version_info >= (3, 11):  # the viewer's floor; a server's Python may be older
    _extensions.append(
        _extension(
            *("stackglass_viewer.native._loops", _VIEWER, _list_sources(_VIEWER), "0x030B0000"),
            *(["m", "pthread"], [], []),
        )
    )


class _BuildExtensions(build_ext):
    """Builds the extensions, and in a checkout that of the tests, which no wheel contains.

    The tests' extension is linked from the engine's own objects and those of tests/native.
    """

    def run(self) -> None:
        has_tests = self.inplace and _TESTS.is_dir()
        objects = [Path(self.build_temp, source).with_suffix(".o") for source in _engine.sources]
        if has_tests and not all(made.exists() for made in objects):
            self.force = True  # the engine is up to date, but its objects are gone
        super().run()
        if has_tests:
            self._build_for_tests([str(made) for made in objects])

    def build_extensions(self) -> None:
        """Compile as many files at a time as there are processors: setuptools compiles one."""
        compile_in_order = self.compiler.compile

        def compile_at_once(sources: Sequence[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                made = pool.map(lambda source: compile_in_order([source], **options), sources)
                return [name for names in made for name in names]

        self.compiler.compile = compile_at_once
        super().build_extensions()

    def _build_for_tests(self, engine: list[str]) -> None:
        library = _TESTS / "_core_testing.abi3.so"
        sources = _list_sources(_TESTS)
        newest = max(
            Path(name).stat().st_mtime
            for name in (*engine, *sources, *_list_headers(_TESTS), *_engine.depends, __file__)
        )
        if not self.force and library.exists() and library.stat().st_mtime >= newest:
            return
        made = self.compiler.compile(
            sources,
            output_dir=self.build_temp,
            macros=_engine.define_macros,
            extra_postargs=_engine.extra_compile_args,
        )
        self.compiler.link_shared_object(
            [*engine, *made],
            str(library),
            libraries=_engine.libraries,
            extra_postargs=[_BOUND_AT_ONCE],
        )


setup(
    ext_modules=_extensions,
    cmdclass={"build_ext": _BuildExtensions},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
