"""What *Save* would write: name and words of each kind of profile, and what is chosen."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.heap.diff import HeapWindow, WindowKind
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.saving import save_plan
from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    SampleChoice,
)

LABELS = frozenset([("route", f"/{name}") for name in "abcd"])
CPU = SavePlan(None, HeapWhen.LIVE, "10 s", 10**10, frozenset({7}), "MainThread")
STATE = frozenset([("state", "running")])
WALL = replace(CPU, shown=SampleChoice(("wall",), 0, is_wall=True))
HEAP = SavePlan(
    SampleChoice((), 0, HeapChoice(), None), HeapWhen.AS_OF_FULL, "10 s", 10**10, None, "all"
)


def plan_waits(kind: ContentionKind | None) -> SavePlan:
    shown = SampleChoice((), 0, None, ContentionChoice(kind))
    return SavePlan(shown, HeapWhen.LIVE, "All", None, None, "all")


def test_names_of_files_say_what_is_in_them() -> None:
    kinds = (ContentionKind.BLOCK, ContentionKind.OTHER, ContentionKind.IDLE, None)
    assert [plan_waits(kind).suffix for kind in kinds] == ["-block", "-waits", "-idle", ""]
    assert (CPU.suffix, WALL.suffix, HEAP.suffix) == ("", "-wall", "-heap")
    names = ("app.open", "../etc/passwd", "a\nb", "x" * 300)
    plans = [replace(CPU, shown=SampleChoice(("own",), 0, custom=name)) for name in names]
    assert [each.suffix for each in plans] == [
        "-app.open",
        "-.._etc_passwd",
        "-a_b",
        "-" + "x" * 60,
    ]
    assert plans[0].describe()[1] == "All values of app.open, as they are now"


def test_words_say_what_each_choice_saves() -> None:
    assert CPU.describe()[0] == "The last 10 s, only MainThread"
    labelled = replace(CPU, labels=LABELS).describe()
    named = "only route = /a, route = /b, route = /c and 1 more"
    assert labelled == (f"The last 10 s, only MainThread, {named}", CPU.describe()[1])
    assert replace(CPU, labels=LABELS | STATE).describe() == labelled
    for plan in (HEAP, plan_waits(ContentionKind.GIL)):
        assert named in replace(plan, labels=LABELS).describe()[0]
        assert named not in replace(plan, labels=LABELS).describe()[1]
    assert "wall samples with their states" in WALL.describe()[0]
    assert HEAP.describe()[0].startswith(
        "The heap as of the last full collection, allocations of 10 s"
    )
    assert (
        plan_waits(ContentionKind.GIL).describe()[0].startswith("Since the last clear, all threads")
    )


def test_everything_is_neither_a_span_nor_a_thread_nor_a_label(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[tuple[Any, ...]] = []

    def save(*words: Any) -> str:
        written.append((*words[0], words[2]) if isinstance(words[0], tuple) else words[2:])
        return ""

    for name in ("save_live", "save_heap", "save_contention"):
        monkeypatch.setattr(save_plan, name, save)
    live: Any = SimpleNamespace(export=lambda *words: words)
    filtered = replace(CPU, labels=LABELS | STATE)  # samples of the CPU have no state
    for plan in (
        filtered,
        replace(WALL, labels=LABELS | STATE),
        replace(HEAP, labels=LABELS | STATE),
        replace(plan_waits(ContentionKind.GIL), labels=LABELS),
    ):
        plan.write(live, "x.pb.gz", "shown")
        plan.write(live, "x.pb.gz", "everything")
    heap, waits = HeapChoice(), ContentionChoice(ContentionKind.GIL)
    assert written == [
        (10**10, frozenset({7}), LABELS, False, None, "The shown part"),
        (None, None, frozenset(), False, None, "Everything"),
        (10**10, frozenset({7}), LABELS | STATE, True, None, "The shown part"),
        (None, None, frozenset(), True, None, "Everything"),
        (10**10, HeapWhen.AS_OF_FULL, heap, LABELS),
        (None, HeapWhen.LIVE, heap, frozenset()),
        (None, None, waits, LABELS, None),
        (None, None, waits, frozenset(), None),
    ]


def test_a_span_of_the_past_is_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    window = HeapWindow("span", 1200, 6550)
    past, waits = replace(CPU, window=window), plan_waits(ContentionKind.GIL)
    own = replace(past, shown=SampleChoice(("own",), 0, custom="own"))
    assert past.describe() == ("From 0:12 to 1:05.5, only MainThread", CPU.describe()[1])
    assert replace(waits, window=window).describe()[0].startswith("From 0:12 to 1:05.5")
    assert own.describe()[0].startswith("All values of own, as they were at 1:05.5. To")
    written: list[Any] = []

    def save(tables: Any, _path: str, _what: str) -> str:
        written.append(tables)
        return ""

    monkeypatch.setattr(save_plan, "save_live", save)
    live: Any = SimpleNamespace(export=lambda *words: words[-1])
    past.write(live, "x.pb.gz", "shown")
    past.write(live, "x.pb.gz", "everything")
    assert written == [(1200, 6550), None]


def test_words_say_which_span_of_the_heap_is_saved() -> None:
    def describe(kind: WindowKind, until: int | None, **fields: Any) -> str:
        window = HeapWindow(kind, 1200, until)
        return replace(HEAP, window=window, **fields).describe()[0]

    assert describe("growth", None) == "The growth of the heap from 0:12 to now"
    assert describe("growth", 600) == "The growth of the heap from 0:06 to 0:12"
    text = "Allocations from 0:12 to 1:05.5, and the heap as it was then"
    assert describe("span", 6550) == text
    assert describe("span", None) == "Allocations from 0:12 to now, and the heap as it is now"
    text = "Allocations of Main from 0:12 to 1:05.5, and the heap as it was then"
    assert describe("replay", 6550, tids=frozenset({7}), threads="Main") == text
    assert describe("span", 6550, labels=frozenset([("a", "b")])).endswith(", only a = b")
    assert replace(HEAP, window=HeapWindow("span", 0, 1)).describe()[1] == HEAP.describe()[1]


def test_a_span_of_the_heap_is_saved_and_not_the_heap_of_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[Any] = []

    def save(_live: object, _path: str, *words: Any) -> str:
        written.append(words)
        return ""

    for name in ("save_heap", "save_heap_span"):
        monkeypatch.setattr(save_plan, name, save)
    window = HeapWindow("growth", 1200, None)
    plan, live = replace(HEAP, window=window, labels=LABELS), SimpleNamespace()
    plan.write(live, "x.pb.gz", "shown")  # type: ignore[arg-type] # nothing of it is read
    plan.write(live, "x.pb.gz", "everything")  # type: ignore[arg-type] # nothing of it is read
    assert written == [
        (window, HeapChoice(), None, LABELS),
        (None, HeapWhen.LIVE, HeapChoice(), frozenset()),
    ]
