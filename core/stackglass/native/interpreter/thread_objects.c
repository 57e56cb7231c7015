/* The main Thread object stands for the process's first thread if one of these holds:
 *
 *     the thread of its `_ident` has the tid that is the pid
 *     the interpreter's oldest thread state belongs to the thread with that tid
 *
 * The second covers gevent, which replaces `_ident`. Both also work after a fork. */
#include "interpreter/thread_objects.h"

#include <unistd.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

enum { FIRST_ID = 1 }; /* PyThreadState_GetID of an interpreter's first thread state */

/* Did the process's first thread start the interpreter? */
static bool is_interpreter_of_first(void) {
    const void *oldest = NULL;
    for (const void *thread = sg_interpreter_thread(sg_interpreter_home()); thread;
         thread = sg_interpreters_next_at_home(thread))
        oldest = thread;
    uintptr_t pthread =
        oldest ? sg_memory_load((uintptr_t)oldest + (uintptr_t)sg_debug_offsets.thread_id) : 0;
    return oldest && sg_interpreters_id_at_home(oldest) == FIRST_ID &&
           sg_thread_ids_of(pthread) == getpid();
}

bool sg_thread_objects_is_first(PyObject *thread) {
    if (thread != sg_python_text_global("threading", "_main_thread"))
        return false;
    PyObject *ident = sg_python_text_plain_attribute(thread, "_ident");
    uintptr_t pthread = ident && PyLong_Check(ident) ? (uintptr_t)PyLong_AsUnsignedLong(ident) : 0;
    PyErr_Clear(); /* gevent's numbers may be negative */
    Py_XDECREF(ident);
    return sg_thread_ids_of(pthread) == getpid() || is_interpreter_of_first();
}
