"""The program nursery.py, with a fork handler of C code (``HANDLER``) that still runs in a child
when its PID is said. The parent has two threads, so that Python has a thread's state to delete in
the child."""

import ctypes
import os
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

threading.Thread(target=threading.Event().wait, daemon=True).start()
assert ctypes.CDLL(os.environ["HANDLER"]).register_handler() == 0
import nursery  # noqa: E402, F401 - importing runs it
