"""Notices of a tab: what its file, its capture and its saving report, as one message."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.presenter.settings.view_state import Notice, Tone

_BY_WEIGHT: tuple[Tone, ...] = ("error", "warning", "info")


class Notices(QObject):
    """Holds one notice for each source, and joins them for the message bar. GUI thread."""

    changed = Signal(object)  # Notice that joins all; None = there is none

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._by_source: dict[str, Notice] = {}

    def put(self, source: str, notice: Notice | None) -> None:
        """Replace the notice of ``source``; None = it has nothing to report."""
        if notice == self._by_source.get(source):
            return
        if notice is None:
            del self._by_source[source]
        else:
            self._by_source[source] = notice
        self.changed.emit(join_notices(tuple(self._by_source.values())))

    def dismiss(self) -> None:
        """Remove the notices that can be closed."""
        self._by_source = {
            source: notice for source, notice in self._by_source.items() if not notice.can_close
        }
        self.changed.emit(join_notices(tuple(self._by_source.values())))


def join_notices(notices: tuple[Notice, ...]) -> Notice | None:
    """Return one notice with all texts, the gravest first, and the first of their actions."""
    ordered = sorted(notices, key=lambda each: _BY_WEIGHT.index(each.tone))
    if len(ordered) < 2:
        return ordered[0] if ordered else None
    acting = next((each for each in ordered if each.action), ordered[0])
    return Notice(
        ordered[0].tone,
        "\n".join(each.text for each in ordered),
        acting.action,
        acting.action_label,
        any(each.can_close for each in ordered),
    )
