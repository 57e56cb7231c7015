"""The throw-away process that unmarshals: marshal on standard input, JSON on standard output.

Run as a file of its own, without site and without this package. ``marshal`` promises nothing on
hostile input, so all that it may do here is use up its own time and memory, and die.
"""

from __future__ import annotations

import json
import marshal
import resource
import sys
from typing import Any

_NS = 1_000_000_000
_MAX_MEMORY_BYTES = 4 << 30
_MAX_CPU_S = 100
_MAX_INT = 2**63 - 1
_EDGE = ("caller", "callee", "n_calls", "n_primitive_calls", "own_ns", "total_ns")


class _MalformedError(Exception):
    """Not the dictionary that cProfile writes."""


def _limit() -> None:
    for what, most in (
        (resource.RLIMIT_AS, _MAX_MEMORY_BYTES),
        (resource.RLIMIT_CPU, _MAX_CPU_S),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _to_ns(seconds: Any) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise _MalformedError("a time that is not a number")
    if not abs(seconds) < 9e9:  # also what is not a number at all
        raise _MalformedError("a time that is out of range")
    rounded: int = round(seconds * _NS)
    return rounded


def _to_count(value: Any) -> int:
    """−1 stands for a count that a sampling profiler does not have."""
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


def tabulate(stats: Any) -> dict[str, list[Any]]:
    """Columns of functions and of edges; a caller that has no row of its own gets an empty one."""
    if not isinstance(stats, dict):
        raise _MalformedError("no dictionary")
    names = ("file", "line", "name", "n_calls", "n_primitive_calls", "own_ns", "total_ns")
    table: dict[str, list[Any]] = {name: [] for name in names}
    table.update({f"edge_{name}": [] for name in _EDGE})
    # ("__sampled__",) marks files of the sampling profiler; it is no function.
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
            line if 0 <= line < 2**31 else 0,
            name,
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
            # Old files have a bare count of calls here, and no times.
            fields = edge if isinstance(edge, tuple) and len(edge) == 4 else None
            if fields is None:
                values = (_to_count(edge), _to_count(edge), -1, -1)
            else:
                # cProfile writes (all calls, primitive calls, …) here: the other way round
                # than in a function's own row.
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
    """Answer with the table, or with what is wrong; die of everything else."""
    _limit()
    try:
        answer: dict[str, Any] = tabulate(marshal.load(sys.stdin.buffer))
    except (EOFError, ValueError, TypeError):
        return 1
    except _MalformedError as error:
        answer = {"error": f"it begins like a cProfile file, but has {error}"}
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
