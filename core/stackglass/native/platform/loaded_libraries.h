/* Loaded libraries: the loader's list, read while no fork can happen.
 *
 * The loader guards its list with a lock that the C library does not release in a forked child. So
 * a child of a fork in the middle of a visit would wait for ever at its first dlopen. */
#ifndef STACKGLASS_PLATFORM_LOADED_LIBRARIES_H
#define STACKGLASS_PLATFORM_LOADED_LIBRARIES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int sg_library_visit_fn(struct dl_phdr_info *info, size_t size, void *context);

/* Visit the loaded libraries, as dl_iterate_phdr does. Called by engine threads, and by the thread
 * that starts the engine; not nested. */
int sg_loaded_libraries_visit(sg_library_visit_fn *visit, void *context);

/* Whether the address lies in a loaded segment of the library that has the `flags`: PF_X = code, 0
 * = any segment. */
bool sg_loaded_libraries_holds(const struct dl_phdr_info *info, uintptr_t address, uint32_t flags);

/* Numbers of libraries that have been loaded and unloaded so far. */
struct sg_library_counts {
    unsigned long long n_loads, n_unloads;
};
struct sg_library_counts sg_loaded_libraries_count(void);

#endif
