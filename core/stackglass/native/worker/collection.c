/* Uses PyGC_Disable, PyGC_Enable and PyGC_IsEnabled, which the API has from 3.10 on. */
#include "worker/collection.h"

#include <Python.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

typedef int gc_switch(void);

/* NULL = the interpreter has no such function. Looked up once, because a failing lookup is slow.
 * Guarded by the GIL. */
static gc_switch *disable, *enable, *is_enabled;

static void find_switches(void) {
    static bool is_done;
    if (is_done)
        return;
    sg_python_symbols_look_up("PyGC_Disable", &disable);
    sg_python_symbols_look_up("PyGC_Enable", &enable);
    sg_python_symbols_look_up("PyGC_IsEnabled", &is_enabled);
    is_done = true;
}

bool sg_collection_pause(void) {
    find_switches();
    return disable && enable && disable();
}

void sg_collection_resume(void) { enable(); }

/* PyGC_Collect() does nothing if the program has disabled the collector, which it can have done
 * only after importing `gc`, unless by the API. The collector is not switched on for gc.collect(),
 * so what finalizers and other threads do with the switch meanwhile stays. */
void sg_collection_run(void) {
    find_switches();
    PyObject *function = NULL; /* borrowed */
    if (!is_enabled || !is_enabled())
        function = sg_python_text_global("gc", "collect");
    if (function && PyObject_TypeCheck(function, &PyCFunction_Type)) {
        Py_XDECREF(PyObject_CallObject(function, NULL));
        return;
    }
    bool was_enabled = !enable || enable();
    PyGC_Collect();
    if (!was_enabled)
        disable();
}
