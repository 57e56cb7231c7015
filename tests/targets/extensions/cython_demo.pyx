# Functions of Cython that use CPU time: of a module, of a class, of an extension type.


def spin(long n):
    cdef long i
    cdef double x = 0
    for i in range(n):
        x = x * 0.999 + i % 7
    return x


class Plain:
    def turn(self, long n):
        cdef long i
        cdef double x = 0
        for i in range(n):
            x = x * 0.998 + i % 5
        return x


cdef class Fast:
    def roll(self, long n):
        cdef long i
        cdef double x = 0
        for i in range(n):
            x = x * 0.997 + i % 3
        return x
