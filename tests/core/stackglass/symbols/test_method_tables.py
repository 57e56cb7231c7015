"""Names that Python gives to C functions, in a library without symbols and in Python itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.compiled import FOLDER, compile_library
from harness.matrix import each_python
from harness.pythons import Python
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.method_tables import PythonName, choose_name, read_method_names
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symboliser import Symboliser

NAMED = {
    "work_run": "run",
    "work_scan": "Static.scan",  # and __copy__
    "work_shared": "Other/Static.shared",
    "work_made": "Slots.made",
    "work_alone": "alone",
    "work_repr": "Static.__repr__",
}
NOT_NAMED = ("work_twice", "work_other")  # two names; flags that no method has


def find_starts(path: Path) -> dict[str, int]:
    """Addresses by name, as another tool reads them."""
    text = subprocess.run(["nm", str(path)], check=True, capture_output=True, text=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def read_identity(path: Path) -> str:
    return ElfFile(OpenFile(str(path)).read).identity


def build(folder: Path, *options: str) -> tuple[Path, dict[str, int]]:
    """A library without symbols, and where its functions start."""
    whole, path = folder / "whole.so", folder / "mine.abi3.so"
    shutil.copy(compile_library("native_names/methods.c", "lazy", "-O1", *options), whole)
    starts = find_starts(whole)
    subprocess.run(["strip", "-o", path, whole], check=True)
    return path, starts


@pytest.mark.parametrize("options", [(), ("-Wl,-z,pack-relative-relocs",)])
def test_a_library_without_symbols_has_pythons_names(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    path, starts = build(tmp_path, *options)
    symboliser, identity = Symboliser(0), read_identity(path)
    for symbol, name in NAMED.items():
        assert symboliser.name(str(path), identity, starts[symbol]).text == f"mine: {name}"
    for symbol in NOT_NAMED:
        start = starts[symbol]
        assert symboliser.name(str(path), identity, start).text == f"mine: {start:#x}"


def test_a_library_that_does_not_use_python_has_no_methods(tmp_path: Path) -> None:
    path, _ = build(tmp_path, "-DPyModuleDef_Init=other_function")
    assert read_method_names(ElfFile(OpenFile(str(path)).read)) == {}


@each_python
def test_builtin_functions_have_their_names(python: Python) -> None:
    """Of all functions of all loaded modules: nearly each has its name, and none another's."""
    program = FOLDER / "native_names" / "builtin_functions.py"
    run = subprocess.run(
        [python.executable, program], check=True, capture_output=True, text=True, timeout=60
    )
    names: dict[tuple[str, int], set[str]] = {}
    tables: dict[str, dict[int, PythonName]] = {}
    for path, offset, address, name in json.loads(run.stdout):
        if path not in tables:
            elf = ElfFile(OpenFile(path).read)
            tables[path] = read_method_names(elf)
        start = address if address in tables[path] else offset
        names.setdefault((path, start), set()).add(name)
    found = {key: tables[key[0]].get(key[1]) for key in names}
    wrong = {
        key: (name, names[key])
        for key, name in found.items()
        if name is not None and name.name.rpartition(".")[2] not in names[key]
    }
    assert not wrong
    assert len(names) > 200
    assert sum(name is not None for name in found.values()) > 0.95 * len(names)


def test_no_name_where_tables_disagree() -> None:
    one, other = PythonName("m", "a.run"), PythonName("n", "a.run")
    assert choose_name({one, other}) is None
    assert choose_name({one, PythonName("m", "a.walk")}) is None
    assert choose_name({PythonName("m", f"c{number}.run") for number in range(4)}) is None


def test_damage_is_survived(tmp_path: Path) -> None:
    """Words of the data and of the headers with other bits, and truncations."""
    path, _ = build(tmp_path)
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        for changed in (
            content[:at],
            content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :],
        ):
            try_file(changed)


def try_file(content: bytes) -> None:
    try:
        elf = ElfFile(lambda offset, size: content[offset : offset + size])
    except ElfFileError:
        return
    assert len(read_method_names(elf)) < 100
