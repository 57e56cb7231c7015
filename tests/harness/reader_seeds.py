"""Seeds of the fuzzer of readers: a small file of each format that opens."""

from __future__ import annotations

import gzip
import io
import json
import struct
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from harness.event_blocks import encode_block
from harness.every_message import make_messages
from harness.go_trace_writer import HEADER as GO_HEADER
from harness.go_trace_writer import MINIMUM as GO_MINIMUM
from harness.go_trace_writer import PAGE as GO_PAGE
from harness.go_trace_writer import clock as go_clock
from harness.go_trace_writer import events as go_events
from harness.go_trace_writer import info as go_info
from harness.go_trace_writer import types as go_types
from harness.profiles import encode_labels, encode_stacks
from harness.session_writer import SessionWriter, make_batch, make_ready
from harness.traced_memory import read_trace
from stackglass.wire.session_file import SessionFileWriter
from stackglass_viewer.model.memory_trace.events import DTYPES
from stackglass_viewer.model.proto.otlp_pb2 import ProfilesData
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.session.notes import Head
from stackglass_viewer.model.session.profile_file import write_profile_file

_CORPUS = Path(__file__).resolve().parents[1] / "corpus"


def _make_chunks() -> list[dict[str, Any]]:
    """Make a V8 profile inside a trace, in two chunks."""
    head = {"ph": "P", "pid": 7, "tid": 1, "ts": 5, "id": "0x2"}
    nodes = [{"id": 1, "callFrame": _FRAME}, {"id": 2, "parent": 1, "callFrame": _FRAME}]
    chunks = [
        {"cpuProfile": {"nodes": [node], "samples": [2]}, "timeDeltas": [9]} for node in nodes
    ]
    return [
        {**head, "name": "Profile", "args": {"data": {"startTime": 5}}},
        *({**head, "name": "ProfileChunk", "args": {"data": chunk}} for chunk in chunks),
    ]


_FRAME = {"functionName": "main", "url": "file:///a.js", "lineNumber": 3}
_NODE: dict[str, Any] = {"id": 1, "callFrame": {**_FRAME, "functionName": "(root)"}}
_PLACE = {"file_path": "app.py", "line_no": 7}
_MAPS = b"00400000-00500000 r-xp 00001000 08:01 77 /bin/prog\n"
_PPROF = gzip.decompress(
    encode_labels(encode_stacks("main;work 30\nmain 4"), [{"thread": "a"}, {"route": "/b"}])
)
_SPEEDSCOPE = {
    "shared": {"frames": [{"name": "main", "file": "a.py", "line": 1}, {"name": "work"}]},
    "profiles": [
        {
            **{"type": "sampled", "name": "one", "unit": "milliseconds", "startValue": 0},
            **{"endValue": 7.5, "samples": [[0, 1], [0]], "weights": [2.5, 4]},
        },
        {
            **{"type": "evented", "name": "two", "unit": "seconds", "startValue": 0, "endValue": 9},
            "events": [
                {"type": "O", "frame": 0, "at": 1},
                {"type": "O", "frame": 1, "at": 2},
                {"type": "C", "frame": 1, "at": 3},
                {"type": "C", "frame": 0, "at": 9},
            ],
        },
    ],
}
_CPUPROFILE = {
    "nodes": [{**_NODE, "children": [2]}, {"id": 2, "callFrame": _FRAME, "hitCount": 1}],
    **{"startTime": 10, "endTime": 90, "samples": [2, 2], "timeDeltas": [5, 7]},
}
_EVENTS = [
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "a"}},
    {"ph": "X", "ts": 1, "dur": 5, "name": "main (a.py:3)", "pid": 1, "tid": 1},
    {"ph": "B", "ts": 2, "name": "f", "pid": 1, "tid": 1, "args": {"filename": "b", "line": 7}},
    {"ph": "E", "ts": 3, "pid": 1, "tid": 1},
]
_FIREFOX = {
    "meta": {"interval": 2, "preprocessedProfileVersion": 57, "startTime": 1e12},
    "libs": [],
    "threads": [
        {
            "name": "main",
            "samples": {"stack": [1, 0, None], "time": [5, 6, 7], "weight": None},
            "stackTable": {"prefix": [None, 0], "frame": [0, 1]},
            "frameTable": {"func": [0, 1], "line": [12, None]},
            "funcTable": {"name": [0, 1], "fileName": [2, None]},
            "stringArray": ["main", "work", "app.py"],
        }
    ],
}
_GECKO = {
    "meta": {"interval": 1},
    "libs": [],
    "processes": [],
    "threads": [
        {
            "name": "main",
            "samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 2.5]]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1]]},
            "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0, 3], [1]]},
            "stringTable": ["main (a.js:3)", "work"],
        }
    ],
}
_SESSION = {"start_time": 1.5, "duration": 0.25, "sample_count": 3, "target_description": "w"}
_SCALENE = {
    **{"alloc_samples": 0, "elapsed_time_sec": 2, "program": "app.py"},
    "files": {
        "app.py": {
            "functions": [{"line": "work", "lineno": 6}],
            "lines": [
                {
                    **{"lineno": 7, "n_malloc_mb": 1.5, "start_function_line": 6},
                    **{"n_cpu_percent_python": 25, "n_cpu_percent_c": 10, "n_sys_percent": 5},
                }
            ],
        }
    },
}


