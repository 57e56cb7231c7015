"""Python's sampling profiler: its binary format and its JSON lines, beside its own replay."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path

import pytest

from harness.profile_rows import list_labels, list_stacks
from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.opener import open_content, open_profile
from stackglass_viewer.model.readers.tachyon import read_tachyon
from stackglass_viewer.model.readers.tachyon_lines import read_tachyon_lines

CORPUS = Path(__file__).parents[4] / "corpus"
SEED = SEEDS["tachyon"]
STRINGS_AT = struct.unpack_from("<Q", SEED, 40)[0]


def change(at: int, content: bytes) -> bytes:
    return SEED[:at] + content + SEED[at + len(content) :]


def read_replayed() -> dict[tuple[str, ...], int]:
    """Samples by ``name:line``, root first, as the profiler's own replay prints them."""
    stacks = {}
    for line in (CORPUS / "tachyon.app.collapsed").read_text().splitlines():
        frames, _, n = line.rpartition(" ")
        _thread, *places = frames.split(";")
        stacks[tuple(place.removeprefix("app.py:") for place in places)] = int(n)
    return stacks


def test_a_recording_has_the_stacks_of_its_own_replay() -> None:
    profile = open_profile(CORPUS / "tachyon.app.bin")
    assert isinstance(profile, Profile)
    sums: Counter[tuple[str, ...]] = Counter()
    for stack, n in zip(list_stacks(profile), profile.samples.values[0].tolist(), strict=True):
        sums[tuple(reversed(stack))] += n
    assert dict(sums) == read_replayed()
    assert profile.samples.values[1].sum() == sum(sums.values()) * 1_000_000
    assert profile.comments == ("Python 3.15.0", "mode: wall")
    assert 0.9e9 < profile.duration_ns < 1.1e9


def test_the_json_has_the_lines_of_the_same_replay() -> None:
    table = open_profile(CORPUS / "tachyon.app.jsonl")
    assert isinstance(table, FunctionTable)
    own: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for stack, n in read_replayed().items():
        own[stack[-1]] += n
        for line in set(stack):
            total[line] += n
    rows = [f"{name}:{line}" for name, line in zip(table.name, table.line.tolist(), strict=True)]
    assert dict(zip(rows, table.total[1].tolist(), strict=True)) == total
    assert dict(zip(rows, table.own[1].tolist(), strict=True)) == {row: own[row] for row in rows}
    assert table.own[0].sum() == table.own[1].sum() * 1_000_000
    assert [each.name for each in table.sample_types] == ["time", "samples"]


def test_records_change_the_stack_of_their_thread() -> None:
    profile = read_tachyon(SEED)
    main, work = "main:7", "work:8"
    rows = [
        (stack, labels[1], n)
        for stack, labels, n in zip(
            list_stacks(profile),
            zip(*[iter(text for _, _, text in list_labels(profile))] * 2, strict=True),
            profile.samples.values[0].tolist(),
            strict=True,
        )
    ]
    assert rows == [
        ([work, main], "waiting for the GIL", 1),
        ([work, main], "holds the GIL", 2),
        (["work:0", work, main], "on CPU", 1),
        (["work:0", main], "idle", 1),
    ]
    assert profile.duration_ns == (904 + 904 + 1 + 1 + 1) * 1000


def test_the_other_byte_order_and_zstd_are_read() -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(SEED[64:STRINGS_AT])
    shift = len(packed) - (STRINGS_AT - 64)
    places = [place + shift for place in struct.unpack_from("<QQ", SEED, 40)]
    header = SEED[:40] + struct.pack("<QQI", *places, 1) + SEED[60:64]
    end = SEED[STRINGS_AT:-24] + struct.pack("<Q16x", len(SEED) + shift)
    profile = open_content(header + packed + end, "file")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == list_stacks(read_tachyon(SEED))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (SEED[:-1], "truncated"),
        (SEED[:50], "truncated"),
        (change(4, b"\x02"), "version 2, written by Python 3.15.0"),
        (change(28, b"\x06"), "5 of its 6 samples"),
        (change(40, b"\xff"), "its tables"),
        (change(56, b"\x07"), "unknown compression 7"),
        (change(64 + 12, b"\x09"), "unknown record 9"),
        (change(64 + 16, b"\x7f"), "truncated|not in its table"),
        (change(64 + 17, b"\x63"), "not in its table"),
        (change(64 + 13, b"\xff" * 12), "more than 64 bits"),
    ],
)
def test_damage_is_one_sentence(content: bytes, reason: str) -> None:
    with pytest.raises(ContentError, match=reason):
        read_tachyon(content)


def test_many_threads_and_deep_stacks_are_bounded() -> None:
    record = b"\x01\x01\x01\x01\x00"
    threads = b"".join(struct.pack("<QI", each, 0) + record for each in range(1 << 15))
    with pytest.raises(ContentError, match="too many threads"):
        read_tachyon(replace_samples(threads))
    pushes = struct.pack("<QI", 1, 0) + b"\x03\x01\x01\x00\x7f" + b"\x01" * 127
    with pytest.raises(ContentError, match="more than 4096 frames"):
        read_tachyon(replace_samples(pushes * 33))


def replace_samples(samples: bytes) -> bytes:
    shift = len(samples) - (STRINGS_AT - 64)
    places = [place + shift for place in struct.unpack_from("<QQ", SEED, 40)]
    end = SEED[STRINGS_AT:-24] + struct.pack("<Q16x", len(SEED) + shift)
    return SEED[:40] + struct.pack("<QQ", *places) + SEED[56:64] + samples + end


@pytest.mark.parametrize(
    ("line", "changed", "reason"),
    [
        (4, None, "truncated"),
        (0, {"v": 1}, "unknown version"),
        (3, {"entries": [{"frame_id": 9, "self": 1, "cumulative": 1}]}, "damaged"),
        (3, {"entries": [{"frame_id": 0, "self": 9, "cumulative": 9}]}, "more samples than"),
        (3, {"entries": [{"frame_id": 0, "self": -1, "cumulative": 9}]}, "invalid count"),
        (3, {"entries": [{"frame_id": 0, "self": 1, "cumulative": 2**62 + 1}]}, "invalid count"),
        (3, {"entries": [{"frame_id": 0, "self": 1.0, "cumulative": 9}]}, "invalid count"),
        (3, {"entries": [{"frame_id": 0, "self": 1, "cumulative": "9"}]}, "invalid count"),
        (3, {"entries": [{"frame_id": 0, "self": True, "cumulative": 9}]}, "invalid count"),
        (1, {"type": "meta"}, "second run"),
    ],
)
def test_damaged_json_is_one_sentence(
    line: int, changed: dict[str, object] | None, reason: str
) -> None:
    records = [json.loads(each) for each in SEEDS["tachyon-lines"].splitlines()]
    if changed is None:
        del records[line]
    else:
        records[line].update(changed)
    with pytest.raises(ContentError, match=reason):
        read_tachyon_lines("\n".join(map(json.dumps, records)).encode())


def test_json_whose_sum_exceeds_64_bits() -> None:
    records = [json.loads(each) for each in SEEDS["tachyon-lines"].splitlines()]
    frames = records[2]["frames"]
    frames.append({**frames[0], "frame_id": 1, "line": frames[0]["line"] + 1})
    records[3]["entries"] = [{"frame_id": at, "self": 2**62, "cumulative": 0} for at in (0, 1)]
    with pytest.raises(ContentError, match="more samples than"):
        read_tachyon_lines("\n".join(map(json.dumps, records)).encode())
