/* Collector pauses: how many garbage collections there were, and for how long they stopped the
 * program, by generation, as running sums.
 *
 * The collecting thread adds to the sums; the writer reads them. */
#ifndef STACKGLASS_THREADS_COLLECTOR_PAUSES_H
#define STACKGLASS_THREADS_COLLECTOR_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_N_GENERATIONS = 3 };

struct sg_collector_pauses {
    bool are_seen; /* false = collections are not counted: all sums are 0 */
    uint64_t n[SG_N_GENERATIONS], paused_ns[SG_N_GENERATIONS];
};

/* Count collections from now on, if they can be seen. May be called again, which changes nothing.
 * The caller holds the GIL. */
void sg_collector_pauses_open(void);
/* Count no more collections. The caller holds the GIL. */
void sg_collector_pauses_close(void);
void sg_collector_pauses_after_fork_in_child(void);
/* Are collections counted? Any thread. */
bool sg_collector_pauses_are_open(void);
/* Return the sums since they were opened. Any thread. */
struct sg_collector_pauses sg_collector_pauses_read(void);

#endif
