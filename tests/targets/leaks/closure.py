"""Leak by a closure: smooths measurements, and each filter keeps all signals that it was given.

The measurements are numpy arrays, or bytearrays without numpy.
"""

import argparse
import time

try:
    import numpy
except ImportError:
    numpy = None

N_SAMPLES = 50_000


def measure(number):
    """A second of a sensor's signal, 400 kB."""
    if numpy is None:
        return bytearray(8 * N_SAMPLES)
    return numpy.sin(numpy.arange(N_SAMPLES) * (1 + number % 7))


def make_filter(depth):
    """Make a filter that averages the last ``depth`` signals, and forgets to drop the others."""
    history = []

    def smooth(signal):
        history.append(signal)
        recent = history[-depth:]
        if numpy is None:
            return bytes(len(recent[0]))
        return sum(recent) / len(recent)

    return smooth


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--per-second", type=float, default=4)
    arguments = parser.parse_args()
    smooth = make_filter(4)
    print("measuring", flush=True)
    end = time.monotonic() + arguments.seconds
    number = 0
    while time.monotonic() < end:
        smooth(measure(number))
        number += 1
        time.sleep(1 / arguments.per_second)
    print(f"{number} signals")


if __name__ == "__main__":
    main()
