"""Sentences of a summary: each finding in words, and where it leads."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.findings.finding import Finding, FindingKind
from stackglass_viewer.model.findings.nesting import Nesting
from stackglass_viewer.model.findings.outstanding_facts import find_outstanding
from stackglass_viewer.model.findings.whole_profile import THREAD_KEYS
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.native_frames import find_library
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.units import (
    find_scale,
    format_change,
    format_count,
    format_quantity,
    format_share,
    format_value,
    make_printable,
)
from stackglass_viewer.presenter.document.flame_scene import FlameScene

_WORDS = {
    "cpu": ("takes", "of the CPU time"),
    "space": ("holds", "of the memory in use"),
    "objects": ("holds", "of the objects in use"),
    "inuse_space": ("holds", "of the memory in use"),
    "inuse_objects": ("holds", "of the objects in use"),
    "alloc_space": ("allocates", "of the allocated memory"),
    "alloc_objects": ("allocates", "of the allocated objects"),
    "delay": ("has", "of the delay"),
    "contentions": ("has", "of the waits"),
    "samples": ("has", "of the samples"),
    "wall": ("has", "of the wall time"),
    "threads": ("has", "of the threads"),
    "goroutine": ("has", "of the goroutines"),
    "calls": ("has", "of the calls"),
}
"""The verb of a function and the words for the whole, by the name of a sample type."""
_WAIT_WORDS = {
    ContentionKind.BLOCK: ("has", "for locks"),
    ContentionKind.MUTEX: ("causes", "for locks"),
    ContentionKind.GIL: ("has", "for the GIL"),
}
"""The verb of a function and what was waited for, by the kind of a capture's waits."""
_LOST_WORDS = {
    "<lost samples>": "of the samples were lost for lack of space: it is not known where.",
    "<truncated>": "of the samples have stacks deeper than is kept: their callers are missing.",
}
WAITING_THREADS = "waiting threads"  # target of a sentence on a deadlock
ALLOCATED = SampleType("alloc_space", "bytes")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One finding in words."""

    text: str
    target: str  # name of the view that it leads to, or WAITING_THREADS
    function: int = -1  # to choose there; −1 = none
    node: int = -1  # to zoom to there; −1 = none
    pattern: str = ""  # filter of the table; "" = none
    label_key: str = ""  # label to list; "" = none
    sample_type: SampleType | None = None  # to choose; None = the one that is shown


@dataclass(frozen=True, slots=True)
class SummarySubject:
    """The data that a summary is made of."""

    scene: FlameScene | None  # callers first; None = a table without stacks
    top: TopTable
    sample_type: SampleType
    n_samples: int | None  # None = not known
    describe: Callable[[], Background] | None = None  # None = there is no background
    calls: Nesting | None = None  # of a table: which function calls which
    waits: ContentionKind | None = None  # of a capture's waits; None = others, or not known

    @property
    def has_values(self) -> bool:
        """Whether any function has a value."""
        return bool(self.top.flat.any() or self.top.cum.any())


def describe_findings(subject: SummarySubject) -> tuple[Sentence, ...]:
    """Return a sentence for each finding. Any thread."""
    scene, top = subject.scene, subject.top
    if scene is not None and scene.is_idle:
        return ()
    tree, values = (None, None) if scene is None else (scene.tree, scene.values)
    background = Background()
    if subject.describe is not None and not top.is_change:
        background = subject.describe()
    words = _Words(subject, background)
    found = find_outstanding(tree, values, top, subject.n_samples, background, subject.calls)
    return tuple(words.describe(finding) for finding in found)


class _Words:
    """The words for the findings about one subject."""

    def __init__(self, subject: SummarySubject, background: Background) -> None:
        self._top, self._allocated = subject.top, background.allocated
        self._has_calls = subject.scene is not None or subject.calls is not None
        sample_type = subject.sample_type
        has_time = find_scale(sample_type.unit)[0] == "time"
        usual = ("takes", "of the time") if has_time else ("has", f"of {sample_type.name}")
        self._verb, self._whole = _WORDS.get(sample_type.name.lower(), usual)
        if subject.waits in _WAIT_WORDS:
            self._verb, lock = _WAIT_WORDS[subject.waits]
            self._whole = f"of the {'time waited' if has_time else 'waits'} {lock}"

    def _choose(self, of_one: str, of_many: str) -> str:
        """Return the verb for a share of the whole."""
        noun = self._whole.partition(" for ")[0].partition(" in ")[0]  # "of the objects in use"
        return of_many if noun.endswith("s") else of_one

    def describe(self, finding: Finding) -> Sentence:
        """Return the finding in words, with the view that shows it."""
        function, share = finding.function, format_share(finding.share)
        name = self._name(function)
        takes = f"{self._verb} {share} {self._whole}"
        match finding.kind:
            case FindingKind.OWN | FindingKind.LARGEST | FindingKind.EVEN | FindingKind.CALLS:
                return self._describe_own(finding, name, takes)
            case FindingKind.PACKAGE:
                many = "have" if self._verb == "has" else self._verb.removesuffix("s")
                package, count = make_printable(finding.name), format_count(finding.count)
                text = f"Together, {count} functions of {package} {many} {share} {self._whole}"
                return Sentence(f"{text} themselves.", "top", pattern=finding.detail)
            case FindingKind.MINE | FindingKind.COMMON:
                whose = "Of your own code, " if finding.kind is FindingKind.MINE else ""
                text = f"{whose}{name} {takes} with what it calls"
                if finding.parts:
                    parts = [f"{self._name(at)} ({format_share(of)})" for at, of in finding.parts]
                    text += f", above all {_list(parts)}"
                return Sentence(f"{text}.", "sandwich" if self._has_calls else "top", function)
            case FindingKind.PATH | FindingKind.SHARED | FindingKind.RECURSION | FindingKind.IMPORT:
                return self._describe_calls(finding, name, takes)
            case FindingKind.NATIVE:
                text = f"C code that Python functions call {takes}"
                if finding.parts:
                    caller, of = finding.parts[0]
                    text += f"; {format_share(of)} of that is called by {self._name(caller)}"
                return Sentence(f"{text}.", "sandwich", function)
            case FindingKind.GC:
                whose = "Python's" if name.startswith("<") else "Go's"
                return Sentence(f"{whose} garbage collector {takes}.", "sandwich", function)
            case FindingKind.ALLOCATING:
                text = f"Allocating memory, {name}, {takes}."
                return Sentence(text, "sandwich", function)
            case FindingKind.LABEL:
                return self._describe_label(finding, share)
            case FindingKind.IDLE | FindingKind.BUSY | FindingKind.WAITS | FindingKind.ALLOCATED:
                return self._describe_whole(finding)
            case FindingKind.LOST:
                words = _LOST_WORDS[self._top.name[function]]
                return Sentence(f"{share} {words}", "top", function)
            case FindingKind.UNNAMED:
                verb = self._choose("is", "are")
                text = f"{share} {self._whole} {verb} in code without names of functions"
                if finding.count > 1:
                    text += f", most of it in {name}"
                return Sentence(f"{text}.", "top", function)
            case FindingKind.FEW:
                points = format_count(round(finding.share * 100))
                text = (
                    f"There are only {format_count(finding.count)} samples: 19 times out of 20 "
                    f"a share near 50% is right within {points} percentage points."
                )
                return Sentence(text, "top")
            case _:
                return self._describe_change(finding, name, share)

    def _describe_own(self, finding: Finding, name: str, takes: str) -> Sentence:
        function, share = finding.function, format_share(finding.share)
        target = "sandwich" if self._has_calls and function >= 0 else "top"
        if function >= 0 and _has_source(self._top, function):
            target = "source"
        calls = self._top.calls
        often = ""
        if calls is not None and function >= 0 and calls[function] > 0:
            n_calls = int(calls[function])
            often = f" in {format_quantity(n_calls, 'call')}"
        match finding.kind:
            case FindingKind.OWN:
                text = f"{name} {takes} itself{often}, without what it calls."
                return Sentence(text, target, function)
            case FindingKind.LARGEST:
                which = "" if finding.value else " of all functions with a name"
                text = f"{name} {self._verb} most by itself{which}, {share} {self._whole}{often}"
                if finding.count:
                    functions = format_count(finding.count)
                    text += f". {functions} functions account for half {self._whole}"
                return Sentence(f"{text}.", target, function)
            case FindingKind.CALLS:
                text = f"{name} is called most often, {format_count(finding.count)} times, and "
                return Sentence(f"{text}{takes} itself.", "top", function)
            case _:
                return Sentence(f"{self._describe_even(finding, share)}.", "top")

    def _describe_even(self, finding: Finding, share: str) -> str:
        """Return over how many functions the whole is spread, or which placeholder has most."""
        if finding.parts:
            placeholder, of = finding.parts[0]
            most = f"{self._name(placeholder)}, with {format_share(of)} {self._whole}"
            return f"Besides {most}, no function {self._verb} more than {share} itself"
        text = f"No function {self._verb} more than {share} {self._whole} itself"
        if finding.value:
            it = self._choose("it", "them")
            text += f": {format_count(finding.value)} functions account for half of {it}"
            text += f", {format_count(finding.count)} for 90%" if finding.count else ""
        return text

    def _describe_calls(self, finding: Finding, name: str, takes: str) -> Sentence:
        function, share = finding.function, format_share(finding.share)
        match finding.kind:
            case FindingKind.PATH:
                parts = [f"{self._name(at)} ({format_share(of)})" for at, of in finding.parts]
                n_more = finding.count - len(parts)
                if n_more:
                    parts.append("another" if n_more == 1 else f"{n_more} others")
                verb = self._choose("goes", "go")
                text = f"{share} {self._whole} {verb} through {name}, which calls {_list(parts)}."
                return Sentence(text, "flame", function, finding.node)
            case FindingKind.SHARED:
                most = format_share(finding.parts[0].share)
                text = (
                    f"{name} {takes} in all, called from {format_count(finding.count)} functions: "
                    f"the main caller accounts for {most} of that."
                )
                return Sentence(text, "sandwich", function)
            case FindingKind.RECURSION:
                text = (
                    f"{name} calls itself, up to {format_count(finding.count)} calls deep; in all "
                    f"it {takes}."
                )
                return Sentence(text, "sandwich", function)
            case _:
                text = f"Importing modules {takes}"
                if finding.parts:
                    body, of = finding.parts[0]
                    module = self._name(body).removesuffix(".<module>")
                    text += f"; {module} has most, {format_share(of)} with what it imports"
                return Sentence(f"{text}.", "sandwich", function)

    def _describe_label(self, finding: Finding, share: str) -> Sentence:
        key, value = make_printable(finding.name), make_printable(finding.detail) or "(empty)"
        whole, has = f"{share} {self._whole}", self._choose("has", "have")
        match finding.name:
            case name if name in THREAD_KEYS:
                text = f"Thread {value} {self._verb} {whole}."
            case "state":
                is_spent = self._choose("is spent", "are")
                text = f'{whole} {is_spent} in the state "{value}".'
            case _:
                text = f"{whole} {has} the label {key} = {value}."
        return Sentence(text, "labels", label_key=finding.name)

    def _describe_whole(self, finding: Finding) -> Sentence:
        share, total = format_share(finding.share), format_value(finding.value, self._top.unit)
        length = format_value(finding.count, "nanoseconds")
        match finding.kind:
            case FindingKind.IDLE:
                text = (
                    f"The CPU was used little: {total} in {length}, {share} of one processor. For "
                    f"the rest of the time threads waited, or other programs had the processor."
                )
                return Sentence(text, "top")
            case FindingKind.BUSY:
                text = (
                    f"{finding.share:.1f} processors were busy on average: {total} of CPU time in "
                    f"{length}."
                )
                return Sentence(text, "top")
            case FindingKind.WAITS:
                n_waits = finding.count
                mean = format_value(finding.value / n_waits, self._top.unit)
                text = (
                    f"There was {total} of delay in {format_count(n_waits)} waits, {mean} each on "
                    f"average"
                )
                if finding.share >= 0.05:
                    text += f"; {finding.share:.1f} at a time"
                return Sentence(f"{text}.", "contention")
            case _:
                text = f"{share} of the {total} that was allocated is still in use"
                table, function = self._allocated, -1
                if finding.parts and table is not None:
                    function, of = finding.parts[0]
                    name = make_printable(table.name[function])
                    text += f"; most was allocated by {name}, {format_share(of)}"
                return Sentence(f"{text}.", "top", function, sample_type=ALLOCATED)

    def _describe_change(self, finding: Finding, name: str, share: str) -> Sentence:
        function, change = finding.function, format_change(finding.value, self._top.unit)
        if finding.kind in (FindingKind.TOTAL_CHANGED, FindingKind.ALL_CHANGED):
            return Sentence(self._describe_total(finding, change, share), "top")
        verb = "grew" if finding.value > 0 else "shrank"
        of_base = self._top.total and self._top.total == self._top.total_before
        whole = "of the base" if of_base else "of all that changed"
        if finding.kind is FindingKind.CUM_CHANGED:
            text = f"{name} {verb} with what it calls: {change}, {share} {whole}"
        else:
            text = f"{name} {verb} most by itself: {change}, {share} {whole}"
        return Sentence(f"{text}{self._say_only_in_one(function)}.", "top", function)

    def _say_only_in_one(self, function: int) -> str:
        """Return the end of a sentence for a function that only one of the two profiles has."""
        before = self._top.cum_before
        if before is None:
            return ""
        if not before[function]:
            return "; the base does not have it"
        return "; only the base has it" if before[function] + self._top.cum[function] == 0 else ""

    def _describe_total(self, finding: Finding, change: str, share: str) -> str:
        of_base = finding.share_of_base
        by = f", {format_share(of_base)} of the base" if of_base is not None else ""
        text = f"The total {'grew' if finding.value > 0 else 'shrank'}: {change}{by}."
        if finding.kind is FindingKind.TOTAL_CHANGED:
            return text
        return (
            f"{text} The change is spread over {format_count(finding.count)} functions, and none "
            f"has more than {share} of it."
        )

    def _name(self, function: int) -> str:
        return make_printable(self._top.name[function]) if function >= 0 else "the root"


def _has_source(top: TopTable, function: int) -> bool:
    """Whether a function may have source here. A relative file may be found in a source folder."""
    file = top.file[function]
    if not file or find_library(top.name[function]):
        return False
    return not os.path.isabs(file) or os.path.exists(file)


def _list(parts: list[str]) -> str:
    """Return ``a, b and c``."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
