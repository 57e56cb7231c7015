"""Reader of Stackglass's dumps of threads, asyncio tasks and greenlets: ``threads --debug 2``.

::

    thread 4711 "MainThread" running task "poll" [waiting: Lock app.lock, 5 minutes] {route: /a}:
    app.work(...)
        /srv/app.py:12

    task 0x7f31 "fetch" [suspended: sleep]:
    app.fetch(...)
        /srv/app.py:30
    created before attach

    greenlet 0x7f32 "Greenlet" in thread 4711 [suspended]:
    …

Each thread, task or greenlet is a sample. Labels are its name, number and state, the minutes that
it has waited, the function that created it, and the program's own labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.dump_labels import QUOTED, list_state_labels, read_pairs
from stackglass_viewer.model.readers.dumped_stack import DumpForm, read_dump
from stackglass_viewer.model.readers.sample_columns import Label
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_BEGINNING = re.compile(rb'(thread \d+|(?:task|greenlet) 0x[0-9a-f]+) "[^\n]*\[')
_HEADER = re.compile(
    rf"(?:thread (\d{{1,18}})|(task|greenlet) 0x[0-9a-f]{{1,16}}) ({QUOTED})"
    rf"(?: running task ({QUOTED})| in thread (\d{{1,18}}))? \["
)


def is_thread_dump(head: bytes) -> bool:
    """Whether a file begins like a dump of threads."""
    return _BEGINNING.match(head) is not None


def read_thread_dump(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole dump. Raises ContentError if there is no thread or a name is damaged."""

    def read_header(text: str, start: int) -> list[Label] | None:
        header = _HEADER.match(text)
        try:
            return [*_list_labels(header, text[header.end() :])] if header else None
        except ValueError:
            number = content.count(b"\n", 0, start) + 1
            raise ContentError(f"line {number} does not begin a thread: {text[:60]!r}") from None

    return read_dump(content, progress, DumpForm.THREADS, read_header, "threads")


def _list_labels(header: re.Match[str], rest: str) -> Iterator[Label]:
    """Yield the labels in a header. ``rest``: the text after the bracket before the state. Raises
    ValueError."""
    tid, name = header[1], json.loads(header[3])
    if tid:
        yield Label("thread", name)
        yield Label("thread_id", None, int(tid))
    if header[4]:
        yield Label("task", json.loads(header[4]))
    if not tid:
        yield Label(header[2], name)
    if header[5]:
        yield Label("thread_id", None, int(header[5]))
    end = rest.find("] {") if rest.endswith("}:") else rest.rfind("]:")
    if end < 0:
        raise ValueError("no state")
    yield from list_state_labels(rest[:end])
    yield from read_pairs(rest[end + 3 : -2])
