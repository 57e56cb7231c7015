"""Receives every kind of signal all the time, and counts signals that must not be lost.

Its own timers send SIGALRM and SIGPROF, its children SIGCHLD. The test sends SIGUSR1, SIGFPE and
SIGTRAP, which may merge, and two real-time signals, which the system queues: ``QUEUED``
has a handler, ``FETCHED`` is blocked and fetched by a thread. Its last line has the number of each
that it received.
"""

import collections
import contextlib
import os
import signal
import socket
import threading

from rounds import announce, run_rounds

QUEUED, FETCHED = signal.SIGRTMIN + 1, signal.SIGRTMIN + 2
FLOOD = (signal.SIGUSR1, signal.SIGFPE, signal.SIGTRAP)
OWN = (signal.SIGALRM, signal.SIGPROF, signal.SIGCHLD)
HANDLED = (*FLOOD, *OWN, QUEUED)
LAST_WORD = signal.SIGRTMIN + 3  # lower numbers are delivered first

n_handled = collections.Counter()
n_ended = n_fetched = 0


def fetch():
    global n_fetched
    while signal.sigwait({FETCHED, LAST_WORD}) == FETCHED:
        n_fetched += 1


def take_handled():
    """Count handled signals by the bytes that the interpreter's C handler writes for each, because
    it may call a Python handler once for several."""
    with contextlib.suppress(BlockingIOError):
        while True:
            n_handled.update(taken.recv(1 << 16))


def work():
    global n_ended
    child = os.posix_spawn("/bin/true", ["true"], {})
    total = sum(number * number for number in range(20_000))
    n_ended += os.waitpid(child, 0)[1] == 0
    take_handled()
    return total, sorted(str(number) for number in range(2000))


taken, given = socket.socketpair()
given.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
for end in (taken, given):
    end.setblocking(False)
signal.pthread_sigmask(signal.SIG_BLOCK, {FETCHED, LAST_WORD})
fetcher = threading.Thread(target=fetch)
fetcher.start()
signal.set_wakeup_fd(given.fileno(), warn_on_full_buffer=False)
for number in HANDLED:
    signal.signal(number, lambda number, frame: None)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
signal.setitimer(signal.ITIMER_PROF, 0.005, 0.005)
run_rounds("flooded", work)
signal.setitimer(signal.ITIMER_REAL, 0)
signal.setitimer(signal.ITIMER_PROF, 0)
os.kill(os.getpid(), LAST_WORD)
fetcher.join()
take_handled()
announce(
    queued=n_handled[QUEUED],
    fetched=n_fetched,
    children=n_ended,
    least=min(n_handled[number] for number in HANDLED),
)
