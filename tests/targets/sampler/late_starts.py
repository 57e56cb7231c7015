"""A thread in the hook of thread starts while the engine leaves: SO. Reports which parts of the
engine still exist, and what a late call of the hook records."""

import threading

from sampler import core, report


def code():
    pass


def number():
    """Return the number of a code object, which is below 128 without a table."""
    return core.code_id(code.__code__)


ident = threading.get_ident()
core.cpu_prepare()
core.creations_open()
core.creations_record(ident)
recorded = core.creations_take()

is_inside = core.creations_enter()
core.creations_close()  # waits for it in vain
core.cpu_unprepare()
has_table = number() >= 128
core.creations_leave()

core.creations_record(ident)  # as a hook that was read before the close
core.cpu_prepare()
core.creations_open()
late = core.creations_take()
core.creations_close()
core.cpu_unprepare()
report(
    recorded=recorded,
    is_inside=is_inside,
    has_table=has_table,
    late=late,
    has_table_afterwards=number() >= 128,
)
