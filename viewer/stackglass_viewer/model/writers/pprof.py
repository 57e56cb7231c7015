"""Writer of pprof's protobuf: the whole profile, except the times of samples, and locations,
functions and strings that nothing refers to."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.proto.profile_pb2 import Line as LineMessage
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.proto.profile_pb2 import ValueType
from stackglass_viewer.model.writers.sample_messages import encode_samples

_LEVEL = 1  # as in `record`: much faster than zlib's 6, and files seen were 1 to 15 % larger
_GZIP = 31  # wbits for gzip's format; zlib writes no time, so equal profiles give equal bytes


def write_pprof(profile: Profile) -> bytes:
    """Return the gzipped file. Equal profiles give equal bytes."""
    packed = zlib.compressobj(_LEVEL, wbits=_GZIP)
    return b"".join([*map(packed.compress, encode_pprof(profile)), packed.flush()])


def encode_pprof(profile: Profile) -> Iterator[bytes]:
    """Yield the message before compression, in pieces."""
    strings = _Strings(profile)
    types = Message(sample_type=[_make_type(strings, each) for each in profile.sample_types])
    message = Message()  # all but types and samples
    locations, is_location = _number_used(profile.samples.stack, len(profile.locations.address))
    first, last = profile.locations.line_start[:-1], profile.locations.line_start[1:]
    lines = np.repeat(is_location, last - first)
    used = profile.locations.line_function[lines]
    functions, is_function = _number_used(used[used >= 0], len(profile.functions.name))
    samples = encode_samples(profile, locations, _number_label_strings(strings, profile))
    _add_mappings(message, strings, profile)
    _add_locations(message, profile, locations, is_location, functions)
    _add_functions(message, strings, profile, functions, is_function)
    message.drop_frames = strings.number(profile.drop_frames)
    message.keep_frames = strings.number(profile.keep_frames)
    message.time_nanos = profile.time_unix_ns
    message.duration_nanos = profile.duration_ns
    if profile.period_type is not None:
        message.period_type.CopyFrom(_make_type(strings, profile.period_type))
    message.period = profile.period
    message.comment.extend(map(strings.number, profile.comments))
    if profile.default_type != len(profile.sample_types) - 1:
        default_name = profile.sample_types[profile.default_type].name
        message.default_sample_type = strings.number(default_name)
    message.doc_url = strings.number(profile.doc_url)
    message.string_table.extend(strings.texts)
    yield types.SerializeToString()
    yield from samples
    yield message.SerializeToString()


class _Strings:
    """The file's string table; string 0 is empty."""

    def __init__(self, profile: Profile) -> None:
        self._number_of = {"": 0}
        self._profile_strings = profile.strings
        self._known: dict[int, int] = {}

    @property
    def texts(self) -> Iterable[str]:
        return self._number_of

    def number(self, text: str) -> int:
        # A name in a Python program may have a lone surrogate, which UTF-8 cannot encode.
        encodable = text.encode(errors="replace").decode()
        return self._number_of.setdefault(encodable, len(self._number_of))

    def renumber(self, position: int) -> int:
        """Return the number in the file of a string of the profile."""
        if position not in self._known:
            self._known[position] = self.number(self._profile_strings[position])
        return self._known[position]


def _make_type(strings: _Strings, sample_type: SampleType) -> ValueType:
    return ValueType(type=strings.number(sample_type.name), unit=strings.number(sample_type.unit))


def _number_used(references: Int32s, n_rows: int) -> tuple[Int32s, Bools]:
    """Number the rows that ``references`` refer to, in order from 1. Returns the IDs, (n_rows,), 0
    for other rows; and which rows have one, (n_rows,)."""
    is_used: Bools = np.zeros(n_rows, dtype=bool)
    is_used[references] = True
    return np.where(is_used, np.cumsum(is_used), 0).astype(np.int32), is_used


def _number_label_strings(strings: _Strings, profile: Profile) -> Int32s:
    """Return the number in the file of each string that a label refers to: (n_strings,)."""
    labels = profile.labels
    other = np.where(labels.text >= 0, labels.text, labels.unit)
    used, first = np.unique(np.stack((labels.key, other), axis=1), return_index=True)
    numbers = np.zeros(len(profile.strings), dtype=np.int32)
    for position in used[np.argsort(first)].tolist():
        numbers[position] = strings.renumber(position)
    return numbers


def _add_mappings(message: Message, strings: _Strings, profile: Profile) -> None:
    mappings = profile.mappings
    columns = (getattr(mappings, name).tolist() for name in mappings.__slots__)
    for number, (file, build, start, limit, offset, flags) in enumerate(
        zip(*columns, strict=True), 1
    ):
        message.mapping.add(
            id=number,
            memory_start=start,
            memory_limit=limit,
            file_offset=offset,
            filename=strings.renumber(file),
            build_id=strings.renumber(build),
            has_functions=bool(flags & 1),
            has_filenames=bool(flags & 2),
            has_line_numbers=bool(flags & 4),
            has_inline_frames=bool(flags & 8),
        )


def _add_locations(
    message: Message,
    profile: Profile,
    locations: Int32s,
    is_used: Bools,
    functions: Int32s,
) -> None:
    table = profile.locations
    ids = np.append(functions, np.int32(0))  # the last: for −1, no function
    lines = list(
        zip(
            ids[table.line_function].tolist(),
            table.line_number.tolist(),
            table.line_column.tolist(),
            strict=True,
        )
    )
    start = table.line_start.tolist()
    for row in np.flatnonzero(is_used).tolist():
        message.location.add(
            id=int(locations[row]),
            mapping_id=int(table.mapping[row]) + 1,
            address=int(table.address[row]),
            is_folded=bool(table.is_folded[row]),
            line=[
                LineMessage(function_id=function, line=line, column=column)
                for function, line, column in lines[start[row] : start[row + 1]]
            ],
        )


def _add_functions(
    message: Message, strings: _Strings, profile: Profile, functions: Int32s, is_used: Bools
) -> None:
    table = profile.functions
    for row in np.flatnonzero(is_used).tolist():
        message.function.add(
            id=int(functions[row]),
            name=strings.renumber(int(table.name[row])),
            system_name=strings.renumber(int(table.system_name[row])),
            filename=strings.renumber(int(table.filename[row])),
            start_line=int(table.start_line[row]),
        )
