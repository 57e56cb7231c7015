"""Lanes of threads as pixels: each bar shows how busy a thread was.

A bar is coloured by what the thread did: by states if they are known, else by its function.

Bars of all lanes have the same scale. With states, the full height is all of the time. Without
states, it is the greatest busy share of the lanes in sight, rounded up, so that a program that is
not busy can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.chart.lanes import LaneActivity
from stackglass_viewer.model.chart.stretches import Lane
from stackglass_viewer.model.columns.index import UInt32s, freeze
from stackglass_viewer.model.units import format_share, make_printable
from stackglass_viewer.presenter.document.time_chart_data import ActivityKind, Timed
from stackglass_viewer.presenter.settings.span_choice import Span, describe_moment

UNTIMED = "the times of samples this old were not kept"
_FUNCTION_PX = 3  # width of a bin that has the colour of a function
_FULL = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # possible busy shares of a bar of the full height, or 1


@dataclass(frozen=True, slots=True)
class LanesViewport:
    """The visible lanes, in device pixels."""

    first_lane: int = 0
    n_lanes: int = 0
    width_px: int = 0
    lane_px: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class LanesPicture:
    """Some lanes over a stretch of time."""

    lanes: tuple[Lane, ...]  # all lanes, in the order in which they are shown
    chosen: int  # index of the lane whose calls are shown
    first_lane: int  # index of the first painted lane
    pixels: UInt32s  # (n_painted, lane_px, width_px) 0xAARRGGBB; 0 = nothing
    window: Span  # ns, the visible time
    whole: Span  # ns, all of the time
    activity: LaneActivity  # of the painted lanes
    kinds: tuple[ActivityKind, ...]
    functions: Sequence[str]  # names of functions, by frame
    full: float = 1.0  # the busy share of a bar of the full height
    timed_from_ns: int = 0  # no times of earlier samples are known


def name_lane(lane: Lane) -> str:
    """Return ``MainThread``, or ``worker (server.py)`` if there are several processes."""
    name = f"{lane.name} ({lane.process})" if lane.process else lane.name
    return make_printable(name)


def describe_at(picture: LanesPicture, lane: int, at_ns: float) -> str:
    """Return what a thread did at a moment: ``MainThread at 1.20 s: work, running 80.0%``."""
    row, (begin, end) = lane - picture.first_lane, picture.window
    text = f"{name_lane(picture.lanes[lane])} at {describe_moment(round(at_ns))}"
    share, frame = picture.activity.share, picture.activity.frame
    n_bins = frame.shape[1]
    at = int((at_ns - begin) / (end - begin) * n_bins)
    if at_ns < picture.timed_from_ns:
        return f"{text}: {UNTIMED}"
    if not (0 <= row < len(frame) and 0 <= at < n_bins):
        return text
    parts = []
    if frame[row, at] >= 0:
        parts.append(make_printable(picture.functions[frame[row, at]]))
    for index, kind in enumerate(picture.kinds):
        if share[row, index, at] > 0:
            parts.append(f"{kind.label[1]} {format_share(float(share[row, index, at]))}")
    if not picture.kinds and share[row, -1, at] > 0:
        parts.append(f"busy {format_share(float(share[row, -1, at]))}")
    return f"{text}: {', '.join(parts) or 'nothing'}"


def describe_busy(picture: LanesPicture, lane: int) -> str:
    """Return how busy a thread was in the visible time: ``busy 34.0%``; "" = it is not painted."""
    row = lane - picture.first_lane
    if not 0 <= row < len(picture.activity.share):
        return ""
    return f"busy {format_share(float(picture.activity.share[row].sum(axis=0).mean()))}"


def count_bins(timed: Timed, width_px: int) -> int:
    """Return the number of bins for a width in device pixels. A bin of functions has several
    pixels: bars of one pixel are too thin for a colour to be seen."""
    return width_px if timed.kinds else -(-width_px // _FUNCTION_PX)


def find_full(activity: LaneActivity) -> float:
    """Return the busy share of a bar of the full height: 0.01, 0.02, 0.05, 0.1 … 1."""
    if activity.share.shape[1] > 1:
        return 1.0
    most = float(activity.share.max(initial=0.0)) * (1 - 1e-4)  # 0.1 as float32 is above 0.1
    return next((step for step in _FULL if most <= step), 1.0) if most > 0 else 1.0


def describe_scale(picture: LanesPicture) -> str:
    """Return what the full height of a lane is: ``Full height: 20% busy``; "" = all of the time."""
    return f"Full height: {round(picture.full * 100)}% busy" if picture.full < 1 else ""


def paint_lanes(timed: Timed, activity: LaneActivity, lane_px: int, full: float = 1.0) -> UInt32s:
    """Return (n_lanes, lane_px, n_bins) 0xAARRGGBB: a bar for each bin.

    A bar is as high as the busy share of the bin, in proportion to ``full``. It is a stack of the
    kinds of activity in their colours; without kinds it has the colour of the function.
    """
    n_lanes, n_kinds, n_bins = activity.share.shape
    level = (np.arange(lane_px, dtype=np.float32)[::-1, np.newaxis] + 0.5) / max(lane_px, 1)
    pixels = np.zeros((n_lanes, lane_px, n_bins), dtype=np.uint32)
    for lane in range(n_lanes):
        colours = _colour_bins(timed, activity, lane)
        tops = np.cumsum(activity.share[lane], axis=0) / full
        least = np.where(tops[-1] > 0, level[-1], 0)  # at least one pixel, if the share is not 0
        for kind in reversed(range(n_kinds)):
            top = np.maximum(tops[kind], least) if kind == n_kinds - 1 else tops[kind]
            pixels[lane] = np.where(level <= top, colours[kind], pixels[lane])
        pixels[lane][:, tops[-1] <= 0] = 0
    freeze(pixels)
    return pixels


def _colour_bins(timed: Timed, activity: LaneActivity, lane: int) -> UInt32s:
    """Return (n_kinds, n_bins) 0xAARRGGBB; the last row is for activity without a kind."""
    frames = np.append(timed.colours, np.uint32(timed.root_colour))[activity.frame[lane]]
    colours = np.empty(activity.share.shape[1:], dtype=np.uint32)
    colours[-1] = timed.root_colour if timed.kinds else frames
    for index, kind in enumerate(timed.kinds):
        colours[index] = kind.colour
    return colours
