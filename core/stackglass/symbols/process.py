"""Symbol process: a server of names beside this process, started at the first request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from stackglass.symbols.native_code import NativeCode, NativeName

_ROOT = Path(__file__).resolve().parents[2]
_SERVER = "stackglass.symbols.server"


class SymbolProcess:
    """Names by process, library and start. Any thread; one request at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards all below
        self._server: subprocess.Popen[str] | None = None
        self._is_over = False  # closed, or it could not answer: there are no names any more

    def name(self, pid: int, codes: Sequence[NativeCode]) -> list[NativeName] | None:
        """The functions; None = there is no server. Waits for it: seconds, with large libraries."""
        with self._lock:
            if self._is_over or not codes:
                return None if codes else []
            try:
                return self._ask(pid, codes)
            except (OSError, ValueError):
                self._end()
                return None

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self._end()

    def _ask(self, pid: int, codes: Sequence[NativeCode]) -> list[NativeName]:
        """Raises OSError or ValueError if the server has ended."""
        if self._server is None:
            self._server = self._start()
        source, sink = self._server.stdout, self._server.stdin
        if source is None or sink is None:
            raise ValueError("the symbol server has no pipes")
        sink.write(json.dumps([pid, codes]) + "\n")
        sink.flush()
        names = [NativeName(*each) for each in json.loads(source.readline())]
        if len(names) != len(codes):
            raise ValueError("the symbol server gave another number of names")
        return names

    def _start(self) -> subprocess.Popen[str]:
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH", ""))))
        return subprocess.Popen(
            [sys.executable, "-m", _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )

    def _end(self) -> None:
        server, self._server, self._is_over = self._server, None, True
        if server is None:
            return
        for pipe in (server.stdin, server.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # it has ended, and what was not sent is of no use
        server.kill()
        server.wait()
