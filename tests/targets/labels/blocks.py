"""Labelled blocks, entered and left in every way, and the state after them."""

import contextlib
import contextvars
import gc
import sys
import weakref
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

from probe import report

import stackglass

read = stackglass.current_labels
Block = type(stackglass.labels())


def count_refusals():
    """Make blocks and methods of blocks by their types, which must fail: they would be empty."""
    n_refused = 0
    method_type = type(vars(Block)["__enter__"])
    for make in (Block, lambda: object.__new__(Block), lambda: Block.__new__(Block), method_type):
        try:
            make()
        except TypeError:
            n_refused += 1
    return n_refused


def enter_by_hand():
    block = stackglass.labels(way="hand")
    seen = [block.__enter__(), read()]
    return [*seen, block.__exit__(None, None, None), read()]


def enter_by_kept_methods():
    """Enter a block by kept bound methods, which must stay usable."""
    block = stackglass.labels(way="kept")
    enter, leave = block.__enter__, block.__exit__
    seen = []
    for _ in range(2):
        seen += [enter(), read(), leave(None, None, None), read()]
    return seen


def enter_by_type():
    block = stackglass.labels(way="type")
    seen = [Block.__enter__(block), read()]
    return [*seen, Block.__exit__(block, None, None, None), read()]


def enter_by_stack():
    with contextlib.ExitStack() as stack:
        for n in range(3):
            stack.enter_context(stackglass.labels(**{f"n{n}": n}))
        seen = [read()]
    return [*seen, read()]


def raise_inside():
    try:
        with stackglass.labels(way="error"):
            raise KeyError("passes")
    except KeyError as error:
        return [error.args[0], read()]


def call_wrongly():
    """Return which of these calls raise TypeError."""
    fresh, used = stackglass.labels(n=1), stackglass.labels(n=2)
    with used:
        pass
    calls = {
        "fresh": fresh,
        "error of fresh": lambda: fresh(None, None, None),
        "two": lambda: used(None, None),
        "four": lambda: used(None, None, None, None),
        "named": lambda: used(function=len),
        "named error": lambda: used(None, None, error=None),
        "unpacked": lambda: used(*(1, 2), **{"function": len}),
        "of another type": lambda: vars(Block)["__enter__"].__get__(1.5),
        "method of another": lambda: Block.__enter__(1.5),
    }
    refused = []
    for name, call in calls.items():
        try:
            call()
        except TypeError:
            refused.append(name)
    return [refused, list(calls), read()]


def decorate():
    block = stackglass.labels(way="decorated")
    function = block(read)
    with block:
        return [function(), stackglass.labels(way="unpacked")(*(read,))()]


class Owner:
    pass


def suspend(variable, owner):
    variable.set(owner)
    with stackglass.labels(way="suspended"):
        yield


def collect_suspended():
    """Collect a block that never ends, in a context that refers to it."""
    owner = Owner()
    owner.generator = suspend(contextvars.ContextVar("owner"), owner)
    contextvars.Context().run(next, owner.generator)
    watched = weakref.ref(owner)
    del owner
    gc.collect()
    return watched() is None


def count_kept():
    """Return memory and references that remain after thousands of blocks."""
    value = "a value of its own"

    def run(n):
        for _ in range(n):
            with stackglass.labels(route=value):
                pass
            with contextlib.suppress(KeyError), stackglass.labels(route=value, n=1):
                raise KeyError
            Block.__enter__(block), block.__exit__(None, None, None)

    block = stackglass.labels(route=value)
    run(100)
    gc.collect()
    counted = sys.getallocatedblocks(), sys.getrefcount(value), sys.getrefcount(Block)
    run(10_000)
    gc.collect()
    after = sys.getallocatedblocks(), sys.getrefcount(value), sys.getrefcount(Block)
    return [now - before for now, before in zip(after, counted)]


probe = stackglass.labels(n=1)
report(
    n_refused=count_refusals(),
    by_hand=enter_by_hand(),
    by_kept_methods=enter_by_kept_methods(),
    by_type=enter_by_type(),
    by_stack=enter_by_stack(),
    error=raise_inside(),
    wrong=call_wrongly(),
    decorated=decorate(),
    is_collected=collect_suspended(),
    kept=count_kept(),
    is_its_own_method=probe.__enter__ is probe and probe.__exit__ is probe,
)
