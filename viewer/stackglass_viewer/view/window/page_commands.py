"""Page commands: entries of the command palette for the tab in front that no menu has.

They are the choices of the bars: tables of the heap and of contention, sample types, and the rates
of a capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.presenter.settings.command_search import Command
from stackglass_viewer.presenter.settings.contention_choices import ALL_THREADS_NOW, WAITING_NOW
from stackglass_viewer.presenter.settings.contention_texts import KIND_WORDS
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING, USUAL
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice
from stackglass_viewer.presenter.settings.view_state import USUAL_CONTENTION
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.dialogs.command_palette import Offer, list_entries
from stackglass_viewer.view.heap.bar import HEAP_VALUES
from stackglass_viewer.view.window.profile_page import ProfilePage

_HEAP_ROWS = (("Sites", "sites"), ("Functions", "functions"), ("Types", "types"))
_WAIT_ROWS = (("Locks", "locks"), ("Waiting now", WAITING_NOW), ("Threads now", ALL_THREADS_NOW))
_WAITS = "Contention"


def list_offers(page: ProfilePage) -> list[Offer]:
    """Return what can be chosen in the page now."""
    live = page.live.bar if page.live is not None else None
    is_live = live is not None
    offers = [
        *_list_types(page),
        *_list_heap(page, is_live=is_live),
        *_list_waits(page, is_live=is_live),
    ]
    if live is not None and live.rates is not None:
        offers.append(
            (Command(("Capture", "Collect garbage")), page.heap_bar.collect_requested.emit)
        )
        offers += _list_rates(live, live.rates)
    return offers


def _list_types(page: ProfilePage) -> Iterator[Offer]:
    types = page.types
    for entry in range(types.count()):
        command = Command(
            ("View", "Sample type", types.itemText(entry)),
            is_chosen=entry == types.currentIndex(),
        )
        yield command, partial(_choose_type, page, entry)


def _choose_type(page: ProfilePage, entry: int) -> None:
    page.types.setCurrentIndex(entry)
    page.types.activated.emit(entry)


def _list_heap(page: ProfilePage, *, is_live: bool) -> Iterator[Offer]:
    if not page.tables.has("heap"):
        return
    for text, rows in _HEAP_ROWS if is_live else _HEAP_ROWS[:-1]:
        yield Command(("View", "Heap", text)), partial(_show_heap, page, rows)
    for choice, text, _ in HEAP_VALUES:
        yield Command(("View", "Heap", text)), partial(_show_value, page, choice)


def _show_heap(page: ProfilePage, rows: str) -> None:
    page.show_view("heap")
    if page.tables.heap is not None:
        page.tables.heap.head.groupings.press(rows)
        page.focus_view()


def _show_value(page: ProfilePage, choice: HeapChoice) -> None:
    page.show_view("heap")
    page.heap_bar.value_chosen.emit(choice)


def _list_waits(page: ProfilePage, *, is_live: bool) -> Iterator[Offer]:
    if not is_live or not page.tables.has("contention"):
        return
    for kind, (text, _) in KIND_WORDS.items():
        yield Command(("View", _WAITS, text)), partial(_show_kind, page, kind)
    for text, rows in _WAIT_ROWS:
        yield Command(("View", _WAITS, text)), partial(_show_waits, page, rows)


def _show_kind(page: ProfilePage, kind: object) -> None:
    _show_waits(page, "stacks")
    page.contention_bar.kind_chosen.emit(kind)


def _show_waits(page: ProfilePage, rows: str) -> None:
    page.show_view("contention")
    if page.tables.contention is not None:
        page.tables.contention.head.groupings.press(rows)
        page.focus_view()


def _list_rates(bar: LiveBar, rates: Rates) -> Iterator[Offer]:
    usual, most = USUAL.rates, EVERYTHING.rates
    yield _toggle("CPU sampling", rates.cpu_hz, usual.cpu_hz, bar.rate_chosen.emit)
    yield _toggle("heap sampling", rates.heap_rate, usual.heap_rate, bar.heap_rate_chosen.emit)
    yield _toggle("wall sampling", rates.wall_hz, most.wall_hz, bar.wall_rate_chosen.emit)
    is_on = keep_contention(rates) != OFF
    verb, wanted = ("Stop", OFF) if is_on else ("Start", USUAL_CONTENTION)
    yield (
        Command(("Capture", f"{verb} lock profiles")),
        partial(bar.contention_chosen.emit, wanted),
    )
    for title, name in (("CPU rate", "cpu"), ("Wall rate", "wall")):
        box = bar.boxes[name]
        for index in range(box.count()):
            command = Command(
                ("Capture", title, box.itemText(index)), is_chosen=index == box.currentIndex()
            )
            yield command, partial(box.rate_chosen.emit, box.itemData(index))
    for title, button in (
        ("Heap rate", bar.heap_rate),
        ("Lock profiles", bar.contention),
        ("Rate presets", bar.presets),
    ):
        yield from list_entries(button.menu(), ("Capture", title))


def _toggle(what: str, rate: int, usual: int, choose: Callable[[int], object]) -> Offer:
    """Return the command that stops sampling ``what``, or starts it at its usual rate."""
    verb = "Stop" if rate else "Start"
    return Command(("Capture", f"{verb} {what}")), partial(choose, 0 if rate else usual)
