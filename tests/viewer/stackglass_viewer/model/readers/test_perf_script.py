"""What perf script prints: events, frames in several forms, and what is damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.plain_perf_script import read_plainly
from harness.profiles import list_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.perf_script import read_perf_script

CHAINS = """# ========
# cmdline : /usr/bin/perf record -g ./my app
#
my app  4711/4712 [003] 12.900039:    1000000 task-clock:u:
\t    7f8fd18d92bc load+0x69c (/usr/lib/libx.so.2)
\t           1a34f operator()(int) const+0x7f (/bin/my app)
\t          ffff01 [unknown] ([kernel.kallsyms])

my app  4711/4711 12.910039:    2000000 cycles:
\t           1a34f std::f<int (char)>+0x7f (/tmp/x (deleted))
\t           1a350 main (inlined)
\t            2000 [unknown] ([unknown])

"""
FLAT = """            fib 28758  2.852502:    1000 task-clock:      7f8f a+0x6 (/bin/fib)
            fib 28758  2.853504: sched:sched_switch: prev_comm=fib (x)
"""


CORPUS = Path(__file__).parents[4] / "corpus"
WORDS = [
    *(b"my", b"app", b":-1", b"kworker/0:1", b"7f8f", b"a", b"1", b"4711/4712", b"-1", b"12/-3"),
    *(b"[003]", b"[]", b"d..1.", b"....", b"1234", b"12.900039:", b"0.1:", b"5.:", b"1.2"),
    *(b"1234567890.1:", b"1.1234567890:", b"1000000", b"9223372036854775807", b"0"),
    *(b"9223372036854775808", b"99999999999999999999", b"cycles:", b"task-clock:u:", b":", b"::"),
    *(b"load+0x69c", b"+0x1", b"f+0x1+0x2", b"g+0x12345678901234567", b"operator()(int)", b"const"),
    *(b"(/lib/x.so)", b"(/my app)", b"(inlined)", b"[unknown]", b"([unknown])", b"(deleted))"),
    *(b"(/tmp/x", b"PERF_RECORD_MMAP", b"1:", b": PERF_RECORD_COMM", b"#", b"(", b")", b"()"),
    *(
        b"load.c:12",
        b":0",
        b"[kernel][ffffffff8]",
        b"x[]",
        b"y:1234567890",
        b"z[12345678901234567]",
    ),
    *(b"prev_comm=fib", b"\xff", b"\xe4\xb8", "\u4e3b".encode(), b"\0", b"\x85", b"\x1c"),
]
SPACES = [b" ", b" ", b" ", b"\t", b"  ", b"\x0b", b"\r", b"\x0c ", b""]
FRAMES = [
    b"\t    7f8f load+0x69c (/lib/x.so)",
    b"\t    7f90 load+0x70c (/lib/x.so)",
    b"\t    1a34 main (/tmp/my app (deleted))",
    b"        b3ce\tLock::unlock() (/lib/libc.so)",
    b"\t  1 a\tb (c)",
    b"\t  1\ta\tb (c)",
    b"\t  1 a b (c)",
    b"\t  1 a (b\t(deleted))",
    b"  7f8f 12 x: (y)",
    b"\t  load.c:12",
    b"  load.c:12",
    b"\t",
    b"\t    7f91 load+0x1 (/lib/y.so)",
    b"\t    7f91 load (/lib/y.so)",
]
HEADS = [
    b"my app  4711/4712 [003] 12.900039:    1000000 task-clock:u:",
    b"fib 28758  2.852502:    1000 task-clock:      7f8f a+0x6 (/bin/fib)",
    b"fib 28758  2.853504: sched:sched_switch: prev_comm=fib (x)",
    b"python 32594/32595 cpu-clock:ppp:",
    b"python 534 cpu-clock:ppp:      7f4b handle_amd (/usr/lib/ld.so)",
    b"Chrome 1 thread 12 [000] d..1. 1.5: cycles:",
    b"swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xf(0x1) @ 0xf]: x [kernel]_text",
    b"# cmdline : /usr/bin/perf record",
    b"# a comment",
    b"",
]
LINES = st.one_of(
    *(st.sampled_from(each) for each in (HEADS, HEADS, FRAMES, FRAMES)),
    st.lists(st.tuples(st.sampled_from(SPACES), st.sampled_from(WORDS)), max_size=9).map(
        lambda parts: b"".join(b"".join(part) for part in parts)
    ),
)
TEXTS = st.tuples(
    st.lists(LINES, max_size=12), st.sampled_from([b"\n", b"\r\n"]), st.sampled_from([b"", b"\n"])
).map(lambda text: text[1].join(text[0]) + text[2])


def read(text: str) -> Profile:
    return read_perf_script(text.encode())


def describe(profile: Profile) -> Any:
    """All that a profile has, as Python's own values."""
    tables = (profile.functions, profile.locations, profile.samples, profile.labels)
    times = profile.times
    return (
        profile.strings,
        [[getattr(table, name).tolist() for name in table.__slots__] for table in tables],
        (profile.sample_types, profile.default_type, profile.duration_ns),
        (profile.comments, profile.warnings),
        times and [times.sample.tolist(), times.begin_ns.tolist(), times.end_ns.tolist()],
        times and [column.tolist() for column in times.values],
    )


