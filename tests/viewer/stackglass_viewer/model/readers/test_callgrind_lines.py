"""The loop over callgrind's lines in C beside a plain reading of them: same tables, same errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.plain_callgrind import read_plainly
from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.callgrind import read_callgrind

HEAD = b"# callgrind format\nevents: Ir Dr\nfl=(1) a.c\nfn=(1) main\n"
NUMBERS = st.one_of(
    st.integers(0, 40).map(str),
    st.integers(-3, 2**70).map(str),
    st.integers(0, 2**66).map(hex),
    st.sampled_from(
        [
            *("*", ".", "+", "-", "+0", "-0", "0x", "+0x1F", "-0xa", "0X1", "1_0", "", "9" * 19),
            *("9" * 20, "9" * 21, "0" * 30, "0x" + "f" * 16, "0x" + "f" * 17, str(2**31 - 1)),
            *(f"+{2**31}", f"-{2**31}", str(2**63 - 1), str(2**63), str(-(2**63)), "\u0663"),
        ]
    ),
)
KEYS = st.sampled_from(["ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "jfi", "jfn"])
NAMES = st.sampled_from(
    [
        *("(1)", "(2)", "(3)", "(01)", "(1) a.c", "(2) b.c", "(3) ???", "(2)  main", "main", ""),
        *("b.c", "a.c", "???", "main a.c:3", "(99999999)", "(99999999) far", "(1", "()", "(x) y"),
        *("(9999999999999999999) n", "(1)main", "\xa0", "n\xff", "n\xfe", "(4) n\xfd", "a\0b"),
    ]
)
SPACES = st.sampled_from(["", "", "", " ", "\t", " \x0b"])
LINES = st.one_of(
    st.lists(NUMBERS, min_size=1, max_size=5).map(" ".join),
    st.builds("{}={}{}".format, KEYS, SPACES, NAMES),
    st.builds("cfn={}\ncalls={} {}\n{} {}".format, NAMES, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    st.builds("calls={}{}".format, SPACES, NUMBERS),
    st.builds("totals: {} {}".format, NUMBERS, NUMBERS),
    st.sampled_from(
        [
            *("events: Ir Dr", "events: Ir", "events: Time_(10ns)", "positions: instr line"),
            *("positions: line", "positions:", "positions: a b", "version: 1", "version: 2"),
            *("desc: x", "cmd: \xe9", "thread: 2", "summary: 7 .", "summary: z", "creator: xdebug"),
            *("jump=3 +4", "jcnd=1/2 3", "jump", "calls=", "calls=1", "calls=1x", "calls: 1"),
            *("", "#", "  # x", "\0", "nonsense", "fn", "fn:", "ob= (1) /bin/app", "c" * 100),
        ]
    ),
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\r", "\n\x0c"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(st.tuples(LINES, ENDS), max_size=30))
    text = "".join(f"{line}{end}" for line, end in lines)
    head = HEAD if draw(st.integers(0, 4)) else b""
    return head + text.encode("latin-1" if text.isascii() or "\u0663" not in text else "utf-8")


def describe(table: FunctionTable) -> dict[str, object]:
    values = {name: getattr(table, name) for name in FunctionTable.__slots__}
    return {
        name: (value.dtype, value.tolist()) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def read(reader: Callable[[bytes], FunctionTable], content: bytes) -> object:
    try:
        return describe(reader(content))
    except ContentError as error:
        return str(error)


def compare(content: bytes) -> None:
    assert read(read_callgrind, content) == read(read_plainly, content)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(contents())
@example(HEAD + b"1 2 3\r\n+1 2\n* .\n0x10 1 1")
@example(HEAD + b"1 2 3 4\n")
@example(HEAD + b"+9223372036854775807 1\n-9223372036854775808 1\n")
@example(HEAD + b"1 9223372036854775807\n1 -5\n1 5\n1 1\n")
@example(HEAD + b"1 -9223372036854775808\n1 -1\n")
@example(HEAD + b"calls=1 1\n1 1\n")
@example(HEAD + b"cfn=b\ncalls=1 1\nfn=c\n")
@example(HEAD + b"cfn=b\ncalls=1 1\n")
@example(HEAD + b"cfn=b\ncalls=9999999999999999999 1\n1 1\n")
@example(HEAD + b"cfn=b\ncalls=0x7fffffffffffffff\n1 1\n")
@example(HEAD + b"fn=n\xff\n1 1\nfn=n\xfe\n2 9223372036854775806\n")
@example(HEAD + b"fn=n\xff\n1 1\nfn=n\xfe\n2 9223372036854775807\n")
@example(HEAD + b"fl=\xff\nfn=f\nfi=\xfe\n9 1\n")
@example(HEAD + b"fi=b.c\n3 1\nfe=a.c\n9 1\nfi=b.c\n4 1\n")
@example(HEAD + b"fn=(77777777777) far\n1 1\nfn=(077777777777)\n2 1\ncfn=(77777777778)\n")
@example(b"events: Time_(999999999s)\nfn=a\n1 99999999999999999999\n")
@example(b"events: Time_(0ns)\nfn=a\n1 99999999999999999999\n")
@example(b"fn=a\n")
@example(b"")
@example(b"events: Ir\n1 1\n")
@example(b"events: Ir\n5\n")
@example(b"events: Ir\nfn=a\n5\n")
@example(b"events: " + b"e " * 32 + b"\nfn=a\n1" + b" 2" * 32 + b"\n1" + b" 2" * 33)
def test_made_files_read_as_plainly(content: bytes) -> None:
    compare(content)


def test_every_line_of_a_file_may_be_missing() -> None:
    content = SEEDS["callgrind"]
    compare(content)
    lines = content.split(b"\n")
    for number in range(len(lines)):
        compare(b"\n".join(lines[:number]))
        compare(b"\n".join([*lines[:number], *lines[number + 1 :]]))


def test_many_functions_and_names_keep_their_places() -> None:
    parts = [HEAD]
    for number in range(9000):
        place = b"fl=(%d) f%d.c\n" % (number % 700 + 2, number % 700)
        parts.append(place + b"fn=(%d) n%d\n%d 1 2\n" % (number + 2, number // 2, number))
        parts.append(b"cfn=(%d)\ncalls=%d 1\n* 7\n" % (number // 3 + 2, number))
    compare(b"".join(parts))


@pytest.mark.parametrize("n_bytes", [(1 << 20) - 9, 1 << 20, (1 << 20) + 1])
def test_a_line_may_have_a_mebibyte(n_bytes: int) -> None:
    compare(HEAD + b"fn=" + b"x" * (n_bytes - 3) + b"\n1 1\n")
    compare(HEAD + b"#" * n_bytes)


def test_reading_can_be_cancelled() -> None:
    shares = []

    def stop(share: float) -> None:
        shares.append(share)
        if len(shares) == 2:
            raise CancelledError

    with pytest.raises(CancelledError):
        read_callgrind(HEAD + b"1 1 1\n" * 1_000_000, stop)
    assert len(shares) == 2
    assert 0 < shares[0] < shares[1] < 1


def test_headers_say_where_their_faults_are() -> None:
    with pytest.raises(ContentError, match="line 5 lists other events"):
        read_callgrind(HEAD + b"events: Cy\n")
