"""Source files that a profile names."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackglass_viewer.model.graph.source_files import SourceFiles


def test_the_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "web.py"
    path.write_bytes(b"def serve():\n    pass  # caf\xe9\n")
    assert SourceFiles().read(str(path)) == ["def serve():", "    pass  # caf\ufffd"]
    assert SourceFiles(str(tmp_path)).read("web.py") is not None


@pytest.mark.parametrize("content", [b"\x7fELF\2\1\1\0\0\0", b"text" * 100 + b"\0"])
def test_a_library_has_no_lines(tmp_path: Path, content: bytes) -> None:
    """Functions of machine code without debug information name theirs."""
    path = tmp_path / "libz.so.1"
    path.write_bytes(content)
    assert SourceFiles().find(str(path)) is None


def test_what_is_not_there(tmp_path: Path) -> None:
    assert SourceFiles().find(str(tmp_path / "none.py")) is None
    assert SourceFiles().find(str(tmp_path)) is None


def test_in_a_folder_that_was_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "web.py"
    path.write_text("def serve(): pass")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    files = SourceFiles()
    assert files.find("web.py") is None
    assert files.read(str(path)) == ["def serve(): pass"]
