"""The viewer's extension: loops over columns. Those that may take long run without the GIL.

Arrays are numpy's, contiguous, of exactly the type named. The functions raise ValueError for
references out of range and for lengths that differ, and TypeError for arrays of another type.
"""

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, overload

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
    """A column that the extension made. Its items are read over the buffer protocol, and cannot be
    changed."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

# decode_bindings.c

def allocate_content(n_bytes: int, /) -> bytearray:
    """Return bytes of any value, to read a file of this size into. Raises MemoryError."""

def decode_pprof(
    content: bytes | bytearray, progress: Callable[[float], bool], /
) -> dict[str, Column | int]:
    """Decode a pprof message to columns and numbers, by the names in pprof_profile.h.

    ``progress`` receives the share done and returns whether to go on. Raises ValueError, which says
    what is wrong with the content, and InterruptedError if ``progress`` stops it.
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
    """Build a tree and return columns of a CallTree: parent, frame, depth, is_recursive,
    sample_node.

    Every location must have at least one line. Raises OverflowError if inlined calls make stacks
    absurdly large, and InterruptedError if ``progress`` stops it.
    """

def sum_own(node: Int32s, weight: Int64s, own: Int64s, /) -> None:
    """Add weights to nodes, in place: ``own[node[i]] += weight[i]`` for each i."""

def add_up(parent: Int32s, total: Int64s, /) -> None:
    """Add every node's value to those of its ancestors, in place."""

def sum_frames(
    frame: Int32s,
    is_recursive: Bools,
    own: Int64s,
    total: Int64s,
    flat: Int64s,
    cum: Int64s,
    /,
) -> None:
    """Add the values of nodes to ``flat`` and ``cum``, (n_frames,), of their frames. Node 0 is left
    out."""

def sum_topmost(parent: Int32s, frame: Int32s, is_match: Bools, total: Int64s, /) -> int:
    """Sum the totals of the nodes that have a matching frame, and no such node above them."""

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
    """Enter nodes into a hash table with -1 in all slots. ``is_recursive``: None = it is not
    wanted."""

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
    """Find or make a node for each of the engine's nodes from ``first`` on. Returns how many nodes
    there are then."""

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
    """Place boxes and return the columns of a FlameLayout. ``rank`` is (n_frames,), whether it is
    used or not. ``before``: the box of each node in an earlier layout, -1 = none. Nodes beyond its
    end had no box; an empty ``before`` keeps no order."""

def thin_out(
    row_start: Int32s, left: Float64s, right: Float64s, node: Int32s, cell: float, /
) -> dict[str, Column]:
    """Merge narrow boxes and return the columns of ThinBoxes."""

def fill_rows(
    row_start: Int32s,
    left: Float64s,
    right: Float64s,
    node: Int32s,
    viewport: tuple[float, float, float, int, int, int],
    paint: tuple[Int32s, UInt32s, int, int],
    image: UInt32s,
    /,
) -> None:
    """Paint the rows that a viewport shows. ``paint``: the frame of each node, the colour of each
    frame, the colour of the root, and that of the background."""

def find_labels(
    row_start: Int32s,
    left: Float64s,
    right: Float64s,
    node: Int32s,
    viewport: tuple[float, float, float, int, int, int],
    min_width_px: int,
    /,
) -> dict[str, Column]:
    """Find the boxes with room for a name, and return the columns of LabelBoxes."""

def draw_names(
    sheet: tuple[UInt32s, int, int, int, float],
    names: tuple[Int32s, Int32s, Float64s, Int32s, UInt32s],
    pixels: UInt32s,
    width_px: int,
    height_px: int,
    /,
) -> None:
    """Draw names over the pixels. ``sheet``: coverage, width and height of a cell, place of the pen
    in it, advance. ``names``: glyphs, their ends by name, left and top of each name, its colour."""

# heap_bindings.c

