"""All calls that wait for other things than locks: without hooks, with them, and after them."""

import contextlib
import ctypes
import os
import select
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import types

from locks import Locks, core, report, start

BRIEF_S = 0.001
TYPES = (bytearray(8), bytes(8), memoryview(bytearray(8)), "text", None, 3)


class Alarm(Exception):
    pass


class Number:
    """An argument with its own conversion to a number."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if self.value is None:
            raise ZeroDivisionError
        return self.value

    def __float__(self):
        return float(self.__index__())


def ring(*_):
    raise Alarm


def attempt(function, *arguments, **named):
    try:
        return repr(function(*arguments, **named))
    except BaseException as error:  # noqa: BLE001 - the exception is the result
        return f"{type(error).__name__}: {error}"


def try_sleep():
    for argument in (0, BRIEF_S, -1, -0.5, "x", None, float("nan"), 1e300, 10**30, False, 0.0):
        yield attempt(time.sleep, argument)
    for argument in (Number(0), Number(-1), Number(None)):
        yield attempt(time.sleep, argument)
    yield attempt(time.sleep)
    yield attempt(time.sleep, 1, 2)
    yield attempt(time.sleep, secs=1)


def try_select():
    one, other = socket.socketpair()
    with one, other:
        for timeout in (0, BRIEF_S, 0.0, -1 if sys.version_info < (3, 9) else 0, "x", Number(0)):
            for lists in (([one], [], []), ([], [other], []), ([], [], [one]), ([1 << 20], [], [])):
                for answer in (attempt(select.select, *lists, timeout),):
                    yield answer.replace(repr(one), "one").replace(repr(other), "other")
        yield attempt(select.select, [one])
        yield attempt(select.select, one, [], [], 0)
        yield attempt(select.select, [], [], [], -1)
        yield attempt(select.select, [object()], [], [], 0).split(" at ")[0]
        yield attempt(select.select, [], [], [], timeout=0)
        other.send(b"1")
        for make, event in ((select.poll, select.POLLIN), (select.epoll, select.EPOLLIN)):
            made = make()
            for timeout in ((), (0,), (None,), (BRIEF_S,), ("x",), (0, 1), (1, 2, 3), (Number(0),)):
                made.register(one, event)
                answer = attempt(made.poll, *timeout)
                yield answer.replace(str(one.fileno()), "fd")
                made.unregister(one)
                if timeout not in ((), (None,)):  # otherwise it waits forever
                    yield attempt(made.poll, *timeout)
            yield attempt(made.poll, timeout=0)
            yield attempt(made.poll, unknown=0)
            yield attempt(type(made).poll)
            yield attempt(type(made).poll, 3)
            if hasattr(made, "close"):
                yield attempt(made.poll, 0, -1)
                yield attempt(made.poll, 0, 0)
                yield attempt(made.poll, timeout=0, maxevents=4)
                made.close()
                yield attempt(made.poll, 0)


def each_buffer():
    return [bytearray(value) if isinstance(value, bytearray) else value for value in TYPES]


def try_pair(make):
    """Try all ways to send and receive, with room and without, with data and without."""
    for timeout in (None, BRIEF_S, 0):
        for has_data in (True, False):
            if timeout is None and not has_data:
                continue
            for call in (
                *((name, (n,)) for name in ("recv", "recvfrom") for n in (0, 1, 4, -1, "x", None)),
                *((name, (4, flag)) for name in ("recv", "recvfrom") for flag in (0, "x")),
                *((f"{name}_into", (b,)) for name in ("recv", "recvfrom") for b in each_buffer()),
                *((f"{name}_into", (bytearray(4), 2)) for name in ("recv", "recvfrom")),
                *((f"{name}_into", (bytearray(4), 9)) for name in ("recv", "recvfrom")),
                *(("recvmsg", arguments) for arguments in ((4,), (4, 64), (-1,), ("x",), ())),
                *(("recvmsg_into", (b,)) for b in ([bytearray(2)] * 2, [b"x"], None, 1)),
                *((name, (b,)) for name in ("send", "sendall") for b in each_buffer()),
                *((name, ()) for name in ("send", "sendall", "sendto", "recv", "recv_into")),
                *(("sendto", arguments) for arguments in ((b"x", None), (b"x", 0, "a"), (b"x",))),
                *(("sendmsg", arguments) for arguments in (([b"a", b"b"],), ([1],), (None,), ())),
            ):
                one, other = make()
                with one, other:
                    one.settimeout(timeout)
                    if has_data:
                        other.sendall(b"data")
                    answer = attempt(getattr(one, call[0]), *call[1])
                    yield f"{call[0]} {timeout} {has_data} {answer}"
                    one.setblocking(False)
                    yield attempt(one.recv, 64)  # what is left
    one, other = make()
    with one, other:
        yield attempt(one.recv, bufsize=1)
        other.sendall(b"named")
        buffer = bytearray(5)
        yield attempt(one.recv_into, buffer=buffer, nbytes=3, flags=0)
        yield repr(buffer)
        yield attempt(one.recv_into, unknown=1)
        yield attempt(type(one).recv)
        yield attempt(socket.socket.send, 3, b"x")
        other.close()
        yield attempt(one.recv, 8)
        yield attempt(one.recv, 8)
        yield attempt(one.send, b"x")
    yield attempt(one.recv, 1)
    yield attempt(one.sendall, b"x")


def try_full():
    """Try a send that waits for room, and one that times out."""
    one, other = socket.socketpair()
    with one, other:
        one.settimeout(BRIEF_S)
        yield attempt(one.sendall, bytes(1 << 24))
        yield attempt(one.send, b"x" * (1 << 20)).split(" ")[0]
    one, other = socket.socketpair()
    with one, other:
        received = []

        def drain():
            while len(received) < 1 << 20:
                received.extend(other.recv(1 << 16))

        thread = start(drain)
        yield attempt(one.sendall, bytes(1 << 20))
        thread.join()
        yield str(len(received))


def try_connections():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        server.settimeout(BRIEF_S)
        yield attempt(server.accept)
        server.settimeout(None)
        for name in ("connect", "connect_ex"):
            with socket.socket() as client:
                yield attempt(getattr(client, name), address)
                accepted, _ = server.accept()
                accepted.close()
            with socket.socket() as client:
                for wrong in (None, (), ("127.0.0.1",), ("127.0.0.1", 1 << 20), ("127.0.0.1", "x")):
                    yield attempt(getattr(client, name), wrong)
                yield attempt(getattr(client, name), ("127.0.0.1", 1))  # no server
                yield attempt(getattr(client, name))
                yield attempt(getattr(client, name), address, 1)
        yield attempt(server.accept, 1)
        yield attempt(server._accept, 1)
    yield attempt(server.accept)
    for arguments in (("127.0.0.1", 80), ("::1", None), (None, 80), (1, 2), ("127.0.0.1",), ()):
        yield attempt(socket.getaddrinfo, *arguments)
    yield attempt(socket.getaddrinfo, "127.0.0.1", "none such")
    yield attempt(socket.getaddrinfo, host="127.0.0.1", port=1, type=socket.SOCK_STREAM)
    yield attempt(socket.getaddrinfo, "127.0.0.1", 1, unknown=1)


def try_tls():
    """Try a handshake that fails, because there is no certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for answer in (b"no TLS at all\r\n", b""):
        one, other = socket.socketpair()
        with one, other:
            tls = context.wrap_socket(one, do_handshake_on_connect=False)
            tls.settimeout(0.05)
            with tls:
                yield attempt(tls.recv, 1)
                yield attempt(tls.send, b"x")
                yield attempt(tls._sslobj.read, "x")
                yield attempt(tls._sslobj.read, -1)
                yield attempt(tls._sslobj.write)
                yield attempt(tls._sslobj.shutdown, 1)
                if answer:
                    other.sendall(answer)
                yield attempt(tls.do_handshake)
                yield attempt(tls.do_handshake)
                yield attempt(tls.unwrap)


