"""Named tuples: what classes of typing.NamedTuple promise, and a module that loads quickly."""

from __future__ import annotations

import copy
import pickle

import pytest

from stackglass.named_tuple import NamedTuple


class Place(NamedTuple):
    """A place."""

    name: str
    line: int = 1
    labels: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.name}:{self.line}"


class Fixed(Place):
    """A class derived from one has its fields."""

    def describe(self) -> str:
        return f"at {self.text}"


def test_fields_are_attributes_and_items() -> None:
    place = Place("main", labels=("a",))
    values = ("main", 1, ("a",))
    assert (place.name, place.line, place.labels) == values
    assert [*place] == [*values]
    assert {place: 1}[values] == 1  # type: ignore[index]
    assert Place._fields == Place.__match_args__ == ("name", "line", "labels")
    assert (place.text, repr(place)) == ("main:1", "Place(name='main', line=1, labels=('a',))")
    assert place._asdict() == {"name": "main", "line": 1, "labels": ("a",)}


def test_copies_are_equal() -> None:
    place = Place("main", 7)
    assert place._replace(line=8) == Place("main", 8)
    assert Place._make(["main", 7, ()]) == place
    for same in (copy.copy(place), pickle.loads(pickle.dumps(place))):
        assert (same, type(same)) == (place, Place)


def test_a_derived_class_has_the_same_fields() -> None:
    fixed = Fixed("main", line=3)
    assert fixed.describe() == "at main:3"
    assert isinstance(fixed._replace(line=4), Fixed)


def test_it_cannot_be_changed() -> None:
    place = Place("main")
    for name in ("line", "other"):
        with pytest.raises(AttributeError):
            setattr(place, name, 2)


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        ((), {}, "Place lacks name"),
        (("a", 1, (), 2), {}, "Place has the fields name, line, labels"),
        (("a", 1), {"line": 2}, "Place has the fields"),
        (("a",), {"size": 2}, "Place has the fields"),
    ],
)
def test_a_wrong_call_is_an_error(
    values: tuple[object, ...], named: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        Place(*values, **named)  # type: ignore[arg-type]


def test_an_unknown_field_is_not_replaced() -> None:
    with pytest.raises(TypeError, match="Place has no field size"):
        Place("main")._replace(size=2)  # type: ignore[call-arg]
