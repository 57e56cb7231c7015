"""Each rule of ``/debug/pprof/``, without a server."""

from __future__ import annotations

import gzip
import threading

import pytest

from harness.saved_profile import SavedProfile
from stackglass.errors import EngineError
from stackglass.http.endpoints import respond
from stackglass.http.messages import Built, Listed, Request, Response, Wait
from stackglass.wire import count_profile
from stackglass.wire.stack_tables import Frame, StackTables


class FakeSource:
    """Two profiles: one with a difference, one without."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.n_stacks = 1
        self.problem = ""
        self.engine_began_ns = 1
        self.lock = threading.Lock()

    def list_profiles(self) -> list[Listed]:
        return [Listed("heap", "Memory <in use>", 3), Listed('odd"na me\n', "", 1)]

    def has_profile(self, name: str) -> bool:
        return name in ("heap", 'odd"na me\n')

    def has_delta(self, name: str) -> bool:
        return name == "heap"

    def encode(self, name: str, debug: int, wants_gc: bool) -> bytes:
        if self.problem:
            raise EngineError(self.problem)
        self.asked.append((name, debug, wants_gc))
        return b"content"

    def build(self, name: str) -> Built:
        tables = StackTables()
        node = tables.add([Frame("main", "main")])
        with self.lock:
            n = self.n_stacks
        built = count_profile.build(tables.build(""), name, [(node, ())] * n, 10**9 * n)
        return Built(built, self.engine_began_ns)

    def record_cpu(self, seconds: int, wait: Wait) -> bytes:
        if self.problem:
            raise EngineError(self.problem)
        self.asked.append(seconds)
        wait(seconds)
        return b"cpu"

    def record_wall(self, seconds: int, wait: Wait) -> bytes:
        self.asked.append(f"wall {seconds}")
        return self.record_cpu(seconds, wait)

    def list_arguments(self) -> list[str]:
        return ["app.py", "--loud"]


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


def get(
    source: FakeSource, rest: str, host: str = "127.0.0.1:6060", method: str = "GET"
) -> Response:
    path, _, query = f"/debug/pprof/{rest}".partition("?")
    return respond(Request(method, path, query, host), source, lambda seconds: True)


@pytest.mark.checklist(107)
def test_107_the_index_lists_profiles_and_what_is_beside_them(source: FakeSource) -> None:
    response = get(source, "")
    page = response.body.decode()
    assert (response.status, response.find("Content-Type")) == (200, "text/html; charset=utf-8")
    assert "<tr><td>3</td><td><a href='heap?debug=1'>heap</a></td></tr>" in page
    names = [line.split("?debug")[0] for line in page.split("href='")[1:]]
    assert names == sorted(names)
    assert {"cmdline", "profile", "symbol", "trace", "wall", "heap"} <= set(names)
    assert "goroutine?debug=2" in page
    assert "Memory &lt;in use&gt;" in page
    assert "odd%22na%20me%0A?debug=1" in page


@pytest.mark.checklist(108)
@pytest.mark.parametrize(
    ("query", "asked", "kind"),
    [
        ("", ("heap", 0, False), "application/octet-stream"),
        ("?debug=1", ("heap", 1, False), "text/plain; charset=utf-8"),
        ("?debug=2&gc=1", ("heap", 2, True), "text/plain; charset=utf-8"),
        ("?debug=-1", ("heap", 1, False), "text/plain; charset=utf-8"),
        ("?debug=x&gc=-1", ("heap", 0, False), "application/octet-stream"),
        ("?gc=99999999999999999999", ("heap", 0, True), "application/octet-stream"),
        ("?gc=" + "9" * 5000, ("heap", 0, True), "application/octet-stream"),
    ],
)
def test_108_a_profile_by_its_name(
    source: FakeSource, query: str, asked: tuple[object, ...], kind: str
) -> None:
    response = get(source, f"heap{query}")
    assert source.asked == [asked]
    assert (response.status, response.find("Content-Type")) == (200, kind)
    is_file = kind.startswith("application")
    assert response.find("Content-Disposition") == (
        'attachment; filename="heap"' if is_file else ""
    )


@pytest.mark.checklist(109)
@pytest.mark.parametrize(
    ("query", "seconds"),
    [("", 30), ("?seconds=2", 2), ("?seconds=0.5", 30), ("?seconds=0", 30), ("?seconds=-1", 30)],
)
def test_109_the_cpu_profile_lasts_as_long_as_asked(
    source: FakeSource, query: str, seconds: int
) -> None:
    response = get(source, f"profile{query}")
    assert source.asked == [seconds]
    assert response.find("Content-Disposition") == 'attachment; filename="profile"'


def test_a_wall_profile_is_recorded_as_a_cpu_profile_is(source: FakeSource) -> None:
    response = get(source, "wall?seconds=2")
    assert source.asked == ["wall 2", 2]
    assert response.find("Content-Disposition") == 'attachment; filename="wall"'
    source.problem = "it runs already"
    failed = get(source, "wall")
    assert (failed.status, failed.body) == (
        500,
        b"Could not enable wall profiling: it runs already\n",
    )


@pytest.mark.checklist(109, 114)
def test_114_a_cpu_profile_that_cannot_be_had_is_an_error_of_the_server(source: FakeSource) -> None:
    source.problem = "it runs already"
    response = get(source, "profile?seconds=1")
    assert response.status == 500
    assert response.body == b"Could not enable CPU profiling: it runs already\n"
    assert (response.find("X-Go-Pprof"), response.find("Content-Disposition")) == ("1", "")


@pytest.mark.checklist(110)
def test_110_there_is_no_trace_and_it_says_so(source: FakeSource) -> None:
    response = get(source, "trace?seconds=1")
    assert (response.status, response.find("X-Go-Pprof")) == (501, "1")
    assert b"no execution trace" in response.body


@pytest.mark.checklist(111)
def test_111_the_command_line_is_joined_by_nul(source: FakeSource) -> None:
    response = get(source, "cmdline")
    assert (response.status, response.body) == (200, b"app.py\0--loud")
    assert response.find("Content-Type") == "text/plain; charset=utf-8"


@pytest.mark.checklist(112)
def test_112_no_symbols_are_known(source: FakeSource) -> None:
    assert get(source, "symbol?0x1234+0x5678").body == b"num_symbols: 0\n"


@pytest.mark.checklist(113)
def test_113_a_difference_has_what_came_meanwhile(source: FakeSource) -> None:
    def wait(seconds: float) -> bool:
        source.n_stacks += 4
        return True

    request = Request("GET", "/debug/pprof/heap", "seconds=2", "localhost")
    response = respond(request, source, wait)
    saved = SavedProfile(response.body)
    assert response.find("Content-Disposition") == 'attachment; filename="heap-delta"'
    assert [row.values for row in saved.rows] == [[4]]
    assert saved.message.duration_nanos == 4 * 10**9
    assert saved.message.time_nanos == 5 * 10**9


def test_a_difference_to_data_of_an_engine_that_has_left_is_not_below_zero(
    source: FakeSource,
) -> None:
    """A profile of a block of code ends while it waits, and with it the engine and its data."""

    def end_engine(_seconds: float) -> bool:
        source.n_stacks, source.engine_began_ns = 2, 9
        return True

    source.n_stacks = 5
    request = Request("GET", "/debug/pprof/heap", "seconds=2", "localhost")
    response = respond(request, source, end_engine)
    assert [row.values for row in SavedProfile(response.body).rows] == [[2]]


@pytest.mark.checklist(113)
def test_113_an_empty_difference_has_its_types(source: FakeSource) -> None:
    content = gzip.decompress(get(source, "heap?seconds=1").body)
    saved = SavedProfile(gzip.compress(content))
    assert (saved.rows, saved.sample_types) == ([], ["heap/count"])
    assert saved.message.HasField("period_type")


@pytest.mark.checklist(113)
def test_113_differences_at_the_same_time_are_independent(source: FakeSource) -> None:
    """Each has its own beginning: the later one does not see what the earlier one does."""
    bodies: dict[str, bytes] = {}

    def run(name: str, wait: Wait) -> None:
        request = Request("GET", "/debug/pprof/heap", "seconds=1", "localhost")
        bodies[name] = respond(request, source, wait).body

    def wait_long(seconds: float) -> bool:
        source.n_stacks += 1
        run("inner", wait_short)
        return True

    def wait_short(seconds: float) -> bool:
        source.n_stacks += 2
        return True

    run("outer", wait_long)
    counts = {name: SavedProfile(body).rows[0].values[0] for name, body in bodies.items()}
    assert counts == {"inner": 2, "outer": 3}


@pytest.mark.checklist(113)
@pytest.mark.parametrize(
    ("rest", "text"),
    [
        ("heap?seconds=x", b'invalid value for "seconds" - must be a positive integer\n'),
        ("heap?seconds=0", b'invalid value for "seconds" - must be a positive integer\n'),
        (
            "heap?seconds=" + "9" * 5000,
            b'invalid value for "seconds" - must be a positive integer\n',
        ),
        ("heap?seconds=1_0", b'invalid value for "seconds" - must be a positive integer\n'),
        ("heap?seconds=1&debug=1", b"seconds and debug params are incompatible\n"),
        (
            "odd%22na me%0A?seconds=1",
            b'"seconds" parameter is not supported for this profile type\n',
        ),
    ],
)
def test_113_a_difference_that_makes_no_sense_is_a_bad_request(
    source: FakeSource, rest: str, text: bytes
) -> None:
    rest = rest.replace("%22", '"').replace("%0A", "\n")
    response = get(source, rest)
    assert (response.status, response.body, response.find("X-Go-Pprof")) == (400, text, "1")
    assert response.find("Content-Disposition") == ""


@pytest.mark.checklist(113)
def test_113_a_client_that_leaves_gets_no_difference(source: FakeSource) -> None:
    request = Request("GET", "/debug/pprof/heap", "seconds=9", "localhost")
    response = respond(request, source, lambda seconds: False)
    assert (response.status, response.body) == (500, b"context canceled\n")


@pytest.mark.checklist(114)
def test_114_an_unknown_profile_is_not_found(source: FakeSource) -> None:
    response = get(source, "nothing")
    assert (response.status, response.body) == (404, b"Unknown profile\n")
    assert response.find("X-Go-Pprof") == "1"
    assert get(source, "nothing?seconds=1").status == 404


@pytest.mark.checklist(114)
def test_114_a_snapshot_that_fails_is_an_error_of_the_server(source: FakeSource) -> None:
    source.problem = "the engine\nhas left"
    response = get(source, "heap")
    assert (response.status, response.find("X-Go-Pprof")) == (500, "1")
    assert response.body == b"failed to collect profile: the engine has left\n"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_get_and_head_are_answered(source: FakeSource, method: str) -> None:
    response = get(source, "heap", method=method)
    assert (response.status, response.find("Allow")) == (405, "GET, HEAD")
    assert source.asked == []


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:6060", 200),
        ("localhost:6060", 200),
        ("LOCALHOST", 200),
        ("[::1]:6060", 200),
        ("10.0.0.7", 200),
        ("service.example:6060", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("", 400),
    ],
)
def test_only_hosts_that_cannot_be_rebound_are_served(
    source: FakeSource, host: str, status: int
) -> None:
    request = Request("GET", "/debug/pprof/heap", "", host)
    response = respond(request, source, lambda seconds: True, ("service.example",))
    assert response.status == status
    assert bool(source.asked) == (status == 200)


def test_no_answer_allows_other_origins_and_each_forbids_guessing(source: FakeSource) -> None:
    for rest in ("", "heap", "heap?debug=1", "nothing", "cmdline", "symbol", "trace", "profile"):
        response = get(source, rest)
        assert not [name for name, _ in response.headers if name.startswith("Access-Control")]
        assert response.find("X-Content-Type-Options") == "nosniff"


def test_a_name_cannot_break_out_of_its_header(source: FakeSource) -> None:
    response = get(source, 'odd"na me\n')
    assert response.find("Content-Disposition") == 'attachment; filename="odd_na me_"'


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/debug/pprof", "/debug/pprof/"),
        ("/debug//pprof/heap", "/debug/pprof/heap"),
        ("/debug/pprof/../pprof/a b", "/debug/pprof/a%20b"),
        ("/x/../debug/pprof/./", "/debug/pprof/"),
    ],
)
def test_paths_are_cleaned_by_a_redirection(path: str, place: str) -> None:
    answer = respond(Request("GET", path, "", "localhost"), FakeSource(), lambda _: True)
    assert (answer.status, answer.find("Location")) == (307, place)
    plain = respond(Request("GET", "/a/../b", "", "localhost"), FakeSource(), bool)
    assert plain.status == 404


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [("/debug/pprof", 405, "text/plain; charset=utf-8"), ("/debug//pprof/heap", 307, "")],
)
def test_a_refused_method_is_led_nowhere_but_to_a_clean_path(
    path: str, status: int, kind: str
) -> None:
    """As by Go: the slash at the end is added for GET and HEAD alone, and only they have a page."""
    answer = respond(Request("POST", path, "", "localhost"), FakeSource(), lambda _: True)
    assert (answer.status, answer.find("Content-Type")) == (status, kind)
