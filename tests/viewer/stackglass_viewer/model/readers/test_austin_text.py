"""Austin's text: modes, frames, threads, and what is damaged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers import austin_samples
from stackglass_viewer.model.readers.austin_text import read_austin_text
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.text_rows import list_lines

ROW = "P7;T0:9;<frozen x>:main:12;c:/a b.py:Job.work:7"
WALL = f"""# austin: 3.7.0
# mode: wall

{ROW} 520
P7;T0:9;a.py:main:5;:INVALID: 30
{ROW} 5
P8;T0:9 1
# duration: 1500
"""


def read(text: str) -> Profile:
    return read_austin_text(text.encode())


def test_rows_of_a_stack_are_added_up() -> None:
    profile = read(WALL)
    assert list_stacks(profile) == [
        (["Job.work", "main"], [2, 525_000]),
        (["<invalid>", "main"], [1, 30_000]),
        ([], [1, 1_000]),
    ]
    assert [each.name for each in profile.sample_types] == ["samples", "wall"]
    assert [profile.strings[text] for text in profile.labels.text] == ["7", "0:9"] * 2 + [
        "8",
        "0:9",
    ]
    files = {profile.strings[file] for file in profile.functions.filename}
    assert files == {"<frozen x>", "c:/a b.py", "a.py", ""}
    assert sorted(profile.locations.line_number.tolist()) == [0, 5, 7, 12]
    assert profile.duration_ns == 1_500_000
    assert profile.comments == ("austin: 3.7.0",)
    assert not profile.warnings


def test_modes() -> None:
    cpu = read(f"# mode: cpu\n{ROW} 5\n")
    assert [each.name for each in cpu.sample_types] == ["samples", "cpu"]
    assert list_stacks(cpu)[0][1] == [1, 5_000]
    memory = read(f"# mode: memory\n{ROW} -4096\n{ROW} 1024\n")
    assert (memory.sample_types[1].unit, list_stacks(memory)[0][1]) == ("bytes", [2, -3072])
    full = read(f"# mode: full\n{ROW} 5,0,-10\n{ROW} 9,1,30\n")
    assert [each.name for each in full.sample_types] == ["samples", "memory", "cpu", "wall"]
    assert list_stacks(full)[0][1] == [2, 20, 5_000, 14_000]
    of_mojo2austin = read(f"# mode: full\n{ROW} 5\n{ROW} 9\n")
    assert [each.name for each in of_mojo2austin.sample_types] == ["samples", "wall"]
    assert list_stacks(of_mojo2austin)[0][1] == [2, 14_000]
    assert [each.name for each in read(f"{ROW} 5\n").sample_types] == ["samples", "wall"]


def test_a_last_line_without_end_is_said() -> None:
    assert read(f"{ROW} 5").warnings == ("its last line has no end: is it whole?",)


def test_it_opens_by_content() -> None:
    assert isinstance(open_content(WALL.encode(), "x"), Profile)
    assert isinstance(open_content(f"{ROW} 5\n".encode(), "x"), Profile)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{WALL}{ROW}\n", "line 9 is not a sample of Austin: 'P7;"),
        (f"{ROW} 5,0,1\n", "line 1 is not a sample of Austin"),
        (f"# mode: full\n{ROW} 5,0,1\n{ROW} 5\n", "line 3 is not a sample of Austin"),
        (f"# mode: new\n{ROW} 5\n", "Austin's format, of an unknown mode 'new'"),
        (f"{ROW} {10**17}\n", "line 1 has values whose sums 64 bits cannot hold"),
    ],
    ids=range(5),
)
def test_what_is_damaged_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        read(text)
    assert message in caught.value.message


REMARK = re.compile(r"# (\w+): (.*)")
SAMPLE = re.compile(
    r"P([0-9]{1,19});T([A-Za-z0-9_:]{1,64})((?:;.*)?) (-?[0-9]{1,18})(?:,([01]),(-?[0-9]{1,18}))?"
)
TYPES = {
    "wall": ("samples", "wall"),
    "cpu": ("samples", "cpu"),
    "memory": ("samples", "memory"),
    "full": ("samples", "memory", "cpu", "wall"),
}
PARTS = st.sampled_from(
    [
        *("P7", "P7;T0:9", "P8;T1", "P7;T0:9;a.py:f:1", "P7;T0:9;a.py:f:1;b.py:g:2", ";a.py:f:1"),
        *(";:GC:", ";:INVALID:", ";", ";x", ";a.py:f:99999999999", ";\u4e3b:\u4e3b:3", ";a b:c:4"),
        *(" 5", " 7", " -3", " 5,0,-8", " 9,1,16", " 5,2,1", " 5,0", " 999999999999999999"),
        *(
            " 9223372036854775",
            " 1000000000000000000",
            " ",
            "\t",
            "\r",
            "\x1c",
            "\0",
            "-",
            "5",
            "x",
        ),
        *(
            "# mode: full",
            "# mode: memory",
            "# mode: cpu",
            "# mode: odd",
            "# python: 3.9",
            "#",
            "# ",
        ),
        *("# duration: 5000", "P;T1", "P7;T", f"P7;T{'9' * 64}", f"P7;T{'9' * 65}", f"P{'7' * 20}"),
    ]
)
ROWS = st.sampled_from(["P7;T0:9;a.py:f:1 5", "P8;T1;a.py:f:1 5,0,-8", "P7;T1;x;y 9,1,3"])
TEXTS = st.lists(st.one_of(ROWS, st.lists(PARTS, max_size=5).map("".join)), max_size=9)


@dataclass
class Judge:
    """A plain reading, line by line. Digits and letters are ASCII's, but in names of frames."""

    metadata: dict[str, str] = field(default_factory=dict)
    rows: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    times: list[tuple[int, int, list[int]]] = field(default_factory=list)
    met: set[tuple[str, str]] = field(default_factory=set)
    now_us: int = 0
    round_us: int = 0
    is_first: bool = True

    def read(self, content: bytes) -> object:
        for number, line in enumerate(list_lines(content), 1):
            text = line.decode(errors="replace").strip()
            if text:
                try:
                    self.read_line(text)
                except ValueError:
                    return f"line {number} is not a sample of Austin: {text[:60]!r}"
                except OverflowError:
                    return f"line {number} has values whose sums 64 bits cannot hold: {text[:60]!r}"
        mode = self.metadata.get("mode", "wall")
        if mode not in TYPES:
            return f"it is Austin's format, of an unknown mode {mode[:20]!r}"
        columns = [TYPES["full"].index(name) for name in TYPES[mode]]
        rows = list(self.rows)
        times = [] if mode == "memory" else self.times
        for _, begin_us, values in times:
            for begin_or_end_ns in (begin_us * 1000, begin_us * 1000 + values[-1]):
                if begin_or_end_ns >= 2**63:
                    return f"it has a value that 63 bits cannot hold: {begin_or_end_ns}"
        if times and max(begin_us * 1000 + each[-1] for _, begin_us, each in times) > 2**62:
            times = []  # no clock runs so long
        return (
            TYPES[mode],
            [(row, [self.rows[row][column] for column in columns]) for row in rows],
            [
                (rows[row], begin_us * 1000, [values[column] for column in columns])
                for row, begin_us, values in times
            ],
            tuple(
                f"{key}: {self.metadata[key]}"
                for key in ("austin", "python")
                if key in self.metadata
            ),
            () if content.endswith(b"\n") else ("its last line has no end: is it whole?",),
        )

    def read_line(self, text: str) -> None:
        if remark := REMARK.fullmatch(text):
            self.metadata[remark[1]] = remark[2]
            return
        sample = SAMPLE.fullmatch(text)
        if self.is_first and sample and sample[6] is None and self.metadata.get("mode") == "full":
            self.metadata["mode"] = "wall"
        self.is_first = False
        mode = self.metadata.get("mode", "wall")
        if sample is None or (sample[6] is None) == (mode == "full"):
            raise ValueError
        memory_bytes = int(sample[4]) if mode == "memory" else int(sample[6] or 0)
        time_us = 0 if mode == "memory" else int(sample[4])
        self.add((sample[1], sample[2], sample[3]), time_us, memory_bytes, sample[5] == "1")

    def add(
        self, row: tuple[str, str, str], time_us: int, memory_bytes: int, is_idle: bool
    ) -> None:
        sums = self.rows.setdefault(row, [0] * 4)
        added = [1, memory_bytes, 0 if is_idle else time_us * 1000, time_us * 1000]
        sums[:] = map(sum, zip(sums, added, strict=True))
        thread = row[:2]
        if thread in self.met:
            self.now_us += self.round_us
            self.met.clear()
            self.round_us = 0
        self.met.add(thread)
        self.round_us = max(self.round_us, time_us)
        if not all(-(2**63) <= number < 2**63 for number in (*sums, self.now_us)):
            raise OverflowError
        length_ns = max(time_us, 0) * 1000
        values = [1, memory_bytes, 0 if is_idle else length_ns, length_ns]
        self.times.append((list(self.rows).index(row), self.now_us, values))


