"""Profiles that the program fills, out of an engine's messages."""

from __future__ import annotations

import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.live import custom as custom_profiles
from stackglass_viewer.model.live.custom import LiveCustom, list_types, sum_custom
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, CustomProfiles, FromEngine

N_NODES = 4


def make(
    names: tuple[str, ...] = (), *rows: tuple[int, int, int, int], at_ns: int = 0
) -> CustomProfiles:
    """``rows``: number, profile, node, count."""
    row, profile, node, count = zip(*rows, strict=True) if rows else ((), (), (), ())
    return CustomProfiles(
        time_mono_ns=at_ns,
        profile_name=names,
        row=row,
        row_profile=profile,
        row_node=node,
        row_count=count,
    )


def read(custom: LiveCustom, name: str, until_ns: int | None = None) -> list[tuple[int, int]]:
    rows = custom.list_rows(name, until_ns)
    return sorted(zip(rows.node.tolist(), rows.count.tolist(), strict=True))


def test_the_last_of_a_row_counts() -> None:
    custom = LiveCustom()
    custom.add(make(("a", "b"), (0, 0, 1, 3), (1, 1, 2, 5)), N_NODES)
    custom.add(make((), (0, 0, 1, 4)), N_NODES)
    assert custom.names == ("a", "b")
    assert (read(custom, "a"), read(custom, "b")) == ([(1, 4)], [(2, 5)])
    custom.add(make((), (0, 1, 3, 1), (1, 1, 2, 0)), N_NODES)  # its slot has another stack
    assert (read(custom, "a"), read(custom, "b")) == ([], [(3, 1)])
    assert read(custom, "c") == []


def test_any_moment_has_its_values() -> None:
    custom = LiveCustom()
    custom.add(make(("a", "b"), (0, 0, 1, 3), (1, 1, 2, 5), at_ns=10), N_NODES)
    custom.add(make((), (0, 1, 3, 1), (1, 1, 2, 0), at_ns=20), N_NODES)  # row 0 is of b now
    assert [read(custom, "a", at) for at in (9, 10, 20)] == [[], [(1, 3)], []]
    assert [read(custom, "b", at) for at in (9, 10, 20)] == [[], [(2, 5)], [(3, 1)]]
    assert read(custom, "b", 20) == read(custom, "b")
    assert read(custom, "c", 20) == []


def test_a_name_that_comes_twice_is_one_profile() -> None:
    """Of two interpreters of a process."""
    custom = LiveCustom()
    custom.add(make(("a", "b", "a"), (0, 0, 1, 3), (1, 2, 2, 5)), N_NODES)
    assert custom.names == ("a", "b")
    assert read(custom, "a") == [(1, 3), (2, 5)]


@pytest.mark.parametrize(
    "message",
    [
        make(("a",), (0, 1, 1, 1)),  # a profile without a name
        make(("a",), (0, 0, N_NODES, 1)),  # a stack that is not defined
        make(("a",), (0, 0, 1, 2**64 - 1)),
        CustomProfiles(profile_name=["a"], row=[0]),
    ],
)
def test_what_is_not_defined_is_an_error(message: CustomProfiles) -> None:
    with pytest.raises(WireError):
        LiveCustom().add(message, N_NODES)


def test_a_row_that_changes_needs_no_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(custom_profiles, "_MOST_ROWS", 2)
    custom = LiveCustom()
    custom.add(make(("a",), (0, 0, 1, 3), (1, 0, 2, 5)), N_NODES)
    custom.add(make((), (0, 0, 1, 4), (1, 0, 2, 6)), N_NODES)
    assert read(custom, "a") == [(1, 4), (2, 6)]
    with pytest.raises(WireError):
        custom.add(make((), (2, 0, 3, 1)), N_NODES)


def test_values_are_summed_by_function() -> None:
    live = LiveProfile(0)
    batch = Batch(
        strings=["", "m.serve", "m.connect", "m.py"],
        function_name=[1, 2],
        function_system_name=[1, 2],
        function_filename=[3, 3],
        function_start_line=[1, 9],
        location_function=[0, 1, 1],
        location_line=[1, 9, 11],
        node_parent=[0, 0, 1, 1],
        node_location=[0, 0, 1, 2],
    )
    live.apply(FromEngine(batch=batch))
    live.apply(FromEngine(custom_profiles=make(("m.open",), (0, 0, 2, 3), (1, 0, 3, 4))))
    live.clear()  # values are there, whenever they came
    moment = live.capture_custom("m.open")
    values = sum_custom(moment)
    assert int(values.total[0]) == 7
    assert sorted(values.own.tolist()) == [0, 0, 0, 7], "two lines of one function"
    assert values.unit == "count"


def test_types_have_names_of_their_own() -> None:
    types = list_types(("app.open", "heap"), {"heap", "cpu"})
    assert [each.name for each in types] == ["app.open", "program's heap"]
    assert {each.unit for each in types} == {"count"}
