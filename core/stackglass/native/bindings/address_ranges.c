/* Reads a tuple of (start, end, has calls) into an array of at most 64 ranges; an exception says
 * what is wrong with the tuple. */
#include "bindings/address_ranges.h"

int sg_address_ranges_parse(PyObject *tuple, struct sg_range *ranges, size_t *n_ranges) {
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n < 0) {
        return -1;
    }
    if (n > SG_ADDRESS_RANGES_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many ranges");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned long long start, end;
        int has_calls;
        if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "KKp", &start, &end, &has_calls)) {
            return -1;
        }
        ranges[i] = (struct sg_range){start, end, has_calls != 0};
    }
    *n_ranges = (size_t)n;
    return 0;
}
