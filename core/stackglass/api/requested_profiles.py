"""Profiles that the environment requests: recorded from ``import stackglass`` to the exit.

::

    STACKGLASS_PROFILE   cpu,heap: names, separated by commas; unset or empty = nothing happens
    STACKGLASS_OUTPUT    as run -o: a file, a pattern with {pid} and {profile}, or a folder
    STACKGLASS_SIGNAL    USR1 or USR2: writes what was recorded so far; unset or empty = none does
    STACKGLASS_CPU_HZ …  rates, as the options of run

A problem is one line on standard error. It never changes what the program does.
"""

from __future__ import annotations

import _thread
import io
import os
import signal
import sys
from collections.abc import Mapping
from functools import partial
from typing import Callable

from stackglass.api.builtin import RATE_OF, Take
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.held_interrupt import HeldInterrupt
from stackglass.api.rates import ProgramRates
from stackglass.errors import StackglassError, UsageError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import profile_file, recorded_profiles
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.rates import DEFAULT, LEAST, MOST, Rates

CPU, WALL = "cpu", "wall"
_SIGNALS = {"USR1": signal.SIGUSR1, "USR2": signal.SIGUSR2}
_PID, _PROFILE = "{pid}", "{profile}"


class _Variable(NamedTuple):
    """An environment variable that sets a rate."""

    field: str  # of stackglass.wire.rates.Rates
    rate: str  # of stackglass.api.rates.ProgramRates; "" = the CPU profiler has it


_VARIABLES = {
    "STACKGLASS_CPU_HZ": _Variable("cpu_hz", ""),
    "STACKGLASS_WALL_HZ": _Variable("wall_hz", ""),
    "STACKGLASS_HEAP_RATE": _Variable("heap_rate", "heap"),
    "STACKGLASS_BLOCK_RATE": _Variable("block_rate_ns", "block"),
    "STACKGLASS_MUTEX_FRACTION": _Variable("mutex_fraction", "mutex"),
    "STACKGLASS_GIL_HZ": _Variable("gil_hz", "gil"),
}
PROFILES = (CPU, WALL, *RATE_OF)


class ProfileRequest(NamedTuple):
    """The profiles that the environment requests."""

    profiles: tuple[str, ...]  # of PROFILES
    output: str  # pattern of paths, with {profile} if there are several; "" = the default
    rates: Rates
    signal: int = 0  # the signal that writes what was recorded so far; 0 = none


def read_request(environment: Mapping[str, str]) -> ProfileRequest | None:
    """Return the request of the environment; None = there is none. Raises UsageError."""
    text = environment.get("STACKGLASS_PROFILE", "")
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        return None
    for name in names:
        if name not in PROFILES:
            raise UsageError(
                f"STACKGLASS_PROFILE: there is no profile {name!r}", f"one of {', '.join(PROFILES)}"
            )
    if CPU in names and WALL in names:
        raise UsageError(
            "STACKGLASS_PROFILE: cpu and wall exclude each other",
            "`stackglass run` records both in one run",
        )
    output = environment.get("STACKGLASS_OUTPUT", "")
    is_folder = len(names) > 1 or output.endswith(os.sep) or os.path.isdir(output)
    if output and is_folder and _PROFILE not in output:
        output = os.path.join(output, f"{_PROFILE}.pb.gz")
    rates = DEFAULT
    for variable, (field, _) in _VARIABLES.items():
        if environment.get(variable):
            rates = rates._replace(**{field: _read_rate(variable, environment[variable], field)})
    path = os.path.join(os.getcwd(), output) if output else ""
    return ProfileRequest(
        names, path, rates, _read_signal(environment.get("STACKGLASS_SIGNAL", ""))
    )


def _read_signal(name: str) -> int:
    if not name:
        return 0
    plain = name.upper()
    plain = plain[3:] if plain.startswith("SIG") else plain
    if plain not in _SIGNALS:
        raise UsageError(f"STACKGLASS_SIGNAL: {name!r} is not one of {', '.join(_SIGNALS)}")
    return int(_SIGNALS[plain])


def _read_rate(variable: str, text: str, field: str) -> int:
    least, most = getattr(LEAST, field), getattr(MOST, field)
    if not text.isdecimal() or not least <= int(text) <= most:
        raise UsageError(f"{variable}: {text!r} is not a number from {least} to {most}")
    return int(text)


