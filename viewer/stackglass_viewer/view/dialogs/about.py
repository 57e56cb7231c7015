"""About dialog: the versions of Stackglass, Python, Qt and the system."""

from __future__ import annotations

import platform

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QMessageBox, QWidget

from stackglass.version import VERSION
from stackglass_viewer.view.widgets.icons import application_icon

_ICON_PX = 56


def describe_versions() -> str:
    """Return the versions for an error report, one a line."""
    return "\n".join(
        (
            f"Stackglass {VERSION}",
            f"Python {platform.python_version()}",
            f"Qt {qVersion()}, PySide {pyside_version}",
            platform.platform(),
        )
    )


def show_about(parent: QWidget) -> None:
    """Open the dialog. The text can be selected and copied."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About Stackglass")
    box.setIconPixmap(application_icon().pixmap(_ICON_PX))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setText(describe_versions())
    box.open()
