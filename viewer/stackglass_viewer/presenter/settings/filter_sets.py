"""Sets of filters with a name, kept from one run to the next."""

from __future__ import annotations

import json

from PySide6.QtCore import QObject, QSettings, Signal

from stackglass_viewer.model.profile.transforms import Transform, TransformKind

_KEY = "filter_sets"
_KINDS = {kind.value: kind for kind in TransformKind}

Steps = tuple[Transform, ...]


class FilterSets(QObject):
    """GUI thread. What makes no sense (an old version's, a hand-edited file's) is left out."""

    changed = Signal(tuple)  # of str: names

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def names(self) -> tuple[str, ...]:
        """In alphabetical order."""
        return tuple(sorted(self._read(), key=str.casefold))

    def find(self, name: str) -> Steps:
        """The steps of a set, in the order in which they are applied; () = there is no such set."""
        return self._read().get(name, ())

    def save(self, name: str, steps: Steps) -> None:
        """A set of the same name is replaced."""
        self._store({**self._read(), name: steps})

    def remove(self, name: str) -> None:
        """Forget a set."""
        self._store({each: steps for each, steps in self._read().items() if each != name})

    def _store(self, sets: dict[str, Steps]) -> None:
        plain = {
            name: [[step.kind.value, step.name] for step in steps] for name, steps in sets.items()
        }
        self._settings.setValue(_KEY, json.dumps(plain))
        self.changed.emit(self.names)

    def _read(self) -> dict[str, Steps]:
        try:
            stored = json.loads(str(self._settings.value(_KEY, "{}")))
        except ValueError:
            return {}
        sets = {str(name): _read_steps(steps) for name, steps in _items(stored)}
        return {name: steps for name, steps in sets.items() if steps}


def _items(stored: object) -> list[tuple[object, object]]:
    return list(stored.items()) if isinstance(stored, dict) else []


def _read_steps(stored: object) -> Steps:
    """() = they are not all known: a part of a set would show something else."""
    steps = []
    for each in stored if isinstance(stored, list) else ():
        match each:
            case [str(kind), str(name)] if kind in _KINDS:
                steps.append(Transform(_KINDS[kind], name))
            case _:
                return ()
    return tuple(steps)
