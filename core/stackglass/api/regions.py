"""Regions: named blocks of the program's code in the lanes of its threads, as Go's WithRegion.

    with stackglass.region("parse"):
        ...

They are events of memory traces and flight recorders. While none records, a block costs about as
much as an empty one.
"""

from __future__ import annotations

from typing import Callable, TypeVar

from stackglass.api.decorated import decorate
from stackglass.native import _core

_F = TypeVar("_F", bound=Callable[..., object])


def _decorate(name: str, function: _F) -> _F:
    """The function as a region in each call; a coroutine function, from its start to its end."""
    return decorate("a region", lambda: Region(name), function)


Region = _core.make_region_block(_decorate)
