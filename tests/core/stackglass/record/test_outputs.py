"""Which files a recording writes."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from stackglass.errors import OutputError, UsageError
from stackglass.record.outputs import choose_outputs


def list_paths(
    output: Path, *profiles: str, legacy: Collection[str] = (), has_children: bool = False
) -> list[str]:
    outputs = choose_outputs(str(output), list(profiles), legacy, has_children=has_children)
    return [str(Path(each.name_process("7").path).relative_to(output.parent)) for each in outputs]


def test_one_file_a_folder_or_a_pattern(tmp_path: Path) -> None:
    assert list_paths(tmp_path / "x", "cpu") == ["x"]
    assert list_paths(tmp_path / "o", "cpu", "heap") == ["o/cpu.pb.gz", "o/heap.pb.gz"]
    assert list_paths(tmp_path / "{profile}-{pid}.pb", "cpu", "heap") == ["cpu-7.pb", "heap-7.pb"]
    names = list_paths(tmp_path / "x.{pid}.{profile}", "cpu", "heap", legacy=["heap"])
    assert names == ["x.7.cpu.pb.gz", "x.7.heap.txt"]


def test_standard_output_takes_one_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").mkdir()  # as earlier versions made it
    assert [output.path for output in choose_outputs("-", ["cpu"])] == ["-"]
    with pytest.raises(UsageError, match="standard output takes one profile"):
        choose_outputs("-", ["cpu", "heap"])


def test_one_profile_goes_into_a_folder_that_is_named_as_one(tmp_path: Path) -> None:
    for folder in (f"{tmp_path}/new/", str(tmp_path)):
        (output,) = choose_outputs(folder, ["cpu"])
        assert Path(output.path) == Path(folder) / "cpu.pb.gz"
        assert Path(folder).is_dir()


def test_a_folder_of_each_process_is_made_when_the_process_is_known(tmp_path: Path) -> None:
    outputs = choose_outputs(str(tmp_path / "{pid}"), ["cpu", "heap"])
    assert not list(tmp_path.iterdir())
    assert outputs[0].name_process("7").path == str(tmp_path / "7" / "cpu.pb.gz")
    assert (tmp_path / "7").is_dir()
    (tmp_path / "8").touch()
    with pytest.raises(OutputError, match="cannot make the folder"):
        outputs[0].name_process("8")


def test_each_process_has_files_of_its_own(tmp_path: Path) -> None:
    names = list_paths(tmp_path / "o", "cpu", "heap", has_children=True)
    assert names == ["o/cpu.7.pb.gz", "o/heap.7.pb.gz"]
    assert list_paths(tmp_path / "{pid}", "cpu", "cpu", has_children=True) == ["7/cpu.pb.gz"]
    with pytest.raises(UsageError, match=r"put \{pid\} into the name"):
        list_paths(tmp_path / "cpu.pb.gz", "cpu", has_children=True)
    (tmp_path / "there").mkdir()
    assert list_paths(tmp_path / "there", "cpu", has_children=True) == ["there/cpu.7.pb.gz"]
    (made,) = choose_outputs(f"{tmp_path}/new/", ["cpu"], has_children=True)
    assert made.name_process("7").path == f"{tmp_path}/new/cpu.7.pb.gz"