_TACHYON: dict[str, Any] = {"v": 0, "run_id": "a"}
_TACHYON_LINES = (
    {"type": "meta", **_TACHYON, "sample_interval_usec": 1000, "mode": "wall"},
    {
        **{"type": "string_table", **_TACHYON},
        "strings": [{"str_id": 0, "value": "work"}, {"str_id": 1, "value": "a.py"}],
    },
    {
        **{"type": "frame_table", **_TACHYON},
        "frames": [{"frame_id": 0, "path_str_id": 1, "func_str_id": 0, "line": 7, "col": 3}],
    },
    {
        **{"type": "agg", **_TACHYON, "kind": "frame", "samples_total": 5},
        "entries": [{"frame_id": 0, "self": 3, "cumulative": 5}],
    },
    {"type": "end", **_TACHYON, "samples_total": 5},
)


_OTLP: dict[str, Any] = {
    "resourceProfiles": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "a"}}]},
            "scopeProfiles": [
                {
                    "scope": {"name": "tool", "version": "2"},
                    "profiles": [
                        {
                            "sampleType": {"typeStrindex": 1, "unitStrindex": 2},
                            "samples": [
                                {"stackIndex": 1, "attributeIndices": [1, 2], "values": [7, 2]},
                                {"linkIndex": 1, "timestampsUnixNano": ["5"]},
                            ],
                            "timeUnixNano": "1700000000000000000",
                            "durationNano": "9",
                        }
                    ],
                }
            ],
        }
    ],
    "dictionary": {
        "stringTable": ["", "cpu", "ns", "main", "a.py", "thread", "By"],
        "mappingTable": [{}, {"memoryStart": "16", "filenameStrindex": 4}],
        "functionTable": [{}, {"nameStrindex": 3, "filenameStrindex": 4}],
        "locationTable": [
            {},
            {"mappingIndex": 1, "address": "20", "lines": [{"functionIndex": 1, "line": "7"}]},
        ],
        "stackTable": [{}, {"locationIndices": [1, 1]}],
        "attributeTable": [
            {},
            {"keyStrindex": 5, "value": {"arrayValue": {"values": [{"boolValue": True}]}}},
            {"keyStrindex": 4, "value": {"intValue": "9"}, "unitStrindex": 6},
        ],
        "linkTable": [{}, {"traceId": "ab" * 16, "spanId": "cd" * 8}],
    },
}


def _make_tachyon() -> bytes:
    """Make a stack that is repeated twice, then two stacks that share frames with the last one."""
    head = struct.pack("<QI", 4711, 0)
    samples = head + b"\x01\x88\x07\x03\x02\x01\x00"
    samples += head + b"\x00\x02\x88\x07\x03\x01\x08"
    samples += head + b"\x02\x01\x02\x01\x02\x02\x01"
    samples += head + b"\x03\x01\x00\x02\x01\x02"
    strings = b"\x04a.py\x04main\x04work"
    frames = b"\x00\x01\x0e\x00\x08\x02\xff" + b"\x00\x02\x10\x00\x08\x02\xff"
    frames += b"\x00\x02\x01\x00\x01\x00\xff"
    places = (64 + len(samples), 64 + len(samples) + len(strings))
    header = struct.pack("<4sI4B3QI2QII", b"HCAT", 1, 3, 15, 0, 0, 9, 1000, 5, 1, *places, 0, 0x49)
    size = places[1] + len(frames) + 32
    return header + samples + strings + frames + struct.pack("<IIQ16x", 3, 3, size)


