"""Classes of virtual functions in a library without symbols."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from harness.compiled import FOLDER, find_compiler
from stackglass.symbols.class_tables import read_class_names
from stackglass.symbols.demangler import demangle_class
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.static_data import StaticData
from stackglass.symbols.symboliser import Symboliser

SOURCE = FOLDER / "native_names" / "classes.cpp"
NAMED = {
    "shapes::Shape::~Shape()": "shapes::Shape::[virtual 0]",
    "shapes::Shape::area(int)": "shapes::Shape::[virtual 2]",
    "shapes::Shape::sides(int)": "shapes::Shape::[virtual 3]",  # of Square, too
    "shapes::Square<int>::area(int)": "shapes::Square::[virtual 2]",
    "shapes::Square<int>::only_of_squares(int)": "shapes::Square::[virtual 4]",
    "shapes::Interface::inherited(int)": "shapes::Interface::[virtual 1]",
    "shapes::(anonymous namespace)::Local::pure(int)": "shapes::(anonymous)::Local::[virtual 0]",
    "shapes::(anonymous namespace)::Second::pure(int)": "shapes::(anonymous)::Second::[virtual 0]",
    "shapes::Both::sides(int)": "shapes::Both::[virtual 3]",
    "shapes::Both::pure(int)": "shapes::Both::[virtual 4]",
    "shapes::Failure::what() const": "shapes::Failure::[virtual 2]",
}
ALIKE = {
    "shapes::Alike::alike(int)": "shapes::Alike::[virtual 0]",
    "shapes::Other::other(int)": "shapes::Other::[virtual 0]",
    "shapes::Twice::one(int)": "shapes::Twice::[virtual 0]",
    "shapes::Twice::two(int)": "shapes::Twice::[virtual 1]",
}


def build(folder: Path, *options: str) -> tuple[Path, dict[str, int]]:
    """A library without symbols, and where its functions start. Of two destructors, one is here."""
    whole, path = folder / "whole.so", folder / "libclasses.so"
    compiler = find_compiler("c++") or "c++"
    command = [compiler, "-O1", "-shared", "-fPIC", "-Wl,--build-id", *options]
    done = subprocess.run([*command, "-o", whole, SOURCE], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this compiler has no {' '.join(options)}")
    rows = subprocess.run(["nm", "-C", whole], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^([0-9a-f]+) [tTwW] (.+)$", rows, re.MULTILINE)
    subprocess.run(["strip", "-o", path, whole], check=True)
    return path, {name: int(start, 16) for start, name in found}


def read(path: Path) -> dict[int, str]:
    return read_class_names(ElfFile(OpenFile(str(path)).read))


@pytest.mark.parametrize(
    "options",
    [(), ("-Wl,-z,pack-relative-relocs",), ("-fvisibility=hidden", "-O2"), ("-static-libstdc++",)],
)
def test_virtual_functions_have_their_class_and_slot(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    path, starts = build(tmp_path, "-fno-ipa-icf", *options)
    names = read(path)
    assert {symbol: names.get(starts[symbol]) for symbol in NAMED} == NAMED
    if "-O2" not in options:  # then the compiler knows which function is called, and has no table
        assert {symbol: names.get(starts[symbol]) for symbol in ALIKE} == ALIKE


@pytest.mark.parametrize("options", [(), ("-fvisibility=hidden", "-O2"), ("-fno-ipa-icf",)])
def test_every_name_is_of_the_functions_own_class(tmp_path: Path, options: tuple[str, ...]) -> None:
    path, starts = build(tmp_path, *options)
    names = read(path)
    found = {symbol: names[start] for symbol, start in starts.items() if start in names}
    assert len(found) > 11
    for symbol, name in found.items():
        owner = re.sub(r"<[^>]*>", "", symbol).replace("(anonymous namespace)", "(anonymous)")
        assert owner.startswith(name.rpartition("[virtual")[0]), (name, symbol)


@pytest.mark.parametrize(
    "options",
    [("-O2", "-fipa-icf"), ("-fuse-ld=gold", "-ffunction-sections", "-Wl,--icf=all")],
)
def test_functions_that_were_merged_have_no_name(tmp_path: Path, options: tuple[str, ...]) -> None:
    path, starts = build(tmp_path, *options)
    alike = [starts[symbol] for symbol in ALIKE]
    if alike[0] != alike[1] or alike[2] != alike[3]:
        pytest.skip("this compiler does not merge them")
    names = read(path)
    assert not names.keys() & set(alike)
    assert names[starts["shapes::Shape::area(int)"]] == "shapes::Shape::[virtual 2]"


def test_a_pointer_behind_a_table_is_none_of_its_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, starts = build(tmp_path, "-fno-ipa-icf")
    assert starts["not_virtual"] not in read(path)
    find = StaticData.find_references

    def overlook(data: StaticData, targets: set[int]) -> set[int]:
        return find(data, targets) - set(data.find_word(starts["not_virtual"]))

    monkeypatch.setattr(StaticData, "find_references", overlook)
    if starts["not_virtual"] not in read(path):
        pytest.skip("this compiler places it elsewhere")


def test_a_record_with_the_shape_of_a_table_is_none(tmp_path: Path) -> None:
    path, starts = build(tmp_path, "-fno-ipa-icf")
    assert starts["not_either"] not in read(path)


def test_symbols_come_first_and_addresses_last(tmp_path: Path) -> None:
    path, starts = build(tmp_path)
    identity = ElfFile(OpenFile(str(path)).read).identity
    symboliser = Symboliser(0)
    shown = symboliser.name(str(path), identity, starts["shapes::Both::pure(int)"])
    hidden = starts["shapes::(anonymous namespace)::Local::pure(int)"]
    assert shown.text == "libclasses: shapes::Both::pure"
    assert symboliser.name(str(path), identity, hidden) == (
        "libclasses: shapes::(anonymous)::Local::[virtual 0]",
        "",
    )
    assert symboliser.name(str(path), identity, hidden + 1).text == f"libclasses: {hidden + 1:#x}"
    assert read(tmp_path / "whole.so") == {}


def open_bytes(content: bytes) -> ElfFile:
    return ElfFile(lambda offset, size: content[offset : offset + size])


def test_damaged_tables_cost_names_alone(tmp_path: Path) -> None:
    path, _ = build(tmp_path, "-static-libstdc++")
    whole, source = path.read_bytes(), random.Random(17)
    elf = ElfFile(OpenFile(str(path)).read)
    sections = [each for each in elf.sections if each.name in (".data.rel.ro", ".rela.dyn")]
    for _ in range(40):
        content = bytearray(whole)
        for _ in range(source.randrange(1, 400)):
            section = source.choice(sections)
            content[section.offset + source.randrange(section.size)] = source.choice((0, 1, 0xFF))
        del content[source.choice((len(whole), len(whole) // 2)) :]
        try:
            names = read_class_names(open_bytes(bytes(content)))
        except ElfFileError:  # of the headers at the file's end
            continue
        assert all("::[virtual " in name for name in names.values())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("N11onnxruntime6MatMulIfEE", "onnxruntime::MatMul"),
        ("NSt6thread11_State_implINS_8_InvokerISt5tupleIJPFvvEEEEEEE", "std::thread::_State_impl"),
        ("ZN1a3useEvE5Local", "a::use()::Local"),
        ("nothing", ""),
    ],
)
def test_classes_are_named_without_the_types_of_their_templates(name: str, text: str) -> None:
    assert demangle_class(name) == text
