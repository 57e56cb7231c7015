"""The viewer's extension: loops over columns, run without the GIL.

Arrays are numpy's, contiguous, of exactly the type named. ValueError for references out of range
and lengths that differ, TypeError for arrays of another type.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt8s = npt.NDArray[np.uint8]
UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]
Float64s = npt.NDArray[np.float64]

class Column:
    """Items that the extension made, read-only, over the buffer protocol."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

# decode_bindings.c

def allocate_content(n_bytes: int, /) -> bytearray:
    """Bytes of any value, to read a file of this size into. MemoryError."""

def decode_pprof(
    content: bytes | bytearray, progress: Callable[[float], bool], /
) -> dict[str, Column | int]:
    """A pprof message to columns and numbers, by the names in pprof_decode.h.

    ``progress`` receives the share done and returns whether to go on. ValueError says what is wrong
    with the content; InterruptedError: stopped by ``progress``.
    """

# tree_bindings.c

def build_tree(
    stack_start: Int64s,
    stack: Int32s,
    line_start: Int32s,
    line_frame: Int32s,
    n_frames: int,
    progress: Callable[[float], bool],
    /,
) -> dict[str, Column]:
    """The columns of a CallTree: parent, frame, depth, is_recursive, sample_node.

    Every location has a line at least. OverflowError if inlined calls make stacks absurdly
    large; InterruptedError: stopped by ``progress``.
    """

def sum_own(node: Int32s, weight: Int64s, own: Int64s, /) -> None:
    """own[node[i]] += weight[i]"""

def add_up(parent: Int32s, total: Int64s, /) -> None:
    """Add every node's value to its ancestors', in place."""

def sum_frames(
    frame: Int32s,
    is_recursive: Bools,
    own: Int64s,
    total: Int64s,
    flat: Int64s,
    cum: Int64s,
    /,
) -> None:
    """Add nodes to the flat and cum, (n_frames,), of their frames; node 0 is left out."""

def sum_topmost(parent: Int32s, frame: Int32s, is_match: Bools, total: Int64s, /) -> int:
    """The total of nodes with a matching frame and none above them."""

def fill_slots(
    parent: Int32s,
    frame: Int32s,
    depth: Int32s,
    is_recursive: Bools | None,
    slots: Int32s,
    n_nodes: int,
    seed: int,
    /,
) -> None:
    """Enter nodes into a hash with -1 in all slots. ``is_recursive`` None: not wanted."""

def grow_tree(
    parent: Int32s,
    frame: Int32s,
    depth: Int32s,
    is_recursive: Bools | None,
    slots: Int32s,
    n_nodes: int,
    seed: int,
    wire_parent: Int32s,
    wire_frame: Int32s,
    node_of_wire: Int32s,
    first: int,
    /,
) -> int:
    """Find or make a node for each new one of the engine's; returns how many there are then."""

# flame_bindings.c

def lay_out(
    parent: Int32s,
    frame: Int32s,
    size: Int64s,
    rank: Int32s,
    is_by_rank: bool,
    before: Int32s,
    /,
) -> dict[str, Column]:
    """The columns of a FlameLayout. ``rank`` is (n_frames,) whether it is used or not. ``before``
    is the box of each node in a layout before, -1 = none; nodes after its end had none, and an
    empty one keeps nothing."""

def thin_out(
    row_start: Int32s, left: Float64s, right: Float64s, node: Int32s, cell: float, /
) -> dict[str, Column]:
    """The columns of ThinBoxes."""

def fill_rows(
    row_start: Int32s,
    left: Float64s,
    right: Float64s,
    node: Int32s,
    viewport: tuple[float, float, float, int, int, int],
    paint: tuple[Int32s, UInt32s, int],
    image: UInt32s,
    /,
) -> None:
    """Paint the rows that a viewport shows. ``paint``: frame of each node, colour of each frame,
    colour of the root."""

def find_labels(
    row_start: Int32s,
    left: Float64s,
    right: Float64s,
    node: Int32s,
    viewport: tuple[float, float, float, int, int, int],
    min_width_px: int,
    /,
) -> dict[str, Column]:
    """The columns of LabelBoxes."""

# heap_bindings.c

