"""Samples of pprof that are encoded many at a time: the bytes that protobuf writes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness.profiles import encode_stacks
from stackglass_viewer.model.profile.profile import Labels, Profile, Samples
from stackglass_viewer.model.proto.profile_pb2 import Label
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers import sample_messages
from stackglass_viewer.model.writers.sample_messages import encode_samples

N_LOCATIONS, N_STRINGS = 50, 20
WIDE = [0, 1, 127, 128, 2**14 - 1, 2**14, 2**35, 2**63 - 1, -1, -(2**63)]


def make_profile(n_samples: int, n_types: int, seed: int) -> Profile:
    """Samples with and without stacks and labels, with numbers of every width."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 5, n_samples)
    stack_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    n_labels = n_samples * 2
    is_text = random.random(n_labels) < 0.5
    numbers = random.choice(np.array(WIDE, dtype=np.int64), n_labels)
    profile = open_content(encode_stacks("main 1"), "file")
    assert isinstance(profile, Profile)
    return replace(
        profile,
        strings=[f"text {each}" for each in range(N_STRINGS)],
        samples=Samples(
            stack_start=stack_start,
            stack=random.integers(0, N_LOCATIONS, int(stack_start[-1]), dtype=np.int32),
            values=random.choice(np.array(WIDE, dtype=np.int64), (n_types, n_samples)),
        ),
        labels=Labels(
            sample=np.sort(random.integers(0, n_samples, n_labels, dtype=np.int32)),
            key=random.integers(0, N_STRINGS, n_labels, dtype=np.int32),
            text=np.where(is_text, random.integers(0, N_STRINGS, n_labels), -1).astype(np.int32),
            number=np.where(is_text, 0, numbers),
            unit=np.where(is_text, 0, random.integers(0, N_STRINGS, n_labels)).astype(np.int32),
        ),
    )


def encode_slowly(profile: Profile, locations: list[int], strings: list[int]) -> bytes:
    message = Message()
    samples, labels = profile.samples, profile.labels
    for number in range(profile.n_samples):
        begin, end = samples.stack_start[number : number + 2].tolist()
        message.sample.add(
            location_id=[locations[each] for each in samples.stack[begin:end]],
            value=samples.values[:, number].tolist(),
        )
    for row, sample in enumerate(labels.sample.tolist()):
        key, text = strings[labels.key[row]], int(labels.text[row])
        label = Label(key=key, num=int(labels.number[row]), num_unit=strings[labels.unit[row]])
        if text >= 0:
            label = Label(key=key, str=strings[text])
        message.sample[sample].label.append(label)
    return message.SerializeToString()


@pytest.mark.parametrize("n_types", [0, 1, 3])
@pytest.mark.parametrize("n_samples", [1, 7, 100])
def test_the_bytes_are_protobuf_s(
    n_samples: int, n_types: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_messages, "_PIECE", 16)
    profile = make_profile(n_samples, n_types, seed=n_samples)
    locations = np.arange(1, N_LOCATIONS + 1, dtype=np.int32) * 700
    strings = np.arange(N_STRINGS, dtype=np.int32) * 40  # string 0 is 0: not written
    pieces = list(encode_samples(profile, locations, strings))
    assert len(pieces) == -(-n_samples // 16)
    assert b"".join(pieces) == encode_slowly(profile, locations.tolist(), strings.tolist())


def test_no_samples_are_no_bytes() -> None:
    profile = make_profile(1, 1, seed=0)
    samples = Samples(
        stack_start=np.zeros(1, dtype=np.int64),
        stack=np.zeros(0, dtype=np.int32),
        values=np.zeros((1, 0), dtype=np.int64),
    )
    locations = np.zeros(N_LOCATIONS, dtype=np.int32)
    assert list(encode_samples(replace(profile, samples=samples), locations, locations)) == []
