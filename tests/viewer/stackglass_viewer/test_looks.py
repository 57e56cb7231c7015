"""Themes, palettes and the order of frames: chosen in the menu, applied to open tabs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.profiles import encode_stacks
from stackglass_viewer.app import App


def test_choices_change_an_open_tab_and_are_kept(app: App, tmp_path: Path, wait_until: Any) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    app.open_files((str(path),))
    wait_until(
        lambda: app.window.page is not None and app.window.page.flame.graph.scene is not None
    )
    graph = app.window.page.flame.graph  # type: ignore[union-attr] # waited for
    seen = [graph.scene]
    for choose, value in ((app.window.palette_chosen, "safe"), (app.window.theme_chosen, "dark")):
        choose.emit(value)
        wait_until(lambda: graph.scene is not seen[-1])
        seen.append(graph.scene)
        before, after = seen[-2:]
        assert before is not None
        assert after is not None
        assert (before.colours != after.colours).any()
    document = next(iter(app.documents.values()))
    assert [app.preferences.choice(key) for key in ("palette", "theme")] == ["safe", "dark"]
    app.window.order_chosen.emit("name")
    assert app.preferences.choice("order") == "name"
    wait_until(lambda: graph.scene is not seen[-1])
    assert document.info is not None
