"""Label sets as an engine defines them: one label each."""

from __future__ import annotations

from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.profile.label_table import Label
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine


def define_labels(live: LiveProfile, *labels: Label) -> None:
    """Define label sets 1, 2, …; call it once a session."""
    first = len(live.list_definitions().strings)
    numbers = range(first, first + 2 * len(labels), 2)
    batch = Batch(
        strings=[text for label in labels for text in label],
        label_set=range(1, len(labels) + 1),
        label_key=numbers,
        label_value=[number + 1 for number in numbers],
    )
    live.apply(FromEngine(batch=batch))
