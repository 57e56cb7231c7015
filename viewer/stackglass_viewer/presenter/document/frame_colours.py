"""Cache of function colours: computed again only when functions come or the palette changes."""

from __future__ import annotations

from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.palette import Palette


class FrameColours:
    """Colours of a list of frames that only grows. For one thread."""

    def __init__(self) -> None:
        self._palette: Palette | None = None
        self._colours: UInt32s | None = None

    def of(self, tree: CallTree, palette: Palette) -> UInt32s:
        """Return (n_frames,) 0xAARRGGBB, the colour of each function of ``tree``."""
        if self._colours is None or palette is not self._palette:
            self._palette, self._colours = palette, None
        n_known = 0 if self._colours is None else len(self._colours)
        n_frames = len(tree.frame_name)
        if self._colours is None or n_known != n_frames:
            self._colours = colour_frames(tree.frame_name, tree.frame_file, palette)
        return self._colours
