"""Memory sink: where a recording's memory trace goes, a file or a flight recorder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from stackglass.attach.client import Connection
from stackglass.clock import SYSTEM_CLOCK
from stackglass.record import report
from stackglass.record.flight_recording import FlightRecording
from stackglass.record.memory_file import MemoryFile
from stackglass.record.plan import Plan


@contextlib.contextmanager
def open_memory(
    plan: Plan, connection: Connection
) -> Iterator[MemoryFile | FlightRecording | None]:
    """The sink of the plan's memory trace, closed afterwards; None if it has none."""
    if plan.memory is None:
        yield None
    elif plan.window is not None:
        path = plan.memory.path
        with FlightRecording(path, plan.window, connection, SYSTEM_CLOCK, report.say) as flight:
            yield flight
    else:
        with MemoryFile(plan.memory.path) as file:
            yield file
