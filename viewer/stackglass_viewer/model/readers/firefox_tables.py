"""One interface to the tables of a thread in the Firefox Profiler's and in Gecko's JSON."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int64s
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import Symbol, parse_symbol
from stackglass_viewer.model.readers.text_rows import ignore_progress

Parts = dict[str, JsonPart]
_NONE = -1


class FirefoxTables(NamedTuple):
    """Tables of a thread with samples."""

    thread: str  # name; "" = unknown
    process: str
    stacks: Int64s  # (n_samples,) the stack of each sample; -1 = none
    weights: Float64s | None  # None = 1 each
    weight_type: str
    times_ms: Float64s  # at least one
    callers: Int64s  # (n_stacks,) the stack of each stack's caller; -1 = none
    frames: Int64s  # (n_stacks,)
    describe_frame: Callable[[int], Symbol]


def has_columns(document: Parts) -> bool:
    """Whether tables are columns. The first version of the profiler's files has columns but no
    version number."""
    for thread in document["threads"].list_parts():
        return thread.is_object and "schema" not in thread.find_members()["samples"].find_members()
    return False


def list_weight_types(document: Parts) -> list[str]:
    """Return the weight type of each thread with samples, in a file with columns; of each thread if
    none has samples."""
    threads = [
        thread.find_members()["samples"].find_members()
        for thread in document["threads"].list_parts()
    ]
    with_samples = [samples for samples in threads if any(samples["stack"].list_pieces())]
    return [_find_weight_type(samples) for samples in with_samples or threads]


def _find_weight_type(samples: Parts) -> str:
    return str(_load(samples, "weightType") or "samples")


def open_processed(document: Parts) -> Iterator[FirefoxTables]:
    """Yield the threads with samples of a file that the profiler saved or others wrote for it."""
    shared = _SharedTables(_find(document, "shared"))
    for thread in document["threads"].list_parts():
        members = thread.find_members()
        samples = members["samples"].find_members()
        stacks = samples["stack"].read_rows()
        if len(stacks):
            yield _open_thread(members, samples, stacks, shared)


class _SharedTables:
    """Finds a thread's own tables, or else the tables shared by all threads, which are read
    once."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._tables: dict[str, Any] = {}

    def read(self, thread: Parts, name: str, read: Callable[[JsonPart], Any]) -> Any:
        """Return the thread's table ``name``, or the shared one. Raises KeyError."""
        if name in thread:
            return read(thread[name])
        if name not in self._tables:
            self._tables[name] = read(self._parts[name])
        return self._tables[name]

    def read_texts(self, thread: Parts) -> list[Any]:
        for name, read in (("stringArray", _read_texts), ("stringTable", _read_text_table)):
            if name in thread or name in self._parts:
                texts: list[Any] = self.read(thread, name, read)
                return texts
        raise KeyError("stringArray")

    def read_sources(self, thread: Parts) -> Int64s | None:
        has_any = "sources" in thread or "sources" in self._parts
        found: Int64s | None = self.read(thread, "sources", _read_sources) if has_any else None
        return found


def _read_texts(part: JsonPart) -> list[Any]:
    return [*part.list_items()]


def _read_text_table(part: JsonPart) -> list[Any]:
    return _read_texts(part.find_members()["_array"])


def _read_sources(part: JsonPart) -> Int64s:
    return part.find_members()["filename"].read_rows()


class _Stacks(NamedTuple):
    callers: Int64s
    frames: Int64s


def _read_stacks(part: JsonPart) -> _Stacks:
    table = part.find_members()
    if "prefixOffset" in table:  # since version 66: distance from the caller; 0 = a root
        offsets = table["prefixOffset"].read_rows()
        callers = np.where(offsets > 0, np.arange(len(offsets)) - offsets, _NONE)
    else:
        callers = table["prefix"].read_rows()
    frames = table["frame"].read_rows()
    if len(frames) != len(callers):
        raise ValueError("columns of stacks differ in length")
    return _Stacks(callers, frames)


class _Frames(NamedTuple):
    function: Int64s
    line: array[int] | None


def _read_frames(part: JsonPart) -> _Frames:
    table = part.find_members()
    lines = table.get("line")
    has_lines = lines is not None and lines.is_list
    return _Frames(table["func"].read_rows(), _read_lines(lines) if lines and has_lines else None)


class _Functions(NamedTuple):
    name: Int64s
    file: Int64s | None  # numbers of texts
    source: Int64s | None


def _read_functions(part: JsonPart) -> _Functions:
    table = part.find_members()
    file, source = (
        table[name].read_rows() if name in table else None for name in ("fileName", "source")
    )
    return _Functions(table["name"].read_rows(), file, source)


