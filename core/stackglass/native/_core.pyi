"""The extension: what production Python calls. Only tests/native has more functions."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol, TypeVar

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., object])

# bindings/encoder_bindings.c: protobuf. Columns are bytes of native integers, as array.tobytes()
# gives them. ValueError for columns of unequal length, references out of range and impossible field
# numbers.

def encode_int(field: int, value: int, /) -> bytes:
    """One int64; nothing if it is 0."""

def encode_bytes(field: int, content: bytes, /) -> bytes:
    """A string or a message, even if empty."""

def encode_frame(message: bytes, /) -> bytes:
    """The message with its length in front, as the socket carries it."""

def encode_strings(field: int, strings: list[str], /) -> bytes:
    """A repeated string; what has no UTF-8 becomes '?'."""

def encode_rows(
    field: int,
    columns: tuple[tuple[int, bytes], ...],
    nested_field: int = ...,
    nested_columns: tuple[tuple[int, bytes], ...] = ...,
    /,
) -> bytes:
    """One message a row: a varint field for each (field, u64s), and a nested message of more."""

def encode_samples(
    field: int,
    parents: bytes,
    locations: bytes,
    nodes: bytes,
    values: tuple[bytes, ...],
    labels: bytes,
    label_sets: tuple[bytes, ...],
    /,
) -> bytes:
    """pprof samples out of a tree of stacks, leaf first; location n gets the id n + 1.

    ``parents`` and ``locations`` are u32 (n_nodes,), node 0 the empty stack; ``nodes`` and
    ``labels`` u32 (n_samples,); each of ``values`` u64 (n_samples,). ``labels`` points into
    ``label_sets``, encoded labels that are put in as they are.
    """

# bindings/inject_bindings.c: entering another process. See inject/inject.h.

def inject(
    pid: int,
    threads: tuple[int, ...],
    ranges: tuple[tuple[int, int, bool], ...],
    entrances: tuple[int, int, int, int, int],
    library: bytes,
    libpython: bytes | None,
    symbol: bytes,
    arguments: bytes,
    signals: tuple[int, int],
    timeout_ns: int,
    meanwhile: Callable[[], None],
    /,
) -> tuple[int, int, int, int, int, int, int, str]:
    """Load a library into a process and call its entry; releases the GIL.

    ``meanwhile`` is called on this thread while the tracer works. If it raises, that is raised, and
    the tracer continues.

    ``signals`` are the masks of the signals that the process handles, and that it ignores.
    ``ranges`` are (start, end, may wait), ``entrances`` the addresses of dlopen, dlsym, dlerror,
    __errno_location and of a system call instruction. Returns enum sg_injection_status, errno,
    the entry's value, the thread that was used, the number of stops at which a thread could not be
    used, the time for which the thread was stopped and the time of the search before that in ns,
    and the loader's or the failed step's text.
    """

def read_filters(thread: int, /) -> tuple[bytes, ...]:
    """The system call filters of a thread, newest first, each an array of struct sock_filter.

    Stops the thread for some 100 us; releases the GIL. Raises OSError: EACCES without
    CAP_SYS_ADMIN, or if the calling thread has a filter itself.
    """

# bindings/agent_bindings.c: the engine in this process. See agent/agent.h and agent/self_profile.h.

def enter(arguments: bytes, /) -> int:
    """Start the engine. ``arguments`` is NUL-separated key=value fields. Returns 0, 1 if an engine
    is there already, or -errno.

    With ``wait=1`` it releases the GIL, and returns when samples are taken or after two seconds.
    """

def self_profile_start(hz: int, clock: str, wall_hz: int = 0, /) -> None:
    """Begin a CPU profile of this process; returns when samples are taken. Releases the GIL.

    Raises BlockingIOError if there is one already, RuntimeError if none can be begun, ValueError
    for an unknown clock.
    """

def self_profile_take() -> bytes | None:
    """Take what the profile has so far; it runs on. Returns its framed messages since the last
    call; None if there is no profile. Raises MemoryError if they became too many. Releases the
    GIL."""

def self_profile_stop() -> bytes | None:
    """End the profile. Returns its framed messages since they were last taken; None if there is no
    profile. Raises MemoryError if they became too many. Releases the GIL."""

def begin_exempt() -> bool:
    """Count the calling thread's work as the engine's until ``end_exempt``: its allocations are not
    sampled. False: that was so already, and ``end_exempt`` must not be called."""

def end_exempt() -> None: ...

# bindings/program_bindings.c: the program's requests to its own engine. connect, set_own_rate and
# withdraw start the engine if it is absent, release the GIL, and raise RuntimeError with the reason
# if they fail.

def connect() -> int:
    """Connect to the engine as a client. Returns the descriptor of a blocking socket."""

def set_own_rate(name: str, value: int, /) -> None:
    """Request a rate for the program: heap, block, mutex, gil or threadcreate; 0 = request none.

    Returns when the rate is in force. Raises RuntimeError if nothing can be recorded at it.
    """

def learn_labels() -> None:
    """Make a running engine read the label sets of stackglass.api.labels from now on."""

def count_lock_waits() -> tuple[int, int, int] | None:
    """Lock waits that have ended since locks were hooked: their number, their ns, and the ns that
    the block profile's samples stand for. None = locks are not hooked."""

