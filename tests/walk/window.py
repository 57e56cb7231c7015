"""``python -m walk.window TASK PID PROFILE FOLDER``: the window, and one task done in it.

If the task succeeds, it prints nothing and exits with 0. Otherwise it prints the reason, saves a
picture of the display and a list of its parts in FOLDER, and exits with 1.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from PySide6.QtCore import QTimer

from stackglass_viewer.app import App
from stackglass_viewer.launch import launch
from walk import display
from walk.eyes import Eyes
from walk.tasks import TASKS, Place
from walk.user import User


class Walk:
    """A task that runs in a thread of its own."""

    def __init__(self, task: str, place: Place) -> None:
        self._task, self._place = task, place
        self.problem = ""

    def begin(self, app: App) -> None:
        """Start the task; call it in the GUI thread."""
        self._app = app
        self._eyes = Eyes(float(os.environ.get("QT_SCALE_FACTOR", "1")))
        self._thread = threading.Thread(target=self._do, name=self._task)
        QTimer.singleShot(500, self._thread.start)  # the window is on the screen

    def _do(self) -> None:
        try:
            TASKS[self._task](User(self._eyes), self._place)
        except AssertionError as error:
            self.problem = str(error)
            self._keep_what_was_seen()
        finally:
            self._eyes.do_later(self._app.close)

    def _keep_what_was_seen(self) -> None:
        """Save a picture of the display, and the names of the visible parts."""
        path = self._place.folder / f"{self._task}.png"
        display.save_picture(path)
        path.with_suffix(".txt").write_text("\n".join(map(str, self._eyes.look())))


def main() -> int:
    task, pid, profile, folder = sys.argv[1:]
    walk = Walk(task, Place(int(pid), Path(profile), Path(folder)))
    sys.argv[1:] = []
    code = launch(walk.begin)
    if walk.problem:
        sys.stderr.write(f"{walk.problem}\n")
    return 1 if walk.problem else code


if __name__ == "__main__":
    sys.exit(main())
