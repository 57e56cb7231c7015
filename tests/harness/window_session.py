"""Window that is attached to a synthetic engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.synthetic_engine import SyntheticEngine
from stackglass.wire.rates import OFF, Rates
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.settings.rate_presets import USUAL
from stackglass_viewer.view.window.live_controls import LiveControls
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]


def make_target(
    pid: int,
    cpu_hz: int = USUAL.rates.cpu_hz,
    heap_rate: int = USUAL.rates.heap_rate,
    contention: Rates = OFF,
) -> Target:
    """Make the target of an attachment, with the default rates unless others are given."""
    return Target(pid, contention._replace(cpu_hz=cpu_hz, heap_rate=heap_rate))


class WindowSession:
    """A window, its engine, and the tab between them. The engine has sent nothing yet."""

    def __init__(
        self,
        app: App,
        engine: SyntheticEngine,
        monkeypatch: pytest.MonkeyPatch,
        wait_until: WaitUntil,
    ) -> None:
        """Attach, and wait until there is a tab."""
        monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
        self.app = app
        self.engine = engine
        self.document: LiveDocument = app.attach(make_target(engine.pid))
        wait_until(lambda: app.window.page is not None)
        self.page: ProfilePage = next(iter(app.documents))

    @property
    def live(self) -> LiveControls:
        """The controls of the capture, which are made a step after the page."""
        assert self.page.live is not None
        return self.page.live

    @property
    def total(self) -> int:
        scene = self.document.scene
        return scene.total if scene is not None else 0

    @property
    def names(self) -> set[str]:
        """Names of the graph's boxes; empty before there is a graph."""
        scene = self.document.scene
        if scene is None:
            return set()
        return {name_of(scene, int(node)) for node in scene.layout.node}
