"""A program that ends within a moment, with objects of known types, of its own and of Python's."""


class Photo:
    __slots__ = ("tags", "title")

    def __init__(self, number: int) -> None:
        self.title = "title " * (1 + number % 3) + "x"
        self.tags = [number, number]


class Late:
    __slots__ = ()


def keep_photos(n: int) -> "list[Photo]":
    return [Photo(i) for i in range(n)]


def keep_late(n: int) -> "list[Late]":
    return [Late() for _ in range(n)]


kept = keep_photos(1500), keep_late(700)
