"""The extension of the tests: all of the engine's own, and its rooms driven by hand."""

from collections.abc import Callable
from types import CodeType
from typing import TypedDict

from stackglass.native._core import connect as connect
from stackglass.native._core import count_lock_waits as count_lock_waits
from stackglass.native._core import encode_bytes as encode_bytes
from stackglass.native._core import encode_frame as encode_frame
from stackglass.native._core import encode_int as encode_int
from stackglass.native._core import encode_rows as encode_rows
from stackglass.native._core import encode_samples as encode_samples
from stackglass.native._core import encode_strings as encode_strings
from stackglass.native._core import enter as enter
from stackglass.native._core import heap_unsample as heap_unsample
from stackglass.native._core import inject as inject
from stackglass.native._core import read_filters as read_filters
from stackglass.native._core import self_profile_start as self_profile_start
from stackglass.native._core import self_profile_stop as self_profile_stop
from stackglass.native._core import set_own_rate as set_own_rate
from stackglass.native._core import withdraw as withdraw

# cpu_bindings.c: the sampler, driven by hand; see cpu/cpu.h.

# (tid, labels, time in 10 ms, count, cpu_ns, ((code id, byte offset of the instruction), …))
Sample = tuple[int, int, int, int, int, tuple[tuple[int, int], ...]]
# (name, qualname, filename, first line, line table)
CodeInfo = tuple[str, str, str, int, bytes]

def cpu_prepare() -> str | None:
    """None, or why not; so with all that return a sentence."""

def cpu_unprepare() -> None: ...
def cpu_self_check() -> str | None: ...
def cpu_start(hz: int, clock: int, start_mono_ns: int, /) -> str | None:
    """``clock`` is one of enum sg_clock."""

def cpu_set_rate(hz: int, /) -> None: ...
def cpu_maintain() -> None: ...
def cpu_note_visited() -> None: ...
def cpu_stop() -> None: ...
def cpu_drain() -> list[Sample]: ...
def cpu_snapshot() -> list[Sample]: ...
def cpu_status() -> dict[str, int]:
    """struct sg_cpu_status; ``clock`` is its name, a str, as is ``share_error_cause``."""

def cpu_kernel_ticks_after_arming() -> tuple[int, int, int]:
    """Weights in ns of three timer ticks of a thread that is armed with perf+timer again, and was
    in a system call each time; at the third, the event is closed already."""

def cpu_wall_tick_counts(late_ns: int, slept_ns: int, ran_ns: int = 0, /) -> tuple[bool, int]:
    """Whether the ticker's signal, so late, counts for a thread that has slept and then run for so
    long; and the CPU time of a system call that did not count, in ns."""

def dump_names(wants_names: bool, /) -> list[str | None]:
    """Takes a dump of this process; returns the names of code that its job brings along."""

def dump_interpreters() -> dict[int, int]:
    """Takes a dump of this process; returns each thread's interpreter by the thread's tid."""

def dump_threads(
    budget_ns: int, between: Callable[[], object], /
) -> list[tuple[int, int, int, str, int]]:
    """Takes a dump of this process, in slices of ``budget_ns``; calls ``between`` between two of
    them. Returns tid, interpreter, depth, name and address of the lock of each row of a thread."""

def dump_leaks(budget_ns: int, between: Callable[[], object], /) -> list[tuple[str | int, bool]]:
    """Takes a dump of this process with a search for leaks, in slices of ``budget_ns``; calls
    ``between`` between two of them. Returns name or number of each task, and whether it is leaked.
    Raises RuntimeError if the search has no result."""

def cpu_adopt() -> None: ...
def cpu_disown() -> None: ...
def cpu_after_fork() -> None: ...
def recent_add(
    tid: int, labels: int, time: int, count: int, cpu_ns: int, stack: tuple[tuple[int, int], ...], /
) -> None: ...
def recent_fit(hz: int, /) -> None: ...
def recent_set_of(
    tid: int, labels: int, time: int, count: int, cpu_ns: int, stack: tuple[tuple[int, int], ...], /
) -> int: ...
def recent_claim(recent_set: int, is_claimed: bool, /) -> None: ...
def recent_drain() -> list[Sample]: ...
def recent_and_log_clear() -> None:
    """Drop the samples of both, as at the begin of a session."""

def log_limit(n_words: int, /) -> None:
    """Make the halves of the log shorter."""

