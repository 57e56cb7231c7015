"""Small files that could take much memory to read, for `test_memory`."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable

N_BYTES = 2_000_000


def varint(number: int) -> bytes:
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def repeat(make: Callable[[int], bytes]) -> bytes:
    pieces: list[bytes] = []
    n = 0
    while n < N_BYTES:
        pieces.append(make(len(pieces) + 1))
        n += len(pieces[-1])
    return b"".join(pieces)


def make_tachyon(samples: bytes, n_samples: int) -> bytes:
    """Make a file of Python's sampling profiler with one frame and these samples."""
    tables = b"\x01a\x00\x00\x02\x00\x02\x00\xff"
    places = (64 + len(samples), 66 + len(samples))
    head = struct.pack("<4sI4B3QI2QII", b"HCAT", 1, 3, 15, 0, 0, 0, 1, n_samples, 1, *places, 0, 1)
    end = struct.pack("<IIQ16x", 1, 1, len(head + samples + tables) + 32)
    return head + samples + tables + end


def make_tachyon_states() -> bytes:
    """Make a file with the most threads and interpreters, each thread in all five states."""
    records: list[bytes] = []
    n_bytes = 0
    n_threads, n_interpreters = 4096 + N_BYTES // 128, 1024 + N_BYTES // 4096
    while n_bytes < N_BYTES:
        thread = len(records) % n_threads
        head = struct.pack("<QI", thread, thread % n_interpreters)
        # A thread's first record has a stack of one frame; later records have two frames.
        stack = b"\x01\x00\x08\x01\x00" if len(records) < n_threads else b"\x02\x00\x08\x01\x01\x00"
        records.append(head + stack + head + b"\x00\x04\x00\x01\x00\x02\x00\x04\x00\x00")
        n_bytes += len(records[-1])
    return make_tachyon(b"".join(records), 5 * len(records))


OTLP = field(5, b"") + field(5, b"cpu") + field(7, b"") + field(1, b"") + field(2, b"")


def make_otlp(samples: bytes, tables: bytes) -> bytes:
    """Make an OpenTelemetry file: one profile, and more tables after the usual ones."""
    profile = field(1, b"\x08\x01") + samples
    return field(1, field(2, field(2, profile))) + field(2, OTLP + tables)


OTLP_JSON = (
    b'{"dictionary":{"stackTable":[{}],"stringTable":["","a"],"attributeTable":[{}'
    + b",{}" * 1999
    + b']},"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},'
    b'"samples":[%b]}]}]}]}'
)


def make_firefox(stack: bytes, time: bytes, weight: bytes) -> bytes:
    """Make a Firefox profile with samples of one frame."""
    n = N_BYTES // (len(stack + time + weight) + 3)
    columns = (b",".join([each] * n) for each in (stack, time, weight))
    return (
        b'{"meta":{"interval":1,"preprocessedProfileVersion":57},"libs":[],"threads":[{"samples":'
        b'{"stack":[%b],"time":[%b],"weight":[%b],"weightType":"samples"},"stackTable":{"prefix":'
        b'[null],"frame":[0]},"frameTable":{"func":[0]},"funcTable":{"name":[0]},"stringArray":'
        b'["a"]}]}' % (*columns,)
    )


VALUED = field(4, b"\x01")  # OpenTelemetry's: a sample has the value 1


