"""Rust names as the compiler has mangled them since 2021: ``_R…``, "v0".

Only the path is kept, without the types of generic code, because that is what people read in a
stack. The grammar: https://doc.rust-lang.org/rustc/symbol-mangling/v0.html
"""

from __future__ import annotations

from typing import Callable

Read = Callable[[], "str | None"]

_BASIC_TYPES = {
    "a": "i8",
    "b": "bool",
    "c": "char",
    "d": "f64",
    "e": "str",
    "f": "f32",
    "h": "u8",
    "i": "isize",
    "j": "usize",
    "l": "i32",
    "m": "u32",
    "n": "i128",
    "o": "u128",
    "p": "_",
    "s": "i16",
    "t": "u16",
    "u": "()",
    "v": "...",
    "x": "i64",
    "y": "u64",
    "z": "!",
}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SPECIAL_SPACES = {"C": "closure", "S": "shim"}
_MAX_STEPS = 20_000
_MAX_DEPTH = 100


def demangle_rust(symbol: str) -> str:
    """Return the path that a ``_R`` name stands for; "" = not understood.

    >>> demangle_rust("_RNvNtCs1234_7mycrate3foo3bar")
    'mycrate::foo::bar'
    >>> demangle_rust("_RINvNtC3std3mem8align_ofjE")
    'std::mem::align_of'
    >>> demangle_rust("_RNvXs_C7mycrateNtB4_3FooNtNtC4core5clone5Clone5clone")
    '<mycrate::Foo as core::clone::Clone>::clone'
    >>> demangle_rust("_RNCNvC7mycrate3foo0B3_")
    'mycrate::foo::{closure#0}'
    """
    if not symbol.startswith("_R") or not symbol.isascii():
        return ""
    try:
        return _Reader(symbol.partition(".")[0][2:]).read_path()
    except _NotUnderstoodError:
        return ""


class _NotUnderstoodError(Exception):
    """A name that does not follow the grammar."""


