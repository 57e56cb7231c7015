"""Names in symbols of Cython's; the symbols are those of its version 3.3."""

from __future__ import annotations

import pytest

from stackglass.symbols.cython_names import read_cython_name


@pytest.mark.parametrize(
    ("symbol", "method", "name"),
    [
        ("__pyx_pw_5hello_3say_hello", "say_hello", "say_hello"),  # 3 is a number, no length
        ("__pyx_pw_5hello_3say_hello", "", "say_hello"),
        ("__pyx_pw_5hello_3Foo_3bar", "bar", "Foo.bar"),
        ("__pyx_pw_5hello_3Foo_3bar", "", "Foo.bar"),
        ("__pyx_pw_5hello_3Foo_1__init__", "__init__", "Foo.__init__"),
        ("__pyx_pw_5hello_3Foo_3bar_1inner", "inner", "Foo.bar.inner"),
        ("__pyx_f_5hello_3Foo__low", "", "Foo._low"),
        ("__pyx_fuse_1__pyx_pw_5hello_5Plain_8m_", "m_", "Plain.m_"),
        ("__pyx_fuse_0__pyx_pw_5hello_11diff", "diff", "diff"),
        ("__pyx_gb_5hello_5Plain_4generator", "", "Plain.generator"),
        ("__pyx_f_7package_5hello_twice", "", "twice"),
        ("__pyx_f_7package_5other_twice", "", "package.other.twice"),
        ("__pyx_tp_new_5hello_Foo", "", ""),
        ("__pyx_pw_", "", ""),
        ("__pyx_pw_9hello_x", "", ""),
        ("__Pyx_PyObject_Call", "", ""),
        ("work", "", ""),
    ],
)
def test_module_class_and_function(symbol: str, method: str, name: str) -> None:
    assert read_cython_name(symbol, "hello", method) == name
