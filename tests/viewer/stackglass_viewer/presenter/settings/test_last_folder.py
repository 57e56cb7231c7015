"""Where dialogs for files begin."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

from stackglass_viewer.presenter.settings.last_folder import LastFolder


def test_the_folder_is_that_of_the_last_file_also_in_the_next_run(
    settings: QSettings, tmp_path: Path
) -> None:
    folder = LastFolder(settings)
    assert folder.find() == ""
    assert folder.place("/work/cpu.svg") == "/work/cpu.svg"
    folder.remember(str(tmp_path / "cpu.pb.gz"))
    folder.remember("")  # cancelled
    again = LastFolder(settings)
    assert again.find() == str(tmp_path)
    assert again.place("/work/cpu.svg") == str(tmp_path / "cpu.svg")


def test_the_home_takes_the_place_of_a_folder_that_is_gone(
    settings: QSettings, tmp_path: Path
) -> None:
    folder = LastFolder(settings)
    folder.remember(str(tmp_path / "gone" / "cpu.pb.gz"))
    assert folder.find() == str(Path.home())
