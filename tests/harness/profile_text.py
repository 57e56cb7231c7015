"""Pprof files as readable text, for golden files: every field, with ids resolved to names."""

from __future__ import annotations

from collections.abc import Iterator

from stackglass_viewer.model.proto import profile_pb2


def describe(content: bytes) -> str:
    """Return the text of an unpacked profile, with a newline at its end."""
    message = profile_pb2.Profile.FromString(content)
    return "\n".join([*_describe_head(message), *_describe_body(message), ""])


def _describe_head(message: profile_pb2.Profile) -> Iterator[str]:
    texts = message.string_table
    for kind in message.sample_type:
        yield f"sample type: {texts[kind.type]} in {texts[kind.unit]}"
    yield f"shown first: {texts[message.default_sample_type]}"
    period = message.period_type
    yield f"period: {message.period} {texts[period.unit]} of {texts[period.type]}"
    yield f"time: {message.time_nanos} ns since 1970, for {message.duration_nanos} ns"
    if message.doc_url:
        yield f"explained at: {texts[message.doc_url]}"
    for comment in message.comment:
        yield f"comment: {texts[comment]}"
    for mapping in message.mapping:
        known = [
            name
            for name in ("functions", "filenames", "line_numbers", "inline_frames")
            if getattr(mapping, f"has_{name}")
        ]
        yield f"mapping {mapping.id}: {texts[mapping.filename]} with {', '.join(known)}"


def _describe_body(message: profile_pb2.Profile) -> Iterator[str]:
    texts = message.string_table
    names = {function.id: texts[function.name] for function in message.function}
    yield "functions:"
    for function in message.function:
        place = f"{texts[function.filename]}:{function.start_line}"
        yield f"    {names[function.id]}  in C {texts[function.system_name]!r}  {place}"
    frames = {}
    yield "locations:"
    for location in message.location:
        lines = [f"{names[line.function_id]}:{line.line}" for line in location.line]
        frames[location.id] = " in ".join(lines)
        yield f"    {frames[location.id]}  of mapping {location.mapping_id}"
    yield "samples, leaf first:"
    for sample in message.sample:
        values = " ".join(f"{value:>12}" for value in sample.value)
        stack = " < ".join(frames[location] for location in sample.location_id)
        labels = [
            f"{texts[label.key]}={texts[label.str] if label.str else label.num}"
            for label in sample.label
        ]
        yield "  ".join(filter(None, [values, stack, " ".join(labels)])).rstrip()
