"""Functions of threads in a library without symbols."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import pytest

from harness.compiled import FOLDER, find_compiler
from stackglass.symbols.elf_file import ElfFile
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symboliser import Symboliser
from stackglass.symbols.thread_functions import read_thread_names

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86-64's code")
SOURCE = FOLDER / "native_names" / "threads.c"


@pytest.mark.parametrize("options", [(), ("-fno-plt",), ("-fcf-protection",), ("-Wl,-z,now",)])
def test_a_function_is_named_where_only_it_can_be_the_threads(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    whole, path = tmp_path / "whole.so", tmp_path / "libthreads.so"
    command = [find_compiler("cc") or "cc", "-O2", "-shared", "-fPIC", "-pthread", *options]
    subprocess.run([*command, "-Wl,--build-id", "-o", whole, SOURCE], check=True)
    rows = subprocess.run(["nm", whole], check=True, capture_output=True, text=True).stdout
    starts = {name: int(at, 16) for at, name in re.findall(r"^([0-9a-f]+) t (\w+)$", rows, re.M)}
    assert read_thread_names(ElfFile(OpenFile(str(whole)).read)) == {}, "it has symbols"
    subprocess.run(["strip", "-o", path, whole], check=True)
    elf = ElfFile(OpenFile(str(path)).read)
    function = starts["work"]
    assert read_thread_names(elf) == {function: f"[thread function {function:#x}]"}
    name = Symboliser(0).name(str(path), elf.identity, function).text
    assert name == f"libthreads: [thread function {function:#x}]"
