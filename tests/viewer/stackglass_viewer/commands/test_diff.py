"""``stackglass diff``: changes, and the exit status for CI. pprof's -diff_base is the judge."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.inlined_profile import write_labelled
from harness.pprof_tables import read_go_top
from harness.profiles import encode_stacks
from harness.reports import run_command
from stackglass.errors import UsageError
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)
BEFORE = "main;load 30\nmain;save 60\nidle 10"
AFTER = "main;load 36\nmain;save 50\nidle 10\nmain;send\x1b 4"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    before.write_bytes(encode_stacks(BEFORE))
    after.write_bytes(encode_stacks(AFTER))
    return before, after


def test_text(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("diff", *files) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["Before:", "before", "Total:", "100", "ns"],
        ["After:", "after", "Total:", "100", "ns"],
        ["Type:", "cpu", "Change:", "0", "ns", "(0.00%)"],
        ["flat", "flat%", "cum", "cum%", "cum", "before", "cum", "after", "name"],
        *(
            line.split()
            for line in (
                "-10 ns -10.00% -10 ns -10.00% 60 ns 50 ns save",
                "+6 ns +6.00% +6 ns +6.00% 30 ns 36 ns load",
                "+4 ns +4.00% +4 ns +4.00% 0 ns 4 ns send\ufffd",
            )
        ),
    ]


@pytest.mark.parametrize(
    ("limit", "status", "said"),
    [
        ("5%", 5, ["load grew by +6.00%"]),
        ("5.99", 5, ["load grew by +6.00%"]),
        ("6%", 0, []),
        ("0%", 5, ["load grew by +6.00%", "send\ufffd grew by +4.00%"]),
    ],
)
def test_growth_has_an_exit_status(
    files: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    limit: str,
    status: int,
    said: list[str],
) -> None:
    assert run_command("diff", *files, "--fail-above", limit) == status
    lines = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("stackglass: ") for line in lines[:-1]] == said
    assert len(lines) == len(said) + bool(said)
    run_command("diff", *files, "--fail-above", limit, "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["has_grown"] == bool(status)
    assert [f"{each.replace(chr(27), chr(0xFFFD))}" for each in document["grown"]] == [
        line.partition(" ")[0] for line in said
    ]


def test_a_total_that_grew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By many functions, none of which grew much; and from nothing."""
    before, after, nothing = (tmp_path / name for name in ("before", "after", "nothing"))
    before.write_bytes(encode_stacks("\n".join(f"f{each} 10" for each in range(10))))
    after.write_bytes(encode_stacks("\n".join(f"f{each} 11" for each in range(10))))
    nothing.write_bytes(encode_stacks("main 0"))
    assert run_command("diff", before, after, "--fail-above=5%") == 5
    assert "the total grew by +10.00%" in capsys.readouterr().err
    assert run_command("diff", before, after, "--fail-above=5%", "--normalize") == 0
    assert run_command("diff", after, before, "--fail-above=0%") == 0
    assert run_command("diff", nothing, after, "--fail-above=1000%") == 5
    assert "the total grew from nothing" in capsys.readouterr().err


def read_changes(
    capsys: pytest.CaptureFixture[str], *words: str | Path
) -> dict[str, tuple[int, int]]:
    assert run_command("diff", *words, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    return {row["name"]: (row["flat"], row["cum"]) for row in document["rows"]}


@pytest.mark.parametrize(
    "words", [[], ["focus=b"], ["noinlines"], ["normalize"], ["tagignore=k=1"]]
)
def test_changes_are_pprofs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: Sequence[str]
) -> None:
    before, after = tmp_path / "before.pb", tmp_path / "after.pb"
    write_labelled(after)
    message = Message.FromString(after.read_bytes())
    for number, sample in enumerate(message.sample):
        sample.value[1] = sample.value[1] * 3 // 2 + number % 2
    del message.sample[4::5]
    before.write_bytes(message.SerializeToString())
    theirs = read_go_top(after, 1, "bytes", f"-diff_base={before}", *(f"-{each}" for each in words))
    found = read_changes(capsys, before, after, *(f"--{each}" for each in words))
    assert found == theirs
    assert len(found) > 3


def test_a_file_of_go_and_itself(capsys: pytest.CaptureFixture[str]) -> None:
    path = CORPUS / "go.http.heap.gc.pb.gz"
    assert run_command("diff", path, path, "--fail-above=0%", "-n", "1") == 0
    assert "nothing changed" in capsys.readouterr().out


def test_what_cannot_be_compared_is_said(tmp_path: Path, files: tuple[Path, Path]) -> None:
    cpu, heap = CORPUS / "go.http.cpu2s.pb.gz", CORPUS / "go.http.heap.gc.pb.gz"
    with pytest.raises(ContentError, match=r"types: samples \(count\), cpu"):
        run_command("diff", cpu, heap)
    with pytest.raises(ContentError, match="one profile has stacks"):
        run_command("diff", cpu, CORPUS / "cprofile.workload.py3.12.prof")
    with pytest.raises(UsageError, match="only one"):
        run_command("diff", "-", "-")
    slow = tmp_path / "slow"
    message = Message.FromString(gzip.decompress(cpu.read_bytes()))
    message.period *= 10
    slow.write_bytes(message.SerializeToString())
    with pytest.raises(ContentError, match="samples were taken every 10 ms and every 100 ms"):
        run_command("diff", cpu, slow, "--sample-index=samples")
    assert run_command("diff", cpu, slow, "--sample-index=samples", "--normalize") == 0
    assert run_command("diff", cpu, slow, "--sample-index=cpu") == 0


def test_other_durations_are_said(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = files
    message = Message.FromString(gzip.decompress(after.read_bytes()))
    message.duration_nanos *= 3
    after.write_bytes(message.SerializeToString())
    run_command("diff", before, after)
    assert "the profiles cover 1.00 s and 3.00 s" in capsys.readouterr().err
    run_command("diff", before, after, "--normalize")
    assert capsys.readouterr().err == ""


def test_numbers_of_threads_do_not_grow_with_the_duration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = tmp_path / "before", tmp_path / "after"
    for path, duration_s in zip(paths, (1, 3), strict=True):
        message = Message.FromString(gzip.decompress(encode_stacks("main;work 5")))
        message.string_table.append("threads")
        message.sample_type[0].type = len(message.string_table) - 1
        message.duration_nanos = duration_s * 1_000_000_000
        path.write_bytes(message.SerializeToString())
    run_command("diff", *paths, "--sample-index=threads")
    assert capsys.readouterr().err == ""


def test_standard_input_and_functions_without_stacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = CORPUS / "cprofile.workload.py3.12.prof"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert run_command("diff", path, "-") == 0
    assert "nothing changed" in capsys.readouterr().out
    with pytest.raises(ContentError, match="no stacks and no labels"):
        run_command("diff", path, path, "--focus=main")


def test_a_default_type_without_samples_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name, count in (("before", 1), ("after", 3)):
        message = Message.FromString(gzip.decompress(encode_stacks("main 5")))
        message.sample[0].value[:] = [count, 0]
        paths.append(tmp_path / name)
        paths[-1].write_bytes(message.SerializeToString())
    run_command("diff", *paths)
    assert "Type: samples   Change: 2 (+200.00%)" in capsys.readouterr().out
