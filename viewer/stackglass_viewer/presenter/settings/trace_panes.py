"""Pane of a memory trace: the view below the curve, as the user chooses it."""

from __future__ import annotations

from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS, find_pane, make_outer
from stackglass_viewer.presenter.settings.view_layout import list_views, make_preset, rename


class TracePanes:
    """Changes the layout of a ``LayoutChoice``. GUI thread."""

    def __init__(self, choice: LayoutChoice) -> None:
        self._choice = choice

    def show(self, pane: str) -> None:
        """Show a pane, one of ``PANES``; "" = none. In an arranged layout it takes the place of the
        focused pane, or of the first."""
        choice = self._choice
        if choice.is_arranged:
            self._put(pane)
        elif choice.wanted.preset in TRACE_VIEWS:  # one view alone
            choice.restore(make_preset(pane or "curve"))
        else:
            current = find_pane(list_views(choice.outer))
            if pane and current:
                choice.set_outer(
                    rename(choice.outer, lambda view: pane if view == current else view)
                )
            elif pane != current:
                choice.set_outer(make_outer(pane))

    def _put(self, pane: str) -> None:
        choice = self._choice
        current = find_pane(choice.shown.views, choice.shown.focused)
        if pane in choice.shown.views:
            choice.focus(pane)
        elif current and pane:
            choice.swap_in(pane, current)
        elif current:
            choice.close(current)
        elif pane:
            choice.put(pane, "above")