def log_lose(count: int, cpu_ns: int, /) -> None: ...
def log_drain() -> list[Sample]: ...

# heap_bindings.c: the heap profiler, driven by hand; see heap/heap.h.

# allocations, their bytes, frees, their bytes
HeapSums = tuple[int, int, int, int]
# (id, enum sg_heap_kind, rate, largest size, ((code id, byte offset of the instruction), …) leaf
# first, live now, as of the last full collection, label set)
HeapBucket = tuple[int, int, int, int, tuple[tuple[int, int], ...], HeapSums, HeapSums, int]

def heap_prepare(start_mono_ns: int, depth: int = ..., /) -> str | None:
    """Prepare the heap profiler, after cpu_prepare. Returns None, or why that is not possible."""

def heap_unprepare() -> None: ...
def heap_set_rate(rate: int, /) -> None:
    """Sample one byte in ``rate`` on average; 1 = every allocation, 0 = none."""

def heap_maintain() -> None: ...
def heap_check_hooks() -> bool:
    """Return False if the hooks had been removed, and are in place again."""

def heap_adopt() -> None:
    """Do not sample allocations of the calling thread, until heap_disown."""

def heap_disown() -> None: ...
def heap_after_fork() -> None: ...
def heap_read(only_changed: bool = ..., /) -> list[HeapBucket]: ...
def heap_blocks() -> list[tuple[int, int, int]]:
    """(address, bytes, bucket) of the live sampled blocks."""

def heap_events() -> list[tuple[int, int, int, int, int, int]]:
    """(time in units of 10 ms, tid, bucket, count, bytes, is a free) since the last call."""

def heap_collections() -> list[tuple[int, int, int, int, int, int]]:
    """(start and pause in ns, generation, tid, collected, uncollectable) since the last call."""

def heap_status() -> dict[str, int]:
    """struct sg_heap_status."""

def heap_draw(rate: int, /) -> int:
    """Draw the bytes to the next sample, exponentially distributed."""

def heap_size_class(size: int, /) -> tuple[int, int]:
    """The class of a size, and the largest size of that class."""

def heap_note_malloc(address: int, size: int, /) -> None: ...
def heap_note_free(address: int, /) -> None: ...
def heap_note_realloc(old: int, new: int, size: int, /) -> None:
    """Record a realloc. If ``new`` is 0, it freed the block if ``size`` is 0; else it failed."""

def heap_entries() -> tuple[int, int]:
    """Addresses of sg_native_blocks_malloc and sg_native_blocks_free."""

def heap_fill_labels(n: int, /) -> None:
    """Record ``n`` blocks at one stack, each under a label set of its own."""

def heap_claim(is_claimed: bool, /) -> None:
    """Take the ledger's claim, so that hooks defer their records; or release the claim."""

# heap_step_bindings.c: library calls and collections, one step a call.

def heap_lose_call() -> None:
    """Make a call into a library that is followed, during which the engine detaches."""

def heap_call_library() -> int:
    """Make such a call, and return how many frames are found for it while it is under way."""

def heap_watch_collections(is_wanted: bool, /) -> bool:
    """Begin or end to watch collections beside the heap. Returns whether that is possible."""

# contention_bindings.c: contention, driven by hand; see contention/contention.h. The calling
# function is the one that has waited, or released.

# (id, enum sg_contention_kind, enum sg_primitive, lock, ((code id, byte offset), …) leaf first, the
# other stack in the same form, count, ns, longest in ns, {floor(log2(ns)): count}, the label
# sets of both)
_ContentionStack = tuple[tuple[int, int], ...]
ContentionBucket = tuple[
    int,
    int,
    int,
    int,
    _ContentionStack,
    _ContentionStack,
    float,
    float,
    int,
    dict[int, float],
    int,
    int,
]

def contention_prepare(start_mono_ns: int, depth: int = ..., /) -> str | None:
    """Prepare the profiler, after cpu_prepare. Returns None, or why that is not possible."""

def contention_unprepare() -> None: ...
def contention_after_fork() -> None: ...
def contention_learn() -> None:
    """Learn the primitive functions of modules that were imported meanwhile."""

def contention_set_rates(
    block_ns: int, mutex_fraction: int, gil_hz: int, stall_ns: int = 0, /
) -> None: ...
def contention_seed(bits: int, /) -> None:
    """Seed the random numbers by which waits and releases are sampled."""

def contention_claim(is_claimed: bool, /) -> None:
    """Take the ledger's claim, so that records are deferred; or release the claim."""

