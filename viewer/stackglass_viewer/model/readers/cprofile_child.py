"""Throw-away process that reads marshal from standard input and writes columns to standard output.

It runs as a script, without site and without this package. ``marshal`` is not safe for hostile
input: it may crash this process or use up its CPU time and memory, but no more. The memory is
limited to what the file can fill, because a file of 71 bytes can claim two billion items.

The answer is a line of JSON, ``{"texts": {name: […]}, "numbers": {name: count}}``, followed by the
columns of numbers, 64-bit integers in native byte order; or it is ``{"error": "…"}``.
"""

from __future__ import annotations

import json
import marshal
import os
import resource
import sys
from array import array
from typing import Any

_NS = 1_000_000_000
_SPARE_BYTES = 48 << 20
_BYTES_PER_BYTE = 40  # an empty dictionary takes two bytes in a file, and 64 in memory
_MAX_CPU_S = 100
_MAX_INT = 2**63 - 1
_TEXTS = ("file", "name")
_EDGE = ("caller", "callee", "n_calls", "n_primitive_calls", "own_ns", "total_ns")


class _MalformedError(Exception):
    """The input is not the dictionary that cProfile writes."""


def _limit(n_bytes: int) -> None:
    """Limit this process's memory and CPU time, for a file of ``n_bytes``."""
    with open("/proc/self/statm") as file:
        used_bytes = int(file.read().split()[0]) * resource.getpagesize()
    for what, most in (
        (resource.RLIMIT_AS, used_bytes + _SPARE_BYTES + _BYTES_PER_BYTE * n_bytes),
        (resource.RLIMIT_CPU, _MAX_CPU_S),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _to_ns(seconds: Any) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise _MalformedError("a time that is not a number")
    if not abs(seconds) < 9e9:  # also refuses NaN
        raise _MalformedError("a time that is out of range")
    rounded: int = round(seconds * _NS)
    return rounded


def _to_count(value: Any) -> int:
    """Check a count; −1 = unknown, in files of a sampling profiler."""
    if isinstance(value, bool) or not isinstance(value, int) or not -1 <= value <= _MAX_INT:
        raise _MalformedError("an invalid count")
    count: int = value
    return count


def _is_function(key: Any) -> bool:
    return (
        isinstance(key, tuple)
        and len(key) == 3
        and isinstance(key[0], str)
        and isinstance(key[1], int)
        and isinstance(key[2], str)
    )


def tabulate(stats: Any) -> dict[str, Any]:
    """Return columns of functions and of edges. A caller without a row gets a row of zeros."""
    if not isinstance(stats, dict):
        raise _MalformedError("no dictionary")
    names = ("file", "name", "line", "n_calls", "n_primitive_calls", "own_ns", "total_ns")
    table: dict[str, Any] = {name: [] if name in _TEXTS else array("q") for name in names}
    table.update({f"edge_{name}": array("q") for name in _EDGE})
    # The key ("__sampled__",) marks files of the sampling profiler; it is not a function.
    rows = {key: row for key, row in stats.items() if key != ("__sampled__",)}
    number: dict[Any, int] = {}

    def add_function(key: Any, calls: int, primitive: int, own: Any, total: Any) -> None:
        if not _is_function(key):
            raise _MalformedError("a function without file, line and name")
        if (calls == -1) != (primitive == -1):
            raise _MalformedError("an invalid count")
        number[key] = len(number)
        file, line, name = key
        fields = (
            file,
            name,
            line if 0 <= line < 2**31 else 0,
            _to_count(calls),
            _to_count(primitive),
            _to_ns(own),
            _to_ns(total),
        )
        for column, value in zip(names, fields):  # noqa: B905  runs on any Python 3
            table[column].append(value)

    for key, row in rows.items():
        if not isinstance(row, tuple) or len(row) != 5 or not isinstance(row[4], dict):
            raise _MalformedError("a row that is not (calls, calls, time, time, callers)")
        add_function(key, row[1], row[0], row[2], row[3])
    for key, row in rows.items():
        for caller, edge in row[4].items():
            if caller not in number:
                add_function(caller, 0, 0, 0, 0)
            # In old files, an edge is only a count of calls, without times.
            fields = edge if isinstance(edge, tuple) and len(edge) == 4 else None
            if fields is None:
                values = (_to_count(edge), _to_count(edge), -1, -1)
            else:
                # cProfile writes (all calls, primitive calls, …) for an edge, but
                # (primitive calls, all calls, …) for a function.
                values = (
                    _to_count(fields[0]),
                    _to_count(fields[1]),
                    _to_ns(fields[2]),
                    _to_ns(fields[3]),
                )
            for name, value in zip(_EDGE, (number[caller], number[key], *values)):  # noqa: B905
                table[f"edge_{name}"].append(value)
    return table


def main() -> int:
    """Write the table, or an error that the user can understand. Returns the exit status; other
    exceptions end the process."""
    _limit(os.fstat(sys.stdin.fileno()).st_size)
    try:
        table = tabulate(marshal.loads(sys.stdin.buffer.read()))
    except (EOFError, ValueError, TypeError):
        return 1
    except MemoryError:
        return _refuse(
            "it begins like a cProfile file, but is damaged: it needs more memory than "
            "such a file can fill"
        )
    except _MalformedError as error:
        return _refuse(f"it begins like a cProfile file, but has {error}")
    texts = {name: table[name] for name in _TEXTS}
    numbers = {name: column for name, column in table.items() if name not in _TEXTS}
    counts = {name: len(column) for name, column in numbers.items()}
    out = sys.stdout.buffer
    out.write(json.dumps({"texts": texts, "numbers": counts}).encode() + b"\n")
    for column in numbers.values():
        out.write(column)
    out.flush()
    return 0


def _refuse(reason: str) -> int:
    sys.stdout.write(json.dumps({"error": reason}) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
