"""A memory trace that ends while a thread is inside one of its hooks, and the next one: SO."""

import time

from heap import core, report

refusal = core.cpu_prepare() or core.trace_begin(time.monotonic_ns())
assert refusal is None, refusal
core.trace_hold_lane(True)
is_discarded = core.trace_end()
is_settled = core.trace_settle()
while_busy = core.trace_begin(time.monotonic_ns())
core.trace_hold_lane(False)
settles = core.trace_settle()
afterwards = core.trace_begin(time.monotonic_ns())
twice = core.trace_begin(time.monotonic_ns())
is_ended = core.trace_end()
core.cpu_unprepare()
report(
    is_discarded=is_discarded,
    is_settled=is_settled,
    settles=settles,
    while_busy=while_busy,
    afterwards=afterwards,
    twice=twice,
    is_ended=is_ended,
)
