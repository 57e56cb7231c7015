/* Bindings of the search for the parts of the evaluation loop, in any function. */
#include "tables.h"

#include "interpreter/python_symbols.h"
#include "unwind/loop.h"
#include "unwind/tables.h"

/* (start, end, address): whether the address is in a part of the loop that lies at start. After
 * unwind_build. */
static PyObject *loop_has_part(PyObject *self, PyObject *args) {
    unsigned long long start, end, address;
    if (!PyArg_ParseTuple(args, "KKK", &start, &end, &address))
        return NULL;
    uintptr_t real_start = sg_python_symbols.eval_start, real_end = sg_python_symbols.eval_end;
    const struct sg_unwind_map *map = sg_unwind_tables_enter();
    if (!map) {
        PyErr_SetString(PyExc_RuntimeError, "there are no tables");
        return NULL;
    }
    sg_python_symbols.eval_start = (uintptr_t)start;
    sg_python_symbols.eval_end = (uintptr_t)end;
    sg_loop_learn(map);
    bool is_part = sg_loop_holds((uintptr_t)address);
    sg_loop_forget();
    sg_python_symbols.eval_start = real_start;
    sg_python_symbols.eval_end = real_end;
    sg_unwind_tables_leave();
    return PyBool_FromLong(is_part);
}

PyMethodDef sg_loop_bindings[] = {
    {"loop_has_part", loop_has_part, METH_VARARGS, "(start, end, address) -> bool"},
    {NULL, NULL, 0, NULL},
};
