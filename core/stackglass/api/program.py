"""What ``import stackglass`` offers, wired to the engine in this process."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from typing import Callable

from stackglass.api import flight_recorder as _flight
from stackglass.api import labels as _labels
from stackglass.api import profile as _registry
from stackglass.api import regions as _regions
from stackglass.api.builtin import RunningProfile, SnapshotProfile
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.endpoints import Endpoints
from stackglass.api.own_engine import take_snapshot
from stackglass.api.rates import ProgramRates
from stackglass.api.requested_profiles import RequestedProfiles, read_request
from stackglass.api.scopes import Scopes
from stackglass.api.stack_depth import StackDepth
from stackglass.api.temporary_rates import TemporaryRates
from stackglass.native import _core
from stackglass.wire.recorded_profiles import DESCRIPTIONS
from stackglass.wire.recording import Recording


def _take(profile: str) -> Recording:
    return take_snapshot(_core, profile)


_cpu = CpuProfiler(_core)
_rates = ProgramRates(_core)
_temporary = TemporaryRates(_rates)
_scopes = Scopes(_cpu, _temporary, _take)
_endpoints = Endpoints(_cpu)
for _name in DESCRIPTIONS:
    SnapshotProfile(_name, _take, _rates.read)
RunningProfile("cpu", lambda: _cpu.build_so_far(is_wall=False))
RunningProfile("wall", lambda: _cpu.build_so_far(is_wall=True))
os.register_at_fork(after_in_child=_cpu.reset_after_fork)
os.register_at_fork(after_in_child=_temporary.reset_after_fork)
os.register_at_fork(after_in_child=_flight.reset_after_fork)

Profile = _registry.Profile
lookup = _registry.lookup
profiles = _registry.profiles

start_cpu_profile = _cpu.start
stop_cpu_profile = _cpu.stop
cpu_profile_rate = _cpu.read_rate
set_cpu_profile_rate = _cpu.set_rate

heap_profile_rate = _rates.heap_profile_rate
set_heap_profile_rate = _rates.set_heap_profile_rate
block_profile_rate = _rates.block_profile_rate
set_block_profile_rate = _rates.set_block_profile_rate
mutex_profile_fraction = _rates.mutex_profile_fraction
set_mutex_profile_fraction = _rates.set_mutex_profile_fraction
gil_profile_rate = _rates.gil_profile_rate
set_gil_profile_rate = _rates.set_gil_profile_rate
threadcreate_profile_rate = _rates.threadcreate_profile_rate
set_threadcreate_profile_rate = _rates.set_threadcreate_profile_rate
set_stack_depth = StackDepth(_core, _rates).set_stack_depth
withdraw_profile_rates = _rates.withdraw

cpu_profile = _scopes.cpu_profile
heap_profile = _scopes.heap_profile
allocs_profile = _scopes.allocs_profile
block_profile = _scopes.block_profile
mutex_profile = _scopes.mutex_profile
gil_profile = _scopes.gil_profile
threadcreate_profile = _scopes.threadcreate_profile
wall_profile = _scopes.wall_profile

FlightRecorder = _flight.FlightRecorder

region = _regions.Region

labels = _labels.Labels
current_labels = _labels.current_labels
set_labels = _labels.set_labels
do = _labels.do

serve = _endpoints.serve
wsgi_app = _endpoints.wsgi_app
asgi_app = _endpoints.asgi_app


def find_cpu_profiler() -> CpuProfiler:
    """Return the program's CPU profiler, for code that needs profiles as tables."""
    return _cpu


def find_rates() -> ProgramRates:
    """Return the program's own rates."""
    return _rates


def find_temporary_rates() -> TemporaryRates:
    """Return the program's rates for blocks of code."""
    return _temporary


def begin_requested_profiles(environment: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Begin the profiles that these variables request; their files are written when the program
    exits.

    ``say`` is called with a sentence for each problem. Raises UsageError.
    """
    request = read_request(environment)
    if request is None:
        return
    requested = RequestedProfiles(request, _cpu, _rates, _take, say)
    requested.begin()
    atexit.register(requested.finish)
