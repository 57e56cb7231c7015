"""What entries of the menus do with the page in front."""

from __future__ import annotations

from stackglass_viewer.view.window.profile_page import ProfilePage


def show_everything(page: ProfilePage) -> None:
    page.graphs.reset_zoom()


def go_to_minimap(page: ProfilePage) -> None:
    if page.flame.minimap is not None and page.flame.minimap.isVisible():
        page.flame.minimap.setFocus()


def undo_filter(page: ProfilePage) -> None:
    page.transform_bar.undo_requested.emit()


def redo_filter(page: ProfilePage) -> None:
    page.transform_bar.redo_requested.emit()


def open_types(page: ProfilePage) -> None:
    if page.types.isVisible():
        page.types.showPopup()
