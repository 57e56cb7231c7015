"""Recognition of JSON formats, by the keys of the outermost object in the first bytes of a file."""

from __future__ import annotations

import re
from itertools import pairwise

from stackglass_viewer.model.readers.file_kind import FileKind

_HEAD_BYTES = 1 << 16
_TOKEN = re.compile(rb'"(?:[^"\\]|\\(?s:.))*(?:"|\\?\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_ITEM = re.compile(rb'["{}\[\]\d-]|(true|false|null)\Z|\Z')  # begin of a list's first token

# Kinds, with keys and a text that the first bytes must have. The first kind that matches is taken.
_SIGNS: tuple[tuple[FileKind, frozenset[str], bytes], ...] = (
    (FileKind.SPEEDSCOPE, frozenset({"$schema"}), b"speedscope"),
    (FileKind.SPEEDSCOPE, frozenset({"shared", "profiles"}), b'"frames"'),
    (FileKind.TOP_JSON, frozenset({"sample_types", "sample_index", "rows"}), b""),
    (FileKind.TRACE_EVENTS, frozenset({"traceEvents"}), b""),
    (FileKind.CPUPROFILE, frozenset({"nodes"}), b'"callFrame"'),
    (FileKind.HEAPPROFILE, frozenset({"head"}), b'"callFrame"'),
    (FileKind.CPUPROFILE_TREE, frozenset({"head"}), b'"hitCount"'),
    (FileKind.STACKPROF, frozenset({"mode", "interval", "gc_samples"}), b""),
    (FileKind.HEAPSNAPSHOT, frozenset({"snapshot"}), b'"node_fields"'),
    (FileKind.SCALENE, frozenset({"alloc_samples", "elapsed_time_sec"}), b""),
    (FileKind.SCALENE, frozenset({"alloc_samples", "combined_stacks"}), b""),  # version 2.4
    (FileKind.SCALENE, frozenset({"elapsed_time_sec", "files"}), b""),
    (FileKind.PYINSTRUMENT, frozenset({"sample_count", "start_time"}), b""),
    (FileKind.FLAMEBEARER, frozenset({"flamebearer"}), b""),
    (FileKind.OTLP_JSON, frozenset({"resourceProfiles"}), b""),
    (FileKind.OTLP_JSON, frozenset({"dictionary"}), b'Table"'),
    (FileKind.MEMRAY_STATS, frozenset({"total_num_allocations"}), b""),
    (FileKind.FIREFOX, frozenset({"meta"}), b'"preprocessedProfileVersion"'),
    (FileKind.FIREFOX, frozenset({"meta", "threads"}), b""),
    (FileKind.FIREFOX, frozenset({"meta", "libs"}), b""),
    (FileKind.FIREFOX, frozenset({"label", "duration", "markers"}), b""),  # the developer tools
    (FileKind.TACHYON_LINES, frozenset({"type", "v", "run_id"}), b""),
    (FileKind.DHAT, frozenset({"dhatFileVersion"}), b""),
    (FileKind.SAFARI, frozenset({"recording"}), b'"instrumentTypes"'),
    (FileKind.GHC, frozenset({"rts_arguments", "cost_centres"}), b""),
    (FileKind.CLEOPATRA, frozenset({"format", "profileJSON"}), b""),
    (FileKind.NESTED_JSON, frozenset({"name", "value", "children"}), b""),
)


def recognise_json(content: bytes | bytearray) -> FileKind | None:
    """Return the kind of a JSON file; None = the content is not JSON."""
    head = bytes(content[:_HEAD_BYTES]).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] not in (b"{", b"["):
        return None
    tokens = [found.group() for found in _TOKEN.finditer(head)]
    if head[:1] == b"[" and not _ITEM.match(b"".join(tokens[1:2])):
        return None  # collapsed stacks may begin with a frame such as [unknown]
    if head[:1] == b"[":  # Chrome's traces may be a list of events, and need not be complete
        keys = _list_keys(tokens[1:])
        is_event = "ph" in keys and not keys.isdisjoint({"ts", "pid"})  # metadata may have no ts
        return FileKind.TRACE_EVENTS if is_event else FileKind.JSON
    keys = _list_keys(tokens)
    for kind, wanted, text in _SIGNS:
        if wanted <= keys and text in head:
            return kind
    return FileKind.JSON


def _list_keys(tokens: list[bytes]) -> set[str]:
    """Return the keys of the outermost object."""
    depth = 0
    keys = set()
    for token, following in pairwise(tokens):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth <= 0:
                break
        elif depth == 1 and following == b":" and token.startswith(b'"'):
            keys.add(token[1:-1].decode(errors="replace"))
    return keys
