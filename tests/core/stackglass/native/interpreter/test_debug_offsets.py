"""Where the interpreter keeps what a walk needs, for versions that need not be present."""

from __future__ import annotations

import struct

import pytest

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python
from native import _core_testing as core

N_WORDS = 111  # _Py_DebugOffsets of 3.15
# Version → (word position in _Py_DebugOffsets → value), as published by these interpreters.
DESCRIBED = {
    13: {176: 16, 184: 72, 192: 152, 200: 160, 216: 24, 232: 8, 240: 0, 248: 56, 264: 70,
         280: 112, 288: 120, 296: 128, 304: 136, 312: 68, 344: 200, 80: 7400, 560: 40, 576: 100},
    14: {200: 16, 208: 72, 216: 152, 224: 160, 240: 24, 256: 8, 264: 0, 272: 56, 288: 74,
         320: 112, 328: 120, 336: 128, 344: 136, 352: 68, 384: 208, 88: 7400, 640: 40, 656: 100},
    15: {200: 16, 208: 72, 240: 176, 248: 184, 264: 24, 320: 8, 328: 0, 336: 56, 352: 74,
         384: 112, 392: 120, 400: 128, 408: 136, 416: 68, 448: 208, 88: 7400, 736: 40, 760: 100},
}  # fmt: skip


def describe(
    minor: int, *, cookie: bytes = b"xdebugpy", of: int | None = None, free_threaded: int = 0
) -> bytes:
    words = [0] * N_WORDS
    words[1] = (3 << 24) | ((of or minor) << 16) | 0x00F0
    words[2] = free_threaded
    for position, value in DESCRIBED[minor].items():
        words[position // 8] = value
    return cookie + struct.pack(f"<{N_WORDS - 1}Q", *words[1:])


@pytest.mark.parametrize(
    ("minor", "expected"),
    [
        (9, {"current_frame": 24, "previous": 24, "code": 32, "instruction": 104, "owner": -1}),
        (10, {"current_frame": 24, "previous": 24, "code": 32, "instruction": 96, "owner": -1}),
        (11, {"current_frame": 56, "cframe_frame": 8, "previous": 48, "code": 32, "owner": 69}),
        (12, {"current_frame": 56, "cframe_frame": 0, "previous": 8, "code": 0, "owner": 70}),
    ],
)
def test_table(minor: int, expected: dict[str, int]) -> None:
    layout = core.layout_for(minor)
    assert isinstance(layout, dict)
    assert layout["minor"] == minor
    assert expected.items() <= layout.items()


@pytest.mark.parametrize("minor", [13, 14, 15])
def test_description_of_itself(minor: int) -> None:
    layout = core.layout_for(minor, describe(minor))
    assert isinstance(layout, dict)
    assert layout["current_frame"] == 72
    assert (layout["previous"], layout["code"], layout["instruction"]) == (8, 0, 56)
    assert layout["co_linetable"] == 136
    assert layout["co_firsttraceable"] == layout["co_adaptive"] - 16
    assert layout["gc_collecting"] == 7500
    assert (layout["ascii_data"], layout["compact_data"]) == (40, 56)
    assert layout["owner"] < layout["frame_bytes"] <= 80


@pytest.mark.parametrize(
    ("minor", "description", "sentence"),
    [
        (8, None, "Python 3.8 is not supported; 3.9 to 3.15 are supported"),
        (16, None, "Python 3.16 is not supported; 3.9 to 3.15 are supported"),
        (13, None, "from 3.13 on the layout is known only inside the process"),
        (13, describe(13, cookie=b"xxxxxxxx"), "the interpreter has no debug offsets"),
        (13, describe(13, of=14), "the interpreter's debug offsets are for another version"),
        (14, describe(14, free_threaded=1), "free-threaded builds of Python cannot be profiled"),
    ],
)
def test_refusals(minor: int, description: bytes | None, sentence: str) -> None:
    refusal = core.layout_for(minor, description) if description else core.layout_for(minor)
    assert isinstance(refusal, str)
    assert refusal.startswith(sentence)


def test_nonsense_is_refused() -> None:
    description = bytearray(describe(14))
    description[208:216] = b"\xff" * 8
    assert "are not valid" in str(core.layout_for(14, bytes(description)))


@pytest.mark.parametrize("minor", [13, 14, 15])
@pytest.mark.parametrize("field", ["previous", "code", "instruction", "owner"])
def test_frames_larger_than_a_walks_copy_of_them_are_refused(minor: int, field: str) -> None:
    """A walk copies a frame to a buffer of 128 bytes."""
    first = 232 if minor == 13 else 256 if minor == 14 else 320  # previous, code, instruction
    position = {
        "previous": first,
        "code": first + 8,
        "instruction": first + 16,
        "owner": {13: 264, 14: 288, 15: 352}[minor],
    }[field]
    field_bytes = 1 if field == "owner" else 8
    for offset in (128 - field_bytes, 128 - field_bytes + 1):
        description = bytearray(describe(minor))
        description[position : position + 8] = struct.pack("<Q", offset)
        layout = core.layout_for(minor, bytes(description))
        if offset + field_bytes <= 128:
            assert isinstance(layout, dict)
            assert layout["frame_bytes"] == 128
        else:
            assert layout == "the interpreter's debug offsets describe frames larger than 128 bytes"


def test_own_interpreter_passes_its_self_check() -> None:
    assert core.cpu_prepare() is None
    try:
        assert core.cpu_self_check() is None
    finally:
        core.cpu_unprepare()


@each_python
def test_memory_behind_a_thread_state_is_no_part_of_it(python: Python) -> None:
    """A thread that has run no Python has no data stack; its neighbour's may be taken for it."""
    found = run_probe(python, "sampler/neighbours.py")
    assert found["after"] == found["before"]
