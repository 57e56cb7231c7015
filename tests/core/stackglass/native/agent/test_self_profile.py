"""The start and the stop of a self profile, between the program's thread and the engine's."""

from __future__ import annotations

from harness.fresh_process import run_program
from native import _core_testing as core

NOT_STARTED = "the engine's thread cannot be started"


def test_a_start_that_the_engine_has_taken_is_not_given_up() -> None:
    """The profile would run without an owner, and no other one could ever start."""
    assert core.self_profile_begins() is None


def test_a_start_that_was_given_up_is_not_taken() -> None:
    assert core.self_profile_gives_up() == (NOT_STARTED, False, NOT_STARTED)


STOP = """
from native import _core_testing
print(*_core_testing.self_profile_stops_beside_request())
"""


def test_a_stop_returns_although_a_request_keeps_the_engine() -> None:
    """Another thread posts it in the very turn in which the profile, the only client, ends. The
    engine was leaving for good: the stop did not return, and no client could attach."""
    assert run_program(STOP) == ["True True"]


SHARES = """
import socket, time
from stackglass.native import _core
from stackglass.wire import reader
from stackglass.wire.framing import FrameReader
from stackglass.wire.messages import Status
from stackglass.wire.recording import Recording

_core.set_own_rate("block", 1)
client, frames = socket.socket(fileno=_core.connect()), FrameReader()

def is_status(framed):
    return isinstance(reader.decode(framed), Status)

def wait_for_status():
    # One comes at the end of every second turn of the writer: the next is a turn without.
    client.setblocking(False)
    try:
        while list(frames.feed(client.recv(65536))):
            pass
    except BlockingIOError:
        client.setblocking(True)
    while not any(map(is_status, list(frames.feed(client.recv(65536))))):
        pass

for _ in range(6):
    wait_for_status()
    _core.self_profile_start(2000, "auto", 0)
    recording = Recording(2000, time.monotonic_ns())
    end = time.thread_time() + 0.06
    while time.thread_time() < end:
        sum(range(1000))
    for framed in FrameReader().feed(_core.self_profile_stop()):
        recording.add(reader.decode(framed))
    print(sum(recording.cpu.list_rows().cpu_ns) / recording.cpu.used_ns)
"""


def test_a_profile_begins_with_its_first_sample_beside_other_clients() -> None:
    """It had none until the engine's next message to all clients, a tenth of a second later."""
    assert min(map(float, run_program(SHARES))) > 0.8
