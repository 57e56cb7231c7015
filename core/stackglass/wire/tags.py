"""Field numbers of the two schemas, wire.proto and pprof's profile.proto.

A class is a message, a constant one of its fields; contract tests hold them to the ``.proto``
files, by name. Only what is written or read here is listed.
"""

from __future__ import annotations

PROTOCOL_VERSION = 3
"""Of the socket's protocol. Engine and client must have the same."""


class FromEngine:
    HELLO = 1
    READY = 2
    BATCH = 3
    RATES = 4
    STATUS = 5
    THREADS = 6
    BYE = 7
    HEAP = 8
    HEAP_STATUS = 9
    CENSUS = 10
    CONTENTION = 11
    CONTENTION_STATUS = 12
    LOCK_WAITS = 13


class ToEngine:
    GREETING = 1
    SET_RATES = 2
    SNAPSHOT_THREADS = 3
    DETACH = 4
    SET_HEAP_RATE = 5
    COLLECT = 6
    TAKE_CENSUS = 7
    SET_CONTENTION_RATES = 8
    TAKE_LOCK_WAITS = 9


class Hello:
    PROTOCOL = 1
    ENGINE_VERSION = 2
    PID = 3


class Greeting:
    PROTOCOL = 1
    CLIENT_VERSION = 2


class Ready:
    PYTHON_VERSION = 1
    EXECUTABLE = 2
    ARGV = 3
    TIME_UNIX_NS = 4
    TIME_MONO_NS = 5
    CLOCK = 6


class Rates:
    CPU_HZ = 1
    HEAP_RATE = 2
    BLOCK_RATE_NS = 3
    MUTEX_FRACTION = 4
    GIL_HZ = 5
    HAS_OTHER = 6
    STALL_NS = 7


class SetHeapRate:
    RATE = 1
    WITHOUT_NATIVE = 2


class SetContentionRates:
    BLOCK_RATE_NS = 1
    MUTEX_FRACTION = 2
    GIL_HZ = 3
    KEPT = 4
    HAS_OTHER = 5
    STALL_NS = 6
    CHANGED = 7


class Batch:
    STRINGS = 1
    FUNCTION_NAME = 2
    FUNCTION_SYSTEM_NAME = 3
    FUNCTION_FILENAME = 4
    FUNCTION_START_LINE = 5
    LOCATION_FUNCTION = 6
    LOCATION_LINE = 7
    NODE_PARENT = 8
    NODE_LOCATION = 9
    THREAD_TID = 10
    THREAD_NAME = 11
    SAMPLE_NODE = 20
    SAMPLE_TID = 21
    SAMPLE_LABELS = 22
    SAMPLE_TIME = 23
    SAMPLE_COUNT = 24
    SAMPLE_CPU_NS = 25


class Heap:
    BUCKET_NODE = 1
    BUCKET_KIND = 2
    BUCKET_LEAST_SIZE = 3
    BUCKET_RATE = 4
    VALUE_BUCKET = 10
    VALUE_ALLOCS = 11
    VALUE_ALLOC_BYTES = 12
    VALUE_FREES = 13
    VALUE_FREE_BYTES = 14
    VALUE_FULL_ALLOCS = 15
    VALUE_FULL_ALLOC_BYTES = 16
    VALUE_FULL_FREES = 17
    VALUE_FULL_FREE_BYTES = 18
    EVENT_BUCKET = 20
    EVENT_TID = 21
    EVENT_TIME = 22
    EVENT_COUNT = 23
    EVENT_BYTES = 24
    EVENT_IS_FREE = 25
    COLLECTION_GENERATION = 30
    COLLECTION_START_MONO_NS = 31
    COLLECTION_PAUSE_NS = 32
    COLLECTION_TID = 33
    COLLECTION_COLLECTED = 34
    COLLECTION_UNCOLLECTABLE = 35


class HeapStatus:
    TIME_MONO_NS = 1
    RATE = 2
    N_SAMPLES = 3
    N_LOST = 4
    N_LOST_FREES = 5
    N_LOST_EVENTS = 6
    ACCOUNTED_BYTES = 7
    RSS_BYTES = 8
    MAX_RSS_BYTES = 9
    ATTACH_RSS_BYTES = 10
    N_FULL = 11
    FULL_MONO_NS = 12
    N_COLLECTS = 13
    N_UNNAMED = 14
    N_BLOCKS = 15
    N_DISPLACED = 16
    TABLE_BYTES = 17
    IS_LISTENING_TO_GC = 18
    N_BAD_WALKS = 19
    PROBLEM = 20
    IS_NATIVE_SEEN = 21
    NATIVE_PROBLEM = 22
    N_NATIVE_LIBRARIES = 23
    UNACCOUNTED_BYTES = 24
    N_ALLOCATORS = 25
    ARENA_LIBRARY = 26
    ARENA_BYTES = 27
    START_MONO_NS = 28


