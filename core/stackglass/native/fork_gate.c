/* Thread states made while nobody forks: see fork_gate.h. */
#include "fork_gate.h"

#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gil_handover.h"

enum {
    LAST_MINOR_IN_NEED = 11,
    RAW_DOMAIN = 0,
    LAST_MINOR_THAT_CRASHES = 13, /* see fork_gate.h */
    /* The main thread has so long to stand aside; the first where tracemalloc is off. */
    BRIEF_NS = 25 * 1000 * 1000,
    LONG_NS = 50 * 1000 * 1000,
};

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

static int read_minor(void) {
    int minor = 0;
    return sscanf(Py_GetVersion(), "%*d.%d", &minor) == 1 ? minor : 0;
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

/* As in the interpreter's headers, which hide it from the stable ABI. */
struct allocator {
    void *context;
    void *functions[4];
};
typedef void get_allocator_fn(int domain, struct allocator *allocator);

/* Whether a tool like tracemalloc sees the allocations of threads without the GIL: the
 * interpreter's own functions have no context. */
static bool is_raw_domain_hooked(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    get_allocator_fn *get_allocator;
    struct allocator allocator = {0};
    memcpy(&get_allocator, &symbol, sizeof get_allocator);
    if (get_allocator)
        get_allocator(RAW_DOMAIN, &allocator);
    return allocator.context != NULL;
}

/* The thread state between two jobs; NULL = there is none. Belongs to the thread that takes the
 * GIL.
 */
static PyThreadState *kept;
static PyGILState_STATE first_taken; /* what PyGILState_Ensure returned when it made the state */
static int is_made_here;             /* by make_state: counts as taken once more */

void sg_gil_take(void) {
    if (kept) {
        PyEval_RestoreThread(kept);
        kept = NULL;
        return;
    }
    int minor = read_minor();
    if (minor <= LAST_MINOR_THAT_CRASHES) /* so that the main thread cannot stop tracemalloc */
        sg_gil_handover_ask(is_raw_domain_hooked() ? LONG_NS : BRIEF_NS);
    is_made_here = minor <= LAST_MINOR_IN_NEED && make_state();
    first_taken = PyGILState_Ensure();
}

void sg_gil_give(bool is_last) {
    if (!is_last) {
        kept = PyEval_SaveThread();
        return;
    }
    if (is_made_here)
        PyGILState_Release(PyGILState_LOCKED);
    PyGILState_Release(first_taken);
}

void sg_gil_forget(void) { kept = NULL; }

void sg_fork_gate_close(void) { pthread_mutex_lock(&gate); }
void sg_fork_gate_open(void) { pthread_mutex_unlock(&gate); }
