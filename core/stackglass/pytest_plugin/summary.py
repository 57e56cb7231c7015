"""Summary of the profiles on pytest's terminal: the costly tests, and their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def format_sections(
    measured: Sequence[Mapping[str, Any]], folder: str, n_rows: int
) -> Iterator[tuple[str, list[str]]]:
    """Yield title and lines of each section. ``measured`` has the fields of ``recorder.Measured``;
    ``n_rows`` 0 = all tests."""
    if not measured:
        return
    limit = n_rows or len(measured)
    slowest = sorted(measured, key=lambda row: -row["elapsed_ns"])[:limit]
    yield (
        f"stackglass: slowest tests (files in {folder})",
        [" elapsed      CPU", *(_format_time(row) for row in slowest)],
    )
    with_heap = [row for row in measured if row["allocated_bytes"] >= 0]
    if with_heap:
        largest = sorted(with_heap, key=lambda row: -row["allocated_bytes"])[:limit]
        yield (
            "stackglass: most allocating tests",
            [f"{_format_bytes(row['allocated_bytes']):>11}  {row['test']}" for row in largest],
        )
    problems: dict[str, list[str]] = {}
    for row in measured:
        if row["problem"]:
            problems.setdefault(row["problem"], []).append(row["test"])
    if problems:
        yield "stackglass: not recorded", [_format_problem(*each) for each in problems.items()]


def _format_time(row: Mapping[str, Any]) -> str:
    files = _format_files(row["files"])
    return f"{row['elapsed_ns'] / 1e9:6.2f} s {row['cpu_ns'] / 1e9:6.2f} s  {row['test']}" + (
        f"  {files}" if files else ""
    )


def _format_files(files: Sequence[str]) -> str:
    """Return file names as a shell expands them: ``a.{cpu,heap}.pb.gz`` is ``a.cpu.pb.gz`` and
    ``a.heap.pb.gz``."""
    if len(files) < 2:
        return "".join(files)
    names = [name.rsplit(".", 3) for name in files]  # test, profile, pb, gz
    return f"{names[0][0]}.{{{','.join(name[1] for name in names)}}}.pb.gz"


def _format_problem(problem: str, tests: Sequence[str]) -> str:
    n_more = len(tests) - 1
    return f"{tests[0]}{f' and {n_more} more' if n_more else ''}: {problem}"


def _format_bytes(size: float) -> str:
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
