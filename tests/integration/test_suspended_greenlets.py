"""Suspended greenlets of real processes in dumps, on each Python that has the library."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python, list_green_environment
from harness.recorder import run_command
from harness.targets import Target
from harness.thread_dumps import dump_session, list_functions
from stackglass.threads.session import Dump

pytestmark = pytest.mark.attach

N_MANY = 3000
N_DUMPS = 25
CHURNS = 30
NOT_BEGUN = 2  # on the wire


class Suspended(NamedTuple):
    """What a dump says of a greenlet."""

    type_name: str
    tid: int
    stack: list[str]


@pytest.fixture
def target(python: Python) -> Iterator[Target]:
    packages = list_green_environment(python)
    with Target(python, "suspended_greenlets.py", has_stdin=True, **packages) as target:
        if not target.ready["has_library"]:
            pytest.skip(f"no greenlet for {python.label}: packaging/target_packages green")
        yield target
        assert target.finish()["wrong"] == 0


def list_greenlets(dump: Dump) -> list[tuple[str, Suspended]]:
    rows = dump.rows
    return [
        (
            rows.task_name[at],
            Suspended(type_name, rows.task_tid[at], list_functions(dump, rows.task_node[at])),
        )
        for at, type_name in enumerate(rows.task_greenlet_type)
        if type_name
    ]


@each_python
def test_every_suspended_greenlet_once_with_its_stack_name_and_thread(
    python: Python, target: Target
) -> None:
    with dump_session(target.pid) as session:
        dump = session.take()
    other = target.ready["other"]
    leaf = Suspended("Watchful", target.pid, ["leave"])
    assert sorted(list_greenlets(dump)) == sorted(
        [
            ("", Suspended("greenlet", target.pid, ["<module>"])),
            ("", leaf),
            ("leaf", leaf),
            ("deep", leaf._replace(stack=["leave", *["dive"] * 31, "<lambda>"])),
            ("generator", leaf._replace(stack=["leave", "generate", "iterate"])),
            ("called back", leaf._replace(stack=["leave", "<lambda>", "call_back"])),
            ("elsewhere", leaf._replace(tid=other)),
            ("", Suspended("Watchful", 0, [])),  # has not begun
        ]
    )
    assert [
        state
        for state, kind in zip(dump.rows.task_state, dump.rows.task_greenlet_type, strict=True)
        if kind
    ].count(NOT_BEGUN) == 1
    assert len(set(dump.rows.task_id)) == len(dump.rows.task_id)
    assert dump.rows.is_whole == 1
    assert target.ask()["asked"] == []


@some_pythons
def test_the_command_lists_them(python: Python, target: Target) -> None:
    status, out, err = run_command("threads", target.pid)
    assert (status, err) == (0, "")
    assert "7 suspended greenlets, 1 not begun" in out
    assert "Greenlet Watchful, not begun:" in out
    assert f"Greenlet deep, suspended, in thread MainThread [{target.pid}]:" in out
    found = json.loads(run_command("threads", target.pid, "--json")[1])
    states = [greenlet["state"] for greenlet in found["greenlets"]]
    assert (states.count("suspended"), states.count("not begun")) == (7, 1)
    assert found["tasks"] == []
    dump = run_command("threads", target.pid, "--debug", "2")[1]
    assert f'"elsewhere" in thread {target.ready["other"]} [suspended]:' in dump


@some_pythons
def test_many_objects_are_searched_in_slices(python: Python, target: Target) -> None:
    """3000 greenlets among 600 000 objects; a slice ends by the clock."""
    target.ask(f"many {N_MANY}")
    with dump_session(target.pid) as session:
        dump = session.take()
    assert len(list_greenlets(dump)) == 8 + N_MANY
    assert dump.rows.is_whole == 1
    assert dump.rows.n_slices > 1
    assert 0 < dump.rows.longest_cpu_ns < 10_000_000
    target.ask("drop")


@each_python
def test_dumps_while_greenlets_switch_change_nothing(python: Python, target: Target) -> None:
    expected = target.ask(f"churn {CHURNS}")["total"]
    with dump_session(target.pid) as session:
        deadline = time.monotonic() + 60
        for _ in range(N_DUMPS):
            assert target.process.stdin is not None
            target.process.stdin.write(f"churn {CHURNS}\n".encode())
            named = [name for name, _ in list_greenlets(session.take()) if name]
            assert sorted(named) == ["called back", "deep", "elsewhere", "generator", "leaf"]
            assert target.read_line()["total"] == expected
            assert time.monotonic() < deadline
