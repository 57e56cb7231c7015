"""End of a recording: writes what was recorded, and reports what is missing or notable."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from stackglass.errors import AttachError
from stackglass.record.lenient_output import write_text
from stackglass.record.outputs import CPU, HEAP_KINDS, MEMORY, WALL, Output, write_outputs
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress, describe_incomplete, describe_unfollowed
from stackglass.record.session import RecordingSession
from stackglass.wire.heap_profile import describe_forgotten
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording

PARTLY = 4
"""The exit status if some of the profiles could not be recorded, and the others were."""
_NOTABLE_NS = 1_000_000_000
_NOTABLE_SHARE = 10
"""A recording that misses its duration by more than this, and by more than a tenth, says so."""
_NOT_BEGUN = "the recording ended before it could begin: the engine did not get the GIL"


def say(text: str) -> None:
    """Write a line to standard error, if it is open. Any thread."""
    write_text(sys.stderr, f"stackglass: {text}\n")


def write(session: RecordingSession, plan: Plan, progress: Progress) -> int:
    """Write the profiles that were recorded, and report the others. Returns 0, or PARTLY.

    Raises AttachError if none was recorded, OutputError (a memory trace's after all others are
    written).
    """
    session.flush_memory()
    recording = session.recording
    recorded = list_recorded(plan, recording)
    missing = _describe_missing(plan.outputs, recording)
    if not recorded and session.failure is not None:
        raise session.failure
    if not recorded:
        raise AttachError(f"not recorded: {missing}")
    # A flight recorder has written and reported its files when its triggers fired.
    written = [each for each in recorded if each.profile != MEMORY or plan.window is None]
    write_outputs(written, recording, plan.view, progress)
    if missing:
        say(f"not recorded: {missing}")
    if plan.duration_ns is not None and session.is_over:
        _report_covered(plan.duration_ns, recorded, recording)
    if recording.cpu.why_stopped and any(output.profile == CPU for output in recorded):
        say(f"the CPU profile ends before the recording: {recording.cpu.why_stopped}")
    if recording.wall.why_stopped and any(output.profile == WALL for output in recorded):
        say(f"waiting threads were not sampled until the end: {recording.wall.why_stopped}")
    contention = recording.contention.status
    if contention is not None and contention.tasks_problem and _has_asyncio(recorded):
        say(f"waits and stalls of asyncio's tasks may be missing: {contention.tasks_problem}")
    if any(output.profile in HEAP_KINDS for output in recorded):
        for line in describe_unfollowed(recording):
            say(line)
        if recording.heap.status is not None:
            counts = recording.heap.status
            for line in describe_forgotten(counts.n_displaced, counts.n_lost_frees):
                say(line)
    if any(output.profile == MEMORY for output in recorded):
        for line in describe_incomplete(recording, plan.request.has_native):
            say(line)
    for variable in plan.request.variables:
        if not recording.has_label(variable.rpartition(":")[2]):
            say(
                f"--label-var {variable}: no sample has it; is it a ContextVar of that module, set "
                "to a str or an int?"
            )
    _report_collections(session, plan)
    if session.failure is not None:
        raise session.failure
    return PARTLY if missing else 0


def _has_asyncio(recorded: list[Output]) -> bool:
    return any(output.profile in ("tasks", "stalls", "mutex") for output in recorded)


def list_recorded(plan: Plan, recording: Recording) -> list[Output]:
    """The outputs for which an ended recording has a profile."""
    return [output for output in plan.outputs if not _find_problem(output, recording)]


def _find_problem(output: Output, recording: Recording) -> str:
    """Why the ended recording has no such profile; empty = it has."""
    refusal = output.find_problem(recording)
    return refusal or ("" if output.has_begun(recording) else _NOT_BEGUN)


def _describe_missing(outputs: Iterable[Output], recording: Recording) -> str:
    """``gil (why), block and mutex (why)``; empty = none."""
    profiles: dict[str, list[str]] = {}
    for output in outputs:
        problem = _find_problem(output, recording)
        if problem:
            profiles.setdefault(problem, []).append(output.profile)
    return ", ".join(f"{' and '.join(names)} ({why})" for why, names in profiles.items())


def _report_covered(asked_ns: int, recorded: list[Output], recording: Recording) -> None:
    """Report profiles that were recorded for notably more or less time than requested."""
    covered = {output.profile: output.find_covered(recording) for output in recorded}
    least_ns = max(_NOTABLE_NS, asked_ns // _NOTABLE_SHARE)
    if any(abs(ns - asked_ns) > least_ns for ns in covered.values()):
        times = ", ".join(f"{profile} {ns / 1e9:.1f} s" for profile, ns in covered.items())
        say(f"requested {asked_ns / 1e9:g} s, recorded: {times}")


def _report_collections(session: RecordingSession, plan: Plan) -> None:
    recording = session.recording
    if not plan.has_heap or recording.heap.problem:
        return
    if plan.is_collecting and not session.is_collected:
        say("--gc: the collection did not finish in time; the heap is written without it")
    status = recording.heap.status
    if plan.view is HeapView.AS_OF_FULL and (status is None or not status.n_full):
        say("--as-of-gc: no full collection was seen; the heap is written as it is now")
