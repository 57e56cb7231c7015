"""The list of processes: ancestors, and helpers that are left out."""

from __future__ import annotations

import os

import pytest

from stackglass.attach import processes
from stackglass.attach.processes import ProcessInfo
from stackglass.symbols.native_code import NativeCode
from stackglass.symbols.process import SymbolProcess
from stackglass_viewer.model.graph import graph_layout_child
from stackglass_viewer.model.readers import cprofile_child, memray_child
from stackglass_viewer.presenter.live.attaching import (
    find_ancestor,
    find_python_processes,
    is_helper,
)
from stackglass_viewer.presenter.live.target_process import read_parent


def test_a_shell_between_two_processes_is_passed_over() -> None:
    parents = {40: 30, 30: 20, 20: 1, 1: 0}
    assert find_ancestor(40, {20, 40}, lambda pid: parents.get(pid, 0)) == 20
    assert find_ancestor(20, {20, 40}, lambda pid: parents.get(pid, 0)) == 0


def test_numbers_given_anew_end_the_way_up() -> None:
    parents = {40: 30, 30: 40}
    assert find_ancestor(40, {7}, lambda pid: parents.get(pid, 0)) == 0


def test_the_parent_of_this_process_is_read() -> None:
    assert read_parent(os.getpid()) == os.getppid()
    assert read_parent(2**22 + 1) == 0


def test_helper_processes_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither those of this process nor those of another viewer."""
    commands = (
        "/srv/env/bin/python -m stackglass.symbols.server",
        f"/usr/bin/python3 -I -S {graph_layout_child.__file__} /usr/lib/python3/dist-packages",
        f"/usr/bin/python3 -I -S {cprofile_child.__file__}",
        f"/usr/bin/python3 -I {memray_child.__file__} trace.bin 1000",
        "/srv/env/bin/python -m stackglass attach 7",
        "python3 my_child.py",
    )
    listed = [
        ProcessInfo(at, "3.13.0", command, "me", 1, True, "", "")
        for at, command in enumerate(commands)
    ]
    monkeypatch.setattr(processes, "list_processes", lambda: listed)
    assert [row.command for row in find_python_processes()] == list(commands[-2:])


def test_the_running_symbol_server_is_a_helper() -> None:
    """Its command line is as expected."""
    symbols = SymbolProcess()
    try:
        symbols.name(os.getpid(), [NativeCode("/nowhere.so", "", 0)])
        server = symbols._server
        assert server is not None
        listed = {info.pid: info.command for info in processes.list_processes()}
        assert is_helper(listed[server.pid])
        assert server.pid not in {row.pid for row in find_python_processes()}
    finally:
        symbols.close()
