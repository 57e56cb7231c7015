"""Inheritance of labels where Python copies no context: new threads, and items of thread pools.

A thread has the labels that its creator had when it started the thread. A pool's worker has the
labels of the item's submitter while it runs an item, and none when it is idle.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_T = TypeVar("_T")
_SAVED = "_stackglass_labels"
_HAS_CONTEXT = sys.version_info >= (3, 14)  # a thread runs in a context of its own


def inherit_labels(variable: contextvars.ContextVar[_T], none: _T) -> None:
    """Wrap the start of threads and the submission to pools; ``none`` is the value without labels.

    Called once, before the program's first labels. The wrappers stay until the program ends.
    """
    _wrap_threads(variable, none)
    _wrap_pools(variable, none)


def _wrap_threads(variable: contextvars.ContextVar[_T], none: _T) -> None:
    start: Callable[[threading.Thread], None] = threading.Thread.start

    def start_with_labels(self: threading.Thread) -> None:
        value = variable.get()
        if value is not none:
            if _HAS_CONTEXT and getattr(self, "_context", self) is None:
                _prepare_context(self, variable, value)
            elif not _HAS_CONTEXT:
                self.__dict__[_SAVED] = value
        start(self)

    start_with_labels.__doc__ = start.__doc__
    setattr(threading.Thread, "start", start_with_labels)  # noqa: B010 - mypy forbids the plain one
    if not _HAS_CONTEXT:
        _wrap_beginnings(variable, none)


def _wrap_beginnings(variable: contextvars.ContextVar[_T], none: _T) -> None:
    """Wrap ``_set_ident``, which a new thread calls first. Wrapping ``run`` would add a frame to
    the thread's stack."""
    set_ident: Callable[[threading.Thread], None] = getattr(  # noqa: B009 - mypy does not know it
        threading.Thread, "_set_ident"
    )

    def begin_with_labels(self: threading.Thread) -> None:
        value = self.__dict__.pop(_SAVED, none)
        if value is not none:
            variable.set(value)
        set_ident(self)

    setattr(threading.Thread, "_set_ident", begin_with_labels)  # noqa: B010 - as above


def _prepare_context(
    thread: threading.Thread, variable: contextvars.ContextVar[_T], value: _T
) -> None:
    """Give the thread the context that ``start`` would give it, with labels added."""
    is_inherited = getattr(sys.flags, "thread_inherit_context", False)
    context = contextvars.copy_context() if is_inherited else contextvars.Context()
    context.run(variable.set, value)
    thread.__dict__["_context"] = context


def _wrap_pools(variable: contextvars.ContextVar[_T], none: _T) -> None:
    try:
        pools = concurrent.futures.ThreadPoolExecutor  # imports the module of thread pools
    except RuntimeError:
        return  # the main thread has ended: Python refuses to import it now, so there is no pool
    submit = pools.submit

    def submit_with_labels(
        self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        value = variable.get()
        if value is none or _is_of_interpreters(self):
            return submit(self, fn, *args, **kwargs)
        token = variable.set(none)  # submit may start a worker, which serves other items, too
        try:
            return submit(self, _Labelled(variable, value, fn), *args, **kwargs)
        finally:
            variable.reset(token)

    submit_with_labels.__doc__ = submit.__doc__
    setattr(pools, "submit", submit_with_labels)  # noqa: B010 - as above


def _is_of_interpreters(pool: ThreadPoolExecutor) -> bool:
    """Whether items of the pool run in other interpreters (3.14), where our labels do not exist."""
    module = sys.modules.get("concurrent.futures.interpreter")
    return module is not None and isinstance(pool, module.InterpreterPoolExecutor)


class _Labelled:
    """A function that runs with labels."""

    __slots__ = ("_function", "_value", "_variable")

    def __init__(
        self, variable: contextvars.ContextVar[_T], value: _T, function: Callable[..., Any]
    ) -> None:
        self._variable: contextvars.ContextVar[Any] = variable
        self._value = value
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        token = self._variable.set(self._value)
        try:
            return self._function(*args, **kwargs)
        finally:
            self._variable.reset(token)
