"""Requests of a client to an engine, as framed bytes for the socket.

Each function encodes one ``ToEngine`` message: a protobuf field of ``tags.ToEngine`` that holds the
message of that kind, behind its length. ``core/stackglass/native/wire/requests.c`` decodes them.

Rates are the engine's, for all its clients: the last request of a client that is still connected
counts.
"""

from __future__ import annotations

from stackglass.native import _core
from stackglass.version import VERSION
from stackglass.wire import tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def encode_greeting() -> bytes:
    """Encode the client's first message."""
    return _frame(
        tags.ToEngine.GREETING,
        _core.encode_int(tags.Greeting.PROTOCOL, tags.PROTOCOL_VERSION)
        + _core.encode_bytes(tags.Greeting.CLIENT_VERSION, VERSION.encode()),
    )


def encode_set_cpu_rate(cpu_hz: int) -> bytes:
    """Change the process's sampling rate, for every client; 0 = off."""
    return _frame(tags.ToEngine.SET_RATES, _core.encode_int(tags.Rates.CPU_HZ, cpu_hz))


def encode_set_heap_rate(rate: int, has_native: bool = True) -> bytes:
    """Change the process's heap rate, for every client: one sample in ``rate`` bytes on average;
    1 = every allocation, 0 = off.

    ``has_native``: also what libraries allocate past Python's allocators. False does not switch it
    off if another client has requested it.
    """
    return _frame(
        tags.ToEngine.SET_HEAP_RATE,
        _core.encode_int(tags.SetHeapRate.RATE, rate)
        + _core.encode_int(tags.SetHeapRate.WITHOUT_NATIVE, not has_native),
    )


def encode_set_wall_rate(wall_hz: int) -> bytes:
    """Change the process's rate of wall samples, for every client; 0 = off."""
    return _frame(tags.ToEngine.SET_WALL_RATE, _core.encode_int(tags.SetWallRate.WALL_HZ, wall_hz))


def encode_set_native_stacks(is_on: bool) -> bytes:
    """Request stacks with C frames, for every client, or withdraw the request."""
    return _frame(
        tags.ToEngine.SET_NATIVE_STACKS, _core.encode_int(tags.SetNativeStacks.IS_ON, int(is_on))
    )


def encode_label_variables(names: Sequence[str]) -> bytes:
    """Request that the values of these context variables, ``module:VAR``, are labels."""
    text = ",".join(names).encode()
    return _frame(
        tags.ToEngine.LABEL_VARIABLES, _core.encode_bytes(tags.LabelVariables.NAMES, text)
    )


def encode_collect() -> bytes:
    """Request a full collection in the process."""
    return _frame(tags.ToEngine.COLLECT, b"")


def encode_take_census() -> bytes:
    """Request a count of the process's objects by type."""
    return _frame(tags.ToEngine.TAKE_CENSUS, b"")


def encode_set_contention_rates(
    block_rate_ns: int | None = None,
    mutex_fraction: int | None = None,
    gil_hz: int | None = None,
    has_other: bool | None = None,
    stall_ns: int | None = None,
) -> bytes:
    """Change the process's rates of contention, for every client; None = leave as it is, 0 = off.

    ``has_other``: also blocking calls other than locks, at the block rate.

    Two bit masks say what None was passed for: KEPT has a bit for each of the three rates that is
    None, CHANGED a bit for each of the two later fields that is not None. An older client sends
    neither later field, and so changes neither.
    """
    rates, later_fields = (block_rate_ns, mutex_fraction, gil_hz), (has_other, stall_ns)
    kept = sum(1 << i for i, rate in enumerate(rates) if rate is None)
    changed = sum(1 << i for i, value in enumerate(later_fields) if value is not None)
    fields = (
        (tags.SetContentionRates.BLOCK_RATE_NS, block_rate_ns or 0),
        (tags.SetContentionRates.MUTEX_FRACTION, mutex_fraction or 0),
        (tags.SetContentionRates.GIL_HZ, gil_hz or 0),
        (tags.SetContentionRates.KEPT, kept),
        (tags.SetContentionRates.HAS_OTHER, int(has_other or False)),
        (tags.SetContentionRates.STALL_NS, stall_ns or 0),
        (tags.SetContentionRates.CHANGED, changed),
    )
    content = b"".join(_core.encode_int(field, value) for field, value in fields)
    return _frame(tags.ToEngine.SET_CONTENTION_RATES, content)


def encode_take_lock_waits() -> bytes:
    """Request a snapshot of the waits-for graph."""
    return _frame(tags.ToEngine.TAKE_LOCK_WAITS, b"")


def encode_take_thread_dump(wants_leaks: bool = False) -> bytes:
    """Request a dump of all threads and tasks, with their stacks and states.

    ``wants_leaks``: also which of them nothing can ever wake. The program stops for the search.
    """
    return _frame(
        tags.ToEngine.TAKE_THREAD_DUMP,
        _core.encode_int(tags.TakeThreadDump.WANTS_LEAKS, int(wants_leaks)),
    )


def encode_take_thread_creations() -> bytes:
    """Request the stacks that started threads. The engine sends them now, whenever they change, and
    at the end."""
    return _frame(tags.ToEngine.TAKE_THREAD_CREATIONS, b"")


def encode_take_metrics() -> bytes:
    """Request a Metrics message once a second from now on."""
    return _frame(tags.ToEngine.TAKE_METRICS, b"")


def encode_take_custom_profiles() -> bytes:
    """Request the profiles that the program fills. The engine sends them now, and whenever they
    change."""
    return _frame(tags.ToEngine.TAKE_CUSTOM_PROFILES, b"")


def encode_set_memory_trace(is_on: bool, has_native: bool = True) -> bytes:
    """Begin or end a trace of every allocation and free, for this client.

    ``has_native``: also what libraries allocate past Python's allocators.
    """
    return _frame(
        tags.ToEngine.SET_MEMORY_TRACE,
        _core.encode_int(tags.SetMemoryTrace.IS_ON, int(is_on))
        + _core.encode_int(tags.SetMemoryTrace.WITHOUT_NATIVE, not has_native),
    )


def encode_snapshot_threads() -> bytes:
    """Request the stack of every Python thread, once."""
    return _frame(tags.ToEngine.SNAPSHOT_THREADS, b"")


def encode_detach() -> bytes:
    """Detach this client. Without other clients the engine then restores what it has patched, and
    leaves the process."""
    return _frame(tags.ToEngine.DETACH, b"")


def _frame(field: int, message: bytes) -> bytes:
    return _core.encode_frame(_core.encode_bytes(field, message))
