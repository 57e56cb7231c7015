"""Progress of a recording on standard error: on a terminal, one line that is rewritten in place."""

from __future__ import annotations

from stackglass.record.lenient_output import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:  # a command that records nothing does not load recordings
    from collections.abc import Sequence
    from typing import TextIO

    from stackglass.wire.contention_kinds import ContentionKind
    from stackglass.wire.recording import Recording

_ERASE_LINE = "\r\x1b[K"
_LEAST_CPU_NS = 50_000_000
"""With less CPU time than this, a rate is an accident."""


def describe(recording: Recording) -> str:
    """Elapsed time, samples, loss, and the rate that was reached: ``3.2 s, 317 samples, …``."""
    parts = [
        f"{recording.duration_ns / 1e9:.1f} s",
        f"{recording.cpu.n_samples} samples",
        f"{recording.cpu.n_lost} lost",
    ]
    if recording.cpu.used_ns >= _LEAST_CPU_NS:
        n_ticks = recording.cpu.n_samples + recording.cpu.n_lost
        hz = n_ticks / (recording.cpu.used_ns / 1e9)
        parts.append(f"{hz:.0f} of {recording.cpu.hz} a CPU second")
    return ", ".join(parts)


def describe_idle(recording: Recording) -> str:
    """Why a CPU profile is empty; "" = it has samples. A server's first process often only watches
    those that do its work (gunicorn's, Flask's reloader)."""
    if recording.cpu.n_samples or recording.cpu.n_lost:
        return ""
    return (
        f"the CPU profile has no samples: the process used {recording.cpu.used_ns / 1e6:.1f} ms of "
        "CPU time. If child processes of it do the work, record those: `stackglass ps` lists them"
    )


def describe_heap(recording: Recording) -> str:
    """Elapsed time, samples, loss, and what they account for: ``3.2 s, 317 samples, …``."""
    status = recording.heap.status
    parts = [f"{recording.duration_ns / 1e9:.1f} s"]
    if status is not None:
        parts += [
            f"{status.n_samples} samples",
            f"{status.n_lost + status.n_lost_frees} lost",
            f"{status.accounted_bytes / 2**20:.1f} MiB of {status.rss_bytes / 2**20:.1f} accounted",
        ]
    return ", ".join(parts)


def describe_unfollowed(recording: Recording) -> list[str]:
    """A line for each library with an allocator that is not followed, and one for all memory that
    has no stack; no line if every library is followed."""
    status = recording.heap.status
    if status is None or not status.arena_library:
        return []
    lines = [
        f"the allocator of {name} cannot be followed: its arenas have {size / 2**20:.1f} MiB in "
        "memory, shown at the lines that reserved them"
        for name, size in zip(status.arena_library, status.arena_bytes)
    ]
    return [*lines, f"memory that is not accounted for: {status.unaccounted_bytes / 2**20:.1f} MiB"]


def describe_contention(recording: Recording, kinds: Sequence[ContentionKind]) -> str:
    """Elapsed time, events, loss, and what they add up to: ``3.2 s, 41 events, 0 lost, …``.

    Events are those of all kinds: the engine counts them together.
    """
    status = recording.contention.status
    what = "stalls" if any(kind.name == "STALL" for kind in kinds) else "waiting"
    parts = [f"{recording.duration_ns / 1e9:.1f} s"]
    if status is not None:
        contention = recording.contention
        delay_ns = sum(row.delay_ns for kind in kinds for row in contention.list_rows(kind))
        parts += [
            f"{status.n_events} events",
            f"{status.n_lost} lost",
            f"{delay_ns / 1e9:.3f} s of {what}",
        ]
    return ", ".join(parts)


def describe_creations(recording: Recording) -> str:
    """Elapsed time, threads started since the attach, and how many of them are alive."""
    rows = recording.creations
    ever, alive = (sum(rows.ever), sum(rows.alive)) if rows else (0, 0)
    return f"{recording.duration_ns / 1e9:.1f} s, {ever} threads, {alive} alive"


def describe_memory(recording: Recording) -> str:
    """Elapsed time, events, and loss: ``3.2 s, 5817872 events, 0 lost``."""
    info = recording.memory
    n_events, n_lost = (info.n_events, info.n_lost) if info else (0, 0)
    return f"{recording.duration_ns / 1e9:.1f} s, {n_events} events, {n_lost} lost"


def describe_incomplete(recording: Recording, is_native_wanted: bool) -> list[str]:
    """A line for each thing that a memory trace lacks; none if it is complete."""
    info = recording.memory
    if info is None:
        return []
    lines = []
    if not info.is_ended:
        lines.append(
            f"the memory trace ends early, after {info.n_events} events: the process or the engine "
            "ended before the rest was sent"
        )
    if info.n_lost:
        share = _describe_share(info.n_lost / (info.n_lost + info.n_events))
        lines.append(
            f"{info.n_lost} events were lost ({share}): the program allocates faster than the "
            "trace can be sent; objects that those events may have freed are marked"
        )
    if info.n_stacks_lost:
        lines.append(f"{info.n_stacks_lost} events have no stack: the table of stacks is full")
    if info.n_displaced:
        lines.append(f"another tool replaced the hooks of the trace {info.n_displaced} times")
    if info.pools_problem:
        lines.append(f"objects from before the start are not in the trace: {info.pools_problem}")
    if is_native_wanted and not info.is_native_seen:
        why = info.native_problem or "the imports of its libraries were not redirected in time"
        lines.append(f"memory of extension modules is not in the trace: {why}")
    return lines


def describe_wall(recording: Recording) -> str:
    """Elapsed time, samples of running and of waiting threads, and loss."""
    return (
        f"{recording.duration_ns / 1e9:.1f} s, {recording.cpu.n_samples} samples running, "
        f"{recording.wall.n_samples} waiting, {recording.cpu.n_lost} lost"
    )


class Progress:
    """The progress line of a terminal; elsewhere only ``announce`` writes. A terminal that has hung
    up is no error."""

    __slots__ = ("_is_shown", "_is_terminal", "_is_wanted", "_stream", "title")

    def __init__(self, stream: TextIO | None, is_wanted: bool = True) -> None:
        """``stream`` None: the descriptor was closed from the start."""
        self._stream = stream
        self._is_wanted = is_wanted
        self._is_terminal = is_wanted and stream is not None and stream.isatty()
        self._is_shown = False
        self.title = ""  # of what is recorded: the line begins with it

    def show(self, text: str) -> None:
        """Replace the progress line."""
        if self._is_terminal:
            title = f"{self.title}: " if self.title else ""
            write_text(self._stream, _ERASE_LINE + title + text)
            self._is_shown = True

    def announce(self, text: str) -> None:
        """Write a line where no terminal shows the progress."""
        if self._is_wanted and not self._is_terminal:
            title = f"{self.title}: " if self.title else ""
            write_text(self._stream, f"stackglass: {title}{text}\n")

    def clear(self) -> None:
        """Erase the progress line."""
        if self._is_shown:
            write_text(self._stream, _ERASE_LINE)
            self._is_shown = False

    def say(self, text: str) -> None:
        """Write a line that stays, if this is a terminal."""
        self.clear()
        if self._is_terminal:
            write_text(self._stream, text + "\n")


def _describe_share(share: float) -> str:
    """A share of what was lost: never 0 % of something, nor 100 % of less than all."""
    return "less than 1%" if share < 0.01 else f"{int(share * 100)}%"
