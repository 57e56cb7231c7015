// Functions of pybind11 that use CPU time: of a module, overloaded, of a class.
#include <pybind11/pybind11.h>

#define SPIN(n, factor)                                                                            \
    double x = 0;                                                                                  \
    for (long i = 0; i < (long)(n); i++)                                                           \
        x = x * factor + i % 7;                                                                    \
    return x;

struct Vec {
    long n;
};

PYBIND11_MODULE(pybind11_demo, m) {
    m.def("spin", [](long n) { SPIN(n, 0.999) });
    m.def("both", [](long n, long) { SPIN(n, 0.998) });
    m.def("both", [](double n) { SPIN(n, 0.997) });
    pybind11::class_<Vec>(m, "Vec")
        .def(pybind11::init<>())
        .def("norm", [](Vec &, long n) { SPIN(n, 0.996) });
}
