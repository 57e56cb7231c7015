"""Rows of a profile as plain values: stacks and labels."""

from __future__ import annotations

from stackglass_viewer.model.profile.profile import Profile


def list_stacks(profile: Profile) -> list[list[str]]:
    """List the stack of each sample as ``name:line``, leaf first."""
    starts, stack = profile.samples.stack_start.tolist(), profile.samples.stack.tolist()
    names = [profile.strings[i] for i in profile.functions.name]
    function, line = profile.locations.line_function, profile.locations.line_number
    return [
        [f"{names[function[place]]}:{line[place]}" for place in stack[starts[i] : starts[i + 1]]]
        for i in range(profile.n_samples)
    ]


def list_labels(profile: Profile) -> list[tuple[int, str, str | int]]:
    """List labels as (sample, key, text or number)."""
    labels, strings = profile.labels, profile.strings
    return [
        (sample, strings[key], number if text < 0 else strings[text])
        for sample, key, text, number in zip(
            labels.sample.tolist(),
            labels.key.tolist(),
            labels.text.tolist(),
            labels.number.tolist(),
            strict=True,
        )
    ]