def contention_take_stack(primitive: int, /) -> int: ...
def contention_note_wait(
    kind: int,
    primitive: int,
    lock: int,
    delay_ns: int,
    stack: int = ...,
    times: int = ...,
    labels: int = ...,
    /,
) -> None:
    """Record ``times`` waits. ``labels``: the label set of ``stack``, if that is not 0."""

def contention_note_mutex(
    primitive: int, lock: int, waiters: list[tuple[int, int]], times: int = ..., /
) -> None:
    """Record ``times`` releases. ``waiters``: (a taken stack or 0, delay in ns), 64 at most."""

def contention_note_gil(holder: int, codes: list[int], n_waits: int, delay_ns: int, /) -> None: ...
def contention_lock(address: int, primitive: int, /) -> int: ...
def contention_lock_died(address: int, /) -> None: ...
def contention_read(only_changed: bool = ..., /) -> list[ContentionBucket]: ...
def contention_events() -> list[tuple[int, int, int, float, float]]:
    """(time in units of 10 ms, tid, bucket, count, ns) since the last call."""

def contention_locks(first: int = ..., /) -> list[tuple[int, int, int, int]]:
    """(number, enum sg_primitive, address, is dead) of the locks from number ``first`` on."""

def contention_status() -> dict[str, int]:
    """struct sg_contention_status."""

def contention_primitives() -> list[tuple[str, str, str, int]]:
    """(name, owner, frame's name, code id) by enum sg_primitive."""

def contention_whole(total: float, /) -> int:
    """A sum as it is sent: truncated, but at least 1."""

def lock_names_go_on(budget_ns: int, max_steps: int, /) -> bool:
    """Look for names of numbered locks for some time. Returns whether there is more to do."""

def lock_name(lock: int, /) -> str:
    """The name of a numbered lock; "" = none is known."""

def lock_names_forget() -> None: ...

# asyncio_bindings.c: hooks of asyncio.

def asyncio_open() -> None:
    """After contention_prepare: asyncio_maintain may put hooks on."""

def asyncio_close() -> None: ...
def asyncio_after_fork() -> None: ...
def asyncio_are_due() -> bool: ...
def asyncio_maintain() -> bool:
    """Hooks on or off, as the rates want it; a look at loops that stall. Whether they are on."""

def asyncio_check() -> str:
    """What of asyncio the program has replaced, looked for anew; empty = none."""

def asyncio_begin_stall() -> int:
    """A callback begins; its number. At most 16 in a process."""

def asyncio_end_stall(number: int, /) -> None: ...
def asyncio_sample_stalls() -> None:
    """Take the stacks that are due."""

def asyncio_waits() -> int:
    """How many tasks wait."""

# census_bindings.c: objects by type.

class CensusResult(TypedDict):
    problem: str
    n_slices: int
    n_restarts: int
    is_whole: bool
    n_objects: int
    types: list[tuple[str, int, int]]  # name, count, bytes
    blocks: list[tuple[int, int, int, str]]  # address, size, bucket, type or ""

def census_go_on(budget_ns: int, max_steps: int, /) -> bool:
    """Begin a census, or continue it. Returns whether it is done."""

def census_abandon() -> None:
    """End the census, and forget its results."""

def census_result() -> CensusResult: ...

# lock_bindings.c: hooks of locks, waiters and holders.

def lock_install() -> str | None:
    """Patch the methods of locks, after cpu_prepare and contention_prepare. Returns None, or why
    that is not possible."""

def lock_remove() -> None: ...
def lock_learn() -> None: ...
def lock_after_fork() -> None: ...
def lock_source() -> str:
    """How a free lock is recognised: "state word" or "try first"; "" = not installed."""

def lock_forget_words() -> None:
    """Try each lock without blocking first, until the next install."""

def lock_holder(lock: object, /) -> int:
    """The tid of the thread that took the lock last and has not released it; 0 = not known."""

def lock_note_rest(tid: int, /) -> tuple[int, int]:
    """Note how the thread rests. Returns whether it is asleep, and whether that has a timeout."""

def lock_rests_yet(tid: int, /) -> bool:
    """Whether the thread has not run since lock_note_rest."""

def lock_look_begin() -> None:
    """Begin a snapshot of waiters and holders, with waits from before the hooks."""

