"""Never releases the GIL by itself or on request: the switch interval is an hour.

It ends after two minutes, or when it is killed.
"""

import json
import os
import sys
import time


def keep_at_it():
    end = time.monotonic() + 120  # asking the time does not release it
    while time.monotonic() < end:
        sum(range(100))


sys.setswitchinterval(3600)
print(json.dumps({"ready": "stingy", "pid": os.getpid()}), flush=True)
keep_at_it()
