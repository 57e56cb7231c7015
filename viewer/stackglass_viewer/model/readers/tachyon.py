"""Reader of the binary format of Python's sampling profiler, Tachyon (3.15's `profiling.sampling`).

::

    header 64 bytes: magic, version, Python, start, interval, samples, offsets, compression, mode
    samples          thread 8 bytes, interpreter 4, kind 1, then
                     0  count, (µs since the last one, state) …   stack as before
                     1  µs, state, depth, frames                  innermost first
                     2  µs, state, shared, new, frames            on the outermost shared
                     3  µs, state, removed, new, frames           removed: innermost
    strings          length, UTF-8
    frames           file, name, line, end line, column, end column, opcode 1 byte
    footer 32 bytes: strings, frames, size of the file

Numbers are LEB128, where no size is given. Samples may be packed with zstd.
"""

from __future__ import annotations

import struct
from array import array
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
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
_NS_A_US = 1000
# What a thread did: the first bit that its state has; the last one if it has none.
_STATES = ((8, "waiting for the GIL"), (1, "holds the GIL"), (2, "on CPU"), (4, "unknown"))
_STATE_NAMES = (*(name for _, name in _STATES), "idle")
_STATE_BITS = 3
_STATE_NUMBERS = bytes(
    next((number for number, (bit, _) in enumerate(_STATES) if state & bit), len(_STATES))
    for state in range(256)
)
_KEYS_AT_ONCE = 1 << 18  # samples that are kept one by one
_FREE_THREADS, _BYTES_A_THREAD = 1 << 14, 64
_INTERPRETER_BITS = 32
_INTERPRETERS = (1 << _INTERPRETER_BITS) - 1
_FREE_NODES, _BYTES_A_NODE = 400_000, 20  # of the tree of stacks, where a node takes 200 bytes


class _Header(NamedTuple):
    """What it says, and of the footer what is needed."""

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
    """Raises ProfileError."""
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
            raise ValueError(f"{samples.n_samples} of its {header.n_samples} samples")
        return _build(header, frames, samples)
    except IndexError:
        raise ProfileError("it is truncated: it ends within Tachyon's binary format") from None
    except (OverflowError, ValueError, struct.error) as error:
        raise ProfileError(
            f"it is Tachyon's binary format, but is damaged ({str(error)[:80]})"
        ) from None


