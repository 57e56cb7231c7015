"""Images as arrays of 0xAARRGGBB, compared channel by channel."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import UInt32s


def find_difference(one: UInt32s, other: UInt32s) -> int:
    """Return the largest difference of a colour channel."""
    parts = [np.stack([image >> shift & 0xFF for shift in (0, 8, 16)]) for image in (one, other)]
    return int(np.abs(parts[0].astype(np.int64) - parts[1].astype(np.int64)).max())
