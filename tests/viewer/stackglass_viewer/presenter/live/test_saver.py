"""Files of a capture, written one after another in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable

from stackglass.wire.rates import Rates
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.session.notes import Marks
from stackglass_viewer.presenter.live.saver import CaptureSaver, SaveSubject
from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.settings.view_state import LiveStatus

WaitUntil = Callable[[Callable[[], bool]], None]
STATUS = LiveStatus("running", 7, "web.py 8801", "", rates=Rates())
SUBJECT = SaveSubject(SavePlan(None, HeapWhen.LIVE, "All", None, None, "", frozenset()), STATUS)


def test_a_file_does_not_replace_another_that_is_still_to_be_written(
    wait_until: WaitUntil,
) -> None:
    is_free = threading.Event()
    written: list[str] = []

    def write(path: str, _marks: Marks | None) -> str:
        is_free.wait(30)
        written.append(path)
        return f"Saved {path}."

    saver, after = CaptureSaver(LiveProfile(), write), list[str]()
    for path in ("a.sgm", "b.sgm", "c.sgm"):
        saver.save(SUBJECT, path, "session", lambda path=path: after.append(path))  # type: ignore[misc]
    is_free.set()
    wait_until(lambda: len(after) == 3)
    assert written == after == ["a.sgm", "b.sgm", "c.sgm"]
    saver.leave()
    saver.wait()


def test_a_save_that_another_one_replaces_is_answered_with_it(wait_until: WaitUntil) -> None:
    """The second and the third have the path of a file that is still being written."""
    has_begun, is_free = threading.Event(), threading.Event()
    written: list[str] = []

    def write(path: str, _marks: Marks | None) -> str:
        has_begun.set()
        is_free.wait(30)
        written.append(path)
        return f"Saved {path}."

    saver, after = CaptureSaver(LiveProfile(), write), list[str]()
    counts: list[int] = []  # answers at each message
    saver.saved.connect(lambda _: counts.append(len(after)))
    saver.save(SUBJECT, "a.sgm", "session", lambda: after.append("first"))
    assert has_begun.wait(30)
    saver.save(SUBJECT, "a.sgm", "session", lambda: after.append("second"))
    saver.save(SUBJECT, "a.sgm", "session", lambda: after.append("third"))
    is_free.set()
    wait_until(lambda: len(counts) == 2 and "third" in after)
    assert after == ["first", "second", "third"]
    assert counts == [0, 1]  # the first is answered when its own file is written
    assert written == ["a.sgm", "a.sgm"]
    saver.leave()
    saver.wait()


def test_a_save_that_failed_is_not_answered_by_the_next(wait_until: WaitUntil) -> None:
    errors, after = list[Exception](), list[str]()

    def write(path: str, _marks: Marks | None) -> str:
        if not errors:
            raise OSError("no space left")
        return f"Saved {path}."

    saver = CaptureSaver(LiveProfile(), write)
    saver.failed.connect(errors.append)
    saver.save(SUBJECT, "a.sgm", "session", lambda: after.append("first"))
    wait_until(lambda: bool(errors))
    saver.save(SUBJECT, "a.sgm", "session", lambda: after.append("second"))
    wait_until(lambda: bool(after))
    assert after == ["second"]
    saver.leave()
    saver.wait()
