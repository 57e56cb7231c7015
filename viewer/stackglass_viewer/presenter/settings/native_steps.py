"""Native steps: the transforms that remove C frames, for each native level."""

from __future__ import annotations

from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.native_level import NativeLevel

_STEPS: dict[NativeLevel, tuple[Transform, ...]] = {
    "all": (),
    "libraries": (Transform(TransformKind.LIBRARIES),),
    "python": (Transform(TransformKind.PYTHON),),
}


def list_steps(level: NativeLevel) -> tuple[Transform, ...]:
    """Return the transforms of a level, which are applied before any other."""
    return _STEPS[level]
