"""Command search: finds the commands of the menus by a few typed letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass_viewer.presenter.settings.command_words import find_answers, find_begun

_BREAKS = " ▸(/-"  # a word begins after these
_SUBMENU = " ▸ "  # between the titles of a submenu and of its entry
_MOST_ANSWERS = 10  # answers to a word that have ranks of their own; later ones share the last
_LITTLE_WORDS = frozenset(
    ["a", "an", "at", "by", "for", "from", "in", "of", "on", "the", "to", "with"]
)
_AT_START, _BEGUN, _ELSEWHERE = _MOST_ANSWERS, _MOST_ANSWERS + 1, 2 * _MOST_ANSWERS + 1
"""First ranks of titles that begin with the typed word, of answers to longer words, of others."""


@dataclass(frozen=True, slots=True)
class Command:
    """An entry of a menu, or a choice that only the front tab offers."""

    path: tuple[str, ...]  # titles of its menus and its own title: View, Theme, Dark
    keys: str = ""  # its shortcut; "" = none
    is_chosen: bool = False  # whether it is the chosen one of several exclusive commands

    @property
    def title(self) -> str:
        """``Theme ▸ Dark``; the title of the menu bar's menu is left out."""
        return _SUBMENU.join(self.path[1:] or self.path)


def rank_commands(commands: Sequence[Command], text: str) -> list[int]:
    """Return the indices of the commands that contain every typed word, the best first.

    A command contains a word as a whole, or its letters in their order, or is an answer to it (see
    ``command_words``). The order is: answers; titles that begin with the word; answers to longer
    words that begin with it; matches at the start of another word; matches inside a word; scattered
    letters. Of equal commands, those whose title has the whole text come first; others keep their
    order. An empty text finds all commands. If no command contains every word, little words such as
    *to* and *a* are left out.
    """
    words = text.casefold().split()
    weighty = [word for word in words if word not in _LITTLE_WORDS]
    return _rank(commands, words) or (_rank(commands, weighty) if weighty else [])


def _rank(commands: Sequence[Command], typed: Sequence[str]) -> list[int]:
    words = [_Typed(word) for word in typed]
    phrase = " ".join(typed)
    ranked = []
    for index, command in enumerate(commands):
        scores = [word.score(command) for word in words]
        if None not in scores:
            rank = sum(score for score in scores if score is not None)
            ranked.append((rank, phrase not in command.title.casefold(), index))
    return [index for _, _, index in sorted(ranked)]


class _Typed:
    """A typed word."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._answers, self._begun = find_answers(word), find_begun(word)

    def score(self, command: Command) -> int | None:
        """Return the rank of the match, 0 = the best; None = the command does not contain it."""
        title = command.title
        if (index := _find(title, self._answers)) >= 0:
            return min(index, _MOST_ANSWERS - 1)
        if title.casefold().startswith(self._word):
            return _AT_START
        if (index := _find(title, self._begun)) >= 0:
            return _BEGUN + min(index, _MOST_ANSWERS - 1)
        match = _match(self._word, command, title.casefold())
        return _ELSEWHERE + match if match is not None else None


def _find(title: str, answers: Sequence[str]) -> int:
    """Return the index of the answer that names a command: by its title, or by that of its
    submenu; −1 = there is none."""
    return next(
        (
            index
            for index, answer in enumerate(answers)
            if title == answer or title.startswith(answer + _SUBMENU)
        ),
        -1,
    )


def _match(word: str, command: Command, title: str) -> int | None:
    """Return how a command contains a word, 0 = the best; None = it does not."""
    at = title.find(word)
    while at >= 0:
        if at == 0 or title[at - 1] in _BREAKS:
            return 0
        at = title.find(word, at + 1)
    if word in title:
        return 1
    if word in " ".join(command.path).casefold() or word == command.keys.casefold():
        return 2
    return 3 if _has_letters(title, word) else None


def _has_letters(title: str, word: str) -> bool:
    """Whether a title has the letters of a word in their order, from the start of a word on."""
    starts = [at for at in range(len(title)) if at == 0 or title[at - 1] in _BREAKS]
    for start in starts:
        rest = iter(title[start:])
        if title[start] == word[0] and all(letter in rest for letter in word):
            return True
    return False
