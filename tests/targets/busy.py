"""Pure Python at full speed: calls, generators, comprehensions, exceptions, recursion."""

from rounds import run_rounds


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def list_squares(n):
    for number in range(n):
        yield number * number


def divide(n):
    total = 0
    for divisor in range(n):
        try:
            total += n // divisor
        except ZeroDivisionError:
            total -= 1
    return total


def work():
    return fibonacci(16), sum(list_squares(2000)), divide(1000), sorted(str(i) for i in range(500))


run_rounds("busy", work)
