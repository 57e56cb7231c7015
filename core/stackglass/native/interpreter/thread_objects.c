/* Objects of threading.Thread: see thread_objects.h. */
#include "interpreter/thread_objects.h"

#include <unistd.h>

#include "interpreter/python_text.h"
#include "platform/thread_ids.h"

bool sg_thread_objects_is_first(PyObject *thread) {
    if (thread != sg_python_text_global("threading", "_main_thread"))
        return false;
    PyObject *ident = sg_python_text_plain_attribute(thread, "_ident");
    uintptr_t pthread = ident && PyLong_Check(ident) ? (uintptr_t)PyLong_AsUnsignedLong(ident) : 0;
    PyErr_Clear(); /* gevent's numbers may be negative */
    Py_XDECREF(ident);
    return sg_thread_ids_of(pthread) == getpid();
}
