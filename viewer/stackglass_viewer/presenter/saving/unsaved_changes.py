"""Record of what of a capture is in no file yet."""

from __future__ import annotations

from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.settings.view_state import LiveStatus


class Unsaved:
    """Counts of what was saved. Heap and contention matter only once they were looked at."""

    def __init__(self) -> None:
        self._n_saved = 0  # samples when it was saved last
        self._n_heap_saved = 0  # the heap's samples at that time
        self._n_waits_saved = 0  # contention's events at that time
        self._is_heap_seen = False
        self._is_contention_seen = False

    def see_heap(self) -> None:
        self._is_heap_seen = True

    def see_contention(self) -> None:
        self._is_contention_seen = True

    def is_any(self, status: LiveStatus) -> bool:
        """Whether something would be lost with the tab."""
        heap, contention = status.heap, status.contention
        n_heap = heap.n_samples if heap is not None and self._is_heap_seen else 0
        is_seen = contention is not None and self._is_contention_seen
        n_waits = contention.n_events if contention is not None and is_seen else 0
        return (
            status.n_samples > self._n_saved
            or n_heap > self._n_heap_saved
            or n_waits > self._n_waits_saved
        )

    def remember_all(self, status: LiveStatus) -> None:
        """All that there was of every kind is in a file now."""
        self._n_saved = max(self._n_saved, status.n_samples)
        if status.heap is not None:
            self._n_heap_saved = max(self._n_heap_saved, status.heap.n_samples)
        if status.contention is not None:
            self._n_waits_saved = max(self._n_waits_saved, status.contention.n_events)

    def remember(self, plan: SavePlan, status: LiveStatus) -> None:
        """All that there was of one kind is in a file now."""
        heap, contention = status.heap, status.contention
        if plan.heap is not None and heap is not None:
            self._n_heap_saved = max(self._n_heap_saved, heap.n_samples)
        elif plan.contention is not None and contention is not None:
            self._n_waits_saved = max(self._n_waits_saved, contention.n_events)
        elif plan.heap is None and plan.contention is None:
            self._n_saved = max(self._n_saved, status.n_samples)
