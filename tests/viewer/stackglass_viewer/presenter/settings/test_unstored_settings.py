"""Unstored settings: what is set can be read, and is not written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from stackglass_viewer.presenter.settings.recent_files import RecentFiles
from stackglass_viewer.presenter.settings.unstored_settings import UnstoredSettings

FORMAT, SCOPE = QSettings.Format.NativeFormat, QSettings.Scope.UserScope


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Path]:
    """The file of the settings of a user, who has chosen a theme and opened a file."""
    before = Path(QSettings(FORMAT, SCOPE, "stackglass", "test").fileName()).parent.parent
    QSettings.setPath(FORMAT, SCOPE, str(tmp_path))
    settings = QSettings("stackglass", "test")
    settings.setValue("theme", "dark")
    settings.setValue("geometry", QByteArray(b"\0\1"))
    RecentFiles(settings).remember("/old.pb.gz")
    settings.sync()
    yield Path(settings.fileName())
    QSettings.setPath(FORMAT, SCOPE, str(before))


def test_what_is_set_is_read_and_the_file_stays_as_it_was(stored: Path) -> None:
    before = stored.read_bytes()
    settings = UnstoredSettings("stackglass", "test")
    assert settings.value("theme", "light") == "dark"
    assert settings.value("geometry") == QByteArray(b"\0\1")
    assert settings.value("view", "flame") == "flame"
    settings.setValue("theme", "light")
    settings.setValue("view", "top")
    settings.remove("geometry")
    recent = RecentFiles(settings)
    recent.remember("/new.pb.gz")
    assert recent.paths == ("/new.pb.gz", "/old.pb.gz")
    assert [settings.value("theme"), settings.value("view", "flame")] == ["light", "top"]
    assert settings.value("geometry") is None
    assert [settings.contains(key) for key in ("theme", "view", "geometry", "rates")] == [
        True, True, False, False
    ]  # fmt: skip
    settings.sync()
    assert stored.read_bytes() == before
    assert QSettings("stackglass", "test").value("theme") == "dark"
