/* Raw allocator: which functions it has, and what their context says of them. */
#include "interpreter/raw_allocator.h"

#include <Python.h>

#include <dlfcn.h>
#include <string.h>

#include "interpreter/loaded_modules.h"
#include "platform/memory.h"

enum { RAW_DOMAIN = 0, DEBUG_RAW = 'r' };

/* As in the interpreter's headers, which hide it from the stable ABI. */
struct allocator {
    void *context; /* NULL = the interpreter's own functions */
    void *functions[4];
};
typedef void get_allocator_fn(int domain, struct allocator *allocator);

/* What the interpreter's debug hooks have as their context. */
struct debug_context {
    uint64_t domain; /* a letter, and padding */
    uint64_t context_below;
};

/* NULL = not there; constant once found. */
static get_allocator_fn *get_allocator;
static const int *tracemalloc_config; /* begins with: 0 = not initialised */

void sg_raw_allocator_find(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    memcpy(&get_allocator, &symbol, sizeof get_allocator);
    tracemalloc_config = dlsym(RTLD_DEFAULT, "_Py_tracemalloc_config");
}

bool sg_raw_allocator_is_own(void) {
    struct allocator allocator = {0};
    if (get_allocator)
        get_allocator(RAW_DOMAIN, &allocator);
    if (allocator.context == NULL)
        return true;
    /* tracemalloc's context begins with the context below it, an address or NULL: no letter. */
    struct debug_context debug;
    return sg_memory_read((uintptr_t)allocator.context, &debug, sizeof debug) &&
           debug.domain == DEBUG_RAW && debug.context_below == 0;
}

bool sg_raw_allocator_may_be_traced(void) {
    return tracemalloc_config ? *tracemalloc_config != 0 : !sg_loaded_modules_lack("_tracemalloc");
}
