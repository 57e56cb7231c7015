"""Converter of rows of OpenTelemetry's JSON tables, in the usual forms, to arguments of messages.

::

    {"stackIndex": 7, "values": ["12"]}  ──▶  {"stack_index": 7, "values": [12]}

protobuf's JSON parser knows all forms but works field by field in Python, which takes some twenty
times as long as parsing the JSON. So that parser reads only the rows in other forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

_INTEGERS = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    }
)
_ANY_VALUE = "AnyValue"  # recursive: may contain itself
_Convert = Callable[[Any], Any]


class RowConverter:
    """Converts rows of one message type. Used by one thread."""

    def __init__(self, kind: Any) -> None:
        """``kind``: the descriptor of the message type."""
        self._fields: dict[str, tuple[str, _Convert]] = {}
        for field in kind.fields:
            convert = _find_conversion(field)
            if convert is not None:
                self._fields[field.name] = self._fields[field.json_name] = (field.name, convert)

    def read(self, rows: list[Any]) -> list[dict[str, Any]] | None:
        """Return the rows as arguments of messages; None = a row has another form."""
        try:
            return [self._read_row(row) for row in rows]
        except (KeyError, TypeError, ValueError):
            return None

    def _read_row(self, row: Any) -> dict[str, Any]:
        if type(row) is not dict:
            raise TypeError("no object")
        fields = self._fields
        read = {}
        for key, value in row.items():
            name, convert = fields[key]
            read[name] = convert(value)
        if len(read) < len(row):
            raise ValueError("one field under two names")
        return read


def write_out_integers(value: Any, kind: Any) -> Any:
    """Return a message's JSON with integers such as ``"1e1"`` written out as 10. protobuf's
    specification permits that form, but its Python parser knows it only from version 6.30 on."""
    if isinstance(value, list):
        return [write_out_integers(each, kind) for each in value]
    if not isinstance(value, dict):
        return value
    fields = {name: field for field in kind.fields for name in (field.name, field.json_name)}
    written = {}
    for name, each in value.items():
        field = fields.get(name)
        if field is not None and field.message_type is not None:
            each = write_out_integers(each, field.message_type)
        elif field is not None and field.cpp_type in _INTEGERS:
            each = [*map(_write_out, each)] if isinstance(each, list) else _write_out(each)
        written[name] = each
    return written


def _write_out(value: Any) -> Any:
    if isinstance(value, str) and not _is_plain(value):
        try:
            number = float(value)
        except ValueError:
            return value
        return int(number) if number.is_integer() else value
    return value


def _find_conversion(field: FieldDescriptor) -> _Convert | None:
    is_repeated = isinstance(field.default_value, list)
    convert: _Convert | None = None
    if field.cpp_type in _INTEGERS:
        return _read_integers if is_repeated else _read_integer
    if field.type == FieldDescriptor.TYPE_STRING:
        convert = _read_text
    elif field.message_type is not None and field.message_type.name != _ANY_VALUE:
        convert = RowConverter(field.message_type)._read_row
    if convert is None or not is_repeated:
        return convert
    return lambda values: [*map(convert, _check_list(values))]


def _read_integers(values: Any) -> list[int]:
    return [each if type(each) is int else _read_integer(each) for each in _check_list(values)]


def _read_integer(value: Any) -> int:
    if type(value) is int:
        return value
    if type(value) is str and _is_plain(value):
        return int(value)
    raise TypeError("no integer")


def _is_plain(value: str) -> bool:
    return value.isascii() and value.removeprefix("-").isdigit()


def _read_text(value: Any) -> str:
    if type(value) is str:
        return value
    raise TypeError("no text")


def _check_list(value: Any) -> list[Any]:
    if type(value) is list:
        return value
    raise TypeError("no list")