def leave(status):
    child = os.fork()
    if child == 0:
        os._exit(status)
    return child


def try_children():
    for wait in (os.wait, lambda: os.wait3(0), lambda: os.wait4(-1, 0)):
        child = leave(7)
        answer = wait()
        yield repr((answer[0] == child, answer[1], len(answer)))
    child = leave(5)
    yield repr(os.waitpid(child, 0) == (child, 5 << 8))
    child = leave(4)
    found = os.waitid(os.P_PID, child, os.WEXITED)
    yield repr((found.si_pid == child, found.si_status, found.si_signo))
    for name, arguments in (
        ("wait", ()),
        ("wait", (1,)),
        ("wait3", (0,)),
        ("wait3", ()),
        ("wait4", (-1, 0)),
        ("wait4", ("x", 0)),
        ("waitpid", (-1, 0)),
        ("waitpid", (-1, os.WNOHANG)),
        ("waitpid", (1, 2, 3)),
        ("waitpid", ("x", 0)),
        ("waitpid", (Number(None), 0)),
        ("waitid", (os.P_ALL, 0, os.WEXITED)),
        ("waitid", (99, 0, os.WEXITED)),
        ("waitid", ()),
    ):
        yield f"{name} {attempt(getattr(os, name), *arguments)}"
    yield attempt(os.wait3, options=os.WNOHANG)
    yield attempt(os.waitpid, pid=-1, options=0)
    with subprocess.Popen(["sh", "-c", "exit 3"]) as process:
        yield attempt(process.wait, 30)
        yield attempt(process.wait)
        yield attempt(process.poll)
    with subprocess.Popen(["sleep", "30"]) as process:
        yield attempt(process.wait, 0.01).split(" timed")[-1]
        process.kill()
        yield attempt(process.wait)
    done = subprocess.run(["echo", "1"], stdout=-1, stderr=-1, check=False)
    yield repr((done.returncode, done.stdout, done.stderr))


