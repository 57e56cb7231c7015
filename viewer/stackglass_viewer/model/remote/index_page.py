"""Index page of a server's profiles, as Go's net/http/pprof and Stackglass write it.

::

    <tr><td>COUNT</td><td><a href='NAME?debug=1'>NAME</a></td></tr>      one row a profile
    <li><div class=profile-name>NAME: </div> DESCRIPTION</li>            one entry a profile
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from urllib.parse import unquote

from stackglass_viewer.model.errors import RemoteError

_COUNT = re.compile("[0-9]{1,18}")
_NOT_PROFILES = ("cmdline", "symbol", "trace")
CPU, WALL = "profile", "wall"
RECORDED = (CPU, WALL)
"""Profiles that a server records on request, for some seconds."""


@dataclass(frozen=True, slots=True)
class ListedProfile:
    """A profile that a server offers."""

    name: str
    n_stacks: int = 0  # number of entries now; 0 for profiles that are recorded on request
    description: str = ""


class _Page(HTMLParser):
    """Parser that collects the rows and descriptions of profiles."""

    def __init__(self) -> None:
        super().__init__()
        self.profiles: dict[str, ListedProfile] = {}
        self._texts: list[str] = []  # texts of the cell or entry that is open
        self._count = ""
        self._is_in_row = False
        self._named = ""  # the profile of the entry that is open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._is_in_row, self._count = True, ""
        elif tag == "a" and self._is_in_row:
            place = (dict(attrs).get("href") or "").partition("?")[0]
            name = unquote(place)
            is_count = _COUNT.fullmatch(self._count) is not None
            count = int(self._count) if is_count else 0
            if name and "/" not in place and name not in _NOT_PROFILES:
                self.profiles[name] = ListedProfile(name, count)
        elif tag in ("td", "li"):
            self._texts = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._is_in_row = False
        if tag not in ("td", "div", "li"):
            return
        text = " ".join("".join(self._texts).split())
        self._texts = []
        if tag == "td":
            self._count = self._count or text
        elif tag == "div":
            self._named = text.rstrip(": ")
        elif self._named in self.profiles:
            listed = self.profiles[self._named]
            self.profiles[self._named] = replace(listed, description=text)
            self._named = ""

    def handle_data(self, data: str) -> None:
        self._texts.append(data)


def list_profiles(content: bytes) -> tuple[ListedProfile, ...]:
    """Return the profiles of a page, in its order. Raises RemoteError if it lists none."""
    page = _Page()
    page.feed(content.decode(errors="replace"))
    page.close()
    if not page.profiles:
        raise RemoteError("the page lists no profiles", "the usual page ends with /debug/pprof/")
    return tuple(page.profiles.values())
