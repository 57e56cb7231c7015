/* Thread states made while nobody forks: see fork_gate.h. */
#include "fork_gate.h"

#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LAST_MINOR_IN_NEED = 11 };

typedef PyInterpreterState *main_fn(void);

/* Held for the making of a thread state, and by who forks. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Not of the stable ABI; NULL = not there. */
static main_fn *find_main(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "PyInterpreterState_Main");
    main_fn *found;
    memcpy(&found, &symbol, sizeof found);
    return found;
}

static int is_in_need(void) {
    int minor = 0;
    return sscanf(Py_GetVersion(), "%*d.%d", &minor) == 1 && minor <= LAST_MINOR_IN_NEED;
}

/* A thread state without the GIL; PyGILState_Ensure finds it, since up to 3.11 a new one is the
 * calling thread's at once. */
static int make_state(void) {
    main_fn *main_interpreter = find_main();
    if (!main_interpreter)
        return 0;
    pthread_mutex_lock(&gate);
    int is_made = PyThreadState_New(main_interpreter()) != NULL;
    pthread_mutex_unlock(&gate);
    return is_made;
}

enum { IS_MADE = 1 << 8 }; /* beside a PyGILState_STATE */

int sg_gil_take(void) {
    int is_made = is_in_need() && make_state();
    return (int)PyGILState_Ensure() | (is_made ? IS_MADE : 0);
}

/* The state that was made counts as taken once more: it goes with that. */
void sg_gil_give(int state) {
    PyGILState_STATE taken = (PyGILState_STATE)(state & ~IS_MADE);
    if (state & IS_MADE)
        PyGILState_Release(PyGILState_LOCKED);
    PyGILState_Release(taken);
}

void sg_fork_gate_close(void) { pthread_mutex_lock(&gate); }
void sg_fork_gate_open(void) { pthread_mutex_unlock(&gate); }
