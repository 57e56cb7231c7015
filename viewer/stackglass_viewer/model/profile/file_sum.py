"""Sum of several files, as one profile with a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.profile_sum import merge_profiles
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.units import format_count

_MAX_NAMES = 3
_SAMPLES = SampleType("samples", "count")


@dataclass(frozen=True, slots=True, eq=False)
class FileSum:
    """The sum of several files."""

    profile: Profile
    name: str
    paths: tuple[str, ...] = ()  # paths of the files; () = they cannot be read again


def sum_files(opened: Sequence[tuple[Profile | FunctionTable, str]]) -> FileSum:
    """Add up files, each with its name. May run in any thread. Raises ContentError."""
    profiles = [profile for profile, _ in opened if isinstance(profile, Profile)]
    for profile, name in opened:
        if isinstance(profile, FunctionTable):
            raise ContentError(
                f"{name} is a {profile.format_name} file, without stacks to add up",
                "give one file",
            )
    try:
        merged = merge_profiles(profiles)
    except ContentError as error:
        raise ContentError(f"files of different kinds are not added up: {error.message}") from None
    warnings = (*merged.warnings, *_compare_rates(profiles))
    return FileSum(replace(merged, warnings=warnings), name_sum([name for _, name in opened]))


def name_sum(names: Sequence[str]) -> str:
    """Return a name for a sum: ``a.pb + b.pb``, or ``5 files`` if there are many."""
    return " + ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} files"


def _compare_rates(profiles: Sequence[Profile]) -> Iterator[str]:
    """Yield a warning if samples that are counted were taken at different rates. Times and bytes do
    not depend on the rate."""
    periods = sorted({profile.period for profile in profiles})
    counted = [each.name for each in profiles[0].sample_types if each == _SAMPLES]
    if len(periods) > 1 and counted:
        taken = " and ".join(map(format_count, (periods[0], periods[-1])))
        kind = profiles[0].period_type
        unit = f" {kind.unit}" if kind else ""
        yield f"{counted[0]} were taken every {taken}{unit}: they count different amounts"