class RequestedProfiles:
    """The profiles of one request, from ``begin`` to ``finish``. One thread calls them; any thread
    may call ``write_so_far``."""

    __slots__ = (
        "_cpu",
        "_folder",
        "_pid",
        "_rates",
        "_request",
        "_say",
        "_take",
        "_unwritten",
        "_writing",
    )

    def __init__(
        self,
        request: ProfileRequest,
        cpu: CpuProfiler,
        rates: ProgramRates,
        take: Take,
        say: Callable[[str], None],
    ) -> None:
        """``say`` is called with a sentence for each problem."""
        self._request = request
        self._cpu = cpu
        self._rates = rates
        self._take = take
        self._say = say
        self._unwritten = io.BytesIO()  # the CPU profiler's output, which stop_and_build ignores
        self._pid = os.getpid()
        self._folder = os.getcwd()
        # _thread's, not threading's, which gevent may have replaced.
        self._writing = _thread.allocate_lock()  # held while the files are written

    def begin(self) -> None:
        """Start the profiles that can be recorded; ``say`` gets the reason for each other one."""
        for profile in self._request.profiles:
            try:
                self._begin_one(profile)
            except StackglassError as error:
                self._say(str(error))
        if self._request.signal:
            self._listen(self._request.signal)

    def finish(self) -> None:
        """Write the files, and stop. Does nothing in a forked child, which has no profiles."""
        if os.getpid() != self._pid:
            return
        for n_interrupts in range(2):
            held = HeldInterrupt(n_interrupts)
            try:
                with held, self._writing:
                    self._finish()
                return
            except KeyboardInterrupt:
                if held.is_entered:
                    break
                # It came just before it could be held, and counts as the first.
        self._say("interrupted again: some of the profiles are not written")

    def _finish(self) -> None:
        self._write(is_last=True)
        try:
            self._rates.withdraw()
        except StackglassError as error:
            self._say(str(error))

    def write_so_far(self) -> None:
        """Write the files, and go on recording. Does nothing while another thread writes them."""
        if os.getpid() == self._pid and self._writing.acquire(blocking=False):
            try:
                self._write(is_last=False)
            finally:
                self._writing.release()

    def _listen(self, number: int) -> None:
        """Handle the signal, unless the program has chosen what it does."""
        name = signal.Signals(number).name
        if signal.getsignal(number) is not signal.SIG_DFL:
            self._say(f"STACKGLASS_SIGNAL: the program handles {name} itself")
            return
        try:
            signal.signal(number, self._on_signal)
        except ValueError:
            self._say(f"STACKGLASS_SIGNAL: {name} can only be handled by the main thread")

    def _on_signal(self, _number: int, _frame: object) -> None:
        # In a thread of its own: the interrupted code may hold a lock that is needed for writing.
        try:
            _thread.start_new_thread(self.write_so_far, ())
        except RuntimeError as error:  # a limit on threads, or the interpreter ends
            self._say(f"STACKGLASS_SIGNAL: the profiles are not written now: {error}")

    def _write(self, is_last: bool) -> None:
        for profile in self._request.profiles:
            try:
                content = self._encode(profile, is_last)
                if content:
                    profile_file.write_file(self._make_path(profile), content)
            except StackglassError as error:
                self._say(str(error))
            except MemoryError:
                self._say(f"the profile {profile} is not written: there is no memory for it")

    def _begin_one(self, profile: str) -> None:
        wanted = self._request.rates
        if profile == CPU:
            self._cpu.start(self._unwritten, wanted.cpu_hz)
        elif profile == WALL:
            self._cpu.set_rate(wanted.cpu_hz)
            self._cpu.start_wall(self._unwritten, wanted.wall_hz)
        else:
            self._rates.set(RATE_OF[profile], _find_value(wanted, RATE_OF[profile]))

    def _encode(self, profile: str, is_last: bool) -> bytes:
        """Return the file's content; empty = the profile is not recorded, which was reported."""
        if profile in (CPU, WALL):
            build_so_far = partial(self._cpu.build_so_far, is_wall=profile == WALL)
            tables = self._cpu.stop_and_build() if is_last else build_so_far()
            return encode_file(tables) if tables is not None else b""
        if not self._rates.read(RATE_OF[profile]):
            return b""
        return recorded_profiles.encode(profile, self._take(profile), 0)

    def _make_path(self, profile: str) -> str:
        name = f"{_name_program(sys.argv)}.{_PID}.{_PROFILE}.pb.gz"
        pattern = self._request.output or os.path.join(self._folder, name)
        path = pattern.replace(_PID, str(self._pid)).replace(_PROFILE, profile)
        profile_file.make_folder(os.path.dirname(path))
        return path


def _find_value(rates: Rates, rate: str) -> int:
    for field, name in _VARIABLES.values():
        if name == rate:
            return int(getattr(rates, field))
    return 1  # threadcreate: on


def _name_program(words: list[str]) -> str:
    """Return the program's name for its files, as ``stackglass run`` chooses it."""
    first = words[0] if words else ""
    folder, name = os.path.split(first)
    if name == "__main__.py":
        name = os.path.basename(folder)
    return (name[:-3] if name.endswith(".py") else name) if name not in ("", "-c") else "python"
