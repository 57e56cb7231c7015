"""Mappings of a profile that names its frames itself, as most formats do."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.profile.profile import Mappings


def no_mappings() -> Mappings:
    """A table without rows; its columns can be written to until they are frozen with the others."""
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
