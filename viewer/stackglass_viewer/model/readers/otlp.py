"""Reader of OpenTelemetry's profiles (OTLP), protobuf and JSON.

::

    ProfilesData ┬ resource ─ scope ─ profile ─ samples      each profile has one sample type
                 └ dictionary: strings, locations, stacks, attributes, links

A file's profiles become one profile with the sample types of all. Samples of one resource and scope
with the same stack, attributes and link become one sample. Attributes of samples, profiles, scopes
and resources become labels; so do a scope's name and version, and the ids of a linked span. The
values of a sample are added up, whatever their times. The value of a sample that has only times is
their number.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import MOST_NS, join_profiles
from stackglass_viewer.model.proto.otlp_pb2 import (
    InstrumentationScope,
    KeyValue,
    Resource,
    ValueType,
)
from stackglass_viewer.model.proto.otlp_pb2 import Profile as ProfileMessage
from stackglass_viewer.model.readers.gzip_limits import MAX_UNPACKED_BYTES
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import find_document
from stackglass_viewer.model.readers.message_fields import BYTES, list_fields
from stackglass_viewer.model.readers.otlp_dictionary import Dictionary, Row
from stackglass_viewer.model.readers.otlp_json import (
    JsonSamples,
    encode_document,
    has_surrogates,
)
from stackglass_viewer.model.readers.otlp_layout import check_layout, list_framed, list_messages
from stackglass_viewer.model.readers.otlp_samples import OtlpSamples
from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.model.readers.zstd_limits import unpack_zstd_profile

_RESOURCE_PROFILES, _DICTIONARY = 1, 2
_OWNER, _ITEMS = 1, 2  # field numbers in ResourceProfiles and ScopeProfiles
_SAMPLES = 2
_PIECE_BYTES = 1 << 14  # samples decoded together; empty ones take a hundred times as much memory
_DAMAGE = (*DAMAGE, DecodeError, json_format.Error)
_WHAT = "an OpenTelemetry profile"


def read_otlp(content: bytes | bytearray, progress: Progress) -> Profile:
    """Read a ``ProfilesData``, or a collector's export request, which has the same format. Raises
    ContentError, and what ``progress`` raises."""
    try:
        check_layout(content)
        return _Reader(content, progress, {}).read(len(content))
    except _DAMAGE as error:
        raise ContentError(explain_damage(_WHAT, error)) from None


def read_otlp_json(content: bytes | bytearray, progress: Progress) -> Profile:
    """Read JSON. Several documents, such as the lines of a collector's file, are added up. Raises
    ContentError, and what ``progress`` raises."""
    try:
        return _join([*_list_documents(content, progress)])
    except _DAMAGE as error:
        raise ContentError(explain_damage(f"{_WHAT} in JSON", error)) from None


def read_otlp_messages(content: bytes | bytearray, progress: Progress) -> Profile:
    """Read and add up messages with a length before each, as a collector's file exporter writes
    them (``format: proto``). Raises ContentError, and what ``progress`` raises."""
    return _join([read_otlp(message, progress) for message in list_framed(content)])


def read_otlp_packed(content: bytes | bytearray, progress: Progress) -> Profile:
    """Read and add up messages, protobuf or JSON, each compressed with zstd, as the file exporter
    writes them (``compression: zstd``). Raises ContentError."""
    parts: list[Profile] = []
    n_left = MAX_UNPACKED_BYTES
    for packed in list_framed(content):
        message = unpack_zstd_profile(packed, progress)
        n_left -= len(message)
        if n_left < 0:
            raise ContentError(f"it unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")
        is_json = message[:1] == b"{"
        parts.append(read_otlp_json(message, progress) if is_json else read_otlp(message, progress))
    return _join(parts)


def _list_documents(content: bytes | bytearray, progress: Progress) -> Iterator[Profile]:
    is_checked = has_surrogates(content)
    at = 0
    while at < len(content):
        document, at = find_document(content, at, progress)
        encoded = encode_document(document, are_surrogates_checked=is_checked)
        report = partial(_report, progress, at / len(content))
        yield _Reader(encoded.message, report, encoded.samples).read(len(content))


def _report(progress: Progress, done: float, _share: float) -> None:
    progress(done)


def _join(parts: list[Profile]) -> Profile:
    if len(parts) == 1:
        return parts[0]
    joined = join_profiles(parts)
    starts = [part.time_unix_ns for part in parts if part.time_unix_ns]
    ends = [part.time_unix_ns + part.duration_ns for part in parts]
    start = min(starts, default=0)
    duration_ns = max(max(ends) - start, 0) if start else max(ends)
    duration_ns = min(duration_ns, MOST_NS)
    return replace(joined, time_unix_ns=start, duration_ns=duration_ns, default_type=TypeId(0))


class _Reader:
    """State of reading one message."""

    def __init__(
        self,
        content: bytes | bytearray,
        progress: Progress,
        samples_apart: Mapping[int, JsonSamples],
    ) -> None:
        """``samples_apart``: samples that are not in the message, by the number of their
        profile."""
        self._content = content
        self._samples_apart = samples_apart
        self._n_profiles = 0
        self._progress = progress
        self._dictionary = Dictionary()
        self._samples = OtlpSamples(self._dictionary)

    def read(self, n_bytes: int) -> Profile:
        """Read the message and build the profile. ``n_bytes``: the file's size."""
        whole = 0, len(self._content)
        for begin, end in list_messages(self._content, whole, _DICTIONARY):
            self._dictionary.read(self._content, begin, end)
        self._dictionary.finish()
        for resource in list_messages(self._content, whole, _RESOURCE_PROFILES):
            owner = Resource.FromString(self._find_owner(resource))
            labels = self._describe(owner.attributes)
            for scope in list_messages(self._content, resource, _ITEMS):
                self._read_scope(scope, labels)
        return self._samples.build(n_bytes)

    def _read_scope(self, span: tuple[int, int], labels: list[Row]) -> None:
        scope = InstrumentationScope.FromString(self._find_owner(span))
        number = self._dictionary.number
        named = [
            (number(f"otel.scope.{key}"), number(text), 0, 0)
            for key, text in (("name", scope.name), ("version", scope.version))
            if text
        ]
        for profile in list_messages(self._content, span, _ITEMS):
            self._read_profile(profile, [*named, *self._describe(scope.attributes), *labels])

    def _read_profile(self, span: tuple[int, int], labels: list[Row]) -> None:
        head = bytearray()  # the message without its samples
        at, end = span
        apart = self._samples_apart.get(self._n_profiles)
        self._n_profiles += 1
        pieces = array("q")  # begin and end of each group of samples
        for number, wire, _, last in list_fields(self._content, at, end):
            if number != _SAMPLES or wire != BYTES:
                head += self._content[at:last]
            elif pieces and pieces[-1] == at and last - pieces[-2] <= _PIECE_BYTES:
                pieces[-1] = last
            else:
                pieces.extend((at, last))
            at = last
        profile = ProfileMessage.FromString(bytes(head))
        if not profile.HasField("sample_type") and not pieces and apart is None:
            return
        self._samples.begin_profile(profile, self._find_type(profile.sample_type), labels)
        if profile.HasField("period_type"):
            self._samples.note_period(self._find_type(profile.period_type), profile.period)
        for first, last in zip(pieces[::2], pieces[1::2], strict=True):
            for sample in ProfileMessage.FromString(bytes(self._content[first:last])).samples:
                self._samples.add(sample)
            self._progress(last / len(self._content))
        if apart is not None:
            apart.add_to(self._samples)

    def _find_owner(self, span: tuple[int, int]) -> bytes:
        """Return the resource or scope of a message, encoded."""
        parts = list_messages(self._content, span, _OWNER)
        return b"".join(bytes(self._content[begin:end]) for begin, end in parts)

    def _find_type(self, message: ValueType) -> tuple[str, str]:
        table = self._dictionary
        name, unit = map(table.check_string, (message.type_strindex, message.unit_strindex))
        return table.strings[name], table.strings[unit]

    def _describe(self, pairs: Iterable[KeyValue]) -> list[Row]:
        rows = map(self._dictionary.describe_pair, pairs)
        return [row for row in rows if row is not None]
