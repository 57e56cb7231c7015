"""Accessible parts: let screen readers walk through parts that a widget paints itself.

::

    widget ── offer_parts ─▶ Parts ◀── asked on demand ── _PaintedWidget, _PaintedPart ◀── Qt

The interface of a part is made on demand, since a graph may have a million boxes. Without a screen
reader, only ``offer_parts`` runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import shiboken6
from PySide6.QtCore import QObject, QPoint, QRect, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QColor,
    QWindow,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget, QWidget

_NO_TEXT = ""


@dataclass(frozen=True, slots=True)
class AccessiblePart:
    """A part of a widget at the time of a call, such as a box of a graph."""

    name: str
    value: str
    rect: QRect  # in the widget's pixels


@dataclass(frozen=True, slots=True)
class Parts:
    """Functions that describe a widget's parts, which are numbered from 0. GUI thread."""

    count: Callable[[], int]
    describe: Callable[[int], AccessiblePart | None]  # None = the part no longer exists
    find: Callable[[QPoint], int]  # returns the part at a pixel; -1 = none
    current: Callable[[], int]  # returns the part that keys act on; -1 = none
    has_keys: Callable[[], bool] | None = None  # whether keys act on a part; None = hasFocus()


_PARTS = "_offered_parts"
"""The attribute of a widget that has its ``Parts``. A table of all widgets would keep them for
ever: the functions of ``Parts`` mostly hold their widget, and all that it shows."""
_ANNOUNCED: WeakKeyDictionary[QWidget, tuple[int, str, str]] = WeakKeyDictionary()
"""The number, name and value of the part that was announced last."""
_MADE: dict[int, _PaintedWidget] = {}  # by id of the widget: Qt keeps only the C++ half
_installed: list[bool] = []  # not empty once Qt has the factory


def offer_parts(widget: QWidget, parts: Parts) -> None:
    """Offer the parts of a widget to screen readers from now on."""
    setattr(widget, _PARTS, parts)
    if not _installed:
        QAccessible.installFactory(_make_interface)
        _installed.append(True)
    if QAccessible.isActive():
        _delete_default_interface(widget)


def _find_parts(widget: QWidget) -> Parts | None:
    """Return the parts that a widget offers; None = none."""
    parts: Parts | None = getattr(widget, _PARTS, None)
    return parts


def _delete_default_interface(widget: QWidget) -> None:
    """Delete the interface that Qt may have made for a widget before its parts were offered. Qt
    would keep that interface."""
    made = QAccessible.queryAccessibleInterface(widget)
    if not isinstance(made, _PaintedWidget):
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(made))


def announce_current(widget: QWidget) -> None:
    """Have a screen reader read the current part, after keys have moved to it or changed it."""
    parts = _find_parts(widget)
    if not QAccessible.isActive() or parts is None:
        return
    index = parts.current()
    part = parts.describe(index) if index >= 0 else None
    if part is None:
        return
    now = (index, part.name, part.value)
    before, _ANNOUNCED[widget] = _ANNOUNCED.get(widget), now
    made = _MADE.get(id(widget))
    if made is not None and before is not None and before[0] == index and before != now:
        made.renew(index)  # else a part that has the focus is not read again
    event = QAccessibleEvent(widget, QAccessible.Event.Focus)
    event.setChild(index)
    QAccessible.updateAccessibility(event)


def announce_text(widget: QWidget, text: str) -> None:
    """Have a screen reader read at once a text that appeared away from the focus."""
    if QAccessible.isActive() and text:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def _make_interface(_class_name: str, made_for: QObject) -> QAccessibleInterface | None:
    """Make a widget's interface, for Qt; None if the widget offers no parts.

    Qt calls this for each class that the widget derives from, until it gets an interface.
    """
    if not isinstance(made_for, QWidget):
        return None
    parts = _find_parts(made_for)
    if parts is None:
        return None
    made = _PaintedWidget(made_for, parts)
    key = id(made_for)
    _MADE[key] = made
    made_for.destroyed.connect(lambda: _forget(key))
    return made


def _forget(key: int) -> None:
    made = _MADE.pop(key, None)
    if made is not None:
        made.forget_parts()


