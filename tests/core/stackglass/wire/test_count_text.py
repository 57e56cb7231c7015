"""Counts of stacks as text."""

from __future__ import annotations

import pytest

from stackglass.wire import count_profile, count_text
from stackglass.wire.pprof import LabelSet, ProfileTables
from stackglass.wire.stack_tables import Frame, StackTables


def build(*rows: tuple[str, LabelSet], name: str = "threads") -> ProfileTables:
    tables = StackTables()
    nodes = [
        tables.add(Frame(text, text, "app.py", 1, 7) for text in stack.split(";"))
        for stack, _ in rows
    ]
    labels = [labels for _, labels in rows]
    return count_profile.build(tables.build(""), name, list(zip(nodes, labels, strict=True)), 0)


def test_the_highest_count_comes_first_and_labels_stand_below_it() -> None:
    worker: LabelSet = (("thread", 'the "worker"\n'), ("thread_id", "7"))
    text = count_text.encode(build(("main", ()), *[("main;f", worker)] * 2)).decode()
    assert text.splitlines() == [
        "threads profile: total 3",
        "2 @ 0x100010 0x100000",
        '# labels: {"thread":"the \\"worker\\"\\n", "thread_id":"7"}',
        "#\t0x100010\tf+0x0\tapp.py:7",
        "#\t0x100000\tmain+0x0\tapp.py:7",
        "",
        "1 @ 0x100000",
        "#\t0x100000\tmain+0x0\tapp.py:7",
        "",
    ]


def test_a_name_with_line_breaks_stays_on_its_line() -> None:
    """Code that is compiled from a text may have the text as its file name."""
    tables = StackTables()
    node = tables.add([Frame("1 +\n2", "1 +\n2", "a = 1\r\nb = 2\f", 1, 7)])
    built = count_profile.build(tables.build(""), "threads", [(node, ())], 0)
    text = count_text.encode(built).decode()
    assert text.splitlines()[1:] == ["1 @ 0x100000", "#\t0x100000\t1 +?2+0x0\ta = 1??b = 2?:7", ""]


@pytest.mark.parametrize(("depth", "n_left_out"), [(100, 0), (101, 1), (110, 10)])
def test_a_dump_leaves_out_the_middle_of_a_deep_stack(depth: int, n_left_out: int) -> None:
    stack = ";".join(f"f{level}" for level in range(depth))
    tables = build((stack, (("thread_id", "7"),)), name="app.access")
    lines = count_text.encode_dump(tables).decode().splitlines()
    assert lines[0] == "app.access 7:"
    frames = [line for line in lines if line.endswith("(...)")]
    assert frames[0] == f"f{depth - 1}(...)"
    assert frames[-1] == "f0(...)"
    assert len(frames) == depth - n_left_out
    elided = [line for line in lines if "elided" in line]
    assert elided == ([f"...{n_left_out} frames elided..."] if n_left_out else [])