def call_with_alarm(call):
    """Set the alarm and call in one attempt: on a crowded machine it may ring before the call."""
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    return call()


def try_interruption():
    """Interrupt a wait: a handler that raises ends it, any other does not."""
    one, other = socket.socketpair()
    with one, other:
        signal.signal(signal.SIGALRM, ring)
        poll, epoll = select.poll(), select.epoll()
        poll.register(one, select.POLLIN)
        epoll.register(one, select.EPOLLIN)
        for call in (
            lambda: time.sleep(20),
            lambda: one.recv(1),
            lambda: one.recv_into(bytearray(1)),
            lambda: select.select([one], [], [], 20),
            lambda: poll.poll(20000),
            lambda: epoll.poll(20),
        ):
            yield attempt(call_with_alarm, call)
        rung = threading.Event()
        signal.signal(signal.SIGALRM, lambda *_: rung.set())
        for call in (lambda: time.sleep(0.03), lambda: epoll.poll(0.03), lambda: poll.poll(30)):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            yield attempt(call) + repr(rung.is_set())
            rung.clear()
        epoll.close()


def make_tcp():
    with socket.create_server(("127.0.0.1", 0)) as server:
        one = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    return one, other


def write_down():
    lines = []
    trials = [try_sleep, try_select, try_full, try_connections, try_tls, try_children]
    trials += [try_interruption, lambda: try_pair(socket.socketpair), lambda: try_pair(make_tcp)]
    for trial in trials:
        lines += [f"{trial.__name__}: {line}" for line in trial()]
    return lines


def find_differences(lines, others):
    return [pair for pair in zip(lines, others) if pair[0] != pair[1]] + (
        [(len(lines), len(others))] if len(lines) != len(others) else []
    )


def list_pointers():
    """Return the C functions of all hooked functions."""
    word, found = ctypes.c_void_p.from_address, []
    for module in (time, select, os, sys.modules["_socket"]):
        for name, function in sorted(vars(module).items()):
            if isinstance(function, types.BuiltinFunctionType):
                found.append((name, word(word(id(function) + 16).value + 8).value))
    with contextlib.closing(select.epoll()) as epoll:
        kinds = [type(select.poll()), type(epoll), socket.socket.__base__]
    kinds.append(sys.modules["_ssl"]._SSLSocket)
    for kind in kinds:
        for name, method in sorted(vars(kind).items()):
            if type(method).__name__ == "method_descriptor":
                found.append((name, word(word(id(method) + 40).value + 8).value))
    return found


pointers = list_pointers()
kept = [time.sleep, select.select, os.waitpid]
before = write_down()
with Locks() as locks:
    core.other_waits_install()
    swapped = [one[0] for one, other in zip(pointers, list_pointers()) if one != other]
    hooked = write_down()
    kept_results = [attempt(function, 0) for function in kept]
    n_reported = len(locks.read("other"))
    core.other_waits_remove()
    undone = list_pointers()
    removed = write_down()
after = write_down()
core.other_waits_install()  # without tables
core.other_waits_remove()
report(
    n_lines=len(before),
    hooked=find_differences(before, hooked),
    removed=find_differences(before, removed),
    after=find_differences(before, after),
    kept=kept_results,
    swapped=sorted(swapped),
    n_reported=n_reported,
    is_undone=undone == pointers == list_pointers(),
)
