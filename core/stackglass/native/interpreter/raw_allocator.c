/* An allocator's functions get a context, and the context shows which tool they belong to. */
#include "interpreter/raw_allocator.h"

#include <Python.h>

#include <string.h>

#include "interpreter/loaded_modules.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    RAW_DOMAIN = 0,                 /* PYMEM_DOMAIN_RAW */
    DEBUG_RAW = 'r',                /* the debug hooks' letter for this domain */
    FIRST_MINOR_THAT_DETACHES = 13, /* PyMem_GetAllocator releases the GIL if it has to wait */
    IS_OFF = -2,                    /* PyTraceMalloc_Untrack returns this if tracemalloc is off */
};
/* A tracemalloc domain in which no program traces blocks: PyTraceMalloc_Untrack has no effect. */
#define NO_DOMAIN 0x5347u

/* CPython's PyMemAllocatorEx, which the stable ABI hides. */
struct allocator {
    void *context; /* NULL = the interpreter's own functions */
    void *functions[4];
};
typedef void get_allocator_fn(int domain, struct allocator *allocator);
typedef int untrack_fn(unsigned domain, uintptr_t address);

/* The context of the interpreter's debug hooks. */
struct debug_context {
    uint64_t domain; /* a letter, and padding */
    uint64_t context_below;
};

/* NULL = not exported; constant once found. */
static get_allocator_fn *get_allocator;
static untrack_fn *untrack;
static const int *tracemalloc_config; /* its first int is 0 if tracemalloc is not initialised */

void sg_raw_allocator_find(void) {
    sg_python_symbols_look_up("PyMem_GetAllocator", &get_allocator);
    sg_python_symbols_look_up("PyTraceMalloc_Untrack", &untrack);
    tracemalloc_config = sg_python_symbols_address("_Py_tracemalloc_config");
}

bool sg_raw_allocator_is_own(void) {
    struct allocator allocator = {0};
    if (get_allocator)
        get_allocator(RAW_DOMAIN, &allocator);
    if (allocator.context == NULL)
        return true;
    /* tracemalloc's context begins with the address of the context below it, or with NULL, so it
     * cannot be taken for the debug hooks' letter. */
    struct debug_context debug;
    return sg_memory_read((uintptr_t)allocator.context, &debug, sizeof debug) &&
           debug.domain == DEBUG_RAW && debug.context_below == 0;
}

bool sg_raw_allocator_is_traced(void) {
    if (sg_python_symbols_running_minor() < FIRST_MINOR_THAT_DETACHES)
        return !sg_raw_allocator_is_own(); /* before 3.12 no lock; in 3.12 it is held briefly */
    return untrack && untrack(NO_DOMAIN, 0) != IS_OFF;
}

bool sg_raw_allocator_may_be_traced(void) {
    return tracemalloc_config ? *tracemalloc_config != 0 : !sg_loaded_modules_lack("_tracemalloc");
}
