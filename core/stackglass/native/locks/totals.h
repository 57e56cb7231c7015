/* Totals of lock waits: how many have ended and how long they took, all of them, whatever the
 * rates.
 *
 * Only a call that has waited adds to them: a free lock costs nothing. Lock-free, any thread. */
#ifndef STACKGLASS_LOCKS_TOTALS_H
#define STACKGLASS_LOCKS_TOTALS_H

#include <stdint.h>

struct sg_lock_totals {
    uint64_t n;
    uint64_t waited_ns;
};

void sg_lock_totals_reset(void);
void sg_lock_totals_add(int64_t delay_ns);
/* Read both totals; one may include a wait that the other does not include yet. */
struct sg_lock_totals sg_lock_totals_read(void);

#endif
