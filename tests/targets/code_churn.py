"""Makes code objects with exec, runs them and frees them, by the thousand."""

from rounds import run_rounds


def churn():
    total = 0
    for number in range(200):
        space = {}
        exec(f"def made_{number}(n):\n    return sum(i * {number} for i in range(n))", space)
        total += space[f"made_{number}"](50)
    return total


run_rounds("code churn", churn)
