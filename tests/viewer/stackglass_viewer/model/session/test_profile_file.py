"""Session files of one profile: what every reader reads is the same behind one; damaged files."""

from __future__ import annotations

import io
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.reader_seeds import SEEDS
from harness.session_mutation import mutate_session
from harness.session_writer import SessionWriter
from harness.trace_check import check_profile_file
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.memory_trace.any_file import is_trace_file, open_any, open_file
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers import opener
from stackglass_viewer.model.session.chunks import FUNCTIONS, PROFILE, TIMES, list_chunks, unpack
from stackglass_viewer.model.session.profile_file import read_profile_file, write_profile_file

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
SEED_NAMES = [
    name for name, seed in SEEDS.items() if seed[:10] != b"stackglass" and "go-" not in name
]
FILES = ["cprofile.workload.py3.12.prof", "go.http.heap.gc.pb.gz", "tachyon.app.bin"]


def read_seed(name: str) -> Profile | FunctionTable:
    return opener.open_content(SEEDS[name], name)


def list_samples(profile: Profile) -> list[Any]:
    """Each sample's names, places, addresses, values and labels; of which moment it was."""
    strings, locations, labels = profile.strings, profile.locations, profile.labels
    functions, mappings = profile.functions, profile.mappings
    frames = []
    for row in range(len(locations.address)):
        at = int(locations.mapping[row])
        place = strings[mappings.filename[at]] if at >= 0 else ""
        lines = range(locations.line_start[row], locations.line_start[row + 1])
        shown = [
            (
                *(strings[column[locations.line_function[line]]] for column in _names(functions)),
                int(functions.start_line[locations.line_function[line]]),
                int(locations.line_number[line]),
                int(locations.line_column[line]),
            )
            for line in lines
            if locations.line_function[line] >= 0
        ]
        frames.append((int(locations.address[row]), place, shown))
    labels_of: dict[int, list[Any]] = {}
    for sample, key, text, number, unit in zip(
        *(getattr(labels, name).tolist() for name in labels.__slots__), strict=True
    ):
        shown_text = strings[text] if text >= 0 else None
        labels_of.setdefault(sample, []).append((strings[key], shown_text, number, strings[unit]))
    start = profile.samples.stack_start.tolist()
    return [
        (
            [frames[at] for at in profile.samples.stack[start[row] : start[row + 1]].tolist()],
            profile.samples.values[:, row].tolist(),
            labels_of.get(row, []),
        )
        for row in range(profile.n_samples)
    ]


def _names(functions: Any) -> tuple[Any, ...]:
    return functions.name, functions.system_name, functions.filename


def assert_same(got: Profile | FunctionTable, expected: Profile | FunctionTable) -> None:
    facts = {"sample_types", "default_type", "comments"}
    if isinstance(expected, FunctionTable):
        assert isinstance(got, FunctionTable)
        for name in set(FunctionTable.__slots__) - {"warnings"}:
            assert np.array_equal(getattr(got, name), getattr(expected, name)), name
        return
    assert isinstance(got, Profile)
    facts |= {"time_unix_ns", "duration_ns", "period_type", "period", "doc_url"}
    for name in facts:
        assert getattr(got, name) == getattr(expected, name), name
    assert list_samples(got) == list_samples(expected)
    assert (got.times is None) == (expected.times is None)
    if got.times is not None and expected.times is not None:
        assert got.times.length_ns == expected.times.length_ns
        for name in ("sample", "begin_ns", "end_ns", "values"):
            assert np.array_equal(getattr(got.times, name), getattr(expected.times, name)), name


@pytest.mark.parametrize("name", SEED_NAMES)
def test_every_format_reads_back_the_same(name: str, tmp_path: Path) -> None:
    profile = read_seed(name)
    path = tmp_path / "file.sgm"
    path.write_bytes(write_profile_file(profile))
    assert_same(open_file(path), profile)
    again = open_any(path)  # as the window does
    assert isinstance(again, (Profile, FunctionTable))
    assert_same(again, profile)
    assert not is_trace_file(path)


@pytest.mark.parametrize("name", FILES)
def test_files_of_tools_read_back_the_same(name: str) -> None:
    profile = opener.open_profile(CORPUS / name)
    assert_same(read_profile_file(memoryview(write_profile_file(profile))), profile)


def test_times_are_kept_which_pprof_cannot_hold() -> None:
    profile = read_seed("speedscope")
    assert isinstance(profile, Profile)
    assert profile.times is not None


