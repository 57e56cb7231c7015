"""Pane of a memory trace: the view below the curve, as the user chooses it."""

from __future__ import annotations

from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS, find_pane, make_company
from stackglass_viewer.presenter.settings.view_layout import list_views, make_preset, rename


class TracePanes:
    """Changes the layout of a ``LayoutChoice``. GUI thread."""

    def __init__(self, choice: LayoutChoice) -> None:
        self._choice = choice

    def show(self, pane: str) -> None:
        """Show a pane, one of ``PANES``; "" = none. In a layout that the user arranged it takes the
        place of the focused pane, or of the first."""
        choice = self._choice
        if choice.is_arranged:
            self._put(pane)
        elif choice.wanted.preset in TRACE_VIEWS:  # one view alone
            choice.restore(make_preset(pane or "curve"))
        else:
            there = find_pane(list_views(choice.company))
            if pane and there:
                choice.set_company(
                    rename(choice.company, lambda view: pane if view == there else view)
                )
            elif pane != there:
                choice.set_company(make_company(pane))

    def _put(self, pane: str) -> None:
        choice = self._choice
        there = find_pane(choice.shown.views, choice.shown.focused)
        if pane in choice.shown.views:
            choice.focus(pane)
        elif there and pane:
            choice.take_place(pane, there)
        elif there:
            choice.close(there)
        elif pane:
            choice.put(pane, "above")
