"""Regions: named blocks of code, shown in the lanes of their threads, as Go's WithRegion.

    with stackglass.region("parse"):
        ...

They are events of memory traces and flight recorders. While neither records, a region costs about
as much as an empty ``with`` block.
"""

from __future__ import annotations

from typing import Callable, TypeVar

from stackglass.api.decorated_functions import decorate
from stackglass.native import _core

_F = TypeVar("_F", bound=Callable[..., object])


def _decorate(name: str, function: _F) -> _F:
    """Return the function as a region in each call; a coroutine is one from its start to its
    end."""
    return decorate("a region", lambda: Region(name), function)


Region = _core.make_region_block(_decorate)
