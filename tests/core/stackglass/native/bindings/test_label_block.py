"""Label blocks in the Python under test: what `with`, its methods and calls of a block do."""

from __future__ import annotations

import contextvars
import gc
import importlib.util
import weakref

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python
from native import _core_testing as core

N_BLOCKS = 10_000


@each_python
def test_a_block_is_entered_and_left_in_every_way(python: Python) -> None:
    """By its methods, the type's and a stack of contexts; and it leaves nothing behind."""
    reported = run_probe(python, "labels/blocks.py")
    kept = {"way": "kept"}
    assert reported["by_hand"] == [None, {"way": "hand"}, None, {}]
    assert reported["by_kept_methods"] == [None, kept, None, {}] * 2
    assert reported["by_type"] == [None, {"way": "type"}, None, {}]
    assert reported["by_stack"] == [{"n0": "0", "n1": "1", "n2": "2"}, {}]
    assert reported["error"] == ["passes", {}]
    assert reported["decorated"] == [{"way": "decorated"}, {"way": "unpacked"}]
    refused, calls, left = reported["wrong"]
    assert (refused, left) == (calls, {})
    assert reported["is_collected"]
    memory_blocks, *references = reported["kept"]
    assert memory_blocks < N_BLOCKS / 10
    assert references == [0, 0]


@each_python
def test_blocks_are_made_by_labels_alone(python: Python) -> None:
    """A block or a method that its type makes would be empty, and crash the program."""
    assert run_probe(python, "labels/blocks.py")["n_refused"] == 4


@each_python
def test_a_block_is_its_own_method_where_with_would_bind_one(python: Python) -> None:
    """Up to 3.13. Later versions call the method of the type, and that is cheaper there."""
    is_its_own = run_probe(python, "labels/blocks.py")["is_its_own_method"]
    assert is_its_own == (python.minor < 14)


@each_python
def test_interpreters_have_blocks_of_their_own(python: Python) -> None:
    """They come and go while the main interpreter is in a block; the last ends in one."""
    reported = run_probe(python, "labels/interpreters.py")
    assert reported["seen"] == [[None, {"route": "main", "n": str(n)}] for n in range(5)]
    assert reported["after"] == {}


def test_a_module_that_ends_leaves_nothing_behind() -> None:
    """At the end of an interpreter it may go without the collector, which would clear it."""
    spec = core.__spec__
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def add() -> None: ...

    kept = weakref.ref(add)
    module.make_label_block(contextvars.ContextVar("labels"), {}, add, print)
    del add
    gc.collect()  # the type of the blocks, which refers to the module
    gc.disable()
    try:
        vars(module).clear()
        del module
        assert kept() is None
    finally:
        gc.enable()
