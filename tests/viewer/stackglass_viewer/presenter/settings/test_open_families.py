"""Tabs of processes of the last run, gathered into families."""

from __future__ import annotations

from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.presenter.settings.open_families import gather_families
from stackglass_viewer.presenter.settings.open_tabs import TabRecord


def make_record(pid: int, family: int = 0, *, is_group: bool = False) -> TabRecord:
    return TabRecord(
        "",
        pid,
        "boot 1",
        f"web.py {pid}",
        "flame",
        SampleType("cpu", "nanoseconds"),
        family=family,
        is_group=is_group,
    )


def list_families(*records: TabRecord) -> list[tuple[str, list[tuple[int, bool]]]]:
    families = gather_families(records)
    return [(each.title, [(one.pid, one.is_group) for one in each.others]) for each in families]


def test_a_family_is_one_whatever_the_order_of_its_tabs() -> None:
    found = list_families(
        make_record(9),
        make_record(3, 2),
        make_record(2, 2, is_group=True),
        make_record(2, 2),
        make_record(4, 2),
    )
    assert found == [
        ("web.py 9", []),
        ("web.py 2 and 2 children", [(2, True), (3, False), (4, False)]),
    ]


def test_children_without_their_first_process_are_processes() -> None:
    found = list_families(
        make_record(2, 2, is_group=True), make_record(3, 2), make_record(5, 5), make_record(6, 5)
    )
    assert found == [("web.py 3", []), ("web.py 5 and 1 child", [(6, False)])]


def test_a_process_whose_children_are_awaited_has_its_own_title() -> None:
    assert list_families(make_record(5, 5)) == [("web.py 5", [])]
