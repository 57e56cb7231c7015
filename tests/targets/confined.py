"""Computes with few resources left: ``DESCRIPTORS`` = how many it may open, ``ADDRESS_MB`` = how
much address space it may add to the present one."""

import os
import resource

from rounds import run_rounds


def compute():
    return sum(number * number for number in range(3000))


def read_size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


if os.environ.get("DESCRIPTORS"):
    n = int(os.environ["DESCRIPTORS"])
    resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
if os.environ.get("ADDRESS_MB"):
    limit = read_size() + int(float(os.environ["ADDRESS_MB"]) * (1 << 20))
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
run_rounds("confined", compute)
