/* Resident pages of an address range, from /proc/self/pagemap. Reading a file is a call that no
 * seccomp filter forbids. */
#ifndef STACKGLASS_PLATFORM_RESIDENT_PAGES_H
#define STACKGLASS_PLATFORM_RESIDENT_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Open the file. Returns a descriptor, which the caller closes, or -1. */
int sg_resident_pages_open(void);
/* Return the bytes of the pages of [start, end) that are in memory or swapped out. Pages that are
 * not mapped count as 0. */
uint64_t sg_resident_pages_count(int descriptor, uintptr_t start, uintptr_t end);

#endif
