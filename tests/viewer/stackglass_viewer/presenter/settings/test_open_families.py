"""Tabs of processes of the last run, gathered into families."""

from __future__ import annotations

from dataclasses import replace

from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.presenter.settings.open_families import (
    gather_families,
    keep_families,
    keep_running,
)
from stackglass_viewer.presenter.settings.open_tabs import TabRecord


def make_record(pid: int, family: int = 0, *, is_group: bool = False) -> TabRecord:
    """``boot 1``: when all processes began."""
    return TabRecord(
        "",
        pid,
        "boot 1",
        f"web.py {pid}",
        "flame",
        SampleType("cpu", "nanoseconds"),
        family=family,
        is_group=is_group,
        family_name=f"web.py {family}" if family else "",
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


def test_children_without_their_first_process_are_a_family_if_they_had_a_tab() -> None:
    """The tab of all; without it they are processes."""
    found = list_families(
        make_record(3, 2),
        make_record(2, 2, is_group=True),
        make_record(4, 2),
        make_record(6, 5),
        make_record(7, 7),
    )
    assert found == [
        ("2 children of web.py 2", [(2, True), (3, False), (4, False)]),
        ("web.py 6", []),
        ("web.py 7", []),
    ]


def test_a_tab_of_all_is_kept_while_one_of_them_runs() -> None:
    group, first, child = make_record(2, 2, is_group=True), make_record(2, 2), make_record(3, 2)
    began = {2: "boot 1", 3: "boot 1"}

    def read_beginning(pid: int) -> str:
        return began.get(pid, "")

    records = (first, group, child, replace(make_record(9), pid=0, path="a.pb.gz", began=""))
    assert keep_running(records, read_beginning) == (first, group, child)
    del began[2]
    assert keep_running(records, read_beginning) == (group, child)
    began[3] = "boot 2"  # another process
    assert keep_running(records, read_beginning) == ()
    assert keep_families((group, make_record(4, 3))) == (make_record(4, 3),)


def test_a_process_whose_children_are_awaited_has_its_own_title() -> None:
    assert list_families(make_record(5, 5)) == [("web.py 5", [])]
