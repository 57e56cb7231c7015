"""Lines and inlined calls of addresses by other tools, for comparison."""

from __future__ import annotations

import posixpath
import subprocess
from pathlib import Path

from stackglass.symbols.dwarf.debug_info import DebugInfo

Frames = list[tuple[str, str, int]]


def ask_judge(judge: str, path: Path, addresses: list[int]) -> list[Frames]:
    """Return symbol, file and line of each frame from another tool, innermost first."""
    options = {
        "addr2line": ("-a", "-i", "-f"),
        "llvm-symbolizer": ("--output-style=GNU", "-a", "--inlines", "--no-demangle"),
    }[judge]
    text = "\n".join(map(hex, addresses))
    done = subprocess.run(
        [judge, *options, "-e", str(path)], input=text, check=True, capture_output=True, text=True
    )
    answers: list[Frames] = []
    lines = filter(None, done.stdout.splitlines())
    for line in lines:
        if line.startswith("0x"):
            answers.append([])
            continue
        file, _, number = next(lines).partition(" (")[0].rpartition(":")
        place = posixpath.normpath(file) if file != "??" else ""
        answers[-1].append((line, place, int(number) if number.isdigit() else 0))
    return answers


def list_frames(info: DebugInfo, address: int, theirs: Frames) -> Frames:
    """List Stackglass's frames. Other tools show the linker's name of the function, for example
    with `.cold`; DWARF has the name in the source."""
    frames = [(frame.symbol, frame.file, frame.line) for frame in info.find(address)]
    return [*frames[:-1], (theirs[-1][0], *frames[-1][1:])]
