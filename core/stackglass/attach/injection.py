"""Injection: makes one thread of the target load the engine, by ptrace.

This module decides, before anything is touched, which threads to try, in which code a thread cannot
be used, and the addresses of the functions that it will call. inject/inject.c does the rest.
"""

from __future__ import annotations

import errno
import os
import time

from stackglass.attach.elf import ElfError
from stackglass.attach.errors import (
    BusyTargetError,
    InjectionError,
    ReplacedError,
    TraceDeniedError,
    UnsupportedPythonError,
)
from stackglass.attach.memory_map import Mapping, list_files
from stackglass.attach.object_file import open_object
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.process_end import EndWatch, ProcessEnd, explain_end, is_living
from stackglass.attach.standstill import find_frozen, make_stopped
from stackglass.attach.target_memory import TargetMemory
from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

ENTRY = "stackglass_enter"
SEARCH_TIMEOUT_NS = 5_000_000_000

_MAX_THREADS = 256  # that are tried; bindings/inject_bindings.c takes no more
_MAX_RANGES = 64
_LOAD_TIMEOUT_NS = 2_000_000_000  # for a program that is being started to have its libraries
_LOAD_POLL_S = 0.001
_LOADER_NAMES = ("ld-linux", "ld-2.", "ld.so", "ld-musl-")
_LOADER_STATE = 24  # bytes into struct r_debug; 0 = RT_CONSISTENT
_LIBC_NAMES = ("libc.so", "libc-2.", "ld-musl-")
# In these libraries a thread is used only during waits in which it holds no lock. libpthread locks
# its list of threads' stacks, and the entry starts a thread.
_CALLING_NAMES = ("libc.so", "libc-2.", "libpthread")
_LOCKING_NAMES = ("ld-", "ld.so", "libdl", "librt", "libgcc_s", "libstdc++", "libunwind")
_TRACER = "tracer"  # the name of the failed step if the tracer itself cannot be started
_SYSTEM_CALL_INSTRUCTION = {"x86_64": b"\x0f\x05", "aarch64": b"\x01\x00\x00\xd4"}


class _Status:
    """enum sg_injection_status."""

    RUNNING = 0
    DONE = 1
    GONE = 2
    NOT_ALLOWED = 3
    STOPPED = 4
    NO_THREAD = 5
    LOADER = 6
    FAULT = 7
    SYSTEM = 8
    REPLACED = 9


class Injection(NamedTuple):
    """How an injection went."""

    value: int  # what the entry returned
    thread: int
    n_refusals: int  # stops at which a thread could not be used
    stop_ns: int  # for how long the thread was kept from its own work
    search_ns: int  # before that: for how long a usable thread was searched for


class _Entrances(NamedTuple):
    """Addresses in the target, in the order that the extension takes them."""

    dlopen: int
    dlsym: int
    dlerror: int
    errno_location: int
    system_call: int


def inject(
    pid: int,
    library: str,
    arguments: bytes,
    *,
    threads: tuple[int, ...] | None = None,
    symbol: str = ENTRY,
    timeout_ns: int = SEARCH_TIMEOUT_NS,
    meanwhile: Callable[[], None] = lambda: None,
    proc: Proc = PROC,
) -> Injection:
    """Load ``library`` into the process and call ``symbol(arguments, size)`` there.

    ``threads`` are those that may be used; None = all. ``meanwhile`` is called on this thread while
    the tracer works; what it raises is raised. Blocks for ``timeout_ns`` and some seconds at most,
    and up to a minute where the target's thread runs in the call or waits for a processor; releases
    the GIL. Any thread.
    Raises NoSuchProcessError, TraceDeniedError, BusyTargetError (ReplacedError: another program),
    UnsupportedPythonError, InjectionError. Whatever happens, the target goes on.
    """
    watch = EndWatch(pid, proc)
    try:
        return _inject(
            pid, library, arguments, threads, symbol.encode(), timeout_ns, meanwhile, watch, proc
        )
    finally:
        watch.close()


