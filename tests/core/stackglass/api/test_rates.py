"""The program's rates as values."""

from __future__ import annotations

import threading

import pytest

from harness.rates_engine import RatesEngine
from stackglass.api.rates import ProgramRates
from stackglass.errors import EngineError


@pytest.fixture
def engine() -> RatesEngine:
    return RatesEngine()


@pytest.fixture
def rates(engine: RatesEngine) -> ProgramRates:
    return ProgramRates(engine)


def test_setters_return_the_old_rate(rates: ProgramRates, engine: RatesEngine) -> None:
    assert rates.set_block_profile_rate(1000) == 0
    assert rates.set_block_profile_rate(-5) == 1000
    assert rates.block_profile_rate() == 0
    assert engine.asked == [("block", 1000), ("block", 0)]


@pytest.mark.checklist(73)
def test_73_a_negative_fraction_reads(rates: ProgramRates, engine: RatesEngine) -> None:
    assert rates.set_mutex_profile_fraction(-1) == 0
    rates.set_mutex_profile_fraction(7)
    assert rates.set_mutex_profile_fraction(-1) == rates.mutex_profile_fraction() == 7
    assert engine.asked == [("mutex", 7)]


def test_off_needs_no_engine(rates: ProgramRates, engine: RatesEngine) -> None:
    assert rates.set_heap_profile_rate(0) == 0
    rates.withdraw()
    assert engine.asked == []
    assert rates.list_names() == set()
    assert rates.n_withdrawals == 0


def test_a_refused_rate_is_not_set(rates: ProgramRates, engine: RatesEngine) -> None:
    engine.refusal = "the GIL is not where it is expected"
    with pytest.raises(EngineError, match="the gil profile cannot be recorded: the GIL is not"):
        rates.set_gil_profile_rate(100)
    assert rates.gil_profile_rate() == 0


def test_what_is_no_whole_number_changes_nothing(rates: ProgramRates, engine: RatesEngine) -> None:
    rates.set_block_profile_rate(1000)
    with pytest.raises(TypeError, match=r"the rate of block is a whole number, not 1\.5"):
        rates.set_block_profile_rate(1.5)  # type: ignore[arg-type]
    assert rates.block_profile_rate() == 1000
    assert engine.asked == [("block", 1000)]


@pytest.mark.parametrize(
    "name",
    [
        "set_heap_profile_rate",
        "set_block_profile_rate",
        "set_mutex_profile_fraction",
        "set_gil_profile_rate",
        "set_threadcreate_profile_rate",
    ],
)
def test_an_error_says_which_rate_is_no_whole_number(rates: ProgramRates, name: str) -> None:
    with pytest.raises(TypeError, match=r"the (rate|fraction) of \w+ is a whole number, not '100'"):
        getattr(rates, name)("100")


def test_a_rate_beyond_all_limits_is_the_largest(rates: ProgramRates, engine: RatesEngine) -> None:
    """And not 0, which 2 ** 64 is in the engine's 64 bits."""
    for huge in (2**63 - 1, 2**64):
        rates.set_heap_profile_rate(huge)
        rates.set_block_profile_rate(huge)
        rates.set_mutex_profile_fraction(huge)
    assert engine.asked == 2 * [("heap", 1 << 40), ("block", 10**15), ("mutex", 10**9)]


def test_the_gil_is_sampled_a_thousand_times_a_second_at_most(
    rates: ProgramRates, engine: RatesEngine
) -> None:
    rates.set_gil_profile_rate(10**6)
    assert engine.asked == [("gil", 1000)]


def test_withdrawal_forgets_all(rates: ProgramRates, engine: RatesEngine) -> None:
    rates.set_heap_profile_rate(4096)
    rates.withdraw()
    assert (rates.heap_profile_rate(), rates.list_names(), rates.n_withdrawals) == (0, set(), 1)
    assert engine.asked[-1] == "withdraw"


def test_a_child_has_none(
    rates: ProgramRates, engine: RatesEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates.set_heap_profile_rate(4096)
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert rates.heap_profile_rate() == 0
    rates.withdraw()
    assert engine.asked == [("heap", 4096)]


def test_of_two_threads_the_one_that_the_engine_hears_last_decides() -> None:
    class SlowEngine(RatesEngine):
        def set_own_rate(self, name: str, value: int, /) -> None:
            if value == 1:
                other.start()
                other.join(0.5)  # it would be done by then, if it did not have to wait
            super().set_own_rate(name, value)

    engine = SlowEngine()
    rates = ProgramRates(engine)
    other = threading.Thread(target=rates.set, args=("heap", 2))
    rates.set("heap", 1)
    other.join()
    assert engine.asked == [("heap", 1), ("heap", 2)]
    assert rates.read("heap") == 2