def lock_look_go_on(budget_ns: int, /) -> list[tuple[int, str, int, int, int, int]] | None:
    """Make one slice of the snapshot; a budget of 0 makes the smallest. Returns None, or in the end
    rows (tid, primitive, number of the lock or wait target, since when in ns or 0, holder's tid or
    0, whether the holder is inferred from a ``with`` block)."""

def lock_waits() -> list[tuple[int, str, int, int, int]]:
    """(tid, primitive, number of the lock, since when in ns, tid of the holder or 0)"""

def other_waits_install() -> None:
    """Patch other calls that block (sleep, sockets, select …): kind "other"."""

def other_waits_remove() -> None: ...

# outside_bindings.c: reading stacks without a signal.

def outside_walk(tid: int, /) -> tuple[str, int, tuple[tuple[int, int], ...]]:
    """One read of the thread's frames without the GIL: (result, CPU clock in ns, leaf first)."""

def outside_walk_freed_state() -> tuple[bool, int] | None:
    """A walk of a thread with another GIL, whose state is gone from its base frame on: was it cut
    short, and how many frames it has. None where no state has a base frame. After cpu_prepare."""

def outside_armed_in_round() -> int | None:
    """A round of the outside sampler, in which the calling thread is armed, runs, and is put
    outside again. Returns by how many ns the end of the round changes up to where the thread's CPU
    time is booked; None if the thread was not armed. The reader must not run."""

def outside_owed_after_arming() -> int | None:
    """The time that the next tick of a perf event would add to its period, in ns, after the calling
    thread was outside with some of it left, and was armed; None if it was not armed."""

def outside_counts() -> dict[str, int]: ...

# native_alloc_bindings.c: memory past Python's allocators.

def thread_starts() -> list[tuple[int, int, int]]:
    """Threads that C code has started since the last call: thread, starter, whether Python's."""

def native_alloc_redirect() -> str | None: ...
def native_alloc_maintain() -> None: ...
def native_alloc_pause_ms(most_ms: int, /) -> int: ...
def native_alloc_measure() -> dict[str, int]: ...
def native_alloc_restore() -> None: ...
def native_alloc_after_fork() -> None: ...
def native_alloc_register_after_fork() -> None: ...
def native_alloc_status() -> dict[str, int]: ...
def private_allocators_status() -> dict[str, int]: ...
def resident(before_attach_bytes: int, in_use_bytes: int, /) -> tuple[int, int, int]:
    """Resident now, at most so far, and unaccounted, bytes; see platform/process_memory.h."""

# race_bindings.c: races between two threads.

def self_profile_begins() -> str | None:
    """Why a self profile did not start that the writer began while its starter gave up."""

def self_profile_gives_up() -> tuple[str | None, bool, str | None]:
    """Why no self profile started, could the writer begin it afterwards, why the next one did
    not start."""

def lock_wait_end_errno(error: int, /) -> int | None:
    """errno, ``error`` before, of a thread that has waited for the claim of the table of waits."""

def gate_wait_differs(n: int, /) -> int:
    """Of n waits at a gate that another thread finds shut all the time: those whose result differs
    from what the gate says afterwards."""

def sampler_back_and_outside(is_first: bool, /) -> bool:
    """The calling thread reports that it has unblocked the signal and asks for none again, before
    the sampler's thread has looked; unless ``is_first``, another thread has reported the same.
    Returns whether it is sampled from outside."""

# writer_bindings.c: the writer's own turns.

def self_profile_stops_beside_request() -> tuple[bool, bool]:
    """Another thread posts a request in the turn in which a self profile ends, so that the engine
    stays: does the stop return, and is the engine there then?"""

# loop_bindings.c: parts of the evaluation loop.

def loop_has_part(start: int, end: int, address: int, /) -> bool:
    """Is the address in a part of the loop, if the loop lies at start? After unwind_build."""

# step_bindings.c: steps that are races in real life, one call each. Times are CLOCK_MONOTONIC's,
# ns.

def log_active() -> int:
    """The half of the sample log that handlers write to, 0 or 1."""

def log_try_enter(half: int, /) -> bool:
    """Enter it as a handler does. False if it is not the active one any more: it is not entered."""

def log_leave(half: int, /) -> None: ...
def log_turn() -> bool:
    """False if a writer is in the half that would be read."""

def tick_send(to_tid: int, slot_tid: int, /) -> bool:
    """Send one thread a tick for another one's slot. False if there is no such slot."""

