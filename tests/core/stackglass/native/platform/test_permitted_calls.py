"""Which system calls the engine may make where its filters cannot be read for a while."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from native import _core_testing as core

NOT_GIVEN, NONE, ALL = -1, 0, 127
SOME = 5


@contextmanager
def no_free_descriptor() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(autouse=True)
def _begin_anew() -> Iterator[None]:
    yield
    core.calls_begin(NOT_GIVEN)


def test_without_a_descriptor_nothing_is_permitted_for_as_long() -> None:
    """The filters may be others by now."""
    core.calls_begin(SOME)
    for _ in range(2):
        with no_free_descriptor():
            assert core.calls_permitted() == SOME
            core.calls_check()
            assert core.calls_permitted() == NONE
        assert core.calls_permitted() == NONE
        core.calls_check()
        assert core.calls_permitted() == SOME


def test_filters_that_could_not_be_read_at_the_begin_are_read_later() -> None:
    without_filter = ALL if core.status_number("\nSeccomp:") == 0 else NONE
    with no_free_descriptor():
        core.calls_begin(NOT_GIVEN)
        assert core.calls_permitted() == NONE
        core.calls_check()
        assert core.calls_permitted() == NONE
    core.calls_check()
    assert core.calls_permitted() == without_filter


def test_what_the_attacher_permits_counts_until_a_filter_may_have_come() -> None:
    """It has just read the filters; after the first check in vain, only none is certain."""
    without_filter = SOME if core.status_number("\nSeccomp:") == 0 else NONE
    with no_free_descriptor():
        core.calls_begin(SOME)
        assert core.calls_permitted() == SOME
        core.calls_check()
        assert core.calls_permitted() == NONE
    core.calls_check()
    assert core.calls_permitted() == without_filter
