"""Search for primitives of modules while a module is still loading: SO."""

import sys
import types
from functools import partial

from contention import BLOCK, PRIMITIVES, Contention, core, report

NAME = "concurrent.futures._base"
# A partial has no frame, so the primitive itself calls the recording function.
note = partial(core.contention_note_wait, BLOCK, PRIMITIVES["Lock.acquire"], 0x1000, 10)


def as_completed():
    note()


def wait():
    note()


def wait_in_wait():
    wait()


def read_top(session):
    """Return the frames of the only new wait, up to the program's frame."""
    wait_in_wait()
    (row,) = session.read(only_changed=True)
    return row.names[: row.names.index("wait_in_wait") + 1]


loading = types.ModuleType(NAME)
with Contention() as session:
    sys.modules[NAME] = loading
    loading.as_completed = as_completed
    core.contention_learn()
    before = read_top(session)
    loading.wait = wait
    core.contention_learn()
    after = read_top(session)
report(before=before, after=after)
