"""Command search: finds the commands of the menus by a few typed letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_BREAKS = " ▸(/-"  # a word begins after these


@dataclass(frozen=True, slots=True)
class Command:
    """An entry of a menu."""

    path: tuple[str, ...]  # titles of its menus and its own title: View, Theme, Dark
    keys: str = ""  # its shortcut; "" = none
    is_chosen: bool = False  # whether it is the chosen one of several exclusive commands

    @property
    def title(self) -> str:
        """``Theme ▸ Dark``; the title of the menu bar's menu is left out."""
        return " ▸ ".join(self.path[1:] or self.path)


def rank_commands(commands: Sequence[Command], text: str) -> list[int]:
    """Return the indices of the commands that contain every typed word, the best first.

    A command contains a word as it stands, or its letters in this order. The best match is at the
    start of the title, then at the start of a word, then inside a word, then in scattered letters.
    Equal commands keep their order. An empty text finds all commands.
    """
    words = text.casefold().split()
    ranked = []
    for place, command in enumerate(commands):
        scores = [_score(word, command) for word in words]
        if None not in scores:
            ranked.append((sum(score for score in scores if score is not None), place))
    return [place for _, place in sorted(ranked)]


def _score(word: str, command: Command) -> int | None:
    """Return the rank of a word's match, 0 = the best; None = the command does not contain it."""
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
    """Whether a title has the letters of a word in their order, from the start of a word on."""
    starts = [at for at in range(len(title)) if at == 0 or title[at - 1] in _BREAKS]
    for start in starts:
        rest = iter(title[start:])
        if title[start] == word[0] and all(letter in rest for letter in word):
            return True
    return False
