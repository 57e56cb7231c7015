"""A file in parts, and what other programs do to it meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.session.file_parts import FileParts, open_parts

CONTENT = bytes(range(256)) * 1024  # more than single bytes are read ahead


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.sgm"
    path.write_bytes(CONTENT)
    return path


def test_it_is_the_bytes_of_the_file(path: Path) -> None:
    with open_parts(path) as parts:
        assert len(parts) == len(CONTENT)
        assert [parts[at] for at in (0, 255, 70_000, 3)] == [0, 255, 70_000 % 256, 3]
        for where in (slice(5), slice(9, 70_009), slice(len(CONTENT) - 4, None), slice(9, 3)):
            assert bytes(parts[where]) == CONTENT[where]
        assert len(parts[len(CONTENT) - 2 : len(CONTENT) + 9]) == 2
        for outside in (len(CONTENT), -1):
            with pytest.raises(IndexError):
                parts[outside]


def read_on(path: Path, n_left: int) -> None:
    with open_parts(path) as parts:
        os.truncate(path, n_left)
        assert bytes(parts[:n_left]) == CONTENT[:n_left]
        parts[n_left - 10 : n_left + 1]


def test_what_is_cut_off_is_an_error(path: Path) -> None:
    with pytest.raises(ContentError, match=r"^cannot open x.sgm: another program cut it off"):
        read_on(path, 100)


def test_single_bytes_that_are_cut_off_are_an_error(path: Path) -> None:
    with path.open("rb") as file:
        parts = FileParts(file)
    os.truncate(path, 0)
    with pytest.raises(OSError, match="cut it off"):
        parts[5]


def test_a_file_that_is_removed_is_read_on(path: Path) -> None:
    with open_parts(path) as parts:
        path.unlink()
        assert bytes(parts[:]) == CONTENT


def test_it_is_as_long_as_it_was(path: Path) -> None:
    with open_parts(path) as parts:
        with path.open("ab") as file:
            file.write(b"more")
        assert len(parts[:]) == len(parts) == len(CONTENT)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    refused = pytest.raises(ContentError, match=r"^cannot open x.sgm: no such file")
    with refused, open_parts(tmp_path / "x.sgm"):
        pass


def test_the_file_is_closed(path: Path) -> None:
    n_open = len(os.listdir("/proc/self/fd"))
    with path.open("rb") as file:
        parts = FileParts(file)
    parts.release()
    parts.release()
    with open_parts(path):
        pass
    assert len(os.listdir("/proc/self/fd")) == n_open
