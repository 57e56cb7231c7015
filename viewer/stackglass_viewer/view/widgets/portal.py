"""Settings portal: the desktop's settings for high contrast and dark windows, over D-Bus.

Qt itself reads the portal only on GNOME and similar desktops, not on KDE, Sway or plain X. Without
a portal or a session bus, both settings are off.
"""

from __future__ import annotations

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import (
    QDBusConnection,
    QDBusMessage,
    QDBusPendingCallWatcher,
    QDBusVariant,
)

_NAMESPACE = "org.freedesktop.appearance"
_SERVICE, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_INTERFACE = "org.freedesktop.portal.Settings"
_CONTRAST, _SCHEME = "contrast", "color-scheme"
_HIGHER, _DARK = 1, 1


class Portal(QObject):
    """Reads the settings asynchronously, and emits ``changed`` when a value arrives or changes."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.wants_contrast = self.prefers_dark = False
        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return
        slot = SLOT("on_changed(QString,QString,QDBusVariant)")
        signal = (_SERVICE, _PATH, _INTERFACE, "SettingChanged")
        bus.connect(*signal, self, slot)  # type: ignore[call-overload] # the stubs lack str
        for key in (_CONTRAST, _SCHEME):
            call = QDBusMessage.createMethodCall(_SERVICE, _PATH, _INTERFACE, "Read")
            call.setArguments([_NAMESPACE, key])
            watcher = QDBusPendingCallWatcher(bus.asyncCall(call), self)
            watcher.finished.connect(lambda done, key=key: self._on_read(key, done))

    def _on_read(self, key: str, watcher: QDBusPendingCallWatcher) -> None:
        """Take the value of a setting. On an error there is no portal, or no such setting."""
        if not watcher.isError():
            self.take(_NAMESPACE, key, watcher.reply().arguments()[0])
        watcher.deleteLater()

    @Slot("QString", "QString", "QDBusVariant")
    def on_changed(self, namespace: str, key: str, value: QDBusVariant) -> None:
        """Take a value that the portal's signal reports."""
        self.take(namespace, key, value)

    def take(self, namespace: str, key: str, value: object) -> None:
        """Store a setting; ``value`` may be wrapped in one or two variants."""
        while isinstance(value, QDBusVariant):
            value = value.variant()
        before = (self.wants_contrast, self.prefers_dark)
        if (namespace, key) == (_NAMESPACE, _CONTRAST):
            self.wants_contrast = value == _HIGHER
        elif (namespace, key) == (_NAMESPACE, _SCHEME):
            self.prefers_dark = value == _DARK
        if (self.wants_contrast, self.prefers_dark) != before:
            self.changed.emit()
