/* Reading this process's memory where nothing vouches for the address. */
#ifndef STACKGLASS_MEMORY_H
#define STACKGLASS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy `size` bytes from `address`; false if any of them is not mapped. A system call (some
 * 600 ns), async-signal-safe; leaves errno as it likes. */
bool sg_memory_read(uintptr_t address, void *copy, size_t size);

/* Store one pointer where a read-only page may be; false if so. Not async-signal-safe. */
bool sg_memory_store(void **address, void *value);

/* Zeroed pages that belong to no allocator of the process; NULL if there are none. */
void *sg_memory_map(size_t size);
void sg_memory_unmap(void *address, size_t size);

static inline uint64_t sg_load(uintptr_t address) { return *(const uint64_t *)address; }
static inline int32_t sg_load_int(uintptr_t address) { return *(const int32_t *)address; }

#endif
