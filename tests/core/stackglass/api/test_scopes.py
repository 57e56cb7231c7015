"""What the file of a profiled block of code has."""

from __future__ import annotations

import io

import pytest

from harness.rates_engine import RatesEngine
from harness.saved_profile import SavedProfile
from stackglass.api import scopes
from stackglass.api.builtin import Take
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.rates import ProgramRates
from stackglass.api.scopes import Scopes
from stackglass.api.temporary_rates import TemporaryRates
from stackglass.wire import count_profile
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.recording import Recording
from stackglass.wire.stack_tables import Frame, StackTables


def build(n: int) -> ProfileTables:
    tables = StackTables()
    node = tables.add([Frame("main", "main")])
    return count_profile.build(tables.build(""), "block", [(node, ())] * n, 0)


@pytest.mark.parametrize(
    ("later_began_ns", "n_in_file"), [(1, 2), (9, 5)], ids=["the same engine", "another engine"]
)
def test_a_block_that_withdraws_the_rates_has_only_its_own(
    monkeypatch: pytest.MonkeyPatch, later_began_ns: int, n_in_file: int
) -> None:
    """A viewer that is attached keeps the engine, and all that it has recorded before."""
    snapshots = [(build(3), 1), (build(5), later_began_ns)]

    def take_next(name: str, take: Take) -> tuple[ProfileTables, int]:
        return snapshots.pop(0)

    monkeypatch.setattr(scopes, "build_recorded", take_next)
    rates = ProgramRates(RatesEngine())
    made = Scopes(CpuProfiler.__new__(CpuProfiler), TemporaryRates(rates), lambda _: Recording(0))
    file = io.BytesIO()
    with made.block_profile(file):
        rates.withdraw()
    assert [row.values for row in SavedProfile(file.getvalue()).rows] == [[n_in_file]]