def write_frame(profile: Profile, place: int) -> str:
    function = profile.locations.line_function[place]
    name, file = (
        profile.strings[column[function]]
        for column in (profile.functions.name, profile.functions.filename)
    )
    line = profile.locations.line_number[place]
    return {"<gc>": ":GC:", "<invalid>": ":INVALID:"}.get(
        name, f"{file}:{name}:{line}" if file else name
    )


def list_rows(content: bytes) -> object:
    """What the reader says, in the judge's words."""
    try:
        profile = read_austin_text(content)
    except ContentError as error:
        return error.message
    samples, labels = profile.samples, profile.labels
    texts = [profile.strings[text] for text in labels.text]
    rows = []
    for row, (begin, end) in enumerate(pairwise(samples.stack_start.tolist())):
        frames = [write_frame(profile, place) for place in samples.stack[begin:end].tolist()[::-1]]
        rows.append((texts[2 * row], texts[2 * row + 1], "".join(f";{frame}" for frame in frames)))
    assert labels.sample.tolist() == [row for row in range(len(rows)) for _ in range(2)]
    times = profile.times
    return (
        tuple(each.name for each in profile.sample_types),
        list(zip(rows, samples.values.T.tolist(), strict=True)),
        []
        if times is None
        else [
            (rows[row], begin_ns, list(values))
            for row, begin_ns, *values in zip(
                times.sample.tolist(),
                times.begin_ns.tolist(),
                *(column.tolist() for column in times.values),
                strict=True,
            )
        ],
        profile.comments,
        profile.warnings,
    )