def _inject(
    pid: int,
    library: str,
    arguments: bytes,
    chosen: tuple[int, ...] | None,
    symbol: bytes,
    timeout_ns: int,
    meanwhile: Callable[[], None],
    watch: EndWatch,
    proc: Proc,
) -> Injection:
    maps, entrances = _await_entrances(pid, watch, proc)
    signals = proc.read_status(pid)
    outcome = _core.inject(
        pid,
        tuple(proc.list_threads(pid) if chosen is None else chosen)[:_MAX_THREADS],
        list_ranges(maps),
        entrances,
        os.fsencode(library),
        _find_libpython(maps),
        symbol,
        arguments,
        (signals.caught_signals, signals.ignored_signals),
        timeout_ns,
        meanwhile,
    )
    status, error, value, thread, n_refusals, stop_ns, search_ns, text = outcome
    if status == _Status.GONE and error:
        raise explain_end(pid, ProcessEnd(True, signal=error))
    if status == _Status.REPLACED:
        raise ReplacedError(
            f"process {pid} began another program while it was being entered", "attach again"
        )
    if status == _Status.GONE and is_living(pid, proc):
        raise ReplacedError(
            f"the threads of process {pid} ended while it was being entered: it may have begun "
            "another program",
            "attach again",
        )
    if status == _Status.GONE or (status != _Status.DONE and proc.has_ended(pid)):
        raise explain_end(pid, watch.look())  # the kernel refuses to trace what has ended
    if status != _Status.DONE:
        if status == _Status.RUNNING:
            _raise_unanswered(pid, thread, proc)
        _raise_failure(pid, status, error, text, library, proc)
    return Injection(value, thread, n_refusals, stop_ns, search_ns)


def list_ranges(maps: list[Mapping]) -> tuple[tuple[int, int, bool], ...]:
    """(start, end, has calls) of the code in which a thread may hold malloc's or the loader's lock.

    "Has calls": during some system calls there (lockless_calls of the machine's table), the thread
    holds none. At most ``_MAX_RANGES``, those of the lowest addresses.
    """
    ranges: list[tuple[int, int, bool]] = []
    for mapping in maps:
        if not mapping.is_executable:
            continue
        name = mapping.name
        has_calls = name.startswith(_CALLING_NAMES)
        is_kept = (
            has_calls
            or name.startswith(_LOCKING_NAMES)
            or ("alloc" in name and ".cpython-" not in name)
            or mapping.path in ("[vdso]", "[vsyscall]", "[uprobes]")
        )
        if is_kept:
            ranges.append((mapping.start, mapping.end, has_calls))
    return tuple(ranges[:_MAX_RANGES])


def _await_entrances(pid: int, watch: EndWatch, proc: Proc) -> tuple[list[Mapping], _Entrances]:
    """The memory map and the addresses in it, once the dynamic loader is done.

    A program that was started a moment ago may have mapped libpython but not yet the C library. Or
    both are mapped, but the loader is still relocating them, and the C library cannot be used yet.
    """
    until_ns = time.monotonic_ns() + _LOAD_TIMEOUT_NS
    while True:
        maps = proc.read_maps(pid)
        loaders = [
            mapping for mapping in list_files(maps) if mapping.name.startswith(_LOADER_NAMES)
        ]
        entrances = _find_entrances(pid, maps, proc)
        is_late = time.monotonic_ns() >= until_ns
        if entrances is not None and (is_late or _is_done(pid, loaders, proc)):
            return maps, entrances
        if not maps:
            raise explain_end(pid, watch.look())
        if not loaders:
            raise UnsupportedPythonError(
                f"process {pid} has no dynamic loader: its Python was linked statically",
                "run the program with a dynamically linked Python",
            )
        if is_late:
            raise BusyTargetError(f"process {pid} is still being loaded", "try again in a moment")
        time.sleep(_LOAD_POLL_S)


def _is_done(pid: int, loaders: list[Mapping], proc: Proc) -> bool:
    """Whether no dynamic loader is at work, by its record for debuggers; True if unknown."""
    for mapping in loaders:
        try:
            with open_object(pid, mapping, proc) as file, TargetMemory(pid, proc=proc) as memory:
                address = file.find_address("_r_debug")
                if address is not None and memory.read_i32(address + _LOADER_STATE):
                    return False
        except (ElfError, OSError):
            continue  # not permitted: the entry will report it
    return True


def _find_entrances(pid: int, maps: list[Mapping], proc: Proc) -> _Entrances | None:
    """The addresses; None if one of them is missing."""
    found: dict[str, int] = {}
    system_call = 0
    for mapping in list_files(maps):
        is_libc = mapping.name.startswith(_LIBC_NAMES)
        if not is_libc and not mapping.name.startswith("libdl"):
            continue
        try:
            with open_object(pid, mapping, proc) as file:
                for name in ("dlopen", "dlsym", "dlerror", "__errno_location"):
                    address = file.find_address(name)
                    if address is not None:
                        found.setdefault(name, address)
                symbol = file.elf.find_symbol("syscall") if is_libc else None
                if symbol is not None:
                    code = file.elf.read_at(symbol.address, symbol.size or 64)
                    instruction = _SYSTEM_CALL_INSTRUCTION[os.uname().machine]
                    if instruction in code:
                        system_call = symbol.address + code.index(instruction) + file.bias
        except ElfError:
            continue
    missing = {"dlopen", "dlsym", "dlerror", "__errno_location"} - set(found)
    if missing or not system_call:
        return None
    return _Entrances(
        found["dlopen"],
        found["dlsym"],
        found["dlerror"],
        found["__errno_location"],
        system_call,
    )


