"""``go tool pprof`` is the judge: same file, same flat and cum of every function."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.go_tool import find_go
from harness.pprof_tables import check_agreement
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
GO_PROGRAM = CORPUS / "profiled.go"
# The first of them lets go build its standard library and its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="session")
def go_profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with profiles that a Go program has just written of itself."""
    folder = tmp_path_factory.mktemp("go")
    subprocess.run(
        [find_go(), "build", "-o", folder / "profiled", str(GO_PROGRAM)],
        check=True,
        timeout=500,
        capture_output=True,
    )
    subprocess.run([folder / "profiled", folder], check=True, timeout=60, capture_output=True)
    return folder


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.pb.gz")), ids=lambda path: path.name)
def test_corpus_files_have_pprofs_numbers(path: Path) -> None:
    assert check_agreement(path) > 0


@pytest.mark.parametrize("kind", ["cpu", "heap", "allocs", "goroutine", "mutex", "block"])
def test_profiles_of_a_go_program_have_pprofs_numbers(go_profiles: Path, kind: str) -> None:
    assert check_agreement(go_profiles / f"{kind}.pb.gz") > 0


@pytest.mark.checklist(106)
def test_drop_and_keep_frames_are_applied_as_pprof_does(tmp_path: Path) -> None:
    """Checklist 106."""
    message = Message(string_table=["", "cpu", "nanoseconds"])
    message.sample_type.add(type=1, unit=2)
    message.string_table.extend(
        [r"malloc.*|new|(op)(erator)+[[:punct:]]*.*|\Qstd::\E.*\z", "malloc_keep"]
    )
    message.drop_frames, message.keep_frames = 3, 4
    names = [
        *("main", "work", "malloc", "sbrk", "malloc_keep", "mallocator::run(int)"),
        *("operator()(int)", ".new", "std::sort(int*, int*)", "call_malloc"),
    ]
    for number, name in enumerate(names, 1):
        message.string_table.append(name)
        message.function.add(id=number, name=len(message.string_table) - 1)
        message.location.add(id=number).line.add(function_id=number)
    # Inlined: the innermost line first. 20 loses one line, 21 goes whole.
    inlined = message.location.add(id=20)
    for function in (3, 2):
        inlined.line.add(function_id=function)
    whole = message.location.add(id=21)
    for function in (2, 3):
        whole.line.add(function_id=function)
    message.location.add(id=22, address=0x1234)
    stacks = [
        *([4, 3, 2, 1], [4, 3], [3, 4, 3], [4, 5, 1], [4, 6, 2, 1], [4, 7, 1], [4, 8, 1]),
        *([2, 9, 1], [4, 10, 1], [4, 20, 1], [4, 21, 1], [20], [21, 1], [22, 1], [3], []),
        *([4, 3, 2, 3, 1], [20, 20, 1], [3, 20, 1]),
    ]
    for value, stack in enumerate(stacks):
        message.sample.add(location_id=stack, value=[1 << value])
    path = tmp_path / "drop.pb"
    path.write_bytes(message.SerializeToString())
    assert check_agreement(path) > 0


@pytest.mark.checklist(103)
def test_inlined_calls_recursion_and_missing_symbols(tmp_path: Path) -> None:
    """Checklist 103: a function that recurses counts once."""
    message = Message(string_table=["", "n", "count", "a", "b", "/usr/lib/libx.so.1", "c"])
    message.sample_type.add(type=1, unit=2)
    message.mapping.add(id=9, filename=5, memory_start=0x1000, memory_limit=0x2000)
    for number, name in ((1, 3), (2, 4), (3, 0), (4, 3)):
        message.function.add(id=number, name=name)
    big = (1 << 63) + 5  # a 64-bit id
    for number, lines in ((big, [1, 2]), (7, [2]), (8, [3]), (10, [4, 2])):
        location = message.location.add(id=number, mapping_id=9)
        for function in lines:
            location.line.add(function_id=function)
    message.location.add(id=11, mapping_id=9, address=0x1500)
    message.location.add(id=12, address=0x99)
    stacks = [[big, big], [7, big, 7], [8, 7], [10, 10], [11], [12, 11], [big, 12], [7], [7, 11, 7]]
    for value, stack in enumerate(stacks):
        message.sample.add(location_id=stack, value=[1 << value])
    path = tmp_path / "inline.pb"
    path.write_bytes(message.SerializeToString())
    assert check_agreement(path) > 0
