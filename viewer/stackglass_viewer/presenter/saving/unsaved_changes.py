"""Record of a capture's unsaved data: counts at the last save."""

from __future__ import annotations

from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.settings.view_state import LiveStatus


class Unsaved:
    """Compares counts with those at the last save. Heap and contention count only once the user has
    looked at them."""

    def __init__(self) -> None:
        self._n_saved = 0  # CPU samples at the last save
        self._n_wall_saved = 0  # wall samples at their last save
        self._n_heap_saved = 0  # the heap's samples at its last save
        self._n_waits_saved = 0  # contention's events at its last save
        self._is_heap_seen = False
        self._is_contention_seen = False

    def see_heap(self) -> None:
        self._is_heap_seen = True

    def see_contention(self) -> None:
        self._is_contention_seen = True

    def is_any(self, status: LiveStatus) -> bool:
        """Whether data would be lost if the tab were closed."""
        heap, contention = status.heap, status.contention
        n_heap = heap.n_samples if heap is not None and self._is_heap_seen else 0
        is_seen = contention is not None and self._is_contention_seen
        n_waits = contention.n_events if contention is not None and is_seen else 0
        return (
            status.n_samples > self._n_saved
            or status.n_wall_samples > self._n_wall_saved
            or n_heap > self._n_heap_saved
            or n_waits > self._n_waits_saved
        )

    def remember_all(self, status: LiveStatus) -> None:
        """Note that a file has all data of every kind."""
        self._remember_samples(status, is_wall=True)
        if status.heap is not None:
            self._n_heap_saved = max(self._n_heap_saved, status.heap.n_samples)
        if status.contention is not None:
            self._n_waits_saved = max(self._n_waits_saved, status.contention.n_events)

    def remember(self, plan: SavePlan, status: LiveStatus) -> None:
        """Note that a file has all data of the kind that ``plan`` shows."""
        heap, contention = status.heap, status.contention
        if plan.heap is not None and heap is not None:
            self._n_heap_saved = max(self._n_heap_saved, heap.n_samples)
        elif plan.contention is not None and contention is not None:
            self._n_waits_saved = max(self._n_waits_saved, contention.n_events)
        elif plan.heap is None and plan.contention is None and not plan.custom:
            self._remember_samples(status, plan.is_wall)

    def _remember_samples(self, status: LiveStatus, is_wall: bool) -> None:
        """Note that a file has all CPU samples, and with ``is_wall`` all wall samples, too."""
        self._n_saved = max(self._n_saved, status.n_samples)
        if is_wall:
            self._n_wall_saved = max(self._n_wall_saved, status.n_wall_samples)
