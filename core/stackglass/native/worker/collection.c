/* Uses PyGC_Disable and PyGC_Enable, which the API has from 3.10 on, and gc.collect() on 3.9. */
#include "worker/collection.h"

#include <Python.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

typedef int gc_switch(void);

/* NULL = the interpreter has no such function. Looked up once, because a failing lookup is slow.
 * Guarded by the GIL. */
static gc_switch *disable, *enable;

static void find_switches(void) {
    static bool is_done;
    if (is_done)
        return;
    sg_python_symbols_look_up("PyGC_Disable", &disable);
    sg_python_symbols_look_up("PyGC_Enable", &enable);
    is_done = true;
}

bool sg_collection_pause(void) {
    find_switches();
    return disable && enable && disable();
}

void sg_collection_resume(void) { enable(); }

/* On 3.9 the API has no switch, and PyGC_Collect() does nothing if the program has disabled the
 * collector. It can have done so only after importing `gc`. */
void sg_collection_run(void) {
    find_switches();
    if (disable && enable) {
        bool was_enabled = enable();
        PyGC_Collect();
        if (!was_enabled)
            disable();
        return;
    }
    PyObject *function = sg_python_text_global("gc", "collect"); /* borrowed */
    if (function && PyObject_TypeCheck(function, &PyCFunction_Type))
        Py_XDECREF(PyObject_CallObject(function, NULL));
    else
        PyGC_Collect();
}
