"""Profiles that the recorded program fills itself, as they are received.

A row is a stack of one profile with the number of its values. Rows of equal stacks add up.
"""

from __future__ import annotations

from stackglass.errors import WireError
from stackglass.wire.count_profile import build_of_counts
from stackglass.wire.definitions import check_references
from stackglass.wire.messages import CustomProfiles
from stackglass.wire.pprof import ProfileTables


class CustomRecording:
    """The profiles of a session. For one thread."""

    __slots__ = ("_names", "_rows", "last")

    def __init__(self) -> None:
        self.last: CustomProfiles | None = None  # the last message; None = none was received
        self._names: list[str] = []
        self._rows: dict[int, tuple[int, int, int]] = {}  # profile, node, count

    def add(self, message: CustomProfiles, n_nodes: int) -> None:
        """Add a message. Raises WireError if it refers to something undefined."""
        self._names += message.profile_name
        check_references(message.row_profile, len(self._names), "profile")
        check_references(message.row_node, max(n_nodes, 1), "stack")
        if any(count >= 2**63 for count in message.row_count):
            raise WireError("a profile counts more than 63 bits can hold")
        columns = (message.row_profile, message.row_node, message.row_count)
        self._rows.update(zip(message.row, zip(*columns)))
        self.last = message

    @property
    def names(self) -> list[str]:
        """The names of all profiles so far, even of those without values."""
        return sorted(set(self._names))

    def count(self, name: str) -> int:
        """Return the number of values in the profile now."""
        return sum(self._sum(name).values())

    def build(self, definitions: ProfileTables, name: str, time_unix_ns: int) -> ProfileTables:
        """Return the profile as tables, which are empty if it has no values."""
        lost = self.last.n_lost if self.last is not None else 0
        comment = f"{lost} values of the program's own profiles were lost for lack of space"
        return build_of_counts(
            definitions,
            name,
            {(node, ()): n for node, n in self._sum(name).items()},
            time_unix_ns,
            (comment,) if lost else (),
        )

    def _sum(self, name: str) -> dict[int, int]:
        """Return the number of values by node."""
        wanted = {number for number, each in enumerate(self._names) if each == name}
        counts: dict[int, int] = {}
        for profile, node, count in self._rows.values():
            if profile in wanted and count:
                counts[node] = counts.get(node, 0) + count
        return counts
