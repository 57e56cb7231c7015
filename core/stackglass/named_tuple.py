"""Named tuples: a ``NamedTuple`` that makes its classes ten times as fast as ``typing``'s.

``typing.NamedTuple`` compiles code for each class and each annotation, and imports modules that
nothing else here needs: a quarter of the time of ``stackglass threads``. Type checkers see
``typing.NamedTuple``. Differences: at run time a call is checked only for the number and the names
of its arguments, and ``inspect`` shows no signature.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    class _Maker(type):
        """Makes a class from a body of annotated fields."""

        def __new__(cls, name, bases, members):
            if bases[0].__base__ is tuple:  # NamedTuple
                fields = tuple(members.get("__annotations__", ()))
                members["_fields"] = members["__match_args__"] = fields
                members["_field_defaults"] = {
                    field: members[field] for field in fields if field in members
                }
                members.update((field, _tuplegetter(at, "")) for at, field in enumerate(fields))
            members["__slots__"] = ()
            return super().__new__(cls, name, bases, members)

    class NamedTuple(tuple, metaclass=_Maker):
        """Base of named tuples: ``class Line(NamedTuple)``, and an annotation for each field."""

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                values = cls._complete(values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _complete(cls, values, named):
            """The values of all fields, from both kinds of arguments and the defaults. Raises
            TypeError."""
            found = {**cls._field_defaults, **named}
            try:
                whole = (*values, *map(found.pop, cls._fields[len(values) :]))
            except KeyError as error:
                raise TypeError(f"{cls.__name__} lacks {error.args[0]}") from None
            if len(whole) != len(cls._fields) or not found.keys().isdisjoint(named):
                raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}")
            return whole

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **named):
            whole = tuple.__new__(type(self), map(named.pop, self._fields, self))
            if named:
                raise TypeError(f"{type(self).__name__} has no field {', '.join(named)}")
            return whole

        def _asdict(self):
            return dict(zip(self._fields, self))

        def __repr__(self):
            fields = ", ".join(f"{field}={value!r}" for field, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)
