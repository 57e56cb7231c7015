"""Empty table of mappings, for formats that name their frames themselves."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.profile.profile import Mappings


def no_mappings() -> Mappings:
    """Return a table without rows. Its columns are not frozen yet: callers freeze all columns."""
    places = np.zeros(0, dtype=np.int32)
    addresses = np.zeros(0, dtype=np.uint64)
    return Mappings(
        filename=places,
        build_id=places.copy(),
        start=addresses,
        limit=addresses.copy(),
        offset=addresses.copy(),
        flags=places.copy(),
    )
