"""Objects by type: counted ones, sampled ones, and where the latter come from."""

from __future__ import annotations

import pytest

from harness.heap_talk import START_NS, HeapTalk, S
from stackglass.errors import WireError
from stackglass_viewer.model.heap.type_census import TypeSite
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, TypeCensus


@pytest.fixture
def talk() -> HeapTalk:
    """Strings: 1 m.f, 2 m.g, 3 m.py; f at line 1, f at line 2, g at line 9."""
    made = HeapTalk()
    made.define((1, 1), (2, 1), (3, 512 * 1024))
    return made


def test_counts_and_samples_stand_side_by_side(talk: HeapTalk) -> None:
    census = TypeCensus(
        n_objects=12,
        is_whole=1,
        type_name=[1, 3, 1],  # a name may be that of several types
        type_count=[4, 6, 2],
        type_bytes=[40, 60, 20],
        site_bucket=[0, 1, 0, 2],
        site_type=[2, 2, 0, 1],
        site_count=[5, 1, 1, 4],
        site_bytes=[50, 1000, 7, 4096],
    )
    talk.live.apply(FromEngine(census=census))
    table = talk.live.list_types()
    assert table is not None
    assert table.name == ("m.f", "m.py", "m.g", "<unknown>")
    assert table.counted.tolist() == [6, 6, -1, -1]
    assert table.counted_bytes.tolist() == [60, 60, -1, -1]
    assert table.objects.tolist() == [2050, 0, 6, 1]  # checklist 40's vector
    assert table.size_bytes.tolist() == [2099200, 0, 1050, 7]
    assert table.sites[2] == (TypeSite("m.f", 2, 1, 1000), TypeSite("m.f", 1, 5, 50))
    assert table.sites[1] == ()


def test_an_empty_census_is_an_empty_table(talk: HeapTalk) -> None:
    assert talk.live.list_types() is None
    talk.live.apply(FromEngine(census=TypeCensus(problem="no")))
    table = talk.live.list_types()
    assert table is not None
    assert (len(table), table.problem) == (0, "no")


def test_a_moment_has_the_last_census_up_to_it(talk: HeapTalk) -> None:
    for second, count in ((2, 4), (6, 5)):
        census = TypeCensus(
            time_mono_ns=START_NS + second * S, type_name=[1], type_count=[count], type_bytes=[9]
        )
        talk.live.apply(FromEngine(census=census))
    tables = [talk.live.list_types(until) for until in (199, 200, 599, 600, None)]
    assert [table and (table.at_ns // S, table.counted.tolist()) for table in tables] == [
        None,
        (2, [4]),
        (2, [4]),
        (6, [5]),
        (6, [5]),
    ]


@pytest.mark.parametrize(
    "census",
    [
        TypeCensus(type_name=[9], type_count=[1], type_bytes=[1]),
        TypeCensus(type_name=[1], type_count=[1]),
        TypeCensus(type_name=[1], type_count=[2**63], type_bytes=[1]),
        TypeCensus(site_bucket=[3], site_type=[1], site_count=[1], site_bytes=[1]),
        TypeCensus(site_bucket=[0], site_type=[8], site_count=[1], site_bytes=[1]),
    ],
)
def test_what_makes_no_sense_is_refused(talk: HeapTalk, census: TypeCensus) -> None:
    with pytest.raises(WireError):
        talk.live.apply(FromEngine(census=census))
