"""Functions that a library chooses at its loading have the name that callers use."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.compiled import compile_library
from stackglass.symbols.elf_file import ElfFile
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symboliser import Symboliser

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="asks for x86-64's features")


def build(folder: Path) -> tuple[Path, dict[str, int]]:
    """A library without symbols, and where its functions start."""
    whole, path = folder / "whole.so", folder / "libchosen.so"
    shutil.copy(compile_library("native_names/chosen.c"), whole)
    subprocess.run(["strip", "-o", path, whole], check=True)
    text = subprocess.run(["nm", str(whole)], check=True, capture_output=True, text=True).stdout
    rows = (line.split() for line in text.splitlines())
    return path, {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def name(path: Path, start: int) -> str:
    identity = ElfFile(OpenFile(str(path)).read).identity
    return Symboliser(0).name(str(path), identity, start).text


def test_the_chosen_function_has_its_names_where_the_file_is_loaded(tmp_path: Path) -> None:
    path, starts = build(tmp_path)
    unnamed = f"libchosen: {starts['work_fast']:#x}"
    assert name(path, starts["work_fast"]) == unnamed
    library = ctypes.CDLL(str(path))
    assert library.work(1) == 2
    assert name(path, starts["work_fast"]) == "libchosen: again/work"
    assert name(path, starts["work_slow"]) == f"libchosen: {starts['work_slow']:#x}"


def test_another_file_of_the_same_name_is_not_asked(tmp_path: Path) -> None:
    path, starts = build(tmp_path)
    library = ctypes.CDLL(str(path))
    assert library.work(1) == 2
    other = tmp_path / "other" / path.name
    other.parent.mkdir()
    source = compile_library("native_names/chosen.c", "now", "-Wl,-z,noseparate-code")
    subprocess.run(["strip", "-o", other, source], check=True)
    assert name(other, starts["work_fast"]).startswith("libchosen: 0x")
