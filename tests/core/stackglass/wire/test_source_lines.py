"""Lines of machine code in a profile's tables, and calls that were inlined."""

from __future__ import annotations

from array import array
from pathlib import Path

from harness.go_tool import run_pprof
from stackglass.symbols.native_code import NativeCode, NativeLine, NativeName
from stackglass.wire import messages
from stackglass.wire.definitions import Definitions
from stackglass.wire.delta import subtract
from stackglass.wire.pprof import ProfileTables, SampleType
from stackglass.wire.pprof_file import encode_file, keep_used
from stackglass.wire.source_lines import add_lines

_SAMPLES = SampleType("samples", "count")
OWN = NativeLine("", "sort", "/src/sort.c", 40, 30)
INNER = NativeLine("libx: swap", "swap", "/src/swap.h", 7, 5)
INNERMOST = NativeLine("libx: move", "move", "/src/swap.h", 3, 2)


def make_tables() -> ProfileTables:
    """main calls the C function sort at two addresses; other, before them, is of no sample."""
    return ProfileTables(
        strings=("", "main", "main.py", "libx: sort", "/lib/libx.so", "other"),
        function_name=array("I", [5, 1, 3]),
        function_system_name=array("I", [5, 1, 3]),
        function_filename=array("I", [2, 2, 4]),
        function_start_line=array("I", [1, 1, 0]),
        location_function=array("I", [0, 1, 2, 2]),
        location_line=array("I", [9, 3, 0, 0]),
        node_parent=array("I", [0, 0, 0, 2, 2]),
        node_location=array("I", [0, 0, 1, 2, 3]),
        sample_node=array("I", [3, 4]),
        sample_labels=array("I", [0, 0]),
        sample_values=(array("Q", [1, 2]),),
        label_sets=((),),
        sample_types=(_SAMPLES,),
        default_type="samples",
        period_type=_SAMPLES,
        period=1,
        time_unix_ns=0,
        duration_ns=0,
        executable="",
        natives={2: NativeCode("/lib/libx.so", "ab12", 0x100)},
        location_native_address=array("I", [0, 0, 0x110, 0x120]),
    )


LINES = {2: [INNERMOST, INNER, OWN], 3: [OWN._replace(line=41)]}


def test_go_shows_lines_and_inlined_calls(tmp_path: Path) -> None:
    path = tmp_path / "p.pb.gz"
    path.write_bytes(encode_file(add_lines(make_tables(), LINES)))
    raw = run_pprof("-raw", path)
    assert "0x110 M=2 libx: move /src/swap.h:3" in raw
    assert "libx: swap /src/swap.h:7" in raw
    assert "libx: sort /src/sort.c:40" in raw
    assert "0x120 M=2 libx: sort /src/sort.c:41" in raw
    assert "[FN][FL][LN][IN]" in raw.splitlines()[-1]
    text = run_pprof("-traces", path)
    assert text.count("(inline)") == 2


def test_a_file_without_lines_says_so(tmp_path: Path) -> None:
    path = tmp_path / "p.pb.gz"
    path.write_bytes(encode_file(add_lines(make_tables(), {})))
    raw = run_pprof("-raw", path)
    assert "0x110 M=2 libx: sort /lib/libx.so:0" in raw
    assert raw.splitlines()[-1].endswith("[FN]")


def test_addresses_stay_with_their_locations() -> None:
    """A location of no sample stands before them."""
    kept = keep_used(make_tables())
    assert list(kept.location_native_address) == [0, 0x110, 0x120]


def test_a_difference_keeps_lines_and_inlined_calls(tmp_path: Path) -> None:
    path = tmp_path / "p.pb.gz"
    with_lines = add_lines(make_tables(), LINES)
    path.write_bytes(encode_file(subtract(make_tables(), with_lines)))
    assert "libx: move /src/swap.h:3" in run_pprof("-raw", path)


def test_each_address_is_looked_up_once() -> None:
    asked: list[tuple[str, str, int]] = []

    def locate(path: str, identity: str, address: int) -> list[NativeLine]:
        asked.append((path, identity, address))
        return [OWN]

    names = Definitions(lambda *_: NativeName("libx: sort", "sort"), locate_native=locate)
    names.add(
        messages.Batch(
            strings=["", "libx: 0x100", "ab12", "/lib/libx.so", "main"],
            function_name=[1, 4],
            function_system_name=[2, 4],
            function_filename=[3, 0],
            function_start_line=[0, 1],
            function_native_start=[0x100, 0],
            location_function=[0, 1, 0],
            location_line=[0, 5, 0],
            location_native_address=[0x110, 0, 0],
        )
    )
    assert names.locate() == {0: [OWN], 2: [OWN]}
    assert names.locate() == {0: [OWN], 2: [OWN]}
    assert asked == [("/lib/libx.so", "ab12", 0x110), ("/lib/libx.so", "ab12", 0x100)]
