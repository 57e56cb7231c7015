/* Resident memory of the process, beside what the engine accounts for.
 *
 *     │ before attach │ accounted, in use │ unaccounted │ = resident
 *
 * No state. Opens a descriptor for a moment, so it is called with the engine's descriptor table. */
#ifndef STACKGLASS_PLATFORM_PROCESS_MEMORY_H
#define STACKGLASS_PLATFORM_PROCESS_MEMORY_H

#include <stdint.h>

/* Return the resident bytes now; 0 if the kernel does not say. Before the engine maps its tables,
 * this is the memory from before the attach. */
uint64_t sg_process_memory_resident_bytes(void);

struct sg_process_memory {
    uint64_t now_bytes;
    uint64_t most_bytes; /* the largest so far */
    /* now - before attach - in use. Negative if memory from before the attach has been freed since,
     * or if accounted memory was never touched. 0 if memory before the attach is not known. */
    int64_t unaccounted_bytes;
};
/* Compare the resident memory with what is accounted for. `before_attach_bytes` is the result of
 * sg_process_memory_resident_bytes before the attach; 0 = not known. `in_use_bytes` is the sum of
 * the heap profiler's buckets, unsampled. */
struct sg_process_memory sg_process_memory_account(uint64_t before_attach_bytes,
                                                   uint64_t in_use_bytes);

#endif