def tick_count() -> int:
    """Ticks that handlers have taken so far, of threads that live. After cpu_start."""

def lock_wait_begin(address: int, since: int, /) -> int:
    """A waiter of a lock that need not exist. Its entry; 0 = there is no room."""

def lock_wait_end(entry: int, /) -> None: ...
def lock_wait_labels(address: int, began: int, now: int, /) -> list[int]:
    """As lock_wait_charge: the label sets of the rows."""

def lock_wait_charge(address: int, began: int, now: int, /) -> list[int]:
    """What a release at ``now`` is charged for each waiter, by a hold since ``began``."""

def lock_hold_first(address: int, /) -> None:
    """The lock's first waiter is about to wait."""

def lock_hold_release(address: int, fraction: int, now: int, /) -> tuple[int, int]:
    """A release. Its draw (SG_HOLD_IS_… of locks/sampling.h), and since when it is charged."""

def lock_hold_weight(began: int, now: int, fraction: int, /) -> float: ...
def raw_allocator() -> tuple[bool, bool, bool]:
    """Is it the interpreter's own, is it traced, may it be."""

def raw_allocator_poll(n: int, /) -> int:
    """Whether it is traced, without the GIL: how often it was."""

def gil_holder(gil: int, /) -> int:
    """The thread state that has the GIL at an address, as an engine thread reads it; 0 = none."""

def gil_engine_holds(duration_ns: int, /) -> None:
    """Hold the GIL as an engine's thread does, while others wait for it."""

def engine_threads_end(n: int, /) -> int: ...
def first_thread_start(ns: int, /) -> int: ...
def joined_threads_counted(n: int, /) -> int: ...
def fork_warning_open() -> None: ...
def fork_warning_maintain() -> None: ...
def creations_open() -> None: ...
def creations_close() -> None: ...
def creations_record(ident: int, /) -> None: ...
def started_thread_name(function: object, /) -> str: ...
def creations_take() -> int: ...
def creations_before() -> int: ...
def creations_look() -> list[int]: ...
def task_creations_open() -> None: ...
def task_creations_close() -> None: ...
def task_creations_after_fork() -> None: ...
def task_creations_find(task: object, /) -> tuple[tuple[tuple[int, int], ...], int, bool]:
    """The creator's stack, leaf first, () = not known; its thread; is the task older?"""

def births_are_due(now_ns: int, /) -> bool: ...
def creations_enter() -> bool: ...
def creations_leave() -> None: ...
def fork_handlers_register() -> None: ...
def fork_gate_is_free() -> bool: ...
def fork_gate_is_free_after_late_reset() -> bool:
    """In a child that was forked while a thread was in the gate, before the handlers existed, and
    that was reset when it was entered."""

def take_gil_in_fork() -> None: ...
def took_gil_in_fork() -> bool: ...
def gil_engine_jobs(n: int, hold: int, tail: int, patience: int, /) -> list[int]:
    """Jobs of the calling thread, which is the engine's: it waits for the GIL, has it for ``hold``
    while another thread waits, and for ``tail`` after it has said that it gives it. What each has
    charged to the program. All in ns."""

def gil_engine_takes_twice(patience_ns: int, /) -> int | None:
    """How many waits are counted of one thread that waits while the engine has the GIL, then the
    program, then the engine again. None if no thread has come to wait."""

def gil_holder_frees_its_state() -> bool:
    """Whether this thread seems to hold the GIL while another one that held it frees its state; up
    to 3.11, after `cpu_prepare`."""

def native_stripe() -> int: ...
def native_steps(n_threads: int, n_steps: int, size: int, rate: int, /) -> int:
    """How many of the steps of threads without the GIL are sampled, at that rate."""

def heap_stripe() -> int:
    """Where the steps between samples are counted for the calling thread."""

# frames_bindings.c: offsets of interpreters, code objects, names of functions.

def layout_for(minor: int, debug_offsets: bytes = ..., /) -> dict[str, int] | str:
    """Offsets of 3.minor, or why they are not known."""

def cpu_layout() -> dict[str, int]:
    """Offsets of this interpreter, once prepared."""

def code_info(code: CodeType, /) -> CodeInfo: ...
def code_lines(code: CodeType, step: int, end: int, /) -> list[int]:
    """The lines of instructions 0, step, 2 × step … before end; 0 = none."""

