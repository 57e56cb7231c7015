/* Native sites: records allocations with the C frames of their stack, if native stacks are on. */
#ifndef STACKGLASS_HEAP_NATIVE_SITES_H
#define STACKGLASS_HEAP_NATIVE_SITES_H

#include "heap/samples.h"

/* Record an allocation of the calling thread, with or without C frames. */
void sg_heap_native_sites_alloc(const struct sg_heap_moment *moment,
                                const struct sg_heap_alloc *alloc);

#endif