def _encode(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _make_go_trace() -> bytes:
    span, pages = GO_MINIMUM + 16 * GO_PAGE, (GO_MINIMUM + 16 * GO_PAGE - GO_MINIMUM) // GO_PAGE
    listed = [(129, 0, pages, 1, 20), (132, 1, (span - GO_MINIMUM) // 8, 3), (135, 1, 9, 13)]
    listed += [(29, 1, 1, 0), (30, 2, 1), (130, 1, pages)]
    parts = (go_info(), go_clock(), go_events(listed), go_types({3: "main.Node"}))
    return GO_HEADER + b"".join(parts)


def _make_session() -> bytes:
    file = io.BytesIO()
    writer = SessionWriter(file)
    source = read_trace(
        """
        0 object 0x100 1000 type=builtins.module
        1 span 0x100000 1048576 domain=mmap
        2 alloc 0x100030 64 at=main;load
        3 realloc 0x100070 96 from=0x100030 at=main;grow
        4 gc 0 2
        5 gc-end 0 2
        -- 1
        6 lost 0 3 domain=raw
        7 type 0x100070 type=builtins.dict
        8 recycled 0x100070
        9 gc-free 0x100070
        """
    )
    names = source.names
    writer.add_messages([make_ready(), make_batch(names.definitions, dict(names.threads))])
    for events in source.listed:
        writer.add_events(encode_block({name: getattr(events, name) for name in DTYPES}))
    writer.finish()
    return file.getvalue()


def _make_saved_session() -> bytes:
    """Make a saved session with every kind of message, a clear, and a name of machine code."""
    file = io.BytesIO()
    writer = SessionFileWriter(file, is_deflated=True)
    writer.add_notes(json.dumps(Head(4711, "shop.py", 5_000).to_notes()).encode())
    for number, message in enumerate(make_messages()):
        writer.add_message(message)
        if number == 3:  # after the first samples
            writer.add_notes(b'{"clear": true}')
            writer.add_notes(b'{"names": {"1": "std::sort"}}')
    writer.finish()
    return file.getvalue()


def pack_raw_zstd(content: bytes) -> bytes:
    """Pack some kilobytes as a zstd frame with one uncompressed block."""
    block = (len(content) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(content)) + block + content


def _frame_packed(*messages: bytes) -> bytes:
    packed = [pack_raw_zstd(each) for each in messages]
    return b"".join(len(each).to_bytes(4, "big") + each for each in packed)


_HERMES = {
    "traceEvents": [
        {"ph": "M", "name": "thread_name", "pid": 7, "tid": "8", "ts": "1", "args": {"name": "js"}},
        {"ph": "X", "name": "js", "pid": 7, "tid": "8", "ts": "1", "dur": 0, "args": {}},
    ],
    "samples": [
        {"cpu": "-1", "name": "", "pid": 7, "tid": "8", "weight": "1", "ts": str(ts), "sf": sf}
        for ts, sf in ((1000, 2), (1010, 3), (1020, 2), (1900, 1))
    ],
    "stackFrames": {
        "1": {"name": "[root]", "category": "root"},
        "2": {"name": "work(http://host:8081/a.bundle?x=1:17:3)", "line": "17", "parent": 1},
        "3": {"name": "[GC Young Gen]", "category": "Metadata", "parent": 2},
    },
}
_HEAD_NODE = {"functionName": "main", "url": "a.js", "lineNumber": 4, "hitCount": 2, "id": 2}
_CPUPROFILE_TREE = {
    "typeId": "CPU",
    "head": {
        **{"functionName": "(root)", "url": "", "lineNumber": 0, "hitCount": 0, "id": 1},
        "children": [{**_HEAD_NODE, "children": [{**_HEAD_NODE, "id": 3, "children": []}]}],
    },
    **{"startTime": 5, "endTime": 5, "samples": [2, 3, 3]},
    "timestamps": [5_000_100, 5_000_200, 5_000_350],
}
_STACKPROF = {
    **{"version": 1.2, "mode": "wall", "interval": 1000, "samples": 3, "gc_samples": 0},
    "frames": {
        "70": {"name": "Object#work", "file": "app.rb", "line": 3, "edges": {"71": 1}},
        "71": {"name": "<main>", "file": "app.rb", "total_samples": 3, "lines": {"9": [3, 0]}},
    },
    "raw": [2, 71, 70, 2, 1, 71, 1],
    "raw_timestamp_deltas": [1010, 990, 700],
}
_OTLP_BYTES = json_format.ParseDict(_OTLP, ProfilesData()).SerializeToString()

SEEDS = {
    "session": _make_session(),
    "session-layout-1": (_CORPUS / "session.layout1.sgm").read_bytes(),
    "saved-session": _make_saved_session(),
    "go-trace": _make_go_trace(),
    "pprof": _PPROF,
    "pprof.gz": gzip.compress(_PPROF, mtime=0),
    "legacy-cpu": struct.pack("<12Q", 0, 3, 0, 9000, 0, 2, 2, 4194320, 4194337, 1, 1, 4194320)
    + struct.pack("<3Q", 0, 1, 0)
    + _MAPS,
    "legacy-cpu-java": struct.pack("<12I", 0, 3, 1, 9000, 0, 2, 2, 7, 9, 1, 1, 7)
    + struct.pack("<3I", 0, 1, 0)
    + b" 0x7 com.x.load (Load.java:12)\n 0x9 libjvm (/usr/lib/libjvm.so)\n",
    "heap": b"heap profile: 3: 4096 [12: 16384] @ heap/1048576\n2: 4096 [3: 6144] @ 0x100010 0x12\n"
    b'# labels: {"a":"b"}\n#\t0x10000f\tapp.load+0x1f\tapp.py:12\nMAPPED_LIBRARIES:\n' + _MAPS,
    "jemalloc": b"heap_v2/524288\n t*: 3: 20000 [0: 0]\n@ 0x101 0x7f0000001235\n"
    b" t*: 2: 8192 [0: 0]\nMAPPED_LIBRARIES:\n" + _MAPS,
    "contention": b"--- mutex:\ncycles/second=1000000000\nsampling period=2\n5001 1 @ 0x10 0x20\n",
    "count": b"work profile: total 3\n2 @ 0x10 0x20\n#\t0xf\tapp.f+0x1\ta.py:3\n1 @\n",
    "java-heap": b"--- heapz 1 ---\nformat = java\nresolution = bytes\n    4752    9 @ 0x2b 0x2c\n"
    b" 9 1 @ 0x1\n 0x0000002b com.example.load (Source.java:12)\n 0x1 malloc (libc.so)\n 0x2c f\n",
    "java-contention": b"--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
    b"sampling period = 100\nms since reset = 7\n 14 2 @ 0x1 0x2\n\n 0x1 a (A.java:3)\n",
    "threadz": b"--- threadz 1 ---\n\n--- Thread 7f01 (name: main/12) stack: ---\n  PC:  0x10: f\n"
    b"      0x10\n      0x21: main\n--- Thread 7f02 (name: w/13) stack: ---\n"
    b"  [same as previous thread]\n--- Memory map: ---\n" + _MAPS,
    "goroutine-dump": b"goroutine 1 [chan receive, 5 minutes]:\nmain.f(0x1, ...)\n"
    b"\t/src/a.go:7 +0x1\ncreated by main.g in goroutine 2\n\t/src/b.go:9 +0x1\n",
    "thread-dump": b'thread 7 "Main\\tThread" running task "t" [waiting: x, 5 minutes] '
    b'{a: b, "c": "d"}:\napp.f(...)\n\t/srv/a.py:7\n'
    b'created before attach\n\ntask 0x7f "t" [suspended]:\n',
    "tachyon": _make_tachyon(),
    "tachyon-lines": b"\n".join(map(_encode, _TACHYON_LINES)),
    "collapsed": b"main (app.py:12);work_[k] 3\nmain;idle 4.5\n# remark\n",
    "collapsed-utf16": "main;w\u00f6rk 3\nmain 1\n".encode("utf-16"),
    "collapsed-two": b"main;work 3 4\nmain 1 0\n",
    "speedscope": _encode(_SPEEDSCOPE),
    "cpuprofile": _encode(_CPUPROFILE),
    "heapprofile": _encode({"head": {"callFrame": _FRAME, "selfSize": 7, "id": 1, "children": []}}),
    "trace-events": _encode({"traceEvents": _EVENTS}),
    "trace-list": _encode(_EVENTS),
    "trace-profiles": _encode({"traceEvents": _make_chunks()}),
    "firefox": _encode(_FIREFOX),
    "gecko": _encode(_GECKO),
    "trace-samples": _encode(_HERMES),
    "cpuprofile-tree": _encode(_CPUPROFILE_TREE),
    "stackprof": _encode(_STACKPROF),
    "otlp": _OTLP_BYTES,
    "otlp-packed": _frame_packed(_OTLP_BYTES, _encode(_OTLP)),
    "otlp-json": _encode(_OTLP),
    "pyinstrument": _encode(
        {**_SESSION, "frame_records": [[["main\0a.py\x001\x01l9", "f\0b\x002"], 0.001]]}
    ),
    "pyinstrument-tree": _encode(
        {**_SESSION, "root_frame": {"function": "main", "time": 1, **_PLACE, "children": []}}
    ),
    "scalene": _encode(_SCALENE),
    "massif": b"desc: x\ncmd: ./app\ntime_unit: i\n#-\nsnapshot=0\n#-\ntime=3\nmem_heap_B=100\n"
    b"mem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=peak\nn2: 100 (heap allocation functions) new\n"
    b" n0: 60 0x10: load (app.c:9)\n n0: 10 in 3 places, all below massif's threshold (1.00%)\n",
    "callgrind": b"version: 1\ncreator: x\npositions: instr line\nevents: Ir Dr\nsummary: 170 7\n"
    b"fl=(1) app.c\nfn=(1) main\n0x400 16 20 2\ncfi=(2) b.c\ncfn=(2) puts\ncalls=2 0x900 0\n"
    b"* +1 40\nfn=(2)\n+4 -9 30\njump=3 +8 +1\n",
    "perf-script": b"# cmdline : perf\nmy app  4711/4712 [003] 12.9039:    100 task-clock:u:\n"
    b"\t    7f8f load+0x69c (/lib/x.so)\n\t  1a3 [unknown] ([kernel])\n\n"
    b"app 7 1.5: 9 cycles:  7f8f a+0x6 (/bin/a)\n",
    "perf-script-short": b"python 594/595 cpu-clock:ppp: \n\t 1621a init (/lib/ld.so)\n  a.c:7\n\n"
    b"a 9 1.5: PERF_RECORD_MMAP2 9/9: [0x5]: /a\npython 5   250000 cycles:\n\t 1a3 f (/bin/a)\n\n",
    "austin": b"# austin: 3.7.0\n# mode: full\nP7;T0:9;<x>:main:12;b.py:f:7 5,0,-9\nP8;T9 1,1,2\n",
    "mojo": b"MOJ\x03\x01austin\x004.0.0\x00\x01mode\x00"
    b"wall\x00\x02\xa7I\x009f\x00\x0b\x02a.py\x00\x0b\xac\x04ma"
    b"in\x00\x0b\x04work\x00\x0b\x05/lib/x.so\x00\x0b\x06"
    b"memcpy\x00\x03\n\x02\xac\x04\x0c\r\x01\x02\x03\x0b\x02\x04\x86\x01\x00\x00"
    b"\x00\x03\x0c\x05\x06\x00\x00\x00\x00\x05\n\x05\x0b\t\x88\x08\x02\xa7I\x009f\x00\x05"
    b"\n\x05\x0c\t\x01\x02\xa7I\x009f\x00\r\t\x02",
}
SEEDS |= {
    f"{name}-session": write_profile_file(open_content(SEEDS[name], name))
    for name in ("speedscope", "callgrind")
}
"""Seeds by name; a format with two forms has two seeds."""
