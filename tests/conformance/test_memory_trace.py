"""The trace of allocations and frees, by the numbers of the checklist."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.matrix import NEWEST, each_python
from harness.pythons import Python
from harness.recorder import record
from harness.session_file import MEM, OBJ, OBJECT, SessionFile
from harness.targets import Target
from stackglass.attach.client import Connection
from stackglass.attach.entry import attach
from stackglass.wire import messages, reader, requests

pytestmark = pytest.mark.attach

COLLECTOR_HEADER_BYTES = 16
PATIENCE_S = 30.0
MOST_IN_A_POOL_BYTES = 512
DEBUG_BYTES = 24
"""That a debug build has around each block, within its pool."""
N_OTHER_BLOCKS = 1500
"""Blocks that the program does not know: what prints the count, and what the attach makes."""


@pytest.mark.checklist(115)
@each_python
def test_115_the_start_set_is_the_heap(python: Python, tmp_path: Path) -> None:
    """Checklist 115: the objects that the trace begins with are those that the program has, each
    once, and as many as the interpreter counts."""
    path = tmp_path / "trace.sgm"
    with Target(python, "heap/known_objects.py", has_stdin=True) as target:
        status, _, errors = record(
            "--profile", "memory", "-o", path, "--duration", "0.2", target.pid
        )
        assert status == 0, errors
        facts = target.ready
        assert target.finish()["wrong"] == 0
    file = SessionFile(path)
    info = file.first_info
    assert not info.pools_problem
    events = file.list_events()
    columns = (events[name].tolist() for name in ("kind", "domain", "address", "size", "type"))
    start = [
        (address, (size, file.strings[type_] if type_ else ""))
        for kind, domain, address, size, type_ in zip(*columns, strict=True)
        if kind == OBJECT and domain in (MEM, OBJ)
    ]
    at = dict(start)
    assert len(at) == len(start) == info.snapshot_objects
    # Larger ones are in no pool, and no list of the collector has them.
    most_bytes = MOST_IN_A_POOL_BYTES - (DEBUG_BYTES if python.is_debug else 0)
    small = {int(a): n for a, n in facts["bytes"].items() if n <= most_bytes}
    n_hidden = len(facts["bytes"]) - len(small)
    assert all(at[address][0] >= size_bytes for address, size_bytes in small.items())
    assert abs(info.allocated_blocks - facts["blocks"]) < N_OTHER_BLOCKS
    assert abs(info.allocated_blocks - n_hidden - len(start)) < N_OTHER_BLOCKS
    for address in facts["lists"]:
        assert at[address - COLLECTOR_HEADER_BYTES][1] == "builtins.list"
    n_lists = sum(name == "builtins.list" for _, name in at.values())
    assert abs(n_lists - facts["tracked"]) < N_OTHER_BLOCKS


@pytest.mark.checklist(119)
def test_119_double_start_and_double_stop() -> None:
    """Checklist 119: what a client has it may request again, and end twice; then it may begin
    anew. That a second client is refused is tested with the recorder."""
    off, on = (requests.encode_set_memory_trace(is_on) for is_on in (False, True))
    with (
        Target(NEWEST, "heap/known_objects.py", has_stdin=True) as target,
        attach(target.pid, new_hz=0) as connection,
    ):
        connection.send(off)
        connection.send(on)
        first = read_info(connection, is_ended=False)
        connection.send(on)
        again = read_info(connection, is_ended=False)
        assert first.start_mono_ns == again.start_mono_ns > 0
        connection.send(off)
        connection.send(off)
        assert read_info(connection, is_ended=True).start_mono_ns == first.start_mono_ns
        connection.send(off)
        connection.send(on)
        anew = read_info(connection, is_ended=False)
        assert anew.start_mono_ns > first.start_mono_ns
        connection.send(requests.encode_detach())
        assert target.finish()["wrong"] == 0


def read_info(connection: Connection, is_ended: bool) -> messages.MemoryInfo:
    """The next state of the trace, or that of its end. None up to it reports a problem."""
    while True:
        frame = connection.receive(PATIENCE_S)
        assert frame is not None
        message = reader.decode(frame)
        if isinstance(message, messages.MemoryInfo):
            assert not message.problem
            if message.is_ended or not is_ended:
                return message
