"""Settings of a desktop's portal, as it sends them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtDBus import QDBusVariant
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.portal import Portal

APPEARANCE = "org.freedesktop.appearance"


def wrap(value: int) -> QDBusVariant:
    made = QDBusVariant()
    made.setVariant(value)
    return made


@pytest.fixture
def portal(qt: QApplication, monkeypatch: pytest.MonkeyPatch) -> Portal:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    return Portal()


def test_contrast_and_dark_are_heard_and_unsaid(portal: Portal) -> None:
    seen: list[tuple[bool, bool]] = []
    portal.changed.connect(lambda: seen.append((portal.wants_contrast, portal.prefers_dark)))
    portal.on_changed(APPEARANCE, "contrast", wrap(1))
    portal.take(APPEARANCE, "color-scheme", wrap(1))
    portal.take(APPEARANCE, "color-scheme", 2)
    portal.take(APPEARANCE, "contrast", 0)
    assert seen == [(True, False), (True, True), (True, False), (False, False)]


@pytest.mark.parametrize("is_error", [False, True])
def test_an_answer_may_be_an_error(portal: Portal, *, is_error: bool) -> None:
    answer = SimpleNamespace(
        isError=lambda: is_error,
        reply=lambda: SimpleNamespace(arguments=lambda: [wrap(1)]),
        deleteLater=lambda: None,
    )
    portal._on_read("contrast", answer)  # type: ignore[arg-type] # as the bus has it
    assert portal.wants_contrast is not is_error


def test_other_settings_change_nothing(portal: Portal) -> None:
    seen: list[str] = []
    portal.changed.connect(lambda: seen.append("changed"))
    portal.take("org.gnome.desktop.interface", "contrast", 1)
    portal.take(APPEARANCE, "accent-color", 1)
    portal.take(APPEARANCE, "contrast", "much")
    assert seen == []
    assert not portal.wants_contrast
