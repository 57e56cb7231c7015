r"""Patterns: RE2 regular expressions, as in pprof.

RE2 takes linear time for every pattern, so that patterns from files are safe, too. Python's ``re``
refuses some of RE2's syntax (``\pL``, ``\z``, ``\Q…\E``, ``(?U)``) and reads some of it differently
(``[[:alpha:]]``, ``$`` before a last newline).
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
    """Return a function that tests whether the pattern matches anywhere in a text. Any thread.

    Raises PatternError if the pattern is not a regular expression, or google-re2 is not installed.
    """
    if re2 is None:
        raise PatternError("patterns need google-re2", "pip install google-re2")
    options = re2.Options()
    options.log_errors = False  # RE2 would write messages to standard error
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
    """Whether a text is a regular expression, and google-re2 is installed."""
    try:
        compile_pattern(text)
    except PatternError:
        return False
    return True


def compile_whole(pattern: str) -> Test:
    """Return a function like ``compile_pattern``, but the pattern must match the whole text, as in
    pprof's ``drop_frames``."""
    try:
        return compile_pattern(f"^({pattern})$")
    except PatternError as error:
        if re2 is None:
            raise
        raise PatternError(f"{pattern!r} is not a regular expression", error.remedy) from None


def _encode(text: str) -> bytes:
    return text.encode(errors="replace")  # names of live programs may contain lone surrogates
