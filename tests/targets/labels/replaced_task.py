"""A program that replaces ``_asyncio.Task`` by a type with numbers in the places of the references
of asyncio's tasks. As pointers, these numbers would lead to unmapped memory."""

import _asyncio
import asyncio
import asyncio.tasks
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rounds import run_rounds

N_WORDS = 624
FIRST_WORD_AT = 20  # in an object; each has four bytes
NOT_MAPPED = 0x1234_5678_9AB8


class Task(random.Random):
    """An object that contains numbers."""


def burn():
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        sum(range(100))


task = Task()
words = tuple(
    NOT_MAPPED & 0xFFFFFFFF if (FIRST_WORD_AT + 4 * word) % 8 == 0 else NOT_MAPPED >> 32
    for word in range(N_WORDS)
)
task.setstate((3, (*words, N_WORDS), None))
_asyncio.Task = Task
asyncio.tasks._current_tasks[object()] = task  # any loop
run_rounds("replaced_task", burn)