def unsample(
    objects: Int64s,
    size_bytes: Int64s,
    rate: UInt64s,
    scaled_objects: Int64s,
    scaled_bytes: Int64s,
    /,
) -> None:
    """Fill the last two columns with what the samples stand for. ``rate``: the sampling rate of
    each, in bytes. See heap_estimates.h."""

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
    """Find the calls in successive stacks of a thread. Returns their columns parent, node, begin,
    end and own; call 0 is the whole.

    ``parent`` and ``depth`` are columns of the tree; ``node``, ``begin`` and ``end`` are columns of
    stretches, which are in order and do not overlap. A pause of up to ``gap`` ends no call.
    """

def nest_spans(
    thread: Int32s, begin: Float64s, end: Float64s, frame: Int32s, deepest: int, /
) -> dict[str, Column]:
    """Find the stacks of nested spans. Spans are grouped by thread, and within a thread ordered by
    begin, the longest first.

    Returns ``parent`` and ``frame``, int32, of the trees of stacks, in which a thread's empty stack
    (-1 and -1) comes before its others; and for each interval in which a stack did not change
    ``node``, int32, ``begin`` and ``end``, float64.

    A span that ends after the one around it is cut off at that one's end. Raises ValueError if more
    than ``deepest`` spans are open together.
    """

# event_bindings.c

def decode_event_block(
    payload: bytes | memoryview, packing: int, raw_bytes: int, /
) -> dict[str, Column]:
    """Decode a block of the memory trace, which docs/session-file.md describes, to its events in
    order.

    Each row is one event: kind uint8, time_ns int64, tid uint32, address uint64, size uint64, stack
    uint32, type uint32, domain uint8, other uint64. ``packing``: 0 = plain, 1 = LZ4; ``raw_bytes``:
    the size of the unpacked block. Raises ValueError, which says what is wrong with the block.
    """

def unpack_lz4(packed: bytes | memoryview, raw_bytes: int, /) -> bytes:
    """Unpack an LZ4 block of exactly ``raw_bytes``, at most 16 MiB. Raises ValueError if it is
    none."""

# memory_bindings.c, memory_survey_bindings.c, memory_live_bindings.c

class StartBlocks:
    """The objects of a trace's start snapshot, which replays share; see memory_start.h. One thread
    fills it. Once it is frozen, any thread may read it."""

    def __new__(cls, seed: int, /) -> StartBlocks:
        """``seed``: the seed of its hash tables."""

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
        """Add the objects among further events of the snapshot. Raises ValueError if there are too
        many."""

    def finish(self) -> None:
        """End the adding. From then on replays may begin from it."""

    def freeze(self) -> None:
        """Record no more deaths and types. The caller has replayed the whole trace."""

    def find(self, address: int, /) -> tuple[int, int | None] | None:
        """Return the numbers of the events in which the block at an address was born and ended. No
        end = it lives on; None = there is no block. A block that gets another type ends there, too.
        """

    def split(self, step: int, /) -> Column:
        """Return the address of every ``step``-th block, except the first, as uint64."""