def code_id(code: CodeType, /) -> int: ...
def code_alive(number: int, /) -> CodeType | None: ...
def code_tombstones() -> list[tuple[int, CodeInfo]]:
    """Number and info of numbered code objects that died since the last call, newest first."""

def pseudo_name(number: int, /) -> str | None: ...
def full_name(
    paths: tuple[str, ...], main_file: str | None, filename: str, qualname: str, /
) -> str:
    """``module.qualname`` for a file under one of ``paths``."""

def read_attribute(object: object, name: str, how: str, /) -> object:
    """As the engine reads it: "plain", "general", or "call" for a method's result; None if there
    is none."""

# callable_bindings.c: functions as Cython, pybind11 and nanobind make them. Codes are addresses.

def make_pybind11(
    name: str, codes: tuple[int, ...], definition_word: int, is_record_wrong: bool, /
) -> object:
    """A PyCFunction with an overload for each code. ``definition_word``: where its record has the
    definition, which depends on pybind11's version."""

def make_nanobind(name: str, code: int, dispatcher: int, /) -> object: ...
def make_cython(qualname: object, code_object: object, code: int, /) -> object: ...
def find_function_names(
    codes: tuple[int, ...], budget_ns: int, /
) -> tuple[dict[int, tuple[str, str, int]], int]:
    """Names, files and first lines by code, and how many slices of the search it took. ``codes`` in
    ascending order; once prepared."""

def close_while_searching() -> tuple[bool, bool]:
    """Close the engine's stream while a search is open, then its worker: whether the search is
    still open after each."""

# job_bindings.c: jobs of the GIL worker, and its callback at the exit.

def run_collection() -> None:
    """Run the job of a requested collection."""

def enable_exit_hook() -> bool: ...
def disable_exit_hook() -> None: ...

# inject_rules_bindings.c: the rules of entering a process, without a process.

def may_inject(
    machine: str, registers: bytes, code: bytes, ranges: tuple[tuple[int, int, bool], ...], /
) -> bool:
    """Whether a thread with these registers may be used. ``machine``: x86_64, aarch64.

    ``registers`` are those of NT_PRSTATUS; ``code`` is what lies before and at the program
    counter, the size of a system call instruction each.
    """

def call_registers(
    machine: str, registers: bytes, function: int, first: int, second: int, stack_top: int, /
) -> tuple[bytes, int]:
    """The registers changed so that function(first, second) is called, and the address of the
    stack slot that must hold the return address 0; 0 = a register holds it."""

def system_call_registers(
    machine: str, registers: bytes, address: int, number: int, first: int, /
) -> bytes:
    """The registers changed so that one step makes system call number(first, 1, 2, 3, 4, 5)."""

# label_bindings.c: labels, and the context variables that hold them.

def contextvars_prepare() -> str:
    """Learn the layout of contexts. Returns why they cannot be read; "" = they can."""

def contextvars_find(variable: object, /) -> tuple[int, int]:
    """Find ``variable`` in the calling thread's context. Returns 0 = not set, 1 = found or
    2 = unreadable, and the value's address or 0. Raises TypeError if it is no ContextVar."""

def labels_learn() -> bool:
    """Look for the program's label sets. Returns whether they are known."""

def labels_forget() -> None: ...
def labels_read() -> tuple[int, int, int]:
    """The number of the calling thread's label set, read in place and from copies; and how many
    label sets could not be read so far."""

def tasks_learn() -> None:
    """Look for asyncio's tasks; needs what ``prepare`` finds."""

def tasks_forget() -> None: ...
def variables_request(text: str, /) -> None:
    """Request context variables as labels: "module:VAR", separated by commas."""

def tasks_read(n_times: int = ..., /) -> tuple[str | list[tuple[str, str]] | None, ...]:
    """The name of the calling thread's task, as a handler reads it (so often) and as a thread with
    the GIL does; how many could not be read."""

def tasks_limit(n_names: int, n_numbered: int, /) -> None: ...
def labels_copy(first: int, /) -> tuple[list[tuple[int, str, str]], int]:
    """(set, key, value) of the labels from set ``first`` on, 512 sets at most; and the number of
    the first set that was not copied."""

# unwind_bindings.c: unwind tables of this process, unwind entries of any bytes.

_UnwindRule = tuple[str, int, int, int, str, int]
"""Kind of the CFA, register, offset, addend; where the frame pointer is saved, offset."""

def unwind_build() -> tuple[int, int, int, int, int]:
    """Make the tables of all loaded objects, or take in what has changed. Objects with rows, and
    without; rules, rows, bytes."""

