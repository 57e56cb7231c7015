"""Names that no file can hold: half of a surrogate pair, which JSON can write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers.collapsed import write_collapsed
from stackglass_viewer.model.writers.pprof import write_pprof

HALF = "\ud800"
V8 = {"functionName": HALF, "url": HALF, "lineNumber": 1}
FILES: dict[str, dict[str, Any]] = {
    "speedscope": {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": HALF, "file": HALF}]},
        "profiles": [
            {
                "type": "sampled",
                "name": HALF,
                "unit": "none",
                "startValue": 0,
                "endValue": 1,
                "samples": [[0]],
                "weights": [5],
            }
        ]
        * 2,
        "name": HALF,
    },
    "trace events": {
        "traceEvents": [
            {"ph": "X", "ts": 1, "dur": 5, "name": HALF, "pid": HALF, "tid": HALF},
            {
                "ph": "M",
                "name": "thread_name",
                "pid": HALF,
                "tid": HALF,
                "args": {"name": HALF},
            },
        ]
    },
    "cpuprofile": {
        "nodes": [{"id": 1, "callFrame": V8, "hitCount": 1}],
        "startTime": 0,
        "endTime": 9,
        "samples": [1],
        "timeDeltas": [1],
    },
    "heapprofile": {"head": {"callFrame": V8, "selfSize": 7, "children": []}},
    "pyinstrument": {
        "sample_count": 1,
        "start_time": 1,
        "duration": 1,
        "program": HALF,
        "frame_records": [[[f"{HALF}\0{HALF}\x001"], 1]],
    },
    "firefox": {
        "meta": {"interval": 1, "preprocessedProfileVersion": 50, "product": HALF},
        "threads": [
            {
                "name": HALF,
                "processName": HALF,
                "samples": {"stack": [0], "time": [1]},
                "stackTable": {"prefix": [None], "frame": [0]},
                "frameTable": {"func": [0], "line": [1]},
                "funcTable": {"name": [0], "fileName": [0]},
                "stringArray": [HALF],
            }
        ],
    },
}


@pytest.mark.parametrize("name", FILES)
def test_half_a_surrogate_pair_is_replaced(name: str) -> None:
    profile = open_content(json.dumps(FILES[name]).encode(), name)
    assert isinstance(profile, Profile)
    texts = "".join((*profile.strings, *profile.comments))
    assert "\ufffd" in texts
    assert HALF not in texts
    assert write_pprof(profile)
    assert HALF not in write_collapsed(profile, TypeId(0)).decode()
