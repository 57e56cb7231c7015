"""Reads pprof's protobuf format into columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stackglass_viewer.model import profile_pb2
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.index import freeze
from stackglass_viewer.model.profile import (
    Functions, Labels, Locations, Mappings, Profile, Samples, SampleType)
from stackglass_viewer.model.sample_types import choose_default


def read_pprof(content: bytes | bytearray, tick: Callable[[float], bool]) -> Profile:
    m = profile_pb2.Profile()
    try:
        m.ParseFromString(bytes(content))
    except Exception as e:
        raise ProfileError("it is truncated or damaged") from e
    s = tuple(m.string_table)
    fid = {f.id: i for i, f in enumerate(m.function)}
    mid = {f.id: i for i, f in enumerate(m.mapping)}
    lid = {f.id: i for i, f in enumerate(m.location)}
    i32 = lambda x: np.array(list(x), dtype=np.int32)
    i64 = lambda x: np.array(list(x), dtype=np.int64)
    functions = Functions(i32(f.name for f in m.function), i32(f.system_name for f in m.function),
        i32(f.filename for f in m.function), i64(f.start_line for f in m.function))
    starts = np.zeros(len(m.location) + 1, dtype=np.int32)
    starts[1:] = np.cumsum([len(l.line) for l in m.location])
    locations = Locations(starts, i32(fid.get(x.function_id, -1) for l in m.location for x in l.line),
        i64(x.line for l in m.location for x in l.line),
        np.array([l.address for l in m.location], dtype=np.uint64),
        i32(mid.get(l.mapping_id, -1) for l in m.location))
    ss = np.zeros(len(m.sample) + 1, dtype=np.int64)
    ss[1:] = np.cumsum([len(x.location_id) for x in m.sample])
    samples = Samples(ss, i32(lid[l] for x in m.sample for l in x.location_id),
        np.ascontiguousarray(np.array([list(x.value) for x in m.sample], dtype=np.int64).reshape(len(m.sample), len(m.sample_type)).T))
    rows = [(i, l.key, l.str or -1, l.num, l.num_unit) for i, x in enumerate(m.sample) for l in x.label]
    cols = list(zip(*rows)) or [()] * 5
    labels = Labels(i32(cols[0]), i32(cols[1]), i32(cols[2]), i64(cols[3]), i32(cols[4]))
    types = tuple(SampleType(s[t.type], s[t.unit]) for t in m.sample_type)
    return Profile(strings=s, functions=functions, locations=locations,
        mappings=Mappings(i32(x.filename for x in m.mapping), i32(x.build_id for x in m.mapping)),
        samples=samples, labels=labels, sample_types=types,
        default_type=choose_default(types, s[m.default_sample_type]),
        time_unix_ns=m.time_nanos, duration_ns=m.duration_nanos,
        period_type=SampleType(s[m.period_type.type], s[m.period_type.unit]) if m.HasField("period_type") else None,
        period=m.period, comments=tuple(s[c] for c in m.comment), drop_frames=s[m.drop_frames],
        keep_frames=s[m.keep_frames], doc_url=s[m.doc_url])