class TypeCensus:
    TIME_MONO_NS = 1
    DURATION_NS = 2
    N_SLICES = 3
    LONGEST_HOLD_NS = 4
    N_RESTARTS = 5
    IS_WHOLE = 6
    N_OBJECTS = 7
    N_UNTOLD = 8
    PROBLEM = 9
    TYPE_NAME = 10
    TYPE_COUNT = 11
    TYPE_BYTES = 12
    LONGEST_CPU_NS = 13
    SITE_BUCKET = 20
    SITE_TYPE = 21
    SITE_COUNT = 22
    SITE_BYTES = 23


class Contention:
    LOCK_PRIMITIVE = 1
    LOCK_ADDRESS = 2
    BUCKET_KIND = 3
    BUCKET_PRIMITIVE = 4
    BUCKET_LOCK = 5
    BUCKET_NODE = 6
    BUCKET_OTHER_NODE = 7
    NAMED_LOCK = 10
    NAMED_NAME = 11
    NAMED_SITE = 12
    NAMED_WAIT = 13
    VALUE_BUCKET = 20
    VALUE_COUNT = 21
    VALUE_TOTAL_NS = 22
    VALUE_MAX_NS = 23
    DELAY_BUCKET = 30
    DELAY_LOG2 = 31
    DELAY_COUNT = 32
    EVENT_BUCKET = 40
    EVENT_TID = 41
    EVENT_TIME = 42
    EVENT_COUNT = 43
    EVENT_NS = 44


class ContentionStatus:
    TIME_MONO_NS = 1
    BLOCK_RATE_NS = 2
    MUTEX_FRACTION = 3
    GIL_HZ = 4
    N_EVENTS = 5
    N_LOST = 6
    N_LOST_EVENTS = 7
    N_UNNAMED = 8
    N_LOCKS = 9
    LOCK_SOURCE = 10
    GIL_SOURCE = 11
    PROBLEM = 12
    GIL_PROBLEM = 13
    TABLE_BYTES = 14
    HAS_OTHER = 15
    STALL_NS = 16
    START_MONO_NS = 17


class LockWaits:
    TIME_MONO_NS = 1
    TID = 2
    LOCK = 3
    PRIMITIVE = 4
    SINCE_MONO_NS = 5
    HOLDER_TID = 6
    NODE = 7
    HOLDER_NODE = 8
    HOLDER_INSIDE = 9
    HOLDER_TAKEN = 10
    STUCK = 11


class Status:
    TIME_MONO_NS = 1
    CPU_HZ = 2
    N_SAMPLES = 3
    N_LOST = 4
    PROCESS_CPU_NS = 5
    ENGINE_CPU_NS = 6
    N_THREADS = 7
    GIL_WAIT_NS = 8
    CLOCK = 9
    N_BAD_WALKS = 10


class ThreadSnapshot:
    TIME_MONO_NS = 1
    TID = 2
    NODE = 3


class Bye:
    REASON = 1


# profile.proto


class Profile:
    SAMPLE_TYPE = 1
    SAMPLE = 2
    MAPPING = 3
    LOCATION = 4
    FUNCTION = 5
    STRING_TABLE = 6
    TIME_NANOS = 9
    DURATION_NANOS = 10
    PERIOD_TYPE = 11
    PERIOD = 12
    COMMENT = 13
    DEFAULT_SAMPLE_TYPE = 14


class ValueType:
    TYPE = 1
    UNIT = 2


class Sample:
    LOCATION_ID = 1
    VALUE = 2
    LABEL = 3


class Label:
    KEY = 1
    STR = 2
    NUM = 3


class Mapping:
    ID = 1
    FILENAME = 5
    HAS_FUNCTIONS = 7
    HAS_FILENAMES = 8
    HAS_LINE_NUMBERS = 9


class Location:
    ID = 1
    MAPPING_ID = 2
    LINE = 4


class Line:
    FUNCTION_ID = 1
    LINE = 2


class Function:
    ID = 1
    NAME = 2
    SYSTEM_NAME = 3
    FILENAME = 4
    START_LINE = 5
