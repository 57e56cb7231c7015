"""Questions that the main window asks in dialogs: file paths, what to save, whether to close."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.settings.view_state import SaveChoice
from stackglass_viewer.view.widgets.asker import Asker

_PROFILE_NAMES = (
    *("*.pb.gz", "*.pb", "*.pprof", "*.prof", "*.pstats", "*.profile", "*.cpu", "*.heap", "*.sgm"),
    *("*.gz", "*.zst", "*.json", "*.jsonl", "*.cpuprofile", "*.heapprofile", "*.bin", "*.dump"),
    *("*.txt", "*.collapsed", "*.folded", "*.raw", "*.stacks", "*.perf", "*.austin", "*.mojo"),
    *("*.out", "*.callgrind", "callgrind.out.*", "massif.out.*"),
)
"""Names that tools give to profiles. Any file may be opened: its content tells its format."""
_OPEN_FILTER = f"Profiles ({' '.join(_PROFILE_NAMES)});;All files (*)"
_OPTIONS = QFileDialog.Option.HideNameFilterDetails  # "Profiles", without that long list
_SAVE_FILTERS = {".pb.gz": "pprof profile (*.pb.gz)", ".sgm": "Session (*.sgm)"}
_SESSION = (
    "All kinds of profile, with threads, labels, states and times; opens in Stackglass as it is now"
)
_CHOICES: tuple[SaveChoice, ...] = ("session", "everything", "shown")
_EXPORTS = {
    "SVG picture, searchable (*.svg)": ".svg",
    "Web page that zooms and searches (*.html)": ".html",
    "PNG picture (*.png)": ".png",
    "Table of functions (*.csv)": ".csv",
    "Collapsed stacks (*.collapsed)": ".collapsed",
    "speedscope (*.json)": ".json",
    "pprof profile (*.pb.gz)": ".pb.gz",
    "Session file, with the times of samples (*.sgm)": ".sgm",
}
_PICTURES = {"PNG picture (*.png)": ".png", "SVG picture (*.svg)": ".svg"}


def ask_open(asker: Asker) -> tuple[str, ...]:
    """Ask for files to open. Return their paths, none if the user cancelled."""
    return _ask_files(asker, "Open profiles")


def ask_summed(asker: Asker) -> tuple[str, ...]:
    """Ask for files to open as one profile. Return their paths, none if the user cancelled."""
    return _ask_files(asker, "Open several as one")


def _ask_files(asker: Asker, title: str) -> tuple[str, ...]:
    paths, _ = QFileDialog.getOpenFileNames(
        asker.parent, title, asker.folder.find(), _OPEN_FILTER, options=_OPTIONS
    )
    asker.folder.remember(paths[0] if paths else "")
    return tuple(paths)


def ask_compared(asker: Asker) -> str:
    """Ask for a file to compare. Return its path, "" if the user cancelled."""
    path, _ = QFileDialog.getOpenFileName(
        asker.parent, "Choose a profile", asker.folder.find(), _OPEN_FILTER, options=_OPTIONS
    )
    asker.folder.remember(path)
    return path


def ask_set_name(parent: QWidget, known: tuple[str, ...]) -> str:
    """Ask for the name of a set of filters, a new one or one of ``known``. Return "" on cancel."""
    name, is_given = QInputDialog.getItem(
        parent,
        "Save the filters",
        "Name of the set. A set of the same name is replaced.",
        list(known),
        -1,
        editable=True,
    )
    return name.strip() if is_given else ""


def ask_save_path(asker: Asker, suggestion: str) -> str:
    """Ask where to save a capture. Return the path, "" if the user cancelled.

    ``suggestion``: a file name; its suffix, ``.pb.gz`` or ``.sgm``, is the format.
    """
    suffix = next(each for each in _SAVE_FILTERS if suggestion.endswith(each))
    path, _ = _ask_new(asker, "Save the capture", suggestion, _SAVE_FILTERS[suffix])
    if path and "." not in path.rpartition("/")[2]:
        return _add_ending(asker, path, suffix)
    return path


def ask_export_path(asker: Asker, suggestion: str) -> str:
    """Ask where to export to; the suffix says the format. Return "" if the user cancelled."""
    path, chosen = _ask_new(asker, "Export what is shown", suggestion, ";;".join(_EXPORTS))
    if path and not path.lower().endswith(tuple(_EXPORTS.values())):
        return _add_ending(asker, path, _EXPORTS.get(chosen, ".svg"))
    return path


def ask_picture_path(asker: Asker, suggestion: str) -> str:
    """Ask where to save a view's picture; the suffix is .png or .svg. Return "" on cancel."""
    title = "Save the picture of this view"
    path, chosen = _ask_new(asker, title, suggestion, ";;".join(_PICTURES))
    if path and not path.lower().endswith(tuple(_PICTURES.values())):
        return _add_ending(asker, path, _PICTURES.get(chosen, ".png"))
    return path