def _open_thread(
    thread: Parts, samples: Parts, stacks: Int64s, shared: _SharedTables
) -> FirefoxTables:
    tree: _Stacks = shared.read(thread, "stackTable", _read_stacks)
    frames: _Frames = shared.read(thread, "frameTable", _read_frames)
    functions: _Functions = shared.read(thread, "funcTable", _read_functions)
    texts, sources = shared.read_texts(thread), shared.read_sources(thread)

    def describe(frame: int) -> Symbol:
        function = int(_get(frames.function, frame))
        source = _NONE if functions.source is None else int(_get(functions.source, function))
        if source != _NONE and sources is not None:
            file = int(_get(sources, source))
        else:
            file = _NONE if functions.file is None else int(_get(functions.file, function))
        line = frames.line
        name = str(_get(texts, int(_get(functions.name, function))))
        if functions.file is None and functions.source is None:  # the first version: one text
            return parse_symbol(name)
        return Symbol(
            name,
            "" if file == _NONE else str(_get(texts, file)),
            0 if line is None else _get(line, frame),
        )

    return FirefoxTables(
        thread=str(_load(thread, "name") or ""),
        process=str(_load(thread, "processName") or ""),
        stacks=stacks,
        weights=samples["weight"].read_floats() if _is_list(samples, "weight") else None,
        weight_type=_find_weight_type(samples),
        times_ms=_read_times(samples),
        callers=tree.callers,
        frames=tree.frames,
        describe_frame=describe,
    )


def _read_times(samples: Parts) -> Float64s:
    times = np.zeros(0)
    if _is_list(samples, "time"):
        times = samples["time"].read_floats()
    elif _is_list(samples, "timeDeltas"):
        times = np.cumsum(samples["timeDeltas"].read_floats())
    return times if len(times) else np.zeros(1)


def open_gecko(document: Parts) -> Iterator[FirefoxTables]:
    """Yield the threads with samples of Gecko's own profile, in all processes."""
    processes = [document]
    for process in processes:  # the list grows in the loop
        if _is_list(process, "processes"):
            processes += [each.find_members() for each in process["processes"].list_parts()]
        for thread in process["threads"].list_parts():
            if thread.is_text:  # the profile of a child process, up to Firefox 48
                processes.append(_open_text(thread).find_members())
                continue
            tables = _open_gecko_thread(thread.find_members())
            if len(tables.stacks):
                yield tables


def _open_text(part: JsonPart) -> JsonPart:
    """Open the JSON document inside a JSON text."""
    content = str(part.load()).encode("utf-8", "surrogatepass")
    return open_document(content, ignore_progress)


def _open_gecko_thread(thread: Parts) -> FirefoxTables:
    stack, time = array("q"), array("d")
    for row, (at_stack, at_time) in _list_rows(thread["samples"], "stack", "time"):
        stack.append(_to_row(row[at_stack]))
        time.append(row[at_time])
    prefix, frame = array("q"), array("q")
    for row, (at_prefix, at_frame) in _list_rows(thread["stackTable"], "prefix", "frame"):
        prefix.append(_to_row(row[at_prefix]))
        frame.append(_to_row(row[at_frame]))
    text, lines = array("q"), array("i")
    schema = thread["frameTable"].find_members()["schema"].load()
    at_line = schema.get("line")
    for row, (at_text,) in _list_rows(thread["frameTable"], "location"):
        text.append(_to_row(row[at_text]))
        lines.append(_to_line(row[at_line] if at_line is not None and at_line < len(row) else 0))
    texts = _read_texts(thread["stringTable"])

    def describe(frame: int) -> Symbol:
        symbol = parse_symbol(str(_get(texts, _get(text, frame))))
        return symbol._replace(line=lines[frame] or symbol.line)

    return FirefoxTables(
        thread=str(_load(thread, "name") or ""),
        process=str(_load(thread, "processName") or ""),
        stacks=np.frombuffer(stack, dtype=np.int64),
        weights=None,
        weight_type="samples",
        times_ms=np.frombuffer(time, dtype=np.float64),
        callers=np.frombuffer(prefix, dtype=np.int64),
        frames=np.frombuffer(frame, dtype=np.int64),
        describe_frame=describe,
    )


def _list_rows(part: JsonPart, *names: str) -> Iterator[tuple[list[Any], list[int]]]:
    """Yield each row of a table, with the places of the named columns in it."""
    table = part.find_members()
    schema = table["schema"].load()
    columns = [schema[name] for name in names]
    for row in table["data"].list_items():
        yield row, columns


def _find(parts: Parts, name: str) -> Parts:
    return parts[name].find_members() if name in parts and parts[name].is_object else {}


def _is_list(parts: Parts, name: str) -> bool:
    return name in parts and parts[name].is_list


def _load(parts: Parts, name: str) -> Any:
    return parts[name].load() if name in parts else None


def _get(column: Any, position: int) -> Any:
    """Return an item of a column. Raises IndexError, also for negative positions, and TypeError."""
    if position < 0:
        raise IndexError(f"there is no row {position}")
    return column[position]


def _to_row(row: int | None) -> int:
    if row is None:
        return _NONE
    if row < 0:
        raise IndexError(f"there is no row {row}")
    return row


def _read_lines(part: JsonPart) -> array[int]:
    lines = array("i")
    for piece in part.list_pieces():
        lines.extend([_to_line(each) for each in piece])
    return lines


def _to_line(line: object) -> int:
    return line if isinstance(line, int) and 0 <= line < 2**31 else 0
