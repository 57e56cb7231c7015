/* Prefetch: requests memory that is read soon, so that the processor does not wait for it then. */
#ifndef STACKGLASS_PLATFORM_PREFETCH_H
#define STACKGLASS_PLATFORM_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Prefetch the `size` bytes at `address`, which may be invalid. */
static inline void sg_prefetch(const void *address, size_t size) {
    enum { CACHE_LINE = 64 };
    uintptr_t begin = (uintptr_t)address & ~(uintptr_t)(CACHE_LINE - 1);
    for (uintptr_t at = begin; at < (uintptr_t)address + size; at += CACHE_LINE)
        __builtin_prefetch((const void *)at);
}

#endif
