"""Programs under system call filters (seccomp): entered, recorded, left, and never ended by it."""

from __future__ import annotations

import errno
import time
from pathlib import Path
from typing import Any

import pytest

from harness.matrix import NEWEST, SOME, cover, each_python, some_pythons
from harness.pythons import Python
from harness.seccomp_filters import ALLOW, DENY, KILL, MISSING, TRAP, build_filter
from harness.seccomp_lists import BARE, DOCKER, FLATPAK_DENIED, SYSTEM_SERVICE
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.attach.errors import FilteredError
from stackglass.native import _core
from stackglass.wire.contention_kinds import ContentionKind

FILTERS = {
    "system-service": build_filter(SYSTEM_SERVICE, ALLOW, KILL),
    "docker": build_filter(DOCKER, ALLOW, DENY, {"clone3": MISSING}),
    "flatpak": build_filter(FLATPAK_DENIED, DENY, ALLOW),
    "bare": build_filter(BARE, ALLOW, KILL),
}
# Calls that the engine can do without, and that none of its hooks makes on a thread of the program.
DISPENSABLE = (
    *("perf_event_open", "close_range", "unshare", "process_vm_readv", "process_vm_writev"),
    *("rt_tgsigqueueinfo", "timer_create", "timer_settime", "timer_delete", "sched_setaffinity"),
    "sched_yield",
)
pytestmark = pytest.mark.attach


def record_everything(target: Target) -> None:
    """CPU with C frames, wall, heap, lock and other waits, the GIL, all at high rates; then
    detach."""
    with Session(target.pid, hz=500) as session:
        session.set_native(True)
        session.set_wall_rate(500, "fight")
        session.set_heap_rate(4096)
        session.set_contention_rates(block_ns=1, fraction=1, gil_hz=100, has_other=True)
        session.wait_for_samples(50)
        session.wait_for_function("compute")
        session.wait_for_contention(lambda status: status.n_events > 0)
        waits = session.list_contention(ContentionKind.BLOCK)
        deadline = time.monotonic() + PATIENCE_S
        while not any("fight" in stack for stack in waits) and time.monotonic() < deadline:
            session.wait_for_contention()
            waits = session.list_contention(ContentionKind.BLOCK)
        assert any("fight" in stack for stack in waits)
        assert session.sum_heap("compute") is not None
        session.take_census()
        session.take_lock_waits()
        session.detach()
        session.wait_for_end()
        assert session.status.n_native_stacks > 0


@cover("name", list(FILTERS))
def test_every_profile_under_a_filter(python: Python, name: str) -> None:
    with Target(python, "filtered.py", FILTER=FILTERS[name].hex()) as target:
        record_everything(target)
        record_everything(target)
        target.finish()


@each_python
def test_filter_that_cannot_be_read(python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for an ordinary user: nothing is done that the engine can do without."""

    def refuse(thread: int) -> tuple[bytes, ...]:
        raise PermissionError(errno.EACCES, "no CAP_SYS_ADMIN")

    monkeypatch.setattr(_core, "read_filters", refuse)
    with Target(python, "filtered.py", FILTER=FILTERS["bare"].hex(), SOCKETS="1") as target:
        record_everything(target)
        target.finish()


def test_filter_that_cannot_be_read_and_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: int) -> tuple[bytes, ...]:
        raise PermissionError(errno.EACCES, "no CAP_SYS_ADMIN")

    monkeypatch.setattr(_core, "read_filters", refuse)
    with Target(NEWEST, "filtered.py", FILTER=FILTERS["bare"].hex()) as target:
        with pytest.raises(FilteredError, match="that only root can read"):
            Session(target.pid)
        target.finish()


@cover(
    "action",
    [pytest.param(KILL, id="kill"), pytest.param(TRAP, id="trap"), pytest.param(DENY, id="deny")],
    SOME,
)
def test_needed_call_is_forbidden(python: Python, action: int) -> None:
    code = build_filter(["socket"], action, ALLOW)
    with Target(python, "filtered.py", FILTER=code.hex()) as target:
        with pytest.raises(FilteredError, match=r"seccomp.* socket, which the engine needs"):
            Session(target.pid)
        target.finish()


@each_python
def test_filter_that_comes_while_attached(python: Python) -> None:
    attach_before_filter(python, FILTERS["system-service"], DEEDS="1")


@some_pythons
def test_filter_that_comes_while_all_descriptors_are_used(python: Python) -> None:
    """The engine shares the program's table of them, and cannot open what shows the filter."""
    first = build_filter(["close_range", "unshare"], DENY, ALLOW)
    code = build_filter(DISPENSABLE, KILL, ALLOW)
    attach_before_filter(python, code, FIRST=first.hex(), FULL="1")


@some_pythons
def test_filter_that_comes_before_the_rate_changes(python: Python) -> None:
    """At a low rate nothing else makes the engine look for a filter before it removes timers."""
    code = build_filter(DISPENSABLE, KILL, ALLOW)
    with (
        Target(python, "filtered.py", FILTER=code.hex(), LATE="1", ALONE="1") as target,
        Session(target.pid, hz=500, clock="ticker") as session,
    ):
        session.wait_for_samples(50)
        session.set_rate(5)
        session.wait_for_rate(5)
        session.wait_for_samples(8)  # the threads have timers again
        Path(f"{target.folder / 'stop'}.filter").touch()
        wait_for_filter(target.pid)
        session.set_rate(0)
        session.wait_for_rate(0)
        session.detach()
        target.finish()


@each_python
def test_filter_of_one_thread_that_comes_while_attached(python: Python) -> None:
    """Hooks run on that thread, and in its children; the engine's threads are under no filter."""
    attach_before_filter(python, build_filter(DISPENSABLE, KILL, ALLOW), DEEDS="1", OWN="1")


def wait_for_filter(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while "Seccomp:\t2" not in Path(f"/proc/{pid}/status").read_text():
        assert time.monotonic() < deadline, "there is no filter"
        time.sleep(0.001)


def attach_before_filter(python: Python, code: bytes, **deeds: Any) -> None:
    with (
        Target(python, "filtered.py", FILTER=code.hex(), LATE="1", **deeds) as target,
        Session(target.pid, hz=500) as session,
    ):
        session.wait_for_samples(20)
        session.set_heap_rate(4096)
        session.set_contention_rates(block_ns=1, fraction=1)
        Path(f"{target.folder / 'stop'}.filter").touch()
        session.wait_for_samples(session.n_samples + 50)
        session.wait_for_function("compute")
        session.detach()
        session.wait_for_end()
        target.finish()
