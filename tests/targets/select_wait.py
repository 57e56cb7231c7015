"""The main thread waits in select() on a socket that stays silent."""

import select
import socket

from rounds import run_rounds

silent, _other = socket.socketpair()


def wait_for_data():
    readable, _, _ = select.select([silent], [], [], 0.5)
    return readable


run_rounds("select", wait_for_data)
