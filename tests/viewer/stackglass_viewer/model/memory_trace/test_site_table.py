"""Sites of a memory trace by name."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.memory_trace.site_table import GarbageSite, list_garbage
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace_index import SITE_LIFETIMES_NS, SiteSums

NONE, NUMBERS = np.empty(0, np.int32), np.empty(0, np.int64)
ROOT = np.zeros(1, np.int32)


def test_a_type_has_no_more_short_lives_than_allocations() -> None:
    """Blocks that are born as a list and die as a dict are allocations of lists."""
    names = TraceNames(
        DefinitionColumns(
            ("", "list", "dict", "set"),
            *(NONE,) * 3,
            *(NUMBERS,) * 2,
            NONE,
            *(NUMBERS,) * 2,
            ROOT,
            ROOT,
        ),
        {},
    )
    dead = np.zeros((3, len(SITE_LIFETIMES_NS) + 1), np.int64)
    dead[:, 0] = (1, 5, 4)
    sites = SiteSums(
        stack=np.zeros(3, np.uint32),
        type=np.array([1, 2, 3], np.uint32),
        n=np.array([6, 2, 0]),
        size=np.array([600, 200, 0]),
        n_dead=dead,
        bytes_dead=dead * 100,
    )
    found = list_garbage(names, sites, SITE_LIFETIMES_NS[0])
    assert [(row.line.function, *row[1:]) for row in found] == [
        ("dict", 2, 200, 2, 200),
        ("list", 6, 600, 1, 100),
    ]
    assert isinstance(found[0], GarbageSite)
