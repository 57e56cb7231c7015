"""Index types, which say what table an integer points into, and array types by dtype."""

from __future__ import annotations

from typing import Any, NewType

import numpy as np
import numpy.typing as npt

StringId = NewType("StringId", int)
FunctionId = NewType("FunctionId", int)
LocationId = NewType("LocationId", int)
SampleId = NewType("SampleId", int)
NodeId = NewType("NodeId", int)
TypeId = NewType("TypeId", int)
"""Each is the index of a row; ``TypeId`` is the index of a sample type in its profile."""

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt16s = npt.NDArray[np.uint16]
UInt32s = npt.NDArray[np.uint32]
UInt8s = npt.NDArray[np.uint8]
UInt64s = npt.NDArray[np.uint64]
Float64s = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int32] | npt.NDArray[np.int64]
"""Integers in 32 bits if all fit, else in 64."""


def freeze(*arrays: npt.NDArray[Any]) -> None:
    """Make arrays read-only, since threads share them once they are built."""
    for array in arrays:
        array.flags.writeable = False
