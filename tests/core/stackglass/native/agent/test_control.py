"""What the engine's clients cannot have, and that nothing of it stays."""

from __future__ import annotations

import errno
from pathlib import Path

from harness.fresh_process import run_program

_FULL = """
import socket, sys, time
from stackglass.native import _core
from stackglass.wire import reader
from stackglass.wire.framing import FrameReader
from stackglass.wire.messages import Status

def receive(client):
    frames, content = FrameReader(), client.recv(65536)
    while content:
        yield from map(reader.decode, frames.feed(content))
        content = client.recv(65536)

path = sys.argv[1]
assert _core.enter(f"socket={path}\\0hz=0\\0wait=1\\0".encode()) == 0
clients = [socket.socket(socket.AF_UNIX) for _ in range(16)]
for client in clients:
    client.connect(path)
messages = [receive(client) for client in clients]
for each in messages:
    next(each)  # its Hello: the engine has accepted it
"""

CROWDED = (
    _FULL
    + """
try:
    _core.self_profile_start(997, "auto", 0)
except RuntimeError as error:
    print(error)
refused_ns = time.monotonic_ns()
for message in messages[-1]:
    if isinstance(message, Status) and message.time_mono_ns > refused_ns:
        print(message.cpu_hz)
        break
"""
)

REFUSED = (
    _FULL
    + """
late = socket.socket(socket.AF_UNIX)
late.connect(path)
hello, bye = receive(late)
print(type(hello).__name__, bye.reason)
"""
)

LATE = """
import ctypes, os, sys, time
from stackglass.native import _core

def wait(is_so):
    end = time.monotonic() + 30
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)

_core.set_own_rate("threadcreate", 1)
print(_core.enter(b"socket=/nowhere/socket\\0"))
failure = (ctypes.c_int * 2).in_dll(ctypes.CDLL(_core.__file__), "stackglass_failure")
wait(lambda: failure[0])
print(failure[0], failure[1])
print(_core.enter(f"socket={sys.argv[1]}\\0".encode()), failure[0])
wait(lambda: os.path.exists(sys.argv[1]))
print(os.path.exists(sys.argv[1]), failure[0])
"""

AWAITED = """
import socket, sys
from stackglass.native import _core
from stackglass.wire import reader
from stackglass.wire.framing import FrameReader
from stackglass.wire.messages import Rates

path = sys.argv[1]
assert _core.enter(f"socket={path}\\0hz=50\\0wait=1\\0".encode()) == 0
_core.self_profile_start(1000, "auto", 0)
_core.self_profile_stop()
client, frames, rates = socket.socket(socket.AF_UNIX), FrameReader(), []
client.settimeout(30)
client.connect(path)
while 50 not in rates:  # the first one is what was in force before it connected
    messages = map(reader.decode, frames.feed(client.recv(65536)))
    rates += [message.cpu_hz for message in messages if isinstance(message, Rates)]
print(rates[-1])
"""

OUTLIVED = """
import socket
from stackglass.native import _core
from stackglass.wire import reader
from stackglass.wire.framing import FrameReader
from stackglass.wire.messages import Rates

_core.self_profile_start(997, "auto", 0)  # starts the engine
_core.set_own_rate("threadcreate", 1)  # keeps it
_core.self_profile_stop()
client, frames, rates = socket.socket(fileno=_core.connect()), FrameReader(), []
client.settimeout(30)
while not rates:
    messages = map(reader.decode, frames.feed(client.recv(65536)))
    rates += [message.cpu_hz for message in messages if isinstance(message, Rates)]
print(rates[0])
"""


def test_a_self_profile_without_room_leaves_no_rate_behind(tmp_path: Path) -> None:
    """The engine has tried the rate before it found no room for another client."""
    assert run_program(CROWDED, str(tmp_path / "socket")) == ["too many clients are attached", "0"]


def test_a_client_without_room_gets_the_reason(tmp_path: Path) -> None:
    """Its connection had been closed without a word: attaching tried again for ten seconds."""
    assert run_program(REFUSED, str(tmp_path / "socket")) == [
        "Hello too many clients are attached: another one has to leave first"
    ]


def test_an_engine_that_cannot_listen_later_says_why(tmp_path: Path) -> None:
    """The program has started it, so it listens at the first attach. The attacher reads the
    failure; the next attach begins without it."""
    assert run_program(LATE, str(tmp_path / "socket")) == [
        "1",
        f"2 {errno.ENOENT}",
        "1 0",
        "True 0",
    ]


def test_a_self_profile_is_not_the_client_that_the_engine_waits_for(tmp_path: Path) -> None:
    """The program profiles itself before the viewer that has started the engine connects: the
    viewer finds the engine, with the rates that it has asked for."""
    assert run_program(AWAITED, str(tmp_path / "socket")) == ["50"]


def test_the_rate_of_a_self_profile_that_started_the_engine_ends_with_it() -> None:
    """The program still has another profile, so the engine stays: without a rate for the CPU."""
    assert run_program(OUTLIVED) == ["0"]