def agree(content: bytes) -> bool:
    """Whether the reader makes the profile of a plain reading, or refuses it with its words."""
    found: list[Any] = []
    for reader in (read_perf_script, read_plainly):
        try:
            found.append(describe(reader(content)))
        except ContentError as error:
            found.append(error.message)
    assert found[0] == found[1]
    return not isinstance(found[0], str)


@given(TEXTS)
@example(b"")
@example(b"\n")
@example(b"a 1 1.5:")
@example(b"a 1 1.5: \r\n\t1 b (c)\r")
@example(b"a 1 1.5: 7 x\n")
@example(b"a 1 1.5: x:\n\t1 a b\t(deleted))\n")
@example(b"a 1 1.5: x:\n\t1 a\tb (c)\n\t1\ta\tb (c)\n")
@example(b"a 1 1.5: 7 b (c)\n")
@example(b"a 1 1.5: 9223372036854775808 x:\n\tb\n")
@example(HEADS[0] + b"\n" + b"\n".join(FRAMES[:4]) + b"\n\n" + HEADS[1])
def test_it_reads_as_a_plain_reading_does(content: bytes) -> None:
    agree(content)


@given(
    st.lists(st.sampled_from([*FRAMES[:3], *FRAMES[-2:], b"\t  load.c:12"]), max_size=40),
    st.booleans(),
)
def test_stacks_that_come_again(frames: list[bytes], has_returns: bool) -> None:
    end = b"\r\n" if has_returns else b"\n"
    lines = []
    for number in range(4):
        lines += [HEADS[0], FRAMES[0], *frames[number % 2 * 3 :], b""]
    assert agree(end.join(lines) + end)


@pytest.mark.parametrize("length", range(1015, 1032))
def test_a_first_line_ends_at_its_limit(length: int) -> None:
    for text in (b"7f8f a+0x6 (/bin/fib)", b"x: PERF_RECORD_COMM"):
        line = b"%b 1 2.5: %b" % (b"a" * (length - len(text) - 8), text)
        for end in (b"\n", b"\r\n"):
            agree(line + end + FRAMES[0] + end * 2)
            agree(line + b" " + line + end)
            agree(b"\t1 " + b"a" * length + b" (b)" + end)


@pytest.mark.parametrize("n_bytes", [1 << 20, (1 << 20) + 1])
def test_a_line_may_take_a_megabyte(n_bytes: int) -> None:
    frame = b"\t1 " + b"a" * (n_bytes - 7) + b" (b)"
    is_read = agree(b"\n".join([HEADS[0], frame[-n_bytes:], b"", HEADS[0], frame[-n_bytes:], b""]))
    assert is_read is (n_bytes == 1 << 20)


def test_files_of_the_corpus_are_read_as_plainly() -> None:
    texts = [path.read_bytes() for path in CORPUS.rglob("*") if path.is_file()]
    texts = [text for text in texts if b"\0" not in text[:1000] and len(text) < 1 << 20]
    assert len(texts) > 20
    for text in texts:
        agree(text)


