"""Reader of scalene's JSON: times and allocations by line, without callers.

::

    elapsed_time_sec: 2.4
    files: {"app.py": {"functions": [{"line": "work", "lineno": 6, …}],
                       "lines": [{"lineno": 7, "n_cpu_percent_python": 2.3, …}, …]}}

Percentages are of the elapsed time. ``start_function_line`` of a line gives its function.
"""

from __future__ import annotations

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_SHARES = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")
_TYPES = (
    SampleType("alloc_space", "bytes"),
    SampleType("python", "nanoseconds"),
    SampleType("native", "nanoseconds"),
    SampleType("system", "nanoseconds"),
    SampleType("time", "nanoseconds"),
)
_NS_PER_S = 1e9
_MODULE = "<module>"


def read_scalene(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        return _read(open_document(content, progress).find_members())
    except DAMAGE as error:
        raise ContentError(explain_damage("scalene's JSON", error)) from None


def _read(document: dict[str, JsonPart]) -> Profile:
    seconds = document["elapsed_time_sec"].load()
    samples = FrameSamples()
    for name, file in document["files"].find_members().items():
        _add_file(samples, name, file.find_members(), seconds)
    program, start = (
        document[key].load() if key in document else None
        for key in ("program", "start_time_absolute")
    )
    return samples.build(
        _TYPES,
        duration_ns=_to_ns(seconds),
        time_unix_ns=_to_ns(start or 0),
        comments=(str(program),) if program else (),
    )


def _add_file(
    samples: FrameSamples, file: str, content: dict[str, JsonPart], seconds: float
) -> None:
    names = {each["lineno"]: str(each["line"]) for each in content["functions"].load()}
    for line in content["lines"].list_items():
        times_ns = [round(line[share] / 100 * seconds * _NS_PER_S) for share in _SHARES]
        n_bytes = round(line["n_malloc_mb"] * 2**20)
        if not n_bytes and not any(times_ns):
            continue
        name = names.get(line.get("start_function_line"), _MODULE)
        number = line["lineno"]
        if not isinstance(number, int) or not 0 <= number < 2**31:
            raise ValueError("a line has no number")
        frame = samples.add_frame(Symbol(name, file, number))
        samples.add([n_bytes, *times_ns, sum(times_ns)], [frame])


def _to_ns(seconds: float) -> int:
    return min(max(round(seconds * _NS_PER_S), 0), 2**63 - 1)
