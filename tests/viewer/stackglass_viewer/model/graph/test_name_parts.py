"""Where a shorter name may begin."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.graph.name_parts import drop_module, find_start, list_starts


def list_shorter(name: str) -> list[str]:
    return [name[start:] for start in list_starts(name)]


def test_packages_go_first_then_classes() -> None:
    assert list_shorter("http.client.HTTPConnection.request") == [
        "client.HTTPConnection.request",
        "HTTPConnection.request",
        "request",
    ]
    assert list_shorter("encoding/json.(*decodeState).object") == [
        "json.(*decodeState).object",
        "object",
    ]
    assert list_shorter("<native>") == []


@pytest.mark.parametrize(
    ("name", "file", "short"),
    [
        ("http.client.HTTPConnection.request", "http/client.py", "HTTPConnection.request"),
        ("numpy._core.fromnumeric.sort", "numpy/_core/fromnumeric.py", "sort"),
        ("__main__.Shop.price", "/srv/shop.py", "Shop.price"),
        ("__main__.price.<locals>.<genexpr>", "/srv/shop.py", "price.<locals>.<genexpr>"),
        ("github.com/me/app/db.(*Conn).Query", "", "(*Conn).Query"),
        ("libz: inflate_fast", "", "libz: inflate_fast"),
        ("<native>", "", "<native>"),
        ("main", "main.c", "main"),
        ("", "", ""),
    ],
)
def test_a_short_name_has_class_and_function(name: str, file: str, short: str) -> None:
    assert drop_module(name, file) == short


@pytest.mark.parametrize(
    ("n_chars", "shown"), [(15, "http.client.get"), (14, "client.get"), (2, "get")]
)
def test_the_longest_name_that_fits_is_chosen(n_chars: int, shown: str) -> None:
    """The shortest where none fits."""
    assert "http.client.get"[find_start("http.client.get", n_chars) :] == shown
