"""Program that computes in rounds of equal work, and prints the cost of each round.

    python load.py nbody|web|deep|libraries

One line a round: ``CPU_NS WALL_NS``, of the whole process. Measured from outside by attaching to
it and comparing rounds with and without. Python 3.9, standard library.
"""

import json
import re
import sys
import time
import zlib


def advance(bodies, dt):
    for i, (p, v, m) in enumerate(bodies):
        for q, w, n in bodies[i + 1 :]:
            dx, dy, dz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
            strength = dt / ((dx * dx + dy * dy + dz * dz) ** 1.5 + 0.01)
            v[0] -= dx * n * strength
            v[1] -= dy * n * strength
            v[2] -= dz * n * strength
            w[0] += dx * m * strength
            w[1] += dy * m * strength
            w[2] += dz * m * strength
    for p, v, _ in bodies:
        p[0] += dt * v[0]
        p[1] += dt * v[1]
        p[2] += dt * v[2]


def run_nbody():
    """Arithmetic in one shallow function."""
    bodies = [([i, i * 0.5, i * 0.25], [0.0, i * 0.1, 0.0], 1.0 + i) for i in range(5)]
    for _ in range(900):
        advance(bodies, 0.001)


class Page:
    """Work of a small web framework: objects, dictionaries, strings, JSON."""

    def __init__(self, number):
        self.fields = {f"field{i}": f"value {number * i}" for i in range(12)}

    def validate(self):
        return all(self.check(name, value) for name, value in self.fields.items())

    def check(self, name, value):
        return name.startswith("field") and value.split()[1].isdigit()

    def render(self):
        rows = "".join(f"<tr><td>{k}</td><td>{v}</td></tr>" for k, v in self.fields.items())
        return f"<table>{rows}</table>"


def handle(number):
    page = Page(number)
    if not page.validate():
        raise ValueError(number)
    return len(page.render()) + len(json.loads(json.dumps(page.fields)))


def run_web():
    for number in range(450):
        handle(number)


def descend(depth):
    if depth:
        return descend(depth - 1) + 1
    total = 0
    for number in range(60):
        total += number & 3
    return total


def run_deep():
    """Forty-eight frames down, again and again."""
    for _ in range(1500):
        descend(48)


def run_libraries():
    """C code of several libraries, and C code that calls Python."""
    numbers = list(range(4000))
    for _ in range(12):
        text = json.dumps([{"number": number, "name": str(number)} for number in numbers[:600]])
        json.loads(text)
        zlib.compress(text.encode() * 4)
        re.findall(r"(\w+)\W+(\d+)", text)
        numbers.sort(key=lambda number: -number)
        numbers.sort()


def main():
    run = {
        "nbody": run_nbody,
        "web": run_web,
        "deep": run_deep,
        "libraries": run_libraries,
    }[sys.argv[1]]
    while True:
        cpu, wall = time.process_time_ns(), time.monotonic_ns()
        run()
        cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
        sys.stdout.write(f"{cpu} {wall}\n")
        sys.stdout.flush()


main()
