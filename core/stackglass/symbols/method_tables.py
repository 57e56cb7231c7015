"""Names that Python gives to C functions, from the method tables of an extension module.

::

    PyModuleDef  m_name ─▶ "zlib"         PyMethodDef  ml_name ─▶ "compress"
                 m_methods ─────────────▶              ml_meth ─▶ the C function
    PyTypeObject tp_name ─▶ "re.Pattern"               ml_flags, ml_doc
                 tp_methods ────────────▶ …

Compilers and linkers keep these tables even in a file without symbols.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.static_data import WORD_BYTES, StaticData

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$")
_FUSED = re.compile(r"^__pyx_fuse_\d+(?:_\d+)*")  # Cython's, for each type of a template
# ml_flags: VARARGS, KEYWORDS, NOARGS, O and FASTCALL say how a method is called, METHOD that it is
# passed its class. CLASS, STATIC and COEXIST may be combined with these.
_CALLS = {0x1, 0x3, 0x4, 0x8, 0x80, 0x82, 0x282}
_CALL_MASK, _KNOWN_FLAGS = 0x28F, 0x2FF
_METHOD_BYTES = 4 * WORD_BYTES
_MAX_OBJECT_BYTES = 1 << 32
# Offsets of members of PyTypeObject, in 64 bits.
_OB_SIZE = 16
_TP_NAME, _TP_BASICSIZE, _TP_ITEMSIZE = 24, 32, 40
_TP_METHODS = 232
_TP_SLOTS = {
    88: "__repr__",
    120: "__hash__",
    128: "__call__",
    136: "__str__",
    216: "__iter__",
    224: "__next__",
    296: "__init__",
    312: "__new__",
}
# Members that hold a function or nothing: from tp_dealloc to tp_new.
_TP_FUNCTIONS = (48, *_TP_SLOTS, 144, 152, 184, 192, 200, 304)
_M_NAME, _M_METHODS = 40, 64  # offsets in PyModuleDef
# Numbers of PyType_Slot, as in typeslots.h.
_SLOT_METHODS = 64  # Py_tp_methods
_SLOTS = {
    50: "__call__",
    59: "__hash__",
    60: "__init__",
    62: "__iter__",
    63: "__next__",
    65: "__new__",
    66: "__repr__",
    70: "__str__",
}
_MAX_SLOT = 100
_SPEC_SLOTS = 24  # offset in PyType_Spec
_PYTHON = re.compile(rb"\0(?:PyModule_Create2|PyModuleDef_Init|PyType_Ready|PyType_FromSpec)")
_MAX_NAMES_BYTES = 64 << 20
_MAX_OWNERS = 3


class PythonName(NamedTuple):
    """Python's name of a C function: ``list.sort`` of ``builtins``."""

    module: str  # "" = the tables do not say
    name: str


def read_method_names(elf: ElfFile) -> dict[int, PythonName]:
    """Return names by the functions' addresses as linked, without functions to which tables give
    different names."""
    if not _uses_python(elf):
        return {}
    try:
        return _MethodTables(StaticData(elf)).list_names()
    except ElfFileError:
        return {}  # damaged or very large: symbols remain


def _uses_python(elf: ElfFile) -> bool:
    section = elf.find_section(".dynstr")
    if section is None or section.size > _MAX_NAMES_BYTES:
        return False
    return bool(_PYTHON.search(elf.read(section.offset, section.size)))