def ask_pdf_path(asker: Asker, suggestion: str) -> str:
    """Ask for the PDF file to print to, since there is no printer. Return "" on cancel."""
    title = "There is no printer: save as PDF"
    path, _ = _ask_new(asker, title, suggestion, "PDF (*.pdf)")
    if path and not path.lower().endswith(".pdf"):
        return _add_ending(asker, path, ".pdf")
    return path


def _ask_new(asker: Asker, title: str, suggestion: str, kinds: str) -> tuple[str, str]:
    """Ask for the path of a new file, in the folder that was used last. Return it, and the kind."""
    place = asker.folder.place(suggestion)
    path, kind = QFileDialog.getSaveFileName(asker.parent, title, place, kinds)
    asker.folder.remember(path)
    return path, kind


def _add_ending(asker: Asker, path: str, ending: str) -> str:
    """Return the path with the ending that was not typed. The file dialog has asked about a file
    without it, so ask about one with it. Return "" if the user would rather keep that file."""
    whole = f"{path}{ending}"
    if not os.path.exists(whole):
        return whole
    name = make_printable(os.path.basename(whole))
    box = QMessageBox(QMessageBox.Icon.Warning, "Stackglass", "", parent=asker.parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"{name} already exists. Do you want to replace it?")
    box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No)
    box.setDefaultButton(QMessageBox.StandardButton.No)
    return whole if box.exec() == QMessageBox.StandardButton.Yes else ""


def ask_source_folder(parent: QWidget, name: str) -> str:
    """Ask for the folder to search for the source file ``name``. Return "" on cancel."""
    title = f"Choose the folder of {name}, or of its project"
    return QFileDialog.getExistingDirectory(parent, title)


class SaveDialog(QDialog):
    """Asks what to save: the session, all data of the shown kind, or only the data shown now."""

    def __init__(self, shown: str, everything: str, parent: QWidget) -> None:
        """``shown``, ``everything``: texts that say what the two profiles would contain."""
        super().__init__(parent)
        self.setWindowTitle("Save the capture")
        self.setMinimumWidth(420)
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(4)
        for number, (title, text) in enumerate(
            (
                ("The whole session", _SESSION),
                ("All data of this kind, as a profile", everything),
                ("What is shown now, as a profile", shown),
            )
        ):
            button = QRadioButton(title)
            button.setChecked(number == 0)
            self._group.addButton(button, number)
            about = QLabel(text)
            about.setTextFormat(Qt.TextFormat.PlainText)
            about.setObjectName("hint")
            about.setContentsMargins(26, 0, 0, 10)
            column.addWidget(button)
            column.addWidget(about)
        row = QHBoxLayout()
        row.setSpacing(10)
        cancel, save = QPushButton("Cancel"), QPushButton("Save…")
        save.setDefault(True)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(save)
        column.addLayout(row)
        cancel.clicked.connect(self.reject)
        save.clicked.connect(self.accept)

    @property
    def choice(self) -> SaveChoice:
        return _CHOICES[self._group.checkedId()]


def ask_discard(parent: QWidget, names: tuple[str, ...]) -> str:
    """Ask whether to close tabs with unsaved captures: ``save``, ``discard`` or ``cancel``.

    ``names``: the tabs' names. ``save`` is offered for a single tab only.
    """
    box = QMessageBox(parent)
    box.setWindowTitle("Stackglass")
    box.setTextFormat(Qt.TextFormat.PlainText)
    what = f"{make_printable(names[0])} has" if len(names) == 1 else f"{len(names)} tabs have"
    box.setText(f"{what} samples that are not saved.")
    processes = "the process continues" if len(names) == 1 else "the processes continue"
    box.setInformativeText(f"Either way, {processes} unaffected.")
    save = box.addButton("Save…", QMessageBox.ButtonRole.AcceptRole) if len(names) == 1 else None
    discard = box.addButton("Close without saving", QMessageBox.ButtonRole.DestructiveRole)
    cancel = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.exec()
    clicked = box.clickedButton()
    if save is not None and clicked is save:
        return "save"
    return "discard" if clicked is discard else "cancel"


def ask_download(parent: QWidget, servers: list[str]) -> bool:
    """Ask whether to download debug information from ``servers``. Return the answer."""
    box = QMessageBox(parent)
    box.setWindowTitle("Download debug information")
    box.setText("Download debug information for the libraries of this process?")
    box.setInformativeText(
        f"Servers: {', '.join(servers)}. They learn which libraries the process has. The files "
        "may be large; they go to the folder that gdb and perf share. "
        "Names and lines of C then appear in this tab."
    )
    download = box.addButton("Download", QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(download)
    box.exec()
    return box.clickedButton() is download
