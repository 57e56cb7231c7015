"""Dialogs of the window: which file, what to save, whether to close."""

from __future__ import annotations

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

from stackglass_viewer.presenter.settings.view_state import SaveChoice

_OPEN_FILTER = "Profiles (*.pb.gz *.pb *.pprof *.prof *.pstats *.profile *.gz *.sgm);;All files (*)"
_SAVE_FILTERS = {".pb.gz": "pprof profile (*.pb.gz)", ".sgm": "Session (*.sgm)"}
_SESSION = (
    "Every kind of profile, all threads, labels, states and times, to be opened here as it is now"
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


def ask_open(parent: QWidget) -> tuple[str, ...]:
    """Files to open; none = the user thought better of it."""
    paths, _ = QFileDialog.getOpenFileNames(parent, "Open profiles", "", _OPEN_FILTER)
    return tuple(paths)


def ask_summed(parent: QWidget) -> tuple[str, ...]:
    """Files to open as one; none = the user thought better of it."""
    paths, _ = QFileDialog.getOpenFileNames(parent, "Open several as one", "", _OPEN_FILTER)
    return tuple(paths)


def ask_compared(parent: QWidget) -> str:
    """A file to compare; "" = the user thought better of it."""
    path, _ = QFileDialog.getOpenFileName(parent, "Choose a profile", "", _OPEN_FILTER)
    return path


def ask_set_name(parent: QWidget, known: tuple[str, ...]) -> str:
    """Of a set of filters, new or one of those known; "" = the user thought better of it."""
    name, is_given = QInputDialog.getItem(
        parent,
        "Save the filters",
        "Name of the set. A set of the same name is replaced.",
        list(known),
        -1,
        editable=True,
    )
    return name.strip() if is_given else ""


def ask_save_path(parent: QWidget, suggestion: str) -> str:
    """Where to save; "" = nowhere."""
    suffix = next(each for each in _SAVE_FILTERS if suggestion.endswith(each))
    path, _ = QFileDialog.getSaveFileName(
        parent, "Save the capture", suggestion, _SAVE_FILTERS[suffix]
    )
    if path and "." not in path.rpartition("/")[2]:
        path += suffix
    return path


def ask_export_path(parent: QWidget, suggestion: str) -> str:
    """Where to write, and by its ending what. "" = nowhere."""
    path, chosen = QFileDialog.getSaveFileName(
        parent, "Export what is shown", suggestion, ";;".join(_EXPORTS)
    )
    if path and not path.lower().endswith(tuple(_EXPORTS.values())):
        path += _EXPORTS.get(chosen, ".svg")
    return path


def ask_picture_path(parent: QWidget, suggestion: str) -> str:
    """Where to save the picture of a view, PNG or SVG by its ending. "" = nowhere."""
    path, chosen = QFileDialog.getSaveFileName(
        parent, "Save the picture of this view", suggestion, ";;".join(_PICTURES)
    )
    if path and not path.lower().endswith(tuple(_PICTURES.values())):
        path += _PICTURES.get(chosen, ".png")
    return path


def ask_pdf_path(parent: QWidget, suggestion: str) -> str:
    """Where to print to without a printer. "" = nowhere."""
    title = "There is no printer: save as PDF"
    path, _ = QFileDialog.getSaveFileName(parent, title, suggestion, "PDF (*.pdf)")
    return path if not path or path.lower().endswith(".pdf") else f"{path}.pdf"


def ask_source_folder(parent: QWidget, name: str) -> str:
    """Where the source file ``name`` is to be looked for; "" = nowhere."""
    title = f"The folder that {name} is in, or its project's"
    return QFileDialog.getExistingDirectory(parent, title)


class SaveDialog(QDialog):
    """What of a capture to save: the session, all of what is shown, or what is shown."""

    def __init__(self, shown: str, everything: str, parent: QWidget) -> None:
        """Both texts say what would be saved as a profile."""
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
                ("All of this kind, as a profile", everything),
                ("What is shown now, as a profile", shown),
            )
        ):
            button = QRadioButton(title)
            button.setChecked(number == 0)
            self._group.addButton(button, number)
            about = QLabel(text)
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
    """A capture that was not saved is about to go: ``save``, ``discard`` or ``cancel``."""
    box = QMessageBox(parent)
    box.setWindowTitle("Stackglass")
    box.setTextFormat(Qt.TextFormat.PlainText)
    what = f"{names[0]} has" if len(names) == 1 else f"{len(names)} tabs have"
    box.setText(f"{what} samples that are not saved.")
    whose = "the process continues" if len(names) == 1 else "the processes continue"
    box.setInformativeText(f"Either way, {whose} unaffected.")
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
    """Whether debug information is to be downloaded from these servers."""
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