def unsample(
    objects: Int64s,
    size_bytes: Int64s,
    rate: UInt64s,
    scaled_objects: Int64s,
    scaled_bytes: Int64s,
    /,
) -> None:
    """Fill the last two with what samples stand for, at the rate of each, in bytes; see
    unsample.h."""

# time_bindings.c

def list_calls(
    parent: Int32s,
    depth: Int32s,
    node: Int32s,
    begin: Int64s,
    end: Int64s,
    gap: int,
    /,
) -> dict[str, Column]:
    """Calls out of stacks one after another: parent, node, begin, end, own; call 0 is the whole.

    ``parent`` and ``depth`` are of the tree, the others of stretches in order that do not overlap.
    A pause up to ``gap`` ends no call.
    """

def nest_spans(
    thread: Int32s, begin: Float64s, end: Float64s, frame: Int32s, deepest: int, /
) -> dict[str, Column]:
    """Stacks out of spans inside each other, which are together by thread and within it ordered by
    begin, the longest first: ``parent`` and ``frame`` of the trees of stacks, int32, in which an
    empty stack (-1 and -1) comes before the others of its thread; ``node``, int32, ``begin`` and
    ``end``, float64, of each time that a stack was open.

    A span that outlasts the one around it is cut there. ValueError for more than ``deepest``.
    """

# event_bindings.c

def decode_event_block(
    payload: bytes | memoryview, packing: int, raw_bytes: int, /
) -> dict[str, Column]:
    """The events of a block of the memory trace, as docs/session-file.md has them, in order.

    One row an event: kind uint8, time_ns int64, tid uint32, address uint64, size uint64, stack
    uint32, type uint32, domain uint8, other uint64. ``packing``: 0 = plain, 1 = LZ4; ``raw_bytes``:
    the size of the block unpacked. ValueError says what is wrong with the block.
    """

def unpack_lz4(packed: bytes | memoryview, raw_bytes: int, /) -> bytes:
    """An LZ4 block of exactly ``raw_bytes``, at most 16 MiB, unpacked. ValueError if it is not."""

# memory_bindings.c, memory_survey_bindings.c, memory_live_bindings.c

class StartBlocks:
    """Objects of a trace's start snapshot, beside which replays run; see memory_start.h. One thread
    fills it; frozen, any thread reads it."""

    def __new__(cls, seed: int, /) -> StartBlocks:
        """``seed``: of its hashes."""

    def add(
        self,
        kind: UInt8s,
        time_ns: Int64s,
        tid: UInt32s,
        address: UInt64s,
        size: UInt64s,
        stack: UInt32s,
        type: UInt32s,
        domain: UInt8s,
        /,
    ) -> None:
        """Add the objects among further events of the snapshot. ValueError if there are too
        many."""

    def finish(self) -> None:
        """All are added: now replays may begin from it."""

    def freeze(self) -> None:
        """All of the trace was applied: deaths and types are known."""

    def find(self, address: int, /) -> tuple[int, int | None] | None:
        """Events of the birth and of the end of the block at an address; no end = it lives on, None
        = there is no block. A block ends, too, where it gets another type."""

    def split(self, step: int, /) -> Column:
        """The address of every ``step``-th block, but the first, as uint64."""