class _Reader:
    """Reads one name from left to right; a reference leads back to an earlier place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._steps = 0
        self._depth = 0

    def read_path(self) -> str:
        """Read a ``<path>`` of the grammar."""
        self._enter()
        kind = self._take()
        if kind == "C":
            text = self._read_identifier()[0]
        elif kind == "N":
            text = self._read_nested()
        elif kind == "M":
            self._skip_impl_path()
            text = f"<{self.read_type()}>"
        elif kind == "X":
            self._skip_impl_path()
            text = self._read_trait()
        elif kind == "Y":
            text = self._read_trait()
        elif kind == "I":
            text = self.read_path()
            while not self._skip("E"):
                self._skip_generic_argument()
        elif kind == "B":
            text = self._read_again(self.read_path)
        else:
            raise _NotUnderstoodError
        self._depth -= 1
        return text

    def read_type(self) -> str:
        """Read a ``<type>`` of the grammar."""
        self._enter()
        kind = self._peek()
        if kind in _BASIC_TYPES:
            self._at += 1
            text = _BASIC_TYPES[kind]
        elif kind in "ASTRQPOFDB":
            self._at += 1
            text = self._read_compound(kind)
        else:
            text = self.read_path()
        self._depth -= 1
        return text

    def _read_nested(self) -> str:
        space = self._take()
        parent = self.read_path()
        name, number = self._read_identifier()
        if space.isupper():
            what = _SPECIAL_SPACES.get(space, space)
            colon = ":" if name else ""
            return f"{parent}::{{{what}{colon}{name}#{number}}}"
        return f"{parent}::{name}" if name else parent

    def _read_trait(self) -> str:
        owner = self.read_type()
        return f"<{owner} as {self.read_path()}>"

    def _skip_impl_path(self) -> None:
        self._read_optional_number("s")
        self.read_path()

    def _skip_generic_argument(self) -> None:
        if self._skip("L"):
            self._read_base_62()
        elif self._skip("K"):
            self._skip_constant()
        else:
            self.read_type()

    def _read_compound(self, kind: str) -> str:
        if kind == "A":
            item = self.read_type()
            self._skip_constant()
            return f"[{item}]"
        if kind == "S":
            return f"[{self.read_type()}]"
        if kind == "T":
            items = []
            while not self._skip("E"):
                items.append(self.read_type())
            return f"({', '.join(items)})"
        if kind in "RQ":
            if self._skip("L"):
                self._read_base_62()
            return ("&" if kind == "R" else "&mut ") + self.read_type()
        if kind in "PO":
            return ("*const " if kind == "P" else "*mut ") + self.read_type()
        if kind == "F":
            return self._read_function_type()
        if kind == "D":
            return self._read_dynamic_type()
        return self._read_again(self.read_type)

    def _read_function_type(self) -> str:
        self._read_optional_number("G")
        self._skip("U")
        if self._skip("K") and not self._skip("C"):
            self._read_identifier()
        while not self._skip("E"):
            self.read_type()
        self.read_type()
        return "fn"

    def _read_dynamic_type(self) -> str:
        self._read_optional_number("G")
        traits = []
        while not self._skip("E"):
            traits.append(self.read_path())
            while self._skip("p"):
                self._read_identifier()
                if self._skip("K"):
                    self._skip_constant()
                else:
                    self.read_type()
        if self._skip("L"):
            self._read_base_62()
        return "dyn " + " + ".join(traits)

    def _skip_constant(self) -> None:
        self._enter()
        kind = self._take()
        if kind == "B":
            self._read_again(self._skip_constant)
        elif kind in "RQ":
            self._skip_constant()
        elif kind in "AT":
            while not self._skip("E"):
                self._skip_constant()
        elif kind == "V":
            self.read_path()
            self._skip_fields()
        elif kind != "p":
            end = self._text.find("_", self._at)
            if end < 0 or kind not in _BASIC_TYPES:
                raise _NotUnderstoodError
            self._at = end + 1
        self._depth -= 1

    def _skip_fields(self) -> None:
        kind = self._take()
        if kind == "T":
            while not self._skip("E"):
                self._skip_constant()
        elif kind == "S":
            while not self._skip("E"):
                self._read_identifier()
                self._skip_constant()
        elif kind != "U":
            raise _NotUnderstoodError

    def _read_identifier(self) -> tuple[str, int]:
        """Return a name, and its number among equal names."""
        number = self._read_optional_number("s")
        is_unicode = self._skip("u")
        start = self._at
        while self._peek().isdigit():
            self._at += 1
            if self._text[start] == "0":
                break
        size = int(self._text[start : self._at] or "-1")
        self._skip("_")
        if size < 0 or self._at + size > len(self._text):
            raise _NotUnderstoodError
        name = self._text[self._at : self._at + size]
        self._at += size
        return (_decode_punycode(name) if is_unicode else name), number

    def _read_optional_number(self, mark: str) -> int:
        return self._read_base_62() + 1 if self._skip(mark) else 0

    def _read_base_62(self) -> int:
        value = 0
        start = self._at
        while not self._skip("_"):
            digit = _DIGITS.find(self._take())
            if digit < 0 or self._at - start > 16:
                raise _NotUnderstoodError
            value = value * 62 + digit
        return value + 1 if self._at - start > 1 else 0

    def _read_again(self, read: Read) -> str:
        """Return what ``read`` returns at an earlier place."""
        start = self._at - 1
        place = self._read_base_62()
        if place >= start:
            raise _NotUnderstoodError
        end, self._at = self._at, place
        text = read()
        self._at = end
        return text or ""

    def _enter(self) -> None:
        self._steps += 1
        self._depth += 1
        if self._steps > _MAX_STEPS or self._depth > _MAX_DEPTH:
            raise _NotUnderstoodError

    def _peek(self) -> str:
        if self._at >= len(self._text):
            raise _NotUnderstoodError
        return self._text[self._at]

    def _take(self) -> str:
        sign = self._peek()
        self._at += 1
        return sign

    def _skip(self, sign: str) -> bool:
        if self._text.startswith(sign, self._at):
            self._at += len(sign)
            return True
        return False


def _decode_punycode(name: str) -> str:
    plain, mark, rest = name.rpartition("_")
    try:
        text = (plain + ("-" if mark else "") + rest).encode("ascii").decode("punycode")
        text.encode()
        return text
    except UnicodeError:
        return name
