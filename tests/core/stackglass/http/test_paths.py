"""Where the endpoints are, under each mount that frameworks and proxies make."""

from __future__ import annotations

import pytest

from stackglass.http.paths import clean, locate

HEAP = "/debug/pprof/heap"


@pytest.mark.parametrize(
    ("mount", "path", "read_as", "place"),
    [
        ("", HEAP, HEAP, "/debug/pprof/"),
        ("", "/other", "/other", "/debug/pprof/"),
        ("", "/admin/debug/pprof/heap", "/admin/debug/pprof/heap", "/debug/pprof/"),
        # WSGI, and ASGI before version 2.5 of its HTTP: the path is what the mount leaves of it.
        ("/debug/pprof", "/heap", HEAP, "/debug/pprof/"),
        ("/debug/pprof", "", "/debug/pprof", "/debug/pprof/"),
        ("/debug", "/pprof/heap", HEAP, "/debug/pprof/"),
        ("/admin", HEAP, HEAP, "/admin/debug/pprof/"),
        ("/admin/prof", "/heap", HEAP, "/admin/prof/"),
        ("/admin/prof", "", "/debug/pprof", "/admin/prof/"),
        # ASGI since then: the whole of it.
        ("/debug/pprof", HEAP, HEAP, "/debug/pprof/"),
        ("/debug", HEAP, HEAP, "/debug/pprof/"),
        ("/admin", "/admin/debug/pprof/heap", HEAP, "/admin/debug/pprof/"),
        ("/admin/prof/", "/admin/prof/heap", HEAP, "/admin/prof/"),
        # A proxy has removed /api, which root_path names.
        ("/api", HEAP, HEAP, "/api/debug/pprof/"),
        ("/api/debug/pprof", HEAP, HEAP, "/api/debug/pprof/"),
        ("/api/admin", "/admin/heap", HEAP, "/api/admin/"),
        # What begins like the mount is not in it.
        ("/admin", "/administration", "/debug/pprof/administration", "/admin/"),
    ],
)
def test_a_path_is_found_under_its_mount(mount: str, path: str, read_as: str, place: str) -> None:
    assert locate(mount, path) == (read_as, place)


def test_paths_are_cleaned_as_by_go() -> None:
    assert clean("//debug//pprof/../pprof/heap") == HEAP
    assert clean("/debug/pprof") == clean("/debug/pprof/") == "/debug/pprof/"
