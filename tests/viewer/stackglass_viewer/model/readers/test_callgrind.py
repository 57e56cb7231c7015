"""callgrind's format: names by number, places, inlined lines, calls, parts, and what is damaged."""

from __future__ import annotations

import pytest

from harness.function_tables import list_edges, list_functions
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.callgrind import read_callgrind
from stackglass_viewer.model.readers.opener import open_content

VALGRIND = b"""# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  ./app

desc: Timerange: Basic block 0 - 13
positions: instr line
events: Ir Dr
summary: 170 7

ob=(1) /bin/app
fl=(1) app.c
fn=(1) main
0x400 16 20 2
fi=(2) list.h
+4 -9 30
fe=(1)
+4 +12 50 5
jump=3 +8 +1
* *
cob=(2) /lib/libc.so
cfi=(3) ???
cfn=(2) puts
calls=2 0x900 0
* +1 40
cfn=(3) work
calls=4 +9 30
0x410 21 30

fn=(3)
0x500 30 30

ob=(2)
fl=(3)
fn=(2)
0x900 0 40

totals: 170 7
"""


def read(text: str) -> FunctionTable:
    return read_callgrind(text.encode())


def test_costs_calls_and_callers_of_valgrind() -> None:
    table = read_callgrind(VALGRIND)
    assert list_functions(table) == {
        ("main", "app.c", 16): (0, [100, 7], [170, 7]),
        ("puts", "/lib/libc.so", 0): (2, [40, 0], [40, 0]),
        ("work", "app.c", 30): (4, [30, 0], [30, 0]),
    }
    assert list_edges(table) == {("main", "puts"): (2, [40, 0]), ("main", "work"): (4, [30, 0])}
    assert [(each.name, each.unit) for each in table.sample_types] == [
        *(("Ir", "count"), ("Dr", "count"), ("calls", "count"))
    ]
    assert table.comments == ("creator: callgrind-3.19.0", "cmd: ./app")
    assert not table.warnings


def test_a_call_is_in_the_file_of_the_line_unless_it_names_another() -> None:
    table = read(
        "events: Ir\nfl=a.c\nfn=main\n1 1\nfi=b.h\ncfn=inner\ncalls=1 1\n2 5\n"
        "cfi=c.c\ncfn=other\ncalls=1 1\n2 5\ncfn=last\ncalls=1 1\n2 5\n"
    )
    assert list(zip(table.name, table.file, strict=True)) == [
        *(("main", "a.c"), ("inner", "b.h"), ("other", "c.c"), ("last", "b.h"))
    ]


def test_other_exporters() -> None:
    xdebug = read(
        "version: 1\ncreator: xdebug 3.1.0\nevents: Time_(10ns) Memory_(bytes)\n\n"
        "fl=(1) php:internal\nfn=(1) php::strlen\n5 10 -16\n\nfl=(2) /x.php\nfn=(2) {main}\n\n"
        "summary: 9 9\n\n1 100 50\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 10 -16\n"
    )
    assert [(each.name, each.unit) for each in xdebug.sample_types[:2]] == [
        *(("Time", "nanoseconds"), ("Memory", "bytes"))
    ]
    assert list_functions(xdebug)["{main}", "/x.php", 1] == (0, [1000, 50], [1100, 34])
    assert not xdebug.warnings
    pprof = read("positions: instr line\nevents: cpu(ms)\n\nfn=(1) f\n0x4 2 10\n* +3 20\n")
    assert list_functions(pprof) == {("f", "", 2): (0, [30_000_000], [30_000_000])}
    assert not pprof.has_calls
    yappi = read(
        "events: Ticks\nfl=(0) m.py\nfn=(0) f m.py:8\nfn=(1) a m.py:x\nfl=(0)\nfn=(0)\n8 5\n"
    )
    assert yappi.name == ("f", "a m.py:x")
    profile = read("event: ns : Nanoseconds\nevents: ns\nsummary: 9\nfl=~\nfn=len\n0 5 \n")
    assert list_functions(profile) == {("len", "", 0): (0, [5], [5])}
    assert profile.sample_types[0].unit == "nanoseconds"
    cachegrind = read(
        "desc: I1 cache: 1 B\nevents: Ir I1mr\nfl=a\nfn=f\n3 7 .\n4 1 2\nsummary: 8 2\n"
    )
    assert list_functions(cachegrind) == {("f", "a", 3): (0, [8, 2], [8, 2])}
    assert not cachegrind.warnings


