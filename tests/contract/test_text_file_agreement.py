"""pprof's old text formats: ``go tool pprof`` reads the same addresses, values and mapped files.

Names it does not read: those are compared with protobuf files of the same moment.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
MAPS = """
--- Memory map: ---
  build=/usr/bin/server
  00300000-00400000 rw-p 00000000 08:01 5 /usr/bin/data
  00400000-00480000 r-xp 00000000 08:01 5 $build
  00480000-00500000: $build
W1123 file.cc:12] 7f0000001000-7f0000005000 r-xp 00001000 fd:00 77 /lib/libc.so.6 (deleted)
  0x7f0000010000-0x7f0000020000 /opt/lib/libx.so.2 (@1000) abc123
  not a mapping
"""
TEXTS = {
    "heap_v2": """heap profile:  9: 90000 [ 12: 100000] @ heap_v2/524288
   3: 4096 [5: 8191] @ 0x400123 0x480001
  -1: -64 [ 0: 0] @ 0x400123 0x7f0000010444
   0: 0 [1: 600000] @ 0x7f0000000fff 0x7f0000001234
# 7: 7 [7: 7] @ 0x1
   1: 17 [1: 17] @ 0xffffffffffffffff 0x0
"""
    + MAPS,
    "heap": "heap profile: 3: 30 [3: 30] @ heap/1024\n2: 20 [2: 20] @ 0x10 0x20\n1: 7 [2: 9] @ \n",
    "heapprofile": """heap profile: 1: 5 [ 0: 0] @ heapprofile

 1: 5 [0: 0] @ 0x10
x 2: 8 [0: 0] @ 0x11""",
    "growth": "heap profile: 1: 5 [ 2: 9] @ growthz\n 1: 5 [ 2: 9] @ 0x400010\n\n" + MAPS,
    "contentionz": """--- contentionz 1 ---
cycles/second = 3200000000
sampling period = 100
ms since reset = 31415
discarded samples = 7
  19490304 27 @ 0x400010 0x400020
  19490305 1 @
# 1 1 @ 0x400010
"""
    + MAPS,
    "mutex": """--- mutex:
cycles/second=0x3b9aca00
sampling period=7
500 2 @ 0x10 0x20
12 1 @ 0x20
""",
    "contention": """--- contention:
# none
cycles/second=999
3 1 @ 0x1
--- other ---
9 9 @ 0x9
""",
    "counts": "# why\n\nmy.profile profile: total 5\n3 @ 0x400010 0x400021\n2 @ 0x400010\n" + MAPS,
}

Samples = Counter[tuple[tuple[tuple[int, str], ...], tuple[tuple[str, str], ...], str]]


def read_samples(path: Path) -> Samples:
    """Sums by addresses with their mapped files, labels and sample type."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    strings, locations, labels = profile.strings, profile.locations, profile.labels
    sums: Samples = Counter()
    starts = profile.samples.stack_start.tolist()
    for i in range(profile.n_samples):
        stack = []
        for location in profile.samples.stack[starts[i] : starts[i + 1]].tolist():
            mapping = locations.mapping[location]
            file = strings[profile.mappings.filename[mapping]] if mapping >= 0 else ""
            stack.append((int(locations.address[location]), file))
        texts = [
            (strings[labels.key[row]], str(labels.number[row]))
            for row in (labels.sample == i).nonzero()[0]
            if labels.number[row]  # pprof does not write a zero
        ]
        for sample_type, value in zip(
            profile.sample_types, profile.samples.values[:, i].tolist(), strict=True
        ):
            sums[tuple(stack), tuple(texts), f"{sample_type}"] += value
    return Counter({key: value for key, value in sums.items() if value})


def read_as_pprof(path: Path, folder: Path) -> Samples:
    """The same of what pprof makes of a file."""
    written = folder / "written.pb.gz"
    run_pprof("-proto", f"-output={written}", path)
    return read_samples(written)


@pytest.mark.parametrize("name", TEXTS)
def test_texts_have_pprofs_numbers(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name])
    own = read_samples(path)
    assert own == read_as_pprof(path, tmp_path)
    assert own


def test_a_file_of_gperftools_has_pprofs_numbers(tmp_path: Path) -> None:
    path = CORPUS / "gperftools.nat.0013.heap"
    assert read_samples(path) == read_as_pprof(path, tmp_path)


def test_names_in_comments_are_those_of_the_protobuf_file() -> None:
    """Go names no function of its runtime at the top of a stack: all those are one here."""
    of_text = read_names(CORPUS / "go.work.goroutine.debug1.txt")
    of_proto = read_names(CORPUS / "go.work.goroutine.pb.gz")
    assert of_text == of_proto
    assert sum(of_text.values()) == 8


def read_names(path: Path) -> Counter[tuple[str, ...]]:
    """Counts by functions from the first that is not the runtime's, with lines and labels."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    strings, locations, labels = profile.strings, profile.locations, profile.labels
    sums: Counter[tuple[str, ...]] = Counter()
    starts = profile.samples.stack_start.tolist()
    for i in range(profile.n_samples):
        words: list[str] = []
        for location in profile.samples.stack[starts[i] : starts[i + 1]].tolist():
            for row in range(*locations.line_start[location : location + 2].tolist()):
                name = strings[profile.functions.name[locations.line_function[row]]]
                if words or not name.startswith(("runtime.", "<runtime>")):
                    words.append(f"{name}:{locations.line_number[row]}")
        for row in (labels.sample == i).nonzero()[0]:
            words.append(f"{strings[labels.key[row]]}={strings[labels.text[row]]}")
        sums[tuple(words)] += int(profile.samples.values[0, i])
    return sums
