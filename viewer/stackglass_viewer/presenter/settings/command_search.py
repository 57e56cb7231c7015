"""Command search: which of the menus' commands a few typed letters mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_BREAKS = " ▸(/-"  # after these a word begins


@dataclass(frozen=True, slots=True)
class Command:
    """An entry of a menu."""

    path: tuple[str, ...]  # titles of its menus and its own: View, Theme, Dark
    keys: str = ""  # "" = none
    is_chosen: bool = False  # of several that exclude each other, the one in force

    @property
    def title(self) -> str:
        """``Theme ▸ Dark``; the menu of the menu bar is left out."""
        return " ▸ ".join(self.path[1:] or self.path)


def rank_commands(commands: Sequence[Command], text: str) -> list[int]:
    """Places of the commands in which every typed word is found, the best first.

    A word is found as it stands, or by letters in this order. Words at the beginning of a title
    come first, then at that of a word, then inside of one, then scattered letters; equals keep
    their order. No text finds all.
    """
    words = text.casefold().split()
    ranked = []
    for place, command in enumerate(commands):
        scores = [_score(word, command) for word in words]
        if None not in scores:
            ranked.append((sum(score for score in scores if score is not None), place))
    return [place for _, place in sorted(ranked)]


def _score(word: str, command: Command) -> int | None:
    """The less, the better; None = the word is not there."""
    title = command.title.casefold()
    at = title.find(word)
    if at == 0:
        return 0
    while at > 0:
        if title[at - 1] in _BREAKS:
            return 1
        at = title.find(word, at + 1)
    if word in title:
        return 2
    if word in " ".join(command.path).casefold() or word == command.keys.casefold():
        return 3
    return 4 if _has_letters(title, word) else None


def _has_letters(title: str, word: str) -> bool:
    """Whether the letters of a word are in a title in their order, the first at that of a word."""
    starts = [at for at in range(len(title)) if at == 0 or title[at - 1] in _BREAKS]
    for start in starts:
        rest = iter(title[start:])
        if title[start] == word[0] and all(letter in rest for letter in word):
            return True
    return False
