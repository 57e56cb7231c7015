"""Reader of the binary format of Python's sampling profiler, Tachyon (3.15's `profiling.sampling`).

::

    header 64 bytes: magic, version, Python, start, interval, samples, offsets, compression, mode
    samples          thread 8 bytes, interpreter 4, kind 1, then
                     0  count, (µs since the last sample, state) …   stack as before
                     1  µs, state, depth, frames                  innermost first
                     2  µs, state, shared, new, frames            keeps `shared` outermost frames
                     3  µs, state, removed, new, frames           drops `removed` innermost frames
    strings          length, UTF-8
    frames           file, name, line, end line, column, end column, opcode 1 byte
    footer 32 bytes: strings, frames, size of the file

Numbers without a size are LEB128. Samples may be compressed with zstd.
"""

from __future__ import annotations

import struct
from array import array
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.caller_paths import (
    FRAMES_PER_NODE,
    FREE_FRAMES,
    list_caller_paths,
)
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.prepared_rows import PreparedRows
from stackglass_viewer.model.readers.sample_columns import Symbol, round_values
from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress
from stackglass_viewer.model.readers.varints import ByteReader
from stackglass_viewer.model.readers.zstd_limits import unpack_zstd_frames

MAGICS = {b"HCAT": "<", b"TACH": ">"}  # byte order by the magic number as it was stored
_HEADER_BYTES, _FOOTER_BYTES = 64, 32
_HEADER, _FOOTER = "4xI4B3QI2QII", "IIQ16x"
_VERSION = 1
_PLAIN, _ZSTD = 0, 1
_MODES = {1: "wall", 2: "cpu", 3: "gil", 4: "all", 5: "exception"}  # in the mode's lowest bits
_MODE_BITS = 7
_REPEAT, _FULL, _SUFFIX, _POP_PUSH = range(4)
_DEEPEST = 4096
_REPORT_RECORDS = 1 << 14
_SAMPLES = SampleType("samples", "count")
_TIME = SampleType("time", "nanoseconds")
_NS_PER_US = 1000
# Names of a thread's state: the first bit that is set counts; "idle" if none is set.
_STATES = ((8, "waiting for the GIL"), (1, "holds the GIL"), (2, "on CPU"), (4, "unknown"))
_STATE_NAMES = (*(name for _, name in _STATES), "idle")
_STATE_BITS = 3
_STATE_NUMBERS = bytes(
    next((number for number, (bit, _) in enumerate(_STATES) if state & bit), len(_STATES))
    for state in range(256)
)
_KEYS_AT_ONCE = 1 << 15  # new samples kept before they are summed; see `_sum_new`
_ROWS_AT_A_TIME = 1 << 13
_FREE_THREADS, _BYTES_PER_THREAD = 1 << 12, 128
_FREE_INTERPRETERS, _BYTES_PER_INTERPRETER = 1 << 10, 4096
_INTERPRETER_BITS = 32
_NODES = (1 << 32) - 1
_FREE_NODES, _BYTES_PER_NODE = 400_000, 20  # limit of the tree's nodes, of 200 bytes each


class _Header(NamedTuple):
    """Fields of the header, and counts from the footer."""

    order: str
    python: str
    start_us: int
    interval_us: int
    n_samples: int
    strings_at: int
    frames_at: int
    compression: int
    mode: str
    n_strings: int
    n_frames: int


