"""Reader of memray's files. memray itself reads them, because each version changes the format.

memray is looked for in the current Python, then in the Python of the command ``memray`` on PATH. It
runs in a child process with limited memory and time.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stackglass_viewer.model.child_process import wait_for
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers import memray_child
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Label, Symbol

_MOST_S = 300.0
_FREE_BYTES = 2 << 30  # limit of the address space, with _EACH_BYTE; memray maps much memory
_EACH_BYTE = 64
_MOST_ANSWER_BYTES = 1 << 30
_MOST_SHOWN = 160
_NS_PER_S = 1e9
_SHEBANG = b"#!"


def read_memray(content: bytes | bytearray, is_cancelled: Callable[[], bool]) -> Profile:
    """Read a file: memory in use at the peak, not freed at the end, and allocated in all. May run
    in any thread. Raises ContentError, CancelledError."""
    python = find_python()
    if python is None:
        raise ContentError(
            "it is memray's own format, which memray has to read, and it is not installed",
            f"{sys.executable} -m pip install memray",
        )
    with tempfile.NamedTemporaryFile(prefix="stackglass-") as given:
        given.write(content)
        given.flush()
        answer = _run_memray(python, given.name, len(content), is_cancelled)
    try:
        return _build(json.loads(answer))
    except DAMAGE as error:
        raise ContentError(explain_damage("memray's answer", error)) from None


def find_python() -> str | None:
    """Return the path of a Python that has memray; None = none was found."""
    if importlib.util.find_spec("memray") is not None:
        return sys.executable
    command = shutil.which("memray")
    if command is None:
        return None
    try:
        with Path(command).open("rb") as file:
            first = file.readline(4096).strip()
    except OSError:
        return None
    python = first.removeprefix(_SHEBANG).strip().decode(errors="replace")
    return python if first.startswith(_SHEBANG) and Path(python).is_file() else None


def _run_memray(python: str, path: str, n_bytes: int, is_cancelled: Callable[[], bool]) -> bytes:
    memory = _FREE_BYTES + _EACH_BYTE * n_bytes
    with tempfile.TemporaryFile() as answered:
        child = subprocess.Popen(
            [python, "-I", str(Path(memray_child.__file__)), path, str(memory)],
            stdin=subprocess.DEVNULL,
            stdout=answered,
            stderr=subprocess.DEVNULL,
        )
        try:
            if not wait_for(child, is_cancelled, _MOST_S):
                raise ContentError(f"memray took more than {_MOST_S:.0f} s to read it")
        finally:
            child.kill()
            child.wait()
        size = answered.seek(0, 2)
        if child.returncode or not size:
            raise ContentError(f"memray ended with status {child.returncode} while reading it")
        if size > _MOST_ANSWER_BYTES:
            raise ContentError("memray's answer is larger than 1 GiB")
        answered.seek(0)
        return answered.read()


def _build(answer: dict[str, Any]) -> Profile:
    if "error" in answer:
        raise ContentError(" ".join(str(answer["error"]).split())[:_MOST_SHOWN])
    samples = FrameSamples()
    places = [samples.add_frame(Symbol(*frame)) for frame in answer["frames"]]
    stacks = answer["stacks"]
    for stack, thread, values in answer["rows"]:
        samples.add(values, [places[frame] for frame in stacks[stack]], [Label("thread", thread)])
    return samples.build(
        [SampleType(*each) for each in answer["types"]],
        duration_ns=max(round(answer["duration_s"] * _NS_PER_S), 0),
        time_unix_ns=max(round(answer["start_s"] * _NS_PER_S), 0),
        comments=(answer["command"],) if answer["command"] else (),
    )
