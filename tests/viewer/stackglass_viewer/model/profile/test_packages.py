"""Packages of functions."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.profile.packages import package_of, package_or_library


@pytest.mark.parametrize(
    ("name", "file", "want"),
    [
        ("http.client.get", "", "http"),
        ("github.com/me/app/db.(*Conn).Query", "", "github.com/me/app/db"),
        ("net/http.Get", "", "net/http"),
        ("decode", "/usr/lib/json/decoder.py", "/usr/lib/json"),
        ("main", "", ""),
    ],
)
def test_packages(name: str, file: str, want: str) -> None:
    assert package_of(name, file) == want


def test_a_library_is_the_package_of_machine_code() -> None:
    assert package_or_library("libz: inflate_fast", "/usr/lib/libz.so.1") == "libz"
    assert package_or_library("http.client.get", "") == "http"
