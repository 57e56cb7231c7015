"""``python -m pictures.studio SUBJECT PLACE FOLDER [NAME]``: a window, and its pictures.

PLACE: a PID, a file, or two files to compare with a comma between. NAME: part of a sight's name,
only these are kept. Prints the names of the pictures it has written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox

from pictures.sights import SUBJECTS, THEMES, Sight
from stackglass_viewer.app import App
from stackglass_viewer.launch import launch
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING
from stackglass_viewer.view.dialogs.command_palette import Offer, list_actions
from stackglass_viewer.view.window.page_commands import list_offers
from walk import display

RECORDED_S = 25.0  # of a running program, before it is paused
SETTLED_S = 0.8  # after each step
HEAP_RATE = 1 << 14
SEARCHED = "price"
VARIABLES = ("__main__:ROUTE",)
PANE_BOX = "Below the curve"

Waits = Generator[float, None, None]  # yields how many seconds to wait


class Studio:
    """Shows the sights of a subject one after the other, and takes their pictures."""

    def __init__(self, subject: str, place: str, folder: Path, wanted: str) -> None:
        self._sights = SUBJECTS[subject]
        self._place, self._folder, self._wanted = place, folder, wanted
        self.problem = ""

    def begin(self, app: App) -> None:
        """Start; call it in the GUI thread."""
        self._app = app
        app.window.showFullScreen()
        self._steps = self._show_all()
        self._go_on()

    def _go_on(self) -> None:
        try:
            wait_s = next(self._steps)
        except StopIteration:
            self._app.close()
        except Exception as error:
            self.problem = str(error) or repr(error)
            self._app.close()
            raise
        else:
            QTimer.singleShot(round(1000 * wait_s), self._go_on)

    def _show_all(self) -> Waits:
        yield from self._open()
        for sight in self._sights:
            yield from self._reach(sight)
            if self._wanted in sight.name:
                for theme, command in THEMES.items():
                    self._run(command)
                    yield SETTLED_S
                    path = self._folder / theme / f"{sight.name}.png"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    display.save_picture(path)
                sys.stdout.write(f"{sight.name}\n")
                sys.stdout.flush()
            self._close_dialogs()
            yield SETTLED_S

    def _open(self) -> Waits:
        is_running = self._place.isdigit()
        if is_running:
            rates = EVERYTHING.rates._replace(heap_rate=HEAP_RATE)
            self._app.attach(Target(int(self._place), rates, variables=VARIABLES))
        elif "," in self._place:
            self._app.compare_files(*self._place.split(","), CompareChoice())
        else:
            self._app.open_files((self._place,))
        while self._app.window.page is None:
            yield SETTLED_S
        yield RECORDED_S if is_running else SETTLED_S
        if is_running:
            self._run("Pause or resume")

    def _reach(self, sight: Sight) -> Waits:
        if sight.view:
            self._app.force_view(sight.view)
        for command in sight.commands:
            self._run(command)
            yield SETTLED_S
        if sight.clicked_px is not None:
            display.move_to(*sight.clicked_px)
            display.press_button()
            yield SETTLED_S
        if sight.pressed:
            self._press(sight.pressed)
            yield SETTLED_S
        if sight.entry:
            self._choose(sight.entry)
        page = self._app.window.page
        if page is not None:
            page.search.set_pattern(SEARCHED if sight.is_search else "")
        yield SETTLED_S

    def _run(self, title: str) -> None:
        """Run a command as the palette would. Raises LookupError if there is none."""
        window = self._app.window
        actions = list_actions(window.menuBar())
        offers: list[Offer] = [(command, action.trigger) for command, action in actions]
        if window.page is not None:
            offers += list_offers(window.page)
        found: list[Callable[[], object]] = [
            run for command, run in offers if command.title == title
        ]
        if not found:
            raise LookupError(f"no command {title!r}")
        found[0]()

    def _press(self, text: str) -> None:
        buttons = self._app.window.findChildren(QAbstractButton)
        next(each for each in buttons if each.isVisible() and each.text() == text).click()

    def _choose(self, entry: str) -> None:
        """Choose what is below the curve of a memory trace."""
        boxes = self._app.window.findChildren(QComboBox)
        box = next(each for each in boxes if each.accessibleName() == PANE_BOX)
        box.setCurrentText(entry)
        box.activated.emit(box.currentIndex())

    def _close_dialogs(self) -> None:
        for each in QApplication.topLevelWidgets():
            if each is not self._app.window and each.isVisible():
                each.close()


def main() -> int:
    subject, place, folder, *wanted = sys.argv[1:]
    studio = Studio(subject, place, Path(folder), "".join(wanted))
    sys.argv[1:] = []
    code = launch(studio.begin)
    if studio.problem:
        sys.stderr.write(f"{studio.problem}\n")
    return 1 if studio.problem else code


if __name__ == "__main__":
    sys.exit(main())
