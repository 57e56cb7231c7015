"""Messages of an engine's session, made from stacks as text: ``"main;serve;parse"``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from native import _core_testing as core
from stackglass.wire import tags


class TextSample(NamedTuple):
    """One row: a stack, root first, its thread and its values."""

    stack: str
    n_samples: int = 1
    cpu_ns: int = 10_000_000
    tid: int = 1


class WireSession:
    """Interns as an engine does: it sends each name and stack once, and then refers to its id."""

    def __init__(self) -> None:
        self._strings: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._nodes: dict[str, int] = {}
        self._new: dict[int, list[int]] = {}
        self._new_strings: list[str] = []
        self._string("")
        self._nodes[""] = 0
        self._define(tags.Batch.NODE_PARENT, 0)
        self._define(tags.Batch.NODE_LOCATION, 0)

    def hello(self, protocol: int = tags.PROTOCOL_VERSION) -> bytes:
        field = tags.Hello
        return message(
            tags.FromEngine.HELLO,
            core.encode_int(field.PROTOCOL, protocol)
            + core.encode_bytes(field.ENGINE_VERSION, b"0.1.0")
            + core.encode_int(field.PID, 7),
        )

    def ready(self, mono_ns: int = 10**9, unix_ns: int = 1_700_000_000 * 10**9) -> bytes:
        field = tags.Ready
        return message(
            tags.FromEngine.READY,
            core.encode_bytes(field.PYTHON_VERSION, b"3.13.0")
            + core.encode_bytes(field.EXECUTABLE, b"/usr/bin/python3.13")
            + core.encode_strings(field.ARGV, ["prog.py", "--loud"])
            + core.encode_int(field.TIME_UNIX_NS, unix_ns)
            + core.encode_int(field.TIME_MONO_NS, mono_ns)
            + core.encode_bytes(field.CLOCK, b"perf"),
        )

    def batch(self, samples: Iterable[TextSample], names: dict[int, str] | None = None) -> bytes:
        """Encode a batch of samples with the definitions that they need, and names of threads."""
        columns: list[list[int]] = [[], [], [], [], [], []]
        for sample in samples:
            row = (self._node(sample.stack), sample.tid, 0, 3, sample.n_samples, sample.cpu_ns)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
        for tid, name in (names or {}).items():
            self._define(tags.Batch.THREAD_TID, tid)
            self._define(tags.Batch.THREAD_NAME, self._string(name))
        content = core.encode_strings(tags.Batch.STRINGS, self._new_strings)
        for number, values in self._new.items():
            content += packed(number, values)
        for number, values in zip(range(tags.Batch.SAMPLE_NODE, 26), columns, strict=True):
            content += packed(number, values)
        self._new, self._new_strings = {}, []
        return message(tags.FromEngine.BATCH, content)

    def stacks(self, stacks: Iterable[str]) -> tuple[bytes, dict[str, int]]:
        """Encode a batch with a sample of each stack. Returns it, and the nodes of the stacks."""
        reported = list(dict.fromkeys(stacks))
        content = self.batch([TextSample(stack) for stack in reported])
        return content, {stack: self._node(stack) for stack in reported}

    def status(
        self,
        mono_ns: int,
        n_samples: int = 0,
        n_lost: int = 0,
        process_cpu_ns: int = 0,
        cpu_hz: int = 100,
    ) -> bytes:
        field = tags.Status
        return message(
            tags.FromEngine.STATUS,
            core.encode_int(field.TIME_MONO_NS, mono_ns)
            + core.encode_int(field.CPU_HZ, cpu_hz)
            + core.encode_int(field.N_SAMPLES, n_samples)
            + core.encode_int(field.N_LOST, n_lost)
            + core.encode_int(field.PROCESS_CPU_NS, process_cpu_ns),
        )

    def bye(self, reason: str = "") -> bytes:
        content = core.encode_bytes(tags.Bye.REASON, reason.encode()) if reason else b""
        return message(tags.FromEngine.BYE, content)

    def find_node(self, stack: str) -> int:
        """Return the number of a stack, which a batch defines."""
        return self._node(stack)

    def find_string(self, text: str) -> int:
        """Return the number of a text, which a batch defines."""
        return self._string(text)

    def define_labels(self, *labels: tuple[str, str]) -> None:
        """Define label sets 1, 2, … of one label each; a batch must follow."""
        for at, (key, value) in enumerate(labels, 1):
            self._define(tags.Batch.LABEL_SET, at)
            self._define(tags.Batch.LABEL_KEY, self._string(key))
            self._define(tags.Batch.LABEL_VALUE, self._string(value))

    def _define(self, number: int, value: int) -> None:
        self._new.setdefault(number, []).append(value)

    def _string(self, text: str) -> int:
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            self._new_strings.append(text)
        return self._strings[text]

    def _function(self, name: str) -> int:
        """Return the number of a function, which is also the number of its only location."""
        if name not in self._functions:
            self._functions[name] = len(self._functions)
            self._define(tags.Batch.FUNCTION_NAME, self._string(name))
            self._define(tags.Batch.FUNCTION_SYSTEM_NAME, self._string(name))
            self._define(tags.Batch.FUNCTION_FILENAME, self._string(f"{name}.py"))
            self._define(tags.Batch.FUNCTION_START_LINE, 3)
            self._define(tags.Batch.LOCATION_FUNCTION, self._functions[name])
            self._define(tags.Batch.LOCATION_LINE, 5)
        return self._functions[name]

    def _node(self, stack: str) -> int:
        if stack not in self._nodes:
            parent, _, name = stack.rpartition(";")
            parent_node, location = self._node(parent), self._function(name)
            self._nodes[stack] = len(self._nodes)
            self._define(tags.Batch.NODE_PARENT, parent_node)
            self._define(tags.Batch.NODE_LOCATION, location)
        return self._nodes[stack]


def message(number: int, content: bytes) -> bytes:
    """Encode a FromEngine message without a frame."""
    return core.encode_bytes(number, content)


def packed(number: int, values: Iterable[int]) -> bytes:
    return core.encode_packed(number, array("Q", values).tobytes())