class Replay:
    """Live blocks of a memory trace, to which its events are applied. One thread at a time may use
    it; calls of another thread meanwhile raise RuntimeError."""

    def __new__(cls, seed: int, begin_ns: int, bin_ns: int, n_bins: int, /) -> Replay:
        """``seed``: the seed of its hash tables. ``n_bins``: 0 = nothing is counted; otherwise it
        makes a survey, with rates in so many bins of time."""

    def begin_from(self, start: StartBlocks, /) -> None:
        """Use the snapshot's objects from there, in place of copies. To be called before any event
        is applied. A replay before they are frozen records their deaths there. Raises ValueError if
        they are not finished."""

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
        """Apply events in their order. Raises ValueError for a block larger than any address
        space."""

    def counters(self) -> dict[str, int]:
        """Return counts of blocks, events and losses, by the names in memory_bindings.c."""

    def take_peak(self) -> tuple[int, int, int]:
        """Return the peak since the last call: the bytes of objects, the number of events applied
        until then, and the time in ns."""

    def pack(self) -> tuple[Column, Column]:
        """Return the content and the groups of a checkpoint; see memory_checkpoint.h."""

    def load(self, content: UInt8s, groups: UInt64s, /) -> None:
        """Replace all blocks by those of a checkpoint. Raises ValueError if it is damaged."""

    def pack_delta(self) -> tuple[Column, Column]:
        """Return the content and the groups of a delta: what has changed since the last checkpoint
        or delta; see memory_delta.h."""

    def apply_delta(self, content: UInt8s, groups: UInt64s, /) -> None:
        """Apply a delta to the state in which it began. Raises ValueError if it is damaged."""

    def live(self, space: int, low: int, high: int, is_own: bool, /) -> dict[str, Column]:
        """Return the columns of LiveBlocks: the blocks that reach into addresses from ``low`` to
        ``high``, exclusive. ``is_own``: leave out start blocks."""

    def sum_live(self) -> tuple[dict[str, Column], dict[str, Column]]:
        """Sum live objects by stack and type. Returns the sums of those born in the trace, and of
        those born before it."""

    def resolve(self, address: UInt64s, birth_event: Int64s, type: UInt32s, /) -> None:
        """Set the types of live blocks that have none. A block is found by its address and by the
        event of its birth."""

    def begin_map(self, *arguments: object) -> None:
        """Begin to draw a heap map. Arguments: the axis (start, size, position), the window (low,
        high), which key is drawn, n_rows, moment_ns, and the output columns live_bytes and key."""

    def end_map(self) -> tuple[Column, Column]:
        """Finish the heap map. Returns keys and their bytes, added up over the columns: a row for
        each key in each row of the map; none for ages."""

    def take_sites(self) -> dict[str, Column]:
        """Return the columns of SiteSums."""

    def take_site_step(self) -> dict[str, Column]:
        """Return the allocations by site since the last call."""

    def take_rates(self) -> dict[str, Column]:
        """Return the allocations by bin of time and type."""

    def count_lines(self, line_of: UInt32s, n_joined: int, /) -> None:
        """Count births by line as well, from now on. ``line_of``: the line of each stack, 0 = none;
        ``n_joined`` > 0: so many bins of time are joined into one."""

    def take_line_rates(self) -> dict[str, Column]:
        """Return the allocations by bin of time and line."""

    def take_lifetimes(self) -> tuple[dict[str, Column], tuple[int, int]]:
        """Return the freed blocks by lifetime, and the number and bytes of freed blocks that were
        born before the trace."""

    def take_proofs(self) -> dict[str, Column]:
        """Return the types that were proven since the last call."""

    def take_wide(self, is_last: bool, /) -> dict[str, Column]:
        """Return the objects larger than a granule that have ended since the last call.
        ``is_last``: return those that live, too."""

    def take_step(self, patience: int, is_key: bool, /) -> dict[str, Column] | None:
        """Return a step of the granule log; None if more than ``patience`` granules have changed,
        so that the caller can wait."""

    def list_granules(self) -> dict[str, Column]:
        """Return the numbers of the granules, by index."""

# memory_map_bindings.c

def draw_granules(
    map: tuple[object, ...], log: tuple[object, ...], first: int, /
) -> tuple[Column, Column]:
    """Draw a heap map from the granule log, and return what `Replay.end_map` returns. ``map``: the
    arguments of `Replay.begin_map`; ``log``: its columns in the order of memory_map_bindings.c;
    ``first``: the first step to draw, which is the log's first or a key step."""

def find_in_checkpoint(content: UInt8s, groups: UInt64s, space: int, address: int, /) -> int:
    """Return the number of the event in which the block at an address was born; -1 = there is no
    block."""

def find_removed(content: UInt8s, space: int, address: int, /) -> bool:
    """Whether the block that was at an address as a delta began has ended in it."""

def classify_sizes(size: UInt64s, /) -> Column:
    """Return the class of each size, (n,) uint32; see memory_raster.h."""

# go_bindings.c

def read_go_batch(
    content: bytes | memoryview, ticks: int, n_arguments: UInt8s, is_wanted: UInt8s, /
) -> dict[str, Column]:
    """Return the wanted events of a batch, in columns: kind, ticks, first, second, third.
    ``n_arguments``: (256,) by event code, 0 = there is no such event. Raises ValueError for a batch
    that is cut off, has an unknown event code, or a time of more than 64 bits."""

