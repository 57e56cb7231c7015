"""Names of the formats that can be opened, for the start page and the user guide."""

from __future__ import annotations

from typing import NamedTuple

from stackglass_viewer.model.readers.file_kind import FileKind


class Format(NamedTuple):
    """Name of a format, which comprises some kinds of files."""

    name: str  # as part of a sentence
    heading: str  # heading of its row in the user guide
    kinds: tuple[FileKind, ...]


FORMATS = (
    Format("pprof", "pprof", (FileKind.PPROF,)),
    Format(
        "pprof's old text",
        "pprof's text from before protobuf: heap, growth, block and mutex contention, counts, "
        "threads",
        (
            FileKind.HEAP_TEXT,
            FileKind.JEMALLOC_HEAP,
            FileKind.CONTENTION_TEXT,
            FileKind.COUNT_TEXT,
            FileKind.THREAD_TEXT,
            FileKind.JAVA_TEXT,
        ),
    ),
    Format("goroutine dumps", "dumps of goroutines", (FileKind.GOROUTINE_DUMP,)),
    Format("thread dumps", "dumps of threads and tasks", (FileKind.THREAD_DUMP,)),
    Format(
        "Tachyon",
        "Tachyon's binary format and JSON lines",
        (FileKind.TACHYON, FileKind.TACHYON_LINES),
    ),
    Format("gperftools", "binary CPU profiles from before protobuf", (FileKind.LEGACY_CPU,)),
    Format("cProfile", "cProfile", (FileKind.PSTATS,)),
    Format("collapsed stacks", "collapsed stacks", (FileKind.COLLAPSED,)),
    Format("speedscope", "speedscope's JSON", (FileKind.SPEEDSCOPE,)),
    Format("Chrome traces", "Chrome's trace events", (FileKind.TRACE_EVENTS,)),
    Format("callgrind", "callgrind's format", (FileKind.CALLGRIND,)),
    Format(
        "V8 CPU profiles",
        "V8's CPU profiles (`.cpuprofile`)",
        (FileKind.CPUPROFILE, FileKind.CPUPROFILE_TREE),
    ),
    Format("V8 heap profiles", "V8's heap profiles (`.heapprofile`)", (FileKind.HEAPPROFILE,)),
    Format("pyinstrument", "pyinstrument's JSON", (FileKind.PYINSTRUMENT,)),
    Format(
        "OpenTelemetry profiles",
        "OpenTelemetry's profiles (OTLP), protobuf and JSON",
        (FileKind.OTLP, FileKind.OTLP_JSON, FileKind.OTLP_MESSAGES, FileKind.OTLP_PACKED),
    ),
    Format("memray", "memray's files (`.bin`)", (FileKind.MEMRAY,)),
    Format("massif", "massif's format", (FileKind.MASSIF,)),
    Format("Firefox Profiler", "the Firefox Profiler's JSON", (FileKind.FIREFOX,)),
    Format("perf script", "`perf script`'s text", (FileKind.PERF_SCRIPT,)),
    Format("Austin", "Austin's text and MOJO", (FileKind.AUSTIN, FileKind.MOJO)),
    Format("stackprof", "stackprof's JSON", (FileKind.STACKPROF,)),
    Format("scalene", "scalene's JSON", (FileKind.SCALENE,)),
    Format("memory traces", "session files (`.sgm`)", (FileKind.MEMORY_TRACE,)),
    Format("Go's execution traces", "Go's execution traces", (FileKind.GO_TRACE,)),
)


def name_formats() -> str:
    """Return the names of all formats as part of a sentence."""
    *names, last = [each.name for each in FORMATS]
    return f"{', '.join(names)} and {last}"
