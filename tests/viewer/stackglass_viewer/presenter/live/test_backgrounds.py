"""What a session knows besides its tree: allocations, waits; and the sentences on them."""

from __future__ import annotations

from harness.contention_talk import MAIN, OTHER_TAKER, TAKER, WORKER, ContentionTalk
from harness.heap_talk import HeapTalk, S
from harness.live_source import ALLOCATED, BLOCK, IN_USE, build, sample_live
from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sentences import describe_findings
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.document.summary import choose_summed
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement


def describe(built: Built) -> Background:
    assert built.describe is not None
    return built.describe()


def say(built: Built, type_index: int) -> list[str]:
    palette = choose_palette("module", False)
    request = BuildRequest(type_index, "cost", palette, Arrangement())  # type: ignore[arg-type]
    subject = choose_summed(built, request, LIVE_TYPES[type_index])
    return [each.text for each in describe_findings(subject)]


def make_heap() -> HeapTalk:
    """m.f allocated 500 bytes and freed 400; m.g allocated 50."""
    talk = HeapTalk()
    talk.define((1, 1), (3, 1))
    talk.sums(2, (0, 5, 500, 4, 400), (1, 1, 50, 0, 0))
    return talk


def test_memory_in_use_knows_what_was_allocated() -> None:
    live = make_heap().live
    about = describe(build(live, IN_USE))
    assert about.allocated is not None
    assert about.allocated.total == 550
    assert describe(build(live, IN_USE, span_ns=10 * S)).allocated is None
    assert describe(build(live, ALLOCATED)).allocated is None
    assert (
        "27.3% of the 550 B that was allocated is still in use; most was allocated by m.f, 90.9%."
        in say(build(live, IN_USE), IN_USE)
    )


def test_waits_are_counted_and_called_by_their_kind() -> None:
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0), (0, 2, OTHER_TAKER, 0))
    talk.events((0, MAIN, 1.0, 2, 4 * S), (1, WORKER, 5.0, 1, S))
    talk.sums(10, (0, 2, 4 * S, 3 * S), (1, 1, S, S))
    built = build(talk.live, BLOCK)
    assert describe(built).n_waits == 3
    texts = say(built, BLOCK)
    assert texts[0] == (
        "There was 5.00 s of delay in 3 waits, 1.67 s each on average; 0.5 at a time."
    )
    assert "of the time waited for locks itself" in texts[1]


def test_samples_of_the_cpu_have_no_waits() -> None:
    about = describe(build(sample_live()))
    assert (about.n_waits, about.allocated, about.duration_ns) == (None, None, 0)
