/* Reading this process's memory where nothing vouches for the address. */
#ifndef STACKGLASS_PLATFORM_MEMORY_H
#define STACKGLASS_PLATFORM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy `size` bytes from `address`; false if any of them is not mapped. Engine threads: where a
 * system call filter forbids the call that copies without a fault (some 600 ns), as
 * sg_memory_read_probed. Async-signal-safe; leaves errno as it likes. */
bool sg_memory_read(uintptr_t address, void *copy, size_t size);

/* The same on the program's threads, in handlers and hooks, which may be under a filter of their
 * own: the kernel says whether the pages can be read, by a call that every threaded program makes
 * (rt_sigprocmask, some 100 ns a page), and then they are read in place. So another thread must not
 * unmap them meanwhile. Keeps errno. */
bool sg_memory_read_probed(uintptr_t address, void *copy, size_t size);

/* Store one pointer where a read-only page may be; false if so. Under a filter that forbids the
 * call for that (process_vm_writev), the kernel is asked whether the page can be written (a futex
 * operation that changes nothing), and the store is an ordinary one. Not async-signal-safe. */
bool sg_memory_store(void **address, void *value);

/* Zeroed pages that belong to no allocator of the process; NULL if there are none. */
void *sg_memory_map(size_t size);
void sg_memory_unmap(void *address, size_t size);

static inline uint64_t sg_load(uintptr_t address) { return *(const uint64_t *)address; }
static inline int32_t sg_load_int(uintptr_t address) { return *(const int32_t *)address; }

#endif
