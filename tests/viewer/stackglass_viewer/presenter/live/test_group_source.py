"""Captures of several processes as one profile."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from harness.heap_talk import HeapTalk, S, add_sample
from stackglass.errors import StackglassError
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.live import group_source
from stackglass_viewer.presenter.live.group_source import OTHERS, GroupSource, Member
from stackglass_viewer.presenter.live.member_profile import MEMBER_TYPES, PROCESS_KEY
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement

PALETTE = choose_palette("module", False)
CPU = TypeId(1)
IN_USE = TypeId(len(MEMBER_TYPES) - 1)


def build(source: GroupSource, type_index: TypeId = CPU, **asked: object) -> Built:
    request = BuildRequest(type_index, "cost", PALETTE, Arrangement(), **asked)  # type: ignore[arg-type] # by name
    return source.build(request)


def total_of(built: Built) -> int:
    assert built.scene is not None
    return built.scene.total


def make_member(name: str, cpu_ns: int) -> Member:
    """It has 300 bytes in use, too."""
    talk = HeapTalk()
    talk.define((1, 1))
    talk.sums(1, (0, 4, 400, 1, 100))
    add_sample(talk.live, cpu_ns)
    return Member(talk.live, name)


def list_processes(source: GroupSource) -> dict[str, int]:
    built = build(source, label_key=PROCESS_KEY)
    assert built.labels is not None
    table = built.labels.table
    assert table is not None
    return dict(zip(table.value, table.flat.tolist(), strict=True))


def test_what_is_shown_is_the_sum_of_all() -> None:
    source = GroupSource("all")
    source.add(make_member("web.py 1", 3 * S))
    source.add(make_member("web.py 2", S))
    built = build(source)
    assert total_of(built) == 4 * S
    assert built.info.description.startswith("2 processes  ·  ")
    assert total_of(build(source, IN_USE)) == 600
    assert list_processes(source) == {"web.py 1": 3 * S, "web.py 2": S}


def test_a_process_takes_another_name_with_all_its_data() -> None:
    source = GroupSource("all")
    member = make_member("fork of web.py 2", S)
    source.add(make_member("web.py 1", 3 * S))
    source.add(member)
    assert list_processes(source) == {"web.py 1": 3 * S, "fork of web.py 2": S}
    renamed = source.rename(member, "crawler-0 2")
    assert list_processes(source) == {"web.py 1": 3 * S, "crawler-0 2": S}
    source.end(renamed)
    assert list_processes(source) == {"web.py 1": 3 * S, "crawler-0 2": S}


def test_it_is_read_anew_only_where_something_is_new() -> None:
    source = GroupSource("all")
    member = make_member("web.py 1", S)
    source.add(member)
    assert total_of(build(source)) == S
    add_sample(member.live, S)
    assert total_of(build(source)) == S
    source.expire()
    assert total_of(build(source)) == 2 * S


def test_a_pause_holds_what_was_joined_last() -> None:
    """Also where a process comes or ends meanwhile; its capture is released all the same."""
    source, left = GroupSource("all"), list[str]()
    member = make_member("web.py 1", S)
    leaving = replace(make_member("web.py 2", S), leave=lambda: left.append("web.py 2"))
    source.add(member)
    source.add(leaving)
    source.expire()
    source.hold(True)
    assert total_of(build(source)) == 2 * S  # nothing was joined before the pause
    add_sample(member.live, S)
    source.expire()
    source.end(leaving)
    source.settle()
    source.add(make_member("web.py 3", S))
    built = build(source)
    assert (total_of(built), left) == (2 * S, ["web.py 2"])
    assert built.info.description.startswith("2 processes  ·  ")
    assert list_processes(source) == {"web.py 1": S, "web.py 2": S}
    request = BuildRequest(CPU, "cost", PALETTE, Arrangement())
    assert sum_cpu(source.read_shown(request)) == 2 * S  # what is shown is what is saved
    source.hold(False)
    assert sum_cpu(source.read_shown(request)) == 4 * S
    assert list_processes(source) == {"web.py 1": 2 * S, "web.py 2": S, "web.py 3": S}


def sum_cpu(profile: Profile) -> int:
    return int(profile.samples.values[CPU].sum())


def test_a_build_that_failed_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though no more data come: as of a process that has ended."""
    source = GroupSource("all")
    member = make_member("web.py 1", S)
    source.add(member)
    build(source)
    add_sample(member.live, S)
    source.end(member)
    with monkeypatch.context() as patch:
        patch.setattr(group_source, "join_profiles", fail)
        with pytest.raises(StackglassError):
            build(source)
    assert total_of(build(source)) == 2 * S


