"""Sights: what each picture shows, and how to get there."""

from __future__ import annotations

from typing import NamedTuple

from walk.display import Screen

SCREEN = Screen(1280, 800, 1)


class Sight(NamedTuple):
    """A picture in each theme."""

    name: str  # of its files
    commands: tuple[str, ...]  # titles of commands, as the command palette has them, in order
    view: str = ""  # of the command line's --view, chosen first
    entry: str = ""  # of the choice of what is below the curve of a memory trace
    clicked_px: tuple[int, int] | None = None  # a place on the screen, to be clicked
    pressed: str = ""  # text of a button
    is_search: bool = False  # whether a search is typed, so that matches are marked


SUBJECTS: dict[str, tuple[Sight, ...]] = {
    # a running shop with threads
    "shop": (
        Sight("flame-graph", ("Flame graph",)),
        Sight("flame-graph-search", (), is_search=True),
        Sight("flame-graph-inverted", ("Graph ▸ First row ▸ Callees first (inverted)",)),
        Sight(
            "flame-graph-by-time",
            (
                "Graph ▸ First row ▸ Callers first",
                "Graph ▸ Shape ▸ Root at the bottom (flame)",
                "Graph ▸ Order of frames ▸ By time (first seen)",
                "Colours ▸ Colours ▸ By file",
            ),
        ),
        Sight(
            "both",
            (
                "Graph ▸ Shape ▸ Root on top (icicle)",
                "Graph ▸ Order of frames ▸ By cost",
                "Colours ▸ Colours ▸ By package",
                "Both",
            ),
        ),
        Sight("table", ("Table",)),
        Sight("call-tree", ("Call tree",)),
        Sight("sandwich", ("Sandwich",)),
        Sight("call-graph", ("Call graph",)),
        Sight("source", ("Source",)),
        Sight("traces", ("Traces",)),
        Sight("summary", ("Summary",)),
        Sight("over-time", ("Over time",)),
        Sight("timeline", ("Timeline", "Flame graph")),
        Sight("heap-sites", ("Timeline", "Heap ▸ Sites")),
        Sight("heap-functions", ("Heap ▸ Functions",)),
        Sight("heap-types", ("Heap ▸ Types",), pressed="Count objects"),
        Sight("waits-block", ("Contention ▸ Block",)),
        Sight("waits-mutex", ("Contention ▸ Mutex",)),
        Sight("waits-gil", ("Contention ▸ GIL",)),
        Sight("waits-other", ("Contention ▸ Other waits",)),
        Sight("waits-locks", ("Contention ▸ Block", "Contention ▸ Locks")),
        Sight("waits-threads-now", ("Contention ▸ Threads now",)),
        Sight("wall", (), view="wall"),
    ),
    # a running service with tasks, labels and a deadlock
    "desk": (
        Sight("labels", ("Labels",)),
        Sight("waits-tasks", ("Contention ▸ Tasks",)),
        Sight("waits-stalls", ("Contention ▸ Loop stalls",)),
        Sight("waits-idle-loops", ("Contention ▸ Idle loops",)),
        Sight("waits-now", ("Contention ▸ Block", "Contention ▸ Waiting now")),
    ),
    # the example of a memory trace
    "memory": (
        Sight("memory-heap-map", ()),
        Sight("memory-block", (), clicked_px=(260, 320)),
        Sight("memory-blocks", (), entry="Blocks of a cell"),
        Sight("memory-arenas", (), entry="Arenas"),
        Sight("memory-size-classes", (), entry="Size classes"),
        Sight("memory-rate", (), entry="Allocation rate"),
        Sight("memory-rate-table", (), entry="Allocation rate, table"),
        Sight("memory-lifetimes", (), entry="Lifetimes"),
        Sight("memory-survivors", (), entry="Survivors"),
    ),
    # a memory trace of the shop, with the states of its threads
    "states": (Sight("memory-threads", (), entry="Threads and collections"),),
    # two recordings of the shop, compared
    "comparison": (
        Sight("comparison-flame-graph", ("Flame graph",)),
        Sight("comparison-table", ("Table",)),
    ),
    # no tab, two processes to attach to, and a recent file
    "start": (
        Sight("start-page", ("Close tab",)),
        Sight("attach", ("Attach…",)),
        Sight("command-palette", ("Commands…",)),
        Sight("keys", ("Keys and mouse",)),
    ),
}
THEMES = {"light": "Colours ▸ Theme ▸ Light", "dark": "Colours ▸ Theme ▸ Dark"}
