"""Views of a process's tab, built from messages of an engine as the worker builds them."""

from __future__ import annotations

from harness.heap_talk import START_NS, HeapTalk, S
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.live_profile import CPU, LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine, Status
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.live.source import LIVE_TYPES, LiveSource
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    find_contention_type,
    find_heap_type,
)
from stackglass_viewer.presenter.tables.top_model import Arrangement

PALETTE = choose_palette("module", False)
IN_USE = TypeId(find_heap_type(LIVE_TYPES, HeapChoice()))
ALLOCATED = TypeId(find_heap_type(LIVE_TYPES, HeapChoice(is_in_use=False)))
BLOCK = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice()))
GONE = 2**22 + 1  # larger than any PID


def sample_live() -> LiveProfile:
    """Make a session: f used 3 s on thread 7, and g 1 s on thread 8. HeapTalk defines the nodes."""
    made = HeapTalk().live
    sample(made, (1, 7, 1.0, 300, 3 * S), (3, 8, 8.0, 100, S))
    return made


def build(live: LiveProfile, type_index: TypeId = CPU, pid: int = GONE, **asked: object) -> Built:
    request = BuildRequest(type_index, "cost", PALETTE, Arrangement(), **asked)  # type: ignore[arg-type] # by name
    return LiveSource(live, pid).build(request)


def sample(live: LiveProfile, *rows: tuple[int, int, float, int, int]) -> None:
    """Send rows of (node, thread, seconds, samples, CPU ns), and a status after the last one."""
    node, tid, seconds, count, cpu_ns = zip(*rows, strict=True)
    batch = Batch(
        sample_node=node,
        sample_tid=tid,
        sample_labels=[0] * len(rows),
        sample_time=[round(each * 100) for each in seconds],
        sample_count=count,
        sample_cpu_ns=cpu_ns,
    )
    live.apply(FromEngine(batch=batch))
    send_status(live, 10)


def send_status(live: LiveProfile, seconds: float, n_lost: int = 0) -> None:
    status = Status(time_mono_ns=START_NS + round(seconds * S), cpu_hz=100, n_lost=n_lost)
    live.apply(FromEngine(status=status))


def list_rows(built: Built) -> list[tuple[str, int, int]]:
    top = built.top
    return [(top.name[row], int(top.flat[row]), int(top.cum[row])) for row in built.rows.tolist()]


def total_of(built: Built) -> int:
    assert built.scene is not None
    return built.scene.total