def test_full_names_of_events_give_their_units() -> None:
    """As this program writes them, and as they are in valgrind's own words: without a unit."""
    profile = read(
        "event: cpu_nanoseconds : cpu (nanoseconds)\nevent: n : calls (count)\n"
        "event: Dr : Data Read (LL)\nevents: cpu_nanoseconds n Dr\nfl=a\nfn=f\n1 5 2 7\n"
    )
    assert profile.sample_types == (
        SampleType("cpu", "nanoseconds"),
        SampleType("calls", "count"),
        SampleType("Dr", "count"),
    )


def test_parts_are_added_up() -> None:
    part = "creator: callgrind-3\nevents: Ir\nsummary: 5\nfn=(1) f\n3 5\ntotals: 5\n"
    table = read(part + part)
    assert table.own.tolist() == [[10]]
    assert not table.warnings
    with pytest.raises(ContentError, match="line 7 lists other events than"):
        read(part + "events: Dr\n")


def test_what_is_less_than_its_sum_is_said() -> None:
    cut = VALGRIND.replace(b"0x900 0 40\n\ntotals: 170 7\n", b"")
    assert read_callgrind(cut).warnings == (
        "its costs of Ir add up to 130, not 170 as it says: is it whole?",
    )


def test_a_file_of_cachegrind_that_is_cut_is_not_passed_off_as_whole() -> None:
    cut = "desc: I1 cache: 1 B\nevents: Ir I1mr\nfl=a\nfn=f\n3 7 .\n4 1 2\n"
    assert read_callgrind(cut.encode()).warnings == (
        "it has no summary, the last line that valgrind writes: is it whole?",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# callgrind format\n", 'has no line "events:" that says what is measured'),
        (
            "version: 2\n",
            "line 1 has an unknown version: only version 1 can be read: 'version: 2'",
        ),
        (
            "events: Ir\n1 5\n",
            "line 2 has costs, but no line above names their function (\"fn=…\"): '1 5'",
        ),
        ("events: Ir\nfn=(1)\n", "line 2 has a number in brackets for a function that no line"),
        ("fn=f\n", 'line 1 names a function before "events:" says what is measured'),
        ("events: Ir\nfn=f\n1 5 6\n", 'line 3 has more costs than "events:" lists'),
        ("events: Ir\nfn=f\n1 5x\n", "line 3 has a cost that is not a number: '1 5x'"),
        (
            "events: Ir\nfn=f\n1x 5\n",
            "line 3 does not begin with a line number, or the columns that",
        ),
        (
            "positions: instr line\nevents: Ir\nfn=f\n1\n",
            "line 4 does not begin with a line number",
        ),
        (
            "events: Ir\nfn=f\ncalls=1 1\n",
            "line 3 counts calls, but no line above names the called",
        ),
        (
            "events: Ir\nfn=f\ncfn=g\ncalls=1 1\nfn=g\n",
            "line 5 should hold the costs of the calls in the line above",
        ),
        (
            "events: Ir\nfn=f\ncfn=g\ncalls=1 1\n",
            "truncated: it ends before the costs of a call: check that",
        ),
        ("events: Ir\nfn=f\n\xe4\n", "line 3 is not of callgrind's format"),
        ("events: Ir\nfn=f\n1 " + "9" * 19, "line 3 has a number above 9223372036854775807"),
        ("events: Ir\nfn=f\n1 " + "9" * 18 + "\n+1 " + "9" * 19, "line 4 has a number above 92"),
        ("events: " + "Ir " * 40, "line 1 names more than 32 events"),
    ],
)
def test_what_is_damaged_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        read(text)
    assert message in str(caught.value)
    assert "record it again" in caught.value.remedy
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("has_calls", [False, True])
def test_costs_that_few_bytes_stand_for_are_limited(*, has_calls: bool) -> None:
    events = "events: " + " ".join(f"e{each}" for each in range(32)) + "\n"
    functions = "".join(f"fn=f{each:05}\n" for each in range(20_000))
    calls = "fn=f\ncfn=g\n" + "calls=1\n1\n" * 20_000
    assert read(events + functions[: 10 * 16_000]).n_functions == 16_000
    with pytest.raises(ContentError, match="has more functions and calls, with a cost for each"):
        read(events + (calls if has_calls else functions))


def test_it_opens_by_content() -> None:
    table = open_content(VALGRIND, "x.prof")
    assert isinstance(table, FunctionTable)
    assert table.format_name == "callgrind"
