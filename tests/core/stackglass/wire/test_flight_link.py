"""Flight link: messages as they were sent, and both ends of it."""

from __future__ import annotations

import _socket
import subprocess
import sys

import pytest

from stackglass.errors import EngineError, WireError
from stackglass.wire.flight_link import FlightLink


def test_messages_arrive_whole_and_in_order() -> None:
    one, other = (FlightLink(end) for end in _socket.socketpair())
    with one, other:
        assert other.receive(0.0) is None
        one.send("data", b"a b\0\n")
        one.send("written")
        assert [other.receive(1.0), other.receive(1.0)] == [("data", b"a b\0\n"), ("written", b"")]
        assert other.receive(0.0) is None


def test_the_other_end_has_gone() -> None:
    one, other = (FlightLink(end) for end in _socket.socketpair())
    with one:
        other.close()
        with pytest.raises(EngineError, match="has ended"):
            one.receive(1.0)
        assert one.is_lost
        with pytest.raises(EngineError, match="has ended"):
            one.send("stop")


def test_what_is_no_message_ends_the_link() -> None:
    end, other = _socket.socketpair()
    with FlightLink(end) as link:
        other.sendall(b"\xff" * 20)
        with pytest.raises(WireError):
            link.receive(1.0)
        assert link.is_lost
    other.close()


@pytest.mark.parametrize(
    "line", ["FlightLink(own).send('stop')", "OwnConnection(own.detach()).send(b'x')"]
)
def test_a_program_that_does_not_ignore_sigpipe_lives_on(line: str) -> None:
    """Command line tools often do so; the companion, or the engine, may have gone."""
    program = f"""
import _socket, signal
from stackglass.api.own_engine import OwnConnection
from stackglass.errors import EngineError
from stackglass.wire.flight_link import FlightLink
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
own, other = _socket.socketpair()
other.close()
try:
    {line}
except EngineError:
    print("lives on")
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"lives on\n"