def size_go_objects(
    pages: tuple[UInt64s, UInt64s, UInt64s, int, int, int],
    kind: UInt8s,
    address: UInt64s,
    size: UInt64s,
    slot: UInt32s,
    first: int,
    /,
) -> tuple[int, int]:
    """Set the address and size of objects to those of their slots; see go_events.h. ``pages``:
    keys, bases, slots, the number of used keys, the bytes of a page, and the seed of the hash.
    Returns the first event that was not processed because the table could become more than half
    full, or the number of events; and the number of used keys."""

def enter_go_pages(
    pages: tuple[UInt64s, UInt64s, UInt64s, int, int, int],
    wider: tuple[UInt64s, UInt64s, UInt64s, int, int, int],
    /,
) -> None:
    """Copy a table of pages into a larger one, which is empty."""

# json_bindings.c

def find_items_end(content: bytes | bytearray, at: int, n_bytes: int, /) -> int:
    """Find the end of items in a list or object of JSON, in which an item begins at ``at``. Returns
    the place of its first comma at or after ``at + n_bytes``, or of the bracket that ends it; the
    content's length if it is cut off."""

def read_json_rows(content: bytes | bytearray, begin: int, end: int, /) -> Column | None:
    """Return the numbers of a list's items, (n,) int64; -1 for null. None = an item is something
    else, is below 0 or is written otherwise than in digits."""

def read_json_floats(content: bytes | bytearray, begin: int, end: int, /) -> Column | None:
    """Return the numbers of a list's items as float64; 0 for null. None = an item is something
    else, has an exponent, or has more digits than are read exactly."""

def read_json_table(
    content: bytes | bytearray, begin: int, end: int, names: tuple[bytes, ...], /
) -> tuple[Column, ...] | None:
    """Read the members of a list's objects. Returns two columns for each name: how many numbers
    each object has, (n,) int32, and the numbers of all objects, int64. ``names``: at most 16 names
    of members that are a number or, with ``[]`` behind the name, a list of numbers. Numbers may be
    in quotes. None = an object has other members, or is written in another form."""

# perf_bindings.c

def read_perf_lines(
    content: bytes | bytearray, progress: Callable[[float], bool], /
) -> dict[str, Any]:
    """Read the text of perf script into columns.

    ``thread_start`` uint32 and ``thread_length`` int32 say where the words of each different thread
    are, from its program's name to its number. The columns ``event_*``, ``command_*``, ``name_*``
    and ``file_*`` say the same of each different event, of each line with a command, and of the
    name and file of each different place. If ``place_has_tab``, uint8, is 1, the name is the
    place's whole text and the file is empty; some such places may be equal to others.
    ``place_sample`` int64: the first sample that has the place.
    ``thread`` and ``event``, int32, ``time_ns`` and ``period``, int64, are by sample; -1 = not
    printed. ``stack_start`` int64 and ``stack`` int32, places, are as in `Samples`. ``is_cut``: the
    last sample has no end.
    ``fault``: "", or why the reading ended: "line", a line in another form, from ``fault_begin`` to
    ``fault_end``; "length", a line of more than 1 MiB; "events", more different events than are
    read; "value", a value that an int64 cannot hold. ``fault_number``: for these the line, counted
    from 1, the bytes of the line, the most events, and the value.

    ``progress`` is called as by `decode_pprof`. Raises InterruptedError if it stops the reading.
    """

# text_bindings.c

def read_stack_lines(
    content: bytes | bytearray, n_values: int, progress: Callable[[float], bool], /
) -> dict[str, Any]:
    """Read collapsed stacks into columns: ``main;work 5``, with one or two values in every line.

    ``frame_begin`` uint32, ``frame_bytes`` int32: the place of an occurrence of each different
    frame; ``none``: the frame that stands for those of an empty stack, -1 = no stack is empty.
    ``value_0`` and ``value_1``, int64, are by stack; ``stack_start`` int64 and ``stack`` int32 are
    as in `Samples`. ``odd_row``, ``odd_begin``, ``odd_end`` int64: the rows whose values have more
    digits than are read here, and their lines. ``misfit_number``, ``misfit_begin``, ``misfit_end``:
    the first line that is no stack, where reading ended; number 0 = none. ``refused_bytes``: the
    size of a line longer than 1 MiB, whose first MiB was read as a line; 0 = none.
    ``has_fractions``: 1 = some values have a fraction.

    ``progress`` is called as by `decode_pprof`. Raises InterruptedError if it stops the reading.
    """

