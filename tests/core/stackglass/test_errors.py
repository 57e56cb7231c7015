"""An error is one line that says what failed, why, and what helps."""

from __future__ import annotations

import pickle

import pytest

from stackglass import errors


def test_an_error_is_one_line() -> None:
    error = errors.AttachError("cannot attach to 7:\n  not yours", "run it\nwith sudo")
    assert str(error) == "cannot attach to 7: not yours: run it with sudo"
    assert str(errors.WireError("cut short")) == "cut short"


def test_an_error_crosses_processes_whole() -> None:
    error = pickle.loads(pickle.dumps(errors.AttachError("what", "help")))
    assert (error.message, error.remedy) == ("what", "help")


@pytest.mark.parametrize(
    "kind", [value for value in vars(errors).values() if isinstance(value, type)]
)
def test_there_is_one_tree_and_its_drawing_shows_all_of_it(kind: type) -> None:
    assert issubclass(kind, errors.StackglassError)
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__
