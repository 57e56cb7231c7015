"""massif's format: the peak's tree, what has no callers, and what is damaged."""

from __future__ import annotations

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.massif import read_massif
from stackglass_viewer.model.readers.opener import open_content

HEAD = "desc: --stacks=yes\ncmd: ./app -v\ntime_unit: i\n"


def snapshot(number: int, tree: str, *, heap: int = 100, extra: int = 8, stacks: int = 0) -> str:
    return (
        f"#-----------\nsnapshot={number}\n#-----------\ntime={number * 10}\n"
        f"mem_heap_B={heap}\nmem_heap_extra_B={extra}\nmem_stacks_B={stacks}\nheap_tree={tree}\n"
    )


TREE = """n3: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: 60 0x1091F9: load (app.c:9)
  n1: 50 0x109250: main (app.c:12)
   n0: 50 0x109260: start (in /lib/libc.so)
 n0: 25 0x48: operator new(unsigned long) (new.cc:7)
 n0: 10 in 3 places, all below massif's threshold (1.00%)
"""
PEAK = snapshot(2, "peak\n" + TREE.rstrip(), stacks=5)
SMALL = "n0: 7 (heap allocation functions) malloc"
FILE = HEAD + snapshot(0, "empty") + snapshot(1, "detailed\n" + SMALL, heap=900) + PEAK


def read(text: str) -> Profile:
    return read_massif(text.encode())


def test_the_peak_is_shown() -> None:
    profile = read(FILE)
    assert sorted(list_stacks(profile)) == [
        ([], [5]),
        (["<3 places below the threshold>"], [10]),
        (["<heap administration>"], [8]),
        (["<stacks>"], [5]),
        (["load"], [10]),
        (["load", "main", "start"], [50]),
        (["operator new(unsigned long)"], [25]),
    ]
    assert profile.samples.values.sum() == 113
    assert profile.comments == ("./app -v", "snapshot 2 of 3, the peak, at 20 i")
    files = [profile.strings[file] for file in profile.functions.filename]
    assert sorted(set(files)) == ["", "/lib/libc.so", "app.c", "new.cc"]
    assert 12 in profile.locations.line_number


def test_without_a_peak_the_largest_is_shown() -> None:
    profile = read(
        HEAD + snapshot(1, "detailed\n" + SMALL, heap=7) + PEAK.replace("peak", "detailed")
    )
    assert profile.comments[1] == "snapshot 2 of 2 at 20 i"
    later = snapshot(3, "detailed\n" + SMALL, heap=7)
    assert read(FILE + later).comments[1] == "snapshot 2 of 4, the peak, at 20 i"


def test_it_opens_by_content() -> None:
    assert isinstance(open_content(FILE.encode(), "x"), Profile)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + snapshot(0, "empty"), "no detailed snapshot"),
        (FILE[: FILE.index(" n0: 25")], "truncated: it ends within the tree of a snapshot"),
        (FILE.replace("n0: 25", "n0: 45"), "has more than the node above"),
        (FILE.replace(" n0: 25", "   n0: 25"), "line 33 is not a node of the tree above"),
        (FILE.replace("n0: 25", "n0: x"), "is not a node of the tree above"),
        (FILE.replace("time=10\n", "time=x\n"), "line 15 is not of massif's format: 'time=x'"),
        (FILE.replace("=peak", "=large"), "is not of massif's format: 'large'"),
    ],
)
def test_what_is_damaged_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ProfileError) as caught:
        read(text)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_a_tree_that_never_ends_is_refused() -> None:
    deep = "".join(f"{' ' * depth}n1: 1 f\n" for depth in range(5000))
    with pytest.raises(ProfileError, match="a stack of more than 4096 frames"):
        read(HEAD + snapshot(0, "peak\n" + deep, heap=1))
