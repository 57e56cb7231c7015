/* Resident pages of an address range, from /proc/self/pagemap: read(2) alone, which no seccomp
 * filter forbids. */
#ifndef STACKGLASS_PLATFORM_RESIDENT_PAGES_H
#define STACKGLASS_PLATFORM_RESIDENT_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* A descriptor, or -1. The caller closes it. */
int sg_resident_pages_open(void);
/* Bytes of [start, end), whole pages, that are in memory or swapped out. 0 where nothing is mapped.
 */
uint64_t sg_resident_pages_count(int descriptor, uintptr_t start, uintptr_t end);

#endif
