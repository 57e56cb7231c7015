"""What users of other viewers type into the command palette of a live session."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.presenter.settings.command_search import rank_commands
from stackglass_viewer.presenter.settings.command_words import ANSWERS
from stackglass_viewer.view.dialogs.command_palette import Offer, list_actions
from stackglass_viewer.view.widgets.shown_text import strip_mnemonics
from stackglass_viewer.view.window.page_commands import list_offers

pytestmark = pytest.mark.gui

WaitUntil = Callable[[Callable[[], bool]], None]

FIRST = {
    # memory: memray, pprof, speedscope
    "heap": "Heap ▸ Sites",
    "memory": "Heap ▸ Sites",
    "mem": "Heap ▸ Sites",
    "leak": "Heap ▸ Sites",
    "alloc": "Heap ▸ Allocated, space",
    "malloc": "Heap ▸ Allocated, space",
    "inuse": "Heap ▸ Sites",
    "objects": "Heap ▸ Types",
    "rss": "Timeline",
    "gc": "Collect garbage",
    "memory trace": "Example of memory",
    # locks, threads, tasks: pprof, py-spy, Firefox
    "lock": "Contention ▸ Block",
    "locks": "Contention ▸ Block",
    "mutex": "Contention ▸ Mutex",
    "contention": "Contention ▸ Block",
    "block": "Contention ▸ Block",
    "deadlock": "Contention ▸ Waiting now",
    "gil": "Contention ▸ GIL",
    "thread": "Threads…",
    "goroutine": "Contention ▸ Threads now",
    "dump": "Contention ▸ Threads now",
    "task": "Contention ▸ Tasks",
    "asyncio": "Contention ▸ Tasks",
    # time
    "cpu": "Sample type ▸ cpu",
    "wall": "Sample type ▸ wall",
    "off-cpu": "Sample type ▸ wall",
    "rate": "CPU rate…",
    "hz": "CPU rate…",
    "record": "Attach…",
    "attach": "Attach…",
    "pid": "Attach…",
    "stop": "Detach",
    "pause": "Pause or resume",
    # views
    "flame": "Flame graph",
    "flamegraph": "Flame graph",
    "icicle": "Graph ▸ Shape ▸ Root on top (icicle)",
    "left-heavy": "Graph ▸ Order of frames ▸ By cost",
    "top": "Table",
    "sandwich": "Sandwich",
    "callers": "Sandwich",
    "peek": "Sandwich",
    "invert": "Graph ▸ First row ▸ Callees first (inverted)",
    "bottom-up": "Graph ▸ First row ▸ Callees first (inverted)",
    "tree": "Call tree",
    "graph": "Call graph",
    "list": "Source",
    "annotate": "Source",
    "hotspot": "Summary",
    "timeline": "Timeline",
    "heatmap": "Over time",
    "zoom": "Show everything",
    # filters and comparisons
    "focus": "Filter by pattern, label, thread, time…",
    "ignore": "Filter by pattern, label, thread, time…",
    "search": "Find",
    "diff": "Compare…",
    "compare": "Compare…",
    "baseline": "Keep as a base",
    "collapse recursion": "Filter frames ▸ Collapse recursion",
    "only my code": "Filter frames ▸ Only my code",
    "collapse library": "Filter frames ▸ Collapse the selected package or library",
    # files
    "export": "Export…",
    "svg": "Export…",
    "png": "Save picture…",
    "speedscope": "Export…",
    "save": "Save…",
    "download": "Save…",
    "merge": "Open several as one…",
    # appearance and help
    "theme": "Colours ▸ Theme ▸ Follow the desktop",
    "dark": "Colours ▸ Theme ▸ Dark",
    "color": "Colours ▸ Colours ▸ By package",
    "colorblind": "Colours ▸ Palette ▸ Colour-blind safe",
    "shortcuts": "Keys and mouse",
    "help": "Keys and mouse",
}


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> WindowSession:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: session.page.live is not None and session.live.bar.rates is not None)
    wait_until(lambda: session.document.info is not None and session.page.types.count() > 1)
    return session


def list_commands(session: WindowSession) -> list[Offer]:
    menus = list_actions(session.app.window.menuBar())
    return [
        *((command, action.trigger) for command, action in menus),
        *list_offers(session.page),
    ]


def find(session: WindowSession, text: str) -> list[str]:
    commands = [command for command, _ in list_commands(session)]
    return [commands[place].title for place in rank_commands(commands, text)]


def run(session: WindowSession, title: str) -> None:
    (found,) = [each for command, each in list_commands(session) if command.title == title]
    found()


def test_each_word_finds_what_it_should_first(session: WindowSession) -> None:
    commands = [command for command, _ in list_commands(session)]
    first = {}
    for word in FIRST:
        ranked = rank_commands(commands, word)
        first[word] = commands[ranked[0]].title if ranked else ""
    assert first == FIRST


def test_heap_finds_everything_about_the_heap(session: WindowSession) -> None:
    found = find(session, "heap")
    assert found[0] == "Heap ▸ Sites"
    for title in (
        "Sample type ▸ heap",
        "Heap ▸ In use, space",
        "Heap ▸ Allocated, objects",
        "Heap rate…",
        "Heap rate ▸ 512 KiB",
        "Heap rate ▸ Off",
        "Stop heap sampling",
        "Example of memory",
    ):
        assert title in found, title
    assert find(session, "heap rate")[0] == "Heap rate…"


def _list_titles(action: QAction, path: tuple[str, ...]) -> list[str]:
    here = (*path, strip_mnemonics(action.text()))
    menu = action.menu()
    if not isinstance(menu, QMenu):
        return [" ▸ ".join(here[1:])]
    inside = [title for each in menu.actions() for title in _list_titles(each, here)]
    return [" ▸ ".join(here[1:]), *inside]


def test_every_answer_is_a_command(session: WindowSession) -> None:
    """Or a submenu of commands; also of entries that are disabled now."""
    bar = session.app.window.menuBar()
    titles = {title for action in bar.actions() for title in _list_titles(action, ())}
    for command, _ in list_offers(session.page):
        parts = command.title.split(" ▸ ")
        titles.update(" ▸ ".join(parts[: n + 1]) for n in range(len(parts)))
    titles |= {title.replace("Start ", "Stop ") for title in titles if title.startswith("Start ")}
    titles |= {title.replace("Stop ", "Start ") for title in titles if title.startswith("Stop ")}
    titles.add("Download debug information…")  # it says why where it is disabled
    answers = {title for named in ANSWERS.values() for title in named}
    assert answers <= titles, answers - titles


def test_a_table_opens_with_its_sample_type(session: WindowSession, wait_until: WaitUntil) -> None:
    run(session, "Heap ▸ Allocated, objects")
    wait_until(lambda: session.document.info is not None and session.page.view == "heap")
    choice = session.document.heap.value
    assert (choice.is_in_use, choice.is_space) == (False, False)
    run(session, "Contention ▸ GIL")
    wait_until(lambda: session.page.view == "contention")
    assert session.document.contention.value.kind is not None
    assert session.document.contention.value.kind.name == "GIL"
    run(session, "Contention ▸ Threads now")
    assert session.page.tables.contention is not None
    assert session.page.tables.contention._grouping == "all threads"
    run(session, "Sample type ▸ cpu")
    wait_until(lambda: session.document.shown_type.name == "cpu")


def test_rates_are_chosen_started_and_stopped(
    session: WindowSession, wait_until: WaitUntil
) -> None:
    engine = session.engine
    run(session, "Stop heap sampling")
    wait_until(lambda: engine.heap_rate == 0 and "Start heap sampling" in find(session, "start"))
    run(session, "Heap rate ▸ 512 KiB")
    wait_until(lambda: engine.heap_rate == 512 << 10)
    run(session, "CPU rate ▸ 250 Hz")
    wait_until(lambda: engine.cpu_hz == 250)
    run(session, "Start lock profiles")
    wait_until(lambda: engine.contention_rates.mutex_fraction == 10)


def test_a_page_without_a_capture_offers_no_rates(app: App, session: WindowSession) -> None:
    """As that of a process that has ended."""
    session.live.bar.rates = None
    titles = [command.title for command, _ in list_offers(session.page)]
    assert "Heap ▸ Sites" in titles
    assert not [title for title in titles if "rate" in title or "Stop" in title]
