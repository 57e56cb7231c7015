"""Reads and looks for files in the kernel for argv[1] seconds."""

import os
import sys
import time

ZERO = os.open("/dev/zero", os.O_RDONLY)


def read_much():
    for _ in range(20):
        os.read(ZERO, 1 << 20)


def look_often():
    for _ in range(2000):
        os.stat("/usr/lib")


end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    read_much()
    look_often()
