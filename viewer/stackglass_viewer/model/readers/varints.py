"""Sequential reader of bytes and of numbers in LEB128."""

from __future__ import annotations

_MAX_BITS = 63


class ByteReader:
    """Reads a part of a file from begin to end. Used by one thread."""

    def __init__(self, content: bytes | bytearray | memoryview, at: int, end: int) -> None:
        self.at = at
        self.end = end
        self._content = content

    def read_byte(self) -> int:
        """Read a byte. Raises IndexError at the end."""
        if self.at >= self.end:
            raise IndexError
        self.at += 1
        return self._content[self.at - 1]

    def read_number(self) -> int:
        """Read a number, 0 … 2**64 - 1. Raises IndexError at the end, ValueError if it is
        larger."""
        byte = self.read_byte()
        if byte < 0x80:
            return byte
        number, bits = byte & 0x7F, 7
        while True:
            byte = self.read_byte()
            number |= (byte & 0x7F) << bits
            if byte < 0x80:
                if number >> 64:
                    raise ValueError("a number of more than 64 bits")
                return number
            bits += 7
            if bits > _MAX_BITS:
                raise ValueError("a number of more than 64 bits")

    def take(self, n: int) -> bytes:
        """Read ``n`` bytes. Raises IndexError if fewer are left."""
        if n > self.end - self.at:
            raise IndexError
        self.at += n
        return bytes(self._content[self.at - n : self.at])
