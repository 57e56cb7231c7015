"""Dumps of goroutines and threads, read by their different lines, beside a plain reading of them
line by line: same profiles, same errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.deep_values import list_values
from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.dump_labels import list_state_labels
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.goroutine_dump import read_goroutine_dump
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_rows import list_lines
from stackglass_viewer.model.readers.thread_dump import read_thread_dump

CREATOR = re.compile(r"created by (.+?)(?: in (?:goroutine|thread) \d+)?")
CALL = re.compile(r"(\S.*)\([^()]*\)")
PLACE = re.compile(r"\t(.+):(\d{1,9})(?: .*)?")
ELIDED = re.compile(r"\.\.\..*frames elided\.\.\.")
GOROUTINE = re.compile(r"goroutine (\d{1,18})(?: [^\[\n]*)? \[([^\]\n]*)\](?:.*)?:")
QUOTED = r'"(?:[^"\\]|\\.)*"'
THREAD = re.compile(
    rf"(?:thread (\d{{1,18}})|(task|greenlet) 0x[0-9a-f]{{1,16}}) ({QUOTED})"
    rf"(?: running task ({QUOTED})| in thread (\d{{1,18}}))? \["
)
WORD = rf'(?:{QUOTED}|[^"\\{{}},:\s]+)'
PAIRS = re.compile(rf"(?:{WORD}: {WORD}(?:, |\Z))*")
Reader = Callable[[bytes], Profile]
STATES = st.sampled_from(
    ["running", "chan receive, 5 minutes", "a, 7 minutes, b", "", "a [b", "\0"]
)
HEADERS = st.one_of(
    st.builds("goroutine {} [{}]:".format, st.integers(0, 30), STATES),
    st.builds("goroutine {}{} [{}]{}:".format, st.integers(0, 10**20), *[STATES] * 3),
    st.builds('thread {} "{}" [{}]:'.format, st.integers(0, 30), st.sampled_from("ab"), STATES),
    st.sampled_from(
        [
            *('thread 1 "a" running task "t" [x, 3 minutes] {k: v, l: "w w"}:', "thread 1 [x]:"),
            *('task 0x1f "fetch" [suspended: sleep]:', 'greenlet 0x1 "g" in thread 7 [s]:'),
            *('thread 5 "a" in thread 7 [x]:', 'thread 1 "a\\"b" [x]:', 'thread 1 "" []:'),
            *('task 0x1f "f" [x] {}:', 'task 0x1f "f" [x] {k: v, }:', 'task 0x1f "f" [x]: y'),
            *('task 0x1f "f" [x] {k: v,l: w}:', 'task 0x1f "f" [a]: b]:', 'task 0xF "f" [x]:'),
            *('thread 1 "a" [x] {k: "\\u00e9"}:', 'thread 1 "\xe9" [x]:', 'thread 1 "\x7f" [x]:'),
            *(
                'thread 1 "a" [x] {"k l": {m}:',
                'thread 1 "a" [x] {k: v} {l: w}:',
                'task 0x "f" [x]:',
            ),
            *('thread 1 "a" [x] {k: "v}:', 'thread 1 "a" [x] {"k: v}:', 'thread 1 "a [x]:'),
            *('thread 1 "a" running task "t" in thread 7 [x]:', 'thread 1 "a" [x\ty] {k: v}:'),
            *(f'thread {10**17} "a" [x]:', f'thread {10**18} "a" [x]:', 'thread 1 "a"[x]:'),
            *(f'task 0x{"f" * 16} "a" [x]:', f'task 0x{"f" * 17} "a" [x]:', 'thread 1 "a" [x}:'),
            *("goroutine 5 gp=0x1 m=nil [a]:", "goroutine 5  [a]:", "goroutine 5 b[a]:"),
            *("goroutine 5 b [a] c:", "goroutine 5[a]:", "goroutine 5 [a\xe9]:", "goroutine 5 []:"),
            *(
                "goroutine 5 \xff [a]:",
                "goroutine 5 [a] [b]:",
                "goroutine 5 [a]]:",
                "goroutine 5 ][",
            ),
            *(
                'thread 1 "a" [foo()',
                'thread 1 "a" [x] {bad',
                "goroutine 1 [x]:\xa0",
                "goroutine 1",
            ),
            *("goroutine 01 [x]:", "goroutine  1 [x]:", "goroutine 1 [x]", "goroutine 1 [x]y]:"),
        ]
    ),
)
LINES = st.sampled_from(
    [
        *("main.f(0x1, ...)", "main.f(0x2)", "main.f()", "main.(*T).g(0x1)", "f(a)(b)", "f((a))"),
        *("(x)", "g(x) ", "g(\xe9)", "\xe9(x)", "g(x)\x1c", " f(x)", "\x1df(x)", "f", "f()\x85"),
        *("\t/a.go:12 +0x58", "\t/a.go:12", "\t/a.go:12 +0x99", "\t/b.go:7:9", "\t:3", "\t/a.go:x"),
        *(
            "\t/a.go:12 x:13",
            "\t/a.go:12 +0x5 fp=0x1",
            "\t/a.go:12 x:1y",
            "\t/a.go:12\xa0",
            "\ta:1b",
        ),
        *(
            "\t/a.go:1\xd9\xa3",
            "\t/a.go:1 \xd9\xa3:2 +0x1",
            "\t/a.go:123456789 ",
            "\t:1:2",
            "\ta: 1",
        ),
        *("created by  in goroutine 5", "created by f in goroutine 5 in goroutine 6"),
        *("created by f in goroutine \xd9\xa31", "created by f\xe9", "created by in goroutine 1"),
        *("created byf(x)", "created by f in goroutine ", "created by a:1 in thread 12345678901"),
        *("\t/a.go:1234567890", "\t/a b.go:3 x:4", "/a.go:12", "\t/\xff.go:1", "\ta(b):3 c)"),
        *(
            "created by main.start in goroutine 1",
            "created by main.f(x)",
            "created by f in thread 3",
        ),
        *("...10 frames elided...", "...f(x)", "...additional frames elided...", "created by"),
        *("", " ", "\t", "\xa0", "\x1c", "exit status 2", "\0", "task f(x)", "threads(x)"),
    ]
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n"])


def read_plainly(content: bytes, *, is_of_threads: bool) -> Profile:
    samples = FrameSamples()
    numbers: dict[Symbol, int] = {}
    stacks: list[tuple[list[Label], list[Symbol]]] = []
    is_open, name = False, ""
    for number, line in enumerate(list_lines(content), 1):
        text = line.decode(errors="replace").rstrip()
        labels = read_header(text, number, is_of_threads=is_of_threads)
        if labels is not None or not text:
            is_open, name = labels is not None, ""
            if labels is not None:
                stacks.append((labels, []))
        elif not is_open:
            continue
        elif place := PLACE.fullmatch(text):
            if name:
                stacks[-1][1].append(Symbol(name, place[1], int(place[2])))
            name = ""
        elif creator := CREATOR.fullmatch(text):
            stacks[-1][0].append(Label("created by", creator[1]))
        elif ELIDED.fullmatch(text):
            stacks[-1][1].append(Symbol("<truncated>", "", 0))
        elif call := CALL.fullmatch(text):
            name = call[1]
    if not stacks:
        of_what = "threads" if is_of_threads else "goroutines"
        raise ContentError(f"it is a dump of {of_what}, but lists none")
    for labels, frames in stacks:
        for frame in frames:
            if frame not in numbers:
                numbers[frame] = samples.add_frame(frame)
        samples.add([1], [numbers[frame] for frame in frames], labels)
    return samples.build([SampleType("threads" if is_of_threads else "goroutine", "count")])


def read_header(text: str, number: int, *, is_of_threads: bool) -> list[Label] | None:
    if is_of_threads:
        header = THREAD.match(text)
        try:
            return list_thread_labels(header, text[header.end() :]) if header else None
        except ValueError:
            message = f"line {number} does not begin a thread: {text[:60]!r}"
            raise ContentError(message) from None
    found = GOROUTINE.fullmatch(text)
    if found is None:
        return None
    return [Label("goroutine", None, int(found[1])), *list_state_labels(found[2])]


def list_thread_labels(header: re.Match[str], rest: str) -> list[Label]:
    tid, kind, name, task, host = header.groups()
    labels = [Label(kind or "thread", json.loads(name))]
    labels += [Label("thread_id", None, int(number)) for number in (tid,) if number]
    labels += [Label("task", json.loads(text)) for text in (task,) if text]
    labels += [Label("thread_id", None, int(number)) for number in (host,) if number]
    end = rest.find("] {") if rest.endswith("}:") else rest.rfind("]:")
    pairs = rest[end + 3 : -2]
    if end < 0 or not PAIRS.fullmatch(pairs):
        raise ValueError
    words = [json.loads(w) if w[0] == '"' else w for w in re.findall(WORD, pairs)]
    return [*labels, *list_state_labels(rest[:end]), *map(Label, words[::2], words[1::2])]


def read(reader: Reader, content: bytes) -> object:
    """All that is in the profile, or the error. Texts are resolved: they may be in another order in
    the table of strings, and so may functions."""
    try:
        profile = reader(content)
    except ContentError as error:
        return str(error)
    strings = profile.strings
    functions, locations, labels = profile.functions, profile.locations, profile.labels
    places = [
        (*(strings[text] for text in texts), start)
        for *texts, start in zip(
            *(column.tolist() for column in (functions.name, functions.system_name)),
            *(column.tolist() for column in (functions.filename, functions.start_line)),
            strict=True,
        )
    ]
    assert len(set(strings)) == len(strings)
    assert len(set(places)) == len(places)
    columns = (labels.sample, labels.key, labels.text, labels.number, labels.unit)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    none = labels.key[:0]
    whole = replace(
        profile,
        strings=tuple(sorted(strings)),
        functions=replace(functions, name=none, system_name=none, filename=none),
        labels=replace(labels, key=none, text=none),
        locations=replace(locations, line_function=none),
    )
    return (
        list_values(whole),
        sorted(places),
        [places[function] for function in locations.line_function.tolist()],
        [
            (sample, strings[key], None if text < 0 else strings[text], number, strings[unit])
            for sample, key, text, number, unit in rows
        ],
    )


def read_goroutines_plainly(content: bytes) -> Profile:
    profile = read_plainly(content, is_of_threads=False)
    last = content.rstrip().split(b"\n")[-1]
    if not content.endswith(b"\n"):
        return replace(profile, warnings=("its last line has no end: is it whole?",))
    if re.fullmatch(rb"created by \S.*|[^\s()]+\.\S+\([^()]*\)", last):
        return replace(profile, warnings=("its last stack has no end: is it whole?",))
    return profile


def read_threads_plainly(content: bytes) -> Profile:
    return read_plainly(content, is_of_threads=True)


def compare(content: bytes) -> None:
    assert read(read_goroutine_dump, content) == read(read_goroutines_plainly, content)
    assert read(read_thread_dump, content) == read(read_threads_plainly, content)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.one_of(HEADERS, LINES, LINES, LINES), ENDS), max_size=25))
@example([("goroutine 1 [a]:", "\n"), ("f(x)", "\n"), ("created by g", "\n"), ("\t/a:1", "\n")])
@example([("goroutine 1 [a]:", "\n"), ("f(x)", "\n"), ("goroutine 2 [a]:", "\n"), ("\t/a:1", "")])
@example([('thread 1 "a" [x]:', "\n"), ("", "\n"), ("f(x)", "\n"), ("\t/a:1", "\n")])
@example([('thread 1 "a" [x]:', "\n"), ("f(x)", "\n"), ("\t/a:1", "\n"), ('thread 2 "a" [', "\n")])
def test_made_dumps_read_as_plainly(lines: list[tuple[str, str]]) -> None:
    text = "".join(map("".join, lines))
    compare(text.encode("latin-1"))
    compare(text.encode())


@pytest.mark.parametrize("name", ["goroutine-dump", "thread-dump"])
def test_every_line_of_a_dump_may_be_missing(name: str) -> None:
    lines = (SEEDS[name] * 2).split(b"\n")
    for number in range(len(lines)):
        compare(b"\n".join(lines[:number]))
        compare(b"\n".join([*lines[:number], *lines[number + 1 :]]))


@pytest.mark.parametrize("behind", ["", " +0x1", " x:13", "3", ":3", " ", "\xa0", "x", " x:1y"])
def test_a_call_comes_again_from_a_place_that_begins_the_same(behind: str) -> None:
    for head in ("goroutine 1 [a]:", 'thread 1 "a" [a]:'):
        frames = f"f(x)\n\t/a.go:12\nf(y)\n\t/a.go:12{behind}\nf(z)\n\t/a.go:12\n"
        compare(f"{head}\n{frames}".encode())


def test_many_stacks_keep_their_frames() -> None:
    parts = [
        b"goroutine %d [s%d]:\nf%d(0x%x)\n\t/a.go:%d +0x1\ng()\n\t/b.go:%d\n\n"
        % (each, each % 90, each % 700, each, each % 40, each)
        for each in range(9000)
    ]
    compare(b"".join(parts))


def test_a_line_that_is_too_long_is_refused() -> None:
    compare(b"goroutine 1 [x]:\n" + b"f" * (1 << 20) + b"()")
    compare(b'thread 1 "a" [x]:\n' + b'thread 1 "a" [' + b"f" * (1 << 20))


def test_reading_can_be_cancelled() -> None:
    def stop(_share: float) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        read_goroutine_dump(b"goroutine 1 [x]:\nf()\n\n" * 200_000, stop)
