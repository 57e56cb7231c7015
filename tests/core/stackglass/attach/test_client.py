"""The client's end of the socket."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackglass.attach import client
from stackglass.attach.client import Connection, connect
from stackglass.attach.errors import ConnectionLostError, NotAllowedError
from stackglass.attach.proc import Proc
from stackglass.errors import AttachError, WireError
from stackglass.native import _core
from stackglass.version import VERSION
from stackglass.wire import requests, tags


def frame(field: int, content: bytes = b"") -> bytes:
    return _core.encode_frame(_core.encode_bytes(field, content))


def hello(protocol: int = tags.PROTOCOL_VERSION) -> bytes:
    return frame(tags.FromEngine.HELLO, _core.encode_int(tags.Hello.PROTOCOL, protocol))


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    near, theirs = socket.socketpair()
    near.setblocking(False)
    with Connection(os.getpid(), near, "found") as connection, theirs:
        yield connection, theirs


Ends = tuple[Connection, socket.socket]


def test_the_hello_is_checked_answered_and_kept(ends: Ends) -> None:
    connection, engine = ends
    engine.sendall(hello())
    connection.greet(1.0)
    assert connection.hello.protocol == tags.PROTOCOL_VERSION
    assert engine.recv(1000) == requests.encode_greeting()
    assert connection.receive(0) == hello()[1:]


def test_a_pause_of_the_machine_does_not_use_up_the_engines_time(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it the client may run before the engine does."""
    connection, engine = ends
    poll = Connection._poll
    polls: list[float | None] = []

    def pause_once(self: Connection, event: int, timeout_s: float | None) -> bool:
        polls.append(timeout_s)
        if len(polls) > 1:
            return poll(self, event, timeout_s)
        engine.sendall(hello())
        return False

    monkeypatch.setattr(Connection, "_poll", pause_once)
    connection.greet(10.0)
    assert connection.hello.protocol == tags.PROTOCOL_VERSION
    assert polls[0] is not None
    assert polls[0] <= 1.0


def test_an_engine_that_never_answers_is_given_up(ends: Ends) -> None:
    connection, _ = ends
    with pytest.raises(ConnectionLostError, match="does not answer"):
        connection.greet(0.02)


def test_the_time_without_python_is_reported_until_it_is_there(ends: Ends) -> None:
    """What a caller shows while C code keeps the GIL."""
    connection, engine = ends
    engine.sendall(hello())
    connection.greet(1.0)
    assert connection.waiting_ns > 0
    assert not connection.is_ready
    engine.sendall(frame(tags.FromEngine.READY))
    assert connection.receive(1.0) is not None
    assert connection.waiting_ns > 0
    assert connection.receive(1.0) is not None
    assert connection.is_ready
    assert connection.waiting_ns == 0


def test_another_build_of_the_same_version_is_not_called_another_version(ends: Ends) -> None:
    connection, engine = ends
    body = _core.encode_int(tags.Hello.PROTOCOL, 99)
    body += _core.encode_bytes(tags.Hello.ENGINE_VERSION, VERSION.encode())
    engine.sendall(frame(tags.FromEngine.HELLO, body))
    with pytest.raises(AttachError, match=f"another build of stackglass {VERSION}.* 99, not"):
        connection.greet(1.0)


def test_another_protocol_is_refused(ends: Ends) -> None:
    connection, engine = ends
    engine.sendall(hello(protocol=99))
    with pytest.raises(AttachError, match="already has an engine of stackglass"):
        connection.greet(1.0)


def test_another_message_is_no_hello(ends: Ends) -> None:
    connection, engine = ends
    engine.sendall(frame(tags.FromEngine.BYE))
    with pytest.raises(WireError):
        connection.greet(1.0)


def test_silence_is_reported(ends: Ends) -> None:
    connection, _ = ends
    with pytest.raises(ConnectionLostError, match="does not answer"):
        connection.greet(0)
    assert connection.receive(0) is None


def test_frames_come_out_whole_however_they_come_in(ends: Ends) -> None:
    connection, engine = ends
    content = frame(tags.FromEngine.BYE, b"abc") + frame(tags.FromEngine.RATES)
    for byte in content[:-1]:
        engine.sendall(bytes([byte]))
    assert connection.receive(1.0) == frame(tags.FromEngine.BYE, b"abc")[1:]
    assert connection.receive(0) is None
    engine.sendall(content[-1:])
    assert connection.receive(1.0) == frame(tags.FromEngine.RATES)[1:]


def test_a_refusal_is_received_from_an_engine_that_has_left(ends: Ends) -> None:
    """The greeting can no longer be sent; the reason is there all the same."""
    connection, engine = ends
    reason = _core.encode_bytes(tags.Bye.REASON, b"no memory")
    engine.sendall(hello() + frame(tags.FromEngine.BYE, reason))
    engine.close()
    connection.greet(1.0)
    connection.send_if_served(requests.encode_set_cpu_rate(100))
    assert connection.receive(0) == hello()[1:]
    assert connection.receive(0) == frame(tags.FromEngine.BYE, reason)[1:]


