"""Reading of a profile from a server: fetches it with one request, and decodes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.remote.address import Address

if TYPE_CHECKING:  # ``request`` imports http.client and ssl
    from stackglass_viewer.model.remote.request import IsCancelled, Report

_SHARE_OF_FETCHING = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Fetched:
    """A profile as a server sent it."""

    address: Address
    packed: bytes  # the body as it was received; mostly gzip
    content: Profile | FunctionTable


def fetch_profile(address: Address, is_cancelled: IsCancelled, report: Report) -> Fetched:
    """Fetch a profile and decode it. Any thread; blocks. Raises RemoteError, ContentError,
    CancelledError."""
    # Imported here for start-up time.
    from stackglass_viewer.model.readers.opener import open_content
    from stackglass_viewer.model.remote.request import fetch

    packed = fetch(address, is_cancelled, lambda done: report(_SHARE_OF_FETCHING * done))
    name = f"{address.profile} of {address.host_text}"
    content = open_content(
        packed,
        name,
        is_cancelled=is_cancelled,
        report=lambda done: report(_SHARE_OF_FETCHING + (1 - _SHARE_OF_FETCHING) * done),
    )
    return Fetched(address, packed, content)