class Replay:
    """Events of a memory trace applied to live blocks. One thread at a time, else RuntimeError."""

    def __new__(cls, seed: int, begin_ns: int, bin_ns: int, n_bins: int, /) -> Replay:
        """``seed``: of its hashes. ``n_bins`` 0: nothing is counted; else a survey, with rates in
        so many pieces of time."""

    def begin_from(self, start: StartBlocks, /) -> None:
        """Keep objects of the snapshot there, not here. Before all events; the first replay of all
        events notes deaths. ValueError if they are not finished."""

    def apply(
        self,
        kind: UInt8s,
        time_ns: Int64s,
        tid: UInt32s,
        address: UInt64s,
        size: UInt64s,
        stack: UInt32s,
        type: UInt32s,
        domain: UInt8s,
        other: UInt64s,
        /,
    ) -> None:
        """Apply events in their order. ValueError for one that cannot be."""

    def counters(self) -> dict[str, int]:
        """What it holds and what did not fit, by the names in memory_bindings.c."""

    def take_peak(self) -> tuple[int, int, int]:
        """Most bytes of objects since the last call, the events applied then, the time."""

    def pack(self) -> tuple[Column, Column]:
        """A checkpoint: its content and its groups; see memory_checkpoint.h."""

    def load(self, content: UInt8s, groups: UInt64s, /) -> None:
        """Go on from a checkpoint. ValueError if it is damaged."""

    def pack_delta(self) -> tuple[Column, Column]:
        """What has changed since the last checkpoint or delta, packed; see memory_delta.h."""

    def apply_delta(self, content: UInt8s, groups: UInt64s, /) -> None:
        """Go on to where a delta was packed, from where it began. ValueError if it is damaged."""

    def live(self, space: int, low: int, high: int, is_own: bool, /) -> dict[str, Column]:
        """The columns of LiveBlocks that reach into addresses, ``high`` exclusive. ``is_own``:
        without start blocks."""

    def sum_live(self) -> tuple[dict[str, Column], dict[str, Column]]:
        """Live objects by stack and type: those of the trace, those from before."""

    def resolve(self, address: UInt64s, birth_event: Int64s, type: UInt32s, /) -> None:
        """Give types to live blocks that have none, by address and birth."""

    def begin_map(self, *arguments: object) -> None:
        """Draw from now on: axis, (low, high), key, n_rows, moment_ns, live_bytes, key."""

    def end_map(self) -> tuple[Column, Column]:
        """Finish the map. Keys, and bytes added up over the columns, a key in as many places as it
        has rows; empty for ages."""

    def take_sites(self) -> dict[str, Column]:
        """The columns of SiteSums."""

    def take_site_step(self) -> dict[str, Column]:
        """Allocations by site since the last call."""

    def take_rates(self) -> dict[str, Column]:
        """Allocations by piece of time and type."""

    def count_lines(self, line_of: UInt32s, n_joined: int, /) -> None:
        """Count births by line as well, from now on. ``line_of``: each stack's line, 0 = none;
        ``n_joined`` > 0 pieces of time are one."""

    def take_line_rates(self) -> dict[str, Column]:
        """Allocations by piece of time and line."""

    def take_lifetimes(self) -> tuple[dict[str, Column], tuple[int, int]]:
        """Freed blocks by lifetime; blocks and bytes of those from before the trace."""

    def take_proofs(self) -> dict[str, Column]:
        """Types that were proven since the last call."""

    def take_wide(self, is_last: bool, /) -> dict[str, Column]:
        """Objects of more than a granule that have ended since the last call; ``is_last``: and
        those that live."""

    def take_step(self, patience: int, is_key: bool, /) -> dict[str, Column] | None:
        """A step of the granule log; None if more than ``patience`` granules have changed."""

    def list_granules(self) -> dict[str, Column]:
        """Numbers of the granules, by index."""

# memory_map_bindings.c

def draw_granules(
    map: tuple[object, ...], log: tuple[object, ...], first: int, /
) -> tuple[Column, Column]:
    """Draw a map from the granule log; arguments of Replay.begin_map, and the log's columns in the
    order of memory_map_bindings.c. Returns what Replay.end_map returns."""

def find_in_checkpoint(content: UInt8s, groups: UInt64s, space: int, address: int, /) -> int:
    """Number of the event in which the block at an address was born; -1 = there is none."""

def find_removed(content: UInt8s, space: int, address: int, /) -> bool:
    """Whether the block that was at an address as a delta began has ended in it."""

def classify_sizes(size: UInt64s, /) -> Column:
    """Size classes, (n,) uint32; see memory_raster.h."""

# go_bindings.c

def read_go_batch(
    content: bytes | memoryview, ticks: int, n_arguments: UInt8s, is_wanted: UInt8s, /
) -> dict[str, Column]:
    """The wanted events of a batch: kind, ticks, first, second, third. ValueError for a batch that
    is cut off or has an event without arguments in ``n_arguments``, (256,)."""

def size_go_objects(
    pages: tuple[UInt64s, UInt64s, UInt64s, int, int],
    kind: UInt8s,
    address: UInt64s,
    size: UInt64s,
    slot: UInt32s,
    first: int,
    /,
) -> tuple[int, int]:
    """Put objects into the slots of their spans; see go_events.h. ``pages``: keys, bases, slots,
    used keys, bytes of a page. Returns the first event that is not done, as the table is half full,
    and its used keys."""

