"""Go's block and mutex profiles are distinguished by their leaves, and are not added up."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.go_contention import check_contention, find_contention_kind
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import merge_profiles, subtract_profiles
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content, open_profile

CORPUS = Path(__file__).resolve().parents[4] / "corpus"


def make(*leaves: str, first_type: str = "contentions") -> Profile:
    texts = ["", first_type, "count", "delay", "nanoseconds", *leaves]
    message = Message(string_table=texts)
    message.sample_type.add(type=1, unit=2)
    message.sample_type.add(type=3, unit=4)
    for number, _ in enumerate(leaves, 1):
        message.function.add(id=number, name=4 + number)
        message.location.add(id=number).line.add(function_id=number)
        message.sample.add(location_id=[number], value=[1, 5])
    profile = open_content(message.SerializeToString(), "x")
    assert isinstance(profile, Profile)
    return profile


@pytest.mark.parametrize(
    ("leaves", "kind"),
    [
        (("sync.(*Mutex).Unlock", "runtime.unlock2", "sync.(*RWMutex).RUnlock"), "mutex"),
        (("runtime._LostContendedRuntimeLock",), "mutex"),
        (("sync.(*Mutex).Lock", "runtime.selectgo"), "block"),
        (("sync.(*Mutex).Lock", "sync.(*Mutex).Unlock"), ""),
        ((), ""),
    ],
)
def test_all_leaves_have_to_agree(leaves: tuple[str, ...], kind: str) -> None:
    assert find_contention_kind(make(*leaves)) == kind


def test_only_contention_has_a_kind() -> None:
    assert find_contention_kind(make("sync.(*Mutex).Lock", first_type="samples")) == ""


def test_a_block_and_a_mutex_are_neither_added_nor_subtracted() -> None:
    block, mutex = (open_profile(CORPUS / f"go.fetch.{kind}.pb.gz") for kind in ("block", "mutex"))
    assert isinstance(block, Profile)
    assert isinstance(mutex, Profile)
    assert (find_contention_kind(block), find_contention_kind(mutex)) == ("block", "mutex")
    for combine in (merge_profiles, lambda pair: subtract_profiles(*pair)):
        combine([block, block])
        with pytest.raises(ContentError, match="are block and mutex of Go"):
            combine([block, mutex])
    check_contention(mutex, make("a", "x.Unlock"))
