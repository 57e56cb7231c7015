"""Missing views: why a view cannot be shown, as the answer to its key."""

from __future__ import annotations

from stackglass_viewer.presenter.settings.view_layout import DETAILS

_NO_STACKS = "This profile has no stacks, so it has no {}. The table (3) shows its functions."
_WHYS = {
    "both": _NO_STACKS.format("flame graph"),
    "tree": _NO_STACKS.format("call tree"),
    "traces": _NO_STACKS.format("traces"),
    "sandwich": "This profile has neither stacks nor calls, so callers and callees are unknown.",
    "graph": "This profile has neither stacks nor calls, so it has no call graph.",
    "labels": "The samples of this profile have no labels.",
    "time": "The samples of this profile have no times.",
}
_NO_LIVE_LABELS = (
    "These samples have no labels besides their threads. The program can set labels with "
    "stackglass.labels(…), and --label-var reads them from a context variable."
)
_CHOOSE = "{} belong to the sample type {}. Choose it first (F4)."


def explain_missing(
    view: str, *, has_heap: bool, has_contention: bool, is_live: bool = False
) -> str:
    """Return why a view is missing.

    ``has_heap``, ``has_contention``: whether the profile has these sample types, each of which has
    a table of its own. ``is_live``: whether it is a capture, whose threads are no labels.
    """
    if view == "labels" and is_live:
        return _NO_LIVE_LABELS
    if view != DETAILS:
        return _WHYS[view]
    if has_heap and has_contention:
        return (
            "Sites belong to the sample type heap, waits to contention. "
            "Choose one of these types first (F4)."
        )
    if has_heap or has_contention:
        return _CHOOSE.format(*(("Sites", "heap") if has_heap else ("Waits", "contention")))
    return "This profile has neither the heap's sites nor waits."
