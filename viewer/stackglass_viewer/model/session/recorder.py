"""Recorder of a session: writes the engine's messages, packed, to an unnamed file on disk (spool).
So the whole session can be saved at any moment, though it is not in memory.

::

    LiveProfile.apply ─▶ queue (under its lock) ─▶ spill ─▶ spool on disk ─▶ write: a copy, its end
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import BinaryIO, cast

from stackglass.errors import OutputError
from stackglass.wire.profile_file import write_pieces
from stackglass.wire.session_file import SessionFileWriter
from stackglass_viewer.model.live.native_lines import NativeLines
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.notes import MOST_RAW_BYTES, Head, Marks

_PIECE_BYTES = 4 << 20


def find_folder() -> str | None:
    """Return a folder on disk for the spool: ``/tmp`` may be in memory. None = the default."""
    return "/var/tmp" if os.access("/var/tmp", os.W_OK) else None


class SessionRecorder:
    """Records a session. The ``add_`` methods only queue. ``spill`` writes the queue to the spool;
    the thread that applies messages calls it. Any thread may call ``write`` and ``close``."""

    def __init__(self, head: Head, most_raw_bytes: int = MOST_RAW_BYTES) -> None:
        """``most_raw_bytes``: limit for all messages together; later messages are not recorded."""
        self.problem = ""  # why later messages are not recorded; "" = they are
        self._left_bytes = most_raw_bytes
        self._queue: deque[wire_pb2.FromEngine | Mapping[str, object]] = deque()
        self._lock = threading.Lock()  # guards what follows
        self._file: BinaryIO | None = None
        self._writer: SessionFileWriter | None = None
        try:
            spool = tempfile.TemporaryFile(buffering=0, dir=find_folder())  # noqa: SIM115 - closed by close
            self._file = cast(BinaryIO, spool)
            self._writer = SessionFileWriter(self._file, is_deflated=True)
            self._writer.add_notes(_encode(head.to_notes()))
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def add_message(self, message: wire_pb2.FromEngine, names: Mapping[int, str]) -> None:
        """Queue a message, which must not change any more, after the names that were found for
        it."""
        if self.problem:
            return
        if names:
            self._queue.append({"names": {str(number): text for number, text in names.items()}})
        self._queue.append(message)

    def add_lines(self, lines: NativeLines) -> None:
        """Queue lines of machine code that earlier messages have defined."""
        if not self.problem:
            self._queue.append({"lines": {str(at): found for at, found in lines.items()}})

    def add_clear(self) -> None:
        """Queue the fact that the samples so far were dropped."""
        if not self.problem:
            self._queue.append({"clear": True})

    def add_marks(self, marks: Marks | None) -> None:
        """Queue the present marks on the timeline, which replace earlier marks."""
        if not self.problem:
            self._queue.append({"marks": None if marks is None else marks.to_notes()})

    def add_alive(self, tids: Iterable[int]) -> None:
        """Queue the IDs of the process's present threads, which replace earlier lists."""
        if not self.problem:
            self._queue.append({"alive": sorted(tids)})

    def spill(self) -> None:
        """Write the queue; the writer packs it into chunks of about a megabyte."""
        with self._lock:
            self._spill()

    def write(self, path: str) -> int:
        """Write the session so far to a file. Returns its size in bytes. Raises OutputError."""
        with self._lock:
            self._spill()
            if self._file is None or self._writer is None:
                raise OutputError(f"cannot write {path}: the session was not recorded")
            try:
                self._file.seek(self._writer.n_bytes)  # an error may have left a partial chunk
                end = self._writer.make_end()
                n_bytes, spool = self._writer.n_bytes, os.dup(self._file.fileno())
            except OSError as error:
                raise OutputError(f"cannot write {path}: {error.strerror}") from error
        try:  # without the lock: the spool only grows
            write_pieces(path, chain(read_pieces(spool, n_bytes), (end,)))
        finally:
            os.close(spool)
        return n_bytes + len(end)

    def close(self) -> None:
        """Release the spool."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = self._writer = None
            self._queue.clear()

    def _spill(self) -> None:
        writer = self._writer
        try:
            while self._queue and writer is not None and not self.problem:
                item = self._queue.popleft()
                if isinstance(item, wire_pb2.FromEngine):
                    content = item.SerializeToString()
                    self._left_bytes -= len(content)
                    if self._left_bytes < 0:
                        self._give_up("it has more than a session file may hold")
                        return
                    writer.add_message(content)
                else:
                    content = _encode(item)
                    self._left_bytes -= len(content)
                    writer.add_notes(content)
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _give_up(self, reason: str) -> None:
        self.problem = reason
        self._queue.clear()


def _encode(notes: Mapping[str, object]) -> bytes:
    return json.dumps(notes, ensure_ascii=True).encode()


def read_pieces(file: int, n_bytes: int) -> Iterator[bytes]:
    """Yield the first ``n_bytes`` of a file in pieces."""
    for at in range(0, n_bytes, _PIECE_BYTES):
        yield os.pread(file, min(_PIECE_BYTES, n_bytes - at), at)
