/* Binding of unsampling: estimates the allocations that samples of the heap represent. */
#include "bindings/method_tables.h"

#include "heap/sampling.h"

static PyObject *unsample(PyObject *module, PyObject *arguments) {
    unsigned long long allocs, bytes, rate;
    uint64_t objects, space;
    if (!PyArg_ParseTuple(arguments, "KKK", &allocs, &bytes, &rate))
        return NULL;
    sg_heap_sampling_unsample(allocs, bytes, rate, &objects, &space);
    return Py_BuildValue("(KK)", (unsigned long long)objects, (unsigned long long)space);
}

PyMethodDef sg_unsample_bindings[] = {
    {"heap_unsample", unsample, METH_VARARGS,
     "heap_unsample(allocs, bytes, rate): return how many objects and bytes samples stand for."},
    {NULL, NULL, 0, NULL},
};
