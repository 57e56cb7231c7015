"""Readable expected output, kept in ``tests/golden/`` and changed only by ``--update-golden``."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "golden"


class Golden:
    """Compares text with a file of ``tests/golden/``."""

    def __init__(self, is_updating: bool) -> None:
        self._is_updating = is_updating

    def check(self, name: str, text: str) -> None:
        """Fail unless ``text`` is the content of ``tests/golden/<name>``."""
        path = FOLDER / name
        if self._is_updating:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if not path.is_file():
            raise AssertionError(f"no golden file {name}: run pytest with --update-golden")
        assert text == path.read_text(encoding="utf-8"), f"differs from golden/{name}"
