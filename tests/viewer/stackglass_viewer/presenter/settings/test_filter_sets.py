"""Sets of filters with a name: what is saved is there in the next run."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.label_table import LabelFilter, LabelPattern
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.filter_sets import FilterSet, FilterSets
from stackglass_viewer.presenter.settings.thread_choice import NamePattern, ThreadChoice

STEPS = (Transform(TransformKind.FOCUS, 'main [x], "y"'), Transform(TransformKind.OWN_CODE))
LABELS: frozenset[LabelFilter] = frozenset(
    {("route", "/a"), LabelPattern("state", "lock|GIL", is_excluded=True)}
)
WEB = FilterSet(STEPS, LABELS, ThreadChoice(named=NamePattern("^pool", True)), (5, 2**60))
APART = FilterSet(STEPS[:1])


def test_a_set_is_there_in_the_next_run(qt: QApplication, settings: QSettings, heard: Any) -> None:
    sets = FilterSets(settings)
    sets.changed.connect(heard.hear)
    sets.save("web", WEB)
    sets.save("Apart", APART)
    settings.sync()
    again = FilterSets(QSettings(settings.fileName(), settings.format()))
    assert again.names == ("Apart", "web")
    assert again.find("web") == WEB
    assert again.find("other") == FilterSet()
    assert heard.values == [("web",), ("Apart", "web")]


def test_a_set_is_replaced_and_removed(qt: QApplication, settings: QSettings) -> None:
    sets = FilterSets(settings)
    sets.save("web", WEB)
    sets.save("web", APART)
    assert sets.find("web") == APART
    sets.remove("web")
    sets.remove("web")
    assert sets.names == ()


def test_single_threads_belong_to_one_process() -> None:
    chosen = FilterSet(STEPS, threads=ThreadChoice(frozenset({7}), frozenset({"pool-#"})))
    assert chosen.has_filters
    assert chosen.portable == FilterSet(STEPS)


@pytest.mark.parametrize(
    "stored",
    ["", "no JSON", "[]", "3", '{"a": 3}', '{"a": [["focus"]]}', '{"a": [["focus", 3]]}',
     '{"a": [["own_code", ""], ["of the future", "x"]]}',
     '{"a": [["label", "state", "(", false]]}', '{"a": [["focus_match", "("]]}',
     '{"a": [["label", "state", "x", 1]]}', '{"a": [["threads", "(", false]]}',
     '{"a": [["time", 5, 5]]}', '{"a": [["time", -1, 5]]}', "[" * 100_000],
)  # fmt: skip
def test_what_makes_no_sense_is_left_out(
    qt: QApplication, settings: QSettings, stored: str
) -> None:
    settings.setValue("filter_sets", stored)
    assert FilterSets(settings).names == ()
