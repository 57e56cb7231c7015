// C++ code whose stacks are known: templates, namespaces, exceptions.
#include <ctime>
#include <stdexcept>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default"), noinline))
#define KEPT __attribute__((noinline, noclone))
#define NO_TAIL_CALL() __asm__ volatile("")

namespace {
double until;

double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}
} // namespace

namespace known {

KEPT void spin() {
    while (now() < until)
        for (volatile int i = 0; i < 20000; i++)
            ;
    NO_TAIL_CALL();
}

template <typename T> struct Shape {
    std::vector<T> sides;
    KEPT void draw() const {
        if (sides.size() > 1)
            spin();
        NO_TAIL_CALL();
    }
};

KEPT void fail(int depth) {
    if (depth == 0)
        throw std::runtime_error("known");
    fail(depth - 1);
    NO_TAIL_CALL();
}

KEPT void spin_in_handler() {
    try {
        fail(3);
    } catch (const std::runtime_error &) {
        spin();
    }
    NO_TAIL_CALL();
}

} // namespace known

EXPORTED void run_template(double seconds) {
    until = now() + seconds;
    known::Shape<double> shape{{1.0, 2.0}};
    shape.draw();
    NO_TAIL_CALL();
}

EXPORTED void run_exception(double seconds) {
    until = now() + seconds;
    known::spin_in_handler();
    NO_TAIL_CALL();
}