def unwind_close() -> bool:
    """False if a reader is inside."""

def unwind_decode(content: bytes, /) -> tuple[int, str, int, int, int, int] | None:
    """Of the instruction that the bytes begin with: length; kind of its effect, register to,
    register from (16 = none), amount; a bit for each register that gets an unknown value. None if
    it is not known, or not all of it is there."""

def unwind_forward(
    code: bytes,
    address: int,
    start: int,
    is_behind_call: bool = ...,
    row_from: int = ...,
    row_to: int = ...,
    /,
) -> list[tuple[int, _UnwindRule, bool]] | None:
    """The walk from ``start`` through code that lies at ``address``, where [row_from, row_to) has
    the row of a function's entry: address and rule of each visited instruction, and whether it is
    behind a call. None = it is not known how the stack is left."""

def unwind_forward_find(
    address: int, later_s: float = ..., /
) -> tuple[_UnwindRule, _UnwindRule, bool] | None:
    """The rule of code without a row before and after the engine's thread has been there, so much
    later by its clock, and whether a function may return there. None without tables."""

def unwind_forward_close() -> None: ...
def unwind_hash_made_code(low: int, high: int, /) -> int | None:
    """The hash of these bytes; None if they cannot be read or are too many."""

def unwind_watch_made_code(low: int, high: int, hash: int, /) -> bool:
    """Watch these bytes. False if they have another hash now, or if there is no room."""

def unwind_fork_inside(n: int, /) -> tuple[int, int]:
    """Fork at least n times in the middle of a change of the tables. The number of forks, and of
    children that have unmapped anything."""

def unwind_fork_between() -> int:
    """Pages that a child unmaps which is forked between two changes of the tables."""

def unwind_enter() -> bool:
    """Go inside as a reader; False if there are no tables."""

def unwind_leave() -> None: ...
def unwind_walk(n: int, /) -> tuple[tuple[tuple[int, int], ...], float]:
    """The calling thread's stack with C frames, leaf first, and the time of each of n walks in
    ns. After cpu_prepare."""

def unwind_system_call(
    code: bytes, at: int, behind: int, rax: int, stack: bytes = ..., returns: int = ..., /
) -> int | None:
    """The address that stands for the system call of a thread at ``code[at]``, whose rcx is at
    ``code[behind]``; None = it is in none."""

def unwind_rule(address: int, /) -> _UnwindRule | None:
    """The rule at an address; None without tables."""

def unwind_read(
    content: bytes, address: int, entry: int, /
) -> tuple[int, int, list[tuple[int, _UnwindRule]]] | None:
    """The FDE at ``entry`` in bytes copied from ``address``: start, end, and from where on which
    rule holds. None if it is invalid."""

# trace_bindings.c: the memory trace, its event blocks, and LZ4.

def trace_begin(start_mono_ns: int, /) -> str | None:
    """Begin a memory trace, of stacks of 16 frames; None, or why not."""

def trace_end() -> bool:
    """End it, and discard what it has; False = a thread is inside a hook, so it was kept."""

def trace_hold_lane(is_busy: bool, /) -> None:
    """Let a thread be inside a hook of the memory trace, or leave it."""

def trace_settle() -> bool:
    """Wait until no thread is inside a hook; False = one still is after a second."""

def trace_set_native(is_on: bool, /) -> None:
    """Record native blocks, or no longer, in the calling thread's lane."""

def trace_native_alloc(address: int, size: int, /) -> None: ...
def trace_native_free(address: int, /) -> None: ...
def trace_fill() -> tuple[bytes, int, int, bool, bool]:
    """The next event block: payload, packing, unpacked bytes; whether it has all events up to now,
    and whether the next one begins with losses."""

def encode_event_block(
    base_ns: int,
    lanes: tuple[tuple[bool, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes], ...],
    /,
) -> tuple[bytes, int, int, int, int]:
    """An event block: payload, packing, unpacked bytes, first and last time_ns. Each lane is
    whether every event has a time (in 16 ns), and the columns kind u8, time_ns i64, tid u32,
    address u64, size u64, stack u32, type u32, domain u8, other u64, as bytes; times rise from
    ``base_ns`` on."""

def take_words_up_to_an_end() -> tuple[int, int]:
    """A lane is read up to an end that was set where a buffer is full, after another was added:
    words that were read, and those of a buffer."""