def read_tachyon(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError."""
    try:
        header = _read_header(content)
        frames = _read_frames(content, header, _read_strings(content, header))
        stored: bytes | bytearray | memoryview
        stored = memoryview(content)[_HEADER_BYTES : header.strings_at]
        if header.compression == _ZSTD:
            stored = unpack_zstd_frames(bytes(stored), progress)
        samples = _SampleReader(stored, header.order, len(frames))
        samples.read(progress)
        if samples.n_samples != header.n_samples:
            raise ValueError(f"it has {samples.n_samples} of its {header.n_samples} samples")
        return _build(header, frames, samples)
    except IndexError:
        raise ContentError("it is truncated: it ends within Tachyon's binary format") from None
    except (OverflowError, ValueError, struct.error) as error:
        raise ContentError(
            f"it is Tachyon's binary format, but is damaged ({str(error)[:80]})"
        ) from None


def _read_header(content: bytes | bytearray) -> _Header:
    if len(content) < _HEADER_BYTES + _FOOTER_BYTES:
        raise IndexError
    order = MAGICS[bytes(content[:4])]
    fields = struct.unpack_from(order + _HEADER, content)
    version, major, minor, micro, _, start, interval, n_samples, _, strings, frames, *rest = fields
    if version != _VERSION:
        raise ContentError(
            f"it is Tachyon's binary format of version {version}, written by Python "
            f"{major}.{minor}.{micro}; version {_VERSION} can be read",
            "python -m profiling.sampling replay --pstats -o FILE.prof converts it",
        )
    n_strings, n_frames, size = struct.unpack_from(
        order + _FOOTER, content, len(content) - _FOOTER_BYTES
    )
    if size != len(content):
        raise IndexError
    if not _HEADER_BYTES <= strings <= frames <= len(content) - _FOOTER_BYTES:
        raise ValueError("its tables do not follow its samples")
    compression, mode = rest
    if compression not in (_PLAIN, _ZSTD):
        raise ValueError(f"unknown compression {compression}")
    return _Header(
        order,
        f"{major}.{minor}.{micro}",
        *(start, interval, n_samples, strings, frames, compression),
        _MODES.get(mode & _MODE_BITS, ""),
        *(n_strings, n_frames),
    )


def _read_strings(content: bytes | bytearray, header: _Header) -> list[str]:
    table = ByteReader(content, header.strings_at, header.frames_at)
    return [
        table.take(table.read_number()).decode(errors="replace") for _ in range(header.n_strings)
    ]


def _read_frames(content: bytes | bytearray, header: _Header, strings: list[str]) -> list[Symbol]:
    table = ByteReader(content, header.frames_at, len(content) - _FOOTER_BYTES)
    frames = []
    for _ in range(header.n_frames):
        file, name, line, *_ends = (table.read_number() for _ in range(6))
        table.take(1)  # the opcode
        if max(file, name) >= len(strings):
            raise ValueError("a frame whose name is not in its table")
        number = 0 if line & 1 else line >> 1  # zigzag: odd is negative, for unknown lines
        place = strings[file]
        frames.append(
            Symbol(strings[name], "" if place == "~" else place, number if number < 2**31 else 0)
        )
    return frames


class _SampleReader:
    """Adds up samples by thread, stack and state. Threads are columns, because there may be
    many."""

    def __init__(self, content: bytes | bytearray | memoryview, order: str, n_frames: int) -> None:
        self.tree = StackTree()
        self._new_keys = array("q")  # keys of samples that are not in the sums yet
        self._keys, self._counts = np.empty(0, np.int64), np.empty(0, np.int64)  # sums, by key
        self._most_keys = _KEYS_AT_ONCE
        self.thread_ids, self.interpreters = array("Q"), array("I")  # by thread
        self._threads: dict[int, int] = {}  # number by id << 32 | interpreter
        self._different: set[int] = set()  # interpreters
        self._most_interpreters = _FREE_INTERPRETERS + len(content) // _BYTES_PER_INTERPRETER
        self._node, self._elapsed_us = array("i"), array("q")  # by thread: stack; time so far
        self._depth = array("i", [0])  # by node
        self._most_threads = _FREE_THREADS + len(content) // _BYTES_PER_THREAD
        self.n_samples = 0
        self._head = struct.Struct(order + "QIB")
        self._bytes = ByteReader(content, 0, len(content))
        self._n_frames = n_frames
        self._most_nodes = _FREE_NODES + len(content) // _BYTES_PER_NODE

    def read(self, progress: Progress) -> None:
        """Read all samples. Raises IndexError if they are cut off, ValueError."""
        rest = self._bytes
        n_records = 0
        while rest.at < rest.end:
            thread_id, interpreter, kind = self._head.unpack(rest.take(self._head.size))
            thread = self._find_thread(thread_id, interpreter)
            if kind == _REPEAT:
                for _ in range(rest.read_number()):
                    self._add(thread, *self._read_moment())
            elif kind in (_FULL, _SUFFIX, _POP_PUSH):
                elapsed_us, state = self._read_moment()
                self._read_stack(thread, kind)
                self._add(thread, elapsed_us, state)
            else:
                raise ValueError(f"unknown record {kind}")
            n_records += 1
            if n_records % _REPORT_RECORDS == 0:
                progress(rest.at / rest.end)

    def _read_moment(self) -> tuple[int, int]:
        elapsed_us = self._bytes.read_number()
        return elapsed_us, self._bytes.read_byte()

    @property
    def longest_us(self) -> int:
        """The longest time of a thread's samples."""
        return max(self._elapsed_us, default=0)

    def _find_thread(self, thread_id: int, interpreter: int) -> int:
        key = thread_id << _INTERPRETER_BITS | interpreter
        thread = self._threads.get(key)
        if thread is None:
            thread = len(self._threads)
            if thread >= self._most_threads:
                raise ValueError("it has too many threads")
            self._different.add(interpreter)
            if len(self._different) > self._most_interpreters:
                raise ValueError("it has too many interpreters")
            self._threads[key] = thread
            self.thread_ids.append(thread_id)
            self.interpreters.append(interpreter)
            self._node.append(EMPTY)
            self._elapsed_us.append(0)
        return thread

    def _add(self, thread: int, elapsed_us: int, state: int) -> None:
        self._elapsed_us[thread] += elapsed_us
        node = self._node[thread]
        self._new_keys.append((thread << 32 | node) << _STATE_BITS | _STATE_NUMBERS[state])
        if len(self._new_keys) >= self._most_keys:
            self._sum_new()
        self.n_samples += 1

    def take_samples(self) -> tuple[Int64s, Int64s]:
        """Return the keys (thread, node and state) and the number of samples of each. To be called
        once, after `read`."""
        self._sum_new()
        self._threads.clear()
        taken = self._keys, self._counts
        self._keys, self._counts = np.empty(0, np.int64), np.empty(0, np.int64)
        return taken

    def count_frames(self, keys: array[int]) -> int:
        """Count the frames of the keys' stacks. Raises ValueError if they exceed the limit."""
        depths, n = np.frombuffer(self._depth, np.int32), 0
        for at in range(0, len(keys), _ROWS_AT_A_TIME):
            part = np.frombuffer(keys[at : at + _ROWS_AT_A_TIME], np.int64)
            n += int(depths[part >> _STATE_BITS & _NODES].sum(dtype=np.int64))
        if n > FREE_FRAMES + FRAMES_PER_NODE * len(depths):
            raise ValueError("its stacks are too many and too deep")
        return n

    def _sum_new(self) -> None:
        """Add the new keys to the sums. The next time is after ``_KEYS_AT_ONCE`` new keys, or a
        quarter of the number of sums, which bounds the memory."""
        keys, counts = np.unique(np.frombuffer(self._new_keys, np.int64), return_counts=True)
        self._new_keys = array("q")
        places = np.searchsorted(self._keys, keys)
        is_known = np.zeros(len(keys), np.bool_)
        is_inside = places < len(self._keys)
        is_known[is_inside] = self._keys[places[is_inside]] == keys[is_inside]
        self._counts[places[is_known]] += counts[is_known]
        if not is_known.all():
            places, keys, counts = (each[~is_known] for each in (places, keys, counts))
            self._keys = np.insert(self._keys, places, keys)
            self._counts = np.insert(self._counts, places, counts)
        self._most_keys = max(_KEYS_AT_ONCE, len(self._keys) // 4)

    def _read_stack(self, thread: int, kind: int) -> None:
        """Read the next stack of a thread, as a change of its last one."""
        read_number = self._bytes.read_number
        node = self._node[thread]
        depth = self._depth[node]
        n_kept = 0
        if kind != _FULL:
            n = read_number()
            n_kept = n if kind == _SUFFIX else max(depth - n, 0)
            if n_kept > depth:
                raise ValueError("a stack that shares more frames than there were")
        n_new = read_number()
        if n_kept + n_new > _DEEPEST:
            raise ValueError(f"a stack of more than {_DEEPEST} frames")
        frames = [read_number() for _ in range(n_new)]
        if max(frames, default=0) >= max(self._n_frames, 1):
            raise ValueError("a frame that is not in its table")
        node = self.tree.find_above(node, depth - n_kept) if n_kept else EMPTY
        for frame in reversed(frames):
            above, node = node, self.tree.push(node, frame)
            if node == len(self._depth):
                self._depth.append(self._depth[above] + 1)
        self._node[thread] = node
        if len(self.tree) > self._most_nodes:
            raise ValueError("its stacks are too many and too deep")


def _build(header: _Header, frames: list[Symbol], read: _SampleReader) -> Profile:
    profile = FrameSamples()
    numbers: dict[Symbol, int] = {}
    places = array("i")  # by frame: its number without column and opcode
    for frame in frames:
        if frame not in numbers:
            numbers[frame] = profile.add_frame(frame)
        places.append(numbers[frame])
    longest_us = read.longest_us
    n_without, rows = _add_samples(header, profile, places, read)
    return profile.build(
        [_SAMPLES, _TIME],
        duration_ns=min(longest_us * _NS_PER_US, 2**63 - 1),
        comments=(f"Python {header.python}", *([f"mode: {header.mode}"] if header.mode else [])),
        warnings=(f"{n_without} samples without Python frames are left out",) if n_without else (),
        rows=rows,
    )


def _add_samples(
    header: _Header, profile: FrameSamples, places: array[int], read: _SampleReader
) -> tuple[int, PreparedRows | None]:
    """Return the number of samples without frames, and the rows of the others. Raises
    OverflowError, ValueError."""
    keys, counts = read.take_samples()
    has_frames = keys >> _STATE_BITS & _NODES != EMPTY
    n_without = int(counts[~has_frames].sum())
    if n_without:
        keys, counts = keys[has_frames], counts[has_frames]
    del has_frames
    if not len(keys):
        return n_without, None
    round_values(np.array([float(counts.max())]), float(header.interval_us) * _NS_PER_US)
    keys_left, counts_left = (array("q", each[::-1].tobytes()) for each in (keys, counts))
    del keys, counts
    callers, frames = read.tree.take_nodes()
    frames = np.frombuffer(places, dtype=np.int32)[frames]
    labels = _Labels(profile, read)
    n_frames = read.count_frames(keys_left)
    rows = PreparedRows(len(keys_left), n_frames, 2, [profile.add_text(key) for key in labels.keys])
    while keys_left:  # at most two copies of a few rows
        part, counted = (_take_last(each)[::-1] for each in (keys_left, counts_left))
        sizes, stacks = list_caller_paths(callers, part >> _STATE_BITS & _NODES)
        values = np.stack((counted, counted * (header.interval_us * _NS_PER_US)))
        rows.add(values, sizes, frames[stacks], labels.list_texts(part))
    return n_without, rows


def _take_last(column: array[int]) -> Int64s:
    """Remove and return some of the last numbers, so that the column frees their memory."""
    taken = np.array(column[-_ROWS_AT_A_TIME:], dtype=np.int64)
    del column[-_ROWS_AT_A_TIME:]
    return taken


class _Labels:
    """Lists the labels of samples from their keys."""

    def __init__(self, profile: FrameSamples, read: _SampleReader) -> None:
        columns = [read.thread_ids]
        if any(read.interpreters):
            columns.append(read.interpreters)
        by_thread = [array("i", (profile.add_text(str(each)) for each in ids)) for ids in columns]
        self.keys = ("thread", "state", "interpreter")[: 1 + len(by_thread)]
        self._of_thread = np.array(by_thread, dtype=np.int32)
        self._of_state = np.array([profile.add_text(each) for each in _STATE_NAMES], np.int32)

    def list_texts(self, keys: Int64s) -> Int32s:
        """Return the (n, n_keys) numbers of the labels' texts."""
        of_thread = self._of_thread[:, keys >> _STATE_BITS + 32]
        states = self._of_state[keys & (1 << _STATE_BITS) - 1]
        return np.stack((of_thread[0], states, *of_thread[1:]), axis=1)
