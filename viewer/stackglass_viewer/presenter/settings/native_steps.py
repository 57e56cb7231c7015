"""Native steps: the transforms that leave out C code, by native level."""

from __future__ import annotations

from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.native_level import NativeLevel

_STEPS: dict[NativeLevel, tuple[Transform, ...]] = {
    "all": (),
    "libraries": (Transform(TransformKind.LIBRARIES),),
    "python": (Transform(TransformKind.PYTHON),),
}


def list_steps(level: NativeLevel) -> tuple[Transform, ...]:
    """What leaves out the rest; before any other step."""
    return _STEPS[level]
