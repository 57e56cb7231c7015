"""Reader of V8's CPU profiles (``.cpuprofile``), as Node.js, Chrome and Deno write them.

::

    nodes: [{"id": 1, "callFrame": {"functionName": "(root)", …}, "children": [2]}, …]
    samples:     2    5    5    2     node ids; a sample lasts until the next
    timeDeltas:  10   90   100  95    µs before each; they may be negative, times are sorted
    startTime … endTime               µs

What has no samples, as DevTools wrote it once, shares the time out by ``hitCount``.
"""

from __future__ import annotations

import json
from typing import Any

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.caller_paths import CallerPaths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage

_TYPES = (SampleType("samples", "count"), SampleType("time", "nanoseconds"))
_NS_A_US = 1000


def read_cpuprofile(content: bytes | bytearray) -> Profile:
    """Raises ProfileError."""
    try:
        return _read(json.loads(content))
    except DAMAGE as error:
        raise ProfileError(explain_damage("a CPU profile of V8", error)) from None


def _read(document: dict[str, Any]) -> Profile:
    nodes = {node["id"]: node for node in document["nodes"]}
    callers = _find_callers(nodes)
    paths = CallerPaths(callers.get, len(nodes))
    looks = _list_looks(document, nodes)
    spent_us = _sum_times(looks) if looks else _share_by_hits(document, nodes)
    samples = FrameSamples()
    places = {
        number: samples.add_frame(parse_call_frame(node["callFrame"]))
        for number, node in nodes.items()
        if node["callFrame"]["functionName"] != ROOT
    }
    sample_of: dict[int, int] = {}
    for number, (n_samples, time_us) in spent_us.items():
        stack = [places[each] for each in paths.list_stack(number) if each in places]
        sample_of[number] = samples.add([n_samples, round(time_us * _NS_A_US)], stack)
    for number, begin_us, end_us in looks:
        begin_ns, end_ns = round(begin_us * _NS_A_US), round(end_us * _NS_A_US)
        samples.add_time(sample_of[number], begin_ns, end_ns, [1, end_ns - begin_ns])
    duration_ns = round((document["endTime"] - document["startTime"]) * _NS_A_US)
    return samples.build(_TYPES, duration_ns=min(max(duration_ns, 0), 2**63 - 1))


def _find_callers(nodes: dict[int, dict[str, Any]]) -> dict[int, int]:
    """The caller of each node that has one: by its children, or their ``parent``."""
    callers = {number: node["parent"] for number, node in nodes.items() if "parent" in node}
    for number, node in nodes.items():
        for child in node.get("children") or ():
            callers[child] = number
    return callers


def _list_looks(
    document: dict[str, Any], nodes: dict[int, dict[str, Any]]
) -> list[tuple[int, float, float]]:
    """(node, begin and end, µs) of each sample, by time; [] = the file has none."""
    if "samples" not in document:
        return []
    now_us = document["startTime"]
    looks: list[tuple[float, int]] = []
    for number, delta_us in zip(document["samples"], document["timeDeltas"], strict=True):
        now_us += delta_us
        looks.append((now_us, nodes[number]["id"]))
    looks.sort(key=lambda look: look[0])
    ends_us = [*(at_us for at_us, _ in looks[1:]), document["endTime"]]
    return [
        (number, at_us, max(end_us, at_us))
        for (at_us, number), end_us in zip(looks, ends_us, strict=False)
    ]


def _sum_times(looks: list[tuple[int, float, float]]) -> dict[int, tuple[int, float]]:
    """(samples, µs) of each node that has any."""
    sums: dict[int, tuple[int, float]] = {}
    for number, begin_us, end_us in looks:
        n_samples, time_us = sums.get(number, (0, 0.0))
        sums[number] = (n_samples + 1, time_us + end_us - begin_us)
    return sums


def _share_by_hits(
    document: dict[str, Any], nodes: dict[int, dict[str, Any]]
) -> dict[int, tuple[int, float]]:
    hits = {number: node["hitCount"] for number, node in nodes.items() if node.get("hitCount")}
    each_us = (document["endTime"] - document["startTime"]) / max(sum(hits.values()), 1)
    return {number: (n, n * each_us) for number, n in hits.items()}
