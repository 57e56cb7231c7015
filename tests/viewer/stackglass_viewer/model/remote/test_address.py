"""URLs as people type them."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.errors import RemoteError
from stackglass_viewer.model.remote.address import parse_address


@pytest.mark.parametrize(
    ("text", "url", "profile"),
    [
        ("localhost:6060", "http://localhost:6060/debug/pprof/", ""),
        (" http://h ", "http://h/debug/pprof/", ""),
        ("http://h/debug/pprof", "http://h/debug/pprof/", ""),
        ("http://h:80/debug/pprof/?debug=1", "http://h/debug/pprof/", ""),
        ("h:6060/debug/pprof/heap?gc=1&debug=1", "http://h:6060/debug/pprof/heap?gc=1", "heap"),
        ("https://h/a/debug/pprof/", "https://h/a/debug/pprof/", ""),
        ("https://h:8443/a/debug/pprof/heap", "https://h:8443/a/debug/pprof/heap", "heap"),
        ("http://[::1]:6060/debug/pprof/block", "http://[::1]:6060/debug/pprof/block", "block"),
        ("http://h/debug/pprof/my%20own", "http://h/debug/pprof/my%20own", "my own"),
        ("http://h/files/cpu.pb.gz", "http://h/files/cpu.pb.gz", "cpu.pb.gz"),
        ("http://h/other/", "http://h/other/", ""),
        ("http://\u0436.example/other/", "http://xn--f1a.example/other/", ""),
    ],
)
def test_what_is_typed_is_understood(text: str, url: str, profile: str) -> None:
    address = parse_address(text)
    assert (address.url, address.profile) == (url, profile)
    assert parse_address(address.url) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a URL"),
        ("ftp://h/x", "only http and https"),
        ("http://", "not a URL"),
        ("http://h:port/", "not a URL"),
        ("http://a b/", "not a URL"),
        ("http://me:secret@h/", "user name or password"),
        ("http://h\0/", "not a URL"),
        ("http://h/\udcff", "not a URL"),
        ("http://h\udcff/", "not a URL"),
        ("http://h/heap?a=\udcff", "not a URL"),
        (f"http://{'h' * 70}/", "not a URL"),
        ("http://a..b/", "not a URL"),
    ],
)
def test_what_is_no_url_is_said_in_one_line(text: str, words: str) -> None:
    with pytest.raises(RemoteError, match=words) as caught:
        parse_address(text)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_another_profile_of_the_same_server() -> None:
    address = parse_address("h:6060/debug/pprof/heap?gc=1")
    assert address.index.url == "http://h:6060/debug/pprof/"
    recorded = address.choose("profile", 5)
    assert recorded.url == "http://h:6060/debug/pprof/profile?seconds=5"
    assert (recorded.seconds, address.seconds) == (5, 0)
    assert address.choose("a/b?c").path == "/debug/pprof/a%2Fb%3Fc"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("profile", 30), ("wall", 30), ("profile?seconds=5", 5), ("heap", 0)),
        *(("heap?seconds=2", 2), ("heap?seconds=0002", 2), ("heap?seconds=-2", 0)),
        *((f"heap?seconds={n}", 10**9) for n in (10**9, 10**400, "9" * 5000)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_how_long_a_server_records_before_it_answers(text: str, seconds: int) -> None:
    assert parse_address(f"localhost:6060/debug/pprof/{text}").recorded_s == seconds