def test_large_parts_take_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stackglass.wire.session_file._PIECE_BYTES", 50)
    profile = read_seed("speedscope")
    content = write_profile_file(profile)
    kinds = [chunk.kind for chunk in list_chunks(memoryview(content), lambda _: None).chunks]
    assert kinds.count(PROFILE) > 2
    assert kinds.count(TIMES) > 2
    assert_same(read_profile_file(memoryview(content)), profile)


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    content = write_profile_file(read_seed("pprof"))
    for size in range(24, len(content), 7):
        with pytest.raises(ContentError, match="truncated"):
            read_profile_file(memoryview(content[:size]))
    path = tmp_path / "cut.sgm"
    path.write_bytes(content[:-1])
    with pytest.raises(ContentError, match=r"cannot open cut\.sgm: it is truncated"):
        open_file(path)


def write_parts(*parts: tuple[int, bytes]) -> memoryview:
    file = io.BytesIO()
    writer = SessionWriter(file)
    for kind, raw in parts:
        writer.add_raw(kind, raw)
    writer.finish()
    return memoryview(file.getvalue())


def read_part(content: bytes, kind: int) -> bytes:
    view = memoryview(content)
    chunks = list_chunks(view, lambda _: None).chunks
    return b"".join(
        unpack(view[each.begin : each.end], each) for each in chunks if each.kind == kind
    )


@pytest.mark.parametrize(
    ("column", "value"), [(0, 9), (0, -1), (1, 1 << 61), (1, -5), (2, -1), (2, 1 << 61)]
)
def test_times_that_do_not_fit_are_refused(column: int, value: int) -> None:
    content = write_profile_file(read_seed("speedscope"))
    message, times = read_part(content, PROFILE), bytearray(read_part(content, TIMES))
    n_rows, n_types, _ = struct.unpack_from("<qqq", times)
    at = 24 if column == 0 else 24 + 4 * n_rows + 8 * n_rows * (column - 1)
    struct.pack_into("<i" if column == 0 else "<q", times, at, value)
    assert n_types == 1
    with pytest.raises(ContentError, match="the times in it do not match"):
        read_profile_file(write_parts((PROFILE, message), (TIMES, bytes(times))))


@pytest.mark.parametrize("head", [(1 << 40, 1, 5), (0, 1, 5), (1, 2, 5), (2, 1, -1), (-1, -3, 5)])
def test_heads_of_times_are_checked(head: tuple[int, int, int]) -> None:
    message = read_part(write_profile_file(read_seed("speedscope")), PROFILE)
    times = struct.pack("<qqq", *head) + bytes(60)
    with pytest.raises(ContentError, match="the times in it do not match"):
        read_profile_file(write_parts((PROFILE, message), (TIMES, times)))


@pytest.mark.parametrize(
    "change",
    [
        {"edge_caller": [99]},
        {"edge_caller": [-1]},
        {"own": []},
        {"own": [[1]]},
        {"own": [[1.5, 2], [0, 0]]},
        {"own": [[1 << 63, 2], [0, 0]]},
        {"line": ["x", 2]},
        {"line": [1 << 31, 2]},
        {"name": ["a", 2]},
        {"file": ["a"]},
        {"sample_types": [["a", "b"]] * 9},
        {"default_type": 2},
        {"default_type": "Ir"},
        {"format_name": None},
    ],
)
def test_tables_are_checked(change: dict[str, Any]) -> None:
    content = write_profile_file(read_seed("callgrind"))
    document = json.loads(read_part(content, FUNCTIONS))
    same = json.dumps(document).encode()
    assert isinstance(read_profile_file(write_parts((FUNCTIONS, same))), FunctionTable)
    raw = json.dumps(document | change).encode()
    with pytest.raises(ContentError, match="its table of functions cannot be read"):
        read_profile_file(write_parts((FUNCTIONS, raw)))


def test_mutations_open_or_are_refused_in_a_line() -> None:
    rng = random.Random(7)

    def mutate(raw: bytes) -> bytes:
        changed = bytearray(raw or b"x")
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed[: rng.randrange(len(changed))] if rng.random() < 0.2 else changed)

    n_open = 0
    for name in ("speedscope-session", "callgrind-session"):
        for _ in range(300):
            content = mutate_session(SEEDS[name], rng, mutate)
            assert content is not None
            n_open += check_profile_file(content)
    assert 0 < n_open < 600


def test_reading_can_be_cancelled() -> None:
    content = write_profile_file(read_seed("pprof"))
    with pytest.raises(CancelledError):
        read_profile_file(memoryview(content), lambda _share: False)