def _find_libpython(maps: list[Mapping]) -> bytes | None:
    for mapping in list_files(maps):
        if mapping.name.lower().startswith("libpython"):
            return os.fsencode(mapping.path)
    return None


def _may_not_execute(pid: int, library: str, proc: Proc) -> bool:
    """Whether the file system on which the process has the library is mounted noexec."""
    try:
        return bool(os.statvfs(proc.path(pid, "root") + library).f_flag & os.ST_NOEXEC)
    except OSError:
        return False


def _raise_unanswered(pid: int, thread: int, proc: Proc) -> NoReturn:
    """A call in ``thread`` has not returned: say why, by its state and that of the others."""
    frozen = find_frozen(pid, proc)
    if frozen is not None:
        raise frozen
    state = proc.read_thread_state(pid, thread)
    others = [tid for tid in proc.list_threads(pid) if tid != thread]
    if any(proc.read_thread_state(pid, tid) == "T" for tid in others):
        raise make_stopped(pid)
    if state != "S":
        raise BusyTargetError(
            f"the loader of process {pid} is still at work: the program hardly gets a processor, "
            "or waits for a disk",
            "attach again later: the engine enters when the loader is done",
        )
    try:
        function = proc.read_bytes(pid, "task", str(thread), "wchan").decode("ascii", "replace")
    except (AttachError, OSError):
        function = ""
    where = f" (thread {thread} is in {function})" if function.strip("0") else ""
    raise BusyTargetError(
        f"the loader of process {pid} does not answer{where}",
        "another thread holds its lock: attach again later, the engine enters when it is released",
    )


def _raise_failure(
    pid: int, status: int, error: int, text: str, library: str, proc: Proc
) -> NoReturn:
    from stackglass.attach.engine_failure import explain_error  # here for start-up time

    reason = os.strerror(error) if error else text
    if status == _Status.NOT_ALLOWED:
        raise TraceDeniedError(
            f"the system forbids tracing process {pid} ({reason})",
            "run it with sudo; in a container: start the container with --cap-add=SYS_PTRACE",
        )
    if status == _Status.STOPPED:
        raise make_stopped(pid)
    if status == _Status.NO_THREAD:
        frozen = find_frozen(pid, proc)
        if frozen is not None:
            raise frozen
        if all(proc.read_thread_state(pid, tid) in ("", "D") for tid in proc.list_threads(pid)):
            raise BusyTargetError(
                f"process {pid} could not be entered: all its threads are in uninterruptible sleep "
                "(state D)",
                "they wait for a disk or a network file system: try again when that answers",
            )
        raise BusyTargetError(
            f"process {pid} could not be entered: all its threads were in C library or kernel code",
            "try again",
        )
    if status == _Status.LOADER:
        cause = ""
        if "Too many open files" in text:
            cause = explain_error(pid, errno.EMFILE, "", proc)
        elif "failed to map" in text and _may_not_execute(pid, library, proc):
            cause = (
                f"the file system of {os.path.dirname(library)} is mounted noexec; install "
                "stackglass where every user can read it, on one that is not"
            )
        elif "Cannot allocate memory" in text or "failed to map" in text:
            cause = explain_error(pid, errno.ENOMEM, "", proc)
        raise InjectionError(f"process {pid} cannot load {library}: {text}", cause)
    if status == _Status.SYSTEM and text == _TRACER:
        raise InjectionError(
            f"process {pid} could not be entered: stackglass cannot start a tracer of its own "
            f"({reason})",
            "a limit on processes or on memory may be reached (ulimit -u, ulimit -v)",
        )
    if status == _Status.SYSTEM and error == errno.ENOMEM:
        raise InjectionError(
            f"process {pid} could not be entered: {explain_error(pid, error, '', proc)}"
        )
    if status == _Status.FAULT:
        raise InjectionError(
            f"a call of {text} in process {pid} faulted and was undone",
            "the process goes on as before; please report this",
        )
    raise InjectionError(f"process {pid} could not be entered: {text} ({reason})")
