"""Forks with a large heap, and executes another program in the child, ten times a round; reads
each child's output."""

import os
import sys

from rounds import run_rounds

N_FORKS = 10
heap = [bytes(1000) for _ in range(100_000)]


def fork_and_execute():
    answers = []
    for i in range(N_FORKS):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(writer, 1)
            os.execv("/bin/echo", ["echo", str(i), str(len(heap))])
        os.close(writer)
        with open(reader, "rb") as answer:
            answers.append(answer.read())
        answers.append(os.waitpid(pid, 0)[1])
    return answers


sys.setswitchinterval(0.001)
run_rounds("fork and exec", fork_and_execute)