class _PaintedWidget(QAccessibleWidget):
    """The accessible interface of a widget: a list of its painted parts, then its child widgets."""

    def __init__(self, widget: QWidget, parts: Parts) -> None:
        super().__init__(widget, QAccessible.Role.List)
        self._widget = widget
        self._parts = parts
        self._made: dict[int, tuple[_PaintedPart, int]] = {}  # part, and its id in Qt

    def _list_widgets(self) -> list[QWidget]:
        """Return the visible child widgets, such as a minimap over a graph.

        A scroll area has none to offer: its children are the viewport and scroll bars.
        """
        if isinstance(self._widget, QAbstractScrollArea):
            return []
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        return [each for each in self._widget.findChildren(QWidget, "", direct) if each.isVisible()]

    def childCount(self) -> int:
        return self._parts.count() + len(self._list_widgets())

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override] # null
        n_parts = self._parts.count()
        if index >= n_parts:
            widgets = self._list_widgets()[index - n_parts : index - n_parts + 1]
            return QAccessible.queryAccessibleInterface(widgets[0]) if widgets else None
        if index < 0:
            return None
        if index not in self._made:
            part = _PaintedPart(self, self._widget, self._parts, index)
            self._made[index] = part, QAccessible.registerAccessibleInterface(part)
        return self._made[index][0]

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        point = self._widget.mapFromGlobal(QPoint(x, y))
        for widget in reversed(self._list_widgets()):
            if widget.geometry().contains(point):
                return QAccessible.queryAccessibleInterface(widget)
        return self.child(self._parts.find(point))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        if isinstance(child, _PaintedPart):
            return child.index
        made_for, n_parts = child.object(), self._parts.count()
        places = (at for at, each in enumerate(self._list_widgets(), n_parts) if each is made_for)
        return next(places, -1)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        if not self.has_keys:
            return None
        return self.child(self._parts.current()) or self

    @property
    def has_keys(self) -> bool:
        """Whether keys act on the current part, directly or through a search field."""
        has_keys = self._parts.has_keys
        return self._widget.hasFocus() if has_keys is None else has_keys()

    def renew(self, index: int) -> None:
        """Drop the interface of a part after its text changed, so that Qt makes another one."""
        if index in self._made:
            _, number = self._made.pop(index)
            QAccessible.deleteAccessibleInterface(number)

    def forget_parts(self) -> None:
        """Drop all interfaces, after the widget was destroyed."""
        made, self._made = self._made, {}
        for _, number in made.values():
            QAccessible.deleteAccessibleInterface(number)


class _PaintedPart(QAccessibleInterface):
    """The accessible interface of a part, which describes the part anew at each call."""

    def __init__(self, owner: _PaintedWidget, widget: QWidget, parts: Parts, index: int) -> None:
        super().__init__()
        self._owner = owner
        self._widget = widget
        self._parts = parts
        self.index = index

    @property
    def _part(self) -> AccessiblePart | None:
        return self._parts.describe(self.index) if self.isValid() else None

    def isValid(self) -> bool:
        return shiboken6.isValid(self._widget)

    def object(self) -> QObject | None:  # type: ignore[override] # a part is no QObject
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        return self._widget.window().windowHandle() if self.isValid() else None

    def parent(self) -> QAccessibleInterface:
        return self._owner

    def child(self, _index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def childCount(self) -> int:
        return 0

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def rect(self) -> QRect:
        part = self._part
        if part is None:
            return QRect()
        return QRect(self._widget.mapToGlobal(part.rect.topLeft()), part.rect.size())

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        if self.isValid():
            is_current = self.index == self._parts.current()
            state.focusable = state.selectable = True
            state.selected = is_current
            state.focused = is_current and self._owner.has_keys
            state.invisible = not self._widget.isVisible()
        else:
            state.invalid = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        part = self._part
        if part is None:
            return _NO_TEXT
        if kind == QAccessible.Text.Name:
            return part.name
        is_value = kind in (QAccessible.Text.Value, QAccessible.Text.Description)
        return part.value if is_value else _NO_TEXT

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Do nothing: texts of parts cannot be changed."""

    def foregroundColor(self) -> QColor:
        return QColor()

    def backgroundColor(self) -> QColor:
        return QColor()
