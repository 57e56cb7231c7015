"""Known waits for other things than locks; results must not change."""

import os
import select
import socket
import threading
import time

from locks import Locks, core, report, start

PAUSE_S = 0.02


def attempt(function, *arguments):
    try:
        return repr(function(*arguments))
    except Exception as error:  # noqa: BLE001 - the exception is the result
        return f"{type(error).__name__}: {error}"


def sleep():
    time.sleep(PAUSE_S)


def doze(end):
    select.select([end], [], [])


def wait_for_input(end):
    return [
        select.select([end], [], [], PAUSE_S)[0],
        poll(end).poll(PAUSE_S * 1000),
        epoll(end).poll(PAUSE_S),
    ]


def poll(end):
    made = select.poll()
    made.register(end, select.POLLIN)
    return made


def epoll(end):
    made = select.epoll()
    made.register(end, select.POLLIN)
    return made


def receive(end):
    buffer = bytearray(1)
    return [end.recv(1), end.recv_into(buffer), end.recvfrom(1)[0], bytes(buffer)]


def accept(server):
    accepted, _ = server.accept()
    accepted.sendall(b"x")
    accepted.send(b"y")
    return accepted


def connect(address):
    with socket.socket() as client:
        client.connect(address)
        return client.recv(2, socket.MSG_WAITALL)


def wait_for_child():
    child = os.fork()
    if child == 0:
        time.sleep(PAUSE_S)
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def do_all():
    one, other = socket.socketpair()
    with one, other, socket.create_server(("127.0.0.1", 0)) as server:
        results = [attempt(sleep), attempt(time.sleep, -1), attempt(time.sleep, "x")]
        results += [attempt(wait_for_input, one), attempt(select.select, 1)]
        receiver = start(lambda: results.append(repr(receive(one))))
        for byte in (b"1", b"2", b"3"):
            time.sleep(0.001)
            other.sendall(byte)
        receiver.join()
        accepter = start(lambda: results.append(repr(accept(server).close())))
        results.append(attempt(connect, server.getsockname()))
        accepter.join()
        one.settimeout(0.005)
        results += [attempt(one.recv, 1), attempt(one.recv, "x"), attempt(wait_for_child)]
        results.append(attempt(os.waitpid, 1, 2, 3))
    return sorted(results)


before = do_all()
with Locks() as locks:
    core.other_waits_install()
    core.other_waits_install()
    during = do_all()
    rows = locks.read("other")
    blocked = locks.read("block", "sleep") + locks.read("block", "receive")
    slept = locks.total("other", "sleep")
    locks.set_rates(0, 0)
    sleep()
    slept_off = locks.total("other", "sleep")
    core.other_waits_remove()
    locks.set_rates(1, 1)
    sleep()
    slept_removed = locks.total("other", "sleep")
    core.other_waits_install()
    reader, writer = os.pipe()
    dozer = start(doze, reader)
    core.other_waits_remove()
    os.write(writer, b"x")
    dozer.join()
    dozed = locks.total("other", "doze")
report(
    is_same=during == before,
    differences=[pair for pair in zip(before, during) if pair[0] != pair[1]],
    leaves=sorted({row.names[0] for row in rows}),
    callers=sorted({row.names[1] for row in rows if row.names[0] == "time.sleep"}),
    slept=slept,
    is_kept=[slept_off == slept, slept_removed == slept, dozed == (0, 0)],
    n_block=len(blocked),
    n_locks=sum(row.lock != 0 for row in rows),
    n_threads=threading.active_count(),
    pause_ns=PAUSE_S * 1e9,
)