def count_arenas() -> int:
    """Arenas of the interpreter's small-object allocator; -1 = the interpreter does not say."""

def count_blocks() -> int:
    """Blocks of that allocator in use, once an engine runs; -1 = not known: from 3.12 on while
    there are several interpreters."""

def set_stack_depth(depth: int, /) -> int:
    """Frames that an engine which this program starts keeps of a stack, 16 to 1024; 0 = 192.
    Returns the old number."""

def withdraw() -> None:
    """Withdraw all rates; the engine leaves if no other client is there."""

# bindings/custom_bindings.c: values of the profiles that the program fills. Only count_stack may
# run Python code: the weak references' callbacks of code objects that it releases.

def custom_profile(name: str, /) -> int:
    """The number of the profile ``name``; -1 = there are too many, or memory is short. Raises
    ValueError if the name has a NUL or cannot be encoded."""

def count_stack(profile: int, stack: tuple[object, ...], /) -> int:
    """Count a value with this stack. Returns the stack's slot, or -1 if the value is lost because
    there is no room. ``stack``: four items for each frame, leaf first: code object, offset of its
    instruction in bytes, and any two."""

def uncount_stack(slot: int, /) -> None:
    """Count one value less in ``slot``; -1 does nothing."""

# bindings/label_block.c: what is behind `with stackglass.labels(...)`.

class LabelBlock:
    """A block of code, or a function, whose samples carry labels. See stackglass.api.labels."""

    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: object, trace: object, /) -> None: ...
    def __call__(self, function: _F, /) -> _F: ...

class MakeLabelBlock(Protocol):
    """``stackglass.labels``."""

    def __call__(self, **labels: str | int) -> LabelBlock: ...

def make_label_block(
    variable: ContextVar[_T],
    cache: dict[tuple[object, ...], _T],
    add: Callable[[_T, dict[str, str | int]], _T],
    decorate: Callable[[dict[str, str | int], _F], _F],
    /,
) -> MakeLabelBlock:
    """The function that makes label blocks. ``cache`` has (label set, key, value, ...) with the
    label set that adding those labels makes; ``add`` makes what is not there, ``decorate`` is what
    a call of a block does. Once for each module object. Raises ImportError."""

# bindings/region_block.c: the type behind `with stackglass.region(...)`.

class RegionBlock:
    """A block of code, or a function, that memory traces show. See stackglass.api.regions."""

    def __init__(self, name: str, /) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: object, trace: object, /) -> None: ...
    def __call__(self, function: _F, /) -> _F: ...

def make_region_block(decorate: Callable[[str, _F], _F], /) -> type[RegionBlock]:
    """The type of regions; ``decorate`` is what a call does. Raises ImportError."""

# bindings/unsample_bindings.c: see heap/sampling.h.

def heap_unsample(allocs: int, size_bytes: int, rate: int, /) -> tuple[int, int]:
    """The objects and bytes that samples stand for."""
