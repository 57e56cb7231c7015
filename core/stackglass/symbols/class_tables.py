"""Classes of C++ functions, from the virtual tables of a file without symbols.

::

    type information  kind ─▶ class, or class with bases     virtual table  0
                      name ─▶ "N11onnxruntime6MatMulIfEE"                   type information
                      bases ─▶ type information                             slot 0 ─▶ the function
                                                                            slot 1 ─▶ …

A file needs these while it runs, so ``strip`` leaves them. They do not have the functions' own
names: a function is the virtual function of a class, by its slot.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.demangler import demangle_class
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.static_data import WORD_BYTES, StaticData

_SHT_SYMTAB = 2
_PLAIN, _ONE_BASE = "17__class_type_info", "20__si_class_type_info"
_BASES = "21__vmi_class_type_info"
_KINDS = {f"_ZTVN10__cxxabiv1{kind}E": kind for kind in (_PLAIN, _ONE_BASE, _BASES)}
_KIND_BYTES = 2 * WORD_BYTES  # from a virtual table's symbol to its first slot
_SECTION = ".data.rel.ro"
_NO_FUNCTION = ("_ZTV", "_ZTI", "_ZTS")
_IS_LOCAL = "*"  # before the name of a class that is local to one source file
_MAX_NAME_BYTES = 1024
_MAX_CLASSES = 100_000
_MAX_BASES = 64
_MAX_DEPTH = 64
_MAX_OFFSET = 1 << 24
_WORDS = 1 << 64
_HEAD = -2  # where a table's symbol points, in words from slot 0
_OF_FURTHER_BASE = -1  # a table for a base that is not the first

_Class = str
"""A class's mangled name; with its address where classes of one name may differ."""


class _Slot(NamedTuple):
    owner: _Class
    number: int  # or _OF_FURTHER_BASE


def read_class_names(elf: ElfFile) -> dict[int, str]:
    """Return names such as ``onnxruntime::MatMul::[virtual 5]``, by the functions' addresses as
    linked.

    If several classes have a function, it gets the name of the class that the others inherit it
    from. If there is no such class, or the slots differ, the compiler or the linker has merged
    equal functions, and the function gets no name. A file with a full symbol table needs none of
    these names.
    """
    if any(section.kind == _SHT_SYMTAB for section in elf.sections):
        return {}
    try:
        return _ClassTables(StaticData(elf)).list_names()
    except ElfFileError:
        return {}  # damaged or very large


