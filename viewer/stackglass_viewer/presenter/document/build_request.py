"""Build request of a tab: what its user chose to see."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.contention.snapshot import ALL_WAITS, ContentionFilter
from stackglass_viewer.model.contention.table import Grouping
from stackglass_viewer.model.graph.flame_layout import Order
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.presenter.settings.native_level import NativeLevel
from stackglass_viewer.presenter.settings.native_steps import list_steps
from stackglass_viewer.presenter.tables.top_model import Arrangement

ORDERS = {"cost": Order.BY_VALUE, "name": Order.BY_NAME, "time": Order.BY_TIME}
MERGED_ORDERS = {**ORDERS, "time": Order.BY_VALUE}
"""The orders of trees that are merged from parts of another tree: these have no times."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """The choices that a build follows. Immutable."""

    type_index: TypeId
    order: str  # a key of ORDERS
    palette: Palette
    arrangement: Arrangement
    span_ns: int | None = None  # None = all
    tids: frozenset[int] | None = None  # None = every thread
    window: HeapWindow | None = None  # heap: growth between two moments, or allocations in a span
    heap_when: HeapWhen = HeapWhen.LIVE
    heap_grouping: str = ""  # rows of the heap table: "sites", "functions"; "" = not shown
    waits: ContentionFilter = ALL_WAITS
    waits_grouping: Grouping | None = None  # rows of the contention table; None = not shown
    labels: frozenset[LabelFilter] = frozenset()  # only samples with these labels
    # Key of the label table; "" = that of the colours, else the first; None = not shown.
    label_key: str | None = None
    colour_key: str | None = None  # label that colours boxes; "" = none; None = by sample type
    transforms: tuple[Transform, ...] = ()  # applied one after another
    split_key: str = ""  # the label whose values the graph begins with; "" = none
    time_span: tuple[int, int] | None = None  # of a file, ns since its first moment; None = all
    has_times: bool = False  # whether the chart over time is to be built, too
    times_until: int | None = None  # live: where that chart ends, units; None = now
    native: NativeLevel = "all"  # how much of C code is shown
    is_over: bool = False  # live: nothing is of now, because the capture has ended
    placing: int | None = None  # ``Placing.number``; None = boxes are always placed by order

    @property
    def steps(self) -> tuple[Transform, ...]:
        """All transforms: those of the native level, then those of the user."""
        return (*list_steps(self.native), *self.transforms)

    @property
    def placed_for(self) -> Hashable:
        """The key of the boxes' places: boxes stay while the key stays. None = no box stays."""
        if self.placing is None:
            return None
        filters = (self.span_ns, self.heap_when, self.waits, self.labels, self.steps)
        return (self.placing, self.type_index, self.order, self.split_key, *filters)

    @property
    def subject(self) -> BuildRequest:
        """The request without span of time, order of the table, and places of boxes."""
        whole = replace(self, window=None, time_span=None, times_until=None)
        return replace(whole, arrangement=Arrangement(), placing=None, is_over=False)