def make_mojo(n_samples: int) -> bytes:
    """Make a MOJO file with metadata, and samples that are each one frame deeper than the last."""
    samples = b"\x02\x07\x00t\x00" + b"\x02\x07\x00t\x00\x07\x0d" * n_samples
    remark = b"\x01key\x00" + b"value" * 20 + b"\x00"
    return b"MOJ\x03" + samples + remark * ((N_BYTES - len(samples)) // len(remark))


# Chrome's trace with samples beside its events, as Hermes writes them.
TRACE_SAMPLES = b'{"traceEvents":[],"samples":[%b{"tid":"7","ts":"12","sf":1}],"stackFrames":{%b}}'
BASE = field(1, b"\x08\x01\x10\x02") + field(6, b"") + field(6, b"cpu") + field(6, b"ns")
VALUE = b"\x12\x01\x01"
SAMPLES = BASE + field(2, VALUE) * (N_BYTES // 5)


def make_pprof_files() -> dict[str, bytes]:
    """Make pprof files of two million bytes, each of one part that may occur many times."""
    return {
        "strings": BASE + b"\x32\x00" * (N_BYTES // 2),
        "strings.gz": gzip.compress(BASE + b"\x32\x00" * (N_BYTES // 2)),
        "locations": BASE + repeat(lambda k: field(4, b"\x08" + varint(k))),
        "functions": BASE + repeat(lambda k: field(5, b"\x08" + varint(k))),
        "mappings": BASE + repeat(lambda k: field(3, b"\x08" + varint(k))),
        "lines": BASE + field(4, b"\x08\x01" + b"\x22\x00" * (N_BYTES // 2)),
        "samples": SAMPLES,
        "labels": BASE + field(2, VALUE + b"\x1a\x00" * (N_BYTES // 2)),
        "comments": BASE + field(13, b"\x01" * N_BYTES),
        "types": field(6, b"") + b"\x0a\x00" * (N_BYTES // 2),
    }


def make_otlp_files() -> dict[str, bytes]:
    """Make such files of OpenTelemetry's profiles, in protobuf and JSON."""
    return {
        "otlp.json": b'{"dictionary":{"stringTable":["","cpu"'
        + repeat(lambda k: b',"text%d"' % k)
        + b'],"stackTable":[{}]},"resourceProfiles":[]}',
        "otlp.json.samples": OTLP_JSON % (b"{}" + b",{}" * (N_BYTES // 3)),
        "otlp.json.values": OTLP_JSON % (b'{"values":[1' + b",1" * (N_BYTES // 2) + b"]}"),
        "otlp.json.attributes": OTLP_JSON
        % (b'{"attributeIndices":[0' + b",0" * (N_BYTES // 2) + b"]}"),
        "otlp.json.sets": OTLP_JSON
        % (
            b"{}"
            + repeat(lambda k: b',{"attributeIndices":[%d,%d]}' % (k % 1999 + 1, k // 1999 + 1))
        ),
        "otlp.samples": make_otlp(field(2, b"") * (N_BYTES // 2), b""),
        "otlp.stacks": make_otlp(
            repeat(lambda k: field(2, b"\x08" + varint(k))), field(7, b"") * (N_BYTES // 4)
        ),
        "otlp.locations": make_otlp(b"", field(2, b"") * (N_BYTES // 2)),
        "otlp.functions": make_otlp(b"", field(3, b"") * (N_BYTES // 2)),
        "otlp.mappings": make_otlp(b"", field(1, b"\x08\x01") * (N_BYTES // 4)),
        "otlp.links": make_otlp(b"", repeat(lambda k: field(4, field(2, struct.pack("<Q", k))))),
        "otlp.attributes": make_otlp(
            b"", field(6, b"\x08\x01" + field(2, b"\x18\x05")) * (N_BYTES // 8)
        ),
        "otlp.strings": make_otlp(b"", field(5, b"") * (N_BYTES // 2)),
        "otlp.sets": make_otlp(
            repeat(
                lambda k: field(
                    2,
                    field(2, varint(k % 90 + 1) + varint(k // 90 % 90 + 1) + varint(k // 8100 + 1))
                    + VALUED,
                )
            ),
            field(6, b"\x08\x01" + field(2, b"\x18\x05")) * 91,
        ),
        "otlp.owners": field(1, field(2, field(2, field(2, b""))) * (N_BYTES // 8))
        + field(2, OTLP),
    }


def make_trace_files() -> dict[str, bytes]:
    """Make such files of Chrome's traces."""
    return {
        "trace.names": b"["
        + repeat(lambda k: b'{"ph":"B","ts":0,"name":"%x"},' % k)
        + b'{"ph":"E","ts":0}]',
        "trace.events": b'{"traceEvents":['
        + repeat(lambda k: b'{"ph":"X","ts":%d,"dur":1,"name":"f%d"},' % (k, k % 5000))
        + b'{"ph":"E","ts":0}]}',
        "trace.places": b"["
        + repeat(lambda k: b'{"ph":"X","ts":%d,"dur":1,"name":"%x (a:%d)"},' % (2 * k, k, k))
        + b'{"ph":"E","ts":0}]',
        "trace.calls": b"["
        + repeat(lambda k: b'{"ph":"B","ts":0,"name":"%x()"},' % k)
        + b'{"ph":"E","ts":0}]',
        "trace.threads": b"["
        + repeat(lambda k: b'{"ph":"B","ts":0,"tid":%d},' % k)
        + b'{"ph":"E","ts":9}]',
        "trace.threads.names": b"["
        + repeat(lambda k: b'{"ph":"B","ts":0,"name":"%x","tid":"%d"},' % (k, k))
        + b'{"ph":"E","ts":9}]',
        "trace.samples.threads": TRACE_SAMPLES
        % (repeat(lambda k: b'{"tid":%d,"ts":"11","sf":1},' % k), b'"1":{"name":"f"}'),
        "trace.samples": TRACE_SAMPLES
        % (b'{"tid":"7","ts":"11","sf":1},' * (N_BYTES // 29), b'"1":{"name":"f"}'),
        "trace.frames": TRACE_SAMPLES
        % (
            b"",
            b'"1":{"name":"f"}'
            + repeat(
                lambda k: b',"%d":{"name":"f%d(a:%d:1)","parent":%d}' % (k + 1, k, k, k // 2 + 1)
            ),
        ),
    }


def make_other_files() -> dict[str, bytes]:
    """Make such files of other formats."""
    return {
        "rows": b"x profile: total 3\n" + repeat(lambda k: b"1 @ 0x%x 0x%x\n" % (k * 16, k)),
        "row": b"x profile: total 3\n" + (b"1 @" + b" 0x1" * (N_BYTES // 8) + b"\n") * 2,
        "remarks": b"x profile: total 3\n1 @ 0x1\n" + b"#\n" * (N_BYTES // 2),
        "labels.txt": b"--- mutex:\n" + b'1 1 @\n# labels: {"a":"b"}\n' * (N_BYTES // 29),
        "collapsed": repeat(lambda k: b"main;package.module.f%d %d\n" % (k, k)),
        "callgrind": b"events: Ir Dr\n"
        + repeat(lambda k: b"fn=(%d) package.module.f%d\n1 5 2\n" % (k, k)),
        "calls": b"events: Ir\nfl=a\nfn=(1) f1\n1 5\n"
        + repeat(lambda k: b"cfn=(%d)%s\ncalls=1 1\n1 9\n" % (k % 9, b" f%d" % (k % 9) * (k < 10))),
        "massif": b"desc: x\ncmd: x\ntime_unit: i\nsnapshot=0\nheap_tree=peak\n"
        + b"n%d: 9999999 (heap)\n" % (N_BYTES // 40)
        + b"".join(
            b" n0: 9 0x%x: function%d (file.c:%d)\n" % (k, k, k) for k in range(N_BYTES // 40)
        ),
        "perf": repeat(
            lambda k: b"app 7 [0] 1.5: 9 cycles:\n\t 7f function%d+0x1 (/bin/app)\n\n" % k
        ),
        "austin": repeat(
            lambda k: (
                b"P7;T0:9;/srv/package/app.py:Class.function%d:%d;/srv/package/app.py:inner:3 520\n"
                % (k, k)
            )
        ),
        "mojo": make_mojo(2400),
        "mojo.refused": make_mojo(9999),
        "tachyon": make_tachyon(
            b"".join(
                struct.pack("<QI", k % 16384, 0) + b"\x01\x01" + bytes([k % 9]) + b"\x01\x00"
                for k in range(110_000)
            ),
            110_000,
        ),
        "tachyon.threads": make_tachyon(
            b"".join(
                struct.pack("<QI", k % 16_000, 0) + b"\x01\x01" + bytes([k // 16_000]) + b"\x01\x00"
                for k in range(110_000)
            ),
            110_000,
        ),
        "tachyon.states": make_tachyon_states(),
        "tachyon.pushes": make_tachyon(
            (bytes(12) + b"\x01\x00\x00\x7f" + bytes(127)) * 14_000, 14_000
        ),
        "tachyon.lines": b'{"type":"meta","v":0,"run_id":"a","sample_interval_usec":1}\n'
        + repeat(
            lambda k: (
                b'{"type":"string_table","v":0,"strings":[{"str_id":%d,"value":"f%d"}]}\n'
                b'{"type":"frame_table","v":0,"frames":[{"frame_id":%d,"path_str_id":%d,'
                b'"func_str_id":%d,"line":7}]}\n' % (k, k, k, k, k)
            )
        )
        + b'{"type":"end","v":0,"samples_total":0}\n',
        "speedscope.sampled": b'{"$schema":"speedscope","shared":{"frames":[{"name":"f"}]},'
        b'"profiles":[{"type":"sampled","name":"x","unit":"none","startValue":0,"endValue":1,"samples":[[0]'
        + b",[0,0]" * (N_BYTES // 8)
        + b'],"weights":[1'
        + b",1" * (N_BYTES // 8)
        + b"]}]}",
        "speedscope.evented": b'{"$schema":"speedscope","shared":{"frames":[{"name":"f"}]},'
        b'"profiles":[{"type":"evented","name":"x","unit":"seconds","startValue":0,"endValue":1,"events":['
        + b'{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":0},' * (N_BYTES // 60)
        + b'{"type":"O","frame":0,"at":0}]}]}',
        "cpuprofile": b'{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"startTime":0,'
        b'"endTime":1,"samples":[1'
        + b",1" * (N_BYTES // 16)
        + b'],"timeDeltas":[100'
        + b",100000000" * (N_BYTES // 16)
        + b"]}",
        "heapprofile": b'{"head":{"callFrame":{"functionName":"f"},"selfSize":1,"children":['
        + b'{"callFrame":{"functionName":"f"},"selfSize":1,"children":[]},' * (N_BYTES // 62)
        + b'{"callFrame":{"functionName":"f"},"selfSize":1,"children":[]}]}}',
        "pyinstrument": b'{"start_time":1,"duration":1,"sample_count":1,"frame_records":['
        + repeat(lambda k: b'[["package.module.f%d\\u0000app.py\\u00001"],0.001],' % k)
        + b'[["f"],1]]}',
        "firefox": make_firefox(b"0", b"0", b"1"),
        "firefox.unordered": make_firefox(b"0,0", b"1,0", b"9,1"),
        "tuple": b"\xfb\xa9\x03(\x00\x00\x00\x10" + b"N" * 63,
        "list": b"\xfb\xa9\x03[\x00\x00\x00\x10" + b"N" * 63,
    }


DEEP = 4000
SMALL = {
    "evented": {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "a"}, {"name": "b"}]},
        "profiles": [
            {
                **{"type": "evented", "name": "x", "unit": "none", "startValue": 0, "endValue": 9},
                "events": [
                    *[{"type": "O", "frame": 0, "at": 0}] * DEEP,
                    *[{"type": "OC"[k % 2], "frame": 1, "at": k} for k in range(16_000)],
                ],
            }
        ],
    },
    "trace": {
        "traceEvents": [
            *({"ph": "X", "ts": 0, "dur": 99_999 - k, "name": "a"} for k in range(DEEP)),
            *({"ph": "X", "ts": 2 * k, "dur": 1, "name": f"b{k}"} for k in range(14_000)),
        ]
    },
    "firefox": {
        "meta": {"interval": 1, "preprocessedProfileVersion": 57},
        "libs": [],
        "threads": [
            {
                "samples": {"stack": list(range(DEEP, 5 * DEEP)), "time": [0]},
                "stackTable": {
                    "prefix": [None, *range(DEEP), *[DEEP] * (4 * DEEP)],
                    "frame": [0] * (5 * DEEP + 1),
                },
                "frameTable": {"func": [0]},
                "funcTable": {"name": [0]},
                "stringArray": ["a"],
            }
        ],
    },
}
"""Files of few bytes that stand for many deep stacks."""