def _read_header(content: bytes | bytearray) -> _Header:
    if len(content) < _HEADER_BYTES + _FOOTER_BYTES:
        raise IndexError
    order = MAGICS[bytes(content[:4])]
    fields = struct.unpack_from(order + _HEADER, content)
    version, major, minor, micro, _, start, interval, n_samples, _, strings, frames, *rest = fields
    if version != _VERSION:
        raise ProfileError(
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
        raise ValueError("its tables are not behind its samples")
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
        number = 0 if line & 1 else line >> 1  # odd: below 0, of a frame without a place
        place = strings[file]
        frames.append(
            Symbol(strings[name], "" if place == "~" else place, number if number < 2**31 else 0)
        )
    return frames


class _Thread:
    """A thread as far as its samples are read."""

    __slots__ = ("elapsed_us", "number", "stack")

    def __init__(self, number: int) -> None:
        self.number = number
        self.stack: list[int] = []  # nodes, root first
        self.elapsed_us = 0


class _SampleReader:
    """Samples, added up by thread and stack."""

    def __init__(self, content: bytes | bytearray | memoryview, order: str, n_frames: int) -> None:
        self.tree = StackTree()
        self._keys, self._counts = array("q"), array("q")  # of samples, or of sums of them
        self._most_keys = _KEYS_AT_ONCE
        self.threads: dict[int, _Thread] = {}  # by id and, in the lowest bits, interpreter
        self._most_threads = _FREE_THREADS + len(content) // _BYTES_A_THREAD
        self.n_samples = 0
        self._head = struct.Struct(order + "QIB")
        self._bytes = ByteReader(content, 0, len(content))
        self._n_frames = n_frames
        self._most_nodes = _FREE_NODES + len(content) // _BYTES_A_NODE

    def read(self, progress: Progress) -> None:
        """All of it. Raises IndexError at its end, ValueError."""
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
                self._read_stack(thread.stack, kind)
                self._add(thread, elapsed_us, state)
            else:
                raise ValueError(f"unknown record {kind}")
            n_records += 1
            if n_records % _REPORT_RECORDS == 0:
                progress(rest.at / rest.end)

    def _read_moment(self) -> tuple[int, int]:
        elapsed_us = self._bytes.read_number()
        return elapsed_us, self._bytes.read_byte()

    def _find_thread(self, thread_id: int, interpreter: int) -> _Thread:
        key = thread_id << _INTERPRETER_BITS | interpreter
        thread = self.threads.get(key)
        if thread is None:
            if len(self.threads) >= self._most_threads:
                raise ValueError("it has too many threads")
            thread = self.threads[key] = _Thread(len(self.threads))
        return thread

    def _add(self, thread: _Thread, elapsed_us: int, state: int) -> None:
        thread.elapsed_us += elapsed_us
        node = thread.stack[-1] if thread.stack else EMPTY
        self._keys.append((thread.number << 32 | node) << _STATE_BITS | _STATE_NUMBERS[state])
        self._counts.append(1)
        if len(self._keys) > self._most_keys:
            keys, counts = self.sum_samples()
            self._keys, self._counts = array("q", keys.tobytes()), array("q", counts.tobytes())
            self._most_keys = 2 * len(keys) + _KEYS_AT_ONCE
        self.n_samples += 1

    def sum_samples(self) -> tuple[Int64s, Int64s]:
        """Keys, which `_split_key` takes apart, and the samples of each."""
        keys, of_key = np.unique(np.frombuffer(self._keys, np.int64), return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, of_key, np.frombuffer(self._counts, np.int64))
        return keys, counts

    def _read_stack(self, stack: list[int], kind: int) -> None:
        """Change a thread's stack into that of its next sample."""
        read_number = self._bytes.read_number
        n_kept = 0
        if kind != _FULL:
            n = read_number()
            n_kept = n if kind == _SUFFIX else max(len(stack) - n, 0)
            if n_kept > len(stack):
                raise ValueError("a stack that shares more frames than there were")
        n_new = read_number()
        if n_kept + n_new > _DEEPEST:
            raise ValueError(f"a stack of more than {_DEEPEST} frames")
        frames = [read_number() for _ in range(n_new)]
        if max(frames, default=0) >= max(self._n_frames, 1):
            raise ValueError("a frame that is not in its table")
        del stack[n_kept:]
        for frame in reversed(frames):
            stack.append(self.tree.push(stack[-1] if stack else EMPTY, frame))
        if len(self.tree) > self._most_nodes:
            raise ValueError("its stacks are too many and too deep")


def _split_key(key: int) -> tuple[int, int, int]:
    """Thread, node, state."""
    states, nodes = 1 << _STATE_BITS, 1 << 32
    return key // states // nodes, key // states % nodes, key % states


def _build(header: _Header, frames: list[Symbol], read: _SampleReader) -> Profile:
    samples = FrameSamples()
    numbers: dict[Symbol, int] = {}
    places = array("i")  # by frame: columns and opcodes of one line are one
    for frame in frames:
        if frame not in numbers:
            numbers[frame] = samples.add_frame(frame)
        places.append(numbers[frame])
    paths = read.tree.find_paths()
    ids = list(read.threads)
    has_interpreters = any(each & _INTERPRETERS for each in ids)
    n_without = 0
    for key, count in zip(*read.sum_samples(), strict=True):
        n = int(count)
        thread, node, state = _split_key(int(key))
        if node == EMPTY:
            n_without += n
            continue
        stack = [places[frame] for frame in read.tree.list_frames(paths, node)]
        thread_id = ids[thread] >> _INTERPRETER_BITS
        labels = [Label("thread", str(thread_id)), Label("state", _STATE_NAMES[state])]
        if has_interpreters:
            labels.append(Label("interpreter", str(ids[thread] & _INTERPRETERS)))
        samples.add([n, n * header.interval_us * _NS_A_US], stack, labels)
    duration_us = max((thread.elapsed_us for thread in read.threads.values()), default=0)
    return samples.build(
        [_SAMPLES, _TIME],
        duration_ns=min(duration_us * _NS_A_US, 2**63 - 1),
        comments=(f"Python {header.python}", *([f"mode: {header.mode}"] if header.mode else [])),
        warnings=(f"{n_without} samples without Python frames are left out",) if n_without else (),
    )