def order_times(answer: object) -> object:
    """Rows of the same begin and end come in any order."""
    if not isinstance(answer, tuple):
        return answer  # an error
    return (*answer[:2], sorted(answer[2]), *answer[3:])


@given(TEXTS, st.booleans())
@example(["P7;T0:9;a 5", "P7;T0:9;a 5", "P8;T1 3", "P7;T0:9;a;b 9", "P7;T0:9;a;b;c 2"], True)
@example(["# mode: full", "P7;T1;a 5", "# mode: memory", "P7;T1;a -5", "P7;T2;a 6"], True)
@example(["# mode: full", "P7;T1;a 5,0,-1", "P7;T1;a 6,1,-1", "P7;T2;a 6,0,5"], False)
@example(["P7;T1 -5", "P7;T1 5", "P7;T1 9223372036854775", "P7;T1 9223372036854775"], True)
@example(["P7;T1;a 9000000000000000", "P8;T1;a 1", "P7;T1;b 9000000000000000"], True)
def test_it_reads_what_plain_python_reads(lines: list[str], is_whole: bool) -> None:
    content = ("\n".join(lines) + "\n" * is_whole).encode()
    assert order_times(list_rows(content)) == order_times(Judge().read(content))
    unnamed = content.replace(b"a b", b"a\xff\xe4\xb8")  # what is no UTF-8
    assert order_times(list_rows(unnamed)) == order_times(Judge().read(unnamed))


def test_times_of_more_samples_than_are_kept_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(austin_samples, "_FREE_TIMES", 0)
    monkeypatch.setattr(austin_samples, "_BYTES_PER_TIME", 8)
    short = "P7;T1 1\n"  # of eight bytes: each may be kept
    assert read(short * 9).times is not None
    assert read(short * 9 + "P7;T1 1\r\n\n").times is not None
    monkeypatch.setattr(austin_samples, "_BYTES_PER_TIME", 9)
    assert read(short * 9).times is None
    assert read(short * 9).samples.values.tolist() == [[9], [9000]]


def test_a_begin_that_no_column_holds_is_refused() -> None:
    rows = "".join(f"P{n};T1 {4 * 10**15}\nP{n};T1 {4 * 10**15}\n" for n in range(3))
    with pytest.raises(ContentError, match="63 bits cannot hold: 12000000000000000000"):
        read(rows)


def test_reading_reports_and_can_be_cancelled() -> None:
    content = f"{ROW} 5\n".encode() * 60_000
    shares: list[float] = []
    read_austin_text(content, shares.append)
    assert len(shares) == len(content) >> 20

    def cancel(_share: float) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        read_austin_text(content, cancel)


def test_a_line_of_more_than_a_mebibyte_is_refused() -> None:
    with pytest.raises(ContentError, match="line 2 is not a sample of Austin"):
        read(f"{ROW} 5\nP7;T1;{'x' * (1 << 20)} 5\n")
    with pytest.raises(ContentError, match="it has a line of 1048577 bytes"):
        read(f"{ROW} 5\nP7;T1;{'x' * ((1 << 20) - 8)} 55\n")


@pytest.mark.parametrize(
    ("text", "duration_ns"),
    [
        ("9" * 15, (10**15 - 1) * 1000),
        ("9" * 16, 0),
        ("9" * 5000, 0),
        ("1234567890123456x", 0),
        ("-5", 0),
        ("١", 0),
    ],
)
def test_a_duration_that_cannot_be_is_left_out(text: str, duration_ns: int) -> None:
    assert read(WALL.replace("duration: 1500", f"duration: {text}")).duration_ns == duration_ns
