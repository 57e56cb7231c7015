"""Texts for a terminal or a pipe: neither of them has to be there."""

from __future__ import annotations

import io
import os

import pytest

from stackglass.record.lenient_output import write_text
from stackglass.record.progress import Progress


def open_pipe() -> tuple[int, io.TextIOWrapper]:
    """The reading end, and a stream into the other one that does not buffer lines."""
    read_end, write_end = os.pipe()
    return read_end, io.TextIOWrapper(io.BufferedWriter(io.FileIO(write_end, "w")))


def test_a_text_is_written_at_once() -> None:
    read_end, stream = open_pipe()
    with stream:
        write_text(stream, "a line\n")
        assert os.read(read_end, 99) == b"a line\n"
    os.close(read_end)


def test_a_text_without_a_reader_is_dropped() -> None:
    read_end, stream = open_pipe()
    os.close(read_end)
    write_text(stream, "a line\n")
    stream.close()  # would raise if the line were still in the buffer


def test_a_later_text_is_written_where_there_is_room_again() -> None:
    read_end, stream = open_pipe()
    with stream, open("/dev/full", "wb") as full:
        pipe = os.dup(stream.fileno())
        os.dup2(full.fileno(), stream.fileno())
        write_text(stream, "no room\n")
        os.dup2(pipe, stream.fileno())
        os.close(pipe)
        write_text(stream, "room\n")
        assert os.read(read_end, 99) == b"room\n"
    os.close(read_end)


def test_no_stream_and_a_closed_one_are_silent() -> None:
    write_text(None, "a line\n")
    stream = io.StringIO()
    stream.close()
    write_text(stream, "a line\n")
    progress = Progress(None)
    progress.show("1 sample")
    progress.say("a line")


class Terminal(io.StringIO):
    """One that has hung up since."""

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        raise OSError(5, "Input/output error")


def test_a_terminal_that_has_hung_up_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(Terminal())
    progress.show("1 sample")
    progress.clear()
    progress.say("cpu.pb.gz: 1 sample")
    assert capsys.readouterr() == ("", "")
