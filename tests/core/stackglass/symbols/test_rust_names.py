"""Rust names: those that rustc has made, and any others."""

from __future__ import annotations

import random

import pytest

from stackglass.symbols.demangler import demangle
from stackglass.symbols.rust_names import demangle_rust

NAMES = {
    "_RNvNtCs1234_7mycrate3foo3bar": "mycrate::foo::bar",
    "_RNvC6_123foo3bar": "123foo::bar",
    "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y": (
        "utf8_idents::საჭმელად_გემრიელი_სადილი"
    ),
    "_RINvCs4Q2Qx8jI5j6_1a3anyINtNtNtNtCsjrHSEGnQ3l9_3std11collections4hash3map7HashMapNtNtCslNYArtu"
    "3iFV_5alloc6string6StringINtNtB1l_3vec3VecTmReEEEEB2_": "a::any",
    "_RINvMNtCsgEmfK2I1SDS_4core3stre18trim_start_matchesReECsgY6Mt91CT9J_14rustc_demangle": (
        "<str>::trim_start_matches"
    ),
    "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRFKCmEmNtB6_5Debug3fmtCs4Q2Qx8jI5j6_1a": (
        "<&fn as core::fmt::Debug>::fmt"
    ),
    "_RNvXs_C7mycrateNtB4_3FooNtNtC4core5clone5Clone5clone": (
        "<mycrate::Foo as core::clone::Clone>::clone"
    ),
    "_RNCNvC7mycrate3foo0B3_": "mycrate::foo::{closure#0}",
    "_RNCNvC7mycrate3foos_0.llvm.1234": "mycrate::foo::{closure#1}",
    "_RNvMC1aAhj4_3len": "<[u8]>::len",
    "_RNvMC1aTmReE3len": "<(u32, &str)>::len",
    "_RNvMC1aDNtB2_5ShapeEL_3len": "<dyn a::Shape>::len",
}


@pytest.mark.parametrize("symbol", NAMES)
def test_paths_without_the_types_of_generic_code(symbol: str) -> None:
    assert demangle_rust(symbol) == NAMES[symbol]
    assert demangle(symbol) == NAMES[symbol]


@pytest.mark.parametrize(
    "symbol",
    [
        "main",
        "_R",
        "_RNv",
        "_RC99a",
        "_RB_",  # refers to itself
        "_RNvB_1a",
        "_RMCu",
        "_R" + "Nv" * 200 + "C1a" + "1b" * 200,  # too deep
        "_RC5größe",
    ],
)
def test_other_names_stay_as_they_are(symbol: str) -> None:
    assert demangle_rust(symbol) == ""
    assert demangle(symbol) == symbol


def test_references_that_double_at_each_step_end() -> None:
    """A name of 400 characters that stands for 2 to the power of 40 types."""
    inner = "C1a"
    for _ in range(40):
        place = len("INvC1a1b") + len("T" * 40)
        inner = f"T{inner}B{place:x}_E"
    assert isinstance(demangle_rust(f"_RINvC1a1b{inner}E"), str)


def test_damaged_names_end() -> None:
    numbers = random.Random(9)
    signs = "".join(sorted(set("".join(NAMES)) - {"."}))
    for symbol in NAMES:
        for _ in range(500):
            at = numbers.randrange(2, len(symbol))
            damaged = symbol[:at] + numbers.choice(signs) + symbol[at + numbers.randint(0, 2) :]
            assert isinstance(demangle_rust(damaged), str)
