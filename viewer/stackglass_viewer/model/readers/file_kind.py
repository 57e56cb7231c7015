"""Kinds of files, with a message for each kind that cannot be read."""

from __future__ import annotations

from enum import Enum

_NOT_YET = "cannot be read yet"


class FileKind(Enum):
    """Kind of a file. If it cannot be read, ``refusal`` is the message, and ``remedy`` what to
    do."""

    PPROF = ("", "")
    PSTATS = ("", "")
    LEGACY_CPU = ("", "")
    HEAP_TEXT = ("", "")
    JEMALLOC_HEAP = ("", "")
    CONTENTION_TEXT = ("", "")
    COUNT_TEXT = ("", "")
    THREAD_TEXT = ("", "")
    GOROUTINE_DUMP = ("", "")
    THREAD_DUMP = ("", "")
    JAVA_TEXT = ("", "")
    COLLAPSED = ("", "")
    CALLGRIND = ("", "")
    HEAPPROFILE = ("", "")
    PYINSTRUMENT = ("", "")
    MASSIF = ("", "")
    FIREFOX = ("", "")
    PERF_SCRIPT = ("", "")
    AUSTIN = ("", "")
    MOJO = ("", "")
    SCALENE = ("", "")
    TACHYON = ("", "")
    TACHYON_LINES = ("", "")
    SPEEDSCOPE = ("", "")
    CPUPROFILE = ("", "")
    TRACE_EVENTS = ("", "")
    MEMRAY = ("", "")
    OTLP = ("", "")
    OTLP_JSON = ("", "")
    OTLP_MESSAGES = ("", "")
    OTLP_PACKED = ("", "")
    CPUPROFILE_TREE = ("", "")
    STACKPROF = ("", "")

    EMPTY = ("it is empty", "")
    GZIP = ("it is compressed twice", "gunzip it first")
    ZSTD = ("it is compressed twice, with zstd inside", "decompress it first")
    XZ = ("it is compressed with xz, not gzip", "decompress it first: xz -d FILE")
    BZIP2 = ("it is compressed with bzip2, not gzip", "decompress it first: bunzip2 FILE")
    LZ4 = ("it is compressed with LZ4, not gzip", "decompress it first: lz4 -d FILE")
    ZIP = ("it is a zip archive", "unpack it first")
    UTF16 = (
        "it is text in UTF-16, and damaged",
        "iconv -f UTF-16 -t UTF-8 FILE > FILE.txt converts it",
    )

    PERF_DATA = (
        "it is perf's own format, which cannot be read",
        "perf script prints it as text; pprof's perf_to_profile converts it",
    )
    MEMORY_TRACE = (
        "it is a session file, which cannot be read from a pipe or from memory",
        "save it to a file, and open that file",
    )
    GO_TRACE = (
        "it is a Go execution trace, not a profile",
        "go tool trace -pprof=TYPE FILE > FILE.pb.gz makes profiles of it",
    )
    FLIGHT_RECORDING = ("it is a recording of Java's Flight Recorder, which cannot be read", "")
    GMON = ("it is gprof's format, which cannot be read", "gprof PROGRAM FILE prints it")
    NETTRACE = ("it is a trace of .NET, which cannot be read", "dotnet-trace convert converts it")
    SIMPLEPERF = (
        "it is simpleperf's own format, which cannot be read",
        "report_sample.py of simpleperf prints it as text that can be read",
    )
    ART_TRACE = ("it is a method trace of Android, which cannot be read", "")
    SQLITE = ("it is a SQLite database, not a profile", "")
    PICKLE = ("it is a Python pickle, which could run any code when it is read", "")
    YAPPI = (
        "it is yappi's own format, a Python pickle, which could run any code when it is read",
        'stats.save(FILE, type="pstat") writes a file that can be read',
    )
    ELF = ("it is a program, not a profile", "")

    PPROF_TEXT = (
        f"it is a text format of pprof that {_NOT_YET}",
        "go tool pprof -proto FILE > FILE.pb.gz converts it",
    )
    STATS_TEXT = (
        "it is the printed output of cProfile, not its file",
        "python -m cProfile -o FILE.prof … writes the file",
    )
    HTML = ("it is a web page, not a profile", "")
    SVG = ("it is a picture (SVG), which has no exact values", "open the profile it was made of")

    HEAPSNAPSHOT = ("it is a heap snapshot of Chrome or Node.js, not a profile", "")
    MEMRAY_STATS = ("it is a summary by memray stats, not a profile", "")
    FLAMEBEARER = (f"it is Pyroscope's JSON, which {_NOT_YET}", "")
    DHAT = ("it is DHAT's JSON, which cannot be read", "dh_view.html of valgrind shows it")
    SAFARI = ("it is a recording of Safari's Web Inspector, which cannot be read", "")
    GHC = ("it is a profile of GHC, Haskell's compiler, which cannot be read", "")
    CLEOPATRA = (
        "it is a profile of Firefox 33 or older, which cannot be read",
        "the Firefox Profiler opens it, and saves it in a form that can be read",
    )
    TOP_JSON = ("it is the output of stackglass top --json, not a profile", "")
    NESTED_JSON = (f"it is JSON for d3-flame-graph, which {_NOT_YET}", "")
    JSON = ("it is JSON, but not of a known profiler", "")

    TEXT = ("it is a text file, not a profile", "")
    UNKNOWN = ("it is not a profile in a known format", "")

    def __init__(self, refusal: str, remedy: str) -> None:
        self.refusal = refusal
        self.remedy = remedy

    def __new__(cls, *_args: str) -> FileKind:
        kind = object.__new__(cls)
        kind._value_ = len(cls.__members__)  # else all readable kinds would be aliases
        return kind

    @property
    def is_readable(self) -> bool:
        return not self.refusal
