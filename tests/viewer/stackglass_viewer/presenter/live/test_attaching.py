"""Ancestors of listed processes."""

from __future__ import annotations

import os

from stackglass_viewer.presenter.live.attaching import find_ancestor
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
