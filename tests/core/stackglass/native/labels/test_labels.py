"""Label sets of the calling thread, read out of its context."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python

UNREADABLE = 2


@each_python
def test_labels_are_those_of_the_current_context(python: Python) -> None:
    """Read in place and from copies; in contexts of all sizes, with variables changed and reset;
    what is not a label set, or cannot be read for certain, is none, and counted. A set that cannot
    be copied whole is defined without labels, not with some of them."""
    reported = run_probe(python, "labels/contexts.py")
    assert reported["problem"] == ""
    assert reported["wrong"] == []
    assert reported["equal"] in ([UNREADABLE, UNREADABLE], [])
    seen = reported["labels"]
    assert (seen["before"], seen["learned"]) == (True, True)
    for place in ("inside", "after nested", "copied context", "thread"):
        assert seen[place] == [1, 1, 0], place
    assert seen["nested"] == [2, 2, 0]
    for place in ("other context", "outside", "forgotten"):
        assert seen[place][:2] == [0, 0], place
    assert seen["foreign value"][:2] == [0, 0]
    assert seen["forgotten"][2] == 2  # in place and from copies
    assert seen["definitions"] == [
        [[1, "n", "3"], [1, "route", "/a"], [2, "n", "3"], [2, "route", "/b"]],
        3,
    ]
    assert seen["incomplete definitions"] == [[[1, "n", "3"], [1, "route", "/a"]], 3]
