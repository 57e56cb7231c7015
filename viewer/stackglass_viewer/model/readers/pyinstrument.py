"""Reader of pyinstrument's JSON: its sessions (``-r session``), and what ``-r json`` prints.

::

    session   frame_records: [["main\\0app.py\\01\\x01l9", …], 0.001], …   root first, seconds
    json      root_frame: {"function": "main", "time": 0.9, "children": […]}

A frame of a session is name, file and first line, and after ``\\x01`` a letter with the line that
ran (``l``) or the class (``c``). Frames of the file ``<thread>`` name a thread, which is a label.
"""

from __future__ import annotations

import json
from typing import Any

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.caller_paths import CallerPaths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Label, Symbol

_TIME = SampleType("time", "nanoseconds")
_SESSION_TYPES = (SampleType("samples", "count"), _TIME)
_NS_A_S = 1e9
_THREAD = "<thread>"
_SELF = "[self]"  # a leaf that stands for the frame above it


def read_pyinstrument(content: bytes | bytearray) -> Profile:
    """Raises ProfileError."""
    try:
        document = json.loads(content)
        is_session = "frame_records" in document
        return _read_session(document) if is_session else _read_tree(document)
    except DAMAGE as error:
        raise ProfileError(explain_damage("pyinstrument's JSON", error)) from None


def _read_session(document: dict[str, Any]) -> Profile:
    samples = FrameSamples()
    places: dict[str, int] = {}
    now_ns = 0
    for record in document["frame_records"]:
        names, seconds = record[0], record[1]
        stack, labels = [], []
        for name in reversed(names):
            symbol = _parse_frame(name)
            if symbol.file == _THREAD:
                labels = [Label("thread", symbol.name)]
                continue
            if name not in places:
                places[name] = samples.add_frame(symbol)
            stack.append(places[name])
        values = [1, round(seconds * _NS_A_S)]
        sample = samples.add(values, stack, labels)
        samples.add_time(sample, now_ns, now_ns + max(values[1], 0), values)
        now_ns += max(values[1], 0)
    return samples.build(_SESSION_TYPES, **_describe(document))


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


def _read_tree(document: dict[str, Any]) -> Profile:
    nodes: list[dict[str, Any]] = [document["root_frame"]]
    callers: list[int | None] = [None]
    for number, node in enumerate(nodes):  # grows meanwhile
        for child in node["children"]:
            nodes.append(child)
            callers.append(number)
    paths = CallerPaths(callers.__getitem__, len(nodes))
    samples = FrameSamples()
    places = [samples.add_frame(_parse_node(node)) for node in nodes]
    for number, node in enumerate(nodes):
        own_ns = round(node["time"] * _NS_A_S)
        own_ns -= sum(round(child["time"] * _NS_A_S) for child in node["children"])
        if own_ns > 0:  # below: times of the file are rounded
            stack = [each for each in paths.list_stack(number) if nodes[each]["function"] != _SELF]
            samples.add([own_ns], [places[each] for each in stack])
    return samples.build([_TIME], **_describe(document))


def _parse_node(node: dict[str, Any]) -> Symbol:
    line = node.get("line_no")
    file = str(node.get("file_path") or "")
    return Symbol(
        str(node["function"]),
        "" if file == "<built-in>" else file,
        line if isinstance(line, int) and 0 <= line < 2**31 else 0,
    )


def _describe(document: dict[str, Any]) -> dict[str, Any]:
    """When, how long and of what: the arguments of `FrameSamples.build`."""
    program = str(document.get("target_description") or document.get("program") or "")
    return {
        "time_unix_ns": _to_ns(document["start_time"]),
        "duration_ns": _to_ns(document["duration"]),
        "comments": (program,) if program else (),
    }


def _to_ns(seconds: float) -> int:
    return min(max(round(seconds * _NS_A_S), 0), 2**63 - 1)
