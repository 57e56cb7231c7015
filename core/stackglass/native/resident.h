/* The memory of the process as the kernel counts it, beside what we can account for.
 *
 *     │ before attach │ accounted, in use │ unaccounted │ = resident
 */
#ifndef STACKGLASS_RESIDENT_H
#define STACKGLASS_RESIDENT_H

#include <stdint.h>

/* Pages of this process that are in memory now (RSS); 0 if the kernel does not say. Any thread; a
 * descriptor is open for a moment. */
uint64_t sg_resident_bytes(void);

/* From here on this much was there before us. At the attach, before our own tables are made. */
void sg_resident_mark(void);

struct sg_resident {
    uint64_t before_attach_bytes; /* at the mark; 0 = there was none */
    uint64_t now_bytes;
    /* now - before attach - in use. Less than nothing if some of what was there before has been
     * given back since, or what is accounted for was never touched. */
    int64_t unaccounted_bytes;
};
/* `in_use_bytes`: what the heap profiler's buckets add up to, unsampled. */
struct sg_resident sg_resident_account(uint64_t in_use_bytes);

#endif
