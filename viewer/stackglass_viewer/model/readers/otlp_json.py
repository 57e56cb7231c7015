"""Encoder of OpenTelemetry's JSON profiles as protobuf, table by table and in groups of rows.

The pieces are joined: protobuf merges repeated pieces of a message into one message.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from stackglass_viewer.model.proto.otlp_pb2 import Profile, ProfilesData
from stackglass_viewer.model.readers.json_pieces import JsonColumn, JsonPart
from stackglass_viewer.model.readers.message_fields import BYTES
from stackglass_viewer.model.readers.otlp_layout import refuse_version
from stackglass_viewer.model.readers.otlp_rows import RowConverter, write_out_integers
from stackglass_viewer.model.readers.otlp_samples import OtlpColumns, OtlpSamples

_SAMPLES = "samples"
_COLUMNS = (
    b"stackIndex",
    b"linkIndex",
    b"attributeIndices[]",
    b"values[]",
    b"timestampsUnixNano[]",
)
_WHOLE_BYTES = 1 << 17  # smaller messages and lists are encoded in one step
_CONTAINERS = ("resource_profiles", "scope_profiles", "profiles")
_IDS = (("traceId", "trace_id"), ("spanId", "span_id"))
_LINKS = ("linkTable", "link_table")
_HALF = re.compile(rb"\\u[dD][89abABcdefCDEF]|\xed[\xa0-\xbf]")  # half of a surrogate pair


def has_surrogates(content: bytes | bytearray) -> bool:
    """Whether the content may have half of a surrogate pair, which protobuf cannot hold."""
    return _HALF.search(content) is not None


class JsonSamples:
    """The samples of a profile. They are read from JSON directly, because they are most of a large
    file."""

    def __init__(self, part: JsonPart, encoder: _Encoder) -> None:
        self._part = part
        self._encoder = encoder

    def add_to(self, samples: OtlpSamples) -> None:
        """Add the samples to ``samples``. Raises the exceptions of `json_damage` and of protobuf,
        ContentError, and what progress raises."""
        for table in self._part.list_tables(_COLUMNS):
            if isinstance(table[0], JsonColumn):
                samples.add_many(OtlpColumns(*table))
            else:
                for sample in Profile.FromString(self._encoder.encode_samples(table)).samples:
                    samples.add(sample)


class OtlpDocument(NamedTuple):
    """An encoded ``ProfilesData``, and the samples that are not in the message."""

    message: bytes
    samples: dict[int, JsonSamples]  # by the number of their profile in the message


def encode_document(document: JsonPart, *, are_surrogates_checked: bool) -> OtlpDocument:
    """Encode a document. Raises ContentError for versions of OTLP with other fields, and the
    exceptions of `json_damage` and of protobuf."""
    members = document.find_members()
    encoder = _Encoder(are_surrogates_checked)
    encoded = encoder.encode(members, ProfilesData.DESCRIPTOR)
    if encoder.n_profiles and "dictionary" not in members:
        raise refuse_version("1.6 or older")
    if encoder.is_old:
        raise refuse_version("1.8 or older")
    return OtlpDocument(encoded, encoder.samples)


class _Encoder:
    """Encodes the messages of a document, and keeps long lists of samples apart."""

    def __init__(self, are_surrogates_checked: bool) -> None:
        self._are_surrogates_checked = are_surrogates_checked
        self._converters: dict[Any, RowConverter] = {}  # by descriptor of the rows' message type
        self.samples: dict[int, JsonSamples] = {}
        self.n_profiles = 0
        self.is_old = False

    def encode(self, members: dict[str, JsonPart], kind: Any) -> bytes:
        """Encode a message of type ``kind``. Unknown fields are skipped."""
        if kind is Profile.DESCRIPTOR:
            self.n_profiles += 1
            self.is_old |= "sample" in members
        encoded = bytearray()
        for name, part in members.items():
            if self._are_surrogates_checked:
                _check_unicode(name)
            field = kind.fields_by_camelcase_name.get(name) or kind.fields_by_name.get(name)
            if name == _SAMPLES and kind is Profile.DESCRIPTOR and _is_long_list(part):
                self.samples[self.n_profiles - 1] = JsonSamples(part, self)
            elif field is not None:
                encoded += self._encode_field(name, part, field, kind)
            elif self._are_surrogates_checked:
                _check_unicode(part.load())
        return bytes(encoded)

    def encode_samples(self, rows: list[Any]) -> bytes:
        """Encode a ``Profile`` that has only these samples."""
        kind: Any = Profile.DESCRIPTOR
        return self._encode_rows(_SAMPLES, rows, kind.fields_by_name[_SAMPLES], kind)

    def _encode_rows(self, name: str, rows: list[Any], field: FieldDescriptor, kind: Any) -> bytes:
        inner = field.message_type
        if inner is not None and inner not in self._converters:
            self._converters[inner] = RowConverter(inner)
        read = self._converters[inner].read(rows) if inner is not None else None
        return self._make(field, read, kind) or self._parse(name, rows, kind)

    def _encode_field(self, name: str, part: JsonPart, field: FieldDescriptor, kind: Any) -> bytes:
        inner = field.message_type
        encoded = bytearray()
        if field.name in _CONTAINERS and part.is_list:
            for each in part.list_parts():
                encoded += _frame(field, self.encode(each.find_members(), inner))
        elif _is_long_list(part):
            for piece in part.list_pieces():
                encoded += self._encode_rows(name, piece, field, kind)
        elif part.is_object and part.n_bytes > _WHOLE_BYTES and inner is not None:
            encoded += _frame(field, self.encode(part.find_members(), inner))
        else:
            encoded += self._parse(name, part.load(), kind)
        return bytes(encoded)

    def _make(
        self, field: FieldDescriptor, rows: list[dict[str, Any]] | None, kind: Any
    ) -> bytes | None:
        """Encode a message with rows in one field; None = the rows do not fit the field."""
        if not rows or self._are_surrogates_checked:
            return None
        try:
            message: bytes = GetMessageClass(kind)(**{field.name: rows}).SerializeToString()
        except (TypeError, ValueError):
            return None
        return message

    def _parse(self, name: str, value: Any, kind: Any) -> bytes:
        """Encode a message with one field, through protobuf's JSON parser."""
        if self._are_surrogates_checked:
            _check_unicode(value)
        _encode_ids(value if name in _LINKS else _find_links(value))
        field = {name: value}
        try:
            return _parse_field(field, kind)
        except json_format.ParseError:
            plain = write_out_integers(field, kind)
            if plain == field:
                raise
            return _parse_field(plain, kind)