def enter_go_pages(
    pages: tuple[UInt64s, UInt64s, UInt64s, int, int],
    wider: tuple[UInt64s, UInt64s, UInt64s, int, int],
    /,
) -> None:
    """Enter a table of pages into a larger one, which is empty."""

# json_bindings.c

def find_items_end(content: bytes | bytearray, at: int, n_bytes: int, /) -> int:
    """Of a list or object of JSON in which an item begins at ``at``: the place of its first comma
    at or after ``at + n_bytes``, or of the bracket that ends it; the content's length if it is cut
    off."""

def read_json_rows(content: bytes | bytearray, begin: int, end: int, /) -> Column | None:
    """The numbers of a list's items, (n,) int64; null = -1. None = an item is something else, is
    below 0 or is written otherwise than in digits."""

def read_json_floats(content: bytes | bytearray, begin: int, end: int, /) -> Column | None:
    """The same as float64; null = 0. None = an item is something else, has an exponent or more
    digits than are read exactly."""

def read_json_table(
    content: bytes | bytearray, begin: int, end: int, names: tuple[bytes, ...], /
) -> tuple[Column, ...] | None:
    """The members of a list's objects: for each name how many numbers each object has, (n,) int32,
    and the numbers of all, int64. ``names``: of members that are a number, or, with ``[]`` behind,
    a list of numbers; at most 16. Numbers may be in quotes. None = an object has other members, or
    is written in another form."""

# perf_bindings.c

def read_perf_lines(
    content: bytes | bytearray, progress: Callable[[float], bool], /
) -> dict[str, Any]:
    """The text of perf script to columns.

    ``thread_start`` int64, ``thread_length`` int32: the words of each different thread, from its
    program's name to its number; ``event_*``: of each event; ``command_*``: of each line with a
    command; ``name_*`` and ``file_*``: of each place, or where ``place_has_tab`` uint8 is 1, of its
    whole text and of nothing; ``place_sample`` int64: the first sample that has it. Some places
    with tabs may be the same as others.
    ``thread``, ``event`` int32, ``time_ns``, ``period`` int64 by sample, -1 = not printed;
    ``stack_start`` int64 and ``stack`` int32, places, as of `Samples`. ``is_cut``: the last sample
    has no end.
    ``fault``: "", or why the reading ended: "line", which ``fault_begin``, ``fault_end`` are the
    place of; "length", a line of more than 1 MiB; "events", more than are read; "value", one that
    an int64 cannot hold. ``fault_number``: the line from 1, its bytes, the most events, the value.

    ``progress`` as of `decode_pprof`; InterruptedError: stopped by it.
    """

# text_bindings.c

def read_stack_lines(
    content: bytes | bytearray, n_values: int, progress: Callable[[float], bool], /
) -> dict[str, Any]:
    """Collapsed stacks to columns: ``main;work 5``, of one or two values in every line.

    ``frame_begin`` int64, ``frame_bytes`` int32: the first occurrence of each different frame;
    ``none``: the frame that stands for those of an empty stack, -1 = no stack is empty.
    ``value_0``, ``value_1`` int64, ``stack_start`` int64 and ``stack`` int32 as of `Samples`.
    ``odd_row``, ``odd_begin``, ``odd_end`` int64: rows whose values have more digits than are read
    here, and their lines. ``misfit_number``, ``misfit_begin``, ``misfit_end``: the first line that
    is no stack, where reading ended; number 0 = none. ``refused_bytes``: of a line that is longer
    than 1 MiB, of which the first MiB was read as a line; 0 = none. ``has_fractions``: 1 = some
    values have one.

    ``progress`` as of `decode_pprof`; InterruptedError: stopped by it.
    """

