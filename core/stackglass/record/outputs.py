"""Output files: which profile goes to which file, and its content."""

from __future__ import annotations

import os
from collections.abc import Collection

from stackglass.errors import UsageError
from stackglass.named_tuple import NamedTuple
from stackglass.record.progress import (
    Progress,
    describe,
    describe_contention,
    describe_creations,
    describe_heap,
    describe_memory,
    describe_wall,
)
from stackglass.wire import (
    contention_text,
    count_text,
    heap_text,
    legacy_cpu,
    profile_file,
)
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_profile import PROFILES as CONTENTION_KINDS
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.messages import MemoryInfo
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file, keep_used
from stackglass.wire.recorded_profiles import THREADCREATE
from stackglass.wire.recording import Recording

CPU = "cpu"
WALL = "wall"
MEMORY = "memory"
HEAP_KINDS = {"heap": HeapKind.HEAP, "allocs": HeapKind.ALLOCS}
PROFILES = (CPU, WALL, *HEAP_KINDS, *CONTENTION_KINDS, THREADCREATE, MEMORY)
PID = "{pid}"
_PROFILE = "{profile}"


class Output(NamedTuple):
    """One profile, and its file."""

    profile: str  # of PROFILES
    path: str  # - = standard output
    is_legacy: bool  # the form from before protobuf: binary for cpu, text for all others
    has_other: bool = False  # block: with blocking calls other than locks

    @property
    def kinds(self) -> list[ContentionKind]:
        """The kinds of contention in the profile; none if it is no contention profile."""
        if self.profile not in CONTENTION_KINDS:
            return []
        kinds = [CONTENTION_KINDS[self.profile]]
        return [*kinds, ContentionKind.OTHER] if self.has_other else kinds

    def name_process(self, process: str) -> Output:
        """The output of one process: ``{pid}`` in its path stands for ``process``.

        Makes the folder if its name has the PID. Raises OutputError.
        """
        path = self.path.replace(PID, process)
        if PID in os.path.dirname(self.path):
            profile_file.make_folder(os.path.dirname(path))
        return self._replace(path=path)

    def describe(self, recording: Recording) -> str:
        """One line: duration, samples or events, and losses so far."""
        if self.kinds:
            return describe_contention(recording, self.kinds)
        if self.profile == THREADCREATE:
            return describe_creations(recording)
        if self.profile == WALL:
            return describe_wall(recording)
        if self.profile == MEMORY:
            return describe_memory(recording)
        return describe_heap(recording) if self.profile in HEAP_KINDS else describe(recording)

    def find_problem(self, recording: Recording) -> str:
        """Why there is no such profile of the process; empty = there is, or it is not known yet."""
        if self.profile == MEMORY:
            return recording.memory.problem if recording.memory else ""
        if self.profile in HEAP_KINDS:
            return recording.heap.problem
        if self.profile in CONTENTION_KINDS:
            return recording.contention.find_problem(CONTENTION_KINDS[self.profile])
        if self.profile == WALL and recording.wall.problem:
            return recording.wall.problem  # a wall profile needs more than the running threads
        if self.profile == WALL and recording.wall.n_samples:
            return ""  # a CPU problem only leaves out the running threads
        return "" if self.profile == THREADCREATE else recording.cpu.problem

    def has_begun(self, recording: Recording) -> bool:
        """Whether the engine has reported the profile's start. Heap and contention profiles begin
        when the engine gets the GIL; a program may keep the GIL until the recording ends."""
        if self.profile == MEMORY:
            return recording.memory is not None and recording.memory.start_mono_ns > 0
        if self.profile in HEAP_KINDS:
            return recording.heap.start_mono_ns > 0
        if self.profile in CONTENTION_KINDS:
            return recording.contention.start_mono_ns > 0
        return True

    def find_covered(self, recording: Recording) -> int:
        """For how long the profile was recorded, in ns."""
        if self.profile == MEMORY:
            info = recording.memory or MemoryInfo()
            return recording.find_covered(info.start_mono_ns, info.time_mono_ns)
        if self.profile in HEAP_KINDS:
            heap = recording.heap
            return recording.find_covered(heap.start_mono_ns, heap.last_status_mono_ns)
        if self.profile in CONTENTION_KINDS:
            waits = recording.contention
            return recording.find_covered(waits.start_mono_ns, waits.last_status_mono_ns)
        return recording.find_covered(recording.start_mono_ns, recording.cpu.last_status_mono_ns)


