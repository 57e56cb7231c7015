"""Context variables and label sets, read by the engine and compared with Python's values."""

import contextvars
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

from probe import load_core, report

import stackglass
from stackglass.api import labels

core = load_core()
UNSET, FOUND, UNREADABLE = range(3)
problem = core.contextvars_prepare()
wrong = []


def compare(variables):
    """Return each variable as Python sees it and as the engine reads it."""
    for variable in variables:
        value = variable.get(None)
        result, address = core.contextvars_find(variable)
        if (result, address) != ((UNSET, 0) if value is None else (FOUND, id(value))):
            wrong.append([variable.name, result, address])


def grow(n):
    """Check contexts of every size up to n, with variables set, changed and reset."""
    variables = [contextvars.ContextVar(f"variable {i}") for i in range(n)]
    tokens = []
    for i, variable in enumerate(variables):
        tokens.append(variable.set(object()))
        compare(variables[i // 2 : i + 2])
    variables[0].set(object())
    compare(variables)
    for variable, token in zip(variables[1::2], tokens[1::2]):
        variable.reset(token)
    compare(variables)
    contextvars.Context().run(compare, variables)


class Name(str):
    """A name with a chosen hash."""

    __slots__ = ()
    chosen = 0

    def __hash__(self):
        return self.chosen


def make_equal_hashes():
    """Make two variables with one hash, which depends on the name's hash and on the address: a
    freed variable's address is used again. Returns None if that does not happen."""
    first = contextvars.ContextVar(Name("first"))
    for _ in range(10_000):
        probe = contextvars.ContextVar(Name("probe"))
        address, pointer_hash = id(probe), hash(probe)
        del probe
        Name.chosen = pointer_hash ^ hash(first)
        second = contextvars.ContextVar(Name("second"))
        Name.chosen = 0
        if id(second) == address and hash(second) == hash(first):
            return first, second
        del second
    return None


def meet_equal_hashes():
    pair = make_equal_hashes()
    if pair is None:
        return []
    for variable in pair:
        variable.set(object())
    return [core.contextvars_find(variable)[0] for variable in pair]


def read_labels():
    seen = {"before": core.labels_learn()}
    with stackglass.labels(route="/a", n=3):
        seen["learned"] = core.labels_learn()
        seen["inside"] = core.labels_read()
        with stackglass.labels(route="/b"):
            seen["nested"] = core.labels_read()
        seen["after nested"] = core.labels_read()
        seen["other context"] = contextvars.Context().run(core.labels_read)
        seen["copied context"] = contextvars.copy_context().run(core.labels_read)
        inherited = []
        thread = threading.Thread(target=lambda: inherited.append(core.labels_read()))
        thread.start()
        thread.join()
        seen["thread"] = inherited[0]
    seen["outside"] = core.labels_read()
    token = labels._current.set(1.0)  # a float, but no label set
    seen["foreign value"] = core.labels_read()
    labels._current.reset(token)
    seen["definitions"] = core.labels_copy(0)
    labels._sets[2].pairs = (("n", "3"), ("route", None))  # the copy fails at the second label
    seen["incomplete definitions"] = core.labels_copy(0)
    core.labels_forget()
    with stackglass.labels(route="/a"):
        seen["forgotten"] = core.labels_read()
    return seen


for size in (1, 15, 16, 17, 40, 300):
    contextvars.Context().run(grow, size)
equal = contextvars.Context().run(meet_equal_hashes)
report(problem=problem, wrong=wrong, equal=equal, labels=read_labels())