def read_austin_lines(
    content: bytes | bytearray, most_times: int, progress: Callable[[float], bool], /
) -> dict[str, Any]:
    """Austin's text to columns: a row for each different stack of a thread.

    ``thread_begin`` int64, ``thread_bytes`` int32: each different ``P4711;T0:4712``.
    ``row_thread`` int32, ``sums`` (4 × n) int64: of each row in turn samples, bytes, ns of a
    processor and ns. ``timed_row`` int32, ``begin_us``, ``time_us``, ``memory_bytes`` int64,
    ``is_idle`` int32: of each sample, unless there are more than ``most_times``; the last two are
    empty if all are 0. ``remark_number``, ``remark_begin``, ``remark_end`` int64: lines that begin
    with ``#``. ``plain_from``: after so many of them came the first sample, which has a time alone
    in spite of the mode "full"; -1 = it has not. ``has_overflow``: 1 = the misfit is a sample, but
    64 bits cannot hold the sums or the time with it. ``none``: -1. The rest as of
    `read_stack_lines`; a stack is a row's.
    """

# callgrind_bindings.c

def read_callgrind(
    content: bytes | bytearray,
    alias: Int32s,
    read_header: Callable[[int, int, int], tuple[int, int, tuple[int, ...]]],
    progress: Callable[[float], bool],
    /,
) -> tuple[dict[str, Column], tuple[int, int, int, int], int, bool]:
    """Columns; a fault (callgrind_names.h; 0 = none) and the number, begin and end of its line;
    bytes of a line that is too long, or 0; whether the text ends before the cost of a call. By
    function: ``object``, ``file``, ``name`` (numbers of texts), ``line``, and by event ``own``. By
    call: ``caller``, ``callee``, ``n_calls``, and by event ``caused``. ``text_start`` and
    ``text_length``: where each text is.

    ``alias``, (n,): the text, itself or an earlier one, that is to be taken for each of the first.
    ``read_header``: called with begin, end and number of each other line; returns the positions of
    the lines below, which of them is the line (-1 = none), and the factors of the events."""

def find_cycles(start: Int64s, callee: Int32s, /) -> tuple[Column, int]:
    """(n_functions,) int32: a number that functions of one cycle share; how many functions are in
    cycles with others. ``start``: where the calls of each function begin in ``callee``, and the
    end of the last."""

# address_bindings.c

def read_address_rows(
    content: bytes | bytearray,
    at: int,
    number: int,
    form: int,
    progress: Callable[[float], bool],
    /,
) -> tuple[dict[str, Column], int, int]:
    """Rows of a form (enum sg_address_form) from the line at ``at`` on, before which are ``number``
    lines, up to the first line that is left to Python; where that is, and how many are before it.

    ``value``: int64, those of all rows; ``address``: uint64, the same; ``address_end``: by row, how
    many there are up to its end; ``comment``: int32, numbers of pieces; ``comment_end``;
    ``piece_start`` and ``piece_length``: where each different comment is. What it names:
    ``piece_address`` uint64, ``piece_name`` and ``piece_file`` int32, ``piece_line`` int64; -1 = it
    is no frame in the plain form. ``name_*`` and ``file_*``: where each different one is."""

def number_addresses(address: UInt64s, /) -> tuple[Column, Column]:
    """The different addresses, uint64, in the order of their first use, and (n,) int32: the place
    of each address among them."""

def name_rows(
    n_calls: int,
    call: Int32s,
    call_end: Int64s,
    comment: Int32s,
    comment_end: Int64s,
    own: Int32s,
    before: Int32s,
    /,
) -> dict[str, Column]:
    """What comments name in rows; see row_names.h."""

# dump_bindings.c

def read_dump(
    content: bytes | bytearray,
    form: int,
    read_line: Callable[[int, int], int],
    progress: Callable[[float], bool],
    /,
) -> tuple[dict[str, Column], int]:
    """A dump of a form (enum sg_dump_form) to columns, and the bytes of a line that is too long, or
    0.

    ``call_start`` int64, ``call_length`` int32: each different call; ``place_*``; ``text_*``: of
    labels. ``frame`` (2 × n) int32: call and place of each different frame; -1 - n is odd line n,
    and the least number in both places stands for frames that the dump has not. ``field`` (2 × n)
    int32: what labels are made of: a text or an odd line, and enum sg_dump_field. ``stack_start``
    int64 and ``stack`` int32, frames, as of `Samples`; ``label_stack``, ``label_field`` int32 and
    ``label_number`` int64: by label.

    ``read_line``: called with begin and end of each different line that is not in its plain form,
    which are the odd lines; returns what it is (enum sg_dump_kind). InterruptedError: stopped by
    ``progress``.
    """
