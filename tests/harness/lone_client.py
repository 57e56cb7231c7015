"""A client that watches a process until it is killed. Needs the roots and tests on PYTHONPATH."""

from __future__ import annotations

import sys

from harness.session import Session


def main() -> None:
    with Session(int(sys.argv[1]), hz=1000) as session:
        session.wait_for_samples(20)
        sys.stdout.write("watching\n")
        sys.stdout.flush()
        session.wait_for_end(patience_s=600.0)


if __name__ == "__main__":
    main()