class _ClassTables:
    __slots__ = ("_bases", "_classes", "_data", "_kinds")

    def __init__(self, data: StaticData) -> None:
        self._data = data
        self._kinds = dict(self._find_kinds())
        if len(self._kinds) > _MAX_CLASSES:
            raise ElfFileError("there are too many classes")
        self._classes = {start: self._read_class(start) for start in self._kinds}
        self._bases = {each: list(self._list_bases(start)) for start, each in self._classes.items()}

    def list_names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        texts: dict[_Class, str] = {}
        for function, slots in self._find_slots().items():
            chosen = self._choose(slots)
            if chosen is None:
                continue
            if chosen.owner not in texts:
                texts[chosen.owner] = demangle_class(chosen.owner.partition(_IS_LOCAL)[0])
            if texts[chosen.owner]:
                names[function] = f"{texts[chosen.owner]}::[virtual {chosen.number}]"
        return names

    def _find_kinds(self) -> Iterator[tuple[int, str]]:
        """Yield address and kind of each type information. Its kind is a class of the C++ library,
        which is another file, or is linked into this one."""
        for address, (symbol, addend) in self._data.imports.items():
            if symbol in _KINDS and addend == _KIND_BYTES:
                yield address, _KINDS[symbol]
        for kind in _KINDS.values():
            for name in self._data.find_text(f"N10__cxxabiv1{kind}E"):
                for own in self._data.find_word(name):  # the kind's own type information
                    for table in self._data.find_word(own - WORD_BYTES):
                        if not self._data.read(table - WORD_BYTES):
                            yield from (
                                (each, kind) for each in self._data.find_word(table + WORD_BYTES)
                            )

    def _read_class(self, start: int) -> _Class:
        name = self._data.read_text(self._data.read(start + WORD_BYTES), _MAX_NAME_BYTES)
        is_own = not name or name.startswith(_IS_LOCAL)
        return f"{name[1:]}{_IS_LOCAL}{start:x}" if is_own else name

    def _list_bases(self, start: int) -> Iterator[_Class]:
        kind, first = self._kinds[start], start + 2 * WORD_BYTES
        if kind == _ONE_BASE:
            yield self._name_base(first)
        elif kind == _BASES:
            count = self._data.read(first) >> 32
            for number in range(min(count, _MAX_BASES)):
                yield self._name_base(first + WORD_BYTES + 2 * WORD_BYTES * number)

    def _name_base(self, address: int) -> _Class:
        """Return the class of a base, which may be in another library."""
        if address in self._data.imports:
            return self._data.imports[address][0].replace("_ZTI", "", 1)
        return self._classes.get(self._data.read(address), f"{_IS_LOCAL}{address:x}")

    def _find_slots(self) -> dict[int, set[_Slot]]:
        """Return the slots of each function."""
        made, others = self._find_tables()
        slots: dict[int, set[_Slot]] = {}
        for table, functions in [*made.items(), *others.items()]:
            owner = self._classes[self._data.read(table - WORD_BYTES)]
            is_first = not self._data.read(table + _HEAD * WORD_BYTES)
            for number, function in enumerate(functions):
                # A class without instances only adds slots of functions that an earlier table has.
                if function and (table in made or function in slots):
                    each = _Slot(owner, number if is_first else _OF_FURTHER_BASE)
                    slots.setdefault(function, set()).add(each)
        return slots

    def _find_tables(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Return functions by table: of classes with instances, and of other classes.

        A constructor refers to the first slot, or through the global offset table to the head. Any
        other place that code or data refers to begins something else: a constant behind a table,
        or a record that looks like a table.
        """
        tables = {table: list(self._list_functions(table)) for table in self._list_tables()}
        known = self._data.find_references(
            {
                table + number * WORD_BYTES
                for table, functions in tables.items()
                for number in range(len(functions))
            }
        )
        made: dict[int, list[int]] = {}
        others: dict[int, list[int]] = {}
        for table, functions in tables.items():
            ends = (
                number
                for number in range(1, len(functions))
                if table + number * WORD_BYTES in known
            )
            is_made = table in known or table + _HEAD * WORD_BYTES in self._data.shared
            (made if is_made else others)[table] = functions[: next(ends, len(functions))]
        return made, others

    def _list_tables(self) -> Iterator[int]:
        """Yield the first slot of each table."""
        for start, words in self._data.list_blocks(_SECTION):
            for at, word in enumerate(words):
                address = start + at * WORD_BYTES
                if word in self._classes and self._is_offset(address - WORD_BYTES):
                    yield address + WORD_BYTES

    def _is_offset(self, address: int) -> bool:
        """Return whether the word is an offset from a base to the whole object: 0, or just
        below."""
        word = self._data.read(address)
        return address not in self._data.imports and (not word or word > _WORDS - _MAX_OFFSET)

    def _list_functions(self, table: int) -> Iterator[int]:
        """Yield the functions in a table's slots; 0 = a function of another library, such as
        ``__cxa_pure_virtual``."""
        while True:
            word = self._data.read(table)
            if table in self._data.imports:
                if self._data.imports[table][0].startswith(_NO_FUNCTION):
                    return
                yield 0
            elif self._data.is_code(word):
                yield word
            else:
                return
            table += WORD_BYTES

    def _choose(self, slots: set[_Slot]) -> _Slot | None:
        first = {each for each in slots if each.number >= 0}
        if len({each.number for each in first}) != 1:
            return None
        owners = {each.owner for each in slots}
        ancestors = [self._find_ancestors(each) for each in owners]
        return next(
            (each for each in first if all(each.owner in found for found in ancestors)), None
        )

    def _find_ancestors(self, derived: _Class) -> set[_Class]:
        """Return all base classes, and the class itself."""
        found, level = {derived}, {derived}
        for _ in range(_MAX_DEPTH):
            level = {base for each in level for base in self._bases.get(each, ())} - found
            if not level:
                break
            found |= level
        return found
