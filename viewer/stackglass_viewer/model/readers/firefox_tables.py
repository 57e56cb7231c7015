"""Tables of a thread in the Firefox Profiler's JSON, processed or Gecko's own, as one interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from stackglass_viewer.model.readers.sample_columns import Symbol, parse_symbol


class Tables(NamedTuple):
    """A thread with samples."""

    thread: str  # name; "" = unknown
    process: str
    stacks: Sequence[int | None]  # of samples
    weights: Sequence[float] | None
    weight_type: str
    times_ms: Sequence[float]  # at least one
    n_stacks: int
    find_prefix: Callable[[int], int | None]  # the stack of a stack's caller
    find_frame: Callable[[int], int]  # of a stack
    describe_frame: Callable[[int], Symbol]


def open_processed(document: dict[str, Any]) -> Iterator[Tables]:
    """The threads of a file that the profiler saved, or that others wrote for it."""
    shared = document.get("shared") or {}
    for thread in document["threads"]:
        samples = thread["samples"]
        if samples["stack"]:
            yield _open_thread({**shared, **thread}, samples)


def _open_thread(tables: dict[str, Any], samples: dict[str, Any]) -> Tables:
    stacks, frames, functions = (tables[f"{name}Table"] for name in ("stack", "frame", "func"))
    texts = tables.get("stringArray") or (tables.get("stringTable") or {}).get("_array")
    sources = (tables.get("sources") or {}).get("filename")

    def describe(frame: int) -> Symbol:
        function = _get(frames["func"], frame)
        lines = frames.get("line")
        source = _get(functions["source"], function) if "source" in functions else None
        if source is not None:
            file = _get(sources, source)
        else:
            file = _get(functions["fileName"], function) if "fileName" in functions else None
        return Symbol(
            str(_get(texts, _get(functions["name"], function))),
            "" if file is None else str(_get(texts, file)),
            _to_line(_get(lines, frame) if lines else None),
        )

    times = samples.get("time")
    if times is None:
        times = list(accumulate(samples.get("timeDeltas") or [0]))
    return Tables(
        thread=str(tables.get("name") or ""),
        process=str(tables.get("processName") or ""),
        stacks=samples["stack"],
        weights=samples.get("weight"),
        weight_type=samples.get("weightType") or "samples",
        times_ms=times or [0],
        n_stacks=len(stacks["frame"]),
        find_prefix=_choose_prefix(stacks),
        find_frame=lambda stack: _get_number(stacks["frame"], stack),
        describe_frame=describe,
    )


def _choose_prefix(stacks: dict[str, Any]) -> Callable[[int], int | None]:
    """Since version 66 a stack says how far behind its caller it stands; 0 = it is a root."""
    if "prefixOffset" not in stacks:
        return lambda stack: _get_optional(stacks["prefix"], stack)
    offsets = stacks["prefixOffset"]
    return lambda stack: stack - offset if (offset := _get(offsets, stack)) else None


def open_gecko(document: dict[str, Any]) -> Iterator[Tables]:
    """The threads of a profile as Firefox hands it out, of all its processes."""
    processes = [document]
    for process in processes:  # grows meanwhile
        processes += process.get("processes") or []
        for thread in process["threads"]:
            if thread["samples"]["data"]:
                yield _open_gecko_thread(thread)


def _open_gecko_thread(thread: dict[str, Any]) -> Tables:
    samples, stacks, frames = (thread[name] for name in ("samples", "stackTable", "frameTable"))
    at_stack, at_time = (samples["schema"][name] for name in ("stack", "time"))
    at_prefix, at_frame = (stacks["schema"][name] for name in ("prefix", "frame"))
    at_text, at_line = frames["schema"]["location"], frames["schema"].get("line")

    def describe(frame: int) -> Symbol:
        row = _get(frames["data"], frame)
        symbol = parse_symbol(str(_get(thread["stringTable"], row[at_text])))
        line = row[at_line] if at_line is not None and at_line < len(row) else None
        return symbol._replace(line=_to_line(line) or symbol.line)

    return Tables(
        thread=str(thread.get("name") or ""),
        process=str(thread.get("processName") or ""),
        stacks=[row[at_stack] for row in samples["data"]],
        weights=None,
        weight_type="samples",
        times_ms=[row[at_time] for row in samples["data"]],
        n_stacks=len(stacks["data"]),
        find_prefix=lambda stack: _get(stacks["data"], stack)[at_prefix],
        find_frame=lambda stack: int(_get(stacks["data"], stack)[at_frame]),
        describe_frame=describe,
    )


def _get(column: Any, position: int) -> Any:
    """Raises IndexError, for what lies before the first, too; TypeError."""
    if position < 0:
        raise IndexError(f"there is no row {position}")
    return column[position]


def _get_optional(column: Sequence[Any], position: int) -> int | None:
    found: int | None = _get(column, position)
    return found


def _get_number(column: Sequence[Any], position: int) -> int:
    return int(_get(column, position))


def _to_line(line: object) -> int:
    return line if isinstance(line, int) and 0 <= line < 2**31 else 0
