"""Command words: the terms of other profilers, and the commands that answer them.

The terms are those of speedscope, pprof, hotspot, Firefox Profiler, snakeviz, FlameGraph, Perfetto,
py-spy and memray. Titles are as ``Command.title`` has them; a title also stands for the entries
of its submenu.
"""

from __future__ import annotations

from itertools import zip_longest

_HEAP = "Heap ▸ Sites"
_ALLOCATED = "Heap ▸ Allocated, space"
_TYPES = "Heap ▸ Types"
_BLOCK, _MUTEX, _GIL = "Contention ▸ Block", "Contention ▸ Mutex", "Contention ▸ GIL"
_TASKS, _STALLS = "Contention ▸ Tasks", "Contention ▸ Loop stalls"
_WAITING, _THREADS_NOW = "Contention ▸ Waiting now", "Contention ▸ Threads now"
_HEAP_RATE, _LOCK_RATES = "Heap rate…", "Lock profiles…"
_FILTER = "Filter by pattern, label, thread, time…"
_FRAMES = "Filter frames ▸ "
_INVERTED = "Graph ▸ First row ▸ Callees first (inverted)"
_CALLERS_FIRST = "Graph ▸ First row ▸ Callers first"
_TIME = "Over time"

ANSWERS: dict[str, tuple[str, ...]] = {
    # memory
    "heap": (_HEAP, "Sample type ▸ heap", _TYPES, _ALLOCATED, _HEAP_RATE, "Stop heap sampling",
             "Start heap sampling", "Example of memory"),
    "memory": (_HEAP, "Timeline", _TYPES, "Sample type ▸ heap", _HEAP_RATE, "Example of memory"),
    "leak": (_HEAP, "Timeline", _TYPES, "Marker A here", "Keep as a base", "Compare…"),
    "growth": ("Timeline", "Marker A here", "Marker B here", "Compare…"),
    "alloc": (_ALLOCATED, "Heap ▸ Allocated, objects", _HEAP, _HEAP_RATE),
    "malloc": (_ALLOCATED, _HEAP, _HEAP_RATE),
    "inuse": (_HEAP, "Heap ▸ In use, objects"),
    "object": (_TYPES, "Heap ▸ In use, objects", "Heap ▸ Allocated, objects"),
    "rss": ("Timeline", _HEAP),
    "gc": ("Collect garbage", "Timeline", _TYPES),
    "garbage": ("Collect garbage", "Timeline", _TYPES),
    # locks and threads
    "lock": (_BLOCK, "Contention ▸ Locks", _MUTEX, _WAITING, _LOCK_RATES, "Start lock profiles",
             "Stop lock profiles"),
    "mutex": (_MUTEX, _BLOCK, _LOCK_RATES),
    "block": (_BLOCK, _STALLS, _LOCK_RATES),
    "contention": (_BLOCK, "Sample type ▸ contention", _MUTEX, _GIL, _WAITING, _LOCK_RATES),
    "wait": (_WAITING, _BLOCK, "Contention ▸ Other waits", "Sample type ▸ wall", _LOCK_RATES),
    "deadlock": (_WAITING, "Summary", _BLOCK),
    "gil": (_GIL, "Lock profiles ▸ GIL: its holders and waiters", _LOCK_RATES),
    "thread": ("Threads…", _THREADS_NOW, _TIME, _WAITING, _FILTER),
    "goroutine": (_THREADS_NOW, "Threads…"),
    "dump": (_THREADS_NOW,),
    "task": (_TASKS, _THREADS_NOW, _STALLS),
    "asyncio": (_TASKS, _STALLS, "Contention ▸ Idle loops", _THREADS_NOW),
    "coroutine": (_TASKS, _THREADS_NOW),
    "stall": (_STALLS, _LOCK_RATES),
    # time and CPU
    "cpu": ("Sample type ▸ cpu", "CPU rate…", "Stop CPU sampling", "Start CPU sampling"),
    "wall": ("Sample type ▸ wall", "Wall rate…", "Start wall sampling", "Stop wall sampling"),
    "idle": ("Sample type ▸ wall", "Wall rate…", "Contention ▸ Idle loops"),
    "off-cpu": ("Sample type ▸ wall", _BLOCK, "Wall rate…"),
    "rate": ("CPU rate…", "Rate presets…", _HEAP_RATE, "Wall rate…", _LOCK_RATES),
    "frequency": ("CPU rate…", "Wall rate…"),
    "interval": ("CPU rate…", "Wall rate…", "Last 10 seconds"),
    "hz": ("CPU rate…", "Wall rate…"),
    "record": ("Attach…", "Rate presets…"),
    "start": ("Attach…", "Start CPU sampling", "Start heap sampling", "Start lock profiles",
              "Start wall sampling", "Start the demo"),
    "stop": ("Detach", "Stop CPU sampling", "Stop heap sampling", "Stop wall sampling",
             "Stop lock profiles", "Pause or resume"),
    "pid": ("Attach…",),
    "process": ("Attach…",),
    "freeze": ("Pause or resume",),
    "reset": ("Clear", "Show everything", "Views side by side ▸ Reset layout"),
    # views
    "flame": ("Flame graph", "Both"),
    "flamegraph": ("Flame graph",),
    "icicle": ("Graph ▸ Shape ▸ Root on top (icicle)", "Flame graph"),
    "top": ("Table",),
    "function": ("Table", "Heap ▸ Functions"),
    "hotspot": ("Summary", "Table"),
    "report": ("Summary", "Export…"),
    "tree": ("Call tree",),
    "caller": ("Sandwich", _CALLERS_FIRST, "Call graph"),
    "callee": ("Sandwich", _INVERTED, "Call graph"),
    "peek": ("Sandwich",),
    "pivot": ("Sandwich",),
    "invert": (_INVERTED,),
    "bottom-up": (_INVERTED, "Sandwich"),
    "top-down": (_CALLERS_FIRST, "Call tree"),
    "left-heavy": ("Graph ▸ Order of frames ▸ By cost",),
    "sort": ("Graph ▸ Order of frames ▸ By cost", "Table"),
    "graph": ("Call graph", "Flame graph"),
    "dot": ("Call graph",),
    "list": ("Source",),
    "weblist": ("Source",),
    "annotate": ("Source",),
    "line": ("Source",),
    "stack": ("Traces", _TIME, "Flame graph"),
    "trace": ("Traces", _TIME, "Open…", "Example of memory"),
    "tag": ("Labels", _FILTER),
    "timeline": ("Timeline", _TIME),
    "track": (_TIME,),
    "chart": (_TIME, "Timeline"),
    "heatmap": (_TIME,),
    "zoom": ("Show everything", "Go to the minimap"),
    "sample": ("Sample type…",),
    "type": ("Sample type…", _TYPES),
    "native": ("Native stacks", "Graph ▸ C code"),
    "cython": ("Native stacks", "Graph ▸ C code"),
    "library": ("Graph ▸ C code ▸ One frame for each library", "Native stacks"),
    "symbol": ("Download debug information…", "Native stacks"),
    # filters and comparisons
    "filter": (_FILTER, "Find", "Undo filter"),
    "focus": (_FILTER, f"{_FRAMES}Only stacks with the selected function"),
    "ignore": (_FILTER, f"{_FRAMES}Without stacks of the selected function"),
    "hide": (_FILTER, f"{_FRAMES}Without stacks of the selected function"),
    "collapse": (f"{_FRAMES}Collapse recursion",
                 f"{_FRAMES}Collapse the selected package or library"),
    "fold": (f"{_FRAMES}Collapse recursion",),
    "recursion": (f"{_FRAMES}Collapse recursion",),
    "own": (f"{_FRAMES}Only my code",),
    "search": ("Find", _FILTER),
    "regex": ("Find", _FILTER),
    "diff": ("Compare…", "Keep as a base"),
    "compare": ("Compare…", "Keep as a base"),
    "base": ("Keep as a base", "Compare…"),
    "baseline": ("Keep as a base", "Compare…"),
    "merge": ("Open several as one…", f"{_FRAMES}Merge the selected function into its callers"),
    # files
    "export": ("Export…", "Save picture…", "Save…"),
    "svg": ("Export…", "Save picture…"),
    "png": ("Save picture…", "Export…", "Copy picture"),
    "pdf": ("Save picture…", "Print…"),
    "html": ("Export…",),
    "csv": ("Export…",),
    "json": ("Export…",),
    "pprof": ("Export…", "Save…", "Open URL…"),
    "speedscope": ("Export…",),
    "collapsed": ("Export…",),
    "share": ("Export…", "Save…"),
    "save": ("Save…", "Save picture…", "Export…"),
    "download": ("Save…", "Export…", "Download debug information…"),
    "screenshot": ("Save picture…", "Copy picture"),
    "paste": ("Open from clipboard",),
    "load": ("Open…", "Open URL…"),
    "import": ("Open…", "Open URL…"),
    "server": ("Open URL…",),
    "http": ("Open URL…",),
    # appearance and help
    "theme": ("Colours ▸ Theme",),
    "dark": ("Colours ▸ Theme ▸ Dark", "Colours ▸ Theme ▸ High contrast, dark"),
    "light": ("Colours ▸ Theme ▸ Light", "Colours ▸ Theme ▸ High contrast, light"),
    "color": ("Colours ▸ Colours", "Colours ▸ Palette", "Colours ▸ Theme"),
    "colour": ("Colours ▸ Colours", "Colours ▸ Palette", "Colours ▸ Theme"),
    "colorblind": ("Colours ▸ Palette ▸ Colour-blind safe",),
    "shortcut": ("Keys and mouse",),
    "keyboard": ("Keys and mouse",),
    "help": ("Keys and mouse", "About Stackglass"),
    "version": ("About Stackglass",),
    "layout": ("Views side by side",),
    "split": ("Views side by side", "Both"),
    "vscode": ("Editor of sources ▸ VS Code",),
    "exit": ("Quit",),
}  # fmt: skip
"""Titles by word, in the order in which the commands are found."""

_LEAST_LETTERS = 3  # shorter beginnings match too many words


def find_answers(word: str) -> tuple[str, ...]:
    """Return the titles of the commands that answer a typed word, in the singular or plural."""
    return ANSWERS.get(word) or ANSWERS.get(word.removesuffix("s")) or ()


def find_begun(beginning: str) -> tuple[str, ...]:
    """Return the titles of the commands that answer words with this beginning: the first title of
    each word, then the second ones."""
    if len(beginning) < _LEAST_LETTERS:
        return ()
    lists = [titles for word, titles in ANSWERS.items() if word.startswith(beginning)]
    return tuple(title for nth in zip_longest(*lists) for title in nth if title is not None)
