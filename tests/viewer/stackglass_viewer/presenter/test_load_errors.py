"""Errors of files: all of them, in the order in which the files were named."""

from __future__ import annotations

from stackglass_viewer.presenter.load_errors import LoadErrors
from stackglass_viewer.presenter.loading import LoadFailure

A, B = (
    LoadFailure("/a", "cannot open a: it is empty"),
    LoadFailure("/b", "cannot open b: permission denied"),
)
URL = LoadFailure("http://host/", "host: connection refused")


def test_errors_stand_in_the_order_of_their_files() -> None:
    errors = LoadErrors()
    errors.begin(["/a", "/good", "/b"])
    assert errors.add(B).text == "Cannot open b: permission denied."
    errors.add(URL)
    assert errors.add(A).text.splitlines() == [
        "3 profiles could not be opened.",
        "Cannot open a: it is empty.",
        "Cannot open b: permission denied.",
        "Host: connection refused.",
    ]


def test_errors_of_files_before_are_forgotten() -> None:
    errors = LoadErrors()
    errors.begin(["/a"])
    errors.add(A)
    errors.begin(["/b"])
    assert errors.add(B).text == "Cannot open b: permission denied."
