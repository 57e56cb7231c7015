"""Client connection: the client's end of an engine's socket, and the check of its peer."""

from __future__ import annotations

import _socket  # `socket`, which wraps it, would take a tenth of a short command's time to load
import os
import select
import struct
import time

from stackglass.attach.errors import ConnectionLostError, NotAllowedError
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.process_end import EndWatch, is_dying
from stackglass.attach.standstill import find_standstill
from stackglass.errors import AttachError, WireError
from stackglass.version import VERSION
from stackglass.wire import reader, requests, tags
from stackglass.wire.framing import FrameReader
from stackglass.wire.messages import Bye, Hello

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
else:
    from _collections import deque  # for start-up time: `collections` takes a millisecond to load

GIL_CAUSES = "C code may hold it, or the process gets too little time on a processor"
"""The possible causes of an engine's wait for the GIL: the engine cannot distinguish them."""
WAITS_FOR_GIL = f"waiting for the GIL: {GIL_CAUSES}"

_PEER_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
_CHUNK_BYTES = 256 * 1024
_SEND_TIMEOUT_S = 5.0
_CONNECT_S = 1.0  # how long a full backlog is retried
_CONNECT_POLL_S = 0.002
_HELLO_STEPS = 20  # see _await_hello
# When a process ends: the engine's socket ends first; signs of the process's end follow within
# _DYING_S; the end follows within _FREEING_S, which the process needs to free its memory.
_DYING_S = 0.2
_FREEING_S = 60.0
_DYING_POLL_S = 0.005