def test_a_request_to_an_engine_that_has_left_fails_with_its_reason(ends: Ends) -> None:
    connection, engine = ends
    reason = _core.encode_bytes(tags.Bye.REASON, b"too many clients are attached")
    engine.sendall(hello() + frame(tags.FromEngine.BYE, reason))
    engine.close()
    connection.greet(1.0)
    with pytest.raises(ConnectionLostError, match="too many clients are attached"):
        connection.send(requests.encode_set_cpu_rate(100))


def test_damage_before_the_end_is_no_reason(ends: Ends) -> None:
    connection, engine = ends
    engine.sendall(hello())
    connection.greet(1.0)
    engine.sendall(b"\xff" * 11)
    engine.close()
    with pytest.raises(ConnectionLostError, match="the engine has left process"):
        connection.send(requests.encode_set_cpu_rate(100))


def test_an_engine_that_leaves_without_a_reason_is_lost(ends: Ends) -> None:
    connection, engine = ends
    engine.sendall(hello() + frame(tags.FromEngine.BYE))
    engine.close()
    with pytest.raises(ConnectionLostError, match="the engine has left process"):
        connection.greet(1.0)


def test_what_came_before_the_end_is_still_received(ends: Ends) -> None:
    connection, engine = ends
    engine.sendall(frame(tags.FromEngine.BYE))
    engine.close()
    assert connection.receive(1.0) is not None
    with pytest.raises(ConnectionLostError, match="the engine has left process"):
        connection.receive(1.0)
    with pytest.raises(ConnectionLostError):
        connection.send(requests.encode_detach())


def test_a_process_that_has_ended_is_reported() -> None:
    near, theirs = socket.socketpair()
    near.setblocking(False)
    theirs.close()
    gone = 2**22 + 1  # beyond the largest PID
    with (
        Connection(gone, near, "found") as connection,
        pytest.raises(ConnectionLostError, match=f"process {gone} has ended"),
    ):
        connection.receive(1.0)


class DyingProc(Proc):
    """A process that is gone at the second look."""

    __slots__ = ("n_looks",)

    def __init__(self) -> None:
        super().__init__()
        self.n_looks = 0

    def has_ended(self, pid: int) -> bool:
        self.n_looks += 1
        return self.n_looks > 1


def test_a_killed_process_closes_its_socket_before_it_is_gone() -> None:
    near, engine = socket.socketpair()
    near.setblocking(False)
    proc = DyingProc()
    with Connection(7, near, "found", proc) as connection:
        engine.sendall(hello())
        connection.greet(1.0)
        engine.close()
        assert connection.receive(1.0) is not None
        with pytest.raises(ConnectionLostError, match="process 7 has ended"):
            connection.receive(1.0)


class SlowlyDyingProc(DyingProc):
    """It is gone after half a second, and certain to be before."""

    __slots__ = ("gone_s",)

    def __init__(self) -> None:
        super().__init__()
        self.gone_s = time.monotonic() + 0.5

    def has_ended(self, pid: int) -> bool:
        return time.monotonic() >= self.gone_s


def test_a_killed_process_that_frees_its_memory_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine's socket is closed long before; a flight recorder must know that it was killed."""
    monkeypatch.setattr(client, "_DYING_S", 0.01)
    monkeypatch.setattr(client, "is_dying", lambda pid, proc: True)
    near, engine = socket.socketpair()
    near.setblocking(False)
    with Connection(7, near, "found", SlowlyDyingProc()) as connection:
        engine.sendall(hello())
        connection.greet(1.0)
        engine.close()
        assert connection.receive(1.0) is not None
        with pytest.raises(ConnectionLostError, match="process 7 has ended") as lost:
            connection.receive(1.0)
        assert lost.value.is_killed


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        yield str(tmp_path / "socket"), server


def test_the_process_itself_must_be_at_the_other_end(listener: tuple[str, socket.socket]) -> None:
    path, _ = listener
    connection = connect(os.getpid(), os.geteuid(), path, "found")
    assert connection is not None
    connection.close()
    with pytest.raises(NotAllowedError, match=f"belongs to process {os.getpid()}"):
        connect(os.getpid() + 1, os.geteuid(), path, "found")


def test_where_many_connect_at_once_there_is_room_in_a_moment(tmp_path: Path) -> None:
    path = str(tmp_path / "full.sock")
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as first:
        listening.bind(path)
        listening.listen(0)  # room for one
        first.connect(path)
        accepted: list[socket.socket] = []

        def accept() -> None:
            for _ in range(2):
                accepted.append(listening.accept()[0])

        late = threading.Timer(0.05, accept)
        late.start()
        connection = connect(os.getpid(), os.getuid(), path, "found")
        late.join()
        for each in accepted:
            each.close()
        assert connection is not None
        connection.close()


def test_without_a_listener_there_is_no_connection(tmp_path: Path) -> None:
    assert connect(1, 0, str(tmp_path / "absent"), "found") is None
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "stale"))
    assert connect(1, 0, str(tmp_path / "stale"), "found") is None
