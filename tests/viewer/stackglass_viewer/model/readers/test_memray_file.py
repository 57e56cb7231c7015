"""memray's files: where memray is looked for, what is asked of it, and how it may fail."""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import subprocess
import sys
import types
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers import memray_child, memray_file
from stackglass_viewer.model.readers.opener import open_content

CONTENT = b"memray\x00\x0d\x00"
ANSWER = {
    "types": [["peak_objects", "count"], ["peak_space", "bytes"]],
    "frames": [["work", "app.py", 7], ["main", "app.py", 3]],
    "stacks": [[0, 1]],
    "rows": [[0, "MainThread", [2, 90]]],
    "command": "app.py",
    "start_s": 1700000000.5,
    "duration_s": 2.5,
}


def write_program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH; the Python of the tests has no memray."""
    monkeypatch.setenv("PATH", str(tmp_path))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "memray" else find(name)
    )
    return tmp_path


def install(folder: Path, script: str) -> None:
    """A command ``memray`` whose Python is a shell script."""
    python = write_program(folder / "python", f"#!/bin/sh\n{script}\n")
    write_program(folder / "memray", f"#!{python}\nimport memray\n")


def read() -> Profile:
    profile = open_content(CONTENT, "file")
    assert isinstance(profile, Profile)
    return profile


def test_without_memray_the_sentence_says_how_to_get_it(bin_folder: Path) -> None:
    with pytest.raises(ContentError, match="it is not installed") as caught:
        read()
    assert caught.value.remedy == f"{sys.executable} -m pip install memray"
    write_program(bin_folder / "memray", f"#!{bin_folder / 'gone'}\n")
    assert memray_file.find_python() is None
    write_program(bin_folder / "memray", "\x7fELF")
    assert memray_file.find_python() is None


def test_the_command_s_python_is_asked(bin_folder: Path) -> None:
    seen = bin_folder / "seen"
    install(bin_folder, f"echo \"$@\" > {seen}\necho '{json.dumps(ANSWER)}'")
    profile = read()
    assert list_stacks(profile) == [(["work", "main"], [2, 90])]
    assert [each.name for each in profile.sample_types] == ["peak_objects", "peak_space"]
    assert (profile.time_unix_ns, profile.duration_ns) == (1700000000_500_000_000, 2_500_000_000)
    assert profile.comments == ("app.py",)
    assert "MainThread" in profile.strings
    option, script, given, memory = seen.read_text().split()
    assert (option, script) == ("-I", memray_child.__file__)
    assert int(memory) > 1 << 30
    assert not Path(given).exists()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "status 3"),
        ("exit 0", "ended with status 0"),
        ('echo \'{"error": "memray cannot read it:\\\\nno"}\'', "memray cannot read it: no"),
        ("echo x", "damaged"),
        ("echo '{\"types\": []}'", "damaged"),
    ],
)
def test_a_failure_is_one_sentence(bin_folder: Path, script: str, reason: str) -> None:
    install(bin_folder, script)
    with pytest.raises(ContentError, match=reason):
        read()


def test_reading_is_limited_in_time_and_can_be_cancelled(
    bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(bin_folder, "exec /bin/sleep 60")
    with pytest.raises(CancelledError):
        memray_file.read_memray(CONTENT, lambda: True)
    monkeypatch.setattr(memray_file, "_MOST_S", 0.1)
    with pytest.raises(ContentError, match="more than 0 s"):
        read()


class Record:
    """A record of memray's."""

    def __init__(self, stack: list[tuple[str, str, int]], size: int, allocator: int = 1) -> None:
        self.allocator, self.size, self.n_allocations = allocator, size, 1
        self.tid, self.thread_name = 7, ""
        self.stack_id, self.native_stack_id, self.native_segment_generation = id(stack), 0, 0
        self._stack = stack

    def stack_trace(self) -> list[tuple[str, str, int]]:
        return self._stack

    def hybrid_stack_trace(self) -> list[tuple[str, str, int]]:
        return [("malloc", "a.c", 1), *self._stack]


MAIN = [("main", "app.py", 3)]
WORK = [("work", "app.py", 7), *MAIN]


class FileReader:
    """memray's, of a program that allocates three times and frees once."""

    def __init__(self, path: str) -> None:
        start = datetime(2026, 1, 1, tzinfo=UTC)
        self.metadata = types.SimpleNamespace(
            has_native_traces="native" in path,
            command_line="app.py",
            start_time=start,
            end_time=start + timedelta(seconds=2),
        )
        self._is_aggregated = "aggregated" in path

    def __enter__(self) -> FileReader:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get_high_watermark_allocation_records(self, *, merge_threads: bool) -> list[Record]:
        assert not merge_threads
        return [Record(WORK, 90), Record(MAIN, 5)]

    def get_leaked_allocation_records(self, *, merge_threads: bool) -> list[Record]:
        assert not merge_threads
        return [Record(MAIN, 5)]

    def get_allocation_records(self) -> list[Record]:
        if self._is_aggregated:
            raise NotImplementedError
        return [Record(WORK, 90), Record(MAIN, 5), Record(WORK, 0, 2), Record(WORK, 40)]


@pytest.fixture
def fake_memray(monkeypatch: pytest.MonkeyPatch) -> None:
    fake: Any = types.ModuleType("memray")
    fake.FileReader = FileReader
    fake.AllocatorType = types.SimpleNamespace(FREE=2, MUNMAP=6)
    monkeypatch.setitem(sys.modules, "memray", fake)


@pytest.mark.usefixtures("fake_memray")
def test_what_is_asked_of_memray() -> None:
    answer = memray_child.read("file")
    assert [name for name, _ in answer["types"]] == [
        *("alloc_objects", "alloc_space", "leaked_objects", "leaked_space"),
        *("peak_objects", "peak_space"),
    ]
    stacks = [[answer["frames"][each][0] for each in stack] for stack in answer["stacks"]]
    rows = [(stacks[stack], thread, values) for stack, thread, values in answer["rows"]]
    assert rows == [
        (["work", "main"], "7", [2, 130, 0, 0, 1, 90]),
        (["main"], "7", [1, 5, 1, 5, 1, 5]),
    ]
    assert answer["duration_s"] == 2


@pytest.mark.usefixtures("fake_memray")
def test_native_frames_and_aggregated_files() -> None:
    assert memray_child.read("native")["frames"][0][0] == "malloc"
    answer = memray_child.read("aggregated")
    assert answer["types"][0][0] == "leaked_objects"
    assert answer["rows"][0][2] == [0, 0, 1, 90]


@pytest.mark.skipif(importlib.util.find_spec("memray") is None, reason="memray is not installed")
def test_a_real_file(tmp_path: Path) -> None:
    path = tmp_path / "real.bin"
    code = f"import memray\nwith memray.Tracker({str(path)!r}): kept = bytes(5_000_000)\n"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
    profile = open_content(path.read_bytes(), "file")
    assert isinstance(profile, Profile)
    peak = profile.samples.values[-1]
    assert 5_000_000 <= int(peak.sum()) < 6_000_000
