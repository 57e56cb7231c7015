"""Search and views of a file that has functions and calls but no stacks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stackglass_viewer.app import App

WaitUntil = Callable[[Callable[[], bool]], None]
CPROFILE = Path(__file__).resolve().parents[2] / "corpus" / "cprofile.workload.py3.12.prof"


def test_functions_are_found_in_the_call_graph(app: App, wait_until: WaitUntil) -> None:
    app.force_view("graph")
    app.open_files([str(CPROFILE)])
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: document.top.n_functions > 0)
    search = page.search
    search.set_pattern("^(dump_asts|fib)$")
    wait_until(lambda: search._result.text() == "2 functions")
    search.step_requested.emit(1)
    wait_until(lambda: search._result.text() == "1 of 2")
    assert document.top.name_of(document.selection.function) == "dump_asts"  # the larger total
    search.step_requested.emit(1)
    wait_until(lambda: search._result.text() == "2 of 2")
    assert document.top.name_of(document.selection.function) == "fib"


def test_what_needs_a_flame_graph_beside_the_table_is_the_table(
    app: App, wait_until: WaitUntil
) -> None:
    app.open_files([str(CPROFILE)])
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: page.view == "top" and document.top.n_functions > 0)
    assert not app.window._view.views["both"].isEnabled()
    assert page._rail.button("both").isHidden()
    page.show_view("both")
    assert page.view == "top"
    page.show_view("flame")
    assert page.flame.graph._placeholder[0] == "No flame graph"
    page.show_view("top")
    page.top.function_activated.emit(document.top.function_at(0))  # a double click
    assert page.view == "top"


@pytest.mark.parametrize("view", ["flame", "source", "summary"])
def test_find_leads_to_the_table_where_there_is_no_graph(
    app: App, wait_until: WaitUntil, view: str
) -> None:
    app.open_files([str(CPROFILE)])
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: page.view == "top" and document.top.n_functions > 0)
    page.show_view(view)
    assert page.view == view
    page.focus_search()  # a hidden field would take the keys
    assert page.view == "top"
    focused = page.window().focusWidget()
    assert focused is page.top._filter
    assert focused.isVisible()
