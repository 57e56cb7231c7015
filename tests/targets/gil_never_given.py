"""A service that hangs at its first request: a regex that backtracks for years, with the GIL.

That request calls its functions for the first time, so that the engine does not know their names.
"""

import os
import re
import sys

from rounds import announce

PATTERN = re.compile(r"(a+)+$")


class Service:
    def answer(self):
        return self.check("a" * 64 + "b")

    def check(self, text):
        return PATTERN.match(text)


announce(ready="gil_never_given", pid=os.getpid())
for _ in sys.stdin:
    announce(hanging=True)
    Service().answer()