class Connection:
    """A connection to the engine in one process. For one thread; a context manager.

    ``receive`` returns the raw bytes of FromEngine messages, the Hello first.
    """

    __slots__ = (
        "_frames",
        "_has_ended",
        "_has_parted",
        "_hello_ns",
        "_is_ready",
        "_proc",
        "_reader",
        "_socket",
        "_watch",
        "hello",
        "pid",
        "way",
    )

    def __init__(self, pid: int, connected: _socket.socket, way: str, proc: Proc = PROC) -> None:
        """Takes over ``connected``. ``way``: how the engine entered (a value of ``Way``)."""
        self.pid = pid
        self.way = way
        self.hello = Hello()
        self._proc = proc
        self._watch = EndWatch(pid, proc)
        self._socket = connected
        self._reader = FrameReader()
        self._frames: deque[bytes] = deque()
        self._hello_ns = 0
        self._is_ready = False
        self._has_ended = False
        self._has_parted = False  # a Bye was received

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_ready(self) -> bool:
        """Whether a Ready was received: the engine has had the GIL, and profiles."""
        return self._is_ready

    @property
    def waiting_ns(self) -> int:
        """How long the engine has waited for its first GIL, in ns; 0 once it has had the GIL.

        The engine sends its Hello without the GIL. A wait of more than some ten milliseconds should
        be shown to the user, with ``GIL_CAUSES``.
        """
        return 0 if self._is_ready else time.monotonic_ns() - self._hello_ns

    def fileno(self) -> int:
        """The socket's descriptor, for select. Frames may be buffered even without input."""
        return self._socket.fileno()

    def greet(self, timeout_s: float) -> None:
        """Wait for the Hello, check it, answer it. The Hello remains the first frame to receive.

        An engine that refuses the client may have left already; its Bye is then among the frames.
        Raises ConnectionLostError, WireError, AttachError for another protocol.
        """
        frame = self._await_hello(timeout_s)
        if frame is None:
            standstill = find_standstill(self.pid, self._proc)
            if standstill is not None:
                raise ConnectionLostError(standstill.message, standstill.remedy)
            raise ConnectionLostError(
                f"the engine in process {self.pid} does not answer", "attach again"
            )
        hello = reader.decode(frame)
        if not isinstance(hello, Hello):
            raise WireError(f"process {self.pid} does not speak Stackglass's protocol")
        if hello.protocol != tags.PROTOCOL_VERSION:
            raise AttachError(*_explain_protocol(self.pid, hello))
        self.hello = hello
        self._hello_ns = time.monotonic_ns()
        self._frames.appendleft(frame)
        self.send_if_served(requests.encode_greeting())

    def _await_hello(self, timeout_s: float) -> bytes | None:
        """The first frame; None if none came in time. Waits in steps: after a pause of the whole
        machine the client may run before the engine, and then loses only one step."""
        for _ in range(_HELLO_STEPS):
            frame = self.receive(timeout_s / _HELLO_STEPS)
            if frame is not None:
                return frame
        return None

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        """The next FromEngine message; None if none came in time (None = wait for ever).

        Raises ConnectionLostError at the end of the stream, WireError if it is damaged.
        """
        deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._frames:
            if self._has_ended:
                raise self._lost()
            left_s = None if deadline_s is None else max(deadline_s - time.monotonic(), 0.0)
            if not self._poll(select.POLLIN, left_s):
                return None
            self._fill()
        frame = self._frames.popleft()
        if frame[:1] == bytes([tags.FromEngine.READY << 3 | 2]):
            self._is_ready = True
        elif frame[:1] == bytes([tags.FromEngine.BYE << 3 | 2]):
            self._has_parted = True
        return frame

    def send(self, framed: bytes) -> None:
        """Send a request of ``stackglass.wire.requests``. Raises ConnectionLostError."""
        left = memoryview(framed)
        while left:
            if not self._poll(select.POLLOUT, _SEND_TIMEOUT_S):
                raise ConnectionLostError(
                    f"the engine in process {self.pid} does not read requests"
                )
            try:
                left = left[self._socket.send(left, _socket.MSG_NOSIGNAL) :]
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                raise self._lost() from error

    def send_if_served(self, framed: bytes) -> None:
        """Send, unless the engine has left with a reason: its Bye is then among the frames.

        Raises ConnectionLostError.
        """
        try:
            self.send(framed)
        except ConnectionLostError:
            if not self._find_reason():
                raise

    def close(self) -> None:
        """Close the socket. The engine stays for its other clients, or leaves if there are none."""
        self._socket.close()
        self._watch.close()

    def _find_reason(self) -> str:
        """The reason in the Bye that the engine sent last, before it closed its end; "" = no Bye,
        no reason, or a damaged stream."""
        try:
            while not self._has_ended and self._poll(select.POLLIN, 0.0):
                self._fill()
            last = reader.decode(self._frames[-1]) if self._frames else None
        except WireError:
            return ""
        return last.reason if isinstance(last, Bye) else ""

    def _poll(self, event: int, timeout_s: float | None) -> bool:
        """Wait until the socket can be read or written (``event``); False if it cannot in time."""
        poller = select.poll()
        poller.register(self._socket, event)
        return bool(poller.poll(None if timeout_s is None else timeout_s * 1000))

    def _fill(self) -> None:
        """Read what the socket has, and append the complete frames."""
        try:
            data = self._socket.recv(_CHUNK_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""  # reset: the process was killed
        if data:
            self._frames.extend(self._reader.feed(data))
        else:
            self._has_ended = True

    def _await_end(self, most_s: float) -> bool:
        """Wait until the process has ended; False if it shows no sign of ending for ``most_s``.

        The engine's threads, and so its socket, may end seconds before the program's last thread.
        """
        began_s = time.monotonic()
        until_s = began_s + most_s
        while not self._proc.has_ended(self.pid):
            now_s = time.monotonic()
            if most_s and is_dying(self.pid, self._proc):
                until_s = min(now_s + most_s, began_s + _FREEING_S)
            if now_s >= until_s:
                return False
            time.sleep(_DYING_POLL_S)
        return True

    def _lost(self) -> ConnectionLostError:
        """The error that says whether the engine left, or the process ended, and how."""
        is_sudden = self._hello_ns > 0 and not self._has_parted
        if not self._await_end(_DYING_S if is_sudden else 0.0):
            reason = self._find_reason()
            if reason:
                return ConnectionLostError(reason)
            return ConnectionLostError(f"the engine has left process {self.pid}", "attach again")
        end = self._watch.look()
        error = ConnectionLostError(f"process {self.pid} has ended ({end.describe()})")
        error.is_killed = is_sudden and (end.signal != 0 or not end.is_known)
        return error


def connect(pid: int, uid: int, path: str, way: str, proc: Proc = PROC) -> Connection | None:
    """Connect to an engine's socket; None if no engine listens there, or its backlog is full for a
    second.

    Raises NotAllowedError if the listener is not the target, or not of its user.
    """
    connected = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    try:
        _connect_in_time(connected, path)
        _verify_peer(connected, pid, uid, path)
    except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
        connected.close()
        return None
    except PermissionError as error:
        connected.close()
        raise NotAllowedError(
            f"the engine in process {pid} serves another user", "run as that user, or with sudo"
        ) from error
    except BaseException:
        connected.close()
        raise
    connected.setblocking(False)
    return Connection(pid, connected, way, proc)


def _connect_in_time(connected: _socket.socket, path: str) -> None:
    """Connect. Raises BlockingIOError if the backlog is full."""
    connected.setblocking(False)
    deadline_s = time.monotonic() + _CONNECT_S
    while True:
        try:
            connected.connect(path)
        except BlockingIOError:  # the backlog is full
            if time.monotonic() >= deadline_s:
                raise
            time.sleep(_CONNECT_POLL_S)
        else:
            return


def _verify_peer(connected: _socket.socket, pid: int, uid: int, path: str) -> None:
    """Raises NotAllowedError unless the listener is the target, run by its user or this user."""
    data = connected.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _PEER_CREDENTIALS.size)
    peer_pid, peer_uid, _ = _PEER_CREDENTIALS.unpack(data)
    # 0: a process of a PID namespace that is not visible here.
    if peer_pid not in (0, pid) or peer_uid not in (uid, os.geteuid()):
        raise NotAllowedError(
            f"the socket {path} belongs to process {peer_pid} of user {peer_uid}, "
            f"not to process {pid}",
            f"remove it if it is stale: rm {path}",
        )


def _explain_protocol(pid: int, hello: Hello) -> tuple[str, str]:
    """Message and remedy for an engine of another protocol."""
    version = hello.engine_version
    if version != VERSION:
        return (
            f"process {pid} already has an engine of stackglass {version or '(version unknown)'}; "
            f"this is {VERSION}",
            "use that version, or close the windows and commands that are attached to the process",
        )
    return (
        f"process {pid} already has an engine of another build of stackglass {version}: its "
        f"protocol is {hello.protocol}, not {tags.PROTOCOL_VERSION}",
        "close the windows and commands that are attached to the process, or restart the process",
    )
