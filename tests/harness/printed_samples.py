"""``-tags`` and ``-traces`` of ``go tool pprof`` as values, and Stackglass's JSON of them."""

from __future__ import annotations

import re
from typing import Any

_KEY = re.compile(r" *(?P<key>\S.*): Total (?P<total>-?\d+)\w* of (?P<whole>-?\d+)")
_VALUE = re.compile(r" *(?P<flat>-?\d+)\w*(?: \([^)]*\))?: *(?P<value>.*)")
_RULE = re.compile(r"^-+\+-+\n", re.MULTILINE)
_LABEL = re.compile(r" *(\S.*?):  (.*)")
_FRAME = re.compile(r"(?: *(-?\d+)\w*| {10}) {3}(.*)")
Sums = dict[str, tuple[int, dict[str, int]]]
Samples = list[tuple[list[str], int, list[str]]]


def read_tags(text: str) -> Sums:
    sums: Sums = {}
    for line in filter(None, text.splitlines()):
        key, value = _KEY.match(line), _VALUE.match(line)
        if key:
            last: dict[str, int] = {}
            sums[key["key"]] = (int(key["total"]), last)
        else:
            assert value, f"not a row of -tags: {line!r}"
            last[value["value"]] = int(value["flat"])
    return sums


def read_our_tags(document: Any) -> Sums:
    return {
        tag["key"]: (tag["total"], {each["value"]: each["flat"] for each in tag["values"]})
        for tag in document["labels"]
    }


def read_traces(text: str) -> Samples:
    samples: Samples = []
    for block in _RULE.split(text)[1:]:
        labels: list[str] = []
        stack: list[str] = []
        value = 0
        for line in block.splitlines():
            label, frame = _LABEL.fullmatch(line), _FRAME.fullmatch(line)
            if label and not stack:
                labels.append(f"{label[1]}: {label[2].strip()}")
            else:
                assert frame, f"not a row of -traces: {line!r}"
                value = value if stack else int(frame[1])
                stack.append(frame[2].replace("/proc/self/cwd/", ""))  # as other reports do
        if stack:
            samples.append((sorted(labels), value, stack))
    return samples


def read_our_traces(document: Any) -> Samples:
    return [
        (
            sorted(f"{key}: {' '.join(texts)}".strip() for key, texts in each["labels"].items()),
            each["value"],
            [
                frame["name"] + (" (inline)" if frame.get("inlined") else "")
                for frame in each["stack"]
            ],
        )
        for each in document["traces"]
    ]
