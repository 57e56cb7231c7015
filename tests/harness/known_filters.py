"""System call filters in common use, ready to install: name → classic BPF."""

from __future__ import annotations

from harness.seccomp_filters import ALLOW, DENY, KILL, MISSING, build_filter
from harness.seccomp_lists import BARE, DOCKER, FLATPAK_DENIED, SYSTEM_SERVICE

FILTERS = {
    "system-service": build_filter(SYSTEM_SERVICE, ALLOW, KILL),
    "docker": build_filter(DOCKER, ALLOW, DENY, {"clone3": MISSING}),
    "flatpak": build_filter(FLATPAK_DENIED, DENY, ALLOW),
    "bare": build_filter(BARE, ALLOW, KILL),
}
