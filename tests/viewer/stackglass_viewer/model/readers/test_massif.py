"""massif's format: the peak's tree, what has no callers, and what is damaged."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
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
        (FILE[: FILE.rindex("heap_tree")], "truncated: it ends within a snapshot"),
        (FILE.replace("n0: 25", "n0: 45"), "has more than the node above"),
        (FILE.replace(" n0: 25", "   n0: 25"), "line 33 is not a node of the tree above"),
        (FILE.replace("n0: 25", "n0: x"), "is not a node of the tree above"),
        (FILE.replace("time=10\n", "time=x\n"), "line 15 is not of massif's format: 'time=x'"),
        (FILE.replace("=peak", "=large"), "is not of massif's format: 'large'"),
    ],
)
def test_what_is_damaged_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        read(text)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_a_tree_that_never_ends_is_refused() -> None:
    deep = "".join(f"{' ' * depth}n1: 1 f\n" for depth in range(5000))
    with pytest.raises(ContentError, match="a stack of more than 4096 frames"):
        read(HEAD + snapshot(0, "peak\n" + deep, heap=1))


NODE = re.compile(r"( *)n(\d+): (\d+) (.*)")


def read_naively(tree: str) -> list[tuple[list[str], list[int]]]:
    """The texts of each stack, and its bytes."""
    lines = iter(tree.splitlines())

    def read_node(path: list[str]) -> Iterator[tuple[list[str], int]]:
        found = NODE.fullmatch(next(lines))
        assert found
        assert len(found[1]) == len(path)
        name = "" if not path else found[4]
        own = int(found[3])
        below: list[tuple[list[str], int]] = []
        for _ in range(int(found[2])):
            node = list(read_node([*path, name]))
            own -= sum(n_bytes for _, n_bytes in node)
            below += node
        yield from below
        if own:
            yield [*path, name][1:], own

    return [(path, [n_bytes]) for path, n_bytes in read_node([])]


def make_tree(rng: random.Random) -> str:
    lines: list[str] = []

    def add(depth: int, n_bytes: int) -> None:
        place, left, sizes = len(lines), n_bytes, []
        lines.append("")
        while depth < 6 and rng.random() < 0.7:
            sizes.append(rng.choice([0, left, rng.randint(0, left)]))
            left -= sizes[-1]
        text = rng.choice(["f", "", "g (a.c:3)", "0x1: h (a.c:4)", "0x2: h (a.c:4)", "\u00e9"])
        lines[place] = f"{' ' * depth}n{len(sizes)}: {n_bytes} {text}"
        for size in sizes:
            add(depth + 1, size)

    add(0, rng.randint(0, 10**6))
    return "\n".join(lines)


def test_made_trees_have_the_stacks_that_their_lines_say() -> None:
    rng = random.Random(11)
    names = {"0x1: h (a.c:4)": "h", "0x2: h (a.c:4)": "h", "g (a.c:3)": "g (a.c:3)"}
    for _ in range(300):
        tree = make_tree(rng)
        stacks = [
            ([names.get(text, text) for text in path], values)
            for path, values in read_naively(tree)
        ]
        profile = read(HEAD + snapshot(0, "peak\n" + tree, extra=0) + SMALL_SNAPSHOT)
        assert list_stacks(profile) == stacks


SMALL_SNAPSHOT = snapshot(1, "detailed\n" + SMALL, heap=9)


@pytest.mark.parametrize("line", [" n0: 7 ", " n0: 7  ", " n0: 7 in 1 place"])
def test_a_node_may_say_anything(line: str) -> None:
    tree = f"n2: 9 (heap)\n n0: 2 0x1: main (a.c:1)\n{line}"
    profile = read(HEAD + snapshot(0, "peak\n" + tree, extra=0))
    assert list_stacks(profile) == [(["main"], [2]), ([line[7:]], [7])]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("n0: 9223372036854775808 x", "63 bits cannot hold: 9223372036854775808"),
        ("n0: 99999999999999999999 x", "is not a node of the tree above"),
        ("n0000000001: 9 x", "is not a node of the tree above"),
        ("n0: 9", "is not a node of the tree above"),
        ("n0 9 x", "is not a node of the tree above"),
        ("n0: 9 " + "x" * 2**21, "it has a line of 2097158 bytes"),
        ("n1: 9 x\n n0: 9 " + "x" * 2**21, "it has a line of 2097159 bytes"),
    ],
)
def test_a_line_of_a_tree_that_cannot_be_read(line: str, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        read(HEAD + snapshot(0, "peak\n" + line))
    assert message in caught.value.message


def test_names_that_are_not_utf8_are_one_if_they_look_the_same() -> None:
    tree = "n2: 9 (heap)\n n0: 2 0x1: a? (x.c:1)\n n0: 7 0x1: a! (x.c:1)"
    text = (HEAD + snapshot(0, "peak\n" + tree, extra=0)).encode()
    profile = read_massif(text.replace(b"a?", b"a\xff").replace(b"a!", b"a\xfe"))
    assert len(profile.locations.address) == 1
    assert list_stacks(profile) == [(["a\ufffd"], [2]), (["a\ufffd"], [7])]


def test_reading_can_be_cancelled() -> None:
    def stop(share: float) -> None:
        assert 0 < share < 1
        raise CancelledError

    lines = " n0: 1 0x1: f (a.c:1)\n" * 100_000
    with pytest.raises(CancelledError):
        read_massif((HEAD + snapshot(0, f"peak\nn100000: 100000 x\n{lines}")).encode(), stop)
    with pytest.raises(CancelledError):
        read_massif(b"#\n" * 1_000_000, stop)
