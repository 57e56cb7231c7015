"""The ``stackglass`` command: finds the sub-command, runs it, and turns errors into exit codes.

Exit codes: 0 = done, 1 = failed, 2 = wrong usage; a command may return others. A code below 0 is a
signal, which then ends this process, as shells expect: SIGINT after Ctrl+C, or the signal that
ended the recorded program. An error is one line on standard error.
"""

from __future__ import annotations

import codecs
import errno
import gc
import io
import os
import sys

from stackglass.commands import catalogue, plain_arguments
from stackglass.errors import MissingExtraError, StackglassError, UsageError
from stackglass.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

DONE = 0
FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = -2  # SIGINT
_SIGNALLED = 128
_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_BRIEF_GC_THRESHOLD = 50_000
"""Objects that a brief command makes before a garbage collection, which took half a millisecond and
would find none: the command mostly loads modules. ``--watch`` makes more objects."""


_PLAIN = {
    "\u202f": " ",
    "\u2009": " ",
    "\u00a0": " ",
    "…": "...",
    "–": "-",
    "—": "-",
    "−": "-",
    "×": "x",
    "→": "->",
    "±": "+/-",
    "µ": "u",
    "·": "-",
}
"""What stands for a character of a report that the terminal's encoding does not have."""


def start() -> int:
    """Run ``main`` for the whole process; a brief command, or a signal, ends the process here."""
    name = "".join(sys.argv[1:2])
    _accept_all_texts()
    if name in catalogue.BRIEF:
        gc.set_threshold(_BRIEF_GC_THRESHOLD)
    code = main()
    if code < 0:
        from stackglass.record import signals  # here for start-up time

        signals.end_by(-code)
        return _SIGNALLED - code
    if name in catalogue.BRIEF:
        _end_now(code)
    if catalogue.is_own(name):
        # At its end the interpreter would look for garbage in all that was loaded: 2 ms.
        gc.freeze()
    return code


def _accept_all_texts() -> None:
    """Have standard output replace what its encoding lacks. Python would end the command with an
    error, for a function's name or a thin space on a terminal with Latin-1."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        codecs.register_error("stackglass", _replace)
        sys.stdout.reconfigure(errors="stackglass")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    plain = (_PLAIN.get(each) or each.encode("ascii", "backslashreplace").decode() for each in text)
    return "".join(plain), error.end


def _end_now(code: int) -> None:
    """End the process without finalizing the interpreter, which takes 2 ms. Returns if the last
    output cannot be written: finalization reports the error."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # None = the descriptor was closed from the start
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line (default: the process's); returns the exit code, or -1 times a signal."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(words)
        # Here, because an output of medium length is lost at the first attempt, so that the
        # interpreter would end without an error.
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
        return code
    except StackglassError as error:
        _report(str(error))
        return WRONG_USAGE if isinstance(error, UsageError) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone: nothing more can be written there, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        if error.errno not in _CANNOT_WRITE or error.filename is not None:
            raise
        _report(f"cannot write the output: {error.strerror}")
        return FAILED


def _report(text: str) -> None:
    """Print one line on standard error, and drop what standard output has refused."""
    from stackglass.record.lenient_output import write_text  # here for start-up time

    write_text(
        sys.stderr, f"{text}\n" if text.startswith("stackglass") else f"stackglass: {text}\n"
    )
    write_text(sys.stdout, "")


def _run(words: list[str]) -> int:
    if words and words[0] in ("-h", "--help"):
        _print_help()
        return DONE
    if words and words[0] in ("-V", "--version"):
        print(f"stackglass {VERSION}")
        return DONE
    name, rest = _split_command(words)
    if name not in catalogue.SIGNALLED:
        return _run_command(name, rest)
    from stackglass.record import early_signals  # here for start-up time

    with early_signals.hold():
        return _run_command(name, rest)


def _run_command(name: str, rest: list[str]) -> int:
    command = catalogue.load(name)
    program: list[str] = []  # the words of the command behind "--"
    if getattr(command, "TAKES_COMMAND", False) and "--" in rest:
        at = rest.index("--")
        rest, program = rest[:at], rest[at + 1 :]
    plain = None
    if not hasattr(command, "parse"):
        plain = plain_arguments.read(command.add_arguments, rest, command=program)
    return command.run(plain or _parse(name, command, rest, program))


def _parse(
    name: str, command: catalogue.CommandModule, words: list[str], program: list[str]
) -> argparse.Namespace:
    """The parsed arguments. Raises UsageError."""
    # Here for start-up time.
    from argparse import Namespace

    from stackglass.commands.argument_parser import ArgumentParser

    prog = "stackglass" if name == catalogue.VIEW else f"stackglass {name}"
    parser = ArgumentParser(prog=prog, allow_abbrev=False)
    command.add_arguments(parser)
    if hasattr(command, "parse"):
        parsed: argparse.Namespace = command.parse(parser, words)
        return parsed
    return parser.parse_args(words, Namespace(command=program))


def _split_command(words: list[str]) -> tuple[str, list[str]]:
    """The command and its arguments; without a command, the viewer."""
    if words and catalogue.is_known(words[0]):
        return words[0], words[1:]
    names_none = not words or words[0].startswith("-") or os.sep in words[0]
    if names_none and catalogue.is_known(catalogue.VIEW):
        return catalogue.VIEW, words
    names = [entry.name for entry in catalogue.list_entries()]
    if words and words[0] in names:
        return words[0], words[1:]
    if words and not words[0].startswith("-") and not _can_be_opened(words[0]):
        import difflib  # only for this message: it takes milliseconds to load

        close = difflib.get_close_matches(words[0], names, n=1)
        meant = f"did you mean `stackglass {close[0]}`?" if close else "see stackglass --help"
        raise UsageError(f"no command and no file is called {words[0]!r}", meant)
    if catalogue.VIEW not in names:
        raise MissingExtraError("the viewer is not installed", "pip install 'stackglass[viewer]'")
    return catalogue.VIEW, words


def _can_be_opened(word: str) -> bool:
    return "://" in word or os.path.lexists(word) or os.sep in word


def _print_help() -> None:
    lines = [
        "usage: stackglass [FILE|URL…]      open the viewer",
        "       stackglass COMMAND --help   about a command",
        "       stackglass --version",
        "",
        "commands:",
    ]
    lines += [f"  {entry.name:<9} {entry.summary}".rstrip() for entry in catalogue.list_entries()]
    print("\n".join(lines))
