"""Profiles from text: one stack a line, root first, and a value."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

from stackglass_viewer.model.graph.call_tree import (
    CallTree,
    NodeValues,
    build_call_tree,
    sum_values,
)
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile


def encode_stacks(text: str, unit: str = "nanoseconds") -> bytes:
    """Encode lines like ``main;work;parse 30`` as a gzipped pprof file."""
    message = Message(string_table=["", "samples", "count", "cpu", unit])
    for type_string, unit_string in ((1, 2), (3, 4)):
        message.sample_type.add(type=type_string, unit=unit_string)
    ids: dict[str, int] = {}
    for line in text.strip().splitlines():
        stack, _, value = line.strip().rpartition(" ")
        sample = message.sample.add(value=[1, int(value)])
        for name in reversed(stack.split(";")):
            if name not in ids:
                ids[name] = len(ids) + 1
                message.string_table.extend([name, f"{name.split('.')[0]}.py"])
                n = len(message.string_table)
                message.function.add(id=ids[name], name=n - 2, filename=n - 1)
                message.location.add(id=ids[name]).line.add(function_id=ids[name], line=1)
            sample.location_id.append(ids[name])
    message.duration_nanos = 1_000_000_000
    return gzip.compress(message.SerializeToString())


def encode_labels(content: bytes, labels: list[dict[str, str]]) -> bytes:
    """Return the same file with labels: a set for each sample."""
    message = Message.FromString(gzip.decompress(content))
    for sample, texts in zip(message.sample, labels, strict=True):
        for key, value in texts.items():
            message.string_table.extend([key, value])
            n = len(message.string_table)
            sample.label.add(key=n - 2, str=n - 1)
    return gzip.compress(message.SerializeToString())


def read_stacks(text: str, folder: Path) -> Profile:
    """Encode such lines, and open the profile."""
    path = folder / "stacks.pb.gz"
    path.write_bytes(encode_stacks(text))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return profile


def grow_tree(text: str, folder: Path) -> tuple[CallTree, NodeValues]:
    """Build the call tree of such lines, with the CPU time summed."""
    profile = read_stacks(text, folder)
    tree = build_call_tree(profile)
    return tree, sum_values(tree, profile.samples.values[1], "nanoseconds")


def list_stacks(profile: Profile) -> list[tuple[list[str], list[int]]]:
    """List (names, leaf first; values) of each sample; each location must have one line."""
    functions, locations, samples = profile.functions, profile.locations, profile.samples
    names = [profile.strings[name] for name in functions.name[locations.line_function].tolist()]
    stacks = [
        [names[place] for place in samples.stack[begin:end].tolist()]
        for begin, end in pairwise(samples.stack_start.tolist())
    ]
    return list(zip(stacks, samples.values.T.tolist(), strict=True))