class _MethodTables:
    __slots__ = ("_data", "_found")

    def __init__(self, data: StaticData) -> None:
        self._data = data
        self._found: dict[int, set[PythonName]] = {}  # by function
        methods = self._find_methods()
        is_owned = set()
        for table, owners in self._find_owners(methods).items():
            for address in itertools.takewhile(
                methods.__contains__, itertools.count(table, _METHOD_BYTES)
            ):
                is_owned.add(address)
                for owner in owners:
                    self._add(*methods[address], owner)
        for address in methods.keys() - is_owned:
            self._add(*methods[address], PythonName("", ""))

    def list_names(self) -> dict[int, PythonName]:
        chosen = ((function, choose_name(names)) for function, names in self._found.items())
        return {function: name for function, name in chosen if name is not None}

    def _add(self, function: int, name: str, owner: PythonName) -> None:
        whole = f"{owner.name}.{name}" if owner.name else name
        self._found.setdefault(function, set()).add(PythonName(owner.module, whole))

    def _find_methods(self) -> dict[int, tuple[int, str]]:
        """Return function and name of each PyMethodDef, by its address. The PyMethodDefs of a table
        are adjacent, and those of two tables may be."""
        methods: dict[int, tuple[int, str]] = {}
        for start, words in self._data.blocks:
            at, end = 0, len(words) - 3
            while at < end:
                name = self._read_method(*words[at : at + 4]) if words[at + 2] else ""
                if name:
                    methods[start + at * WORD_BYTES] = (words[at + 1], name)
                at += 4 if name else 1
        return methods

    def _read_method(self, name: int, function: int, flags: int, text: int) -> str:
        """Return the name in a PyMethodDef; "" = the four words are no PyMethodDef."""
        if flags & ~_KNOWN_FLAGS or flags & _CALL_MASK not in _CALLS:
            return ""
        if not self._data.is_code(function) or (text and self._data.is_code(text)):
            return ""
        found = _FUSED.sub("", self._data.read_text(name))
        return found if _NAME.match(found) else ""

    def _find_owners(self, methods: Container[int]) -> dict[int, list[PythonName]]:
        """Return modules and classes by the address of their first method."""
        owners: dict[int, list[PythonName]] = {}
        slots: dict[int, int] = {}  # table by possible start of its PyType_Slot array
        for table, addresses in self._find_references(methods).items():
            for address in addresses:
                owner = self._read_module(address - _M_METHODS)
                owner = owner or self._read_type(address - _TP_METHODS)
                if owner is not None:
                    owners.setdefault(table, []).append(owner)
                elif self._data.read(address - WORD_BYTES) == _SLOT_METHODS:
                    slots.update(dict.fromkeys(self._list_slots(address - WORD_BYTES), table))
        for first, addresses in self._find_references(slots).items():
            for address in addresses:
                owner = _divide(self._data.read_text(self._data.read(address - _SPEC_SLOTS)))
                if owner is not None:
                    owners.setdefault(slots[first], []).append(owner)
                    self._add_slots(first, owner)
        return owners

    def _find_references(self, targets: Container[int]) -> dict[int, list[int]]:
        """Return the places where these addresses are stored."""
        addresses: dict[int, list[int]] = {}
        for start, words in self._data.blocks:
            for at, word in enumerate(words):
                if word in targets:
                    addresses.setdefault(word, []).append(start + at * WORD_BYTES)
        return addresses

    def _read_type(self, start: int) -> PythonName | None:
        """Return the class of a PyTypeObject and add the functions of its slots; None = there is no
        PyTypeObject at ``start``."""
        read = self._data.read
        if not read(start) or read(start + _OB_SIZE):
            return None
        if not 0 < read(start + _TP_BASICSIZE) < _MAX_OBJECT_BYTES:
            return None
        if read(start + _TP_ITEMSIZE) >= _MAX_OBJECT_BYTES:
            return None
        functions = [read(start + offset) for offset in _TP_FUNCTIONS]
        if not all(self._data.is_code(each) for each in functions if each):
            return None
        owner = _divide(self._data.read_text(read(start + _TP_NAME)))
        if owner is not None:
            for offset, name in _TP_SLOTS.items():
                self._add_slot(read(start + offset), owner, name)
        return owner

    def _read_module(self, start: int) -> PythonName | None:
        read = self._data.read
        if not read(start) or any(
            map(read, range(start + WORD_BYTES, start + _M_NAME, WORD_BYTES))
        ):
            return None
        name = self._data.read_text(read(start + _M_NAME))
        return PythonName(name, "") if _DOTTED.match(name) else None

    def _list_slots(self, slot: int) -> Iterator[int]:
        """Yield the places where the PyType_Slot array of this slot may begin."""
        yield slot
        while 0 < self._data.read(slot - 2 * WORD_BYTES) <= _MAX_SLOT:
            slot -= 2 * WORD_BYTES
            yield slot

    def _add_slots(self, slot: int, owner: PythonName) -> None:
        while 0 < self._data.read(slot) <= _MAX_SLOT:
            name = _SLOTS.get(self._data.read(slot), "")
            self._add_slot(self._data.read(slot + WORD_BYTES), owner, name)
            slot += 2 * WORD_BYTES

    def _add_slot(self, function: int, owner: PythonName, name: str) -> None:
        if name and self._data.is_code(function):
            self._add(function, name, owner)


def _divide(name: str) -> PythonName | None:
    """Split a type's name into module and class; None = it is no name."""
    if not _DOTTED.match(name):
        return None
    module, _, last = name.rpartition(".")
    return PythonName(module, last)


def choose_name(names: set[PythonName]) -> PythonName | None:
    """Return one name for a function; None = it has different names.

    >>> one, other = PythonName("m", "set.union"), PythonName("m", "frozenset.union")
    >>> choose_name({one, other, PythonName("", "union")})
    PythonName(module='m', name='frozenset/set.union')
    """
    owned = {each for each in names if "." in each.name or each.module} or names
    chosen = {each for each in owned if not each.name.endswith("__")} or owned
    methods = {each.name.rpartition(".")[2] for each in chosen}
    modules = {each.module for each in chosen}
    if len(methods) > 1 or len(modules) > 1 or len(chosen) > _MAX_OWNERS:
        return None
    owners = sorted(each.name.rpartition(".")[0] for each in chosen)
    method = methods.pop()
    return PythonName(modules.pop(), f"{'/'.join(owners)}.{method}" if owners[-1] else method)
