"""Native level: how much of C code is shown between the Python functions that it runs under."""

from __future__ import annotations

from typing import Literal, get_args

from stackglass_viewer.model.profile.transforms import Transform, TransformKind

NativeLevel = Literal["all", "libraries", "python"]

NATIVE_LEVELS: tuple[NativeLevel, ...] = get_args(NativeLevel)
_STEPS: dict[NativeLevel, tuple[Transform, ...]] = {
    "all": (),
    "libraries": (Transform(TransformKind.LIBRARIES),),
    "python": (Transform(TransformKind.PYTHON),),
}


def list_steps(level: NativeLevel) -> tuple[Transform, ...]:
    """What leaves out the rest; before any other step."""
    return _STEPS[level]


def read_level(text: str) -> NativeLevel:
    """Of a setting; what is none means all."""
    return next((level for level in NATIVE_LEVELS if level == text), "all")
