"""Names and labels in the comments of text profiles."""

from __future__ import annotations

import pytest

from stackglass.wire import count_text
from stackglass.wire.count_profile import build
from stackglass.wire.stack_tables import Frame, StackTables
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers import text_rows
from stackglass_viewer.model.readers.contention_text import read_contention_text
from stackglass_viewer.model.readers.count_text import read_count_text
from stackglass_viewer.model.readers.text_rows import list_lines


def name_stacks(profile: Profile) -> dict[tuple[str, ...], int]:
    """Counts by ``function file:line``, leaf first; an address without a name is ``?``."""
    strings, locations, functions = profile.strings, profile.locations, profile.functions
    starts = profile.samples.stack_start.tolist()
    counts: dict[tuple[str, ...], int] = {}
    for i in range(profile.n_samples):
        words: list[str] = []
        for location in profile.samples.stack[starts[i] : starts[i + 1]].tolist():
            rows = range(*locations.line_start[location : location + 2].tolist())
            words += [] if rows else ["?"]
            for row in rows:
                function = locations.line_function[row]
                name, file = (
                    strings[functions.name[function]],
                    strings[functions.filename[function]],
                )
                words.append(f"{name} {file}:{locations.line_number[row]}")
        counts[tuple(words)] = counts.get(tuple(words), 0) + int(profile.samples.values[0, i])
    return counts


def list_labels(profile: Profile) -> list[tuple[int, str, str]]:
    labels, strings = profile.labels, profile.strings
    rows = zip(labels.sample.tolist(), labels.key.tolist(), labels.text.tolist(), strict=True)
    return [(sample, strings[key], strings[text]) for sample, key, text in rows]


def test_what_we_write_has_names_and_labels() -> None:
    tables = StackTables()
    stack = [Frame(text, text, "my app.py", 1, 7) for text in ("a.<lambda>", "a.b+0x", "a.b+0x")]
    node = tables.add(stack)
    labels = (("thread", 'the "worker"\n'),)
    text = count_text.encode(build(tables.build(""), "threads", [(node, labels)] * 3, 0))
    profile = read_count_text(text)
    names = ["a.b+0x my app.py:7", "a.b+0x my app.py:7", "a.<lambda> my app.py:7"]
    assert name_stacks(profile) == {tuple(names): 3}
    assert list_labels(profile) == [(0, "thread", 'the "worker"\n')]
    assert profile.sample_types[0].name == "threads"


def test_gos_comments_name_the_call_before_the_return_address() -> None:
    text = b"""goroutine profile: total 3
2 @ 0x10 0x21 0x31 0x41 0x51
#\t0x20\tmain.inlined+0x3\t\t/a b/main.go:3
#\t0x20\tmain.(*T).f+0x3\t/main.go:9
#\t0x30\tmain.g[...]+0x1\t/main.go:12
#\t0x40\tmain.g[...]+0x1\t/main.go:13

1 @ 0x31 0x31 0x31
#\t0x30\tmain.g[...]+0x1\t/main.go:12
#\t0x30\tmain.g[...]+0x1\t/main.go:12
#\t0x30\tmain.g[...]+0x1\t/main.go:12
"""
    g12, g13 = "main.g[...] /main.go:12", "main.g[...] /main.go:13"
    assert name_stacks(read_count_text(text)) == {
        (
            *("<runtime> :0", "main.inlined /a b/main.go:3", "main.(*T).f /main.go:9"),
            *(g12, g13),  # and runtime.goexit, which Go leaves out, is left out
        ): 2,
        (g12, g12, g12): 1,
    }


def test_addresses_without_comments_stay_without_names() -> None:
    profile = read_count_text(b"x profile: total 1\n1 @ 0x10 0x20\n")
    assert name_stacks(profile) == {("?", "?"): 1}
    assert profile.locations.address.tolist() == [0xF, 0x1F]


def test_labels_that_cannot_be_read_are_a_warning() -> None:
    text = b'--- mutex:\n7 1 @ 0x1\n# labels: {"a":"\\x00"}\n8 2 @ 0x2\n# labels: {"b":"c"}\n'
    profile = read_contention_text(text)
    assert list_labels(profile) == [(1, "b", "c")]
    assert profile.warnings == ("labels of 1 stacks cannot be read and are left out",)


@pytest.mark.parametrize(
    "labels",
    [b"5", b"null", b"true", b'"text"', b'["ab"]', b'[["a", "b"]]', b"[" * 100_000, b""],
    ids=lambda labels: labels[:12].decode(),
)
@pytest.mark.parametrize("row", [b" 7 1 @ 0x1\n", b"7 1 @ 0x1 \n"])
def test_labels_that_are_no_object_are_a_warning(labels: bytes, row: bytes) -> None:
    profile = read_contention_text(b"--- mutex:\n" + row + b"# labels: " + labels + b"\n")
    assert list_labels(profile) == []
    assert profile.warnings == (
        () if not labels else ("labels of 1 stacks cannot be read and are left out",)
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_ends_do_not_matter(end: bytes) -> None:
    text = b"x profile: total 1\n# c\n1 @ 0x10\n#\t0x10\tf+0x0\tf.py:1".replace(b"\n", end)
    assert name_stacks(read_count_text(text)) == {("f f.py:1",): 1}


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_are_the_same_whatever_block_they_are_in(
    end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [b"x" * n for n in (0, 1, 5, 0, 0, 40, 3, 17, 16, 15, 1)]
    monkeypatch.setattr(text_rows, "_BLOCK_BYTES", 16)
    for content in (end.join(lines), end.join([*lines, b""])):
        assert list(list_lines(bytearray(content))) == lines
    assert list(list_lines(b"")) == []


def test_a_line_that_is_too_long_is_refused() -> None:
    with pytest.raises(ContentError, match="a line of 1048577 bytes"):
        list(list_lines(b"a\n" + b"x" * (2**20 + 1) + b"\nb"))


def test_reading_reports_and_may_be_ended() -> None:
    shares: list[float] = []

    def report(share: float) -> None:
        shares.append(share)
        if share > 0.5:
            raise CancelledError

    with pytest.raises(CancelledError):
        list(list_lines(b"a line\n" * 700_000, report))
    assert shares == sorted(shares)
    assert len(shares) == 3
