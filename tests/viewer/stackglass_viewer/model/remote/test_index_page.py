"""Lists of profiles, as Go and Stackglass write them."""

from __future__ import annotations

import pytest

from harness.counted_work import count_allocated_bytes
from stackglass.http import index
from stackglass.http.messages import Listed
from stackglass_viewer.model.errors import RemoteError
from stackglass_viewer.model.remote.index_page import ListedProfile, list_profiles

GO = b"""<html><body>/debug/pprof/ <br><table>
<thead><td>Count</td><td>Profile</td></thead>
<tr><td>12</td><td><a href='app.leases%2Fold?debug=1'>app.leases/old</a></td></tr>
<tr><td>0</td><td><a href='cmdline?debug=1'>cmdline</a></td></tr>
<tr><td>9</td><td><a href='heap?debug=1'>heap</a></td></tr>
</table>
<a href="goroutine?debug=2">full goroutine stack dump</a>
<p>Profile Descriptions:<ul>
<li><div class=profile-name>cmdline: </div> The command line</li>
<li><div class=profile-name>heap: </div> A sampling of memory
 allocations of live objects.</li>
</ul></p></body></html>"""


def test_gos_page() -> None:
    assert list_profiles(GO)[-1] == ListedProfile(
        "heap", 9, "A sampling of memory allocations of live objects."
    )
    # The link to the goroutines' stacks is no row, and cmdline no profile.
    assert [each.name for each in list_profiles(GO)] == ["app.leases/old", "heap"]


def test_our_page_and_names_that_are_escaped() -> None:
    profiles = [Listed("heap", "Memory & more", 7), Listed("my <own> a/b", "Mine", 1)]
    found = {each.name: each for each in list_profiles(index.render(profiles).encode())}
    assert found.keys() == {"heap", "my <own> a/b", "profile", "wall"}
    assert found["heap"] == ListedProfile("heap", 7, "Memory & more")
    assert found["my <own> a/b"].description == "Mine"


@pytest.mark.parametrize("count", ["9" * 5000, "9" * 19, "-1", "\u0663", "1.5", ""])
def test_a_count_that_is_no_number_is_zero(count: str) -> None:
    row = f"<tr><td>{count}</td><td><a href='heap?debug=1'>heap</a></td></tr>"
    assert list_profiles(row.encode()) == (ListedProfile("heap", 0),)


def test_the_end_of_a_tag_does_not_go_through_all_texts() -> None:
    n = 2000
    content = GO.replace(b"<p>", b"<p>" + b"text</b>" * n)
    assert count_allocated_bytes(lambda: list_profiles(content)) < 5000 * n


@pytest.mark.parametrize("page", [b"", b"<html>Welcome", b"\xff\xfe\x00", b"{}"])
def test_another_page_lists_nothing(page: bytes) -> None:
    with pytest.raises(RemoteError, match="lists no profiles"):
        list_profiles(page)
