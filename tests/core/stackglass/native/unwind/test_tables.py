"""Unwind tables of this process: every loaded object, and a map that readers are inside of."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pytest

from harness.compiled import compile_library
from native import _core_testing


@pytest.fixture(autouse=True)
def _tables() -> Iterator[None]:
    yield
    assert _core_testing.unwind_close()


def address_of(function: Callable[..., object]) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert address is not None
    return address


def test_functions_begin_with_the_frame_that_their_caller_leaves() -> None:
    n_objects, _, n_rules, n_rows, n_bytes = _core_testing.unwind_build()
    assert n_objects >= 3
    assert n_rows > 10_000
    assert n_rules < n_rows / 10
    assert n_bytes >= 6 * n_rows
    libc = ctypes.CDLL(None)
    for name in ("qsort", "malloc", "printf", "PyObject_Repr"):
        assert _core_testing.unwind_rule(address_of(libc[name])) == ("sp", 0, 8, 0, "same", 0)


@pytest.mark.parametrize("address", [0, 1, 4096, 2**47 - 1, 2**47, 2**64 - 1])
def test_addresses_outside_of_code_have_no_rule(address: int) -> None:
    _core_testing.unwind_build()
    rule = _core_testing.unwind_rule(address)
    assert rule is not None
    assert rule[0] == "unknown"


def test_a_map_is_not_freed_while_a_reader_is_inside() -> None:
    _core_testing.unwind_build()
    assert _core_testing.unwind_enter()
    assert not _core_testing.unwind_close()
    _core_testing.unwind_leave()
    assert _core_testing.unwind_close()
    assert not _core_testing.unwind_enter()


def test_a_map_that_a_reader_kept_is_there_for_the_next_session() -> None:
    """Nothing has to be built again, so nothing else would publish it."""
    n_objects = _core_testing.unwind_build()[0]
    assert _core_testing.unwind_enter()
    assert not _core_testing.unwind_close()
    _core_testing.unwind_leave()
    assert _core_testing.unwind_build()[0] == n_objects
    assert _core_testing.unwind_enter()
    _core_testing.unwind_leave()


def test_a_library_has_rows_from_its_loading_to_its_unloading() -> None:
    path = compile_library("native_stacks/work.c")
    n_before = _core_testing.unwind_build()[0]
    library = ctypes.CDLL(path)
    address = address_of(library.plain_spin)
    assert _core_testing.unwind_build()[0] == n_before + 1
    assert _core_testing.unwind_rule(address) == ("sp", 0, 8, 0, "same", 0)
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    assert close(library._handle) == 0
    assert _core_testing.unwind_build()[0] == n_before
    rule = _core_testing.unwind_rule(address)
    assert rule is not None
    assert rule[0] == "unknown"


def test_a_child_that_is_forked_during_a_change_unmaps_nothing() -> None:
    """What it finds may be unmapped, and another thread may have mapped its own memory there."""
    n_forks, n_wrong = _core_testing.unwind_fork_inside(20)
    assert n_forks >= 20
    # Some forks come before the change of their call or after it: 0 to 4 were seen. If changes were
    # not noticed, it would be all.
    assert n_wrong < n_forks / 2


def test_a_child_that_is_forked_between_changes_frees_the_tables() -> None:
    assert _core_testing.unwind_fork_between() > 100
