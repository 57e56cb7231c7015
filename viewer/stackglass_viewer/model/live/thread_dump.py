"""Dump of threads, tasks and greenlets, named with the definitions of a live session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from stackglass.threads.report import DumpedProcess, Report, build_report
from stackglass.threads.session import Dump
from stackglass.wire import messages, thread_dump
from stackglass.wire.definitions import Line
from stackglass_viewer.model.live.line_names import names_of_capture
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.proto import wire_pb2

ListAsleep = Callable[[int, Iterable[int]], Mapping[int, int]]
"""``(mono_ns, tids)`` -> ``{tid: ns}``: how long, at least, each thread had not run at ``mono_ns``.
Threads without a known time are left out."""


class _Names:
    """The strings and stacks that the columns of a dump refer to. Not thread-safe."""

    def __init__(self, tables: DefinitionColumns) -> None:
        self._tables = tables
        self._names = names_of_capture(tables)
        self._lines: dict[int, Line] = {}  # by location
        self.strings = tables.strings
        self.n_nodes = len(tables.node_parent)

    def list_lines(self, node: int) -> tuple[Line, ...]:
        """Return the lines of a stack, leaf first."""
        lines = []
        while node > 0:
            at = int(self._tables.node_location[node])
            if at not in self._lines:
                self._lines[at] = Line(*self._names.name_line(at))
            lines.append(self._lines[at])
            node = int(self._tables.node_parent[node])
        return tuple(lines)

    def list_labels(self, _label_set: int) -> list[tuple[str, str]]:
        """Return no labels: the rows do not show any."""
        return []


def build_thread_report(
    dump: wire_pb2.ThreadDump, tables: DefinitionColumns, pid: int, list_asleep: ListAsleep
) -> Report:
    """Return the dump with all references resolved. Raises WireError if it refers to something
    undefined. Any thread."""
    names = _Names(tables)
    fields = messages.ThreadDump._fields
    rows = messages.ThreadDump(*(getattr(dump, field) for field in fields))
    thread_dump.check(rows, names)
    asleep_ns = list_asleep(rows.time_mono_ns, rows.thread_tid)
    return build_report(Dump(rows, names, messages.Ready()), DumpedProcess(pid, "", asleep_ns))
