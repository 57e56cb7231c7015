"""A thread in the hook of thread starts while the engine leaves: SO. What of the engine is there
then, and what does a hook record that comes too late?"""

import threading

from sampler import core, report


def code():
    pass


def number():
    """Of a code object; below 128 if there is no table."""
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

core.creations_record(ident)  # read before the close, and called after it
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
