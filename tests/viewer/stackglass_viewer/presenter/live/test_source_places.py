"""Places of boxes in the graph of a process, from one refresh to the next."""

from __future__ import annotations

from harness.heap_talk import S
from harness.live_source import GONE, PALETTE, sample, sample_live
from stackglass_viewer.model.graph.kept_order import KeptOrder
from stackglass_viewer.model.live_profile import CPU
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.inversion import add_inverted
from stackglass_viewer.presenter.live.source import LiveSource
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.tables.top_model import Arrangement


def test_boxes_keep_their_places_while_the_same_is_asked_for() -> None:
    live = sample_live()
    source = LiveSource(live, GONE)

    def list_threads(placing: int | None) -> list[str]:
        """From left to right."""
        request = BuildRequest(
            CPU, "cost", PALETTE, Arrangement(), split_key="thread", placing=placing
        )
        scene = source.build(request).scene
        assert scene is not None
        begin, end = scene.layout.row_start[1:3]
        return [name_of(scene, node) for node in scene.layout.node[begin:end].tolist()]

    seventh, eighth = list_threads(1)
    sample(live, (3, 8, 9.0, 220, 22 * S // 10))  # 3.2 s in the place of 1, beside 3
    assert list_threads(1) == [seventh, eighth]
    assert list_threads(2) == [eighth, seventh]
    sample(live, (1, 7, 9.5, 40, 4 * S // 10))
    assert list_threads(2) == [eighth, seventh]
    assert list_threads(None) == [seventh, eighth]


def test_boxes_of_the_inverted_graph_keep_their_places() -> None:
    """f has 3 s of its own and g 1 s."""
    live, kept = sample_live(), KeptOrder()
    source, style = LiveSource(live, GONE), GraphStyle("cost", PALETTE, is_inverted=True)

    def list_functions(placing: int | None) -> list[str]:
        request = BuildRequest(CPU, "cost", PALETTE, Arrangement(), placing=placing)
        scene = add_inverted(source.build(request), style, kept, request.placed_for).inverted
        assert scene is not None
        begin, end = scene.layout.row_start[1:3]
        return [name_of(scene, node) for node in scene.layout.node[begin:end].tolist()]

    assert list_functions(1) == ["m.f", "m.g"]
    sample(live, (3, 8, 9.0, 220, 22 * S // 10))
    assert list_functions(1) == ["m.f", "m.g"]
    assert list_functions(2) == ["m.g", "m.f"]
