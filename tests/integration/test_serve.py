"""``stackglass serve PID``: profiles of a program that does not import us, over HTTP."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, SOME, choose_pythons
from harness.pprof_server import PprofServer
from harness.pythons import Python
from harness.saved_profile import SavedProfile
from harness.targets import Target

pytestmark = [pytest.mark.attach, pytest.mark.timeout(600)]

NO_GIL_RATE = "no samples: no rate is set, `stackglass serve --gil-hz 100` sets one"


@contextmanager
def serve(pid: int) -> Iterator[tuple[PprofServer, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "stackglass", "serve", str(pid), "--port", "0"]
    with subprocess.Popen(
        [*command, "--block-rate", "1", "--mutex-fraction", "1", "--heap-rate", "4096"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "/debug/pprof/" in line, process.communicate()[1]
        try:
            yield PprofServer(int(line.split(":")[3].partition("/")[0])), process
        finally:
            process.terminate()
            process.wait(60)


@choose_pythons([SOME[0], NEWEST], SOME)
def test_a_process_is_served_from_outside(python: Python) -> None:
    """The program goes on, and nothing of the engine is left when the command ends."""
    with Target(python, "threads_50.py") as target:
        with serve(target.pid) as (server, process):
            index = server.ask("/debug/pprof/")
            assert index.status == 200
            names = (
                "heap",
                "allocs",
                "block",
                "mutex",
                "gil",
                "threads",
                "threadcreate",
                "threadleak",
            )
            for name in names:
                answer = server.ask(f"/debug/pprof/{name}")
                assert answer.status == 200, (name, answer.body)
                assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
                hints = [
                    each for each in SavedProfile(answer.body).comments if "no samples" in each
                ]
                assert hints == ([NO_GIL_RATE] if name == "gil" else [])
            text = server.ask("/debug/pprof/gil?debug=1").body.decode()
            assert text.endswith(f"\n# {NO_GIL_RATE}\n")
            assert "compute" in run_pprof("-top", server.url("profile?seconds=2"))
            assert "compute" in run_pprof("-top", server.url("wall?seconds=2"))
            assert "compute" in run_pprof("-top", server.url("goroutine"))
            assert b"threads profile: total 5" in server.ask("/debug/pprof/threads?debug=1").body
            words = server.ask("/debug/pprof/cmdline").body.split(b"\0")
            assert words[0].endswith(b"threads_50.py")
            assert server.ask("/debug/pprof/heap?gc=1&debug=1").status == 200
            assert server.ask("/debug/pprof/heap?seconds=1").status == 200
            assert server.ask("/debug/pprof/nothing").status == 404
            process.terminate()
            assert process.wait(60) == 0
        target.finish()


def test_what_the_program_fills_is_served_as_well() -> None:
    """Beside the built-in profiles, as the program's own server has it: no delta, as in Go."""
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        for word in ("profile app.open", "profile app.none", "add app.open 3"):
            target.ask(word)
        with serve(target.pid) as (server, _):
            index = server.ask("/debug/pprof/").body.decode()
            assert "app.open" in index
            assert "app.none" in index
            profile = SavedProfile(server.ask("/debug/pprof/app.open").body)
            assert profile.sample_types == ["app.open/count"]
            assert [row.values for row in profile.rows] == [[3]]
            assert profile.rows[0].stack[-1].endswith("open_one")
            target.ask("remove app.open 1")
            text = server.ask("/debug/pprof/app.open?debug=1").body
            assert text.startswith(b"app.open profile: total 2\n2 @ ")
            assert server.ask("/debug/pprof/app.open?debug=2").body.count(b"open_one(...)") == 2
            assert SavedProfile(server.ask("/debug/pprof/app.none").body).rows == []
            assert server.ask("/debug/pprof/app.open?seconds=1").status == 400
            assert server.ask("/debug/pprof/app.nothing").status == 404
            assert "open_one" in run_pprof("-top", server.url("app.open"))
        target.finish()


def test_it_ends_with_the_process() -> None:
    with Target(NEWEST, "sleep.py") as target, serve(target.pid) as (_, process):
        os.kill(target.pid, signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "the server has ended" in errors
