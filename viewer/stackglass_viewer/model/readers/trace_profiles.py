"""V8's CPU profiles inside Chrome's traces, as its developer tools record them.

::

    Profile        id 0x2   startTime
    ProfileChunk   id 0x2   nodes, samples, timeDeltas that are new since the chunk before
    CpuProfile              a whole profile, up to Chrome 65

The chunks of a profile are joined to a document like a ``.cpuprofile``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.added_label import add_label
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import join_profiles
from stackglass_viewer.model.readers.cpuprofile import read_cpuprofile

_NAMES = frozenset({"Profile", "ProfileChunk", "CpuProfile"})
_LISTS = ("nodes", "samples", "timeDeltas")
_Thread = tuple[Any, Any]
_REMARK = "the samples of V8's profile in this trace are shown, and not its spans"


@dataclass
class _Chunks:
    """The chunks of a profile, as JSON text; objects would take ten times the memory."""

    thread: _Thread
    start_us: float = 0.0
    length_us: float = 0.0
    lists: list[tuple[float, dict[str, str]]] = field(default_factory=list)  # times and lists

    def encode(self) -> bytes:
        """Return the profile as a JSON document. Chunks may be added in any order of time."""
        self.lists.sort(key=lambda each: each[0])
        joined = {
            name: ",".join(texts[name] for _, texts in self.lists if name in texts)
            for name in _LISTS
        }
        members = [f'"{name}":[{text}]' for name, text in joined.items()]
        end_us = self.start_us + self.length_us
        times = f'"startTime":{json.dumps(self.start_us)},"endTime":{json.dumps(end_us)}'
        return "".join(("{", ",".join((*members, times)), "}")).encode("utf-8", "surrogatepass")


class TraceProfiles:
    """Collects V8's profiles while a trace is read. Used by one thread."""

    def __init__(self) -> None:
        self._chunks: dict[_Thread, _Chunks] = {}  # by process and id
        self._begun: set[_Thread] = set()
        self.warnings: list[str] = []

    def add(self, event: dict[str, Any]) -> None:
        """Add an event; those of other kinds are ignored. Raises the exceptions of
        `json_damage`."""
        if event.get("name") not in _NAMES:
            return
        data = (event.get("args") or {}).get("data")
        if not isinstance(data, dict):
            return  # some chunks are empty
        thread = event.get("pid"), event.get("tid")
        key = event.get("pid"), event.get("id", event.get("tid"))
        if event["name"] != "ProfileChunk":
            self._begun.add(key)
        chunks = self._chunks.setdefault(key, _Chunks(thread))
        members = {**(data.get("cpuProfile") or {}), **data}
        chunks.start_us = members.get("startTime") or chunks.start_us
        chunks.length_us += sum(members.get("timeDeltas") or ())
        texts = {name: json.dumps(members[name])[1:-1] for name in _LISTS if members.get(name)}
        if texts:
            chunks.lists.append((float(event["ts"]), texts))

    def build(self, name_thread: Callable[[_Thread], str]) -> Profile | None:
        """Return the sum of the profiles, with threads as a label; None = there are no samples. A
        profile that cannot be read is left out, with a warning."""
        parts = []
        for key, chunks in self._chunks.items():
            if key not in self._begun or not any("samples" in texts for _, texts in chunks.lists):
                continue  # chunks of an earlier recording have no Profile event
            name = name_thread(chunks.thread)
            try:
                profile = read_cpuprofile(chunks.encode(), may_lack_nodes=True)
                self.warnings += profile.warnings
                parts.append(add_label(replace(profile, warnings=()), "thread", name))
            except ContentError as error:
                self.warnings.append(f"V8's profile of thread {name} is left out: {error.message}")
        if not parts:
            return None
        profile = parts[0]
        if len(parts) > 1:
            longest_ns = max(part.duration_ns for part in parts)
            profile = replace(join_profiles(parts), duration_ns=longest_ns)
        return replace(profile, warnings=(*profile.warnings, *self.warnings, _REMARK))
