"""Symbol process: a separate process that finds names and lines, started at the first request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stackglass.symbols.native_code import NativeCode, NativeLine, NativeName

_ROOT = Path(__file__).resolve().parents[2]
_SERVER = "stackglass.symbols.server"


class SymbolProcess:
    """Client of the symbol server. Any thread; one request at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards all below
        self._server: subprocess.Popen[str] | None = None
        self._is_over = False  # closed, or the server failed: no more requests

    def name(self, pid: int, codes: Sequence[NativeCode]) -> list[NativeName] | None:
        """Return the names of functions; None = there is no server. Waits for the answer, for
        seconds with large libraries."""
        names = self._request("name", pid, codes)
        return None if names is None else [NativeName(*each) for each in names]

    def locate(self, pid: int, codes: Sequence[NativeCode]) -> list[list[NativeLine]] | None:
        """Return the lines at addresses, which ``codes`` have in place of starts: the innermost
        inlined call first, the function itself last. None = there is no server. Waits for the
        answer, a second for each source file of a library with debug information."""
        lines = self._request("locate", pid, codes)
        return None if lines is None else [[NativeLine(*row) for row in each] for each in lines]

    def list_problems(self, pid: int) -> list[str]:
        """Return why lines are missing, a sentence for each library; [] if there is no server."""
        return self._order("problems", pid)

    def forget(self, pid: int) -> None:
        """Have the files of a process read again, because there may be new debug files."""
        self._order("forget", pid)

    def _order(self, action: str, pid: int) -> list[str]:
        with self._lock:
            if self._is_over or self._server is None:
                return []
            try:
                return [str(each) for each in self._ask(action, pid, ())]
            except (OSError, ValueError):
                self._end()
                return []

    def _request(self, action: str, pid: int, codes: Sequence[NativeCode]) -> list[Any] | None:
        with self._lock:
            if self._is_over or not codes:
                return None if codes else []
            try:
                return self._ask(action, pid, codes)
            except (OSError, ValueError):
                self._end()
                return None

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self._end()

    def _ask(self, action: str, pid: int, codes: Sequence[NativeCode]) -> list[Any]:
        """Send a request and return the answers. Raises OSError or ValueError if the server has
        ended."""
        if self._server is None:
            self._server = self._start()
        source, sink = self._server.stdout, self._server.stdin
        if source is None or sink is None:
            raise ValueError("the symbol server has no pipes")
        sink.write(json.dumps([action, pid, codes]) + "\n")
        sink.flush()
        answers = json.loads(source.readline())
        if not isinstance(answers, list) or (codes and len(answers) != len(codes)):
            raise ValueError("the symbol server gave more or fewer answers than questions")
        return answers

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
                    continue  # the server has ended; unsent requests are of no use
        server.kill()
        server.wait()
