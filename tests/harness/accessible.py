"""Accessible names of widgets and of painted parts, as screen readers get them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QWidget,
)

_CONTROLS = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit)
_OF_QT = (QHeaderView, QScrollBar)  # parts of other widgets


def name_of_widget(widget: QWidget) -> str:
    """Return the name that a screen reader reads for a widget."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def find_label(widget: QWidget) -> str:
    """Return the text of the label that names the widget; "" = it has no label."""
    relations = QAccessible.queryAccessibleInterface(widget).relations()
    labels = (other for other, kind in relations if kind == QAccessible.RelationFlag.Label)
    return next((label.text(QAccessible.Text.Name) for label in labels), "")


def say_more(widget: QWidget) -> str:
    """Return the description that a screen reader speaks after the name."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Description)


def list_controls(root: QWidget) -> Iterator[QWidget]:
    """Yield the widgets that can be pressed, typed into or chosen from, or that have keys."""
    for widget in (root, *root.findChildren(QWidget)):
        if widget.objectName().startswith("qt_") or isinstance(widget, _OF_QT):
            continue
        if _is_inside(widget, (QComboBox, QHeaderView, QLineEdit)):
            continue
        if isinstance(widget, QAbstractButton) and _is_blank(widget):
            continue
        has_keys = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        is_window = widget.isWindow()
        if isinstance(widget, _CONTROLS) or (has_keys and not is_window):
            yield widget


def _is_blank(button: QAbstractButton) -> bool:
    """Whether a button is hidden, or in a hidden bar: it gets its text when it is shown."""
    parent = button.parent()
    is_hidden = button.isHidden() or (isinstance(parent, QWidget) and parent.isHidden())
    return is_hidden and not button.text()


def _is_inside(widget: QWidget, kinds: tuple[type[QWidget], ...]) -> bool:
    parent = widget.parent()
    return isinstance(parent, kinds) or (isinstance(parent, QWidget) and _is_inside(parent, kinds))


def list_nameless(root: QWidget) -> list[str]:
    """List the controls without a name, by class and parents."""
    return [describe(each) for each in list_controls(root) if not name_of_widget(each).strip()]


def describe(widget: QWidget) -> str:
    classes: list[str] = []
    here: object = widget
    while isinstance(here, QWidget) and len(classes) < 4:
        classes.append(type(here).__name__ + (f"#{here.objectName()}" if here.objectName() else ""))
        here = here.parent()
    return " < ".join(classes)


def list_parts(widget: QWidget) -> list[tuple[str, str]]:
    """List name and value of each part of a painted widget, in order."""
    whole = QAccessible.queryAccessibleInterface(widget)
    parts = [whole.child(index) for index in range(whole.childCount())]
    return [(part.text(QAccessible.Text.Name), part.text(QAccessible.Text.Value)) for part in parts]


def find_current(widget: QWidget) -> str:
    """Return the name of the part that keys act on; "" = none."""
    whole = QAccessible.queryAccessibleInterface(widget)
    parts = (whole.child(index) for index in range(whole.childCount()))
    current = (part.text(QAccessible.Text.Name) for part in parts if part.state().selected)
    return next(current, "")


def find_part_at(widget: QWidget, x: int, y: int) -> str:
    """Return the name of the part at a position in the widget; "" = none."""
    place = widget.mapToGlobal(QPoint(x, y))
    part = QAccessible.queryAccessibleInterface(widget).childAt(place.x(), place.y())
    return part.text(QAccessible.Text.Name) if part is not None else ""
