"""Files and servers opened last: newest first, each once, ten at most."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QSettings

from stackglass_viewer.presenter.settings.recent_files import RecentFiles, RecentUrls


def test_files_are_remembered_newest_first_and_once(settings: QSettings, tmp_path: Path) -> None:
    recent = RecentFiles(settings)
    seen: list[tuple[str, ...]] = []
    recent.changed.connect(seen.append)
    paths = [str(tmp_path / f"{number}.pb.gz") for number in range(12)]
    for path in (*paths, paths[5]):
        recent.remember(path)
    assert recent.paths == (paths[5], *(p for p in reversed(paths) if p != paths[5]))[:10]
    assert seen[-1] == recent.paths
    recent.forget(paths[5])
    assert recent.paths[0] == paths[11]
    recent.clear()
    assert recent.paths == ()


def test_names_that_are_no_utf8_are_kept(settings: QSettings) -> None:
    """And a name that looks like the form in which they are stored."""
    paths = [os.fsdecode(b"/a/caf\xe9.prof"), "/a/caf%E9.prof", "/a/two\nlines", "/a/früh.prof"]
    for path in paths:
        RecentFiles(settings).remember(path)
    settings.sync()
    again = QSettings(settings.fileName(), QSettings.Format.IniFormat)
    assert RecentFiles(again).paths == tuple(reversed(paths))


def test_a_single_one_is_read_again(settings: QSettings) -> None:
    """QSettings stores a list of one as a plain string."""
    RecentUrls(settings).remember("http://one/debug/pprof/")
    settings.sync()
    again = QSettings(settings.fileName(), QSettings.Format.IniFormat)
    assert RecentUrls(again).urls == ("http://one/debug/pprof/",)


def test_what_makes_no_sense_is_nothing(settings: QSettings) -> None:
    settings.setValue("recent_files", 7)
    assert RecentFiles(settings).paths == ()
    settings.setValue("recent_files", ["/a/b\0c", "file:///a/b%00c", "/a/b"])
    assert RecentFiles(settings).paths == ("/a/b",)
