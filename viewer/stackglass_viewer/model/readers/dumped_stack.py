"""Stack of a goroutine or thread while the lines of its dump are read.

::

    main.worker(0xc000012345, ...)
        /src/main.go:230 +0x58
    created by main.start in goroutine 1
        /src/main.go:12 +0x1d
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol

_CREATOR = re.compile(r"created by (.+?)(?: in (?:goroutine|thread) \d+)?")
_CALL = re.compile(r"(\S.*)\([^()]*\)")
_PLACE = re.compile(r"\t(.+):(\d{1,9})(?: .*)?")
_MINUTES = re.compile(r"(\d{1,9}) minutes")
_ELIDED = re.compile(r"\.\.\..*frames elided\.\.\.")
_TRUNCATED = Symbol("<truncated>", "", 0)


class DumpedStack:
    """Begins at a header. One thread."""

    def __init__(self, labels: Iterable[Label]) -> None:
        self.labels = list(labels)
        self.frames: list[Symbol] = []  # leaf first
        self._name = ""  # of the function whose place comes next

    def read(self, text: str) -> None:
        """A line below the header."""
        if place := _PLACE.fullmatch(text):
            if self._name:
                self.frames.append(Symbol(self._name, place[1], int(place[2])))
            self._name = ""
        elif creator := _CREATOR.fullmatch(text):
            self.labels.append(Label("created by", creator[1]))
        elif _ELIDED.fullmatch(text):
            self.frames.append(_TRUNCATED)
        elif call := _CALL.fullmatch(text):
            self._name = call[1]


class DumpedStacks:
    """One sample for each stack. One thread."""

    def __init__(self) -> None:
        self.n_stacks = 0
        self._samples = FrameSamples()
        self._numbers: dict[Symbol, int] = {}

    def add(self, stack: DumpedStack) -> None:
        """A stack that is complete."""
        for frame in stack.frames:
            if frame not in self._numbers:
                self._numbers[frame] = self._samples.add_frame(frame)
        self._samples.add([1], [self._numbers[frame] for frame in stack.frames], stack.labels)
        self.n_stacks += 1

    def build(self, counted: str) -> Profile:
        """The profile; ``counted`` names its only sample type."""
        return self._samples.build([SampleType(counted, "count")])


def list_state_labels(state: str) -> list[Label]:
    """Labels of ``chan receive, 5 minutes, locked to thread``: the state, and its minutes."""
    words = [word for word in state.split(", ") if word]
    minutes = [found for word in words[1:] if (found := _MINUTES.fullmatch(word))]
    return [
        *(Label("state", word) for word in words[:1]),
        *(Label("minutes", None, int(found[1])) for found in minutes),
    ]
