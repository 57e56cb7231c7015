// Functions of nanobind that use CPU time: of a module, of a class.
#include <nanobind/nanobind.h>

#define SPIN(n, factor)                                                                            \
    double x = 0;                                                                                  \
    for (long i = 0; i < (long)(n); i++)                                                           \
        x = x * factor + i % 7;                                                                    \
    return x;

struct Vec {
    long n;
};

NB_MODULE(nanobind_demo, m) {
    m.def("spin", [](long n) { SPIN(n, 0.999) });
    nanobind::class_<Vec>(m, "Vec")
        .def(nanobind::init<>())
        .def("norm", [](Vec &, long n) { SPIN(n, 0.996) });
}
