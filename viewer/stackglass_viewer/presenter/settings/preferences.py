"""Preferences: the user's choices, kept from one run to the next."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings

from stackglass.wire.rates import MOST, OFF, Rates, replace_contention
from stackglass_viewer.presenter.settings.editors import EDITORS
from stackglass_viewer.presenter.settings.native_level import NATIVE_LEVELS
from stackglass_viewer.presenter.settings.rate_presets import USUAL
from stackglass_viewer.presenter.settings.view_state import (
    HEAP_RATES,
    RATES_HZ,
    SPANS_NS,
    USUAL_CONTENTION,
    WALL_RATES_HZ,
)

_DEFAULT_RATE_HZ, _DEFAULT_HEAP_RATE = USUAL.rates.cpu_hz, USUAL.rates.heap_rate
_AT_CONTENTION = 2  # index of the first contention field of Rates; CPU and heap come before it
_AFTER_CONTENTION = Rates._fields.index("wall_hz")
_N_FIRST_RATES = 3  # contention rates that the oldest version stored
REMEMBERED_VIEWS = (
    *("flame", "both", "top", "sandwich", "graph", "time", "heap", "contention", "labels"),
    *("source", "summary", "tree", "traces"),
)
"""Names of the views that a new tab may begin with; the first one is the default."""
_CHOICES = {
    "theme": ("system", "dark", "light", "contrast-dark", "contrast-light"),
    "palette": ("module", "safe"),
    "hue": ("package", "module", "file"),
    "native": NATIVE_LEVELS,
    "order": ("cost", "name", "time"),
    "tree": ("callers", "callees"),
    "shape": ("icicle", "flame"),
    "minimap": ("zoomed", "never"),
    "names": ("whole", "short"),
    "least": ("0", "0.1", "0.5", "1"),  # percent
    "view": REMEMBERED_VIEWS,
    "editor": EDITORS,
    "span": tuple(SPANS_NS),
    "start": ("tabs", "nothing"),
}
_WHOLE = 100  # percent
_DEFAULTS = {"span": "10 s"}
OPEN_TABS = "open_tabs"
"""Key of the tabs that were open last; see ``open_tabs``."""


class Preferences:
    """Stored values. What cannot be read (of another version, or edited by hand) becomes the
    default."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def choice(self, key: str) -> str:
        """Return the choice for a key of ``_CHOICES``: theme, palette, hue, order, tree, shape …"""
        default = _DEFAULTS.get(key, _CHOICES[key][0])
        stored = str(self._settings.value(key, default))
        return stored if stored in _CHOICES[key] else default

    def set_choice(self, key: str, value: str) -> None:
        assert value in _CHOICES[key], (key, value)
        self._settings.setValue(key, value)

    @property
    def has_open_tabs(self) -> bool:
        """Whether there are tabs to open again."""
        return self.choice("start") == "tabs" and self._settings.contains(OPEN_TABS)

    @property
    def source_path(self) -> str:
        """Folders of sources, with colons between; "" = the current one."""
        return str(self._settings.value("source_path", ""))

    @source_path.setter
    def source_path(self, folders: str) -> None:
        self._settings.setValue("source_path", folders)

    @property
    def rates(self) -> Rates:
        """All rates that were chosen last."""
        chosen = Rates(
            self.rate_hz, self.heap_rate, wall_hz=self.wall_hz, native_stacks=self.has_native_stacks
        )
        return replace_contention(chosen, self.contention_rates)

    @rates.setter
    def rates(self, rates: Rates) -> None:
        self.rate_hz, self.heap_rate = rates.cpu_hz, rates.heap_rate
        self.contention_rates = rates
        self.wall_hz = rates.wall_hz
        self.has_native_stacks = bool(rates.native_stacks)

    @property
    def has_native_stacks(self) -> bool:
        """Whether C frames were recorded last."""
        return str(self._settings.value("native_stacks", "no")) == "yes"

    @has_native_stacks.setter
    def has_native_stacks(self, is_on: bool) -> None:
        self._settings.setValue("native_stacks", "yes" if is_on else "no")

    @property
    def wall_hz(self) -> int:
        """The last rate of wall samples; 0 = off, which is the default."""
        stored = str(self._settings.value("wall_hz", 0))
        rate = int(stored) if stored.isdecimal() else 0
        return rate if rate in WALL_RATES_HZ else 0

    @wall_hz.setter
    def wall_hz(self, wall_hz: int) -> None:
        self._settings.setValue("wall_hz", wall_hz)

    @property
    def rate_hz(self) -> int:
        """The last CPU rate in Hz; never 0, because a new attachment would show nothing."""
        stored = self._settings.value("rate_hz", _DEFAULT_RATE_HZ)
        try:
            rate_hz = int(str(stored))
        except ValueError:
            return _DEFAULT_RATE_HZ
        return rate_hz if rate_hz in RATES_HZ and rate_hz > 0 else _DEFAULT_RATE_HZ

    @rate_hz.setter
    def rate_hz(self, rate_hz: int) -> None:
        self._settings.setValue("rate_hz", rate_hz)

    @property
    def heap_rate(self) -> int:
        """The last heap rate in bytes; 0 = off: then no allocator is hooked."""
        stored = self._settings.value("heap_rate", _DEFAULT_HEAP_RATE)
        try:
            rate = int(str(stored))
        except ValueError:
            return _DEFAULT_HEAP_RATE
        return rate if rate in HEAP_RATES else _DEFAULT_HEAP_RATE

    @heap_rate.setter
    def heap_rate(self, rate: int) -> None:
        self._settings.setValue("heap_rate", rate)

    @property
    def contention_rates(self) -> Rates:
        """The last contention rates, the other fields being 0; off by default."""
        stored = str(self._settings.value("contention_rates", "")).split()
        if len(stored) == _N_FIRST_RATES:  # an older version recorded stalls along with block
            stored += ["0", str(USUAL_CONTENTION.stall_ns if stored[0] != "0" else 0)]
        if len(stored) != _AFTER_CONTENTION - _AT_CONTENTION or not all(map(str.isdecimal, stored)):
            return OFF
        rates = Rates(0, 0, *map(int, stored))
        is_sound = all(rate <= most for rate, most in zip(rates, MOST, strict=True))
        return rates if is_sound else OFF

    @contention_rates.setter
    def contention_rates(self, rates: Rates) -> None:
        self._settings.setValue(
            "contention_rates", " ".join(map(str, tuple(rates)[_AT_CONTENTION:_AFTER_CONTENTION]))
        )

    @property
    def is_timeline_shown(self) -> bool:
        """Whether the timeline of a process was shown last."""
        return str(self._settings.value("timeline", "no")) == "yes"

    @is_timeline_shown.setter
    def is_timeline_shown(self, is_shown: bool) -> None:
        self._settings.setValue("timeline", "yes" if is_shown else "no")

    @property
    def table_share(self) -> float | None:
        """Width share of the table beside a graph; None = the border was never moved."""
        stored = str(self._settings.value("table_percent", ""))
        percent = int(stored) if stored.isdecimal() else 0
        return percent / 100 if 0 < percent < _WHOLE else None

    @table_share.setter
    def table_share(self, share: float) -> None:
        self._settings.setValue("table_percent", round(share * _WHOLE))

    @property
    def geometry(self) -> QByteArray | None:
        """Geometry of the last window, as ``QWidget.saveGeometry`` returned it; None at first."""
        stored = self._settings.value("geometry")
        return stored if isinstance(stored, QByteArray) else None

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._settings.setValue("geometry", geometry)
