"""Longest handlers of the GUI thread, while a file loads and is used, and while samples arrive.

The budget is CPU time: no handler on the GUI thread may use more than 16 ms. A handler is an event
that Qt delivers to a receiver, with all its consequences (a paint event of the window paints every
widget). Python is called for each event, also for nested ones; the cost of that is measured before,
and subtracted. The longest gap between two ticks of a 1 ms timer is wall-clock time, which includes
other programs, so an idle window is measured for comparison. Offscreen.

    python tests/bench/bench_gui_stall.py [--quick] [--seconds 5] [--stacks-per-second 10000]
                                          [--mb 100] [--worst 3]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest import mock

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT / name) for name in ("core", "viewer", "resources", "tests")]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from gui_sessions import (  # noqa: E402 - after the path
    BATCHES_PER_SECOND,
    make_file,
    pack_contention,
    pack_heap,
    pack_session,
)
from gui_watch import Handler, WatchedApplication, calibrate  # noqa: E402 - after the path
from PySide6.QtCore import (  # noqa: E402
    QEventLoop,
    QPoint,
    QSettings,
    Qt,
    QTimer,
)
from PySide6.QtTest import QTest  # noqa: E402

from harness.synthetic_engine import SyntheticEngine  # noqa: E402
from harness.window_session import make_target  # noqa: E402
from stackglass.wire.contention_kinds import ContentionKind  # noqa: E402
from stackglass_viewer import captures as composition  # noqa: E402
from stackglass_viewer.app import App  # noqa: E402
from stackglass_viewer.presenter.live.document import LiveDocument  # noqa: E402
from stackglass_viewer.presenter.settings.contention_choices import WAITING_NOW  # noqa: E402
from stackglass_viewer.presenter.settings.palettes import (  # noqa: E402
    GraphStyle,
    choose_palette,
)
from stackglass_viewer.view.window.profile_page import ProfilePage  # noqa: E402

_SWITCH_INTERVAL_S = 0.001
_TICK_MS = 1
_WARM_UP_S = 120.0  # at most
_QUICK_MB, _QUICK_SECONDS = 20, 1.5


class Watched(NamedTuple):
    """A phase of the bench."""

    wall_ms: float  # the longest time without a tick
    n_handlers: int
    n_over: int  # handlers beyond the budget
    worst: tuple[Handler, ...]  # longest first


class Watch:
    """The longest gap between two ticks, and the handlers of one phase."""

    def __init__(self, qt: WatchedApplication) -> None:
        self._qt = qt
        self._longest_s = 0.0
        self._last_s = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(_TICK_MS)
        qt.forget()

    def _tick(self) -> None:
        now_s = time.perf_counter()
        self._longest_s = max(self._longest_s, now_s - self._last_s)
        self._last_s = now_s

    def wait(self, seconds: float, is_done: Callable[[], bool] = lambda: False) -> None:
        """Run the event loop for a while, or until something is done."""
        loop, poll = QEventLoop(), QTimer()
        end_s = time.perf_counter() + seconds
        poll.timeout.connect(
            lambda: loop.quit() if time.perf_counter() >= end_s or is_done() else None
        )
        poll.start(_TICK_MS)
        loop.exec()

    def finish(self) -> Watched:
        self._timer.stop()
        qt = self._qt
        return Watched(self._longest_s * 1e3, qt.n_handlers, qt.n_over, qt.worst)


def feed(
    engine: SyntheticEngine, packed: list[bytes], stop: threading.Event, n_at_once: int
) -> None:
    """Send batches, ten a second, each with its status."""
    engine.send_hello()
    engine.send_ready()
    turns = iter(range(0, len(packed), n_at_once))
    while not stop.wait(1 / BATCHES_PER_SECOND):
        begin = next(turns, len(packed))
        for message in packed[begin : begin + n_at_once]:
            engine.send_again(message)


class Session:
    """The window, and the actions in it, phase by phase."""

    def __init__(self, qt: WatchedApplication, folder: Path, seconds: float) -> None:
        self._qt = qt
        self._seconds = seconds
        self.results: list[tuple[str, Watched]] = []
        settings = QSettings(str(folder / "settings.conf"), QSettings.Format.IniFormat)
        settings.setValue("view", "both")
        watch = Watch(qt)
        with qt.by_hand("App"):
            self.app = App(qt, settings, is_quiet=True)
        self.app.window.resize(1600, 900)
        with qt.by_hand("MainWindow.show"):
            self.app.window.show()
        watch.wait(0.5)
        self._start = watch.finish()
        self._warm_up()

    def _warm_up(self) -> None:
        """Load what the start page does not need, as ``launch`` does."""
        watch, warm_up = Watch(self._qt), self.app._warm_up
        self.app.start_warm_up()
        watch.wait(_WARM_UP_S, lambda: not warm_up._timer.isActive())
        self.results.append(("warm-up after the start", watch.finish()))

    def idle(self, what: str) -> None:
        watch = Watch(self._qt)
        watch.wait(self._seconds)
        self.results.append((what, watch.finish()))

    def open(self, path: Path) -> None:
        app, watch = self.app, Watch(self._qt)
        began_s = time.perf_counter()
        with self._qt.by_hand("App.open_files"):
            app.open_files((str(path),))
        watch.wait(300, lambda: any(doc.scene is not None for doc in app.documents.values()))
        took_s = time.perf_counter() - began_s
        scene = next(iter(app.documents.values())).scene
        assert scene is not None
        n_nodes = scene.tree.n_nodes
        what = f"{path.stat().st_size >> 20} MB, {n_nodes / 1e6:.1f} M nodes, in {took_s:.1f} s"
        self.results.append((what, watch.finish()))
        watch = Watch(self._qt)
        watch.wait(1.0)
        self.results.append(("its first paints", watch.finish()))

    def use(self, pause_s: float) -> None:
        """Use a profile as a user does, with a pause after each action."""
        watch, qt = Watch(self._qt), self._qt
        ((page, document),) = self.app.documents.items()
        graph = page.flame.graph
        for step in range(6):
            place = QPoint(40 + 90 * step, 20 * step + 30)
            QTest.mouseMove(graph, place)
            watch.wait(pause_s)
        QTest.mouseClick(graph, Qt.MouseButton.LeftButton, pos=QPoint(200, 70))
        watch.wait(pause_s)
        QTest.mouseDClick(graph, Qt.MouseButton.LeftButton, pos=QPoint(200, 70))
        watch.wait(0.3)
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_D, Qt.Key.Key_Plus):
            QTest.keyClick(graph, key)
            watch.wait(0.25)
        QTest.keyClick(graph, Qt.Key.Key_0)
        watch.wait(0.3)
        acts: tuple[tuple[Callable[[], object], str], ...] = (
            (lambda: document.search.set_pattern("f1"), "Document.search"),
            (lambda: document.search.step(1), "Document.step"),
            (lambda: document.search.step(1), "Document.step"),
            (lambda: document.search.set_pattern(""), "Document.search"),
            (
                lambda: document.selection.select_function(document.top.function_at(3)),
                "select_function",
            ),
            (lambda: document.selection.locate(document.top.function_at(3)), "Document.locate"),
            (lambda: document.top.set_filter("f2"), "TopModel.set_filter"),
            (lambda: document.top.sort(4, Qt.SortOrder.AscendingOrder), "TopModel.sort"),
            (lambda: document.top.set_filter(""), "TopModel.set_filter"),
            (lambda: document.choose_type(0), "choose_type"),
            (
                lambda: document.choose_style(GraphStyle("name", choose_palette("module", False))),
                "choose_style",
            ),
            (lambda: page.show_view("sandwich"), "show_view sandwich"),
            (
                lambda: document.selection.choose_function(document.top.function_at(1)),
                "choose_function",
            ),
            (lambda: page.show_view("graph"), "show_view graph"),
            (lambda: page.graphs.reset_zoom(), "reset_zoom of the call graph"),
            (lambda: page.show_view("time"), "show_view time"),
            (lambda: page.step_requested.emit(-1), "a step back"),
            (lambda: page.show_view("both"), "show_view both"),
            (lambda: self.app.window.resize(1280, 800), "resize"),
        )
        for act, what in acts:
            with qt.by_hand(what):
                act()
            watch.wait(max(pause_s, 0.2))
            watch.wait(30, lambda: not document.is_building)
            watch.wait(0.1)
        self.results.append(("used: hover, zoom, search, sort", watch.finish()))

    def close_tabs(self) -> None:
        watch = Watch(self._qt)
        for page in list(self.app.documents):
            with self._qt.by_hand("App._close_page"):
                self.app.pages._close_page(page)
        watch.wait(0.5)
        self.results.append(("closing the tab", watch.finish()))

    def live(self, engine: SyntheticEngine, packed: list[bytes], stacks_per_second: int) -> None:
        stop = threading.Event()
        mock.patch.object(composition, "connect_engine", return_value=engine).start()
        feeder = threading.Thread(target=feed, args=(engine, packed, stop, 2))
        watch = Watch(self._qt)
        feeder.start()
        with self._qt.by_hand("App.attach"):
            self.app.attach(make_target(os.getpid(), 10_000))
        watch.wait(self._seconds / 2)
        (page,) = self.app.documents
        with self._qt.by_hand("show_view graph"):
            page.show_view("graph")
        watch.wait(self._seconds / 2)
        with self._qt.by_hand("show_view time"):
            page.show_view("time")
        watch.wait(self._seconds / 2)
        stop.set()
        feeder.join()
        self.results.append((f"live, {stacks_per_second} stacks/s", watch.finish()))
        page.show_view("both")
        self.idle(f"no more after {engine.n_samples} stacks")

    def live_heap(self, engine: SyntheticEngine, packed: list[bytes]) -> None:
        """Show every view of a heap, and use every switch, while it grows."""
        what = f"live, a heap of {len(packed) // 3 * 2000} buckets"
        with self._attached(engine, packed, what) as (document, page, act):
            memory, heap, timeline = document.memory, document.heap, document.timeline
            act("choose_entry", lambda: document.choose_entry(3))
            act("show_view heap", lambda: page.show_view("heap"))
            act("HeapModel.choose", lambda: memory.choose(5))
            act("HeapModel.sort", lambda: memory.sort(4))
            act("choose_grouping", lambda: heap.choose_grouping("functions"))
            act("choose_measure", lambda: heap.choose_measure(None, False))
            act("show_view both", lambda: page.show_view("both"))
            act("show_view sandwich", lambda: page.show_view("sandwich"))
            act(
                "choose_function",
                lambda: document.selection.choose_function(document.top.function_at(1)),
            )
            act("choose_measure", lambda: heap.choose_measure(False, True))
            act("show_view heap", lambda: page.show_view("heap"))
            act("show_view both", lambda: page.show_view("both"))
            live = page.live
            assert live is not None
            act("show_timeline", lambda: live.show_timeline(True))
            act("what grew", lambda: timeline.markers.choose_mode("growth"))
            act("move_marker", lambda: timeline.markers.move("a", 20.0))
            act("choose_span", lambda: timeline.markers.choose_span(0.0, 100.0))

    def live_contention(self, engine: SyntheticEngine, packed: list[bytes]) -> None:
        """Show the view of contention, and use every switch, while it grows."""
        what = "live, contention of 4000 stacks"
        with self._attached(engine, packed, what) as (document, page, act):
            choices, table = document.contention, document.contended
            act("choose_span", lambda: document.choose_span("All"))
            act("show_view contention", lambda: page.show_view("contention"))
            act("ContentionModel.choose", lambda: table.choose(99))
            act("ContentionModel.sort", lambda: table.sort(5))
            act("follow", lambda: choices.follow(table.pairs.stack_at(0)))
            act("choose_kind", lambda: choices.choose_kind(ContentionKind.BLOCK))
            act("choose_grouping", lambda: choices.choose_grouping("functions"))
            act("choose_grouping", lambda: choices.choose_grouping("locks"))
            act("choose_lock", lambda: choices.choose_lock(3))
            act("choose_lock", lambda: choices.choose_lock(-1))
            act("waiting now", lambda: choices.choose_grouping(WAITING_NOW))
            act("choose_grouping", lambda: choices.choose_grouping("stacks"))
            act("choose_measure", lambda: choices.choose_measure(False))
            act("show_view both", lambda: page.show_view("both"))
            act("show_view contention", lambda: page.show_view("contention"))

    @contextmanager
    def _attached(
        self, engine: SyntheticEngine, packed: list[bytes], what: str
    ) -> Iterator[tuple[LiveDocument, ProfilePage, Callable[[str, Callable[[], object]], None]]]:
        """Attach to a growing session. Yields its tab, and a function that watches an action."""
        qt, stop = self._qt, threading.Event()
        mock.patch.object(composition, "connect_engine", return_value=engine).start()
        feeder = threading.Thread(target=feed, args=(engine, packed, stop, 3))
        watch = Watch(qt)
        feeder.start()
        with qt.by_hand("App.attach"):
            document = self.app.attach(make_target(os.getpid(), 0))
        watch.wait(30, lambda: document.info is not None and self.app.window.page is not None)
        ((page, _),) = self.app.documents.items()

        def act(name: str, do: Callable[[], object]) -> None:
            with qt.by_hand(name):
                do()
            watch.wait(max(self._seconds / 5, 0.5))

        yield document, page, act
        stop.set()
        feeder.join()
        self.results.append((what, watch.finish()))

    @property
    def start(self) -> Watched:
        return self._start


def print_report(results: list[tuple[str, Watched]], within_s: float) -> None:
    print(
        f"{'GUI thread':40} {'worst handler':>14} {'over':>5} {'handlers':>9} {'longest gap':>12}"
    )
    print(f"{'':40} {'CPU ms (≤ 16)':>14} {'':>5} {'':>9} {'wall ms':>12}")
    for what, one in results:
        worst_ms = one.worst[0].cpu_ms if one.worst else 0.0
        line = f"{what:40} {worst_ms:14.1f} {one.n_over:5} {one.n_handlers:9} {one.wall_ms:12.1f}"
        print(line)
    print(
        f"\nthe worst handlers of each phase, CPU ms (less {within_s * 1e6:.1f} µs an event within)"
    )
    for what, one in results:
        for handler in one.worst:
            name = f"{handler.receiver} {handler.event}"
            within = f", {handler.n_within} events within" if handler.n_within else ""
            collected = f", {handler.gc_ms:.1f} of it gc" if handler.gc_ms >= 0.1 else ""
            print(f"{what:40} {handler.cpu_ms:6.1f}  {name}{within}{collected}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--stacks-per-second", type=int, default=10_000)
    parser.add_argument("--mb", type=int, default=None)
    parser.add_argument("--worst", type=int, default=3, help="how many handlers to name")
    arguments = parser.parse_args()
    is_quick = arguments.quick
    seconds = arguments.seconds or (_QUICK_SECONDS if is_quick else 5.0)
    n_bytes = (arguments.mb or (_QUICK_MB if is_quick else 100)) << 20
    sys.setswitchinterval(_SWITCH_INTERVAL_S)  # as launch does
    qt = WatchedApplication(arguments.worst)
    calibrate(qt)
    with tempfile.TemporaryDirectory(prefix="stackglass-bench-") as name:
        folder = Path(name)
        path = make_file(folder, n_bytes)
        # Before the window is made: its collector ignores objects that exist at its start.
        engine = SyntheticEngine(os.getpid())
        packed = pack_session(engine, arguments.stacks_per_second, seconds)
        heap_engine = SyntheticEngine(os.getpid())
        packed_heap = pack_heap(heap_engine, 2 * seconds)
        waits_engine = SyntheticEngine(os.getpid())
        packed_waits = pack_contention(waits_engine, 2 * seconds)
        session = Session(qt, folder, seconds)
        session.idle("idle: the control")
        session.open(path)
        session.use(0.05)
        session.close_tabs()
        session.live(engine, packed, arguments.stacks_per_second)
        session.close_tabs()
        session.live_heap(heap_engine, packed_heap)
        session.close_tabs()
        session.live_contention(waits_engine, packed_waits)
        session.close_tabs()
        session.app.close()
    print_report(session.results, qt.within_s)
    return 0


if __name__ == "__main__":
    sys.exit(main())
