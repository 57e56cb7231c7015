"""Notices of a tab: none hides another, and each goes when its source has nothing to say."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.document.notices import Notices, join_notices
from stackglass_viewer.presenter.settings.view_state import Notice

SAVED = Notice("info", "Saved a.pb.gz.")
IDLE = Notice("info", "No CPU used.", can_close=False)
DEADLOCK = Notice("error", "Deadlock.", "show waits", "Show threads")
WARNING = Notice("warning", "A pattern is not used.")


def listen(notices: Notices) -> list[Notice | None]:
    shown: list[Notice | None] = []
    notices.changed.connect(shown.append)
    return shown


def test_the_gravest_comes_first_and_all_are_listed() -> None:
    joined = join_notices((IDLE, WARNING, DEADLOCK))
    assert joined == Notice(
        "error",
        "Deadlock.\nA pattern is not used.\nNo CPU used.",
        "show waits",
        "Show threads",
    )
    assert join_notices((IDLE,)) is IDLE
    assert join_notices(()) is None


def test_a_source_replaces_only_what_it_reported(qt: QApplication) -> None:
    notices = Notices()
    shown = listen(notices)
    notices.put("save", SAVED)
    notices.put("capture", DEADLOCK)
    notices.put("capture", IDLE)
    assert shown[-1] == Notice("info", "Saved a.pb.gz.\nNo CPU used.")
    notices.put("capture", None)
    assert shown[-1] == SAVED
    n_shown = len(shown)
    notices.put("save", SAVED)  # nothing new
    notices.put("build", None)
    assert len(shown) == n_shown


def test_what_cannot_be_put_away_stays(qt: QApplication) -> None:
    notices = Notices()
    shown = listen(notices)
    notices.put("save", SAVED)
    notices.put("capture", IDLE)
    notices.dismiss()
    assert shown[-1] == IDLE
    notices.put("save", SAVED)  # saved once more
    assert shown[-1] == Notice("info", "No CPU used.\nSaved a.pb.gz.")
