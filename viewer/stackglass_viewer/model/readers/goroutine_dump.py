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
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, list_lines

_HEADER = re.compile(r"goroutine (\d{1,18})(?: [^\[\n]*)? \[([^\]\n]*)\](?:.*)?:")
_BEGINNING = re.compile(
    rb"(?:(?:panic:|fatal error:|runtime:|SIG[A-Z]+:)[^\0]*?\n)?goroutine \d+ (?:[^\[\n]* )?\["
)
_CREATOR = re.compile(r"created by (.+?)(?: in goroutine \d+)?")
_CALL = re.compile(r"(\S.*)\([^()]*\)")
_PLACE = re.compile(r"\t(.+):(\d{1,9})(?: .*)?")
_MINUTES = re.compile(r"(\d{1,9}) minutes")
_ELIDED = re.compile(r"\.\.\..*frames elided\.\.\.")
_TRUNCATED = Symbol("<truncated>", "", 0)
_GOROUTINES = SampleType("goroutine", "count")


def is_goroutine_dump(head: bytes) -> bool:
    """Whether a file begins like one."""
    return _BEGINNING.match(head) is not None


def read_goroutine_dump(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> Profile:
    """Lines outside of goroutines are passed over. Raises ProfileError, if there is none."""
    samples = FrameSamples()
    numbers: dict[Symbol, int] = {}
    goroutine: _Goroutine | None = None
    n_read = 0
    for line in list_lines(content, progress):
        text = line.decode(errors="replace").rstrip()
        header = _HEADER.fullmatch(text)
        if goroutine is not None and (header or not text):
            goroutine.add_to(samples, numbers)
            goroutine, n_read = None, n_read + 1
        if header:
            goroutine = _Goroutine(header[1], header[2])
        elif goroutine is not None:
            goroutine.read(text)
    if goroutine is not None:
        goroutine.add_to(samples, numbers)
        n_read += 1
    if not n_read:
        raise ProfileError("it is a dump of goroutines, and has none")
    return samples.build([_GOROUTINES])


class _Goroutine:
    """A goroutine while its lines are read."""

    def __init__(self, number: str, state: str) -> None:
        words = [word for word in state.split(", ") if word]
        self._labels = [Label("goroutine", None, int(number))]
        self._labels += [Label("state", words[0])] if words else []
        self._labels += [
            Label("minutes", None, int(found[1]))
            for word in words[1:]
            if (found := _MINUTES.fullmatch(word))
        ]
        self._stack: list[Symbol] = []
        self._name = ""  # of the function whose place comes next

    def read(self, text: str) -> None:
        """A line below the header."""
        if place := _PLACE.fullmatch(text):
            if self._name:
                self._stack.append(Symbol(self._name, place[1], int(place[2])))
            self._name = ""
        elif creator := _CREATOR.fullmatch(text):
            self._labels.append(Label("created by", creator[1]))
        elif _ELIDED.fullmatch(text):
            self._stack.append(_TRUNCATED)
        elif call := _CALL.fullmatch(text):
            self._name = call[1]

    def add_to(self, samples: FrameSamples, numbers: dict[Symbol, int]) -> None:
        for frame in self._stack:
            if frame not in numbers:
                numbers[frame] = samples.add_frame(frame)
        samples.add([1], [numbers[frame] for frame in self._stack], self._labels)