def reserve_after_losses(n: int, /) -> int:
    """Words before a row of ``n`` words in its buffer, after marks for losses in all domains; -1 if
    there is no room."""

def pack_lz4(content: bytes, capacity: int, /) -> bytes:
    """An LZ4 block; empty if it has more than ``capacity`` bytes."""

# wire_bindings.c: what the engine reads from a client, sends to it and numbers for it.

def encode_packed(field: int, u64s: bytes, /) -> bytes:
    """A packed column; nothing if it is empty."""

def read_request(
    frame: bytes, /
) -> tuple[int, int, int, int, int, int, tuple[int, int, int, int, int, int, int]]:
    """A client's request: bytes taken (0 = incomplete, -1 = nonsense), kind, protocol, CPU
    rate, heap rate, whether that is without native memory, and contention's rates: block, mutex,
    GIL, bits of those to be left alone, other waits, stalls, bits of these two to be changed."""

def intern_stacks(
    string_bytes: int, n_rows: int, stacks: tuple[tuple[str, ...], ...], /
) -> tuple[list[int], int, int, int]:
    """Nodes of stacks (root first) in tables of that size, and how many strings, locations and
    nodes there are then."""

def intern_last_rows(
    rows: tuple[tuple[int, int, int, str], ...], /
) -> tuple[list[tuple[int, int]], list[tuple[int, str]]]:
    """Rows of (thread, starter), and of (function, name), in the tables of which a key's last row
    counts, once (thread, starter, function, name) were interned in this order."""

def name_native(calls: tuple[tuple[int, int], ...], /) -> list[str]: ...
def stacks_open() -> None: ...
def stacks_close() -> None: ...
def stacks_limit(n_rows: int, /) -> None:
    """Room of the tables of functions, locations and nodes."""

def stacks_add(ids: tuple[int, ...], /) -> list[list[str]]:
    """A sample, leaf first. The stacks that have names, leaf first."""

def stacks_retry() -> list[list[str]]: ...
def stacks_request_again(id: int, /) -> None: ...
def stacks_take() -> list[int]:
    """The requested ids."""

def stacks_learn(id: int, name: str, is_dead: bool = ..., /) -> None: ...
def stacks_give_up(id: int, /) -> None: ...
def stacks_end_drain() -> int:
    """How many ids are known or requested."""

def client_flood(descriptor: int, n_bytes: int, /) -> bool:
    """Queue bytes for a client that does not read; closes the descriptor. Is the client kept?"""

# platform_bindings.c

def hash_table_count(keys: list[int], /) -> list[tuple[int, int]]:
    """(key, how often it was added) of a table of these keys; 0 is no key."""

def memory_read_foreign(address: int, /) -> int | None:
    """8 bytes, as an engine thread reads those of another thread; None if they cannot be read."""

def memory_read_fleeting(address: int, /) -> int | None:
    """4 bytes as a number; None if they, or the 4 before them, cannot be read."""

def thread_ids_of(pthread: int, /) -> tuple[int, int, int]:
    """The tid of the thread with this pthread_t, as each of three functions reads it; 0 = none."""

def sleepers_list() -> list[int]:
    """The tids of all threads but the engine's, as a list of what threads sleep on has them."""

def calls_begin(given: int, /) -> None:
    """Read the calling thread's system call filters; ``given`` is the attacher's mask, or -1."""

def calls_check() -> None:
    """Read them again."""

def calls_permitted() -> int:
    """The mask of the system calls that are permitted now."""

def status_number(label: str, /) -> int:
    """The number after a label in this thread's status; 0 = there is no such label."""

def hash_index_first(items: list[int], mask: int, /) -> list[int]:
    """For each item the first position with an equal one; its hash is the item & mask."""

def hash_index_interrupt(n: int, /) -> tuple[int, int]:
    """Interrupt an index that grows, at least n times. The number of interruptions, and of those at
    which the index had memory that was not mapped."""

# pools_bindings.c: pools of the interpreter's small-object allocator. Raise RuntimeError if they
# are not found.

def count_pools() -> tuple[int, int, list[int]]:
    """Return the numbers of arenas and of pools, and the number of live blocks of each size class:
    16, 32 … 512 bytes."""

def find_pool_block(address: int, n_arenas: int, /) -> int:
    """Return the bytes of the blocks in the pool at an address, 0 = there is no pool. ``n_arenas``:
    how many entries the array of arenas had when they were counted last."""