def read_austin_lines(
    content: bytes | bytearray, most_times: int, progress: Callable[[float], bool], /
) -> dict[str, Any]:
    """Read Austin's text into columns. A row is a different stack of a thread.

    ``thread_begin`` uint32, ``thread_bytes`` int32: the place of each different ``P4711;T0:4712``.
    ``row_thread`` int32: the thread of each row; ``sums`` (4 × n) int64: for one row after another
    its samples, bytes, ns of a processor and ns. ``timed_row`` int32, ``begin_us``, ``time_us``,
    ``memory_bytes`` int64, ``is_idle`` int32: of each sample, unless there are more than
    ``most_times``; the last two are empty if all are 0. ``remark_number``, ``remark_begin``,
    ``remark_end`` int64: the lines that begin with ``#``. ``plain_from``: the number of such lines
    before the first sample, if that has only a time although the mode is "full"; otherwise -1.
    ``has_overflow``: 1 = the misfit is a sample, but 64 bits cannot hold the sums or the time with
    it. ``none``: -1. The other columns and ``progress`` are as in `read_stack_lines`, with a stack
    for each row.
    """

def decode_pieces(
    content: bytes | bytearray, start: Int64s | Column, length: Int64s | Column, /
) -> list[str]:
    """The text of each piece of the content; bytes that are not UTF-8 are replaced."""

# texts_bindings.c

class Texts(Sequence[str]):
    """A table of texts that takes a few bytes for each, and makes a string of one that is read.

    Raises ValueError for a text that is added to a sealed table, and MemoryError beyond 4 GiB of
    UTF-8."""

    def __init__(self) -> None: ...
    def add(self, text: str, /) -> int:
        """The number of a text, which is added if it is new. A text that was appended is found only
        if the table has grown since."""

    def append(self, text: str, /) -> None: ...
    def append_pieces(
        self, content: bytes | bytearray, start: Int64s | Column, length: Int64s | Column, /
    ) -> None:
        """Append each piece of the content; bytes that are not UTF-8 are replaced."""

    def seal(self) -> None:
        """Free what look-ups need; no text can be added then. Halves of surrogate pairs, which
        UTF-8 does not have, become U+FFFD."""

    @overload
    def __getitem__(self, number: SupportsIndex, /) -> str: ...
    @overload
    def __getitem__(self, numbers: slice, /) -> Sequence[str]: ...
    def __len__(self) -> int: ...

# callgrind_bindings.c

def read_callgrind(
    content: bytes | bytearray,
    alias: Int32s,
    read_header: Callable[[int, int, int], tuple[int, int, tuple[int, ...]]],
    progress: Callable[[float], bool],
    /,
) -> tuple[dict[str, Column], tuple[int, int, int, int], int, bool]:
    """Read callgrind's format. Returns columns; a fault (callgrind_names.h; 0 = none) with the
    number, begin and end of its line; the bytes of a line that is too long, or 0; and whether the
    text ends before the cost of a call.

    Columns by function: ``object``, ``file`` and ``name`` (numbers of texts), ``line``, and for
    each event ``own``. Columns by call: ``caller``, ``callee``, ``n_calls``, and for each event
    ``caused``. ``text_start`` uint32 and
    ``text_length`` int32 say where each text is.

    ``alias``, (n,): for each of the first n texts the text to take in its place, itself or an
    earlier one. ``read_header`` is called with begin, end and number of each other line. It returns
    the number of positions in the lines below, the index of the line number among them (-1 = none),
    and a factor for each event. Raises InterruptedError if ``progress`` stops the reading."""

