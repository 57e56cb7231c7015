"""Answers each line of input with the number of thread states made so far.

A thread state's id is the number of states that were made before it in its interpreter.
"""

import ctypes
import os
import sys
import threading

from rounds import announce

api = ctypes.PyDLL(None)
api.PyThreadState_GetID.restype = ctypes.c_uint64
api.PyThreadState_GetID.argtypes = [ctypes.c_void_p]
api.PyThreadState_Get.restype = ctypes.c_void_p


def read_number(numbers):
    numbers.append(api.PyThreadState_GetID(api.PyThreadState_Get()))


def ask_new_thread():
    numbers = []
    thread = threading.Thread(target=read_number, args=(numbers,))
    thread.start()
    thread.join()
    return numbers[0]


announce(ready="thread states", pid=os.getpid())
for _ in sys.stdin:
    announce(number=ask_new_thread())
announce(result=0, rounds=1, wrong=0)
