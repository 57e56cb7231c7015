"""Names of libraries and functions, as people know them."""

from __future__ import annotations

import pytest

from stackglass.symbols.demangler import demangle, simplify
from stackglass.symbols.names import clean_symbol, name_library


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/lib/x86_64-linux-gnu/libz.so.1.2.13", "libz"),
        ("/lib/x86_64-linux-gnu/libc-2.31.so", "libc-2.31"),
        ("/x/lxml/etree.cpython-39-x86_64-linux-gnu.so", "etree"),
        ("/x/cryptography/_rust.abi3.so", "_rust"),
        ("/x/_speedups.so", "_speedups"),
        ("/x/numpy.libs/libscipy_openblas64_-32a4b2a6.so", "libscipy_openblas64_"),
        ("/usr/bin/python3.11", "python3.11"),
        (".so", ".so"),
    ],
)
def test_libraries(path: str, name: str) -> None:
    assert name_library(path) == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("inflate_fast.cold", "inflate_fast"),
        ("sort.isra.0.cold", "sort"),
        ("lookup.constprop.12", "lookup"),
        ("EVP_sha256@@OPENSSL_3.0.0", "EVP_sha256"),
        ("a.b", "a.b"),
    ],
)
def test_parts_of_a_function_have_its_name(symbol: str, name: str) -> None:
    assert clean_symbol(symbol) == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"),
        ("_ZN12_GLOBAL__N_13fooEv", "(anonymous)::foo"),
        ("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place"),
        (
            "_ZN91_$LT$core..slice..iter..Iter$LT$T$GT$$u20$as$u20$core..iter..traits..iterator"
            "..Iterator$GT$4next17h0123456789abcdefE",
            "<core::slice::iter::Iter<T> as core::iter::traits::iterator::Iterator>::next",
        ),
        (
            "_ZN4work7recover28_$u7b$$u7b$closure$u7d$$u7d$17h00d830e342b0f1d2E",
            "work::recover::{{closure}}",
        ),
        ("_ZN1a16$u7$b.$uffff$$X$17h0123456789abcdefE", "a::$u7$b.$uffff$$X$"),
        ("_Znonsense", "_Znonsense"),
        ("_Z" + "N" * 5000, "_Z" + "N" * 5000),
        ("plain", "plain"),
    ],
)
def test_cpp_and_rust(symbol: str, name: str) -> None:
    assert demangle(symbol) == name


def test_types_are_left_out() -> None:
    assert simplify("unsigned long sort_n<wide<double>, 8>(double*, unsigned long)") == "sort_n"
    assert simplify("f(int)::{lambda()#1}::operator()() const").startswith("f(int)")
    assert simplify("") == ""


def test_the_engine_has_its_own_name() -> None:
    """What it costs in a program's allocators is no library of the program's."""
    assert name_library("/x/stackglass/native/_core.abi3.so") == "stackglass"
    assert name_library("/x/other/native/_core.abi3.so") == "_core"
