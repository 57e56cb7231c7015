"""Summary of a tab: what stands out, in words, and where each sentence leads."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.graph.findings import Finding, Kind, find_outstanding
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.units import (
    find_scale,
    format_change,
    format_count,
    format_share,
    make_printable,
)
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.worker import Worker

_WORDS = {
    "cpu": ("takes", "of the CPU time"),
    "inuse_space": ("holds", "of the memory in use"),
    "inuse_objects": ("holds", "of the objects in use"),
    "alloc_space": ("allocates", "of the allocated memory"),
    "alloc_objects": ("allocates", "of the allocated objects"),
    "delay": ("has", "of the delay"),
    "contentions": ("has", "of the waits"),
    "samples": ("has", "of the samples"),
}
"""The verb of a function and the words for the whole, by the name of a sample type."""
_LOST_WORDS = {
    "<lost samples>": "of the samples were lost for lack of space: it is not known where.",
    "<truncated>": "of the samples have stacks deeper than is kept: their callers are missing.",
}
WAITING_THREADS = "waiting threads"  # target of a sentence on a deadlock


@dataclass(frozen=True, slots=True)
class Sentence:
    """One finding in words."""

    text: str
    target: str  # name of the view that it leads to, or WAITING_THREADS
    function: int = -1  # to choose there; −1 = none
    node: int = -1  # to zoom to there; −1 = none


@dataclass(frozen=True, slots=True)
class Subject:
    """What is summarised."""

    scene: FlameScene | None  # callers first; None = a table without stacks
    top: TopTable
    sample_type: SampleType
    n_samples: int | None  # None = not known

    @property
    def has_values(self) -> bool:
        """Whether any function has a value."""
        return bool(self.top.flat.any() or self.top.cum.any())


def describe_findings(subject: Subject) -> tuple[Sentence, ...]:
    """Return a sentence for each finding. Any thread."""
    scene, top = subject.scene, subject.top
    if scene is not None and scene.is_idle:
        return ()
    tree, values = (None, None) if scene is None else (scene.tree, scene.values)
    words = _Words(top, subject.sample_type, scene is not None)
    found = find_outstanding(tree, values, top, subject.n_samples)
    return tuple(words.describe(finding) for finding in found)


class _Words:
    def __init__(self, top: TopTable, sample_type: SampleType, has_stacks: bool) -> None:
        self._top = top
        self._has_stacks = has_stacks
        has_time = find_scale(sample_type.unit)[0] == "time"
        usual = ("takes", "of the time") if has_time else ("has", f"of {sample_type.name}")
        self._verb, self._whole = _WORDS.get(sample_type.name, usual)

    def describe(self, finding: Finding) -> Sentence:
        """Return the finding in words, with the view that shows it."""
        function, share = finding.function, format_share(finding.share)
        name = self._name(function)
        takes = f"{self._verb} {share} {self._whole}"
        match finding.kind:
            case Kind.OWN:
                target = "source" if self._top.file[function] else "top"
                return Sentence(f"{name} {takes} itself, without what it calls.", target, function)
            case Kind.LARGEST:
                target = "source" if self._top.file[function] else "top"
                text = f"{name} {self._verb} most itself, {share} {self._whole}."
                return Sentence(text, target, function)
            case Kind.MINE:
                text = f"Of your own code, {name} {takes} with what it calls."
                return Sentence(text, "sandwich" if self._has_stacks else "source", function)
            case Kind.PATH:
                parts = [f"{self._name(at)} ({format_share(of)})" for at, of in finding.parts]
                n_more = finding.count - len(parts)
                if n_more:
                    parts.append("another" if n_more == 1 else f"{n_more} others")
                text = f"{share} {self._whole} goes through {name}, which calls {_list(parts)}."
                return Sentence(text, "flame", function, finding.node)
            case Kind.SHARED:
                most = format_share(finding.parts[0].share)
                text = (
                    f"{name} {takes} in all, called from {format_count(finding.count)} functions: "
                    f"the main caller accounts for {most} of that."
                )
                return Sentence(text, "sandwich", function)
            case Kind.NATIVE:
                text = f"C code that Python functions call {takes}"
                if finding.parts:
                    caller, of = finding.parts[0]
                    text += f"; {format_share(of)} of that is called by {self._name(caller)}"
                return Sentence(f"{text}.", "sandwich", function)
            case Kind.GC:
                return Sentence(f"Python's garbage collector {takes}.", "sandwich", function)
            case Kind.LOST:
                words = _LOST_WORDS[self._top.name[function]]
                return Sentence(f"{share} {words}", "top", function)
            case Kind.EVEN:
                text = f"No function {self._verb} more than {share} {self._whole} itself: "
                count = format_count(finding.count)
                return Sentence(f"{text}90% is spread over {count} functions.", "top")
            case Kind.FEW:
                points = format_count(round(finding.share * 100))
                text = (
                    f"There are only {format_count(finding.count)} samples: 19 times out of 20 "
                    f"a share near 50% is right within {points} percentage points."
                )
                return Sentence(text, "top")
            case Kind.ALL_CHANGED:
                return Sentence(self._describe_total(finding), "top")
            case _:
                change = format_change(finding.value, self._top.unit)
                verb = "grew" if finding.kind is Kind.GREW else "shrank"
                text = f"{name} {verb} most of its own: {change}, {share} of all that changed."
                return Sentence(text, "source" if self._top.file[function] else "top", function)

    def _describe_total(self, finding: Finding) -> str:
        change = format_change(finding.value, self._top.unit)
        of_base, most = finding.share_of_base, format_share(finding.share)
        by = f", {format_share(of_base)} of the base" if of_base is not None else ""
        verb = "grew" if finding.value > 0 else "shrank"
        return (
            f"The total {verb}: {change}{by}. The change is spread over "
            f"{format_count(finding.count)} functions, and none has more than {most} of it."
        )

    def _name(self, function: int) -> str:
        return make_printable(self._top.name[function]) if function >= 0 else "the root"


def _list(parts: list[str]) -> str:
    """Return ``a, b and c``."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


class Summary(QObject):
    """Makes the summary of what the tab shows, while a view shows the summary. GUI thread."""

    changed = Signal(object, bool)  # tuple of Sentence; whether there is nothing to summarise

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._subject: Subject | None = None
        self._deadlocks: tuple[Sentence, ...] = ()  # they precede the findings
        self._is_watched = False

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the summary: it is made only then."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self._build()

    def set_subject(self, subject: Subject) -> None:
        """Set what is summarised: another profile, or a refreshed one."""
        self._subject = subject
        self._build()

    def set_deadlocks(self, texts: tuple[str, ...]) -> None:
        """Set what is said of the process's known deadlocks."""
        self._deadlocks = tuple(Sentence(text, WAITING_THREADS) for text in texts)
        self._build()

    def forget(self) -> None:
        """Release what is large: the document's threads have ended."""
        self._subject = None

    def _build(self) -> None:
        subject = self._subject
        if self._is_watched and subject is not None:
            self._worker.submit(
                "summary",
                lambda: (describe_findings(subject), not subject.has_values),
                lambda result: self._announce(*result),
            )

    def _announce(self, findings: tuple[Sentence, ...], is_empty: bool) -> None:
        deadlocks = self._deadlocks
        self.changed.emit((*deadlocks, *findings), is_empty and not deadlocks)
