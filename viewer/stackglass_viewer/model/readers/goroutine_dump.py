"""Reader of Go's dumps of goroutines: ``debug=2``, and what a panic or SIGQUIT prints.

::

    goroutine 18 [chan receive, 5 minutes]:
    main.worker(0xc000012345, ...)
        /src/main.go:230 +0x58
    created by main.start in goroutine 1
        /src/main.go:12 +0x1d

One sample a goroutine. Its number, its state, the minutes that it has waited and the function that
created it are labels.
"""

from __future__ import annotations

import re

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.dumped_stack import (
    DumpedStack,
    DumpedStacks,
    list_state_labels,
)
from stackglass_viewer.model.readers.sample_columns import Label
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, list_lines

_HEADER = re.compile(r"goroutine (\d{1,18})(?: [^\[\n]*)? \[([^\]\n]*)\](?:.*)?:")
_BEGINNING = re.compile(
    rb"(?:(?:panic:|fatal error:|runtime:|SIG[A-Z]+:)[^\0]*?\n)?goroutine \d+ (?:[^\[\n]* )?\["
)


def is_goroutine_dump(head: bytes) -> bool:
    """Whether a file begins like one."""
    return _BEGINNING.match(head) is not None


def read_goroutine_dump(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> Profile:
    """Lines outside of goroutines are passed over. Raises ProfileError, if there is none."""
    stacks = DumpedStacks()
    goroutine: DumpedStack | None = None
    for line in list_lines(content, progress):
        text = line.decode(errors="replace").rstrip()
        header = _HEADER.fullmatch(text)
        if goroutine is not None and (header or not text):
            stacks.add(goroutine)
            goroutine = None
        if header:
            number = Label("goroutine", None, int(header[1]))
            goroutine = DumpedStack([number, *list_state_labels(header[2])])
        elif goroutine is not None:
            goroutine.read(text)
    if goroutine is not None:
        stacks.add(goroutine)
    if not stacks.n_stacks:
        raise ProfileError("it is a dump of goroutines, but lists none")
    return stacks.build("goroutine")
