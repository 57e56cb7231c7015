"""A server that forks three workers, which all accept on one socket; the parent waits.

The ready line carries ``workers`` (PIDs) and ``port``. A worker answers each connection with its
PID and a digest. At the end the parent asks every worker to stop and reports their exit codes.
"""

import os
import socket
import threading
import time

from rounds import announce, digest, is_stopped

N_WORKERS = 3


def serve(listener, parent):
    """Serve until asked to stop, or until the parent has ended, as in a killed test run."""
    while not is_stopped() and os.getppid() == parent:
        try:
            connection, _ = listener.accept()
        except socket.timeout:
            continue
        with connection:
            connection.sendall(f"{os.getpid()} {digest(list(range(1000)))}\n".encode())


listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(0.2)
workers = []
parent = os.getpid()
assert threading.main_thread().name == "MainThread"  # as a client should see it
for _ in range(N_WORKERS):
    pid = os.fork()
    if pid == 0:
        serve(listener, parent)
        os._exit(0)
    workers.append(pid)
announce(ready="prefork", pid=os.getpid(), workers=workers, port=listener.getsockname()[1])
while not is_stopped():
    time.sleep(0.1)
codes = [os.waitpid(pid, 0)[1] for pid in workers]
announce(result=digest(codes), rounds=1, wrong=sum(code != 0 for code in codes))
