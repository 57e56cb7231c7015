"""Lanes of the timeline: their names, lines and colours."""

from __future__ import annotations

from typing import NamedTuple

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.metrics.lanes import LaneKey
from stackglass_viewer.presenter.settings.palettes import spread_hues


class LaneLine(NamedTuple):
    """A line of a lane, or a layer of a stacked one."""

    key: str
    caption: str
    tool_tip: str
    place: int  # index of its colour in ``spread_hues``; -1 = the colour of pseudo-frames
    is_dashed: bool = False


class LaneChoice(NamedTuple):
    """A lane of the timeline that the user can choose."""

    key: LaneKey
    title: str
    tool_tip: str
    lines: tuple[LaneLine, ...]


# Indices of the hues that the flame graph of the wall clock has for these states.
_RUNNING, _LOCK, _GIL, _CALL, _PROCESSOR, _SUSPENDED = range(6)
_GENERATIONS = (
    LaneLine("0", "generation 0", "Of new objects", _CALL),
    LaneLine("1", "generation 1", "Of objects that survived at most one collection", _PROCESSOR),
    LaneLine("2", "generation 2", "Of all objects: full collections", _GIL),
)
CHOICES = (
    LaneChoice(
        "threads",
        "Threads",
        "Average number of threads in each state",
        (
            LaneLine("running", "running", "On a processor, or ready for one", _RUNNING),
            LaneLine("gil", "GIL", "Waiting for the GIL", _GIL),
            LaneLine("lock", "lock", "Waiting for a lock, an event or a queue", _LOCK),
            LaneLine("call", "system call", "In another system call", _CALL),
            LaneLine("unknown", "unknown", "The system does not report the state", -1),
        ),
    ),
    LaneChoice(
        "tasks",
        "Tasks",
        "Average number of asyncio tasks in each state",
        (
            LaneLine("running", "running", "A thread runs it", _RUNNING),
            LaneLine("ready", "ready", "The event loop is about to run it", _PROCESSOR),
            LaneLine("suspended", "suspended", "It awaits something", _SUSPENDED),
        ),
    ),
    LaneChoice(
        "waits",
        "Waiting threads",
        "Average number of waiting threads, by what they wait for",
        (
            LaneLine("gil", "GIL", "For the GIL", _GIL),
            LaneLine(
                "processor", "processor", "For a processor, as the kernel counts it", _PROCESSOR
            ),
            LaneLine(
                "locks",
                "locks",
                "For locks, queues and threads: all waits that have ended, whatever the rate",
                _LOCK,
            ),
            LaneLine(
                "sampled",
                "locks, sampled",
                "The same waits, as the block profile estimates them",
                _LOCK,
                True,
            ),
        ),
    ),
    LaneChoice(
        "queue",
        "Run queue",
        "Average wait of a runnable thread for a processor",
        (LaneLine("turn", "wait for a turn", "Before each turn on a processor", _PROCESSOR),),
    ),
    LaneChoice(
        "collections",
        "Collections",
        "Garbage collections per second",
        _GENERATIONS,
    ),
    LaneChoice(
        "pauses",
        "Collector pauses",
        "Share of time during which garbage collections stopped the program",
        _GENERATIONS,
    ),
    LaneChoice(
        "arenas",
        "Arenas",
        "Number of arenas of Python's own allocator",
        (LaneLine("arenas", "arenas", "Of 1 MiB each, 256 KiB up to Python 3.9", _CALL),),
    ),
)


def find_choice(key: LaneKey) -> LaneChoice:
    """Return the lane of a key."""
    return next(choice for choice in CHOICES if choice.key == key)


def colour_line(line: LaneLine, palette: Palette) -> int:
    """Return the colour of a line, 0xAARRGGBB."""
    return palette.pseudo if line.place < 0 else spread_hues(palette)[line.place]
