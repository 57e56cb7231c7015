"""Label values of a tab: which key's table is built, and what filters leave in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.profile.label_table import LabelIndex
from stackglass_viewer.model.profile.label_values import LabelledValues, build_label_values

A, B, EVE, BOB = ("route", "/a"), ("route", "/b"), ("user", "eve"), ("user", "bob")


def make_values(counts: bool = True) -> LabelledValues:
    """Bearer 0: /a, eve; 1: /b, eve; 2: /b, bob; 3: nothing."""
    bearer = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    label = np.array([0, 2, 1, 2, 1, 3], dtype=np.int32)
    index = LabelIndex((A, B, EVE, BOB), bearer, label, 4)
    weights = np.array([1, 2, 4, 8], dtype=np.int64)
    return LabelledValues(index, weights, weights if counts else None, 15, "count")


def test_a_key_that_there_is_not_is_the_first() -> None:
    for wanted, shown in (("", "route"), ("none", "route"), ("user", "user")):
        built = build_label_values(make_values(), wanted, frozenset())
        assert (built.keys, built.key) == (("route", "user"), shown)
        assert built.table is not None
        assert built.table.key == shown


def test_the_first_key_is_one_that_has_values() -> None:
    values = make_values()
    of_users = replace(values, weights=values.weights * 0, counts=np.array([0, 0, 0, 0]))
    assert build_label_values(of_users, "", frozenset()).key == "route"
    bearer, label = np.array([0, 1], dtype=np.int32), np.array([0, 2], dtype=np.int32)
    index = LabelIndex((A, B, EVE, BOB), bearer, label, 2)
    weights = np.array([0, 4], dtype=np.int64)
    apart = LabelledValues(index, weights, weights, 4, "count")
    for chosen in (frozenset[tuple[str, str]](), frozenset({A})):
        built = build_label_values(apart, "", chosen)
        assert (built.keys, built.key) == (("route", "user"), "user")
    assert build_label_values(apart, "route", frozenset()).key == "route", "it was chosen"


def test_filters_for_other_keys_shorten_a_table_and_its_own_do_not() -> None:
    def sums(key: str, *chosen: tuple[str, str]) -> dict[str, int]:
        table = build_label_values(make_values(), key, frozenset(chosen)).table
        return {} if table is None else dict(zip(table.value, table.flat.tolist(), strict=True))

    assert sums("route") == {"/a": 1, "/b": 6}
    assert sums("route", A) == {"/a": 1, "/b": 6}
    assert sums("user", A) == {"eve": 1}
    assert sums("route", A, BOB) == {"/b": 4}
    assert sums("user", ("route", "/none")) == {}


def test_without_counts_every_value_is_listed_and_the_number_of_samples_is_unknown() -> None:
    built = build_label_values(make_values(counts=False), "user", frozenset())
    assert built.table is not None
    assert set(built.table.value) == {"eve", "bob"}
    assert not built.has_samples


def test_without_labels_there_is_no_key() -> None:
    nothing = np.empty(0, dtype=np.int32)
    values = LabelledValues(LabelIndex((), nothing, nothing, 1), np.ones(1, np.int64), None, 1, "")
    built = build_label_values(values, "", frozenset())
    assert (built.keys, built.key, built.table) == ((), "", None)


def test_values_below_zero_are_differences() -> None:
    values = make_values()
    assert not build_label_values(values, "user", frozenset()).is_change
    less = replace(values, weights=-values.weights)
    assert build_label_values(less, "user", frozenset()).is_change
