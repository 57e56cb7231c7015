"""Unstored settings: the user's settings for a window that changes none of them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSettings


class UnstoredSettings(QSettings):
    """Settings with changes that hold for this object alone and are never written. Groups, arrays
    and lists of keys are those of the file. GUI thread."""

    def __init__(self, organization: str, application: str) -> None:
        super().__init__(organization, application)
        self._changed: dict[str, Any] = {}  # key -> value, None = removed

    def contains(self, key: str, /) -> bool:
        return self._changed[key] is not None if key in self._changed else super().contains(key)

    def value(self, key: str, default: Any = None, /) -> Any:  # type: ignore[override] # no types
        if key not in self._changed:
            return super().value(key, default)
        found = self._changed[key]
        return default if found is None else found

    def setValue(self, key: str, value: Any, /) -> None:
        self._changed[key] = value

    def remove(self, key: str, /) -> None:
        self._changed[key] = None