def choose_outputs(
    output: str,
    profiles: list[str],
    legacy: Collection[str] = (),
    has_other: bool = False,
    has_children: bool = False,
) -> list[Output]:
    """The outputs of the profiles, each once. ``output`` is the file of the one profile; the files'
    common pattern, if it contains ``{profile}``; or a folder, created here, if several profiles are
    named (or the same one twice), if the folder exists, or if the name ends with a slash.

    Profiles in ``legacy`` have the form from before protobuf; ``has_other`` applies to ``block``.
    Raises OutputError if a file cannot be written; UsageError for several profiles on standard
    output, and with ``has_children`` if all processes would write the same file.
    """
    is_standard = output == profile_file.STANDARD_OUTPUT
    if is_standard and len(profiles) > 1:
        raise UsageError("standard output takes one profile", "name a folder: -o DIR")
    is_named_folder = output.endswith(os.sep) or (os.path.isdir(output) and not is_standard)
    is_folder = (len(profiles) > 1 or is_named_folder) and _PROFILE not in output
    profiles = list(dict.fromkeys(profiles))
    endings = [_choose_suffix(profile, legacy) for profile in profiles]
    if is_folder:
        if PID not in output:
            profile_file.make_folder(output)
        process = f".{PID}" if has_children and PID not in output else ""
        paths = [
            os.path.join(output, profile + process + ending)
            for profile, ending in zip(profiles, endings)
        ]
    else:
        paths = [
            output.replace(_PROFILE, profile) + (ending if output.endswith(_PROFILE) else "")
            for profile, ending in zip(profiles, endings)
        ]
        if has_children and PID not in output:
            raise UsageError(
                f"with --children each process writes its own files, and {output} names only one",
                "put {pid} into the name",
            )
    outputs = [
        Output(profile, path, profile in legacy, has_other and profile == "block")
        for profile, path in zip(profiles, paths)
    ]
    for one in outputs:
        if PID not in os.path.dirname(one.path):
            profile_file.check_writable(one.path)
    return outputs


def _choose_suffix(profile: str, legacy: Collection[str]) -> str:
    if profile == MEMORY:
        return ".sgm"
    if profile not in legacy:
        return ".pb.gz"
    return ".prof" if profile == CPU else ".txt"


def write_outputs(
    outputs: list[Output], recording: Recording, view: HeapView, progress: Progress
) -> None:
    """Write each output, except a memory trace, which is written while it is recorded. Raises
    OutputError at the first that cannot be written."""
    for output in outputs:
        if output.profile != MEMORY:
            profile_file.write_file(output.path, _encode(output, recording, view))
        if output.path != profile_file.STANDARD_OUTPUT:
            progress.say(f"{output.path}: {output.describe(recording)}")
            for warning in recording.cpu.warnings if output.profile == CPU else ():
                progress.say(warning)


def _encode(output: Output, recording: Recording, view: HeapView) -> bytes:
    tables: ProfileTables
    if output.profile in HEAP_KINDS:
        tables = recording.build_heap(HEAP_KINDS[output.profile], view)
        if output.is_legacy:
            return heap_text.encode(tables, recording.heap, view)
    elif output.profile in CONTENTION_KINDS:
        kind = CONTENTION_KINDS[output.profile]
        tables = recording.build_contention(kind, output.has_other)
        if output.is_legacy:
            return contention_text.encode(tables, recording.contention, kind, output.has_other)
    elif output.profile == WALL:
        tables = recording.build_wall()
    elif output.profile == THREADCREATE:
        tables = recording.build_creations(output.profile)
        if output.is_legacy:
            return count_text.encode(tables)
    else:
        tables = recording.build()
        if output.is_legacy:
            return legacy_cpu.encode(keep_used(tables))
    return encode_file(tables)
