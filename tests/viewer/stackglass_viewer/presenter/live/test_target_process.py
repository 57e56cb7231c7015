"""What the system says of a process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from stackglass_viewer.presenter.live.target_process import (
    find_forker,
    list_threads,
    read_begin_ticks,
    read_process_name,
    read_title,
)


def test_threads_come_and_go() -> None:
    tids: list[int] = []
    gate = threading.Event()

    def run() -> None:
        tids.append(threading.get_native_id())
        gate.wait(30)

    thread = threading.Thread(target=run)
    thread.start()
    while not tids:
        pass
    assert {threading.get_native_id(), *tids} <= list_threads(os.getpid())
    gate.set()
    thread.join()
    while tids[0] in list_threads(os.getpid()):
        pass
    assert list_threads(2**30) == frozenset()


def test_the_kernels_name_of_a_process_is_read() -> None:
    with open("/proc/self/comm", encoding="utf-8") as file:
        assert read_process_name(os.getpid()) == file.read().strip()
    assert read_process_name(2**30) == ""


def test_a_child_begins_after_its_parent() -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert 0 < read_begin_ticks(os.getpid()) <= read_begin_ticks(child.pid)
    finally:
        child.communicate()
    assert read_begin_ticks(2**30) == 0


FORKS = """
import os, sys
child = os.fork()
if not child:
    os.read(0, 1)
    os._exit(0)
print(child, flush=True)
os.wait()
"""


def test_a_fork_is_told_from_a_program_that_was_started() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-S", "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    try:
        assert find_forker(int(parent.stdout.readline())) == parent.pid
        assert find_forker(parent.pid) == 0
    finally:
        parent.communicate(b".")
    assert find_forker(2**30) == 0


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (["gunicorn: worker  [app]"], "gunicorn: worker [app]"),  # as setproctitle writes it
        ([""], ""),
        (["python3"], ""),
        (["gunicorn: worker [app]", "-q"], ""),
        (["[celeryd: celery@vm:MainProcess] -active- (worker)"], "celeryd: celery@vm:MainProcess"),
        (["[celeryd: celery@vm:ForkPoolWorker-1]"], "celeryd: celery@vm:ForkPoolWorker-1"),
        (["[celeryd: celery"], "[celeryd: celery"),
        (["[] celeryd"], "[] celeryd"),
    ],
)
def test_a_title_is_one_text_in_the_place_of_the_command_line(words: list[str], title: str) -> None:
    """Python reads its program from the pipe, so that it needs no arguments.

    Popen returns while the kernel may still have to set the command line. What the program writes
    comes later.
    """
    program = subprocess.Popen(
        words, executable=sys.executable, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        program.stdin.write(b"print(flush=True); import time; time.sleep(600)")
        program.stdin.close()
        program.stdout.readline()
        assert read_title(program.pid) == title
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
    assert read_title(2**30) == ""
