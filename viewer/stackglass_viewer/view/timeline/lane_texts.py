"""Values of the timeline's row of metrics as text."""

from __future__ import annotations

from stackglass_viewer.model.metrics.lanes import NO_LOCK_WAITS, LanePicture, Unit, read_lane
from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.settings.lane_choices import LaneChoice

_SUFFIXES = {"per second": "/s", "percent": "%"}


def format_lane_value(value: float, unit: Unit) -> str:
    """Return a value as text, with its unit unless the lane's name says the unit."""
    if unit == "nanoseconds":
        return format_value(value, "nanoseconds")
    is_whole = value >= 100 or unit == "arenas"
    return f"{value:.{0 if is_whole else 2}f}{_SUFFIXES.get(unit, '')}"


def describe_missing(picture: LanePicture, *, is_attached: bool) -> str:
    """Return what the row has no values of; "" = nothing is missing. Rates can be chosen only while
    the process is attached."""
    if picture.note == NO_LOCK_WAITS and is_attached:
        return f"{picture.note} Choose a Locks rate above."
    if picture.is_empty and not picture.note:
        return "No data yet." if is_attached else "No data was recorded."
    return picture.note


def describe_lane(choice: LaneChoice, picture: LanePicture, time: float) -> str:
    """Return the values of a moment, ``Threads: running 1.00, GIL 0.25``; "" = there are none."""
    values = read_lane(picture, time)
    words = [
        f"{line.caption} {format_lane_value(values[line.key], picture.unit)}"
        for line in choice.lines
        if line.key in values
    ]
    return f"{choice.title}: {', '.join(words)}" if words else ""
