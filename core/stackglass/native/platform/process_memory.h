/* The memory of the process as the kernel counts it, beside what we can account for.
 *
 *     │ before attach │ accounted, in use │ unaccounted │ = resident
 *
 * No state, any thread; a descriptor is open for a moment, so: from a table of our own. */
#ifndef STACKGLASS_PLATFORM_PROCESS_MEMORY_H
#define STACKGLASS_PLATFORM_PROCESS_MEMORY_H

#include <stdint.h>

/* Pages of this process that are in memory now; 0 if the kernel does not say. What there is before
 * our own tables are made was there before us. */
uint64_t sg_process_memory_resident_bytes(void);

struct sg_process_memory {
    uint64_t now_bytes;
    uint64_t most_bytes; /* so far */
    /* now - before attach - in use. Less than nothing if some of what was there before has been
     * given back since, or what is accounted for was never touched. 0 if nothing is known of
     * before. */
    int64_t unaccounted_bytes;
};
/* `before_attach_bytes`: what sg_process_memory_resident_bytes said then; 0 = nobody had asked.
 * `in_use_bytes`: what the heap profiler's buckets add up to, unsampled. */
struct sg_process_memory sg_process_memory_account(uint64_t before_attach_bytes,
                                                   uint64_t in_use_bytes);

#endif
