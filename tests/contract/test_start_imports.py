"""Start page: it is shown without what only a tab, a file or a server needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LATE = (
    "numpy",
    "google.protobuf",
    "stackglass_viewer.pages",
    "stackglass_viewer.model.live_profile",
    "stackglass_viewer.model.profile.",
    "stackglass_viewer.presenter.document.",
    "stackglass_viewer.presenter.live.document",
    "stackglass_viewer.view.flame.",
    "stackglass_viewer.view.window.profile_page",
    "stackglass_viewer.model.memory_trace.",
    "stackglass_viewer.presenter.memory_trace.",
    "stackglass_viewer.view.memory_trace.",
    "stackglass_viewer.traces",
    "stackglass_viewer.view.dialogs.",
    "email.",
    "html.",
    "http.client",
    "importlib.metadata",
    "importlib.resources",
    "platform",
    "ssl",
    "subprocess",
    # Enums of types that PySide sets up when they are first used; a widget or a style that Qt made
    # makes it set up all types that it may have.
    "QRhiWidget.",
    "QStyle.",
)
# The start page names the formats.
READERS = {
    "stackglass_viewer.model.readers.file_kind",
    "stackglass_viewer.model.readers.formats",
}

_START = """
import enum, sys
from PySide6.QtCore import QTimer
from stackglass.commands import catalogue
catalogue.load(catalogue.VIEW)
from stackglass_viewer.launch import launch

def begin(app):
    app.window.repaint()
    print(*sorted(sys.modules), sep="\\n", flush=True)
    kinds = (enum.Enum, enum.Flag, enum.IntEnum, enum.IntFlag)
    print(*(f"enum {each.__qualname__}" for kind in kinds for each in kind.__subclasses__()),
          sep="\\n", flush=True)
    QTimer.singleShot(0, app.close)

sys.exit(launch(begin))
"""


def test_the_start_page_needs_no_room_of_tabs_or_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    modules = set(done.stdout.split())
    assert "stackglass_viewer.view.window.start_page" in modules
    assert [name for name in sorted(modules) if name.startswith(LATE)] == []
    readers = {name for name in modules if name.startswith("stackglass_viewer.model.readers.")}
    assert readers <= READERS
