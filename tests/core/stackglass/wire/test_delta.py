"""One profile less another one."""

from __future__ import annotations

import gzip

import pytest

from harness.saved_profile import SavedProfile
from stackglass.wire import count_profile, pprof
from stackglass.wire.delta import subtract
from stackglass.wire.pprof import LabelSet, ProfileTables
from stackglass.wire.stack_tables import Frame, StackTables


def build(
    *rows: tuple[str, LabelSet], name: str = "conns", time_ns: int = 1, first: str = ""
) -> ProfileTables:
    """Stacks as "main;f". ``first`` is defined before them, so that all numbers differ."""
    tables = StackTables()
    tables.add(Frame(text, text) for text in first.split(";"))
    nodes = [tables.add(Frame(text, text) for text in stack.split(";")) for stack, _ in rows]
    return count_profile.build(
        tables.build("python"),
        name,
        ((node, labels) for node, (_, labels) in zip(nodes, rows, strict=True)),
        time_ns,
    )


def read(tables: ProfileTables) -> dict[tuple[str, str], int]:
    """By stack and thread."""
    saved = SavedProfile(gzip.compress(pprof.encode(tables)))
    return {
        (";".join(row.stack), row.labels.get("thread", "")): row.values[0] for row in saved.rows
    }


def test_rows_are_matched_by_what_they_say() -> None:
    earlier = build(("main;g", ()), ("main;f", ()), first="z;y;x")
    later = build(("main;f", ()), ("main;f", ()), ("main;g", ()), ("main;h", ()))
    assert read(subtract(later, earlier)) == {("main;f", ""): 1, ("main;h", ""): 1}


def test_what_is_less_is_negative() -> None:
    assert read(subtract(build(("main", ())), build(*[("main;old", ())] * 3))) == {
        ("main", ""): 1,
        ("main;old", ""): -3,
    }


def test_labels_distinguish_rows() -> None:
    one, other = (("thread", "a"),), (("thread", "b"),)
    earlier = build(("main", one))
    later = build(("main", one), ("main", other))
    assert read(subtract(later, earlier)) == {("main", "b"): 1}


def test_equal_profiles_leave_nothing_and_an_empty_one_changes_nothing() -> None:
    whole = build(("main;f", ()))
    assert read(subtract(whole, whole)) == {}
    assert read(subtract(whole, build())) == {("main;f", ""): 1}
    assert read(subtract(build(), build())) == {}


def test_the_time_is_the_later_one_and_the_difference_is_the_duration() -> None:
    delta = subtract(build(("main", ()), time_ns=50), build(("main", ()), time_ns=20))
    assert (delta.time_unix_ns, delta.duration_ns) == (50, 30)


def test_profiles_that_count_something_else_are_refused() -> None:
    with pytest.raises(ValueError, match="different sample types"):
        subtract(build(name="conns"), build(name="leases"))


def test_a_profile_with_a_duration_ends_after_its_time() -> None:
    earlier = build(("main", ()), time_ns=10)._replace(duration_ns=5)
    later = build(("main", ()), time_ns=10)._replace(duration_ns=25)
    delta = subtract(later, earlier)
    assert (delta.time_unix_ns, delta.duration_ns) == (35, 20)
