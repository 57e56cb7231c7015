"""Copy of a saved session, with other marks on its timeline."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, cast

from stackglass.wire.session_file import SessionFileWriter
from stackglass_viewer.model.session.chunks import MESSAGES, NOTES, list_chunks, read_content
from stackglass_viewer.model.session.file_parts import Parts, open_parts
from stackglass_viewer.model.session.notes import Marks
from stackglass_viewer.model.session.recorder import find_folder, read_pieces

_PIECE_BYTES = 4 << 20


def copy_session(path: str, marks: Marks | None) -> Iterator[bytes]:
    """Yield, in pieces, a copy of the file at ``path`` with other marks. A file that was cut off is
    copied unchanged, so that the copy ends early, too. Any thread. Raises ContentError, OSError."""
    with open_parts(path) as content:
        if list_chunks(content, lambda _share: None).is_whole:
            yield from _write_again(content, marks)
        else:
            for at in range(0, len(content), _PIECE_BYTES):
                yield bytes(content[at : at + _PIECE_BYTES])


def _write_again(content: Parts, marks: Marks | None) -> Iterator[bytes]:
    """Yield the messages and notes of a whole file, then the marks, as a new file."""
    with tempfile.TemporaryFile(buffering=0, dir=find_folder()) as spool:
        writer = SessionFileWriter(cast(BinaryIO, spool))
        for chunk in list_chunks(content, lambda _share: None).chunks:
            if chunk.kind in (MESSAGES, NOTES):
                stored = bytes(read_content(content, chunk))
                writer.add_packed(chunk.kind, chunk.packing, stored, chunk.raw_bytes)
        noted = {"marks": None if marks is None else marks.to_notes()}
        writer.add_notes(json.dumps(noted).encode())
        writer.finish()
        yield from read_pieces(spool.fileno(), os.fstat(spool.fileno()).st_size)