def test_it_is_cancelled_in_a_stack_without_an_end() -> None:
    stages: list[float] = []

    def progress(share: float) -> None:
        stages.append(share)
        if share > 0.5:
            raise CancelledError

    content = HEADS[0] + b"\n" + (FRAMES[0] + b"\n") * (6 * (1 << 20) // len(FRAMES[0]))
    with pytest.raises(CancelledError):
        read_perf_script(content, progress)
    assert len(stages) == 3 or len(stages) == 4
    assert stages == sorted(stages)


def test_stacks_and_events() -> None:
    profile = read(CHAINS)
    assert list_stacks(profile) == [
        (["load", "operator()(int) const", "[kernel.kallsyms]"], [1, 1_000_000, 0]),
        (["std::f<int (char)>", "main", "<unknown>"], [1, 0, 2_000_000]),
    ]
    assert [(each.name, each.unit) for each in profile.sample_types] == [
        *(("samples", "count"), ("task-clock:u", "nanoseconds"), ("cycles", "count"))
    ]
    files = {profile.strings[file] for file in profile.functions.filename}
    named = {"/usr/lib/libx.so.2", "/bin/my app", "[kernel.kallsyms]", "/tmp/x (deleted)"}
    assert files == {"", *named}
    assert [profile.strings[text] for text in profile.labels.text] == ["my app 4712", "my app 4711"]
    assert profile.duration_ns == 10_000_000
    assert profile.comments == ("/usr/bin/perf record -g ./my app",)
    assert not profile.warnings


def test_tabs_behind_addresses_as_simpleperf_prints_them() -> None:
    text = """Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:
        b3cea6c4\tLock::unlock() (/system/lib/libc.so)
        9a3a607f\tbase.odex[+41107f] (/oat/arm/base.odex)

"""
    profile = open_content(text.encode(), "x")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == [(["Lock::unlock()", "base.odex[+41107f]"], [1, 1_000_000])]


def test_a_command_of_files_that_were_joined_stands_once() -> None:
    assert read(CHAINS + CHAINS).comments == ("/usr/bin/perf record -g ./my app",)


def test_leaves_alone_and_tracepoints() -> None:
    profile = read(FLAT)
    assert list_stacks(profile) == [(["a"], [1, 1000, 0]), ([], [1, 0, 1])]
    assert not profile.warnings


def test_lines_of_source_are_passed_over() -> None:
    placed = CHAINS.replace("(/usr/lib/libx.so.2)\n", "(/usr/lib/libx.so.2)\n\t  load.c:12\n")
    assert list_stacks(read(placed)) == list_stacks(read(CHAINS))


NO_TIME = """python 32594/32595 cpu-clock:ppp:
\t           1621a init.constprop.0 (/usr/lib/ld-linux-x86-64.so.2)
\t               0 [unknown] ([unknown])

python 32594/32594     250000 cycles:
\t           1621a init.constprop.0 (/usr/lib/ld-linux-x86-64.so.2)

"""


def test_fields_that_were_not_asked_for() -> None:
    profile = open_content(NO_TIME.encode(), "file")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == [
        (["init.constprop.0", "<unknown>"], [1, 1, 0]),
        (["init.constprop.0"], [1, 0, 250_000]),
    ]
    assert [profile.strings[text] for text in profile.labels.text] == [
        "python 32595",
        "python 32594",
    ]
    # Of samples without a period nothing is known but their number.
    assert [each.unit for each in profile.sample_types] == ["count", "count", "count"]
    assert (profile.times, profile.duration_ns) == (None, 0)


def test_a_leaf_behind_an_event_without_time() -> None:
    line = b"          python   534 cpu-clock:ppp:      7f4b397d562a handle_amd (/usr/lib/ld.so)\n"
    profile = open_content(line * 2, "file")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == [(["handle_amd"], [1, 1])] * 2


def test_what_was_mapped_is_passed_over() -> None:
    text = (
        "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xf(0x1) @ 0xf]: x [kernel]_text\n"
        "my app 4711 1.000000: PERF_RECORD_MMAP2 4711/4711: [0x5(0x1) @ 0x1 fe:00 2 0]: r-xp /a\n"
    )
    assert list_stacks(read(text + CHAINS)) == list_stacks(read(CHAINS))


@pytest.mark.parametrize("source", ["[kernel.kallsyms][ffffffff821f2fa7]", ":0", "a.c:7"])
def test_sources_of_the_kernel_and_of_no_file_are_passed_over(source: str) -> None:
    text = CHAINS.replace("libx.so.2)\n", f"libx.so.2)\n  {source}\n")
    assert text != CHAINS
    assert list_stacks(read(text)) == list_stacks(read(CHAINS))


@pytest.mark.parametrize("text", ["my app 12 later: on\n", "to do 5 things:\n\tbuy 7 eggs\n"])
def test_text_with_colons_is_none(text: str) -> None:
    with pytest.raises(ContentError, match="it is a text file, not a profile"):
        open_content(text.encode(), "file")


@pytest.mark.parametrize("time", ["2.852502:    1000 ", "1000 "], ids=["time", "no time"])
def test_a_long_name_on_the_first_line_is_a_frame(time: str) -> None:
    """As C++ templates have them: the line may be of any length."""
    name = "std::map<" + "int, " * 400 + "int>"
    profile = read(f"fib 28758 {time}cycles: 7f8f {name}+0x6 (/bin/fib)\n")
    assert list_stacks(profile) == [([name], [1, 1000])]


def test_an_end_within_a_sample_is_said() -> None:
    assert read(CHAINS[:-1]).warnings == ("its last sample has no end: is it whole?",)


def test_it_opens_by_content() -> None:
    for text in (CHAINS, FLAT):
        assert isinstance(open_content(text.encode(), "x"), Profile)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CHAINS[: CHAINS.index("lib/libx")], "line 5 is not of perf script's output: '7f8fd18d92"),
        (CHAINS.replace("1a34f o", "xyz o"), "line 6 is not of perf script's output"),
        (FLAT + "\n\t 7f8f a+0x6 (/bin/fib)\n", "line 4 is not of perf script's output"),
        (FLAT + "f 1 1.0: " + "9" * 19 + " cycles: \n", "a value that 63 bits cannot hold"),
        ("".join(f"f 1 1.0: 1 e{k}: \n" for k in range(65)), "more than 64 kinds of events"),
    ],
    ids=range(5),
)
def test_what_is_damaged_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        read(text)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("begin", "piece"), [("", "1 "), ("", "a"), ("", "("), ("", "a 1 1.1: "), ("a", " ")]
)
def test_no_line_takes_long(begin: str, piece: str) -> None:
    """A loop that takes the square of a line's length does not end here."""
    line = begin + piece * ((1 << 20) // len(piece) - 2) + "x\n"
    content = b"\n" + line.encode()
    for _ in range(50):
        with pytest.raises(ContentError, match="line 2 is not"):
            read_perf_script(content)
