"""What the engine may do under a filter: decided without touching a process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stackglass
from harness.seccomp_filters import ALLOW, DENY, KILL, build_filter
from harness.seccomp_lists import BARE, DOCKER, FLATPAK_DENIED, SYSTEM_SERVICE
from stackglass.attach.errors import FilteredError
from stackglass.attach.filter_judgement import FilteredThread, judge_threads

MINOR = 15


def read_bits() -> dict[str, int]:
    """Of the C side's enum."""
    header = Path(stackglass.__file__).parent / "native" / "platform/permitted_calls.h"
    found = re.findall(r"SG_CALL_(\w+) = 1 << (\d+)", header.read_text())
    return {name: 1 << int(bit) for name, bit in found}


BITS = read_bits()


def judge(code: bytes) -> set[str]:
    """The optional calls that may be made by a thread with this filter."""
    verdict = judge_threads(1, MINOR, [FilteredThread(1, (code,))])
    assert verdict.calls is not None
    assert verdict.threads == (1,)
    return {name for name, bit in BITS.items() if verdict.calls & bit}


def test_system_service_has_no_perf_events() -> None:
    assert set(BITS) - judge(build_filter(SYSTEM_SERVICE, ALLOW, KILL)) == {"PERF", "CLOSE_RANGE"}


def test_what_only_fails_is_harmless() -> None:
    assert judge(build_filter(DOCKER, ALLOW, DENY)) == set(BITS)
    assert judge(build_filter(FLATPAK_DENIED, DENY, ALLOW)) == set(BITS)


def test_bare_leaves_nothing() -> None:
    assert judge(build_filter(BARE, ALLOW, KILL)) == set()


@pytest.mark.parametrize("name", ["mmap", "futex", "rt_sigreturn", "accept4", "clone"])
def test_needed_call(name: str) -> None:
    with pytest.raises(FilteredError, match=f" {name}, which the engine needs"):
        judge(build_filter([name], KILL, ALLOW))


def test_thread_that_cannot_be_entered_is_passed_over() -> None:
    """Its handlers may run; the engine starts elsewhere, and keeps within every thread's filter."""
    strict = build_filter(["socket", "timer_create"], KILL, ALLOW)
    threads = [FilteredThread(7, (strict,)), FilteredThread(8, ()), FilteredThread(9, ())]
    verdict = judge_threads(7, MINOR, threads)
    assert verdict.threads == (8, 9)
    assert verdict.calls == sum(BITS.values()) - BITS["TIMER"]


def test_handlers_must_be_possible_everywhere() -> None:
    strict = build_filter(["rt_sigreturn"], KILL, ALLOW)
    with pytest.raises(FilteredError, match="rt_sigreturn"):
        judge_threads(7, MINOR, [FilteredThread(7, (strict,)), FilteredThread(8, ())])
