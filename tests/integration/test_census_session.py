"""Objects by type, as a client gets them: of real processes, which go on meanwhile."""

from __future__ import annotations

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach

PLAIN = "__main__.Plain"


@each_python
def test_known_numbers_of_objects_are_counted_rightly(python: Python) -> None:
    """Without a heap profile, and as often as one asks."""
    with Target(python, "census.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            assert session.ready
            assert session.count_type(session.take_census(), PLAIN)[0] == 0
            for total in (1234, 2468):
                target.ask("plain 1234")
                census = session.take_census()
                n, size = session.count_type(census, PLAIN)
                assert n == total
                assert n * 32 <= size <= n * 400
                assert census.is_whole == 1
                assert census.n_objects == sum(census.type_count)
                assert census.n_slices > 0
                assert census.longest_hold_ns > 0
                assert census.duration_ns > 0
                assert census.site_bucket == []
            target.ask("drop")
            assert session.count_type(session.take_census(), PLAIN)[0] == 0
            session.detach()
        target.finish()


@some_pythons
def test_a_million_objects_and_the_program_goes_on(python: Python) -> None:
    """The longest hold is printed, not judged: a processor that others want may be taken away from
    whoever has the GIL. That there are many slices is what keeps it short."""
    with Target(python, "census.py", has_stdin=True) as target:
        before = target.ask("plain 1000000")["turns"]
        with Session(target.pid, hz=0) as session:
            assert session.ready
            before = target.ask()["turns"]
            census = session.take_census()
            assert target.ask()["turns"] > before
            assert session.count_type(census, PLAIN)[0] == 1_000_000
            assert census.is_whole == 1
            assert census.n_slices >= 10
            assert census.longest_hold_ns > 0
            assert census.longest_cpu_ns > 0
            session.detach()
        target.finish()


@some_pythons
def test_sampled_blocks_by_type_and_by_who_allocated_them(python: Python) -> None:
    with Target(python, "census.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(1)
            target.ask("texts 500")
            target.ask("plain 500")
            census = session.take_census()
            assert census.n_unnamed == 0
            texts = session.sum_sites(census, "keep_texts")
            assert texts["builtins.str"][0] == 1000
            assert texts["builtins.str"][1] > 1000 * 60
            assert texts["builtins.list"][1] >= 500 * 8
            assert session.sum_sites(census, "keep_plain")[PLAIN][0] >= 500
            # Nothing has happened since: the sum over types is what is live, all in all.
            session.wait_for_heap()
            _, _, n_live, live_bytes = session.sum_heap("keep_texts")
            assert sum(n for n, _ in texts.values()) == n_live
            assert sum(size for _, size in texts.values()) == live_bytes
            session.detach()
        target.finish()


@some_pythons
def test_collections_and_leaving_in_the_middle_of_a_census(python: Python) -> None:
    with Target(python, "census.py", has_stdin=True) as target:
        target.ask("plain 300000")
        with Session(target.pid, hz=100) as session:
            assert session.ready
            session.ask_for_census()
            session.ask_for_collection()
            census = session.wait_for_census()
            assert session.count_type(census, PLAIN)[0] == 300_000
            session.ask_for_census()
            session.detach()
        with Session(target.pid, hz=0) as session:
            assert session.ready
            session.ask_for_census()
        with Session(target.pid, hz=0) as session:
            assert session.count_type(session.take_census(), PLAIN)[0] == 300_000
            session.detach()
        target.finish()