def _parse_field(field: dict[str, Any], kind: Any) -> bytes:
    message = GetMessageClass(kind)()
    json_format.ParseDict(field, message, ignore_unknown_fields=True)
    encoded: bytes = message.SerializeToString()
    return encoded


def _is_long_list(part: JsonPart) -> bool:
    return part.is_list and part.n_bytes > _WHOLE_BYTES


def _check_unicode(value: Any) -> None:
    """Raise UnicodeError for half of a surrogate pair. A JSON escape can write it, but protobuf
    cannot hold it, and raises SystemError if it is in the name of a field."""
    json.dumps(value, ensure_ascii=False).encode()


def _find_links(value: Any) -> Any:
    """Return the links of a dictionary that is encoded in one step."""
    tables = [value[name] for name in _LINKS if name in value] if isinstance(value, dict) else []
    return tables[-1] if tables else ()


def _encode_ids(links: Any) -> None:
    """Convert ids from hexadecimal, as in OTLP's JSON, to base64, as protobuf's JSON parser expects
    bytes."""
    for link in links or ():
        for names in _IDS:
            for name in names:
                if name in link:
                    link[name] = base64.b64encode(bytes.fromhex(link[name])).decode()


def _frame(field: FieldDescriptor, content: bytes) -> bytes:
    return _encode_varint(field.number << 3 | BYTES) + _encode_varint(len(content)) + content


def _encode_varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
