"""Fills profiles of its own, on request.

Answers ``profile NAME``, ``add NAME N`` (N values, added by ``open_one``), ``late NAME N`` (by
``open_late``), ``remove NAME N``, ``weak NAME N``, ``drop`` (all weak values), ``lost NAME`` (a
value without a stack), ``churn NAME N`` (N stacks, each with a value that is removed at once),
``flood NAME N`` (N stacks), ``rush NAME N`` (N new stacks, each
without a value at once), ``fork`` (a child uses the profiles), ``rate`` (starts the engine),
``write NAME PATH``; with the number of values.
"""

import itertools
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

from rounds import announce

import stackglass
from stackglass.native import _core

PROFILES = {}
kept = {}
weak = []
instructions = itertools.count()


class Value:
    pass


def open_one(profile, value):
    profile.add(value)


def open_late(profile, value):
    profile.add(
        value,
    )


def open_weak(profile):
    weak.append(Value())
    profile.add(weak[-1], weak=True)


def add(name, n, how):
    for _ in range(n):
        value = Value()
        kept.setdefault(name, []).append(value)
        how(PROFILES[name], value)


def remove(name, n):
    for _ in range(n):
        PROFILES[name].remove(kept[name].pop())


def churn(name, n):
    """Add and remove values from functions that are freed with their value."""
    for i in range(n):
        scope = {"profile": PROFILES[name]}
        exec(compile(f"def f_{i}(): profile.add({i})\nf_{i}()", "<churn>", "exec"), scope)
        PROFILES[name].remove(i)


def flood(name, n):
    """Add values at as many distinct stacks."""
    number = _core.custom_profile(name)
    code = flood.__code__
    return sum(_core.count_stack(number, (code, i, 0, "")) == -1 for i in range(n))


def rush(name, n):
    number = _core.custom_profile(name)
    code = rush.__code__
    n_lost = 0
    for i in itertools.islice(instructions, n):
        slot = _core.count_stack(number, (code, i, 0, ""))
        n_lost += slot == -1
        _core.uncount_stack(slot)
    return n_lost


def fork(name):
    child = os.fork()
    if not child:
        add(name, 2, open_one)
        remove(name, 2)
        os._exit(PROFILES[name].count() % 256)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def answer(word, name="", n="0", *_):
    n_lost = 0
    if word == "profile":
        PROFILES[name] = stackglass.Profile(name)
    elif word in ("add", "late"):
        add(name, int(n), open_one if word == "add" else open_late)
    elif word == "remove":
        remove(name, int(n))
    elif word == "weak":
        for _ in range(int(n)):
            open_weak(PROFILES[name])
    elif word == "drop":
        weak.clear()
    elif word == "lost":
        PROFILES[name].add(Value, 1000)
    elif word == "churn":
        churn(name, int(n))
    elif word == "flood":
        n_lost = flood(name, int(n))
    elif word == "rush":
        n_lost = rush(name, int(n))
    elif word == "fork":
        n_lost = fork(name)
    elif word == "rate":
        stackglass.set_block_profile_rate(10_000)
    elif word == "write":
        PROFILES[name].write_to(n)
    announce(n={each: profile.count() for each, profile in PROFILES.items()}, answer=n_lost)


announce(ready="own_counts", pid=os.getpid())
for line in sys.stdin:
    answer(*line.split())
announce(result="", rounds=0, wrong=0)
