"""A label that every sample gets."""

from __future__ import annotations

from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.profile.added_label import add_label
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content


def test_it_stands_before_the_labels_that_a_sample_has() -> None:
    content = encode_stacks("main;load 30\nmain;save 40")
    profile = open_content(encode_labels(content, [{}, {"route": "/a"}]), "test")
    assert isinstance(profile, Profile)
    labelled = add_label(profile, "process", "server.py 7")
    labels, strings = labelled.labels, labelled.strings
    assert labels.sample.tolist() == [0, 1, 1]
    assert [strings[key] for key in labels.key.tolist()] == ["process", "process", "route"]
    assert [strings[text] for text in labels.text.tolist()] == ["server.py 7", "server.py 7", "/a"]
    assert not labels.key.flags.writeable
    assert profile.labels.sample.tolist() == [1], "the one that was given stays as it is"