def fail(_profiles: object) -> Profile:
    raise StackglassError("no room")


def test_a_process_that_has_ended_keeps_its_part() -> None:
    source = GroupSource("all")
    first, second = make_member("web.py 1", 3 * S), make_member("web.py 2", S)
    source.add(first)
    source.add(second)
    source.end(second)
    build(source)
    add_sample(second.live, S)  # it is not looked at any more
    source.expire()
    built = build(source)
    assert (total_of(built), built.info.description[:11]) == (4 * S, "2 processes")
    source.end(first)
    assert list_processes(source) == {"web.py 1": 3 * S, "web.py 2": S}


def test_a_process_with_two_captures_is_one() -> None:
    """As one that was detached and attached to again."""
    source = GroupSource("all")
    first = make_member("web.py 1", 3 * S)
    source.add(first)
    assert build(source).info.description.startswith("1 process  ·  ")
    source.add(make_member("web.py 2", S))
    again = make_member("web.py 1", 2 * S)
    source.end(first)
    source.add(Member(again.live, again.name, is_again=True))
    built = build(source)
    assert (total_of(built), built.info.description[:11]) == (6 * S, "2 processes")
    assert list_processes(source) == {"web.py 1": 5 * S, "web.py 2": S}


def test_a_capture_is_left_when_it_is_read_no_more() -> None:
    """Workers come and go for days, and a capture may be large."""
    source, left = GroupSource("all"), list[str]()
    first, second = (
        replace(made, leave=partial(left.append, made.name))
        for made in (make_member("web.py 1", 3 * S), make_member("web.py 2", S))
    )
    source.add(first)
    source.add(second)
    source.end(second)
    assert left == []
    build(source)
    assert left == ["web.py 2"]
    source.close()
    assert left == ["web.py 2", "web.py 1"]


def test_of_many_that_ended_the_last_have_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_source, "_MOST_NAMED", 2)
    source = GroupSource("all")
    members = [make_member(f"web.py {number}", S) for number in range(4)]
    for member in members:
        source.add(member)
    for member in members[:3]:
        source.end(member)
        build(source)
    assert list_processes(source) == {"web.py 0": S, "web.py 1": S, OTHERS: S, "web.py 3": S}


def test_a_capture_that_has_not_begun_has_nothing() -> None:
    source = GroupSource("all")
    source.add(Member(LiveProfile(0), "web.py 1"))
    built = build(source)
    assert (total_of(built), built.info.has_samples) == (0, False)
    assert built.info.emptiness[0] == "No samples yet"  # not that the profile is complete


def test_a_group_without_a_member_is_empty() -> None:
    """The tab of a restored family is built before a child is attached to again."""
    source = GroupSource("children")
    built = build(source)
    assert (total_of(built), built.info.has_samples) == (0, False)
    assert built.info.emptiness[0] == "No samples yet"
    assert built.info.description.startswith("0 processes  ·  ")
    request = BuildRequest(CPU, "cost", PALETTE, Arrangement())
    assert source.read_shown(request).sample_types == MEMBER_TYPES  # as it is saved
    source.add(make_member("web.py 1", S))
    assert total_of(build(source)) == S


def test_boxes_keep_their_places_from_one_join_to_the_next() -> None:
    """The first has 10 s, then 12; the other one 11 s all the time."""
    source, first = GroupSource("app"), make_member("app.py 1", 10 * S)
    source.add(first)
    source.add(make_member("app.py 2", 11 * S))

    def list_members(placing: int | None) -> list[str]:
        scene = build(source, split_key=PROCESS_KEY, placing=placing).scene
        assert scene is not None
        begin, end = scene.layout.row_start[1:3]
        return [name_of(scene, node) for node in scene.layout.node[begin:end].tolist()]

    one, other = list_members(None)
    assert one.endswith("app.py 2")
    assert list_members(1) == [one, other]
    add_sample(first.live, 2 * S)
    source.expire()
    assert list_members(1) == [one, other]
    assert list_members(2) == [other, one]
