# cython: language_level=3, cdivision=True
# Functions of Cython whose stacks are known: each ends in `spin`, which uses CPU time.

from posix.time cimport CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec


cdef double now() noexcept:
    cdef timespec time
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec + time.tv_nsec / 1e9


cdef double spin(double seconds) noexcept:
    cdef double until = now() + seconds
    cdef double x = 0
    cdef long i
    while now() < until:
        for i in range(500000):
            x = x * 0.999 + i % 7
    return x


def run_function(double seconds):
    return spin(seconds)


cdef class Shape:
    cdef double draw(self, double seconds) noexcept:
        return 0


cdef class Circle(Shape):
    cdef double draw(self, double seconds) noexcept:
        return spin(seconds)

    def run_method(self, double seconds):
        return self.draw(seconds)


def run_virtual(double seconds):
    cdef Shape shape = Circle()
    return shape.draw(seconds)


cdef call_inner(back):
    return back()


def run_callback(back):
    return call_inner(back)
