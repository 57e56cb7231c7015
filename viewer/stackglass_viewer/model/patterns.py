r"""Patterns: regular expressions as in pprof, by RE2.

RE2 takes linear time for every pattern, so that patterns from files are safe, too.
Python's ``re`` refuses some of them (``\pL``, ``\z``, ``\Q…\E``, ``(?U)``) and finds something else
with others (``[[:alpha:]]``, ``$`` before a last newline).
"""

from __future__ import annotations

from collections.abc import Callable

from stackglass_viewer.model.errors import PatternError

try:
    import re2
except ImportError:  # no wheel for this Python or machine: files can be opened without it
    re2 = None

Test = Callable[[str], bool]


def compile_pattern(pattern: str, *, is_case_sensitive: bool = True) -> Test:
    """A test whether a pattern is found anywhere in a text. Any thread.

    Raises PatternError if it is not a regular expression, or google-re2 is not installed.
    """
    if re2 is None:
        raise PatternError("patterns need google-re2", "pip install google-re2")
    options = re2.Options()
    options.log_errors = False  # its messages would go to standard error
    options.case_sensitive = is_case_sensitive
    options.never_capture = True
    try:
        # As bytes: for str, the module would also compute positions in characters.
        search = re2.compile(_encode(pattern), options).search
    except re2.error as error:
        reason = error.args[0].decode(errors="replace")
        raise PatternError(f"{pattern!r} is not a regular expression", reason) from None
    return lambda text: search(_encode(text)) is not None


def is_pattern(text: str) -> bool:
    """Whether it is a regular expression that can be used here."""
    try:
        compile_pattern(text)
    except PatternError:
        return False
    return True


def compile_whole(pattern: str) -> Test:
    """The same, but the pattern must match the whole text, as ``drop_frames`` in pprof."""
    try:
        return compile_pattern(f"^({pattern})$")
    except PatternError as error:
        if re2 is None:
            raise
        raise PatternError(f"{pattern!r} is not a regular expression", error.remedy) from None


def _encode(text: str) -> bytes:
    return text.encode(errors="replace")  # names of live programs may contain lone surrogates
