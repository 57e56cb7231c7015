"""Reader of pyinstrument's JSON: sessions (``-r session``), and the output of ``-r json``.

::

    session   frame_records: [["main\\0app.py\\01\\x01l9", …], 0.001], …   root first, seconds
    json      root_frame: {"function": "main", "time": 0.9, "children": […]}

A frame of a session has name, file and first line, and after each ``\\x01`` a letter with the
current line (``l``) or the class (``c``). A frame of the file ``<thread>`` is a thread's name,
which becomes a label.
"""

from __future__ import annotations

from array import array
from typing import Any

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.json_trees import read_tree
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_TIME = SampleType("time", "nanoseconds")
_SESSION_TYPES = (SampleType("samples", "count"), _TIME)
_NS_PER_S = 1e9
_THREAD = "<thread>"
_ABOUT = ("target_description", "program", "start_time", "duration")
_SELF = "[self]"  # a leaf that stands for the frame above it


def read_pyinstrument(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        members = open_document(content, progress).find_members()
        if "frame_records" in members:
            return _read_session(members)
        return _read_tree(content, progress)
    except DAMAGE as error:
        raise ContentError(explain_damage("pyinstrument's JSON", error)) from None


def _read_session(document: dict[str, JsonPart]) -> Profile:
    samples = FrameSamples()
    places: dict[str, int] = {}
    now_ns = 0
    for record in document["frame_records"].list_items():
        names, seconds = record[0], record[1]
        stack, labels = [], []
        for name in reversed(names):
            if name not in places:
                symbol = _parse_frame(name)
                if symbol.file == _THREAD:
                    labels = [Label("thread", symbol.name)]
                    continue
                places[name] = samples.add_frame(symbol)
            stack.append(places[name])
        values = [1, round(seconds * _NS_PER_S)]
        sample = samples.add(values, stack, labels)
        samples.add_time(sample, now_ns, now_ns + max(values[1], 0), values)
        now_ns += max(values[1], 0)
    about = {key: document[key].load() for key in _ABOUT if key in document}
    return samples.build(_SESSION_TYPES, **_describe(about))


def _parse_frame(text: str) -> Symbol:
    identifier, *attributes = text.split("\x01")
    name, file, first_line = (*identifier.split("\0"), "", "0")[:3]
    if file == _THREAD:
        return Symbol(name, file, 0)
    line = int(first_line or 0)
    for attribute in attributes:
        kind, value = attribute[:1], attribute[1:]
        if kind == "l":
            line = int(value)
        elif kind == "c":
            name = f"{value}.{name}"
    return Symbol(name, "" if file == "<built-in>" else file, line if 0 <= line < 2**31 else 0)


def _read_tree(content: bytes | bytearray, progress: Progress) -> Profile:
    samples = FrameSamples()
    times_ns, own_ns = array("q"), array("q")
    is_self = array("b")

    def add_node(node: dict[str, Any]) -> None:
        frame = _parse_node(node)
        samples.add_frame(frame)
        is_self.append(frame.name == _SELF)
        times_ns.append(round(node["time"] * _NS_PER_S))
        own_ns.append(times_ns[-1] - sum(times_ns[child] for child in node["children"]))

    tree = read_tree(content, ("function", "time", "children"), add_node, progress)
    tree.check_root(tree.document["root_frame"])
    paths = tree.find_paths()
    for number, own in enumerate(own_ns):
        if own > 0:  # rounded times in the file can make it negative
            stack = [each for each in paths.list_stack(number) if not is_self[each]]
            samples.add([own], stack)
    return samples.build([_TIME], **_describe(tree.document))


def _parse_node(node: dict[str, Any]) -> Symbol:
    line = node.get("line_no")
    file = str(node.get("file_path") or "")
    return Symbol(
        str(node["function"]),
        "" if file == "<built-in>" else file,
        line if isinstance(line, int) and 0 <= line < 2**31 else 0,
    )


def _describe(document: dict[str, Any]) -> dict[str, Any]:
    """Return start time, duration and program as arguments of `FrameSamples.build`."""
    program = str(document.get("target_description") or document.get("program") or "")
    return {
        "time_unix_ns": _to_ns(document["start_time"]),
        "duration_ns": _to_ns(document["duration"]),
        "comments": (program,) if program else (),
    }


def _to_ns(seconds: float) -> int:
    return min(max(round(seconds * _NS_PER_S), 0), 2**63 - 1)
