"""Custom profiles, which the program of a live session fills itself: values by stack, at any moment
of the session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.columns.wire_columns import read_columns
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.live.row_history import RowHistory
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.live.threads import check_nodes
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops

_MOST_ROWS = 1 << 20
_MOST_PROFILES = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class CustomRows:
    """The values of one profile. Immutable."""

    node: Int32s  # (n,) the engine's node of the stack
    count: Int64s  # (n,) number of values with this stack


@dataclass(frozen=True, slots=True, eq=False)
class CustomMoment:
    """One profile at one moment. Immutable."""

    tree: CallTree
    node_of_wire: Int32s  # (n_wire_nodes,) the tree's node for each of the engine's
    definitions: DefinitionColumns
    rows: CustomRows
    time_mono_ns: int  # time of the last change of any custom profile; 0 = there was none
    n_lost: int  # values, of all custom profiles, that the engine had no room for


class LiveCustom:
    """The state of all messages so far. The owner's lock guards all methods."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()  # distinct names of the profiles, in order of appearance
        self.time_mono_ns = 0
        self.n_lost = 0
        self._number: dict[str, int] = {}  # a name's index in `names`
        self._of_wire: list[int] = []  # index in `names` by the engine's profile number
        self._rows: dict[int, tuple[int, int, int]] = {}  # row: the engine's profile, node, count
        self._history = RowHistory()

    def add(self, message: wire_pb2.CustomProfiles, n_nodes: int) -> None:
        """Add a message. Raises WireError if it refers to something undefined."""
        for name in message.profile_name:
            self._of_wire.append(self._number.setdefault(name, len(self._number)))
        if len(self._number) != len(self.names):
            self.names = tuple(self._number)
        row, profile, node, count = read_columns(
            message.row, message.row_profile, message.row_node, message.row_count
        )
        n_rows = len(self._rows) + sum(number not in self._rows for number in set(row.tolist()))
        if len(self._of_wire) > _MOST_PROFILES or n_rows > _MOST_ROWS:
            raise WireError("the program has more custom profiles, or rows in them, than fit")
        if len(profile) and int(profile.max()) >= len(self._of_wire):
            raise WireError(f"a message refers to profile {int(profile.max())}, which has no name")
        check_nodes(node.astype(np.int32), n_nodes)
        columns = (column.tolist() for column in (profile, node, count))
        self._rows.update(zip(row.tolist(), zip(*columns, strict=True), strict=True))
        self._history.add(message.time_mono_ns, np.stack((row, profile, node, count)))
        self.time_mono_ns = message.time_mono_ns
        self.n_lost = message.n_lost

    def list_rows(self, name: str, until_ns: int | None = None) -> CustomRows:
        """Return the stacks of a profile that have values at a moment (CLOCK_MONOTONIC; None =
        now). A profile that does not exist has no rows."""
        number = self._number.get(name, -1)
        wanted = {at for at, each in enumerate(self._of_wire) if each == number}
        if until_ns is not None:
            _, profile, node, count = self._history.find(until_ns)
            is_chosen = np.isin(profile, list(wanted)) & (count != 0)
            rows = CustomRows(node[is_chosen].astype(np.int32), count[is_chosen])
        else:
            chosen = [
                (node, count)
                for profile, node, count in self._rows.values()
                if profile in wanted and count
            ]
            rows = CustomRows(
                np.array([each[0] for each in chosen], dtype=np.int32),
                np.array([each[1] for each in chosen], dtype=np.int64),
            )
        freeze(rows.node, rows.count)
        return rows


def sum_custom(moment: CustomMoment) -> NodeValues:
    """Sum the values into the tree. Any thread."""
    own = np.zeros(moment.tree.n_nodes, dtype=np.int64)
    _loops.sum_own(moment.node_of_wire[moment.rows.node], moment.rows.count, own)
    return add_up(moment.tree, own, "count")


def list_types(names: Sequence[str], taken: Collection[str]) -> tuple[SampleType, ...]:
    """Return a sample type for each custom profile. If its name is in ``taken``, the type is called
    ``program's heap`` instead of ``heap``."""
    return tuple(
        SampleType(f"program's {name}" if name in taken else name, "count") for name in names
    )
