"""Waits that end when the client hangs up."""

from __future__ import annotations

import socket

import pytest

from stackglass.http import hang_up


@pytest.fixture
def connection() -> socket.socket:
    served, client = socket.socketpair()
    client.close()
    return served


def test_a_client_that_has_gone_ends_the_wait(connection: socket.socket) -> None:
    with connection:
        assert not hang_up.wait(connection, 600, lambda: False)


def test_the_server_ends_the_wait() -> None:
    served, client = socket.socketpair()
    with served, client:
        assert not hang_up.wait(served, 600, lambda: True)


def test_what_a_client_sends_is_no_end() -> None:
    served, client = socket.socketpair()
    with served, client:
        client.send(b"GET / HTTP/1.1\r\n\r\n")
        assert hang_up.wait(served, 0, lambda: False)
