"""Plain arguments: a command line that needs no argparse.

Loading argparse takes a fifth of the time of a short command. This module reads what most people
write, ``threads 4711 --debug 2``: flags, options, each followed by its value, and as many other
words as are declared. For anything else ``read`` returns None, and argparse reads the words: only
argparse prints help and errors.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence
    from typing import Any
else:

    class Namespace:
        """Arguments as attributes, as in argparse's namespace."""

        def __init__(self, **values):
            vars(self).update(values)


_KNOWN = {"action", "type", "default", "choices", "help", "metavar", "nargs", "const"}


def read(
    add_arguments: Callable[[Any], None], words: Sequence[str], **others: object
) -> Namespace | None:
    """The arguments that argparse would read from ``words``, and ``others``; None = they are not
    plain."""
    declared = _Declarations()
    add_arguments(declared)
    values = _read(declared, words) if declared.are_plain else None
    return None if values is None else Namespace(**others, **values)


class _Argument:
    """An option or a positional argument, with one value or, as a flag, with none."""

    __slots__ = ("_choices", "_type", "default", "group", "is_flag", "name")

    def __init__(self, names: Sequence[str], about: dict[str, Any], group: object) -> None:
        long = next((name for name in names if name.startswith("--")), names[0])
        self.name = long.lstrip("-").replace("-", "_")
        self.is_flag = about.get("action") == "store_true"
        self.default = about.get("default", False if self.is_flag else None)
        self.group = group  # of arguments that exclude each other; None = it is in no group
        self._type = about.get("type", str)
        self._choices = about.get("choices")

    def convert(self, word: str) -> object:
        """The value of ``word``. Raises what the argument's type raises, and ValueError if the
        value is no choice."""
        value: object = self._type(word)
        if self._choices is not None and value not in self._choices:
            raise ValueError(word)
        return value


class _Declarations:
    """Stands in for the parser to which a command declares its arguments."""

    def __init__(self) -> None:
        self.are_plain = True
        self.options: dict[str, _Argument] = {}
        self.positionals: list[_Argument] = []

    def add_argument(self, *names: str, **about: Any) -> None:
        self.add(None, names, about)

    def add_mutually_exclusive_group(self) -> _Group:
        return _Group(self)

    def __getattr__(self, name: str) -> Any:
        """Any other method of a parser: what it declares is not plain."""
        self.are_plain = False
        return lambda *_, **__: self

    def add(self, group: object, names: Sequence[str], about: dict[str, Any]) -> None:
        argument = _Argument(names, about, group)
        is_known = about.keys() <= _KNOWN and (argument.is_flag or "action" not in about)
        is_option = names[0].startswith("-")
        # An option whose value may be left out is plain; `_read` refuses it without a value.
        is_known &= "nargs" not in about or (is_option and about["nargs"] == "?")
        # argparse would convert a default that is a text.
        self.are_plain &= is_known and not isinstance(argument.default, str)
        if is_option:
            self.options.update((name, argument) for name in names)
        else:
            self.positionals.append(argument)


class _Group:
    """Arguments that exclude each other."""

    __slots__ = ("_declarations",)

    def __init__(self, declarations: _Declarations) -> None:
        self._declarations = declarations

    def add_argument(self, *names: str, **about: Any) -> None:
        self._declarations.add(self, names, about)


def _read(declared: _Declarations, words: Sequence[str]) -> dict[str, object] | None:
    values = {each.name: each.default for each in declared.options.values()}
    of_group: dict[object, _Argument] = {}
    positionals, rest = iter(declared.positionals), iter(words)
    for word in rest:
        is_option = word.startswith("-")
        argument = declared.options.get(word) if is_option else next(positionals, None)
        if argument is None:
            return None
        if argument.group and of_group.setdefault(argument.group, argument) is not argument:
            return None
        if argument.is_flag:
            values[argument.name] = True
            continue
        text = next(rest, "-") if is_option else word
        if text.startswith("-"):
            return None
        try:
            values[argument.name] = argument.convert(text)
        except Exception:  # noqa: BLE001 - argparse calls the type again, and reports the error
            return None
    return values if next(positionals, None) is None else None
