"""Forks a child every round; the child computes, sends its result through a pipe and leaves."""

import os

from rounds import digest, run_rounds


def fork_and_ask():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, digest(sorted(str(number) for number in range(3000))).encode())
        os._exit(7)
    os.close(writer)
    answer = os.read(reader, 100)
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    return answer, status


run_rounds("forking", fork_and_ask)