def find_cycles(start: Int64s, callee: Int32s, /) -> tuple[Column, int]:
    """Find cycles of calls. Returns for each function a number that the functions of one cycle
    share, (n_functions,) int32; and how many functions are in cycles with others. ``start``: where
    the calls of each function begin in ``callee``, and where those of the last end."""

# address_bindings.c

def read_address_rows(
    content: bytes | bytearray | memoryview,
    at: int,
    number: int,
    form: int,
    progress: Callable[[float], bool],
    /,
) -> tuple[dict[str, Column], int, int]:
    """Read rows of a form (enum sg_address_form) from the line at ``at`` on, before which are
    ``number`` lines, up to the first line that is left to Python. Returns columns, where that line
    is, and how many lines are before it.

    ``value`` int64 has the values of all rows; ``different`` uint64 the different addresses in the
    order of their first use, and ``address`` int32 the place among them of each address of all
    rows; ``address_end`` says how many addresses there are up to the end of each row. ``comment``
    int32 has the comments of all rows, as numbers of pieces; ``comment_end`` is like
    ``address_end``. ``piece_start`` uint32 and ``piece_length`` int32 say where each different
    comment is, and ``piece_address`` uint64, ``piece_name`` and ``piece_file`` int32,
    ``piece_line`` int64 what it names; -1 = it is no frame in the plain form. ``name_*`` and
    ``file_*`` say where each different name and file is. Raises InterruptedError if ``progress``
    stops the reading."""

def read_thread_stacks(
    content: bytes | bytearray, at: int, number: int, progress: Callable[[float], bool], /
) -> tuple[dict[str, Column], int, int]:
    """Read threads of `threadz`, as `read_address_rows` reads rows; see thread_stacks.h.

    ``different`` uint64: the different addresses of calls, in the order of their first use;
    ``call`` int32: the calls of all stacks, leaf first, as their places among these; ``call_end``
    and ``count`` int64: where each stack ends in ``call``, and how many threads have it."""

def number_addresses(address: UInt64s, /) -> tuple[Column, Column]:
    """Return the different addresses, uint64, in the order of their first use, and the place of
    each address among them, (n,) int32."""

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
    """Find what comments name in rows; see row_names.h."""

# massif_bindings.c

def read_massif_tree(
    content: bytes | bytearray, at: int, number: int, progress: Callable[[float], bool], /
) -> tuple[dict[str, Any], int, int]:
    """Read the tree of massif's format that begins at ``at``, before which are ``number`` lines.
    Returns columns, where the tree ends, and how many lines are before that.

    ``frame_start`` uint32 and ``frame_length`` int32 say where the text of each different node is.
    ``stack_start`` int64 and ``stack`` int32, frames from the allocation on, are as in `Samples`;
    ``value`` int64 is by stack. ``fault``: an enum sg_massif_fault and its value; then the reading
    ended before the line with the fault. Raises InterruptedError if ``progress`` stops the
    reading."""

# dump_bindings.c

def read_dump(
    content: bytes | bytearray,
    form: int,
    read_line: Callable[[int, int], int],
    progress: Callable[[float], bool],
    /,
) -> tuple[dict[str, Column], int]:
    """Read a dump of a form (enum sg_dump_form) into columns. Returns them, and the bytes of a line
    that is too long, or 0.

    ``call_start`` uint32 and ``call_length`` int32 say where each different call is; ``place_*``
    and ``text_*`` say the same of places and of the texts of labels. ``frame`` (2 × n) int32: call
    and place of each different frame. There -1 - n means odd line n, and the least int32 in both
    stands for frames that the dump leaves out. ``field`` (2 × n) int32: what labels are made of, a
    text or an odd line, and an enum sg_dump_field. ``frame_stack`` and ``field_stack`` int32: the
    stack in which each comes first. ``stack_start`` int64 and ``stack`` int32, frames, are as in
    `Samples`.
    ``label_stack``, ``label_field`` int32 and ``label_number`` int64 are by label.

    An odd line is a line that is not in a plain form. ``read_line`` is called with begin and end of
    each different one, and returns what it is (enum sg_dump_kind). Raises InterruptedError if
    ``progress`` stops the reading.
    """
